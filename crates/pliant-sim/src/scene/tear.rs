//! Edges of cloth that tear.

use serde::{Deserialize, Serialize};

use super::Region;

/// Edges of a surface that come apart where they are pulled too hard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tear {
    /// Which: those inside the surface whose two ends are in it.
    pub region: Region,
    /// The force over length at which an edge tears \[N/m\].
    pub strength: f64,
}
