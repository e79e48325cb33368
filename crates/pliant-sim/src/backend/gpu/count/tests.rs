//! Counts against numbers worked out by hand, and against what is really recorded.

use pliant_gpu::testing;
use pliant_mesh::{Mesh, shapes};

use super::*;
use crate::model::compile;
use crate::scene::{Body, Damping, Integrator, Scene, Source};
use crate::{Backend, Simulator};

fn scene(mesh: Mesh, accumulation: Accumulation) -> Scene {
    let body = Body { source: Source::Inline(mesh), ..Body::default() };
    let world = World { accumulation, ..World::default() };
    Scene { world, bodies: vec![body], ..Scene::default() }
}

fn count(scene: &Scene) -> StepCount {
    StepCount::new(&compile(scene).unwrap(), &scene.world)
}

/// One tetrahedron: 4 vertices in 32 slots of one slice, 6 springs, three at each vertex.
fn tetrahedron() -> Mesh {
    Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        tets: vec![[0, 1, 2, 3]],
        ..Mesh::default()
    }
}

/// Reads and writes of elastic and integrate: once, then by access.
fn numbers(accumulation: Accumulation) -> [[u64; 4]; 2] {
    let count = count(&scene(tetrahedron(), accumulation));
    assert_eq!(count.accumulation, accumulation);
    assert_eq!(count.dispatches(), 2);
    let [elastic, integrate] = count.stages[..] else { panic!("{count:?}") };
    assert_eq!((elastic.stage, integrate.stage), ("elastic", "integrate"));
    let both = |a: Bytes, b: Bytes| [a.read, a.written, b.read, b.written];
    [both(elastic.once, integrate.once), both(elastic.accesses, integrate.accesses)]
}

#[test]
fn one_tetrahedron_gathered() {
    // Vertex arrays are 32 · 16 = 512 bytes. Spring list: 2 + 3 · 32 words = 392 bytes; tetrahedron
    // list: 2 + 32 words = 136 bytes. Springs 6 · 16 = 96, tetrahedron 16 + 8, flags 16.
    // Sweep: forces and three arrays of vertices, flags, and four vectors of frames.
    let once = [512 + 96 + 16 + 8 + 392 + 136 + 16, 512, 4 * 512 + 16 + 64, 3 * 512];
    // 12 spring ends read two positions and a spring each, 4 corners four positions, a tetrahedron
    // and its coefficients. Every slot reads a flag and, of both lists, start and end; the 28 empty
    // slots read the mark of the end. In the sweep each slot reads 4 + 48 bytes of frames.
    let springs = 12 * (2 * 16 + 16);
    let tets = 4 * (4 * 16 + 16 + 8);
    let lists = 4 * (64 + 12 + 28) + 4 * (64 + 4 + 28);
    let flags = 32 * 4;
    let accesses = [springs + tets + lists + flags, 512, 4 * 512 + flags + 32 * 52, 3 * 512];
    assert_eq!(numbers(Accumulation::Gather), [once, accesses]);
}

#[test]
fn one_tetrahedron_stored_and_gathered() {
    // 6 + 4 stored forces of 12 bytes; their list: 2 + 4 · 32 words.
    let once = [512 + 96 + 16 + 8 + 16, 120, 520 + 120 + 3 * 512 + 16 + 64, 3 * 512];
    let elements = 6 * (2 * 16 + 16) + (4 * 16 + 16 + 8) + 7 * 4;
    let list = 4 * (64 + 16 + 28);
    let accesses = [elements, 120, list + 16 * 12 + 3 * 512 + 128 + 32 * 52, 3 * 512];
    assert_eq!(numbers(Accumulation::EdgeGather), [once, accesses]);
}

#[test]
fn one_tetrahedron_scattered() {
    // Fixed-point sums of 24 bytes for 32 slots; 12 spring ends and 4 corners add to them.
    let once = [512 + 96 + 16 + 8 + 16 + 768, 768, 768 + 3 * 512 + 16 + 64, 768 + 3 * 512];
    let elements = 6 * (2 * 16 + 16) + (4 * 16 + 16 + 8) + 7 * 4;
    let accesses = [elements + 16 * 24, 16 * 24, 768 + 3 * 512 + 128 + 32 * 52, 768 + 3 * 512];
    assert_eq!(numbers(Accumulation::EdgeScatter), [once, accesses]);
}

#[test]
fn lists_are_as_long_as_was_reckoned_without_them() {
    let bar = shapes::irregular_bar([7, 3, 2], [0.7, 0.3, 0.2], 11).unwrap();
    let cloth = shapes::cloth([5, 6], [0.5, 0.6]).unwrap();
    for mesh in [tetrahedron(), bar, cloth] {
        let layout = Layout::new(&compile(&scene(mesh, Accumulation::Auto)).unwrap());
        let reckoned = layout.list_lengths();
        assert_eq!(reckoned.springs, layout.spring_lists().words.len());
        assert_eq!(reckoned.tets, layout.tet_lists().words.len());
        assert_eq!(reckoned.parts, layout.part_lists().words.len());
    }
}

#[test]
fn integrators_and_substeps_multiply() {
    let dispatches = |integrator, substeps| {
        let mut scene = scene(tetrahedron(), Accumulation::Gather);
        scene.world.integrator = integrator;
        scene.world.substeps = substeps;
        count(&scene).dispatches()
    };
    assert_eq!(dispatches(Integrator::Verlet, 3), 6);
    assert_eq!(dispatches(Integrator::VelocityVerlet, 1), 3);
    assert_eq!(dispatches(Integrator::Rk4, 1), 8);
}

