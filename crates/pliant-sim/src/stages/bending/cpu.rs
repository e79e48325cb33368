//! Bending on processors: a block's hinges, in the numbering of its slots.

use super::Hinge;
use super::formula::hinge_forces;
use crate::math::Vec3;
use crate::simd::Lane4;

/// The hinges of one block.
#[derive(Debug, Default)]
pub struct BlockHinges {
    /// Corners of each, as numbers within the block.
    pub corners: Vec<[u16; 4]>,
    /// What they resist with.
    pub hinge: Vec<Hinge<f32>>,
}

impl BlockHinges {
    /// Adds the forces of all of them \[N\], in order.
    ///
    /// # Safety
    /// The pointers lead to the block's slots; nobody writes positions meanwhile, and nobody else accesses forces.
    pub unsafe fn add_forces(&self, position: *const Lane4, force: *mut Lane4) {
        for (corners, hinge) in self.corners.iter().zip(&self.hinge) {
            let corners = corners.map(usize::from);
            // SAFETY: numbers within the block lie within its slots; the rest is promised by the caller.
            unsafe {
                let forces = hinge_forces(corners.map(|c| at(position, c)), hinge);
                for (corner, f) in corners.into_iter().zip(forces) {
                    let sum = &mut (*force.add(corner)).0;
                    sum[0] += f.x;
                    sum[1] += f.y;
                    sum[2] += f.z;
                }
            }
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.corners[..]) + size_of_val(&self.hinge[..])
    }
}

/// # Safety
/// As for [`BlockHinges::add_forces`].
unsafe fn at(position: *const Lane4, corner: usize) -> Vec3<f32> {
    // SAFETY: promised by the caller.
    let [x, y, z, _] = unsafe { (*position.add(corner)).0 };
    Vec3::from([x, y, z])
}
