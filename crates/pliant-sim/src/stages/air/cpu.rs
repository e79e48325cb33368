//! The air on the CPU.

use super::formula::Air;
use super::lanes::{Blow, Sixteen};
use crate::model::Model;
use crate::simd::{Lane4, Level, run_at};
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
    pub fn blow(
        &self,
        (work, level): (&Work, Level),
        block: usize,
        air: Air<f32>,
        implicit_h: f32,
    ) {
        let touch = work.arrays.touch.cast::<Lane4>();
        let owned = &work.slots().blocks[block].owned;
        for slot in owned.clone() {
            // SAFETY: the block's own slots, written by this call alone.
            unsafe { *touch.add(slot as usize) = Lane4([0.0; 4]) };
        }
        let mut sixteen = Sixteen::default();
        for triangles in self.blocks[block].chunks(16) {
            for (lane, &(corners, inv_mass)) in triangles.iter().enumerate() {
                sixteen.set(lane, work, corners, inv_mass);
            }
            // SAFETY: a task of plain numbers.
            let feels = unsafe { run_at(level, Blow { triangles: &mut sixteen, air }) };
            for (lane, (corners, _)) in triangles.iter().enumerate() {
                if feels & 1 << lane == 0 {
                    continue;
                }
                let third = [0, 1, 2].map(|k| sixteen.third[k].0[lane]);
                let resistance = implicit_h * sixteen.resistance.0[lane] * (1.0 / 3.0);
                for slot in corners.iter().filter(|slot| owned.contains(slot)) {
                    // SAFETY: as above.
                    let at = unsafe { &mut (*touch.add(*slot as usize)).0 };
                    let more = [third[0], third[1], third[2], resistance];
                    at.iter_mut().zip(more).for_each(|(at, more)| *at += more);
                }
            }
        }
    }

    /// Bytes of the lists.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|list| size_of_val(&list[..])).sum()
    }
}

impl Sixteen {
    /// Fetches one of the triangles.
    #[inline]
    fn set(&mut self, lane: usize, work: &Work, corners: [u32; 3], inv_mass: f32) {
        let [a, b, c] = corners.map(|slot| {
            // SAFETY: slots lie within the arrays, and positions are written in update phases only.
            unsafe { (*work.arrays.position.cast::<Lane4>().add(slot as usize)).0 }
        });
        let [u, v, w] = corners.map(|slot| work.velocity(slot).0);
        let four = |of: &dyn Fn(usize) -> f32| Lane4(std::array::from_fn(of));
        self.edges[0][lane] = four(&|k| b[k] - a[k]);
        self.edges[1][lane] = four(&|k| c[k] - a[k]);
        self.velocity[lane] = four(&|k| u[k] + v[k] + w[k]);
        self.inv_mass.0[lane] = inv_mass;
    }
}
