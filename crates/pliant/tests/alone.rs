//! Meshes of the shared data folder that come without a scene play at a pace that can be watched.

mod support;

use pliant::Simulator;
use pliant::scene::{Integrator, Source};
use pliant::scenes::{choose_steps, from_mesh};
use support::{cpu, data};

const MESHES: [&str; 9] = [
    "tet/liver.msh",
    "tet/armadillo_4k.node",
    "tet/bunny.node",
    "tet/cylinder_truth.msh",
    "tet/ditto.vtk",
    "tet/dragon-coarse.veg",
    "tet/tetgen_example.node",
    "tet/torus_low_res.msh",
    "surface/tshirt.msh",
];

#[test]
fn meshes_alone_fall_and_stay_together_in_steps_that_can_be_watched() {
    for name in MESHES {
        let Some(path) = data(name) else { return };
        let mesh = pliant::mesh::load(&path).unwrap().mesh;
        let elements = mesh.tets.len().max(mesh.triangles.len()) as f64;
        let (mut scene, _) = from_mesh(&mesh, path, false).unwrap();
        scene.bodies[0].source = Source::Inline(mesh);
        let probe = Simulator::new(scene.clone(), cpu()).unwrap();
        let told = choose_steps(&mut scene.world, &probe);
        let (integrator, h) = (scene.world.integrator, scene.world.timestep);
        println!("{name}: {elements} elements, {integrator}, {h:.1e} s");
        let is_implicit = integrator == Integrator::ImplicitEuler;
        assert_eq!(told.is_some(), is_implicit, "{name}");
        // What two common processor cores do in a second.
        assert!(
            is_implicit || elements / h < 4e8,
            "{name}: {:.1e} elements a second",
            elements / h
        );
        let mut sim = Simulator::new(scene, cpu()).unwrap();
        let start = sim.report().center_of_mass[2];
        let report = sim.step((0.4 / h) as u64).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(report.center_of_mass[2] < start - 0.01, "{name} does not fall: {report:?}");
    }
}
