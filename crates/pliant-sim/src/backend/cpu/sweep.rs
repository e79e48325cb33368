//! The vertex sweep: loads, integration, walls and the watch for divergence in one pass.
//!
//! Each vertex is read and written once per update, whatever happens to it.

use std::ops::Range;

use super::lanes::Lanes;
use crate::math::Vec3;
use crate::stages::elastic::cpu::{Kind, Level};
use crate::stages::integrate::Coefficients;
use crate::stages::integrate::formula::Motion;
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
    pub gravity: Lanes,
    /// Force on every vertex \[N\].
    pub external: Lanes,
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
    match level.kind() {
        // SAFETY: a level is one that this machine has; the caller vouches for the arrays.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => unsafe { sweep_avx512(arrays, frame, update, chunks) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => unsafe { sweep_avx2(arrays, frame, update, chunks) },
        // SAFETY: the caller vouches for the arrays.
        _ => unsafe { sweep_generic(arrays, frame, update, chunks) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
unsafe fn sweep_avx512(a: Arrays, f: &Frame, u: Coefficients, c: Range<usize>) -> Option<usize> {
    // SAFETY: passed on from the caller.
    unsafe { sweep_generic(a, f, u, c) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn sweep_avx2(a: Arrays, f: &Frame, u: Coefficients, c: Range<usize>) -> Option<usize> {
    // SAFETY: passed on from the caller.
    unsafe { sweep_generic(a, f, u, c) }
}

#[inline(always)]
unsafe fn sweep_generic(
    arrays: Arrays,
    frame: &Frame,
    update: Coefficients,
    chunks: Range<usize>,
) -> Option<usize> {
    let limit = Lanes::vertex([frame.limit; 3], f32::INFINITY);
    let floor = Lanes::vertex([-frame.limit; 3], f32::NEG_INFINITY);
    let walls = if update.sets_position() { frame.walls } else { None };
    let [low, high] = walls.map_or([Lanes::default(); 2], |w| {
        [
            Lanes::vertex(w.low.into(), f32::NEG_INFINITY),
            Lanes::vertex(w.high.into(), f32::INFINITY),
        ]
    });
    let mut bad = None;
    for c in chunks {
        // SAFETY: `c` lies in `chunks`, for which the caller vouches.
        unsafe {
            let velocity = *arrays.velocity.add(c);
            let low_part = *arrays.low.add(c);
            let mut force = *arrays.force.add(c);
            if !arrays.touch.is_null() {
                force = force + *arrays.touch.add(c);
            }
            let (inv_mass, free) = (velocity.broadcast_fourth(), low_part.broadcast_fourth());
            let a = (force + frame.external) * inv_mass + frame.gravity * free;
            let a = a.with_fourth_of(Lanes::default());
            if a.any_outside(floor, limit) && bad.is_none() {
                bad = first_outside(a, frame.limit).map(|k| 4 * c + k);
            }
            let mut m = Motion {
                x: *arrays.position.add(c),
                x_low: low_part.with_fourth_of(Lanes::default()),
                v: velocity,
                memory: arrays
                    .memory
                    .map(|p| if p.is_null() { Lanes::default() } else { *p.add(c) }),
            };
            update.apply(&mut m, a);
            if let Some(walls) = walls
                && m.x.with_fourth_of(Lanes::default()).any_outside(low, high)
            {
                put_back(&mut m, &walls, inv_mass);
            }
            *arrays.position.add(c) = m.x;
            *arrays.low.add(c) = m.x_low.with_fourth_of(low_part);
            *arrays.velocity.add(c) = m.v.with_fourth_of(velocity);
            for (p, value) in arrays.memory.into_iter().zip(m.memory) {
                if !p.is_null() {
                    *p.add(c) = value;
                }
            }
        }
    }
    bad
}

#[cold]
fn first_outside(a: Lanes, limit: f32) -> Option<usize> {
    // What is not a number is not inside either.
    let inside = |x: f32| x.abs() <= limit;
    (0..16).find(|&i| i % 4 != 3 && !inside(a.0[i])).map(|i| i / 4)
}

/// Puts those of the four vertices that left the box back into it; locked ones stay.
#[cold]
#[inline(never)]
fn put_back(m: &mut Motion<Lanes>, walls: &Walls<f32>, inv_mass: Lanes) {
    for k in 0..4 {
        let at = |l: &Lanes| Vec3::from([l.0[4 * k], l.0[4 * k + 1], l.0[4 * k + 2]]);
        let (mut x, mut v) = (at(&m.x), at(&m.v));
        if inv_mass.0[4 * k] == 0.0 || walls.contains(x) {
            continue;
        }
        let before: [f32; 3] = x.into();
        walls.collide(&mut x, &mut v);
        let (x, v): ([f32; 3], [f32; 3]) = (x.into(), v.into());
        for i in 0..3 {
            m.v.0[4 * k + i] = v[i];
            if x[i] != before[i] {
                m.x.0[4 * k + i] = x[i];
                m.x_low.0[4 * k + i] = 0.0;
            }
        }
    }
}
