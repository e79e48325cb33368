//! How far bodies may stretch.

use serde::{Deserialize, Serialize};

/// How far the edges of a body may stretch, whatever its springs would let them: what is no rubber needs no springs so
/// stiff that steps become short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrainLimit {
    /// The part of its length at rest by which an edge may get longer.
    pub stretch: f64,
    /// What is changed of vertices whose edges are too long.
    pub by: LimitBy,
    /// How often all edges are gone through in a substep.
    pub iterations: u32,
}

impl StrainLimit {
    /// What `stretch` may be.
    pub const STRETCH: [f64; 2] = [0.001, 10.0];
    /// What `iterations` may be.
    pub const ITERATIONS: [u32; 2] = [1, 100];
}

impl Default for StrainLimit {
    fn default() -> Self {
        Self { stretch: 0.1, by: LimitBy::default(), iterations: 10 }
    }
}

/// What a limit changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitBy {
    /// Velocities, so that edges end the next substep within their limit (after Vassilev, Spanlang & Chrysanthou 2001).
    #[default]
    Velocity,
    /// Positions at once, and velocities along with them (after Provot 1995).
    Position,
}
