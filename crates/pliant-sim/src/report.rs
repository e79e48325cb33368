//! The report on a simulation after a step.

use crate::stages::colliders::ContactForces;
use crate::stages::contact::ContactReport;
use crate::stages::implicit::SolverReport;
use crate::stages::seams::SeamReport;
use crate::stages::strain::StrainReport;

/// Energies of all bodies \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of stretched springs.
    pub springs: f64,
    /// Of compressed volumes. The thesis form of the volume force (Echtler 2004) has no energy of its
    /// own; this is then ½ D (v − v₀)², for orientation.
    pub volumes: f64,
    /// Of bent surfaces.
    pub bending: f64,
    /// Of height, zero at the world's origin.
    pub gravity: f64,
}

impl Energy {
    /// All of it.
    pub fn total(self) -> f64 {
        self.kinetic + self.springs + self.volumes + self.bending + self.gravity
    }

    /// Of deformation.
    pub fn elastic(self) -> f64 {
        self.springs + self.volumes + self.bending
    }
}

/// Where a simulation stands after a number of steps.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct StepReport {
    /// Complete steps so far.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Energies \[J\].
    pub energy: Energy,
    /// Linear momentum of the free vertices \[kg·m/s\].
    pub momentum: [f64; 3],
    /// Angular momentum of the free vertices about the world's origin \[kg·m²/s\].
    pub angular_momentum: [f64; 3],
    /// Middle of all free mass \[m\].
    pub center_of_mass: [f64; 3],
    /// Fastest vertex \[m/s\].
    pub max_speed: f64,
    /// Tetrahedra that are inside out now.
    pub inverted_count: usize,
    /// Vertices that touch a wall of the world box now.
    pub wall_contact_count: usize,
    /// What colliders had to do with; nothing where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colliders: Option<ContactForces>,
    /// What came of the linear systems of implicit steps so far; nothing where there were none.
    #[serde(rename = "solved", skip_serializing_if = "Option::is_none")]
    pub solver: Option<SolverReport>,
    /// What contact between bodies does; nothing where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactReport>,
    /// What the pairs of seams are; nothing where nothing is sewn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seams: Option<SeamReport>,
    /// How far edges that have a limit are stretched; nothing where none has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain: Option<StrainReport>,
    /// Substeps per step now; more than the scene asked for when automatic substepping stepped in.
    pub substeps: u32,
}
