//! The world box, one vertex at a time.

use crate::math::{Real, Vec3};

/// The box as seen by one body, in the body's own coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Walls<R> {
    /// Smallest coordinates \[m\].
    pub low: Vec3<R>,
    /// Largest coordinates \[m\].
    pub high: Vec3<R>,
    /// Part of the normal velocity that comes back.
    pub restitution: R,
    /// Coulomb friction.
    pub friction: R,
}

impl<R: Real> Walls<R> {
    /// Whether `x` lies inside or on the box.
    pub fn contains(&self, x: Vec3<R>) -> bool {
        x.x >= self.low.x
            && x.y >= self.low.y
            && x.z >= self.low.z
            && x.x <= self.high.x
            && x.y <= self.high.y
            && x.z <= self.high.z
    }
}

/// Position \[m\] and velocity \[m/s\] of a vertex that was put back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collided<R> {
    /// Where it is now.
    pub x: Vec3<R>,
    /// How it goes on.
    pub v: Vec3<R>,
}

/// Puts a vertex back into the box that has come from `start` in this step.
pub fn collide<R: Real>(walls: &Walls<R>, start: Vec3<R>, x: Vec3<R>, v: Vec3<R>) -> Collided<R> {
    let start: [R; 3] = start.into();
    let (mut p, mut u): ([R; 3], [R; 3]) = (x.into(), v.into());
    let (low, high): ([R; 3], [R; 3]) = (walls.low.into(), walls.high.into());
    let zero = R::of(0.0);
    let is_out = std::array::from_fn::<_, 3, _>(|k| p[k] < low[k] || p[k] > high[k]);
    for k in 0..3 {
        let outward = if p[k] < low[k] {
            p[k] = low[k];
            -u[k]
        } else if p[k] > high[k] {
            p[k] = high[k];
            u[k]
        } else {
            continue;
        };
        if outward > zero {
            u[k] = -walls.restitution * u[k];
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let speed = (u[i] * u[i] + u[j] * u[j]).sqrt();
            let loss = walls.friction * (R::of(1.0) + walls.restitution) * outward;
            let keep = if speed > loss { R::of(1.0) - loss / speed } else { zero };
            // Without friction nothing is lost, not even a vertex at rest's zero over zero.
            for t in [i, j].into_iter().filter(|_| walls.friction > zero) {
                u[t] *= keep;
                if !is_out[t] {
                    p[t] = start[t] + (p[t] - start[t]) * keep;
                }
            }
        }
    }
    Collided { x: p.into(), v: u.into() }
}

/// Puts back what left the box and was at `start` when the step began, given by its position, what
/// rounding took from that, and its velocity.
pub fn put_back<R: Real>(start: Vec3<R>, [x, compensation, v]: [&mut [R; 3]; 3], walls: &Walls<R>) {
    if walls.contains((*x).into()) {
        return;
    }
    let back = collide(walls, start, (*x).into(), (*v).into());
    *v = back.v.into();
    let now: [R; 3] = back.x.into();
    for k in 0..3 {
        if now[k] != x[k] {
            (x[k], compensation[k]) = (now[k], R::of(0.0));
        }
    }
}
