//! Reaching into the scene: dragging and pushing (Echtler 2004, "Interaction").
//!
//! *Drag* grabs every vertex in a sphere round the picked point. A hand moves from there towards the
//! cursor with a given speed, and each grabbed vertex hangs on it by a rubber band,
//! F = k (goal − x) − 2 √(k m) v: critically damped, so that it comes to rest without swinging.
//!
//! *Push* applies a force along the view ray to all vertices inside an infinite cylinder.
//!
//! *Carry* takes hold of a collider instead. What is rigid needs no rubber band: it goes as far as the hand goes, and
//! so it has a velocity, which whoever it meets feels. Where it was carried it stays, on top of any motion of its own.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;

pub use formula::{drag_damping, drag_force, push_force};

use crate::math::Vec3;

/// Something that pulls or pushes vertices while a simulation runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Touch {
    /// A hand that holds vertices.
    Drag(Drag),
    /// A force inside a cylinder.
    Push(Push),
    /// A hand that holds a collider.
    Carry(Carry),
}

impl Touch {
    /// Whether it acts on vertices by forces.
    pub fn has_forces(&self) -> bool {
        !matches!(self, Touch::Carry(_))
    }

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
            Touch::Carry(_) => 0.0,
        }
    }
}

/// The force of all touches together on vertices at `positions` \[m\], which are in the user's order,
/// without the drags' damping \[N\].
pub fn total_force(touches: &[Touch], positions: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = Vec3::<f64>::zero();
    for touch in touches {
        match touch {
            Touch::Drag(drag) => {
                for (&v, offset) in drag.vertices.iter().zip(&drag.offsets) {
                    // Whoever made the drag may have named a vertex that there is not.
                    let Some(&x) = positions.get(v as usize) else { continue };
                    let goal: [f64; 3] = std::array::from_fn(|k| drag.hand[k] + offset[k]);
                    sum += drag_force(x.into(), Vec3::zero(), goal.into(), 0.0, drag.stiffness);
                }
            }
            Touch::Push(push) => {
                let axis = Vec3::from(push.direction);
                let axis = axis * (1.0 / axis.length());
                for &x in positions {
                    sum += push_force(x.into(), push.origin.into(), axis, push.radius, push.force);
                }
            }
            Touch::Carry(_) => {}
        }
    }
    sum.into()
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
    /// Stiffness of the rubber band at each vertex \[N/m\].
    pub stiffness: f64,
}

impl Drag {
    /// Where the hand will be after `time` more seconds \[m\].
    pub fn hand_after(&self, time: f64) -> [f64; 3] {
        led(self.hand, self.cursor, self.speed * time)
    }
}

/// Where a hand is once it has gone at most so far towards the cursor \[m\].
fn led(hand: [f64; 3], cursor: [f64; 3], most: f64) -> [f64; 3] {
    let way: [f64; 3] = std::array::from_fn(|k| cursor[k] - hand[k]);
    let distance = way.iter().map(|c| c * c).sum::<f64>().sqrt();
    let part = if distance > 0.0 { (most / distance).min(1.0) } else { 0.0 };
    std::array::from_fn(|k| hand[k] + part * way[k])
}

/// A hand that holds a collider and moves towards the cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carry {
    /// The collider's place in the scene.
    pub collider: u32,
    /// Where the hand is \[m\].
    pub hand: [f64; 3],
    /// Where it goes \[m\].
    pub cursor: [f64; 3],
    /// How fast it goes there \[m/s\].
    pub speed: f64,
}

impl Carry {
    /// Where the hand will be after `time` more seconds \[m\].
    pub fn hand_after(&self, time: f64) -> [f64; 3] {
        led(self.hand, self.cursor, self.speed * time)
    }
}

/// How far colliders are from where their own motion has them: where hands have left them, and where those lead that
/// hold them now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Displaced<'a> {
    /// By collider of the scene \[m\]; nothing where none was ever carried.
    pub by: &'a [[f64; 3]],
    /// What is going on.
    pub touches: &'a [Touch],
}

impl Displaced<'_> {
    /// That of a collider after `time` more seconds \[m\].
    pub fn after(&self, collider: usize, time: f64) -> [f64; 3] {
        let mut at = self.by.get(collider).copied().unwrap_or_default();
        for touch in self.touches {
            if let Touch::Carry(carry) = touch
                && carry.collider as usize == collider
            {
                let hand = carry.hand_after(time);
                at = std::array::from_fn(|k| at[k] + (hand[k] - carry.hand[k]));
            }
        }
        at
    }

    /// Whether somebody carries one.
    pub fn is_changing(&self) -> bool {
        self.touches.iter().any(|touch| !touch.has_forces())
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
        let (mut x, mut v) = (Vec3::<f64>::zero(), Vec3::zero());
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
