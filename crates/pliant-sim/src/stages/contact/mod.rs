//! Surfaces that touch: soft bodies push each other, and themselves, apart.
//!
//! # Theory
//!
//! A contact is a *row*: four corners (a vertex and a triangle, or two edges), four weights that sum to zero
//! and add the corners' positions up to the gap between the nearest points, and a normal from the second
//! primitive to the first. Where surfaces are nearer than they are thick, a force along the normal acts on
//! both by the weights, so that linear momentum is kept to rounding, and angular momentum, too, as far as the
//! force is normal ([`formula`]).
//!
//! A vertex may lie in the reach of many triangles of a smooth surface, which all have the same to say. So
//! that it is pushed once, and straight away from the surface, each face, edge and vertex answers for its own
//! part of space alone (Chen et al. 2025, *Offset Geometric Contact*): a face for what lies above it, an edge for
//! what is beyond both its faces, a vertex for what is beyond all its edges ([`surface`]).
//!
//! **No contact shortens the stable timestep.** A row is no spring: it looks at the velocities that its corners would
//! have at the end of the substep, with all other forces, and gives just the impulse that keeps them from coming
//! nearer than they may, at whatever load. The impulses of all rows are found together by a few iterations of
//! Jacobi. A corner that has several rows gives each a share of its mass (Tonge, Benevolenski & Voroshilov 2012,
//! *Mass splitting for jitter-free parallel rigid body simulation*), so that they never do too much, and each
//! substep begins with what the one before ended with: a pile at rest has its impulses already.
//!
//! **Friction sticks.** It stops motion along the surface in the same way, up to what Coulomb allows. What
//! iterations leave would let bodies creep, so each row remembers where on the two primitives it took hold, its
//! *anchor*, and friction brings them back there; when Coulomb does not allow it, the anchor slips after. Anchors
//! and impulses decide results, so they are part of the state.
//!
//! Meshes that are colliders are surfaces like the others, whose corners have no inverse mass and a velocity that is
//! given ([`crate::model::Given`]), and whose friction is their own.
//!
//! # Practice
//!
//! `cpu` finds candidates (see [`crate::contact`]) and keeps them until a vertex has moved too far; any larger
//! list of them gives the same bits. `gpu` does the same on a device, where nothing comes back to the host meanwhile.

pub(crate) mod cpu;
pub mod formula;
mod given;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
mod layout;
pub mod separation;
#[cfg(test)]
mod separation_tests;
pub mod surface;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

pub use formula::Kind;

/// How often rows look again at what all of them do.
pub(crate) const ITERATIONS: usize = 3;

/// Where a row took hold, from which friction is measured, and how hard it pushes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// What touches.
    pub kind: Kind,
    /// The corners, in the user's numbering of all vertices: a vertex and those of a triangle, or two edges.
    pub corners: [u32; 4],
    /// The place on the triangle, as weights of its second and third corner, or on the two edges, as how far
    /// along each it is.
    pub place: [f32; 2],
    /// How hard it pushed, and what friction pulled with \[N\]: the next substep begins with that.
    pub push: f32,
    /// See `push`.
    pub pull: [f32; 3],
}

/// What contact has done so far, and does now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContactReport {
    /// Pairs that are looked at in each step now.
    pub candidates: u64,
    /// Pairs that touched in the last step.
    pub contacts: u64,
    /// How often candidates were searched for.
    pub searches: u64,
    /// What the guarantee has cost, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guarantee: Option<GuardReport>,
}

/// What it has cost that surfaces never cross.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GuardReport {
    /// Vertices of surfaces.
    pub vertices: u64,
    /// Vertices that were cut short in the last substep.
    pub cut_short: u64,
    /// Vertices that were cut short so far, each as often as it was.
    pub cut_short_total: u64,
    /// The largest share of all vertices of surfaces that was cut short in one substep, 0 to 1.
    pub largest_share: f64,
    /// Substeps so far.
    pub substeps: u64,
    /// Pairs of triangles that crossed when the last substep began, for which nothing is promised until they have
    /// come apart.
    pub crossings: u64,
    /// How often a mesh collider left a body no room, so that nothing could be promised: pairs of vertices and
    /// triangles and of edges, so far.
    pub withdrawn: u64,
    /// The one that did it last: a number behind those of all bodies.
    pub squeezed_by: Option<u32>,
}

impl GuardReport {
    /// Adds a pair for which a collider left no room.
    fn withdraw(&mut self, by: u32) {
        self.withdrawn += 1;
        self.squeezed_by = Some(by);
    }

    /// Adds a substep.
    fn note(&mut self, cut_short: u64, crossings: u64) {
        let share = cut_short as f64 / self.vertices.max(1) as f64;
        (self.cut_short, self.crossings) = (cut_short, crossings);
        self.cut_short_total += cut_short;
        self.largest_share = self.largest_share.max(share);
        self.substeps += 1;
    }
}

/// What two bodies do to each other, or a body to itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairForce {
    /// The bodies, the lower number first.
    pub bodies: [u32; 2],
    /// Vertices against triangles and edges against edges that push.
    pub contacts: u64,
    /// The force on the first body; that on the second is opposite \[N\].
    pub force: [f64; 3],
}

impl PairForce {
    /// All pairs of bodies that push each other, in ascending order.
    pub fn sum(contacts: &[Touching]) -> Vec<Self> {
        let mut pairs: BTreeMap<[u32; 2], Self> = BTreeMap::new();
        for contact in contacts.iter().filter(|contact| contact.pushes()) {
            let [a, b] = contact.bodies;
            let bodies = [a.min(b), a.max(b)];
            let none = Self { bodies, contacts: 0, force: [0.0; 3] };
            let pair = pairs.entry(bodies).or_insert(none);
            pair.contacts += 1;
            // Within a body, what acts on one side acts on the other.
            let sign = if a == b {
                0.0
            } else if a < b {
                1.0
            } else {
                -1.0
            };
            (0..3).for_each(|k| pair.force[k] += sign * f64::from(contact.force[k]));
        }
        pairs.into_values().collect()
    }
}

/// Two surfaces that touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Touching {
    /// What touches.
    pub kind: Kind,
    /// The bodies of the first and of the second primitive; numbers from that of all bodies on are the mesh colliders,
    /// in the order of the scene.
    pub bodies: [u32; 2],
    /// The corners, in the user's numbering of all vertices, behind which come those of mesh colliders.
    pub corners: [u32; 4],
    /// The middle between the nearest points \[m\].
    pub point: [f64; 3],
    /// Unit vector from the second primitive to the first.
    pub normal: [f32; 3],
    /// How far apart they are; negative where one is inside the other \[m\].
    pub gap: f32,
    /// The force on the first primitive; that on the second is opposite \[N\].
    pub force: [f32; 3],
}

impl Touching {
    /// Whether they push each other, and are not only near.
    pub fn pushes(&self) -> bool {
        self.force != [0.0; 3]
    }
}
