//! Surfaces that touch: the device against the processor, buffer by buffer and run by run.

use std::collections::{BTreeMap, BTreeSet};

use pliant_gpu::{Gpu, testing};
use pliant_mesh::Mesh;
use pliant_mesh::shapes::{self, Split};

use super::Random;
use crate::contact::closest::{edge_edge, point_triangle};
use crate::contact::{ContactKind, Touching};
use crate::math::Vec3;
use crate::scene::{
    Accumulation, Body, Contact, Damping, Integrator, Mass, Material, Region, Rotation, Scene,
    Source, Stiffness, Volume, World,
};
use crate::{Backend, Simulator, checkpoint};

/// How far apart the two may be after one step \[m\]: a few roundings of positions, over the length of a step.
const AFTER_ONE: f64 = 1e-7;

fn body(name: &str, mesh: Mesh, density: f64, young: f64) -> Body {
    let material = Material {
        mass: Mass::Density(density),
        stiffness: Stiffness::Young(young),
        volume: Volume::Energy(young),
        damping: Damping::Time(1e-3),
    };
    Body { name: name.into(), source: Source::Inline(mesh), material, ..Body::default() }
}

/// Turned blocks on a plate that is locked, and a cloth that falls over them: vertices, edges and faces touch, of
/// solids and of skins, of other bodies and of the same. No edges are parallel, where rounding would decide.
fn pile(integrator: Integrator) -> Scene {
    let plate = shapes::bar([6, 6, 1], [0.5, 0.5, 0.1], Split::default());
    let mut plate = body("plate", plate, 1000.0, 1e5);
    plate.translate = [-0.25, -0.25, -0.1];
    plate.locks = vec![Region::HalfSpace { point: [0.0, 0.0, 1.0], normal: [0.0, 0.0, -1.0] }];
    let mut bodies = vec![plate];
    for n in 0..3 {
        let block = shapes::bar([3; 3], [0.1; 3], Split::default());
        let mut block = body(&format!("block {n}"), block, 1000.0, 1e5);
        let n = f64::from(n);
        block.translate = [-0.1 + 0.031 * n, -0.053 + 0.013 * n, 0.006 + 0.112 * n];
        block.rotate = Rotation::AxisAngle { axis: [0.03, 0.02, 1.0], degrees: 7.0 + 11.0 * n };
        block.velocity = [0.1, 0.03, -0.5];
        bodies.push(block);
    }
    let mut cloth = body("cloth", shapes::cloth([10, 10], [0.4, 0.4]).unwrap(), 0.3, 100.0);
    cloth.translate = [-0.2, -0.21, 0.37];
    cloth.rotate = Rotation::AxisAngle { axis: [0.0, 0.05, 1.0], degrees: 3.0 };
    cloth.velocity = [0.0, 0.0, -2.0];
    bodies.push(cloth);
    let contact = Some(Contact { friction: 0.4, ..Contact::default() });
    let world = World { integrator, timestep: 2e-4, contact, bounds: None, ..World::default() };
    Scene { name: "pile".into(), world, bodies, ..Scene::default() }
}

fn on_device(gpu: &Gpu, scene: &Scene) -> Simulator {
    Simulator::new(scene.clone(), Backend::Device(gpu.clone())).unwrap()
}

fn on_processor(scene: &Scene) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap()
}

type Key = (ContactKind, [u32; 4]);

fn by_pair(rows: Vec<Touching>) -> BTreeMap<Key, Touching> {
    rows.into_iter().map(|row| ((row.kind, row.corners), row)).collect()
}

fn largest(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f32::max)
}

