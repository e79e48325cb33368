//! How long an explicit step of woven cloth takes: stretch, shear and bend, all by springs.
//!
//! Sheets, masses, damping and timestep are those that the alternatives (Taichi, numba) are timed with. What is
//! compared is springs times steps per second: theirs have one diagonal in each square, ours both.

use std::time::Instant;

use pliant_sim::scene::{
    BendSprings, Body, Cloth, Mass, Material, Region, Shape, Source, Stiffness,
};
use pliant_sim::{Scene, Simulator};

use super::{BenchError, Settings, backend_kind, check_device, world_of_peers};

/// Steps after which the hash is taken.
const HASH_STEPS: u64 = 100;

/// A sheet to time.
#[derive(Clone, Debug, PartialEq)]
pub struct WeaveCase {
    /// What to call it.
    pub name: String,
    /// Vertices along each side.
    pub side: u32,
}

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct WeaveRow {
    /// Name of the case.
    pub case: String,
    /// What ran it: cpu or gpu.
    pub backend: &'static str,
    /// Threads at work.
    pub threads: usize,
    /// Vertices.
    pub vertices: usize,
    /// Springs of all kinds.
    pub springs: usize,
    /// Time of one step \[ms\].
    pub ms_per_step: f64,
    /// Springs times steps per second, in millions.
    pub msprings_per_s: f64,
    /// Making the mesh and compiling the model \[ms\].
    pub load_ms: f64,
    /// State hash after `hash_steps` steps.
    pub hash: String,
    /// Steps after which the hash was taken.
    pub hash_steps: u64,
}

/// The sheets of the peers.
pub fn standard() -> Vec<WeaveCase> {
    [128, 256, 512].map(|side| WeaveCase { name: format!("cloth{side}"), side }).into()
}

/// Times one sheet.
pub fn run(case: &WeaveCase, settings: &Settings) -> Result<WeaveRow, BenchError> {
    let start = Instant::now();
    let mut scene = case.scene();
    scene.world.accumulation = settings.accumulation;
    let mut sim = Simulator::new(scene, settings.backend.clone())?;
    let backend = backend_kind(&sim);
    let load_ms = 1e3 * start.elapsed().as_secs_f64();
    let diverged =
        |source| BenchError::Diverged { case: case.name.clone(), source: Box::new(source) };
    sim.advance(HASH_STEPS).map_err(diverged)?;
    let hash = format!("{:016x}", sim.hash());
    let seconds = settings.seconds_per_step(&mut sim).map_err(diverged)?;
    check_device(&mut sim, &case.name)?;
    let (vertices, springs) = (sim.model().vertex_count(), sim.model().springs.len());
    Ok(WeaveRow {
        case: case.name.clone(),
        backend,
        threads: sim.thread_count(),
        vertices,
        springs,
        ms_per_step: 1e3 * seconds,
        msprings_per_s: springs as f64 / seconds * 1e-6,
        load_ms,
        hash,
        hash_steps: HASH_STEPS,
    })
}

impl WeaveCase {
    fn scene(&self) -> Scene {
        let cloth = Cloth {
            stretch: [2e3; 2],
            shear: 500.0,
            bend: 200.0,
            bend_springs: BendSprings::Second,
            ..Cloth::default()
        };
        let material = Material {
            mass: Mass::Vertex(1e-3),
            stiffness: Stiffness::Cloth(cloth),
            ..Material::default()
        };
        let held = |x: f64, y: f64| Region::Sphere { center: [x, y, 0.0], radius: 1e-6 };
        let body = Body {
            name: self.name.clone(),
            source: Source::Shape(Shape::Cloth { cells: [self.side - 1; 2], size: [1.0; 2] }),
            material,
            locks: vec![held(0.0, 0.0), held(1.0, 0.0), held(0.0, 1.0), held(1.0, 1.0)],
            ..Body::default()
        };
        let (name, world) = (self.name.clone(), world_of_peers());
        Scene { name, world, bodies: vec![body], ..Scene::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_sim::Backend;
    use pliant_sim::scene::Accumulation;

    #[test]
    fn a_row_counts_springs_and_its_hash_does_not_depend_on_threads() {
        let case = WeaveCase { name: "small".into(), side: 40 };
        let rows = [1, 2].map(|threads| {
            let settings = Settings {
                backend: Backend::Cpu { threads },
                accumulation: Accumulation::Auto,
                seconds: 0.01,
                steps: Some(5),
            };
            run(&case, &settings).unwrap()
        });
        // Rows and columns, both diagonals of each square, and every second neighbour.
        assert_eq!(rows[0].springs, 2 * 40 * 39 + 2 * 39 * 39 + 2 * 40 * 38);
        assert_eq!(rows[0].vertices, 1600);
        assert!(rows[0].msprings_per_s > 0.0);
        assert_eq!(rows[0].hash, rows[1].hash);
    }
}
