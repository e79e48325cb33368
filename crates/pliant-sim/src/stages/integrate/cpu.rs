//! The vertex sweep: loads, integration, walls and the watch for divergence in one pass.
//!
//! Each vertex is read and written once per update, whatever happens to it.

use std::ops::{Add, Mul, Range, Sub};

use crate::math::Vec3;
use crate::simd::{Lanes, Lanes16, Level, Task, run_at};
use crate::stages::integrate::formula::Motion;
use crate::stages::integrate::{Coefficients, Field};
use crate::stages::walls::Walls;

/// Arrays of a block's vertices, four vertices per element.
#[derive(Clone, Copy)]
pub struct Arrays {
    /// Positions \[m\]; the fourth number is free.
    pub position: *mut Lanes,
    /// What rounding took from the positions; the fourth number is 1 for free vertices, else 0.
    pub low: *mut Lanes,
    /// Velocities \[m/s\]; the fourth number is 1/mass, 0 for locked vertices.
    pub velocity: *mut Lanes,
    /// Internal forces \[N\].
    pub force: *mut Lanes,
    /// Forces of drags and pushes \[N\]; null when there are none.
    pub touch: *mut Lanes,
    /// The integrator's memory; null where it keeps none.
    pub memory: [*mut Lanes; 4],
}

/// What is the same for all vertices of a body.
#[derive(Clone, Copy)]
pub struct Frame {
    /// Gravity \[m/s²\].
    pub gravity: [f32; 3],
    /// Force on every vertex \[N\].
    pub external: [f32; 3],
    /// The largest acceleration, in any direction, that is not yet an explosion \[m/s²\].
    pub limit: f32,
    /// The world box in the body's coordinates.
    pub walls: Option<Walls<f32>>,
}

/// Updates the vertices in `chunks` (groups of four) and gives the first whose acceleration is
/// beyond the limit or not a number.
///
/// # Safety
/// `arrays` must be valid for `chunks`, and nobody else may touch those elements meanwhile.
pub unsafe fn sweep(
    level: Level,
    arrays: Arrays,
    frame: &Frame,
    update: Coefficients,
    chunks: Range<usize>,
) -> Option<usize> {
    // SAFETY: promised by the caller.
    unsafe { run_at(level, Sweep { arrays, frame, update, chunks }) }
}

struct Sweep<'a> {
    arrays: Arrays,
    frame: &'a Frame,
    update: Coefficients,
    chunks: Range<usize>,
}

impl Task for Sweep<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Option<usize> {
        // SAFETY: promised by the caller.
        unsafe { choose::<S>(self.arrays, self.frame, self.update, self.chunks) }
    }
}

/// Decides outside the loop what is the same for all vertices: the update, and whether it has a
/// memory.
///
/// # Safety
/// As for [`sweep`], inside a function compiled for the level of `S`.
#[inline(always)]
unsafe fn choose<S: Lanes16>(
    arrays: Arrays,
    frame: &Frame,
    update: Coefficients,
    chunks: Range<usize>,
) -> Option<usize> {
    // SAFETY: promised by the caller.
    unsafe {
        match update {
            Coefficients::KickDrift { keep, kick, drift } => {
                let update = Coefficients::KickDrift { keep, kick, drift };
                all::<S, false>(arrays, frame, update, chunks)
            }
            with_memory => all::<S, true>(arrays, frame, with_memory, chunks),
        }
    }
}

