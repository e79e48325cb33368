//! A toy force, compiled with the tests alone: what *Adding a stage* in ARCHITECTURE.md asks of a force
//! between vertices, small enough to be read in one go. Begin a new stage with a copy of this folder.
//!
//! # Theory
//!
//! A *tether* pulls two vertices of a body together, the harder the farther they are apart. With l from
//! the first to the second and a stiffness c \[N/m³\],
//!
//! E = ¼ c |l|⁴, F = c |l|² l, dF/dl = c (|l|² I + 2 l lᵀ).
//!
//! # Practice
//!
//! [`formula`] has these for one tether, and `formula.wgsl` the same for devices. [`forces_reference`] adds
//! them up in the plainest way. Both drivers *gather*: a vertex adds up the tethers in its own list
//! ([`Lists`]), so that nobody writes what another block owns, in an order that depends on the model alone.
//! In a step they belong into the pass of the elastic stage, behind it: forces are there to be added to,
//! and no position changes before the pass is over.

mod cpu;
mod formula;
#[cfg(feature = "gpu")]
mod gpu;
mod tests;

use crate::math::{Real, Vec3};

/// A tether.
#[derive(Clone, Copy, Debug)]
struct Tether {
    /// Two vertices of one body, in the numbering of the model.
    ends: [u32; 2],
    /// Its c \[N/m³\].
    stiffness: f32,
}

/// Adds the forces of all tethers to `out` \[N\], in order, from positions `x` \[m\].
fn forces_reference<R: Real>(tethers: &[Tether], x: &[Vec3<R>], out: &mut [Vec3<R>]) {
    for tether in tethers {
        let [i, j] = tether.ends.map(|end| end as usize);
        let force = formula::tether_force(x[j] - x[i], R::of(f64::from(tether.stiffness)));
        out[i] += force;
        out[j] -= force;
    }
}

/// The tethers at each slot of a layout.
struct Lists {
    /// Where the list of each slot begins, and where the last one ends.
    first: Vec<u32>,
    /// Slot of the other end, and the bits of the stiffness \[N/m³\].
    others: Vec<[u32; 2]>,
}

impl Lists {
    /// Lists in the order of the tethers, for vertices that lie in the slots `slot_of`.
    fn new(tethers: &[Tether], slot_of: &[u32], slot_count: usize) -> Self {
        let mut lists = vec![Vec::new(); slot_count];
        for tether in tethers {
            let [i, j] = tether.ends.map(|end| slot_of[end as usize]);
            lists[i as usize].push([j, tether.stiffness.to_bits()]);
            lists[j as usize].push([i, tether.stiffness.to_bits()]);
        }
        let mut first = vec![0];
        first.extend(lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Self { first, others: lists.concat() }
    }

    /// What hangs on the vertex in `slot`.
    fn of(&self, slot: u32) -> impl Iterator<Item = (u32, f32)> {
        let [first, end] = [slot, slot + 1].map(|at| self.first[at as usize] as usize);
        self.others[first..end].iter().map(|&[other, bits]| (other, f32::from_bits(bits)))
    }
}
