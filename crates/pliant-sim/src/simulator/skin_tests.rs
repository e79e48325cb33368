//! Candidates are a cache: without skins, so that every substep in which something moves searches anew, with thick ones,
//! and with lists that begin with next to no room, no bit changes.

use pliant_mesh::shapes::{self, Split};

use crate::model::compile;
use crate::scene::{
    Body, Collider, ColliderMesh, ColliderMotion, ColliderShape, Contact, Integrator, Mass, Scene,
    Source, Stiffness, Volume, World,
};
use crate::{Backend, Simulator};

fn body(name: &str, mesh: pliant_mesh::Mesh, density: f64, young: f64) -> Body {
    let mut body = Body { name: name.into(), source: Source::Inline(mesh), ..Body::default() };
    body.material.mass = Mass::Density(density);
    body.material.stiffness = Stiffness::Young(young);
    body.material.volume = Volume::Energy(young);
    body
}

/// Two blocks, one of which falls on the other, and a sheet that falls over both and touches itself. They lie on a
/// mesh that moves, where there may be one, or on the floor.
fn heap(integrator: Integrator, has_mesh: bool) -> Scene {
    let mut bodies = Vec::new();
    for n in 0..2 {
        let mesh = shapes::bar([3; 3], [0.1; 3], Split::default());
        let mut block = body(&format!("block {n}"), mesh, 1000.0, 1e5);
        let n = f64::from(n);
        block.translate = [-0.04 + 0.031 * n, -0.05 + 0.013 * n, 0.004 + 0.108 * n];
        block.velocity = [0.1, 0.0, -0.4];
        bodies.push(block);
    }
    let mut sheet = body("sheet", shapes::cloth([10, 10], [0.4, 0.4]).unwrap(), 0.3, 100.0);
    sheet.translate = [-0.2, -0.21, 0.235];
    sheet.velocity = [0.3, 0.0, -1.0];
    bodies.push(sheet);
    let motion = ColliderMotion::Steady { velocity: [0.1, 0.0, 0.05], spin: [0.0, 0.1, 0.4] };
    let mut tray = shapes::cloth([6, 6], [0.5, 0.5]).unwrap();
    tray.points.iter_mut().for_each(|p| *p = [p[0] - 0.25, p[1] - 0.25, p[2]]);
    let tray = Collider {
        name: "tray".into(),
        shape: ColliderShape::Mesh(ColliderMesh::of(Source::Inline(tray))),
        motion: Some(motion),
        ..Collider::default()
    };
    let contact = Some(Contact { friction: 0.4, within_bodies: true, ..Contact::default() });
    let timestep = if integrator == Integrator::ImplicitEuler { 2e-3 } else { 2e-4 };
    let world = World { integrator, timestep, contact, ..World::default() };
    let colliders = if has_mesh { vec![tray] } else { Vec::new() };
    Scene { name: "heap".into(), world, bodies, colliders, ..Scene::default() }
}

/// A simulator whose skins are so much thicker than they would be.
fn simulator(scene: &Scene, backend: &Backend, skin: f32) -> Simulator {
    let mut model = compile(scene).unwrap();
    model.skin = skin;
    Simulator::from_model(scene.clone(), model, backend).unwrap()
}

/// The hash after some steps, and how often candidates were searched for.
fn outcome(sim: &mut Simulator, steps: u64) -> (u64, u64) {
    let report = sim.step(steps).unwrap().contact.unwrap();
    assert!(report.contacts > 0, "{report:?}");
    (sim.hash(), report.searches)
}

/// Steps without skins, and steps of which each may search twice or not at all.
fn compare(name: &str, scene: &Scene, steps: u64) {
    let cpu = Backend::Cpu { threads: 2 };
    let [usual, none, thick] =
        [1.0, 0.0, 3.0].map(|skin| outcome(&mut simulator(scene, &cpu, skin), steps));
    assert_eq!(none.0, usual.0, "{name}: without skins");
    assert_eq!(thick.0, usual.0, "{name}: thick skins");
    // Implicit steps search in each, whatever skins there are.
    let is_explicit = scene.world.integrator != Integrator::ImplicitEuler
        && !scene.bodies.iter().any(|body| body.implicit);
    if is_explicit {
        assert!(none.1 >= steps, "{name}: {} searches in {steps} steps", none.1);
        assert!(usual.1 < none.1 / 2 && thick.1 < usual.1, "{name}: {usual:?} {thick:?}");
    }
}

#[test]
fn skins_change_no_bit() {
    compare("bodies", &heap(Integrator::Verlet, false), 400);
    compare("several calls", &heap(Integrator::Rk2, true), 300);
    compare("a mesh", &heap(Integrator::Verlet, true), 400);
    compare("implicit", &heap(Integrator::ImplicitEuler, true), 40);
    let mut mixed = heap(Integrator::Verlet, true);
    mixed.bodies[0].implicit = true;
    compare("mixed", &mixed, 300);
    let mut guarded = heap(Integrator::Verlet, false);
    guarded.world.contact.iter_mut().for_each(|contact| contact.guarantee = true);
    compare("guarded", &guarded, 300);
}

#[cfg(feature = "gpu")]
#[test]
fn skins_and_room_change_no_bit_on_a_device() {
    let Some(gpu) = pliant_gpu::testing::gpu("contact") else { return };
    let backend = Backend::Device(gpu);
    let scene = heap(Integrator::Verlet, false);
    let [usual, none, thick] = [(1.0, None), (0.0, Some(1)), (3.0, None)].map(|(skin, room)| {
        let mut sim = simulator(&scene, &backend, skin);
        if let Some(room) = room {
            sim.gpu_mut().unwrap().begin_with_contact_room(room);
        }
        outcome(&mut sim, 150)
    });
    assert_eq!(none.0, usual.0, "without skins, and room for one pair");
    assert_eq!(thick.0, usual.0, "thick skins");
    assert!(none.1 >= 150 && usual.1 < none.1 / 2, "{none:?} {usual:?}");
}
