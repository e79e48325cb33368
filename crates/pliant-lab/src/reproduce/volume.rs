//! Looking inside while it moves: Tejada & Ertl 2005, *Large steps in GPU-based deformable bodies
//! simulation*, the frame rates of the ray caster.

use std::time::Instant;

use pliant_mesh::Mesh;
use pliant_render::cpu;
use pliant_sim::scene::{
    Body, Integrator, Mass, Material, Region, Source, Stiffness, Volume, World,
};
use pliant_sim::{Backend, Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};
use crate::bench::volume::{Cube, SIZE};

pub const EXPERIMENT: Experiment = Experiment {
    name: "s4-volume",
    about: "Pictures per second of the volume ray caster at 112k and 157k tetrahedra, at rest and moving",
    method: "Twisted cubes of nearly the same numbers of tetrahedra with waves of value, 512 × 512 \
             pixels, drawn on the CPU; with simulation, one step before each picture (explicit Euler of \
             0.5 ms, implicit Euler of 10 ms solved to 10⁻⁴; springs only, held at one face) on the \
             chosen backend. The published figures are from a GeForce 7800; the size of its pictures is \
             not published.",
    run,
};

/// Name, tetrahedra, published pictures per second at rest, with explicit and with implicit Euler;
/// and the cells of a cube of about that size.
type Size = (&'static str, usize, [f64; 3], [usize; 3]);

const TABLE: [Size; 2] = [
    ("Knee", 112_299, [11.21, 7.30, 5.62], [27, 26, 27]),
    ("Foot", 156_612, [6.2, 4.34, 2.57], [30, 30, 29]),
];

const STEPS: [(Integrator, f64); 2] =
    [(Integrator::ExplicitEuler, 5e-4), (Integrator::ImplicitEuler, 0.01)];

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    look(effort, &TABLE)
}

fn look(effort: &Effort, sizes: &[Size]) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for &(name, tets, published, cells) in sizes {
        let mut cube = Cube::new(cells);
        let note = format!("{tets} tetrahedra there, {} here", cube.tets.len());
        let still = pictures_per_second(effort, &mut cube, |_| Ok(()))?;
        let row = Row::new(format!("{name}: at rest"), Some(published[0]), still, "pictures/s");
        rows.push(row.note(note.clone()));
        for ((integrator, timestep), published) in STEPS.into_iter().zip(&published[1..]) {
            let mut sim = simulator(&cube, integrator, timestep, &effort.backend)?;
            let mut moving = Cube::new(cells);
            let rate = pictures_per_second(effort, &mut moving, |positions| {
                sim.advance(1)?;
                let now = sim.positions();
                positions.iter_mut().zip(now).for_each(|(p, x)| *p = x.map(|c| c as f32));
                Ok(())
            })?;
            let name = format!("{name}: with {integrator}");
            rows.push(Row::new(name, Some(*published), rate, "pictures/s").note(note.clone()));
        }
    }
    Ok(rows)
}

/// Draws for a while, moving the vertices before each picture.
fn pictures_per_second(
    effort: &Effort,
    cube: &mut Cube,
    mut advance: impl FnMut(&mut [[f32; 3]]) -> Result<(), ReproduceError>,
) -> Result<f64, ReproduceError> {
    let mut renderer = cpu::Renderer::new();
    let view = cube.view(25.0);
    let (mut start, mut count) = (Instant::now(), 0u32);
    loop {
        advance(&mut cube.positions)?;
        let picture = renderer.render(&cube.geometry(), &view, SIZE, SIZE, effort.threads);
        picture.map_err(|e| ReproduceError::Failed(e.to_string()))?;
        count += 1;
        if count == 1 {
            // The first one builds what the others keep.
            start = Instant::now();
        } else if count >= 4 && start.elapsed().as_secs_f64() >= effort.seconds {
            return Ok(f64::from(count - 1) / start.elapsed().as_secs_f64());
        }
    }
}

/// The cube as a body that hangs from its uppermost face.
fn simulator(
    cube: &Cube,
    integrator: Integrator,
    timestep: f64,
    backend: &Backend,
) -> Result<Simulator, ReproduceError> {
    let mesh = Mesh {
        points: cube.positions.iter().map(|p| p.map(f64::from)).collect(),
        tets: cube.tets.clone(),
        ..Mesh::default()
    };
    let material = Material {
        mass: Mass::Vertex(0.015),
        stiffness: Stiffness::Spring(600.0),
        volume: Volume::None,
        ..Material::default()
    };
    let body = Body {
        name: "cube".into(),
        source: Source::Inline(mesh),
        material,
        locks: vec![Region::HalfSpace { point: [0.0, 0.0, 0.499], normal: [0.0, 0.0, 1.0] }],
        ..Body::default()
    };
    let world = World { bounds: None, timestep, integrator, ..World::default() };
    let scene = Scene { name: "cube".into(), world, bodies: vec![body], ..Scene::default() };
    Ok(Simulator::new(scene, backend.clone())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_beside_what_was_published() {
        let sizes = [("small", 1296, [11.21, 7.30, 5.62], [6, 6, 6])];
        let rows = look(&Effort::on_cpu(1, 0.001), &sizes).unwrap();
        let published: Vec<_> = rows.iter().map(|r| r.published).collect();
        assert_eq!(published, [Some(11.21), Some(7.30), Some(5.62)]);
        assert!(rows.iter().all(|r| r.ours > 0.0 && r.note.contains("1296 here")), "{rows:?}");
    }

    #[test]
    fn cubes_have_about_the_sizes_of_the_document() {
        for (name, tets, _, [x, y, z]) in TABLE {
            let ours = 6.0 * (x * y * z) as f64;
            assert!((ours / tets as f64 - 1.0).abs() < 0.02, "{name}: {ours}");
        }
    }
}
