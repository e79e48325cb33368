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
//! # Practice
//!
//! `cpu` finds candidates (see [`crate::contact`]) and keeps them until a vertex has moved too far; any larger
//! list of them gives the same bits. `gpu` does the same on a device, where nothing comes back to the host meanwhile.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
mod layout;
pub mod surface;
#[cfg(test)]
mod tests;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ContactReport {
    /// Pairs that are looked at in each step now.
    pub candidates: u64,
    /// Pairs that touched in the last step.
    pub contacts: u64,
    /// How often candidates were searched for.
    pub searches: u64,
}

/// Two surfaces that touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Touching {
    /// What touches.
    pub kind: Kind,
    /// The bodies of the first and of the second primitive.
    pub bodies: [u32; 2],
    /// The corners, in the user's numbering of all vertices.
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
