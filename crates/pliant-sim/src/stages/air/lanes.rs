//! The force of air on sixteen triangles at a time; the same bits as [`super::formula`] has one by one.
//!
//! Products and sums are rounded one after the other, never together, so that every level agrees with the formula.

use super::formula::Air;
use crate::simd::{Lane4, Lanes, Lanes16, Task};

/// The entries of [`Lanes16::gather`] in their order.
const IN_ORDER: [u16; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/// Sixteen triangles, and what the air does to them.
#[derive(Default)]
pub(super) struct Sixteen {
    /// From the first corner to the others \[m\].
    pub edges: [[Lane4; 16]; 2],
    /// Sums of the velocities of the corners \[m/s\].
    pub velocity: [Lane4; 16],
    /// What the air may take for the inverse of their mass \[1/kg\].
    pub inv_mass: Lanes,
    /// A third of the force on each \[N\].
    pub third: [Lanes; 3],
    /// How much harder the air pulls for each unit of speed \[kg/s\].
    pub resistance: Lanes,
}

/// Computes forces; says which triangles feel the air, as bits.
pub(super) struct Blow<'a> {
    pub triangles: &'a mut Sixteen,
    pub air: Air<f32>,
}

impl Task for Blow<'_> {
    type Output = u16;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> u16 {
        let Self { triangles: t, air } = self;
        // SAFETY: sixteen entries each.
        let [e, f, v] = unsafe {
            [&t.edges[0], &t.edges[1], &t.velocity]
                .map(|entries| S::gather(entries.as_ptr(), IN_ORDER.as_ptr()))
        };
        let (zero, one) = (S::zero(), S::splat(1.0));
        let [half, third] = [0.5, 1.0 / 3.0].map(S::splat);
        let cross = |k: usize, l: usize| e[k].mul(f[l]).sub(e[l].mul(f[k]));
        let area = [cross(1, 2), cross(2, 0), cross(0, 1)].map(|c| c.mul(half));
        let wind = <[f32; 3]>::from(air.wind).map(S::splat);
        let u: [S; 3] = std::array::from_fn(|k| v[k].mul(third).sub(wind[k]));
        let dot = |a: [S; 3], b: [S; 3]| a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]));
        let [size, speed] = [dot(area, area).sqrt(), dot(u, u).sqrt()];
        let is_more = |x: S| S::bits(zero.at_most(x)) & !S::bits(x.at_most(zero));
        let feels = is_more(size) & is_more(speed);
        let inverse = one.div(size);
        let normal = area.map(|a| a.mul(inverse));
        let cosine = dot(normal, u).div(speed);
        let across = size.mul(cosine).mul(speed);
        let sine2 = one.sub(cosine.mul(cosine)).max(zero);
        let drag = S::splat(air.drag).mul(across.max(zero.sub(across)));
        let lift = S::splat(air.lift).mul(across);
        let resistance = drag.mul(one.add(S::splat(air.ratio).mul(sine2)));
        let rate = S::splat(air.h).mul(S::load(&t.inv_mass)).mul(resistance);
        let share = one.div(rate.max(one));
        for k in 0..3 {
            let along = u[k].mul(zero.sub(drag));
            let force = along.sub(normal[k].mul(speed).sub(u[k].mul(cosine)).mul(lift));
            force.mul(share).mul(third).store(&mut t.third[k]);
        }
        resistance.store(&mut t.resistance);
        feels
    }
}
