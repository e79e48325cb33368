//! Throughput: Echtler 2004, *Efficient Realization of Mass-Spring Systems on Graphics Hardware*,
//! section 6.1.6.

use pliant_mesh::shapes::{self, Split};
use pliant_sim::scene::{Body, Mass, Material, Source, Stiffness, Volume, World};
use pliant_sim::{Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};
use crate::timing::median_seconds;

pub const EXPERIMENT: Experiment = Experiment {
    name: "s1-speed",
    about: "Tetrahedra times steps per second at the five sizes of Echtler 2004",
    method: "Bodies of nearly the same numbers of tetrahedra with Echtler's material and forces, \
             simulation without drawing; the published figures are from a GPU of 2004.",
    run,
};

/// Name, tetrahedra and throughput as published, and the cells of a bar of about that size.
const TABLE: [(&str, usize, f64, [u32; 3]); 5] = [
    ("Cuboid", 5012, 1_924_608.0, [20, 10, 5]),
    ("Liver", 7536, 2_893_824.0, [21, 12, 6]),
    ("Stanford Bunny", 9804, 3_764_736.0, [20, 14, 7]),
    ("Double Bunny", 19608, 5_431_416.0, [28, 20, 7]),
    ("Überbunny", 84104, 5_046_240.0, [51, 30, 11]),
];

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    TABLE
        .iter()
        .map(|&(name, tets, published, cells)| {
            let mesh = shapes::bar(cells, cells.map(|n| 0.5 * f64::from(n)), Split::Five);
            let material = Material {
                mass: Mass::Vertex(0.001),
                stiffness: Stiffness::Spring(2.5),
                volume: Volume::Thesis(25.0),
                ..Material::default()
            };
            let body = Body {
                name: name.into(),
                source: Source::Inline(mesh),
                material,
                ..Body::default()
            };
            let world = World {
                bounds: None,
                timestep: 1e-3,
                accumulation: effort.accumulation,
                ..World::default()
            };
            let scene = Scene { name: name.into(), world, bodies: vec![body], ..Scene::default() };
            let mut sim = Simulator::new(scene, effort.backend.clone())?;
            let seconds = median_seconds(effort.seconds, |n| sim.advance(n))?;
            if sim.device_failures() > 0 {
                return Err(ReproduceError::Failed(sim.take_messages().join("; ")));
            }
            let ours = sim.model().tets.len();
            let note = format!("{tets} tetrahedra as published, {ours} here");
            Ok(Row::new(name, Some(published), ours as f64 / seconds, "tets·steps/s").note(note))
        })
        .collect()
}
