//! How long an implicit step takes, and an iteration of its solver.
//!
//! The bars are those of the explicit benchmark with the forces of the usual alternative (a sparse
//! matrix and conjugate gradients of scipy): one spring of the same stiffness on every edge, no
//! volume force, steps of a sixtieth of a second.

use pliant_sim::scene::{Implicit, Integrator, Volume, World};
use pliant_sim::{Diverged, Simulator};

use super::{BenchError, Case, Settings};
use crate::memory;
use crate::reproduce::set_every_spring;

/// Stiffness of every spring \[N/m\].
const STIFFNESS: f64 = 6e4;
/// Timestep \[s\].
const TIMESTEP: f64 = 1.0 / 60.0;
/// Steps before the clock starts.
const FIRST_STEPS: u64 = 2;

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ImplicitRow {
    /// Name of the case.
    pub case: String,
    /// What ran it: cpu or gpu.
    pub backend: &'static str,
    /// Threads at work.
    pub threads: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Springs.
    pub springs: usize,
    /// Vertices.
    pub vertices: usize,
    /// What the solver might leave of the right-hand side.
    pub tolerance: f64,
    /// Time of one step \[ms\].
    pub ms_per_step: f64,
    /// Iterations of conjugate gradients per step.
    pub iterations: f64,
    /// Time of a step divided by its iterations \[µs\].
    pub us_per_iteration: f64,
    /// Largest true residual ‖b − A x‖/‖b‖ of all steps.
    pub worst_residual: f64,
    /// Steps whose system was given up above the tolerance.
    pub unconverged: u64,
    /// Steps whose system was solved to what single precision allows, above the tolerance.
    pub limited: u64,
    /// Matrix, vectors and all else that is held while stepping, per tetrahedron.
    pub bytes_per_tet: f64,
    /// What an iteration reads and writes \[MB\].
    pub iteration_mb: f64,
    /// Largest resident memory while loading and running \[MB\].
    pub peak_rss_mb: Option<f64>,
    /// Mean displacement along y after the first steps \[m\].
    pub mean_dy: f64,
    /// State hash after the first steps.
    pub hash: String,
    /// How many those were.
    pub hash_steps: u64,
}

/// Times implicit steps of a bar.
pub fn run(case: &Case, tolerance: f64, settings: &Settings) -> Result<ImplicitRow, BenchError> {
    memory::forget_peak();
    let mut scene = case.scene();
    scene.world = World {
        damping: 0.0,
        timestep: TIMESTEP,
        integrator: Integrator::ImplicitEuler,
        implicit: Implicit { tolerance, ..Implicit::default() },
        accumulation: settings.accumulation,
        ..scene.world
    };
    for body in &mut scene.bodies {
        body.material.volume = Volume::None;
    }
    let mut model = pliant_sim::model::compile(&scene)?;
    set_every_spring(&mut model, STIFFNESS);
    let mut sim = Simulator::from_model(scene, model, &settings.backend)?;
    let diverged =
        |source: Diverged| BenchError::Diverged { case: case.name.clone(), source: source.into() };
    let before = sim.positions();
    sim.advance(FIRST_STEPS).map_err(diverged)?;
    let (after, hash) = (sim.positions(), format!("{:016x}", sim.hash()));
    let fall: f64 = before.iter().zip(&after).map(|(a, b)| b[1] - a[1]).sum();
    let start = sim.solver_report().unwrap_or_default();
    let seconds = settings.seconds_per_step(&mut sim).map_err(diverged)?;
    super::check_device(&mut sim, &case.name)?;
    let solver = sim.solver_report().unwrap_or_default();
    let systems = (solver.systems - start.systems).max(1) as f64;
    let iterations = (solver.iterations - start.iterations) as f64 / systems;
    let model = sim.model();
    let (tets, springs, vertices) = (model.tets.len(), model.springs.len(), model.rest.len());
    Ok(ImplicitRow {
        case: case.name.clone(),
        backend: super::backend_kind(&sim),
        threads: sim.thread_count(),
        tets,
        springs,
        vertices,
        tolerance,
        ms_per_step: 1e3 * seconds,
        iterations,
        us_per_iteration: 1e6 * seconds / iterations.max(1.0),
        worst_residual: solver.worst_residual,
        unconverged: solver.unconverged,
        limited: solver.limited,
        bytes_per_tet: sim.bytes() as f64 / tets.max(1) as f64,
        // Sixteen bytes for each spring; for each vertex eleven vectors of sixteen.
        iteration_mb: 16e-6 * (springs + 11 * vertices) as f64,
        peak_rss_mb: memory::peak_mb(),
        mean_dy: fall / before.len().max(1) as f64,
        hash,
        hash_steps: FIRST_STEPS,
    })
}
