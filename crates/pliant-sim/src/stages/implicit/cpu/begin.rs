//! The right-hand side of a step, and what is given beforehand: locks and walls.

use std::ops::Range;

use super::vectors::Vectors;
use crate::simd::{Lanes, Lanes16, Task};
use crate::stages::integrate::cpu::{Arrays, Frame};
use crate::stages::walls::Walls;

/// What the right-hand side of a step is made of.
#[derive(Clone, Copy)]
pub(super) struct Loads<'a> {
    /// What the bodies' vertices have in common.
    pub frame: &'a Frame,
    /// Timestep \[s\].
    pub h: f32,
    /// Mass-proportional friction \[1/s\].
    pub friction: f32,
}

/// The inverse of each vertex's own block, in place, from the sums of its pairs. Masses are in the
/// arrays already.
pub(super) fn invert(inverse: &mut [f32; 4], rest: &mut [f32; 4]) {
    let own = f64::from(inverse[3]);
    let [x, y, z, _] = inverse.map(f64::from);
    let [xy, yz, zx, _] = rest.map(f64::from);
    let [diagonal, others] = crate::stages::implicit::formula::inverse_symmetric(
        [x + own, y + own, z + own],
        [xy, yz, zx],
    );
    for k in 0..3 {
        inverse[k] = diagonal[k] as f32;
        rest[k] = others[k] as f32;
    }
}

/// What acts on vertices from outside, in lanes.
pub(super) struct Impulses<S> {
    gravity: S,
    external: S,
    friction: S,
    /// Timestep \[s\].
    pub step: S,
}

impl<S: Lanes16> Impulses<S> {
    #[inline(always)]
    pub fn new(loads: Loads<'_>) -> Self {
        Self {
            gravity: S::load(&four_times(loads.frame.gravity, 0.0)),
            external: S::load(&four_times(loads.frame.external, 0.0)),
            friction: S::splat(loads.friction),
            step: S::splat(loads.h),
        }
    }

    /// h (f + touches + external + m (g − c v)) of four vertices, and their masses.
    ///
    /// # Safety
    /// Nobody writes the chunk meanwhile.
    #[inline(always)]
    pub unsafe fn of(&self, v: &Vectors, arrays: Arrays, c: usize, velocity: S) -> [S; 2] {
        // SAFETY: promised by the caller.
        unsafe {
            let mut force = S::load(&*arrays.force.add(c)).add(self.external);
            if !arrays.touch.is_null() {
                force = force.add(S::load(&*arrays.touch.add(c)));
            }
            let mass = S::load(&*v.inverse_rest.add(c)).broadcast_fourth();
            let fall = self.friction.neg_mul_add(velocity, self.gravity);
            [self.step.mul(mass.mul_add(fall, force)), mass]
        }
    }
}

/// The same numbers for each of four vertices.
pub(super) fn four_times([x, y, z]: [f32; 3], fourth: f32) -> Lanes {
    Lanes(std::array::from_fn(|i| [x, y, z, fourth][i % 4]))
}

/// b = h (f + touches + external + m (g − c v)) − (h² K + h D) v, from the product with v; the guess
/// for Δv; and the mask, with the change that walls give to components that reach them.
pub(super) struct Begin<'a> {
    pub vectors: &'a Vectors,
    pub arrays: Arrays,
    pub loads: Loads<'a>,
    pub chunks: Range<usize>,
}

