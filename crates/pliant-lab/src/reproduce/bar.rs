//! A bar fixed at both ends: Echtler 2004, *Efficient Realization of Mass-Spring Systems on Graphics
//! Hardware*, section 6.2.1, "static precision".

use pliant_mesh::shapes::{self, Split};
use pliant_sim::scene::{
    Body, Integrator, Mass, Material, Region, Source, Stiffness, Volume, World,
};
use pliant_sim::{Backend, Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};

pub const EXPERIMENT: Experiment = Experiment {
    name: "s1-bar",
    about: "Sag of a bar of 14 × 2 × 2 m, 1.2 kg, fixed at both ends, stiffness 2.5 and 25",
    method: "Echtler (2004) does not print the mesh; 1.2 kg at 1 g each are 1,200 vertices, the Cuboid. \
             Equal springs make the stiffness depend on the mesh, so several meshes are shown. \
             Echtler's own beam value of 1.58 m uses E = 358.75 Pa, for which the formula gives \
             0.18 m; 1.24 m belongs to a beam of 51 Pa. Runs until the bar stands still.",
    run,
};

const SIZE: [f64; 3] = [14.0, 2.0, 2.0];

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    let meshes = [
        ("35 × 5 × 5 cells of 6 tetrahedra", [35, 5, 5], Some(Split::Six)),
        ("35 × 5 × 5 cells of 5 tetrahedra", [35, 5, 5], Some(Split::Five)),
        ("35 × 5 × 5 irregular cells", [35, 5, 5], None),
        ("28 × 4 × 4 cells of 6 tetrahedra", [28, 4, 4], Some(Split::Six)),
    ];
    let mut rows = Vec::new();
    for (name, cells, split) in meshes {
        let (sag, tets, vertices) = sag(cells, split, &effort.backend)?;
        let note = format!("{vertices} vertices, {tets} tetrahedra");
        rows.push(Row::new(format!("sag, {name}"), Some(1.24), sag, "m").note(note));
    }
    Ok(rows)
}

/// Displacement of the middle of the bar when it has come to rest, with its mesh's counts.
fn sag(
    cells: [u32; 3],
    split: Option<Split>,
    backend: &Backend,
) -> Result<(f64, usize, usize), ReproduceError> {
    let mesh = match split {
        Some(split) => shapes::bar(cells, SIZE, split),
        None => shapes::irregular_bar(cells, SIZE, 1)
            .map_err(|e| ReproduceError::Failed(e.to_string()))?,
    };
    let wall = |x: f64| Region::Box { min: [x - 1e-6, -9.0, -9.0], max: [x + 1e-6, 9.0, 9.0] };
    let material = Material {
        mass: Mass::Total(1.2),
        stiffness: Stiffness::Spring(2.5),
        volume: Volume::Thesis(25.0),
        ..Material::default()
    };
    let body = Body {
        name: "bar".into(),
        source: Source::Inline(mesh.clone()),
        material,
        locks: vec![wall(0.0), wall(SIZE[0])],
        ..Body::default()
    };
    let world = World {
        damping: 1.0,
        timestep: 2e-3,
        integrator: Integrator::Verlet,
        bounds: None,
        ..World::default()
    };
    let scene = Scene { name: "bar".into(), world, bodies: vec![body], ..Scene::default() };
    let mut sim = Simulator::new(scene, backend.clone())?;
    let middle: Vec<usize> = (0..mesh.points.len())
        .filter(|&i| {
            (mesh.points[i][0] - 0.5 * SIZE[0]).abs() < 0.6 * SIZE[0] / f64::from(cells[0])
        })
        .collect();
    let sag_now = |sim: &Simulator| {
        let now = sim.positions();
        let sum: f64 = middle.iter().map(|&i| mesh.points[i][2] - now[i][2]).sum();
        sum / middle.len() as f64
    };
    let mut last = f64::INFINITY;
    for _ in 0..40 {
        // Five seconds: several periods of the slowest swing.
        sim.advance(2500)?;
        let sag = sag_now(&sim);
        if (sag - last).abs() < 1e-4 {
            return Ok((sag, sim.model().tets.len(), mesh.points.len()));
        }
        last = sag;
    }
    Err(ReproduceError::Failed("the bar does not come to rest within 200 s".into()))
}
