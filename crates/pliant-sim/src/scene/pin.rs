//! Vertices that are led along a path.

use serde::{Deserialize, Serialize};

use super::{ColliderMotion, Region};

/// Vertices of a body that are held like locked ones, and whose place is a function of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Which vertices.
    pub region: Region,
    /// How they move, as a rigid whole, from where the body has them at the start: at time 0 they are there. Meshes
    /// that change their shape cannot lead anything.
    pub motion: ColliderMotion,
    /// The point that they turn about, where the body is at the start; without it their middle \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<[f64; 3]>,
}
