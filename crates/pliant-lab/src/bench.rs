//! How long a step takes.
//!
//! The bars have the geometry, parameters and forces that the usual alternatives (Taichi, numba,
//! numpy) are timed with, so that rows can be compared one to one: `check_mean_dy` is the mean
//! displacement after a fixed number of steps, and agrees with theirs.

pub mod busy;
pub mod candidates;
pub mod cloth;
pub mod contact;
mod gpu;
pub mod hashes;
pub mod implicit;
pub mod matching;
#[cfg(feature = "gpu")]
pub mod project;
pub mod skin;
pub mod volume;
pub mod weave;

pub use gpu::{GpuFigures, StageFigures};

use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant_mesh::{Mesh, shapes};
use pliant_sim::scene::{
    Accumulation, Body, Copies, Integrator, Mass, Material, Region, Source, Stiffness, Volume,
    World,
};
use pliant_sim::{Backend, BuildError, Diverged, Scene, Simulator};

use crate::memory;
use crate::timing::median_seconds;

/// Stiffness of each tetrahedron's springs \[N/m\] and of its volume \[N/m³\], as the peers have it.
const STIFFNESS: f64 = 2e4;
/// Timestep of the peers \[s\].
const TIMESTEP: f64 = 2e-4;
/// Their velocity factor of 0.999 per step, as a rate \[1/s\].
const DAMPING: f64 = 0.001 / TIMESTEP;

/// A case to time.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What to call it.
    pub name: String,
    /// Where the mesh comes from.
    pub mesh: CaseMesh,
    /// The energy form of the volume force instead of the thesis form (Echtler 2004).
    pub energy_form: bool,
    /// Steps after which the mean displacement is noted, for the bars.
    pub check_steps: Option<u64>,
}

/// The mesh of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseMesh {
    /// A bar of cubes of six tetrahedra, fixed at x = 0, with the given numbers of cells.
    Bar([u32; 3]),
    /// A file, copied a number of times.
    File {
        /// The file.
        path: PathBuf,
        /// How many copies.
        copies: u32,
    },
}

/// How long and on what to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What runs the model.
    pub backend: Backend,
    /// How a GPU adds up forces.
    pub accumulation: Accumulation,
    /// Seconds to time each case.
    pub seconds: f64,
    /// Just so many steps instead, timed in one go.
    pub steps: Option<u64>,
}

impl Settings {
    /// Runs a simulator for as long as is wanted; says how long one step took \[s\].
    fn seconds_per_step(&self, sim: &mut Simulator) -> Result<f64, Diverged> {
        let Some(steps) = self.steps else {
            return median_seconds(self.seconds, |n| sim.advance(n));
        };
        let lap = Instant::now();
        sim.advance(steps.max(1))?;
        Ok(lap.elapsed().as_secs_f64() / steps.max(1) as f64)
    }
}

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct StepRow {
    /// Name of the case.
    pub case: String,
    /// What ran it: cpu or gpu.
    pub backend: &'static str,
    /// Threads at work.
    pub threads: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Merged springs.
    pub springs: usize,
    /// Time of one step \[ms\].
    pub ms_per_step: f64,
    /// Tetrahedra times steps per second, in millions.
    pub mtets_per_s: f64,
    /// Memory held while stepping, by count, per tetrahedron.
    pub bytes_per_tet: f64,
    /// Largest resident memory while loading and running \[MB\].
    pub peak_rss_mb: Option<f64>,
    /// The same per tetrahedron.
    pub peak_bytes_per_tet: Option<f64>,
    /// Reading or making the mesh and compiling the model \[ms\].
    pub load_ms: f64,
    /// State hash after `hash_steps` steps.
    pub hash: String,
    /// Steps after which the hash was taken.
    pub hash_steps: u64,
    /// Mean displacement along y after the peers' number of steps \[m\].
    pub check_mean_dy: Option<f64>,
    /// What there is to say about a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuFigures>,
}

/// Why a case could not be timed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The scene does not compile.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It came apart.
    #[error("{case}: {source}")]
    Diverged {
        /// The case.
        case: String,
        /// How.
        source: Box<Diverged>,
    },
    /// The device failed on the way.
    #[error("{case}: {messages}")]
    Lost {
        /// The case.
        case: String,
        /// What was told about it.
        messages: String,
    },
}

/// The bars of the peers, each in both forms of the volume force.
pub fn standard() -> Vec<Case> {
    let bars = [
        ("bar5k", [24, 6, 6], 500),
        ("bar20k", [40, 9, 9], 500),
        ("bar90k", [60, 16, 16], 20),
        ("bar500k", [108, 28, 28], 20),
    ];
    let case = |(name, cells, check): (&str, [u32; 3], u64), energy_form: bool| Case {
        name: if energy_form { format!("{name}-energy") } else { name.to_owned() },
        mesh: CaseMesh::Bar(cells),
        energy_form,
        check_steps: (!energy_form).then_some(check),
    };
    bars.iter().flat_map(|&bar| [case(bar, false), case(bar, true)]).collect()
}

