//! The air on the CPU.

use super::formula::{Air, air_force};
use crate::math::Vec3;
use crate::model::Model;
use crate::simd::Lane4;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;

/// The triangles at the vertices of each block.
pub struct Exposed {
    /// Slots of the corners, and the inverse of the mass \[1/kg\], in the order of the model.
    blocks: Vec<Vec<([u32; 3], f32)>>,
}

impl Exposed {
    /// Those of a model whose vertices have these slots.
    pub fn new(model: &Model, slots: &Slots) -> Self {
        let mut blocks = vec![Vec::new(); slots.blocks.len()];
        let block_of = |v: u32| model.blocks.partition_point(|b| b.vertices.end <= v);
        for (corners, inv_mass) in model.triangles.iter().zip(super::inverse_masses(model)) {
            let mut of = corners.map(block_of).to_vec();
            of.sort_unstable();
            of.dedup();
            let triangle = (corners.map(|v| slots.slot_of[v as usize]), inv_mass);
            of.into_iter().for_each(|block| blocks[block].push(triangle));
        }
        Self { blocks }
    }

    /// Writes the force of the air on each vertex of a block, and in implicit steps of length `implicit_h` \[s\] its
    /// share of the system's diagonal \[kg\].
    pub fn blow(&self, work: &Work, block: usize, air: Air<f32>, implicit_h: f32) {
        let touch = work.arrays.touch.cast::<Lane4>();
        let owned = &work.slots().blocks[block].owned;
        for slot in owned.clone() {
            // SAFETY: the block's own slots, written by this call alone.
            unsafe { *touch.add(slot as usize) = Lane4([0.0; 4]) };
        }
        for &(corners, inv_mass) in &self.blocks[block] {
            let x = corners.map(|slot| work.position(slot));
            let v = corners.map(|slot| {
                let [x, y, z, _] = work.velocity(slot).0;
                Vec3::from([x, y, z])
            });
            let found = air_force(x, v, inv_mass, air);
            let third = found.force * (1.0 / 3.0);
            let resistance = implicit_h * found.resistance * (1.0 / 3.0);
            for slot in corners.into_iter().filter(|slot| owned.contains(slot)) {
                // SAFETY: as above.
                let at = unsafe { &mut (*touch.add(slot as usize)).0 };
                at[0] += third.x;
                at[1] += third.y;
                at[2] += third.z;
                at[3] += resistance;
            }
        }
    }

    /// Bytes of the lists.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|list| size_of_val(&list[..])).sum()
    }
}
