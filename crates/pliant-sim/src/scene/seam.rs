//! Seams: edges of panels that are sewn together.

use serde::{Deserialize, Serialize};

use super::Region;

/// Vertices of two edges, of one body or of two, that are pulled together pair by pair, and welded when they meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// What messages and actions call it; unique.
    pub name: String,
    /// One edge.
    pub from: SeamSide,
    /// The other one.
    pub to: SeamSide,
    /// How hard each pair is pulled together at most \[N\].
    pub force: f64,
    /// The time in which two thirds of a gap close, if the force suffices \[s\].
    #[serde(default = "Seam::default_time", skip_serializing_if = "Seam::is_default_time")]
    pub time: f64,
    /// Whether pairs that have met move as one vertex from then on; otherwise they are only pulled.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub weld: bool,
    /// How near a pair has met \[m\]; a twentieth of the edges of the bodies without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// The force at which a welded pair comes apart for good \[N\]; never without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<f64>,
    /// Pairs are vertices of the two that are no farther from each other than this at the start \[m\]; without it both
    /// edges have as many, which are paired along them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
}

/// One edge of a seam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeamSide {
    /// The body, of copies with its number (`panel-2`).
    pub body: String,
    /// Its vertices: those of a list in the order of the list, others along a line of edges.
    pub region: Region,
}

impl Seam {
    /// \[s\].
    pub const TIME: f64 = 0.1;

    fn default_time() -> f64 {
        Self::TIME
    }

    fn is_default_time(time: &f64) -> bool {
        *time == Self::TIME
    }
}

fn yes() -> bool {
    true
}