/// Bars from five thousand to two million tetrahedra.
pub fn scaling() -> Vec<Case> {
    let sizes: [(&str, [u32; 3]); 7] = [
        ("bar5k", [24, 6, 6]),
        ("bar20k", [40, 9, 9]),
        ("bar90k", [60, 16, 16]),
        ("bar250k", [86, 22, 22]),
        ("bar500k", [108, 28, 28]),
        ("bar1m", [136, 36, 36]),
        ("bar2m", [172, 44, 44]),
    ];
    let case = |(name, cells): (&str, [u32; 3])| Case {
        name: name.to_owned(),
        mesh: CaseMesh::Bar(cells),
        energy_form: false,
        check_steps: None,
    };
    sizes.into_iter().map(case).collect()
}

/// A mesh file, alone and copied until there are about 90,000 and 500,000 tetrahedra, or as often as
/// asked.
pub fn of_file(path: &Path, copies: Option<u32>) -> Result<Vec<Case>, BenchError> {
    let stem = path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned());
    let case = |copies: u32| Case {
        name: if copies == 1 { stem.clone() } else { format!("{stem} × {copies}") },
        mesh: CaseMesh::File { path: path.to_owned(), copies },
        energy_form: false,
        check_steps: None,
    };
    if let Some(copies) = copies {
        return Ok(vec![case(copies.max(1))]);
    }
    let mesh = pliant_mesh::load(path)
        .map_err(|source| BuildError::Mesh { body: stem.clone(), source })?
        .mesh;
    let tets = mesh.tets.len().max(mesh.triangles.len()).max(1);
    let mut counts = vec![1, (90_000 / tets).max(1) as u32, (500_000 / tets).max(1) as u32];
    counts.dedup();
    Ok(counts.into_iter().map(case).collect())
}

/// Times one case.
pub fn run(case: &Case, settings: &Settings) -> Result<StepRow, BenchError> {
    memory::forget_peak();
    let start = Instant::now();
    let mut scene = case.scene();
    scene.world.accumulation = settings.accumulation;
    let mut sim = Simulator::new(scene, settings.backend.clone())?;
    let name = backend_kind(&sim);
    let load_ms = 1e3 * start.elapsed().as_secs_f64();
    if matches!(case.mesh, CaseMesh::File { .. }) {
        // A mesh of any size and shape: a timestep that suits it, and a little life in it.
        let limit = pliant_sim::stability::stable_timestep(&sim).unwrap_or(TIMESTEP);
        let timestep = if limit.is_finite() { 0.5 * limit } else { TIMESTEP };
        sim.set_world(World { timestep, ..sim.world().clone() }).map_err(BuildError::from)?;
    } else {
        // The peers begin with the full kick of a step whose last position equals the present one.
        let mut state = sim.state();
        state.h_last = sim.world().timestep;
        sim.set_state(&state);
    }
    let diverged = |source: Diverged| BenchError::Diverged {
        case: case.name.clone(),
        source: Box::new(source),
    };
    let before = sim.positions();
    let hash_steps = case.check_steps.unwrap_or(20);
    sim.advance(hash_steps).map_err(diverged)?;
    let check_mean_dy = case.check_steps.map(|_| {
        let after = sim.positions();
        let sum: f64 = before.iter().zip(&after).map(|(a, b)| b[1] - a[1]).sum();
        sum / before.len() as f64
    });
    let hash = format!("{:016x}", sim.hash());
    let seconds = settings.seconds_per_step(&mut sim).map_err(diverged)?;
    let (tets, springs) = (sim.model().tets.len(), sim.model().springs.len());
    // Surfaces have no tetrahedra; count their triangles instead.
    let elements = if tets > 0 { tets } else { sim.model().triangles.len() }.max(1) as f64;
    let peak_rss_mb = memory::peak_mb();
    let gpu = gpu::figures(&mut sim, &case.name, elements)?;
    check_device(&mut sim, &case.name)?;
    Ok(StepRow {
        case: case.name.clone(),
        backend: name,
        threads: sim.thread_count(),
        tets,
        springs,
        ms_per_step: 1e3 * seconds,
        mtets_per_s: elements / seconds * 1e-6,
        bytes_per_tet: sim.bytes() as f64 / elements,
        peak_bytes_per_tet: peak_rss_mb.map(|mb| mb * 1e6 / elements),
        peak_rss_mb,
        load_ms,
        hash,
        hash_steps,
        check_mean_dy,
        gpu,
    })
}

/// Refuses times of a device that failed on the way: whatever the simulator went on with, they are
/// not those of one device at work.
fn check_device(sim: &mut Simulator, case: &str) -> Result<(), BenchError> {
    if sim.device_failures() == 0 {
        return Ok(());
    }
    let messages = sim.take_messages().join("; ");
    Err(BenchError::Lost { case: case.into(), messages })
}

