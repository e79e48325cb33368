//! Shared access to the arrays while steps run.

use super::Storage;
use crate::math::Vec3;
use crate::simd::{Lane4, Lanes, Level};
use crate::stages::elastic::cpu::Layout;
use crate::stages::integrate::Coefficients;
use crate::stages::integrate::cpu::{Arrays, Frame, sweep};

/// Shared access to layout and arrays during a job.
///
/// Passes keep the workers apart: each works on its own blocks, and what it reads of others is not
/// written in the same pass.
pub(crate) struct Work {
    pub layout: *mut Layout,
    pub arrays: Arrays,
}

// SAFETY: see the type's documentation; every access goes through methods whose passes are
// separated by barriers.
unsafe impl Sync for Work {}

impl Work {
    pub(super) fn new(layout: &mut Layout, arrays: &mut Storage) -> Self {
        let pointer = |v: &mut Vec<Lanes>| {
            if v.is_empty() { std::ptr::null_mut() } else { v.as_mut_ptr() }
        };
        let arrays = Arrays {
            position: pointer(&mut arrays.position),
            low: pointer(&mut arrays.low),
            velocity: pointer(&mut arrays.velocity),
            force: pointer(&mut arrays.force),
            touch: pointer(&mut arrays.touch),
            memory: arrays.memory.each_mut().map(pointer),
        };
        Self { layout, arrays }
    }

    pub fn layout(&self) -> &Layout {
        // SAFETY: the layout outlives the job, and is changed only in `Yielding::settle`, by one
        // worker while all others wait at a barrier.
        unsafe { &*self.layout }
    }

    pub fn block_count(&self) -> usize {
        self.layout().blocks.len()
    }

    /// Forces of a block's own elements.
    pub fn forces(&self, level: Level, block: usize) {
        let Arrays { position, velocity, force, .. } = self.arrays;
        // SAFETY: in this phase only this call writes the block's copies and forces, and nobody
        // writes positions or velocities of owned vertices.
        unsafe {
            self.layout().element_forces(
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
        unsafe { self.layout().collect(block, self.arrays.force.cast::<Lane4>()) };
    }

    /// Advances the block's own vertices; gives the first that left all bounds, in model order.
    pub fn update(
        &self,
        level: Level,
        block: usize,
        frames: &[Frame],
        update: Coefficients,
    ) -> Option<u32> {
        let mut first = None;
        for run in &self.layout().blocks[block].runs {
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            // SAFETY: the runs of a block are its own vertices, written by this call alone; `level`
            // was detected.
            let bad =
                unsafe { sweep(level, self.arrays, &frames[run.body as usize], update, chunks) };
            let vertex = bad.map(|slot| run.first_vertex + (slot as u32 - run.slots.start));
            first = first.or(vertex);
        }
        first
    }

    /// Position of the vertex in `slot`; not to be called in an update phase.
    pub fn position(&self, slot: u32) -> Vec3<f32> {
        // SAFETY: slots of the layout lie within the arrays, and owned positions are written in
        // update phases only.
        let lanes = unsafe { *self.arrays.position.cast::<Lane4>().add(slot as usize) };
        Vec3::from([lanes.0[0], lanes.0[1], lanes.0[2]])
    }
}
