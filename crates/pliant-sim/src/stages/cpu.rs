//! What the drivers of all stages share on processors: where vertices live, and the arrays while steps
//! run.

pub mod slots;

use crate::math::Vec3;
use crate::simd::{Lane4, Level};
use crate::stages::colliders::cpu::{Seen, Substep};
use crate::stages::elastic::cpu::Layout;
use crate::stages::integrate::Coefficients;
use crate::stages::integrate::cpu::{Arrays, sweep};
use crate::step::BodyConstants;
use slots::Slots;

/// Shared access to slots, programs and arrays during a job.
///
/// Passes keep the workers apart: a block is one worker's alone for as long as it takes, and what is read
/// of other blocks is not written in the same pass.
pub(crate) struct Work {
    slots: *const Slots,
    /// The programs of the elastic stage.
    pub layout: *mut Layout,
    pub arrays: Arrays,
}

// SAFETY: see the type's documentation; every access goes through methods of passes, which do not
// overlap.
unsafe impl Sync for Work {}

impl Work {
    /// Slots and layout must outlive this, and nobody else may use the layout meanwhile.
    pub fn new(slots: &Slots, layout: &mut Layout, arrays: Arrays) -> Self {
        Self { slots, layout, arrays }
    }

    /// Where vertices are.
    pub fn slots(&self) -> &Slots {
        // SAFETY: the slots outlive the job, and nobody changes them.
        unsafe { &*self.slots }
    }

    /// The programs of the elastic stage.
    pub fn layout(&self) -> &Layout {
        // SAFETY: the layout outlives the job, and is changed only in `YieldingJob::merge`, by one
        // worker in a pass in which nobody else uses it.
        unsafe { &*self.layout }
    }

    pub fn block_count(&self) -> usize {
        self.slots().blocks.len()
    }

    /// Forces of a block's own elements.
    pub fn forces(&self, level: Level, block: usize) {
        let Arrays { position, velocity, force, .. } = self.arrays;
        // SAFETY: in this phase only this call writes the block's copies and forces, and nobody
        // writes positions or velocities of owned vertices.
        unsafe {
            self.layout().element_forces(
                self.slots(),
                level,
                block,
                position.cast(),
                velocity.cast(),
                force.cast(),
            );
        }
    }

    /// Adds what other blocks computed for this block's border vertices.
    pub fn collect(&self, block: usize) {
        // SAFETY: partial forces of other blocks were written in the phase before and are only read
        // now; the block's own are written by this call alone.
        unsafe { self.slots().collect(block, self.arrays.force.cast::<Lane4>()) };
    }

    /// Advances the block's own vertices; returns the first that left all bounds, in model order.
    pub fn update(
        &self,
        level: Level,
        block: usize,
        (constants, colliders): (&[BodyConstants], Option<Substep<'_>>),
        update: Coefficients,
    ) -> Option<u32> {
        let mut first = None;
        for run in &self.slots().blocks[block].runs {
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            let body = run.body as usize;
            let seen = colliders.map(|substep| Seen::new(substep, body));
            let body = (&constants[body], seen.as_ref());
            // SAFETY: the runs of a block are its own vertices, written by this call alone; where there are
            // colliders there are arrays for contacts; `level` was detected.
            let bad = unsafe { sweep(level, self.arrays, body, update, chunks) };
            let vertex = bad.map(|slot| run.first_vertex + (slot as u32 - run.slots.start));
            first = first.or(vertex);
        }
        first
    }

    /// Velocity and 1/mass of the vertex in `slot`; not to be called in an update phase.
    pub fn velocity(&self, slot: u32) -> Lane4 {
        // SAFETY: slots lie within the arrays, and velocities are written in update phases only.
        unsafe { *self.arrays.velocity.cast::<Lane4>().add(slot as usize) }
    }

    /// The same with whatever is behind it, as it is loaded at once.
    #[inline]
    pub fn position4(&self, slot: u32) -> Lane4 {
        // SAFETY: as in `position`.
        unsafe { *self.arrays.position.cast::<Lane4>().add(slot as usize) }
    }

    /// Position of the vertex in `slot`; not to be called in an update phase.
    pub fn position(&self, slot: u32) -> Vec3<f32> {
        // SAFETY: slots lie within the arrays, and owned positions are written in
        // update phases only.
        let lanes = unsafe { *self.arrays.position.cast::<Lane4>().add(slot as usize) };
        Vec3::from([lanes.0[0], lanes.0[1], lanes.0[2]])
    }
}
