//! The kernels of contact, and what they are bound to.

use pliant_gpu::Access::{Read, Record, Uniform, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Binding, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::Buffers;
use crate::stages::contact::gpu::{LEAST_SKIN, MOST_SKIN, SUBSTEPS_AHEAD};
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::library::LIBRARY;
use crate::step::Stage;

/// A kernel of contact, in the order of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Vote,
    Place,
    Refit,
    Walk,
    Settle,
    CountCorners,
    FillCorners,
    SortCorners,
    Predict,
    FindRows,
    ImproveRows,
    KeepRows,
    AddUp,
    AddForces,
}

impl Part {
    pub const ALL: [Self; 14] = [
        Self::Vote,
        Self::Place,
        Self::Refit,
        Self::Walk,
        Self::Settle,
        Self::CountCorners,
        Self::FillCorners,
        Self::SortCorners,
        Self::Predict,
        Self::FindRows,
        Self::ImproveRows,
        Self::KeepRows,
        Self::AddUp,
        Self::AddForces,
    ];

    fn module(self) -> Module {
        let (name, source) = match self {
            Self::Vote => ("vote.wgsl", include_str!("../vote.wgsl")),
            Self::Place => ("place.wgsl", include_str!("../place.wgsl")),
            Self::Refit => ("refit.wgsl", include_str!("../refit.wgsl")),
            Self::Walk => ("walk.wgsl", include_str!("../walk.wgsl")),
            Self::Settle | Self::CountCorners | Self::FillCorners | Self::SortCorners => {
                ("corners.wgsl", include_str!("../corners.wgsl"))
            }
            Self::Predict => ("predict.wgsl", include_str!("../predict.wgsl")),
            Self::FindRows | Self::ImproveRows | Self::KeepRows => {
                ("rows.wgsl", include_str!("../rows.wgsl"))
            }
            Self::AddUp | Self::AddForces => ("sum.wgsl", include_str!("../sum.wgsl")),
        };
        Module { name, source }
    }

