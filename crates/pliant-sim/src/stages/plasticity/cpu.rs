//! Plasticity on the CPU: every tetrahedron is tested after each step; the few springs that changed
//! are merged anew.

use std::cell::UnsafeCell;

use super::around::Around;
use super::formula::{RestShape, volume_coefficients, yield_springs};
use crate::model::Model;
use crate::stages::cpu::Work;
use crate::stages::elastic::cpu::Layout;
use crate::stages::elastic::formula::six_volumes;

/// What yielding keeps: rest shapes, and how tetrahedra and merged springs belong together.
pub struct Yielding {
    /// Rest shape of every tetrahedron, in model order.
    pub rest: Vec<RestShape<f32>>,
    around: Around,
    /// Tetrahedra that yielded in this step, per block.
    yielded: Vec<Vec<u32>>,
    blocks: Vec<std::ops::Range<u32>>,
}

impl Yielding {
    /// Brings the layout's coefficients in line at once: from now on they are a function of the
    /// rest shapes alone, so that going back to a snapshot or a checkpoint gives the same bits.
    pub fn new(model: &Model, layout: &mut Layout) -> Self {
        let around = Around::new(model);
        let rest = first_rest(model);
        // Room for everything, so that a step never allocates.
        let blocks: Vec<_> = model.blocks.iter().map(|b| b.tets.clone()).collect();
        let yielded = blocks.iter().map(|r| Vec::with_capacity(r.len())).collect();
        let yielding = Self { rest, around, yielded, blocks };
        (0..model.tets.len()).for_each(|t| yielding.settle_volume(model, layout, t));
        // Springs of surfaces have no tetrahedron round them and never yield.
        (0..model.springs.len())
            .filter(|&s| yielding.around.start[s] < yielding.around.start[s + 1])
            .for_each(|s| yielding.settle_spring(model, layout, s));
        yielding
    }

    pub fn bytes(&self) -> usize {
        let Self { rest, around, yielded, blocks: _ } = self;
        size_of_val(&rest[..])
            + around.bytes()
            + yielded.iter().map(|y| 4 * y.capacity()).sum::<usize>()
    }

    /// Takes over rest shapes and brings the layout's coefficients in line.
    pub fn load(&mut self, model: &Model, layout: &mut Layout, rest: &[RestShape<f32>]) {
        let changed: Vec<u32> =
            (0..rest.len() as u32).filter(|&t| rest[t as usize] != self.rest[t as usize]).collect();
        self.rest.copy_from_slice(rest);
        for &t in &changed {
            self.merge_tet(model, layout, t);
        }
    }

    /// Makes ready for a job.
    pub fn run<'a>(&'a mut self, model: &'a Model, plasticity: f64) -> YieldingJob<'a> {
        YieldingJob { yielding: UnsafeCell::new(self), model, plasticity: plasticity as f32 }
    }

    fn merge_tet(&self, model: &Model, layout: &mut Layout, tet: u32) {
        self.settle_volume(model, layout, tet as usize);
        for &spring in &self.around.springs_of[tet as usize] {
            self.settle_spring(model, layout, spring as usize);
        }
    }

    fn settle_volume(&self, model: &Model, layout: &mut Layout, tet: usize) {
        let rest6 = self.rest[tet].volume6;
        layout.set_volume(tet, volume_coefficients(model.volume[tet], rest6));
    }

    fn settle_spring(&self, model: &Model, layout: &mut Layout, spring: usize) {
        let mut k_rest = 0.0;
        for (t, k) in self.around.round(spring) {
            k_rest += model.stiffness_share(t)[k] * f64::from(self.rest[t].lengths[k]);
        }
        layout.set_spring(spring, [model.spring[spring][0], k_rest as f32]);
    }
}

/// What the tetrahedra return to before anything has yielded.
pub fn first_rest(model: &Model) -> Vec<RestShape<f32>> {
    (0..model.tets.len())
        .map(|t| RestShape {
            lengths: model.rest_lengths(t).map(|l| l as f32),
            volume6: six_volumes(model.rest_corners(t)) as f32,
        })
        .collect()
}

/// Yielding during a job: blocks test their own tetrahedra, then one worker merges.
pub struct YieldingJob<'a> {
    yielding: UnsafeCell<&'a mut Yielding>,
    model: &'a Model,
    plasticity: f32,
}

// SAFETY: `test` touches only its block's tetrahedra and list; `merge` has a pass for itself.
unsafe impl Sync for YieldingJob<'_> {}

impl YieldingJob<'_> {
    fn parts(&self) -> *mut Yielding {
        // SAFETY: only the pointer is taken; the parts behind it are kept apart by block.
        unsafe { std::ptr::from_mut::<Yielding>(*self.yielding.get()) }
    }

    /// Tests the tetrahedra of a block at the positions the step ended with.
    pub fn test(&self, work: &Work, block: usize) {
        let y = self.parts();
        let slots = work.slots();
        // SAFETY: range and list of this block are used by this call alone.
        unsafe {
            let rest: *mut RestShape<f32> = (*y).rest.as_mut_ptr();
            let list: &mut Vec<u32> = &mut *(*y).yielded.as_mut_ptr().add(block);
            list.clear();
            let range = (&(*y).blocks)[block].clone();
            for t in range {
                let corners =
                    self.model.tets[t as usize].map(|v| work.position(slots.slot_of[v as usize]));
                if yield_springs(corners, self.plasticity, &mut *rest.add(t as usize)) {
                    list.push(t);
                }
            }
        }
    }

    /// Merges what yielded, block after block. Only one worker may call this, in a pass of its own.
    pub fn merge(&self, work: &Work) {
        // SAFETY: nobody else does anything in this pass, so this is the only access.
        let (yielding, layout) = unsafe { (&*self.parts(), &mut *work.layout) };
        for list in &yielding.yielded {
            for &t in list {
                yielding.merge_tet(self.model, layout, t);
            }
        }
    }
}
