//! The states that the built-in scenes and the benchmarks reach, by their hashes.
//!
//! A change that is not meant to alter results must not alter these. They are the same for any number of
//! threads and on all processors with fused multiply-add, but mathematical functions of the system have a
//! part in placing bodies, so another system may differ.

use pliant_scenes::Named;
use pliant_session::Session;
use pliant_sim::Backend;
use pliant_sim::scene::Accumulation;

use super::{BenchError, Case, Settings, implicit, standard};

/// Steps of a built-in scene: into its first landing, gust or pull.
const SCENE_STEPS: u64 = 1000;
/// What the solver of implicit steps may leave of the right-hand side.
const TOLERANCE: f64 = 1e-4;

/// Something whose state is hashed.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A built-in scene, with its script.
    Scene(&'static Named),
    /// A case of the benchmark of explicit steps.
    Explicit(Case),
    /// A case of the benchmark of implicit steps.
    Implicit(Case),
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct HashRow {
    /// What was run.
    pub subject: String,
    /// Steps after which the hash was taken.
    pub steps: u64,
    /// The hash.
    pub hash: String,
}

/// Everything that is hashed.
pub fn subjects() -> Vec<Subject> {
    let scenes = pliant_scenes::ALL.iter().map(Subject::Scene);
    let cases = standard().into_iter();
    let implicit = standard().into_iter().filter(|case| !case.energy_form);
    scenes.chain(cases.map(Subject::Explicit)).chain(implicit.map(Subject::Implicit)).collect()
}

impl Subject {
    /// Runs it on the CPU and hashes what comes of it.
    pub fn hash(&self, threads: usize) -> Result<HashRow, BenchError> {
        let backend = Backend::Cpu { threads };
        let settings = |backend| Settings {
            backend,
            accumulation: Accumulation::Auto,
            seconds: 0.0,
            steps: Some(1),
        };
        match self {
            Self::Scene(named) => {
                let mut session = Session::new((named.build)(), backend)?;
                session.advance(SCENE_STEPS).map_err(|source| BenchError::Diverged {
                    case: named.name.into(),
                    source: source.into(),
                })?;
                let hash = format!("{:016x}", session.simulator().hash());
                Ok(HashRow { subject: format!("scene {}", named.name), steps: SCENE_STEPS, hash })
            }
            Self::Explicit(case) => {
                let row = super::run(case, &settings(backend))?;
                let subject = format!("explicit {}", row.case);
                Ok(HashRow { subject, steps: row.hash_steps, hash: row.hash })
            }
            Self::Implicit(case) => {
                let row = implicit::run(case, TOLERANCE, &settings(backend))?;
                let subject = format!("implicit {}", row.case);
                Ok(HashRow { subject, steps: row.hash_steps, hash: row.hash })
            }
        }
    }
}