/// Compares the rows of two simulators, and what they hold on to, after a step from the same state.
fn compare_rows(name: &str, cpu: &mut Simulator, device: &mut Simulator) {
    let [mine, theirs] = [by_pair(cpu.contacts()), by_pair(device.contacts())];
    let [mine_keys, their_keys]: [BTreeSet<&Key>; 2] =
        [mine.keys().collect(), theirs.keys().collect()];
    let only: Vec<_> = mine_keys.symmetric_difference(&their_keys).collect();
    let strongest = mine.values().map(|row| largest(row.force, [0.0; 3])).fold(0.0, f32::max);
    let mut worst = [0.0_f32; 3];
    for (key, row) in &mine {
        let Some(other) = theirs.get(key) else { continue };
        assert_eq!(row.bodies, other.bodies, "{name}: {key:?}");
        let apart = [
            largest(row.normal, other.normal),
            (row.gap - other.gap).abs(),
            largest(row.force, other.force) / strongest,
        ];
        (0..3).for_each(|k| worst[k] = worst[k].max(apart[k]));
        let between: f64 =
            (0..3).map(|k| (row.point[k] - other.point[k]).abs()).fold(0.0, f64::max);
        assert!(between < 1e-5, "{name}: {row:?} {other:?}");
    }
    println!("{name}: {} rows, apart {worst:?}, of one alone {only:?}", mine.len());
    assert!(only.is_empty(), "{name}: {only:?}");
    assert!(worst[0] < 1e-5 && worst[1] < 1e-7 && worst[2] < 1e-3, "{name}: {worst:?}");
    let [mine, theirs] = [cpu.state().anchors, device.state().anchors];
    let pairs = |anchors: &[crate::stages::contact::Anchor]| -> Vec<Key> {
        anchors.iter().map(|anchor| (anchor.kind, anchor.corners)).collect()
    };
    assert_eq!(pairs(&mine), pairs(&theirs), "{name}: what is held on to");
    let [mine, theirs] = [cpu, device].map(|sim| sim.report().contact.unwrap());
    // Candidates are a cache: backends keep as many as suits them.
    assert_eq!(mine.contacts, theirs.contacts, "{name}");
    assert!([mine, theirs].iter().all(|report| report.candidates >= report.contacts), "{name}");
}

#[test]
fn rows_and_forces_are_those_of_the_processor() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let scene = pile(Integrator::Verlet);
    let mut ahead = on_processor(&scene);
    let mut kinds = BTreeSet::new();
    for steps in [0, 60, 240] {
        ahead.advance(steps).unwrap();
        let moment = checkpoint::decode(&checkpoint::encode(&ahead)).unwrap();
        let [mut cpu, mut device] = [on_processor(&scene), on_device(&gpu, &scene)];
        [&mut cpu, &mut device].into_iter().for_each(|sim| sim.load(&moment).unwrap());
        assert_eq!(cpu.hash(), device.hash(), "both begin with the same");
        [&mut cpu, &mut device].into_iter().for_each(|sim| sim.advance(1).unwrap());
        compare_rows(&format!("after {steps}"), &mut cpu, &mut device);
        let [mine, theirs] = [cpu.contact_forces(), device.contact_forces()];
        let strongest = mine.iter().map(|f| largest(*f, [0.0; 3])).fold(0.0, f32::max);
        let apart = mine.iter().zip(&theirs).map(|(a, b)| largest(*a, *b)).fold(0.0, f32::max);
        println!("forces {apart:e} of {strongest} N, {:e} m", super::farthest(&cpu, &device));
        assert!(apart <= 1e-3 * strongest && super::farthest(&cpu, &device) < AFTER_ONE);
        let is_within = |row: &Touching| row.bodies[0] == row.bodies[1];
        kinds.extend(cpu.contacts().iter().map(|row| (row.kind, is_within(row))));
    }
    assert!(kinds.len() >= 2, "{kinds:?}");
}

#[test]
fn every_integrator_and_strategy_goes_where_the_processor_goes() {
    let Some(gpu) = testing::gpu("contact") else { return };
    for (n, integrator) in Integrator::EXPLICIT.into_iter().enumerate() {
        let mut scene = pile(integrator);
        scene.world.accumulation = Accumulation::STRATEGIES[n % Accumulation::STRATEGIES.len()];
        let [mut cpu, mut device] = [on_processor(&scene), on_device(&gpu, &scene)];
        for (steps, tolerance) in [(1, AFTER_ONE), (19, 1e-6), (40, 1e-6)] {
            cpu.advance(steps).unwrap();
            device.advance(steps).unwrap();
            let apart = super::farthest(&cpu, &device);
            println!("{integrator} {}: {apart:e}", scene.world.accumulation);
            assert!(apart < tolerance, "{integrator}, {steps} more steps: {apart} m apart");
        }
        let [mine, theirs] = [cpu, device].map(|mut sim| sim.report().contact.unwrap());
        assert!(mine.contacts.abs_diff(theirs.contacts) <= mine.contacts / 10 + 1, "{integrator}");
        assert!(mine.contacts > 5, "{mine:?}");
    }
}

