//! Energies, momenta and forces, as output.
//!
//! # Theory
//!
//! Everything in a report is a sum: of the vertices the mass, Σ m x, the momentum Σ m v, the angular
//! momentum Σ m x × v and the energy ½ Σ m v²; of springs and tetrahedra their energies. Positions
//! are relative to the origin o of their body, so sums are taken there and moved afterwards:
//! Σ m (o + x) = o Σ m + Σ m x, and Σ m (o + x) × v = o × Σ m v + Σ m x × v. Nothing is lost however
//! far from the world's origin a body stands.
//!
//! Verlet and leap-frog keep the velocity of the middle of the last substep. Before it is measured
//! it gets the missing half kick, v + ½ h a(x, v). What presses a vertex against a wall does not move
//! it, so there the outward part becomes zero; at a collider the kick is stopped as a step would be, with
//! friction and without restitution. Both follow from where vertices are, and so from the state alone.
//!
//! # Practice
//!
//! `cpu` sums in `f64`. On a device, `gpu` adds up 32 vertices (a slice, which belongs to one body)
//! or 256 elements in `f32` and in a fixed order; these partial sums are added up, for each body, with
//! what rounding takes away (`fold.wgsl`), so that it does not grow with the model. Only the sums of
//! the bodies are copied back, however large they are. Once something has yielded, springs have the
//! energies of their parts in each tetrahedron (`yielded.wgsl`).

pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(all(test, feature = "gpu"))]
mod tests;

use crate::math::Vec3;
use crate::scene::World;
use crate::stages::colliders::{Colliders, Pose};
use crate::stages::integrate::is_staggered;
use crate::stages::strain::StrainReport;
use crate::stages::touch::Displaced;

/// Rounding of a sum on a device, relative to the sum of the sizes of its terms: a term takes up to
/// ten operations and the tree below it five (vertices) or eight (elements), each good to 2⁻²⁴.
pub const TOLERANCE: f64 = 18.0 / (1u64 << 24) as f64;

/// Rounding of an elastic force on a device, relative to what its element would give when
/// stretched by the size of its coordinates: differences of coordinates are good to 2⁻²⁴ of those,
/// and a dozen operations and up to thirty elements at a vertex follow.
pub const FORCE_TOLERANCE: f64 = 32.0 / (1u64 << 24) as f64;

/// What belongs to the present besides positions and velocities.
#[derive(Clone, Copy, Debug)]
pub struct MeasureContext<'a> {
    /// The live parameters.
    pub world: &'a World,
    /// Origins of the bodies \[m\].
    pub origins: &'a [[f64; 3]],
    /// Length of the last substep \[s\].
    pub h_last: f64,
    /// Simulated time \[s\].
    pub time: f64,
    /// What stops vertices besides the walls.
    pub colliders: &'a Colliders,
    /// How far hands have carried these.
    pub displaced: Displaced<'a>,
}

impl MeasureContext<'_> {
    /// How long the velocities lag behind the positions \[s\].
    pub fn lag(&self) -> f64 {
        if is_staggered(self.world.integrator) { 0.5 * self.h_last } else { 0.0 }
    }

    /// Colliders as they are now, such that nothing bounces off them: a vertex that rests there would seem to
    /// jump otherwise.
    pub fn poses(&self) -> Vec<Pose> {
        let now = |i: usize| {
            // Whoever carries one goes on as before, as far as the present knows.
            let [now, ahead] =
                [0.0, self.h_last].map(|time| self.displaced.after(self.colliders.places[i], time));
            let before = std::array::from_fn(|k| now[k] - (ahead[k] - now[k]));
            let mut pose = self.colliders.at(i, self.time, self.h_last, [before, now]);
            pose.placed.restitution = 0.0;
            pose
        };
        (0..self.colliders.list.len()).map(now).collect()
    }

    /// The outward direction, −1 or 1, of the wall that coordinate `k` of a body's vertex touches, which
    /// is `x` \[m\].
    pub fn on_wall(&self, body: usize, k: usize, x: f32) -> Option<f32> {
        let [low, high] = self.world.bounds.as_ref()?.corners();
        let origin = self.origins[body][k];
        // A vertex on a wall has the wall's own rounded coordinate.
        if x == (low[k] - origin) as f32 {
            Some(-1.0)
        } else {
            (x == (high[k] - origin) as f32).then_some(1.0)
        }
    }
}

/// Sums over free vertices, about one origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Σ m \[kg\].
    pub mass: f64,
    /// Σ m x \[kg·m\].
    pub moment: Vec3<f64>,
    /// Σ m v \[kg·m/s\].
    pub momentum: Vec3<f64>,
    /// Σ m x × v \[kg·m²/s\].
    pub angular: Vec3<f64>,
    /// ½ Σ m v² \[J\].
    pub kinetic: f64,
    /// Largest v² \[m²/s²\].
    pub fastest: f64,
    /// Vertices that touch a wall.
    pub contacts: usize,
}

impl Sums {
    /// Adds a vertex.
    pub fn add_vertex(&mut self, mass: f64, x: Vec3<f64>, v: Vec3<f64>, touching: bool) {
        self.mass += mass;
        self.moment += x * mass;
        self.momentum += v * mass;
        self.angular += x.cross(v) * mass;
        self.kinetic += 0.5 * mass * v.dot(v);
        self.fastest = self.fastest.max(v.dot(v));
        self.contacts += usize::from(touching);
    }

    /// Adds other vertices, whose sums are about `origin` as seen from here.
    pub fn add(&mut self, other: &Self, origin: Vec3<f64>) {
        self.mass += other.mass;
        self.moment += other.moment + origin * other.mass;
        self.momentum += other.momentum;
        self.angular += other.angular + origin.cross(other.momentum);
        self.kinetic += other.kinetic;
        self.fastest = self.fastest.max(other.fastest);
        self.contacts += other.contacts;
    }
}

/// What is measured of springs, tetrahedra and hinges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elements {
    /// Energy of the springs \[J\].
    pub springs: f64,
    /// Energy of the volumes \[J\].
    pub volumes: f64,
    /// Energy of bending \[J\].
    pub bending: f64,
    /// Tetrahedra that are inside out.
    pub inverted: usize,
    /// How far edges that have a limit are stretched, if any has.
    pub strain: Option<StrainReport>,
}
