//! The world box: vertices that leave it are put back and lose their outward velocity.
//!
//! Echtler 2004 clamps the coordinate only. With velocity as a variable of its own that is not
//! enough: gravity would go on adding to it, and a body that is lifted would shoot out. So the
//! outward normal velocity becomes −e times itself (restitution e), and the tangential one loses at
//! most μ times the normal change (Coulomb friction μ).
//!
//! What friction leaves of the tangential velocity it leaves of the way along the wall, too: a vertex
//! that it stops has not moved. Were only the velocity taken, each step would begin with a small slide
//! that nobody stops, and a block on a slope would creep downhill for ever.

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

    /// Puts a vertex back into the box that has come from `from` in this step; gives the impulse per
    /// mass that the walls exerted \[m/s\].
    pub fn collide(&self, from: Vec3<R>, x: &mut Vec3<R>, v: &mut Vec3<R>) -> Vec3<R> {
        let before = *v;
        let from: [R; 3] = from.into();
        let mut p: [R; 3] = (*x).into();
        let mut u: [R; 3] = (*v).into();
        let (low, high): ([R; 3], [R; 3]) = (self.low.into(), self.high.into());
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
                u[k] = -self.restitution * u[k];
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let speed = (u[i] * u[i] + u[j] * u[j]).sqrt();
                let loss = self.friction * (R::of(1.0) + self.restitution) * outward;
                let keep = if speed > loss { R::of(1.0) - loss / speed } else { zero };
                // Without friction nothing is lost, not even a vertex at rest's zero over zero.
                for t in [i, j].into_iter().filter(|_| self.friction > zero) {
                    u[t] *= keep;
                    if !is_out[t] {
                        p[t] = from[t] + (p[t] - from[t]) * keep;
                    }
                }
            }
        }
        *x = p.into();
        *v = u.into();
        *v - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    fn walls(restitution: f64, friction: f64) -> Walls<f64> {
        let (low, high) = (vec3(-1.0, -1.0, 0.0), vec3(1.0, 1.0, 2.0));
        Walls { low, high, restitution, friction }
    }

    #[test]
    fn inside_nothing_happens() {
        let (mut x, mut v) = (vec3(0.0, 0.5, 0.0), vec3(1.0, 2.0, -3.0));
        assert!(walls(0.5, 1.0).contains(x));
        assert_eq!(walls(0.5, 1.0).collide(Vec3::zero(), &mut x, &mut v), Vec3::zero());
        assert_eq!((x, v), (vec3(0.0, 0.5, 0.0), vec3(1.0, 2.0, -3.0)));
    }

    #[test]
    fn the_floor_gives_back_what_restitution_says_and_friction_brakes() {
        let (mut x, mut v) = (vec3(0.3, 0.4, -0.1), vec3(3.0, 4.0, -2.0));
        walls(0.5, 0.25).collide(vec3(0.0, 0.0, 0.1), &mut x, &mut v);
        // Normal change 3 m/s, so friction takes 0.75 of the 5 m/s along the floor, and as much of
        // the way.
        assert!((x - vec3(0.3 * 0.85, 0.4 * 0.85, 0.0)).length() < 1e-12);
        assert!((v - vec3(3.0 * 0.85, 4.0 * 0.85, 1.0)).length() < 1e-12);
    }

    #[test]
    fn a_vertex_already_moving_in_keeps_its_velocity() {
        let (mut x, mut v) = (vec3(1.5, 0.0, 1.0), vec3(-2.0, 1.0, 0.0));
        let from = x;
        walls(0.0, 1.0).collide(from, &mut x, &mut v);
        assert_eq!((x.x, v), (1.0, vec3(-2.0, 1.0, 0.0)));
    }

    #[test]
    fn strong_friction_stops_but_never_reverses() {
        let (mut x, mut v) = (vec3(0.1, 0.0, -1.0), vec3(0.1, 0.0, -9.0));
        walls(0.0, 5.0).collide(Vec3::zero(), &mut x, &mut v);
        assert_eq!((x, v), (Vec3::zero(), Vec3::zero()));
    }

    #[test]
    fn a_corner_holds_what_one_of_its_walls_stops() {
        let (mut x, mut v) = (vec3(1.2, 0.1, -0.2), vec3(2.0, 1.0, -2.0));
        walls(0.0, 5.0).collide(vec3(0.9, 0.0, 0.1), &mut x, &mut v);
        assert_eq!((x, v), (vec3(1.0, 0.0, 0.0), Vec3::zero()));
    }
}
