//! How long to run and what to write.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Picture, Track};

/// How long a run lasts. Without either limit it goes on until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunPlan {
    /// Simulated time \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Steps; the alternative to `duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
}

impl RunPlan {
    /// The number of steps of `timestep` \[s\] that the plan asks for, if it has an end. A duration
    /// is rounded to whole steps.
    pub fn step_count(&self, timestep: f64) -> Option<u64> {
        self.steps.or_else(|| self.duration.map(|d| (d / timestep).round() as u64))
    }
}

/// What a run writes, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Folder for everything that is written; the front end chooses one when it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// How often a frame is written.
    pub every: Every,
    /// Write each frame as VTU, with all fields, for ParaView.
    pub vtu: bool,
    /// Write the whole run as one animated glTF.
    pub glb: bool,
    /// Write each frame's surface as OBJ.
    pub obj: bool,
    /// Write each frame's surface as PLY.
    pub ply: bool,
    /// Write energies, momentum and the like, one row per frame.
    pub csv: bool,
    /// Write every contact between soft bodies, a row for each in each frame.
    pub contacts: bool,
    /// What has columns of its own in that table; if anything, the table is written in any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub track: Vec<Track>,
    /// Write a picture of the last frame.
    pub png: bool,
    /// Write the run as an animated GIF.
    pub gif: bool,
    /// Write the run as a film.
    pub mp4: bool,
    /// Write pictures from the whole run on one sheet.
    pub sheet: bool,
    /// Write a checkpoint every so many steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_every: Option<u64>,
    /// How pictures and films look.
    pub picture: Picture,
}

impl Output {
    /// Whether anything is drawn.
    pub fn has_pictures(&self) -> bool {
        self.png || self.gif || self.mp4 || self.sheet
    }

    /// Whether a table is written.
    pub fn has_table(&self) -> bool {
        self.csv || !self.track.is_empty()
    }

    /// Whether anything is written besides checkpoints.
    pub fn has_results(&self) -> bool {
        let meshes = self.vtu || self.glb || self.obj || self.ply;
        meshes || self.has_table() || self.contacts || self.has_pictures()
    }
}

/// Time between two frames. In TOML a plain number means seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// Simulated time \[s\].
    Seconds(f64),
    /// Steps.
    Steps(u64),
}

impl Default for Every {
    fn default() -> Self {
        Self::Seconds(0.04)
    }
}

impl Every {
    /// Steps of `timestep` \[s\] from one frame to the next, at least 1.
    pub fn step_count(self, timestep: f64) -> u64 {
        match self {
            Self::Seconds(s) => ((s / timestep).round() as u64).max(1),
            Self::Steps(n) => n.max(1),
        }
    }
}
