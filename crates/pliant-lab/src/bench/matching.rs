//! How long a step of bodies takes that are drawn back to their shapes.
//!
//! The bars are those that PositionBasedDynamics (PyPI `pypbd`) is timed with, each tetrahedron a rigid cluster of its
//! own. Its step has five Gauss–Seidel iterations over all clusters, of which each counts; ours goes through them once.
//! The crowds are blocks of 100 vertices in 8 clusters, far apart.

use std::time::Instant;

use pliant_sim::scene::{Body, Clusters, Copies, Mass, Material, ShapeMatching, ShapeMode, Source};
use pliant_sim::{Scene, Simulator};

use super::{BenchError, Settings, backend_kind, check_device, world_of_peers};

/// Steps after which the hash is taken.
const HASH_STEPS: u64 = 20;

/// Bodies to time.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapesCase {
    /// What to call it.
    pub name: String,
    /// Cells along each axis.
    pub cells: [u32; 3],
    /// Copies along each axis.
    pub copies: [u32; 3],
    /// What vertices belong together.
    pub clusters: Clusters,
}

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ShapesRow {
    /// Name of the case.
    pub case: String,
    /// What ran it: cpu or gpu.
    pub backend: &'static str,
    /// Threads at work.
    pub threads: usize,
    /// Bodies.
    pub bodies: usize,
    /// Vertices.
    pub vertices: usize,
    /// Clusters.
    pub clusters: usize,
    /// Vertices of all clusters.
    pub members: usize,
    /// Time of one step \[ms\].
    pub ms_per_step: f64,
    /// Clusters times steps per second, in millions.
    pub mclusters_per_s: f64,
    /// Making the mesh and compiling the model \[ms\].
    pub load_ms: f64,
    /// State hash after `hash_steps` steps.
    pub hash: String,
    /// Steps after which the hash was taken.
    pub hash_steps: u64,
}

/// The bars of the peer, and crowds.
pub fn standard() -> Vec<ShapesCase> {
    let bar = |name: &str, cells: [u32; 3]| ShapesCase {
        name: name.into(),
        cells,
        copies: [1; 3],
        clusters: Clusters::Elements,
    };
    let crowd = |copies: [u32; 3]| ShapesCase {
        name: format!("bodies{}", copies.iter().product::<u32>()),
        cells: [4, 4, 3],
        copies,
        clusters: Clusters::Count(8),
    };
    let mut cases = vec![bar("tets90k", [60, 16, 16]), bar("tets500k", [108, 28, 28])];
    cases.extend([[10, 1, 1], [10, 10, 1], [10, 10, 10]].map(crowd));
    cases
}

/// Times one case.
pub fn run(case: &ShapesCase, settings: &Settings) -> Result<ShapesRow, BenchError> {
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
    let shapes = &sim.model().shapes;
    let (clusters, members) = (shapes.clusters.len(), shapes.members.len());
    Ok(ShapesRow {
        case: case.name.clone(),
        backend,
        threads: sim.thread_count(),
        bodies: sim.model().bodies.len(),
        vertices: sim.model().vertex_count(),
        clusters,
        members,
        ms_per_step: 1e3 * seconds,
        mclusters_per_s: clusters as f64 / seconds * 1e-6,
        load_ms,
        hash,
        hash_steps: HASH_STEPS,
    })
}

impl ShapesCase {
    fn scene(&self) -> Scene {
        let matching = ShapeMatching {
            mode: ShapeMode::Rigid,
            alpha: Some(0.5),
            // The peer's bodies have none.
            damping: (self.clusters == Clusters::Elements).then_some(0.0),
            clusters: self.clusters.clone(),
            ..ShapeMatching::default()
        };
        let body = Body {
            name: self.name.clone(),
            source: Source::Inline(super::bar(self.cells)),
            material: Material { mass: Mass::Vertex(1e-3), ..Material::default() },
            // So that there is something to do.
            spin: [1.0, 2.0, 3.0],
            shape_matching: Some(matching),
            copies: Some(Copies { count: self.copies, spacing: [3.0; 3] }),
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
    fn a_row_counts_clusters_and_its_hash_does_not_depend_on_threads() {
        let case = ShapesCase {
            name: "small".into(),
            cells: [12, 8, 8],
            copies: [2, 1, 1],
            clusters: Clusters::Elements,
        };
        let rows = [1, 2].map(|threads| {
            let settings = Settings {
                backend: Backend::Cpu { threads },
                accumulation: Accumulation::Auto,
                seconds: 0.01,
                steps: Some(5),
            };
            run(&case, &settings).unwrap()
        });
        let tets = rows[0].clusters;
        assert_eq!((tets, rows[0].members), (2 * 6 * 12 * 8 * 8, 4 * tets));
        assert_eq!((rows[0].bodies, rows[0].vertices), (2, 2 * 13 * 9 * 9));
        assert!(rows[0].mclusters_per_s > 0.0);
        assert_eq!(rows[0].hash, rows[1].hash);
    }
}
