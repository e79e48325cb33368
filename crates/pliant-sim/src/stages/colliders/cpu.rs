//! Colliders in the vertex sweep of a processor.

use super::formula::{self, Kind, Moved, Placed, Surface, clearance, skin};
use super::{Contact, Pose, ROUNDS, WALLS, note};
use crate::math::{Vec3, vec3};
use crate::scene::Collider;
use crate::simd::{Lanes, Lanes16};
use crate::stages::walls::Walls;
use crate::stages::walls::formula as walls;

/// The colliders in one substep.
#[derive(Clone, Copy)]
pub struct Substep<'a> {
    /// At its end.
    pub poses: &'a [Pose],
    /// Of all height maps \[m\].
    pub heights: &'a [f32],
    /// Origins of the bodies \[m\].
    pub origins: &'a [[f64; 3]],
    /// 1/h \[1/s\].
    pub per_h: f32,
    /// Whether a step begins with it, and with that the sums of impulses.
    pub begins_step: bool,
}

/// The colliders in one substep as a body sees them.
pub struct Seen<'a> {
    substep: Substep<'a>,
    /// From the origin of each to that of the body \[m\].
    offsets: [Vec3<f32>; Collider::MOST],
}

/// Which colliders may stop some vertices, one bit for each, as long as the vertices are in a box.
#[derive(Clone, Copy)]
pub struct Near {
    /// Those that may.
    pub mask: u64,
    /// The box.
    pub low: [f32; 3],
    /// Its other corner.
    pub high: [f32; 3],
}

/// How far vertices may move in a substep before more colliders are asked, as a share of the size of their
/// group. It decides how often that happens, and no result.
const ALLOWANCE: f32 = 0.25;

/// In how many strides it is found out where a vertex meets a collider.
const MOST_STRIDES: usize = 16;

impl<'a> Seen<'a> {
    /// As body `body` sees them.
    pub fn new(substep: Substep<'a>, body: usize) -> Self {
        let mut offsets = [Vec3::zero(); Collider::MOST];
        let origin = substep.origins[body];
        for (offset, pose) in offsets.iter_mut().zip(substep.poses) {
            *offset = Vec3::of(std::array::from_fn(|k| origin[k] - pose.origin[k]));
        }
        Self { substep, offsets }
    }

    /// Whether a step begins with this substep.
    pub fn begins_step(&self) -> bool {
        self.substep.begins_step
    }

    /// All of them.
    pub fn all(&self) -> u64 {
        u64::MAX.checked_shr(64 - self.substep.poses.len() as u32).unwrap_or(0)
    }