impl Task for Begin<'_> {
    type Output = [f64; 2];

    /// Gives b·b over the free components, and how many components walls have taken.
    ///
    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> [f64; 2] {
        let Self { vectors: v, arrays, loads, chunks } = self;
        let Loads { frame, h, .. } = loads;
        let impulses = Impulses::<S>::new(loads);
        let step = impulses.step;
        let one = S::splat(1.0);
        // A little inside, so that what is at a wall counts as outside.
        let walls = frame.walls.map(|w| {
            let (low, high): ([f32; 3], [f32; 3]) = (w.low.into(), w.high.into());
            let low = four_times(low.map(f32::next_up), f32::NEG_INFINITY);
            (w, S::load(&low), S::load(&four_times(high.map(f32::next_down), f32::INFINITY)))
        });
        let [mut square, mut contacts] = [0.0; 2];
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let velocity = S::load(&*arrays.velocity.add(c)).with_fourth_of(S::zero());
                let free = S::load(&*arrays.low.add(c)).broadcast_fourth();
                let [impulse, _] = impulses.of(v, arrays, c, velocity);
                let b = impulse.sub(S::load(&*v.product.add(c)));
                let b = b.mul(free).with_fourth_of(S::zero());
                let last = S::load(&*arrays.memory[0].add(c)).with_fourth_of(S::zero());
                let mut delta = step.mul(last).mul(free);
                let mut mask = one.mul(free).with_fourth_of(S::zero());
                if let Some((walls, low, high)) = &walls {
                    let x = S::load(&*arrays.position.add(c)).with_fourth_of(S::zero());
                    let ahead = step.mul_add(velocity, x);
                    if ahead.any_outside(*low, *high) || x.any_outside(*low, *high) {
                        let mut at = [x, velocity, mask, delta].map(unpack);
                        contacts += f64::from(meet_walls(&mut at, walls, h));
                        mask = S::load(&Lanes(at[2]));
                        delta = S::load(&Lanes(at[3]));
                    }
                }
                b.store(&mut *v.right.add(c));
                mask.store(&mut *v.mask.add(c));
                delta.store(&mut *v.delta.add(c));
                square +=
                    unpack(b.mul(mask)).iter().map(|&b| f64::from(b) * f64::from(b)).sum::<f64>();
            }
        }
        [square, contacts]
    }
}

/// Plain numbers of sixteen lanes.
pub(super) fn unpack<S: Lanes16>(lanes: S) -> [f32; 16] {
    let mut plain = Lanes::default();
    lanes.store(&mut plain);
    plain.0
}

/// Takes components away from the unknowns that are at a wall or would go through one by their own
/// motion: their change is what leads to the wall. Those that the wall would have to hold back are let
/// go at the end of the step. Gives how many there are.
#[cold]
#[inline(never)]
fn meet_walls([x, v, mask, delta]: &mut [[f32; 16]; 4], walls: &Walls<f32>, h: f32) -> u32 {
    let (low, high): ([f32; 3], [f32; 3]) = (walls.low.into(), walls.high.into());
    let mut count = 0;
    for n in (0..16).filter(|n| n % 4 != 3) {
        let k = n % 4;
        let ahead = x[n] + h * v[n];
        if mask[n] != 0.0 && (ahead <= low[k] || ahead >= high[k]) {
            let wall = if ahead <= low[k] { low[k] } else { high[k] };
            mask[n] = 0.0;
            delta[n] = (wall - x[n]) / h - v[n];
            count += 1;
        }
    }
    count
}

/// Takes all components of free vertices for unknowns.
///
/// # Safety
/// The chunks belong to this call alone.
pub(super) unsafe fn free_all(v: &Vectors, arrays: Arrays, chunks: Range<usize>) {
    for c in chunks {
        // SAFETY: promised by the caller.
        let (mask, low) = unsafe { (&mut (*v.mask.add(c)).0, &(*arrays.low.add(c)).0) };
        *mask = std::array::from_fn(|n| if n % 4 == 3 { 0.0 } else { low[n | 3] });
    }
}

/// As [`Begin`] does it, once b is known, with the start of the step aside: the guess for Δv and what
/// walls give. Gives b·b over the free components, and how many components walls have taken.
///
/// # Safety
/// The chunks belong to this call alone.
pub(super) unsafe fn meet_start(
    v: &Vectors,
    arrays: Arrays,
    start: [*mut Lanes; 2],
    loads: Loads<'_>,
    chunks: Range<usize>,
) -> [f64; 2] {
    let [mut square, mut contacts] = [0.0; 2];
    for c in chunks {
        // SAFETY: promised by the caller.
        unsafe {
            let memory = (*arrays.memory[0].add(c)).0;
            let mask = (*v.mask.add(c)).0;
            let guess = std::array::from_fn(|n| loads.h * memory[n] * mask[n]);
            let (x, velocity, b) =
                ((*start[0].add(c)).0, (*start[1].add(c)).0, (*v.right.add(c)).0);
            let mut at = [x, velocity, mask, guess];
            if let Some(walls) = &loads.frame.walls {
                contacts += f64::from(meet_walls(&mut at, walls, loads.h));
            }
            let [.., mask, delta] = at;
            (*v.mask.add(c)).0 = mask;
            (*v.delta.add(c)).0 = delta;
            square += (0..16).map(|n| f64::from(b[n] * mask[n]).powi(2)).sum::<f64>();
        }
    }
    [square, contacts]
}
