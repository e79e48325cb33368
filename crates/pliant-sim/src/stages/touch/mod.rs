//! Reaching into the scene: dragging and pushing (Echtler 2004, "Interaction").
//!
//! *Drag* grabs every vertex in a sphere round the picked point. A hand moves from there towards the
//! cursor with a given speed, and each grabbed vertex hangs on it by a rubber band,
//! F = k (goal − x) − 2 √(k m) v: critically damped, so that it comes to rest without swinging.
//!
//! *Push* applies a force along the view ray to all vertices inside an infinite cylinder.

pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::math::{Real, Vec3};

/// Something that pulls or pushes vertices while a simulation runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Touch {
    /// A hand that holds vertices.
    Drag(Drag),
    /// A force inside a cylinder.
    Push(Push),
}

impl Touch {
    /// Size of the force on the user's vertex `vertex` of mass `mass` \[kg\] at `x` \[m\] \[N\].
    pub fn strength_at(&self, vertex: u32, x: [f64; 3], mass: f64) -> f64 {
        match self {
            Touch::Push(p) => {
                let axis = Vec3::from(p.direction);
                let axis = axis * (1.0 / axis.length());
                push_force(x.into(), p.origin.into(), axis, p.radius, p.force).length()
            }
            Touch::Drag(d) => {
                let Some(i) = d.vertices.iter().position(|&v| v == vertex) else { return 0.0 };
                let goal = std::array::from_fn(|k| d.hand[k] + d.offsets[i][k]);
                drag_force(x.into(), Vec3::zero(), Vec3::<f64>::from(goal), mass, d.stiffness)
                    .length()
            }
        }
    }
}

/// A hand that holds some vertices and moves towards the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// Grabbed vertices, in the user's numbering.
    pub vertices: Vec<u32>,
    /// Where each of them was, relative to the hand, when it was grabbed \[m\].
    pub offsets: Vec<[f64; 3]>,
    /// Where the hand is \[m\].
    pub hand: [f64; 3],
    /// Where it goes \[m\].
    pub cursor: [f64; 3],
    /// How fast it goes there \[m/s\].
    pub speed: f64,
    /// Hardness of the rubber band at each vertex \[N/m\].
    pub stiffness: f64,
}

impl Drag {
    /// Where the hand will be after `time` more seconds \[m\].
    pub fn hand_after(&self, time: f64) -> [f64; 3] {
        let way: [f64; 3] = std::array::from_fn(|k| self.cursor[k] - self.hand[k]);
        let distance = way.iter().map(|c| c * c).sum::<f64>().sqrt();
        let part = if distance > 0.0 { (self.speed * time / distance).min(1.0) } else { 0.0 };
        std::array::from_fn(|k| self.hand[k] + part * way[k])
    }
}

/// A force along a ray on all vertices inside an infinite cylinder round it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// A point of the ray \[m\].
    pub origin: [f64; 3],
    /// Direction of ray and force; its length does not matter.
    pub direction: [f64; 3],
    /// Radius of the cylinder \[m\].
    pub radius: f64,
    /// Force on each vertex \[N\].
    pub force: f64,
}

/// Force of a rubber band that pulls a vertex of mass `mass` at `x` with velocity `v` to `goal`.
pub fn drag_force<R: Real>(x: Vec3<R>, v: Vec3<R>, goal: Vec3<R>, mass: R, k: R) -> Vec3<R> {
    (goal - x) * k - v * drag_damping(mass, k)
}

/// What damps the band critically \[N·s/m\].
pub fn drag_damping<R: Real>(mass: R, k: R) -> R {
    R::of(2.0) * (k * mass).sqrt()
}

/// Force of a push on a vertex at `x`: `force` along the unit vector `axis` inside the cylinder.
pub fn push_force<R: Real>(
    x: Vec3<R>,
    origin: Vec3<R>,
    axis: Vec3<R>,
    radius: R,
    force: R,
) -> Vec3<R> {
    let from = x - origin;
    let away = from - axis * from.dot(axis);
    if away.dot(away) <= radius * radius { axis * force } else { Vec3::zero() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    #[test]
    fn the_hand_goes_straight_to_the_cursor_and_stops_there() {
        let drag = Drag {
            vertices: vec![],
            offsets: vec![],
            hand: [0.0; 3],
            cursor: [3.0, 4.0, 0.0],
            speed: 2.0,
            stiffness: 10.0,
        };
        let half = drag.hand_after(1.25);
        assert!((half[0] - 1.5).abs() < 1e-12 && (half[1] - 2.0).abs() < 1e-12);
        assert_eq!(drag.hand_after(99.0), [3.0, 4.0, 0.0]);
    }

    #[test]
    fn a_dragged_vertex_arrives_without_swinging_past() {
        let (mut x, mut v) = (vec3(0.0, 0.0, 0.0), Vec3::zero());
        let goal = vec3(1.0, 0.0, 0.0);
        for _ in 0..4000 {
            v += drag_force(x, v, goal, 0.002, 0.8) * (1e-3 / 0.002);
            x += v * 1e-3;
            assert!(x.x < 1.0 + 1e-6);
        }
        assert!((x.x - 1.0).abs() < 1e-6);
    }

    #[test]
    fn pushing_acts_inside_the_cylinder_only() {
        let axis = vec3(0.0, 0.0, 1.0);
        let at = |x| push_force(vec3(x, 0.0, 55.0), Vec3::zero(), axis, 1.0, 3.0);
        assert_eq!(at(0.9), vec3(0.0, 0.0, 3.0));
        assert_eq!(at(1.1), Vec3::zero());
    }
}
