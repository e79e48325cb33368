//! Pins on a processor.

use super::formula::leading_velocity;
use super::{Pins, Stretch};
use crate::math::Vec3;
use crate::simd::Lane4;
use crate::stages::cpu::Work;

/// Gives all pinned vertices the velocities of a substep. Nobody else may use velocities meanwhile.
pub(crate) fn lead(pins: &Pins, stretch: &Stretch, work: &Work, substep: u64) {
    let led = stretch.at(substep);
    let arrays = &work.arrays;
    for pinned in &pins.vertices {
        let slot = work.slots().slot_of[pinned.vertex as usize] as usize;
        // SAFETY: slots lie within the arrays, and in this pass nobody else uses them.
        unsafe {
            let [x, compensation] = [arrays.position, arrays.compensation].map(|array| {
                let lanes = (*array.cast::<Lane4>().add(slot)).0;
                Vec3::from([lanes[0], lanes[1], lanes[2]])
            });
            let place = [pinned.rest, pinned.arm].map(Vec3::from);
            let led = &led[pinned.path as usize];
            let v = leading_velocity([x, compensation], place, led, stretch.per_h);
            let velocity = &mut (*arrays.velocity.cast::<Lane4>().add(slot)).0;
            velocity[..3].copy_from_slice(&<[f32; 3]>::from(v));
        }
    }
}
