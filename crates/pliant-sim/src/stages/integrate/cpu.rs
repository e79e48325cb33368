//! The vertex sweep: loads, integration, colliders, walls and the divergence check in one pass.
//!
//! Each vertex is read and written once per update, whatever happens to it.

use std::ops::{Add, Mul, Range, Sub};

use crate::math::Vec3;
use crate::simd::{Lanes, Lanes16, Level, Task, run_at};
use crate::stages::colliders::Contact;
use crate::stages::colliders::cpu::Seen;
use crate::stages::colliders::formula::Moved;
use crate::stages::integrate::formula::Motion;
use crate::stages::integrate::{Coefficients, Field};
use crate::stages::walls::formula::{self as walls, Walls};
use crate::step::BodyConstants;

/// Arrays of a block's vertices, four vertices per element.
#[derive(Clone, Copy)]
pub struct Arrays {
    /// Positions \[m\]; the fourth number is free.
    pub position: *mut Lanes,
    /// What rounding took from the positions; the fourth number is 1 for free vertices, else 0.
    pub compensation: *mut Lanes,
    /// Velocities \[m/s\]; the fourth number is 1/mass, 0 for locked vertices.
    pub velocity: *mut Lanes,
    /// Internal forces \[N\].
    pub force: *mut Lanes,
    /// Forces of drags, pushes and the air \[N\]; null when there are none.
    pub touch: *mut Lanes,
    /// The integrator's history; null where it keeps none.
    pub history: [*mut Lanes; 4],
    /// Impulses of colliders and walls, see [`Contact`]; null where there are no colliders.
    pub contact: [*mut Lanes; 2],
}

/// Chunks whose vertices ask together which colliders are near: sixteen vertices.
const GROUP: usize = 4;

/// Updates the vertices in `chunks` (groups of four) and returns the first whose acceleration is
/// beyond the limit or not a number.
///
/// # Safety
/// `arrays` must be valid for `chunks`, those of contacts if there are `colliders`, and nobody else may touch
/// those elements meanwhile.
pub unsafe fn sweep(
    level: Level,
    arrays: Arrays,
    (body, colliders): (&BodyConstants, Option<&Seen<'_>>),
    update: Coefficients,
    chunks: Range<usize>,
) -> Option<usize> {
    let colliders = colliders.filter(|_| update.sets_position());
    // SAFETY: promised by the caller.
    unsafe { run_at(level, Sweep { arrays, body, colliders, update, chunks }) }
}

struct Sweep<'a> {
    arrays: Arrays,
    body: &'a BodyConstants,
    colliders: Option<&'a Seen<'a>>,
    update: Coefficients,
    chunks: Range<usize>,
}

impl Task for Sweep<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Option<usize> {
        // SAFETY: promised by the caller.
        unsafe { choose::<S>(self) }
    }
}

/// Decides outside the loop what is the same for all vertices: the update, whether it has a memory, and
/// whether there are colliders.
///
/// # Safety
/// As for [`sweep`], inside a function compiled for the level of `S`.
#[inline(always)]
unsafe fn choose<S: Lanes16>(sweep: Sweep<'_>) -> Option<usize> {
    let Sweep { arrays, body, colliders, update, chunks } = sweep;
    // SAFETY: promised by the caller.
    unsafe {
        match update {
            _ if colliders.is_some() => {
                all::<S, true, true>(arrays, (body, colliders), update, chunks)
            }
            Coefficients::KickDrift { keep, kick, drift } => {
                let update = Coefficients::KickDrift { keep, kick, drift };
                all::<S, false, false>(arrays, (body, None), update, chunks)
            }
            with_history => all::<S, true, false>(arrays, (body, None), with_history, chunks),
        }
    }
}