#[test]
fn room_cuts_and_resumes_change_no_bit() {
    let Some(gpu) = testing::gpu("contact") else { return };
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk2] {
        let mut scene = pile(integrator);
        // Half of a substep is done where the list turns out to be too small.
        scene.world.accumulation = Accumulation::EdgeScatter;
        let hash = |sim: &mut Simulator, pieces: &[u64]| {
            pieces.iter().for_each(|&steps| sim.advance(steps).unwrap());
            assert!(sim.report().contact.unwrap().contacts > 5);
            sim.hash()
        };
        let straight = hash(&mut on_device(&gpu, &scene), &[120]);
        assert_eq!(hash(&mut on_device(&gpu, &scene), &[120]), straight, "twice");
        let mut small = on_device(&gpu, &scene);
        small.gpu_mut().unwrap().begin_with_contact_room(1);
        assert_eq!(hash(&mut small, &[120]), straight, "{integrator}: room for one pair");
        let mut cut = on_device(&gpu, &scene);
        for steps in [1, 59, 20, 40] {
            cut.advance(steps).unwrap();
            let moment = checkpoint::decode(&checkpoint::encode(&cut)).unwrap();
            let mut on_host = on_processor(&scene);
            on_host.load(&moment).unwrap();
            assert_eq!(on_host.hash(), cut.hash(), "{integrator}: a processor takes it over");
            cut = on_device(&gpu, &scene);
            cut.load(&moment).unwrap();
        }
        assert_eq!(cut.hash(), straight, "{integrator}: cut and resumed");
    }
}

#[test]
fn a_snapshot_has_what_is_held_on_to() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let scene = pile(Integrator::Verlet);
    let mut sim = on_device(&gpu, &scene);
    sim.gpu_mut().unwrap().begin_with_contact_room(1);
    sim.advance(60).unwrap();
    let before = sim.gpu().unwrap().download(&scene.world).unwrap();
    assert!(before.anchors.len() > 5);
    sim.gpu_mut().unwrap().snapshot().unwrap();
    // There is more room by the time it goes back.
    sim.gpu_mut().unwrap().begin_with_contact_room(3000);
    sim.advance(40).unwrap();
    let first = sim.gpu().unwrap().download(&scene.world).unwrap();
    sim.gpu_mut().unwrap().restore().unwrap();
    let after = sim.gpu().unwrap().download(&scene.world).unwrap();
    assert_eq!(before, after);
    sim.advance(40).unwrap();
    assert_eq!(sim.gpu().unwrap().download(&scene.world).unwrap(), first, "the same bits again");
}

#[test]
fn a_run_that_comes_apart_is_divided_further() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let mut scene = pile(Integrator::Verlet);
    (scene.world.timestep, scene.world.auto_substeps) = (4e-3, true);
    let [one, other] = [on_device(&gpu, &scene), on_device(&gpu, &scene)].map(|mut sim| {
        sim.advance(12).unwrap();
        assert!(sim.substeps() > 1, "the step is too long as it is");
        sim.hash()
    });
    assert_eq!(one, other);
}

#[test]
fn hands_pull_and_shapes_yield_while_bodies_touch() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let mut scene = pile(Integrator::VelocityVerlet);
    scene.world.plasticity = 0.3;
    let begin = |mut sim: Simulator| {
        assert!(sim.grab([-0.05, 0.0, 0.06], 0.08, 0.5, 50.0) > 0);
        if let crate::stages::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] {
            drag.cursor = [0.1, 0.1, 0.2];
        }
        sim
    };
    let [mut cpu, mut device, mut cut] =
        [on_processor(&scene), on_device(&gpu, &scene), on_device(&gpu, &scene)].map(begin);
    cpu.advance(50).unwrap();
    device.advance(50).unwrap();
    [7, 43].into_iter().for_each(|steps| cut.advance(steps).unwrap());
    let apart = super::farthest(&cpu, &device);
    println!("{apart:e} m apart, {:?}", device.report().contact);
    assert!(apart < 1e-6, "{apart} m apart");
    assert_eq!(device.hash(), cut.hash());
    // What is mirrored is what the device would say.
    let said = (device.state(), device.contacts(), device.contact_forces());
    let world = device.world().clone();
    crate::at_once(device.gpu_mut().unwrap().mirror(&world)).unwrap();
    assert!(said.0.anchors.len() > 5 && said.1.len() > 5);
    assert_eq!((device.state(), device.contacts(), device.contact_forces()), said);
}

#[test]
fn contact_is_switched_on_and_off_while_it_runs() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let scene = pile(Integrator::Verlet);
    let [cpu, device] = [on_processor(&scene), on_device(&gpu, &scene)].map(|mut sim| {
        let off = World { contact: None, ..scene.world.clone() };
        let thick = Contact { thickness: Some(0.01), friction: 0.1, ..Contact::default() };
        let thick = World { contact: Some(thick), ..scene.world.clone() };
        for world in [&scene.world, &thick, &off, &scene.world] {
            sim.set_world(world.clone()).unwrap();
            sim.advance(15).unwrap();
            assert_eq!(sim.report().contact.is_some(), world.contact.is_some());
        }
        sim
    });
    let apart = super::farthest(&cpu, &device);
    assert!(apart < 1e-6, "{apart} m apart");
}