/// # Safety
/// As for [`sweep`], inside a function compiled for the level of `S`.
#[inline(always)]
unsafe fn all<S: Lanes16, const MEMORY: bool>(
    arrays: Arrays,
    frame: &Frame,
    update: Coefficients,
    chunks: Range<usize>,
) -> Option<usize> {
    let vertex = |v: [f32; 3], fourth: f32| {
        S::load(&Lanes(std::array::from_fn(|i| if i % 4 == 3 { fourth } else { v[i % 4] })))
    };
    let (gravity, external) = (vertex(frame.gravity, 0.0), vertex(frame.external, 0.0));
    let most = vertex([frame.limit; 3], f32::INFINITY);
    let least = vertex([-frame.limit; 3], f32::NEG_INFINITY);
    let walls = if update.sets_position() { frame.walls } else { None };
    let [low, high] = match walls {
        Some(w) => [vertex(w.low.into(), f32::NEG_INFINITY), vertex(w.high.into(), f32::INFINITY)],
        None => [vertex([f32::NEG_INFINITY; 3], f32::NEG_INFINITY), S::splat(f32::INFINITY)],
    };
    let mut bad = None;
    for c in chunks {
        // SAFETY: `c` lies in `chunks`, for which the caller vouches.
        unsafe {
            let velocity = S::load(&*arrays.velocity.add(c));
            let remainder = S::load(&*arrays.low.add(c));
            let mut force = S::load(&*arrays.force.add(c));
            if !arrays.touch.is_null() {
                force = force.add(S::load(&*arrays.touch.add(c)));
            }
            let (inv_mass, free) = (velocity.broadcast_fourth(), remainder.broadcast_fourth());
            let a = force.add(external).mul(inv_mass).with_fourth_of(S::zero());
            if a.any_outside(least, most) && bad.is_none() {
                bad = first_outside(a, frame.limit).map(|k| 4 * c + k);
            }
            let a = a.add(gravity.mul(free));
            let mut m = Motion {
                x: Wide(S::load(&*arrays.position.add(c))),
                x_low: Wide(remainder.with_fourth_of(S::zero())),
                v: Wide(velocity),
                memory: [Wide(S::zero()); 4],
            };
            if MEMORY {
                for (p, value) in arrays.memory.into_iter().zip(&mut m.memory) {
                    if !p.is_null() {
                        *value = Wide(S::load(&*p.add(c)));
                    }
                }
            }
            let before = m.x;
            update.apply(&mut m, Wide(a));
            if let Some(walls) = &walls
                && m.x.0.with_fourth_of(S::zero()).any_outside(low, high)
            {
                put_back(update.start(before, &m), &mut m, walls, inv_mass);
            }
            m.x.0.store(&mut *arrays.position.add(c));
            m.x_low.0.with_fourth_of(remainder).store(&mut *arrays.low.add(c));
            m.v.0.with_fourth_of(velocity).store(&mut *arrays.velocity.add(c));
            if MEMORY {
                for (p, value) in arrays.memory.into_iter().zip(m.memory) {
                    if !p.is_null() {
                        value.0.store(&mut *p.add(c));
                    }
                }
            }
        }
    }
    bad
}

/// Sixteen lanes to calculate with.
#[derive(Clone, Copy)]
struct Wide<S>(S);

impl<S: Lanes16> Field for Wide<S> {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(S::splat(x as f32))
    }
}

impl<S: Lanes16> Add for Wide<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(self.0.add(o.0))
    }
}

impl<S: Lanes16> Sub for Wide<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(self.0.sub(o.0))
    }
}

impl<S: Lanes16> Mul for Wide<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(self.0.mul(o.0))
    }
}

/// Plain numbers of sixteen lanes.
fn unpack<S: Lanes16>(lanes: S) -> [f32; 16] {
    let mut plain = Lanes::default();
    lanes.store(&mut plain);
    plain.0
}

#[cold]
fn first_outside<S: Lanes16>(a: S, limit: f32) -> Option<usize> {
    let a = unpack(a);
    let within = |x: f32| x.abs() <= limit;
    (0..16).find(|&i| i % 4 != 3 && !within(a[i])).map(|i| i / 4)
}

/// Puts those of the four vertices that left the box back into it; locked ones stay.
#[inline(always)]
fn put_back<S: Lanes16>(start: Wide<S>, m: &mut Motion<Wide<S>>, walls: &Walls<f32>, inv_mass: S) {
    let [mut x, mut low, mut v] = [m.x, m.x_low, m.v].map(|w| unpack(w.0));
    put_back_plain([&mut x, &mut low, &mut v], &unpack(start.0), walls, unpack(inv_mass));
    let [x, low, v] = [x, low, v].map(|plain| Wide(S::load(&Lanes(plain))));
    (m.x, m.x_low, m.v) = (x, low, v);
}

#[cold]
#[inline(never)]
fn put_back_plain(
    [position, low, velocity]: [&mut [f32; 16]; 3],
    start: &[f32; 16],
    walls: &Walls<f32>,
    inv_mass: [f32; 16],
) {
    for k in 0..4 {
        let at = |l: &[f32; 16]| Vec3::from([l[4 * k], l[4 * k + 1], l[4 * k + 2]]);
        let (mut x, mut v) = (at(position), at(velocity));
        if inv_mass[4 * k] == 0.0 || walls.contains(x) {
            continue;
        }
        walls.collide(at(start), &mut x, &mut v);
        let (x, v): ([f32; 3], [f32; 3]) = (x.into(), v.into());
        for i in 0..3 {
            velocity[4 * k + i] = v[i];
            if x[i] != position[4 * k + i] {
                position[4 * k + i] = x[i];
                low[4 * k + i] = 0.0;
            }
        }
    }
}