/// # Safety
/// As for [`sweep`], inside a function compiled for the level of `S`.
#[inline(always)]
unsafe fn all<S: Lanes16, const HISTORY: bool, const COLLIDERS: bool>(
    arrays: Arrays,
    (body, colliders): (&BodyConstants, Option<&Seen<'_>>),
    update: Coefficients,
    chunks: Range<usize>,
) -> Option<usize> {
    let vertex = |v: [f32; 3], fourth: f32| {
        S::load(&Lanes(std::array::from_fn(|i| if i % 4 == 3 { fourth } else { v[i % 4] })))
    };
    let (gravity, external) = (vertex(body.gravity, 0.0), vertex(body.external, 0.0));
    let most = vertex([body.limit; 3], f32::INFINITY);
    let least = vertex([-body.limit; 3], f32::NEG_INFINITY);
    let walls = if update.sets_position() { body.walls } else { None };
    let [low, high] = match walls {
        Some(w) => [vertex(w.low.into(), f32::NEG_INFINITY), vertex(w.high.into(), f32::INFINITY)],
        None => [vertex([f32::NEG_INFINITY; 3], f32::NEG_INFINITY), S::splat(f32::INFINITY)],
    };
    let mut bad = None;
    let colliders = if COLLIDERS { colliders } else { None };
    let of_run = colliders.map(|seen| {
        // SAFETY: the caller vouches for `chunks`.
        let [low, high] = unsafe { bounds(arrays.position, chunks.clone()) };
        seen.near(seen.all(), low, high)
    });
    let mut near = of_run;
    for c in chunks.clone() {
        // SAFETY: `c` lies in `chunks`, for which the caller vouches.
        unsafe {
            let velocity = S::load(&*arrays.velocity.add(c));
            let remainder = S::load(&*arrays.compensation.add(c));
            let mut force = S::load(&*arrays.force.add(c));
            if !arrays.touch.is_null() {
                force = force.add(S::load(&*arrays.touch.add(c)));
            }
            let (inv_mass, free) = (velocity.broadcast_fourth(), remainder.broadcast_fourth());
            let a = force.add(external).mul(inv_mass).with_fourth_of(S::zero());
            if a.any_outside(least, most) && bad.is_none() {
                bad = first_outside(a, body.limit).map(|k| 4 * c + k);
            }
            let a = a.add(gravity.mul(free));
            let mut m = Motion {
                x: Wide(S::load(&*arrays.position.add(c))),
                x_compensation: Wide(remainder.with_fourth_of(S::zero())),
                v: Wide(velocity),
                history: [Wide(S::zero()); 4],
            };
            if HISTORY {
                for (p, value) in arrays.history.into_iter().zip(&mut m.history) {
                    if !p.is_null() {
                        *value = Wide(S::load(&*p.add(c)));
                    }
                }
            }
            let before = m.x;
            if let (true, Some(seen), Some(of_run)) = (COLLIDERS, colliders, of_run)
                && of_run.mask != 0
                && (c - chunks.start).is_multiple_of(GROUP)
            {
                let group = c..(c + GROUP).min(chunks.end);
                let [low, high] = bounds(arrays.position, group);
                near = Some(seen.near(of_run.mask, low, high));
            }
            update.apply(&mut m, Wide(a));
            if let (true, Some(seen), Some(near)) = (COLLIDERS, colliders, &near) {
                let x = m.x.0.with_fourth_of(S::zero());
                let has_left = x.any_outside(
                    vertex(near.low, f32::NEG_INFINITY),
                    vertex(near.high, f32::INFINITY),
                );
                let mask = if has_left { seen.all() } else { near.mask };
                let is_stopped = !seen.are_far(mask, x) || x.any_outside(low, high);
                let start = [update.start(before, &m).0, remainder];
                if is_stopped {
                    let at = arrays.contact.map(|p| p.add(c));
                    stop(seen, (mask, walls.as_ref()), start, &mut m, inv_mass, at);
                } else if seen.begins_step() {
                    arrays.contact.into_iter().for_each(|p| *p.add(c) = Lanes::default());
                }
            } else if let Some(walls) = &walls
                && m.x.0.with_fourth_of(S::zero()).any_outside(low, high)
            {
                put_back(update.start(before, &m), &mut m, walls, inv_mass);
            }
            m.x.0.store(&mut *arrays.position.add(c));
            m.x_compensation.0.with_fourth_of(remainder).store(&mut *arrays.compensation.add(c));
            m.v.0.with_fourth_of(velocity).store(&mut *arrays.velocity.add(c));
            if HISTORY {
                for (p, value) in arrays.history.into_iter().zip(m.history) {
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
    let [mut x, mut compensation, mut v] = [m.x, m.x_compensation, m.v].map(|w| unpack(w.0));
    put_back_plain([&mut x, &mut compensation, &mut v], &unpack(start.0), walls, unpack(inv_mass));
    let [x, compensation, v] = [x, compensation, v].map(|plain| Wide(S::load(&Lanes(plain))));
    (m.x, m.x_compensation, m.v) = (x, compensation, v);
}

/// The three numbers of a vertex that begin at lane `n`.
pub(crate) fn vertex(lanes: &mut [f32; 16], n: usize) -> &mut [f32; 3] {
    lanes[n..].first_chunk_mut().expect("a vertex has four lanes")
}

/// The corners of the box round the vertices in `chunks` at `position`.
///
/// # Safety
/// There must be so many, and nobody may write them meanwhile.
#[inline(always)]
unsafe fn bounds(position: *const Lanes, chunks: Range<usize>) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 16], [f32::NEG_INFINITY; 16]);
    for c in chunks {
        // SAFETY: promised by the caller.
        let lanes = unsafe { &(*position.add(c)).0 };
        for i in 0..16 {
            low[i] = if lanes[i] < low[i] { lanes[i] } else { low[i] };
            high[i] = if lanes[i] > high[i] { lanes[i] } else { high[i] };
        }
    }
    let of_four = |lanes: &[f32; 16], k: usize, pick: fn(f32, f32) -> f32| {
        pick(pick(lanes[k], lanes[k + 4]), pick(lanes[k + 8], lanes[k + 12]))
    };
    let corner = |lanes: &[f32; 16], pick| std::array::from_fn(|k| of_four(lanes, k, pick));
    [corner(&low, f32::min), corner(&high, f32::max)]
}

/// Stops four vertices that began the substep at `start`, a position and what rounding took from it, at the
/// colliders of a mask and at the walls, and notes impulses in two elements; locked vertices stay.
///
/// # Safety
/// The elements must be there, and nobody else may use them meanwhile.
#[inline(always)]
unsafe fn stop<S: Lanes16>(
    seen: &Seen<'_>,
    by: (u64, Option<&Walls<f32>>),
    start: [S; 2],
    m: &mut Motion<Wide<S>>,
    inv_mass: S,
    contact: [*mut Lanes; 2],
) {
    let mut now = [m.x, m.x_compensation, m.v].map(|w| unpack(w.0));
    // SAFETY: promised by the caller.
    unsafe { stop_plain(seen, by, start.map(unpack), &mut now, &unpack(inv_mass), contact) };
    let [x, compensation, v] = now.map(|plain| Wide(S::load(&Lanes(plain))));
    (m.x, m.x_compensation, m.v) = (x, compensation, v);
}

/// # Safety
/// As for [`stop`].
#[inline(never)]
unsafe fn stop_plain(
    seen: &Seen<'_>,
    (mask, walls): (u64, Option<&Walls<f32>>),
    start: [[f32; 16]; 2],
    now: &mut [[f32; 16]; 3],
    inv_mass: &[f32; 16],
    contact: [*mut Lanes; 2],
) {
    // SAFETY: promised by the caller.
    let notes = contact.map(|p| unsafe { &mut (*p).0 });
    for n in (0..16).step_by(4) {
        let mut contact: Contact = match seen.begins_step() {
            true => Contact::default(),
            false => [0, 1].map(|i| std::array::from_fn(|k| notes[i][n + k])),
        };
        if inv_mass[n] != 0.0 {
            let of = |lanes: &[f32; 16]| Vec3::from([lanes[n], lanes[n + 1], lanes[n + 2]]);
            let start = Moved { x: of(&start[0]), compensation: of(&start[1]), v: Vec3::zero() };
            let [x, compensation, v] = [0, 1, 2].map(|i| of(&now[i]));
            let mut m = Moved { x, compensation, v };
            seen.stop(mask, walls, &start, &mut m, 1.0 / inv_mass[n], &mut contact);
            for (lanes, value) in now.iter_mut().zip([m.x, m.compensation, m.v]) {
                *vertex(lanes, n) = value.into();
            }
        }
        (0..2).for_each(|i| notes[i][n..n + 4].copy_from_slice(&contact[i]));
    }
}

#[cold]
#[inline(never)]
fn put_back_plain(
    [position, compensation, velocity]: [&mut [f32; 16]; 3],
    start: &[f32; 16],
    walls: &Walls<f32>,
    inv_mass: [f32; 16],
) {
    for n in (0..16).step_by(4).filter(|&n| inv_mass[n] != 0.0) {
        let start = Vec3::from([start[n], start[n + 1], start[n + 2]]);
        walls::put_back(
            start,
            [vertex(position, n), vertex(compensation, n), vertex(velocity, n)],
            walls,
        );
    }
}