#[test]
fn a_step_of_the_large_bar_takes_few_dispatches_and_few_bytes() {
    let bar = shapes::bar([60, 16, 16], [3.75, 1.0, 1.0], shapes::Split::Six);
    let count = count(&scene(bar, Accumulation::Auto));
    let per_tet = |bytes: Bytes| bytes.total() as f64 / 92_160.0;
    let (once, accesses) = (per_tet(count.once()), per_tet(count.accesses()));
    println!("{}: {once:.1} bytes per tetrahedron, {accesses:.1} by access", count.accumulation);
    assert!(count.dispatches() <= 6, "{count:?}");
    assert!(once <= 200.0, "{once}");
    assert!(accesses > once);
}

#[test]
fn as_many_kernels_are_recorded_as_are_counted() {
    let Some(gpu) = testing::gpu("dispatches") else { return };
    for integrator in Integrator::EXPLICIT {
        for accumulation in Accumulation::ALL {
            let mut scene = scene(tetrahedron(), accumulation);
            scene.world.integrator = integrator;
            scene.world.substeps = 2;
            let expected = count(&scene);
            let mut sim = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
            sim.advance(5).unwrap();
            let backend = sim.gpu().unwrap();
            assert_eq!(backend.strategy(), expected.accumulation);
            assert_eq!(backend.dispatch_count(), 5 * u64::from(expected.dispatches()));
            assert_eq!(expected.iteration, None);
        }
    }
}

#[test]
fn contact_takes_a_dozen_kernels_where_nothing_is_near() {
    let touching = |accumulation| {
        let mut scene = scene(tetrahedron(), accumulation);
        scene.world.contact = Some(crate::scene::Contact::default());
        count(&scene).stages.iter().map(|s| (s.stage, s.dispatches)).collect::<Vec<_>>()
    };
    let gathered = [("elastic", 1), ("contact", 12), ("integrate", 1)];
    assert_eq!(touching(Accumulation::Gather), gathered);
    // Contact looks at forces before the sweep of the integrator could collect them.
    let stored = [("elastic", 1), ("collect", 1), ("contact", 12), ("integrate", 1)];
    assert_eq!(touching(Accumulation::EdgeGather), stored);
}

#[test]
fn bodies_of_both_kinds_share_forces_unless_these_are_damped() {
    let mut scene = scene(tetrahedron(), Accumulation::Gather);
    scene.bodies.push(Body { implicit: true, ..scene.bodies[0].clone() });
    scene.bodies[1].name = "implicit".into();
    let shared = count(&scene);
    let stages: Vec<_> = shared.stages.iter().map(|s| (s.stage, s.dispatches)).collect();
    assert_eq!(stages, [("elastic", 1), ("integrate", 1), ("implicit", 9)]);
    scene.bodies[0].material.damping = Damping::Time(1e-3);
    assert_eq!(count(&scene).dispatches(), shared.dispatches() + 1);
    // Only the second one's pairs are multiplied with.
    let iteration = shared.iteration.unwrap();
    scene.world.integrator = Integrator::ImplicitEuler;
    assert!(iteration.once.read < count(&scene).iteration.unwrap().once.read);
}

#[test]
fn one_tetrahedron_solved_for() {
    let mut scene = scene(tetrahedron(), Accumulation::Gather);
    scene.world.integrator = Integrator::ImplicitEuler;
    let iteration = count(&scene).iteration.unwrap();
    assert_eq!((iteration.stage, iteration.dispatches), ("iteration", 3));
    // Six pairs, three at each vertex, of three vectors each; lists of 2 + 2 · 3 · 32 words. The
    // product reads two vectors and the own mass of all slots and writes two, the step down reads
    // seven and writes three; one workgroup's sums of 8 bytes go to and fro, and the 35 words of a search.
    let once = Bytes {
        read: 4 * 194 + 6 * 48 + (2 + 1 + 7) * 512 + 3 * 8,
        written: (2 + 3) * 512 + 2 * 8 + 140,
    };
    assert_eq!(iteration.once, once);
    // Each slot reads four words about its list and the 28 empty ones the mark of its end; each of 12
    // ends a pair, a neighbour, a block and two vectors.
    let lists = 4 * (4 * 32 + 28) + 12 * (4 + 4);
    let read = lists + 12 * (48 + 32) + (2 + 1 + 7) * 512 + 3 * 8;
    assert_eq!(iteration.accesses, Bytes { read, ..once });
}

#[test]
fn implicit_steps_record_what_is_counted_and_whole_cycles() {
    let Some(gpu) = testing::gpu("dispatches") else { return };
    for (accumulation, fixed) in Accumulation::STRATEGIES.into_iter().zip([10, 11, 11]) {
        let mut scene = scene(tetrahedron(), accumulation);
        scene.world.integrator = Integrator::ImplicitEuler;
        let expected = count(&scene);
        assert_eq!(expected.dispatches(), fixed, "{accumulation}");
        let mut sim = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        sim.advance(5).unwrap();
        let cycles = sim.gpu().unwrap().dispatch_count() - 5 * u64::from(fixed);
        assert_eq!(cycles % 3, 0, "{accumulation}");
    }
}