    fn entry(self) -> &'static str {
        match self {
            Self::Vote => "vote",
            Self::Place => "place_all",
            Self::Refit => "refit",
            Self::Walk => "walk",
            Self::Settle => "settle",
            Self::CountCorners => "count_corners",
            Self::FillCorners => "fill_corners",
            Self::SortCorners => "sort_corners",
            Self::Predict => "predict",
            Self::FindRows => "find_rows",
            Self::ImproveRows => "improve_rows",
            Self::KeepRows => "keep_rows",
            Self::AddUp => "add_up",
            Self::AddForces => "add_forces",
        }
    }

    fn accesses(self) -> &'static [Access] {
        match self {
            Self::Vote => &[Read, Read, Write, Write, Read, Record, Record],
            Self::Place => {
                &[Read, Read, Write, Write, Write, Write, Read, Read, Read, Write, Record, Uniform]
            }
            Self::Refit => &[Read, Read, Write, Read, Read, Record, Uniform, Record],
            Self::Walk => &[
                Read, Read, Read, Read, Write, Read, Write, Write, Write, Write, Record, Uniform,
                Record,
            ],
            Self::Settle | Self::CountCorners | Self::FillCorners | Self::SortCorners => {
                &[Read, Read, Read, Write, Read, Write, Write, Read, Write, Read, Record, Uniform]
            }
            Self::Predict => &[Read, Read, Read, Read, Write, Write, Read, Record, Uniform],
            Self::FindRows | Self::ImproveRows | Self::KeepRows => {
                &[Read, Read, Read, Read, Write, Write, Write, Read, Record, Uniform, Record]
            }
            Self::AddUp | Self::AddForces => {
                &[Read, Read, Read, Write, Write, Read, Record, Uniform, Record]
            }
        }
    }

    /// Whether it takes a phase besides the record of the step.
    fn has_phase(self) -> bool {
        self.accesses().iter().filter(|&&access| access == Record).count() == 2
    }

    /// Its description, with the given constants.
    pub fn description<'a>(self, constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
        KernelDesc {
            library: LIBRARY,
            module: self.module(),
            entry: self.entry(),
            constants,
            bindings: self.accesses(),
        }
    }

    fn compiled(self, gpu: &Gpu, arrays: &Arrays) -> Result<Kernel, GpuError> {
        let sewn = ("SEWN", f64::from(u8::from(arrays.sewn.len() > 1)));
        let stage = [("STAGE", Stage::Contact.number() as f64), sewn];
        let skins = [
            sewn,
            ("SUBSTEPS_AHEAD", f64::from(SUBSTEPS_AHEAD)),
            ("LEAST_SKIN", f64::from(LEAST_SKIN)),
            ("MOST_SKIN", f64::from(MOST_SKIN)),
        ];
        let constants: &[(&str, f64)] = match self {
            Self::Vote | Self::Walk => &stage,
            Self::Place => &skins,
            _ => &[],
        };
        Kernel::new(gpu, &self.description(constants))
    }

    fn bindings<'a>(self, own: &'a Buffers, arrays: &'a Arrays) -> Vec<Binding<'a>> {
        let Arrays { position, velocity, compensation, force, touch, flags, sewn, .. } = arrays;
        let Buffers { surface, placed, boxes, counts, starts, control, ahead, .. } = own;
        let Buffers { corner_counts, corner_starts, cursors, .. } = own;
        let Buffers { pairs, holds, rows, corners, .. } = own;
        let mut all: Vec<Binding<'a>> = match self {
            Self::Vote => {
                vec![position.into(), placed.into(), control.into(), flags.into(), sewn.into()]
            }
            Self::Place => vec![
                position.into(),
                velocity.into(),
                surface.into(),
                placed.into(),
                corner_counts.into(),
                cursors.into(),
                control.into(),
                flags.into(),
                (&arrays.body_constants).into(),
                sewn.into(),
            ],
            Self::Refit => {
                vec![placed.into(), surface.into(), boxes.into(), control.into(), flags.into()]
            }
            Self::Walk => vec![
                position.into(),
                surface.into(),
                placed.into(),
                boxes.into(),
                counts.into(),
                starts.into(),
                pairs.into(),
                holds.into(),
                control.into(),
                flags.into(),
            ],
            Self::Settle | Self::CountCorners | Self::FillCorners | Self::SortCorners => vec![
                position.into(),
                surface.into(),
                pairs.into(),
                corner_counts.into(),
                corner_starts.into(),
                cursors.into(),
                corners.into(),
                starts.into(),
                control.into(),
                flags.into(),
            ],
            Self::Predict => vec![
                velocity.into(),
                compensation.into(),
                force.into(),
                touch.into(),
                ahead.into(),
                control.into(),
                flags.into(),
            ],
            Self::FindRows | Self::ImproveRows | Self::KeepRows => vec![
                position.into(),
                surface.into(),
                ahead.into(),
                pairs.into(),
                holds.into(),
                rows.into(),
                control.into(),
                flags.into(),
            ],
            Self::AddUp | Self::AddForces => vec![
                corner_starts.into(),
                corners.into(),
                rows.into(),
                ahead.into(),
                force.into(),
                flags.into(),
            ],
        };
        all.push(arrays.record());
        if self != Self::Vote {
            all.push((&own.setup).into());
        }
        if self.has_phase() {
            all.push(own.phase());
        }
        all
    }
}

/// All kernels, bound.
pub struct Kernels {
    kernels: Vec<Kernel>,
    groups: Vec<BindGroup>,
}

impl Kernels {
    pub fn new(gpu: &Gpu, own: &Buffers, arrays: &Arrays) -> Result<Self, GpuError> {
        let kernels: Vec<Kernel> =
            Part::ALL.iter().map(|part| part.compiled(gpu, arrays)).collect::<Result<_, _>>()?;
        let mut all = Self { kernels, groups: Vec::new() };
        all.bind(gpu, own, arrays);
        Ok(all)
    }

    /// Binds them again, because an array has been replaced.
    pub fn bind(&mut self, gpu: &Gpu, own: &Buffers, arrays: &Arrays) {
        let bind = |(part, kernel): (&Part, &Kernel)| kernel.bind(gpu, &part.bindings(own, arrays));
        self.groups = Part::ALL.iter().zip(&self.kernels).map(bind).collect();
    }

    /// Records a kernel; `offsets` are those of the step's record and of the phase.
    pub fn run(&self, commands: &mut Commands, part: Part, offsets: [u32; 2], threads: usize) {
        let (kernel, group) = (&self.kernels[part as usize], &self.groups[part as usize]);
        let count = 1 + usize::from(part.has_phase());
        commands.run(kernel, group, &offsets[..count], threads);
    }
}
