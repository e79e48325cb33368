//! Plasticity on a device: every tetrahedron is tested after each step and marks the springs that
//! yielded; those are merged anew.
//!
//! The rest volume of a tetrahedron lives in the array of volume coefficients, its rest lengths in an
//! array of their own. The rest lengths of merged springs follow from these alone, so that going back
//! to a snapshot or a checkpoint gives the same bits.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::RestShape;
use super::around::Around;
use super::cpu::first_rest;
use crate::model::Model;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::{Layout, snap_to_measured};
use crate::stages::gpu::library::LIBRARY;

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;
const TEST: &[Access] = &[READ, READ, READ, WRITE, WRITE, WRITE, READ, Access::Record];
const MERGE: &[Access] = &[READ, READ, READ, WRITE, WRITE, READ, Access::Record];

/// Descriptions of the two kernels: testing, merging.
pub fn descriptions() -> [KernelDesc<'static>; 2] {
    let test = Module { name: "plasticity.wgsl", source: include_str!("kernel.wgsl") };
    let merge = Module { name: "merge.wgsl", source: include_str!("merge.wgsl") };
    [("plasticity", test, TEST), ("merge", merge, MERGE)].map(|(entry, module, bindings)| {
        KernelDesc { library: LIBRARY, module, entry, constants: &[], bindings }
    })
}

/// The kernels of plasticity, bound to a model's arrays, and what they alone need.
pub struct Yielding {
    /// Rest lengths of the springs of each tetrahedron, six in a row \[m\].
    pub lengths: Buffer<f32>,
    /// Where the tetrahedra round each spring begin; one more for the end.
    pub starts: Buffer<u32>,
    springs_of: Buffer<u32>,
    around: Buffer<[u32; 2]>,
    marks: Buffer<u32>,
    test: (Kernel, BindGroup),
    merge: (Kernel, BindGroup),
}

impl Yielding {
    /// Makes the kernels. Rest shapes are those that give exactly the coefficients of `layout`, so
    /// that switching plasticity on changes nothing by itself.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Self, GpuError> {
        let belong = Around::new(model);
        let springs_of = gpu.storage("springs_of", belong.springs_of.as_flattened())?;
        let starts = gpu.storage("spring starts", &belong.start)?;
        let around = gpu.storage("around springs", &shares(model, &belong))?;
        let marks = gpu.zeros("marks", layout.springs.len())?;
        let rest = unyielded(model, layout, &belong);
        let lengths = gpu.storage("rest lengths", &flat_lengths(&rest))?;
        let Arrays { position, tets, volumes, springs, flags, .. } = arrays;
        let to_test = [
            position.into(),
            tets.into(),
            (&springs_of).into(),
            (&lengths).into(),
            volumes.into(),
            (&marks).into(),
            flags.into(),
            arrays.record(),
        ];
        let to_merge = [
            (&lengths).into(),
            (&starts).into(),
            (&around).into(),
            springs.into(),
            (&marks).into(),
            flags.into(),
            arrays.record(),
        ];
        let [test, merge] = descriptions();
        let test = Kernel::bound(gpu, &test, &to_test)?;
        let merge = Kernel::bound(gpu, &merge, &to_merge)?;
        arrays.volumes.write(0, &with_rest(layout, &rest));
        Ok(Self { lengths, springs_of, starts, around, marks, test, merge })
    }

    /// Kernel, arrays and invocations of the test.
    pub fn test(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.test.0, &self.test.1, self.lengths.len() / 6)
    }

    /// Kernel, arrays and invocations of merging.
    pub fn merge(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.merge.0, &self.merge.1, self.marks.len())
    }

    /// Takes over rest shapes. The springs follow with [`Yielding::merge_all`].
    pub fn load(&self, layout: &Layout, arrays: &Arrays, rest: &[RestShape<f32>]) {
        self.lengths.write(0, &flat_lengths(rest));
        arrays.volumes.write(0, &with_rest(layout, rest));
    }

    /// Records merging all springs; record 0 must be one without plasticity.
    pub fn merge_all(&self, commands: &mut Commands) {
        let (kernel, group, threads) = self.merge();
        commands.run(kernel, group, &[0], threads);
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let lists = self.springs_of.bytes() + self.starts.bytes() + self.around.bytes();
        lists + self.lengths.bytes() + self.marks.bytes()
    }
}

/// Rest shapes from the arrays as they come from the device.
pub fn rest_shapes(lengths: &[f32], volumes: &[[f32; 2]]) -> Vec<RestShape<f32>> {
    let (lengths, _) = lengths.as_chunks();
    lengths.iter().zip(volumes).map(|(&lengths, v)| RestShape { lengths, volume6: v[1] }).collect()
}

fn flat_lengths(rest: &[RestShape<f32>]) -> Vec<f32> {
    rest.iter().flat_map(|r| r.lengths).collect()
}

/// Coefficients of the volume forces with these rest volumes.
fn with_rest(layout: &Layout, rest: &[RestShape<f32>]) -> Vec<[f32; 2]> {
    layout.volumes.iter().zip(rest).map(|(&[a, _], r)| [a, r.volume6]).collect()
}

/// For each spring the places of its tetrahedra's rest lengths, and their stiffness as bits.
fn shares(model: &Model, belong: &Around) -> Vec<[u32; 2]> {
    let of_tet = |t: usize| model.stiffness_share(t).map(|k| (k as f32).to_bits());
    let stiffness: Vec<[u32; 6]> = (0..model.tets.len()).map(of_tet).collect();
    let share = |(t, k): (usize, usize)| [(6 * t + k) as u32, stiffness[t][k]];
    (0..model.springs.len()).flat_map(|s| belong.round(s).map(share)).collect()
}

/// Rest shapes before anything has yielded: the model's, with the roundings of the layout.
fn unyielded(model: &Model, layout: &Layout, belong: &Around) -> Vec<RestShape<f32>> {
    let mut shapes = first_rest(model);
    for (t, rest) in shapes.iter_mut().enumerate() {
        for (length, &spring) in rest.lengths.iter_mut().zip(&belong.springs_of[t]) {
            *length = snap_to_measured(*length, f32::from_bits(layout.springs[spring as usize][3]));
        }
        rest.volume6 = snap_to_measured(rest.volume6, layout.volumes[t][1]);
    }
    shapes
}
