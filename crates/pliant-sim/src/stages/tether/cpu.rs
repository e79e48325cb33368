//! Tethers on the CPU.

use super::Lists;
use super::formula::tether_force;
use crate::math::Vec3;
use crate::simd::Lane4;
use crate::stages::cpu::Work;

/// Adds the tethers at a block's own vertices to their forces.
pub fn pull(lists: &Lists, work: &Work, block: usize) {
    let force = work.arrays.force.cast::<Lane4>();
    for slot in work.slots().blocks[block].runs.iter().flat_map(|run| run.slots.clone()) {
        let x = work.position(slot);
        let mut sum = Vec3::zero();
        for (other, c) in lists.of(slot) {
            sum += tether_force(work.position(other) - x, c);
        }
        // SAFETY: the block's own slots, written by this call alone; positions are only read in this pass.
        let at = unsafe { &mut (*force.add(slot as usize)).0 };
        at[0] += sum.x;
        at[1] += sum.y;
        at[2] += sum.z;
    }
}