    /// Those of `among` that may stop vertices which begin a substep between two corners.
    pub fn near(&self, among: u64, low: [f32; 3], high: [f32; 3]) -> Near {
        let centre: [f32; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
        let half = Vec3::from(std::array::from_fn::<f32, 3, _>(|k| 0.5 * (high[k] - low[k])));
        let radius = half.length();
        let margin = ALLOWANCE * radius;
        let mut mask = 0;
        for k in bits(among) {
            let (placed, offset) = (&self.substep.poses[k].placed, self.offsets[k]);
            let y = Vec3::from(centre) + offset;
            let [a, b, c] = placed.axes;
            let own = vec3(a.dot(y), b.dot(y), c.dot(y));
            let room = clearance(&placed.shape, self.substep.heights, own) - placed.thickness;
            // With a reserve for rounding; what is no number is near.
            let reserve = 8.0 * skin(Vec3::from(centre), offset) + 1e-4 * radius;
            let is_far = room > radius + margin + reserve;
            if !is_far {
                mask |= 1 << k;
            }
        }
        let allowed = margin * 0.577;
        Near { mask, low: low.map(|c| c - allowed), high: high.map(|c| c + allowed) }
    }

    /// Whether four vertices at `x` are surely too far from those of `mask` to be stopped, as far as this can be told
    /// for all of them at once.
    #[inline(always)]
    pub(crate) fn are_far<S: Lanes16>(&self, mask: u64, x: S) -> bool {
        for k in bits(mask) {
            let placed = &self.substep.poses[k].placed;
            let offset = self.offsets[k];
            let y = x.add(S::load(&four(offset))).with_fourth_of(S::zero());
            let reserve = 16.0 * skin(Vec3::zero(), offset);
            let square = y.mul(y);
            let next = square.turned();
            let distance = square.add(next).add(next.turned());
            // What rounding may take grows with the coordinates, too.
            let reserve = distance.sqrt().mul(S::splat(1e-5)).add(S::splat(reserve));
            let (gap, least) = match placed.shape.kind {
                Kind::Sphere if placed.shape.side > 0.0 => {
                    (distance.sqrt(), placed.shape.size.x + placed.thickness)
                }
                Kind::Plane if placed.shape.side > 0.0 => {
                    let along = y.mul(S::load(&four(placed.axes[2])));
                    let next = along.turned();
                    (along.add(next).add(next.turned()), placed.thickness)
                }
                _ => return false,
            };
            // In the fourth lanes there is nothing.
            let least = reserve.add(S::splat(least)).with_fourth_of(S::splat(f32::NEG_INFINITY));
            let gap = gap.with_fourth_of(S::zero());
            if gap.any_outside(least, S::splat(f32::INFINITY)) {
                return false;
            }
        }
        true
    }

    /// Collider `k`.
    pub fn placed(&self, k: usize) -> &Placed<f32> {
        &self.substep.poses[k].placed
    }

    /// How a point of the surface of collider `k` moves in the substep that begins it at `x` \[m\].
    pub fn way(&self, k: usize, x: Vec3<f32>) -> Vec3<f32> {
        let placed = self.placed(k);
        let ([p, q, r], began) = (placed.turned, x + self.offsets[k]);
        vec3(p.dot(began), q.dot(began), r.dot(began)) + placed.moved
    }

    /// `x` in the coordinates of collider `k`.
    fn in_collider(&self, k: usize, x: Vec3<f32>) -> Vec3<f32> {
        let ([a, b, c], y) = (self.placed(k).axes, x + self.offsets[k]);
        vec3(a.dot(y), b.dot(y), c.dot(y))
    }

    /// Collider `k` at the end of the substep as seen from `x`, as thick as it is.
    pub fn surface(&self, k: usize, x: Vec3<f32>) -> Surface<f32> {
        let placed = self.placed(k);
        let own = self.in_collider(k, x);
        let Surface { gap, normal: n } = formula::surface(&placed.shape, self.substep.heights, own);
        let [a, b, c] = placed.axes;
        Surface { gap: gap - placed.thickness, normal: a * n.x + b * n.y + c * n.z }
    }

    /// How near to collider `k` a vertex touches it \[m\].
    pub fn skin(&self, k: usize, x: Vec3<f32>) -> f32 {
        skin(x, self.offsets[k])
    }

    /// Where someone who goes straight `from` somewhere `to` somewhere meets collider `k` as it is at the end of
    /// the substep, if they do: by strides that are no longer than the distance.
    pub fn meets(&self, k: usize, from: Vec3<f32>, to: Vec3<f32>) -> Option<Vec3<f32>> {
        let placed = self.placed(k);
        let way = to - from;
        let (length, skin) = (way.length(), self.skin(k, from));
        let mut gone = 0.0;
        for _ in 0..MOST_STRIDES {
            let share = if length > 0.0 { gone / length } else { 0.0 };
            let x = from + way * share;
            let own = self.in_collider(k, x);
            let room = clearance(&placed.shape, self.substep.heights, own) - placed.thickness;
            if room <= skin {
                return Some(x);
            }
            gone += room;
            if gone > length {
                return None;
            }
        }
        // Along the surface for long: what counts is where it ends.
        (self.surface(k, to).gap <= skin).then_some(to)
    }

    /// Stops a vertex of `mass` \[kg\] that came from `start` at those of `mask`, then at the walls, and
    /// notes what they gave it.
    pub fn stop(
        &self,
        mask: u64,
        walls: Option<&Walls<f32>>,
        start: &Moved<f32>,
        m: &mut Moved<f32>,
        mass: f32,
        contact: &mut Contact,
    ) {
        let Substep { poses, heights, per_h, .. } = self.substep;
        for _ in 0..ROUNDS {
            let mut touches = false;
            for k in bits(mask) {
                let before = m.v;
                let placed = &poses[k].placed;
                if formula::collide_with(placed, heights, self.offsets[k], start, m, per_h) {
                    note(contact, (k + 1) as f32, (m.v - before) * mass);
                    touches = true;
                }
            }
            if !touches {
                break;
            }
        }
        if let Some(walls) = walls.filter(|walls| !walls.contains(m.x)) {
            let before = m.v;
            let [mut x, mut compensation, mut v] = [m.x, m.compensation, m.v].map(<[f32; 3]>::from);
            walls::put_back(start.x, [&mut x, &mut compensation, &mut v], walls);
            *m = Moved { x: x.into(), compensation: compensation.into(), v: v.into() };
            note(contact, WALLS, (m.v - before) * mass);
        }
    }

    /// What those of `mask` leave of the velocity of a vertex that stays at `x`.
    pub fn held(&self, mask: u64, x: Vec3<f32>, v: Vec3<f32>) -> Vec3<f32> {
        let Substep { poses, heights, per_h, .. } = self.substep;
        let at = Moved { x, compensation: Vec3::zero(), v };
        let mut held = v;
        for _ in 0..ROUNDS {
            for k in bits(mask) {
                let mut m = Moved { v: held, ..at };
                let (placed, offset) = (&poses[k].placed, self.offsets[k]);
                formula::collide_with(placed, heights, offset, &at, &mut m, per_h);
                held = m.v;
            }
        }
        held
    }
}

/// The same three numbers for four vertices.
fn four(v: Vec3<f32>) -> Lanes {
    Lanes(std::array::from_fn(|i| [v.x, v.y, v.z, 0.0][i % 4]))
}

/// The places of the bits that are set, in order.
pub fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(place)
    })
}