/// "cpu" or "gpu".
fn backend_kind(sim: &Simulator) -> &'static str {
    #[cfg(feature = "gpu")]
    if sim.gpu().is_some() {
        return "gpu";
    }
    let _ = sim;
    "cpu"
}

impl Case {
    pub(crate) fn scene(&self) -> Scene {
        let volume =
            if self.energy_form { Volume::Energy(STIFFNESS) } else { Volume::Thesis(STIFFNESS) };
        let material = Material {
            mass: Mass::Vertex(1.0),
            stiffness: Stiffness::Spring(STIFFNESS),
            volume,
            ..Material::default()
        };
        let mut body = Body { name: self.name.clone(), material, ..Body::default() };
        match &self.mesh {
            CaseMesh::Bar(cells) => {
                body.source = Source::Inline(bar(*cells));
                body.locks = vec![Region::HalfSpace { point: [0.0; 3], normal: [-1.0, 0.0, 0.0] }];
            }
            CaseMesh::File { path, copies } => {
                body.source = Source::Mesh { path: path.clone(), group: None };
                let count = [*copies, 1, 1];
                body.copies = (*copies > 1).then_some(Copies { count, spacing: [1.0, 0.0, 0.0] });
            }
        }
        let world = World { gravity: [0.0, -9.81, 0.0], ..world_of_peers() };
        Scene { name: self.name.clone(), world, bodies: vec![body], ..Scene::default() }
    }
}

/// Timestep, damping and integrator of the peers, without walls.
fn world_of_peers() -> World {
    World {
        damping: DAMPING,
        timestep: TIMESTEP,
        integrator: Integrator::Verlet,
        bounds: None,
        ..World::default()
    }
}

/// A bar one unit high and deep.
fn bar(cells: [u32; 3]) -> Mesh {
    let cell = 1.0 / f64::from(cells[1]);
    shapes::bar(cells, cells.map(|n| f64::from(n) * cell), shapes::Split::Six)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(threads: usize, steps: u64) -> Settings {
        Settings {
            backend: Backend::Cpu { threads },
            accumulation: Accumulation::Auto,
            seconds: 0.0,
            steps: Some(steps),
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn a_gpu_row_tells_stages_and_bytes_and_lands_where_the_cpu_does() {
        let Some(device) = pliant_gpu::testing::gpu("bench") else { return };
        let case = &standard()[0];
        let reference = run(case, &cpu(1, 1)).unwrap().check_mean_dy.unwrap();
        for accumulation in Accumulation::ALL {
            let backend = Backend::Device(device.clone());
            let settings = Settings { backend, accumulation, ..cpu(1, 5) };
            let row = run(case, &settings).unwrap();
            let gpu = row.gpu.as_ref().unwrap();
            assert_eq!((row.backend, gpu.dispatches, gpu.stages.len()), ("gpu", 2, 2));
            assert!(gpu.bytes_per_tet_once > 24.0, "each tetrahedron is read at least once");
            assert!(gpu.bytes_per_tet_by_access > gpu.bytes_per_tet_once);
            let timed = gpu.stages.iter().all(|s| s.ms.is_some_and(|ms| ms > 0.0));
            assert!(timed || !device.has_timestamps(), "{gpu:?}");
            let dy = row.check_mean_dy.unwrap();
            assert!((dy / reference - 1.0).abs() < 1e-4, "{accumulation}: {dy}, {reference}");
        }
    }

    #[test]
    fn a_row_is_complete_and_its_hash_does_not_depend_on_threads() {
        let case = &standard()[0];
        let one = run(case, &cpu(1, 5)).unwrap();
        let two = run(case, &cpu(2, 5)).unwrap();
        assert!(one.backend == "cpu" && one.gpu.is_none());
        assert_eq!(one.tets, 5184);
        assert_eq!(one.hash, two.hash);
        assert!(one.ms_per_step > 0.0 && one.bytes_per_tet > 20.0);
    }

    #[test]
    fn displacements_agree_with_the_peers() {
        // The peers' step with damping at the mean of two velocities, computed in double precision by
        // numpy: mean displacement after 500 steps of the two smaller bars. The peers take damping
        // before the kick, which is 0.04 % off, and velocity as a difference of positions in single
        // precision, which is 0.2 % off.
        for (name, exact) in [("bar5k", -0.032_733_846), ("bar20k", -0.035_611_880)] {
            let case = standard().into_iter().find(|c| c.name == name).unwrap();
            let row = run(&case, &cpu(1, 1)).unwrap();
            let dy = row.check_mean_dy.unwrap();
            assert!((dy / exact - 1.0).abs() < 1e-4, "{name}: {dy}");
        }
    }
}