/// Triangles anywhere, some of them needles, nearly points or all in one plane.
fn soup(random: &mut Random, count: usize, kind: usize) -> Mesh {
    let mut mesh = Mesh::default();
    for n in 0..count {
        let middle = random.vector(0.5);
        for _ in 0..3 {
            let mut x = random.vector(0.1);
            match (kind, n % 3) {
                (1, 0) => x = [x[0], 1e-6 * x[1], 0.0],
                (1, 1) => x = x.map(|c| 1e-4 * c),
                (2, _) => x[2] = 0.0,
                _ => {}
            }
            let flat = if kind == 2 { 0.0 } else { middle[2] };
            let at = [middle[0] + x[0], middle[1] + x[1], flat + x[2]];
            mesh.points.push(at.map(f64::from));
        }
        let first = 3 * n as u32;
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh
}

#[test]
fn candidates_have_every_pair_that_brute_force_finds() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let mut random = Random(7);
    for (kind, at) in [(0, 0.0), (1, 0.0), (2, 0.0), (0, 1e6)] {
        let thickness = 0.02;
        let bodies = [60, 45].map(|count| {
            let mesh = soup(&mut random, count, kind);
            let mut soup = body(&format!("soup of {count}"), mesh, 1.0, 1e3);
            soup.translate = [at, 0.3 * at, -at];
            soup
        });
        let contact = Some(Contact { thickness: Some(thickness), ..Contact::default() });
        let world = World { contact, bounds: None, timestep: 1e-5, ..World::default() };
        let scene = Scene { world, bodies: bodies.into(), ..Scene::default() };
        let mut device = on_device(&gpu, &scene);
        let x: Vec<Vec3<f64>> = device.positions().into_iter().map(Vec3::from).collect();
        let user = |v: u32| device.model().vertex_order[v as usize];
        let triangles: Vec<[u32; 3]> =
            device.model().triangles.iter().map(|t| t.map(user)).collect();
        let wanted = brute_force(&x, &triangles, 2.0 * thickness);
        // What starts crossed may come apart too fast; the search was before.
        let _ = device.advance(1);
        let found = device.gpu().unwrap().contact_candidates();
        let found: BTreeSet<Key> = found.into_iter().map(sorted).collect();
        let missing: Vec<_> = wanted.difference(&found).collect();
        println!("kind {kind} at {at}: {} of {}", wanted.len(), found.len());
        assert!(missing.is_empty(), "kind {kind} at {at}: {missing:?}");
        assert!(wanted.len() > 20 && found.len() < 5 * wanted.len() + 1000);
    }
}

/// A pair in one of the ways that it can be written.
fn sorted((kind, [a, b, c, d]): Key) -> Key {
    match kind {
        ContactKind::VertexTriangle => {
            let mut triangle = [b, c, d];
            triangle.sort_unstable();
            let [b, c, d] = triangle;
            (kind, [a, b, c, d])
        }
        ContactKind::EdgeEdge => {
            let mut edges = [[a.min(b), a.max(b)], [c.min(d), c.max(d)]];
            edges.sort_unstable();
            let [[a, b], [c, d]] = edges;
            (kind, [a, b, c, d])
        }
    }
}

/// All pairs nearer than `reach` that share no corner.
fn brute_force(x: &[Vec3<f64>], triangles: &[[u32; 3]], reach: f64) -> BTreeSet<Key> {
    let at = |v: u32| x[v as usize];
    let mut found = BTreeSet::new();
    let edges: BTreeSet<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    for &[a, b, c] in triangles {
        let others = (0..x.len() as u32).filter(|v| ![a, b, c].contains(v));
        let near = others.filter(|&v| point_triangle(at(v), [a, b, c].map(at)).distance() < reach);
        found.extend(near.map(|v| sorted((ContactKind::VertexTriangle, [v, a, b, c]))));
    }
    for &one in &edges {
        for &other in edges.range(one..).filter(|edge| edge.iter().all(|v| !one.contains(v))) {
            if edge_edge(one.map(at), other.map(at)).distance() < reach {
                let pair = [one[0], one[1], other[0], other[1]];
                found.insert(sorted((ContactKind::EdgeEdge, pair)));
            }
        }
    }
    found
}
