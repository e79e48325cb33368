//! The GPU backend goes where the CPU goes: real meshes, bars and cloth, one step and a thousand.

#![cfg(feature = "gpu")]

mod support;

use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Accumulation, Damping, Region, World, WorldBox};
use pliant::{Backend, Scene, Simulator, StepReport};
use support::*;

/// Largest distance after one step, as a part of the body's size. A step moves a vertex by far less
/// than the body's size, and its forces carry the rounding of a few dozen additions.
const AFTER_ONE: f64 = 2e-7;

/// Largest distance after a thousand steps, as a part of the body's size. Rounding differs at every
/// step; undisturbed elastic motion lets it grow like a random walk and no faster.
const AFTER_THOUSAND: f64 = 2e-5;

/// Largest relative difference of energies after a thousand steps.
const ENERGY: f64 = 1e-4;

/// A body that falls, spinning, onto the floor and wobbles there.
fn dropped(mut body: pliant::scene::Body) -> Scene {
    body.material.damping = Damping::Time(1e-4);
    body.velocity = [0.3, 0.1, -0.5];
    body.spin = [1.0, 2.0, 3.0];
    let bounds = Some(WorldBox { friction: 0.3, restitution: 0.2, ..WorldBox::default() });
    let world = World { gravity: [0.0, 0.0, -9.81], damping: 0.5, bounds, ..space() };
    scene(body, world)
}

/// A mesh of the data folder, standing a little above the floor.
fn mesh_scene(file: &str) -> Option<Scene> {
    let mesh = pliant::mesh::load(data(file)?).unwrap().mesh;
    let [low, high] = mesh.bounds().unwrap();
    let mut body = body(mesh, rubber(1000.0, 20e3));
    body.translate = [0.0, 0.0, 0.02 * (high[2] - low[2]) - low[2]];
    Some(dropped(body))
}

/// A sheet held along two edges, blown by the wind.
fn cloth(locks: Vec<Region>) -> Scene {
    let mut body = body(shapes::cloth([31, 23], [1.0, 0.8]).unwrap(), rubber(0.2, 500.0));
    body.locks = locks;
    body.translate = [0.0, 0.0, 2.0];
    let world = World { gravity: [0.0, 0.0, -9.81], external_force: [0.0, 1e-5, 0.0], ..space() };
    scene(body, world)
}

fn near_x(x: f64) -> Region {
    Region::Box { min: [x - 1e-6, -9.0, -9.0], max: [x + 1e-6, 9.0, 9.0] }
}

/// A simulator whose body has been stretched a little and bent, so that forces act from the first
/// step on; `nudge` changes the stretch.
fn deformed(scene: &Scene, backend: Backend, nudge: f32) -> Simulator {
    let mut sim = Simulator::new(scene.clone(), backend).unwrap();
    let size = sim.model().bodies[0].size as f32;
    let mut state = sim.state();
    for p in &mut state.position {
        let [x, y, z] = *p;
        *p = [1.01 * x, (1.02 + nudge) * y, z + 0.02 * size * (3.0 * x / size).sin()];
    }
    sim.set_state(&state);
    sim
}

struct Run {
    first: Vec<[f64; 3]>,
    last: Vec<[f64; 3]>,
    report: StepReport,
}

/// One step, then 999 more.
fn run(sim: &mut Simulator) -> Run {
    sim.advance(1).unwrap();
    let first = sim.positions();
    let report = sim.step(999).unwrap();
    Run { first, last: sim.positions(), report }
}

/// What the CPU makes of a scene.
struct Runs {
    expected: Run,
    /// Begun with coordinates that differ in the seventh digit: how much this scene cares.
    nudged: Run,
    size: f64,
}

/// Runs a scene on both backends, with every strategy, and hands the runs to `check`.
fn on_both(scene: Option<Scene>, check: impl Fn(Accumulation, &Run, &Runs)) {
    let (Some(scene), Some(gpu)) = (scene, gpu("parity")) else { return };
    let mut cpu = deformed(&scene, cpu(), 0.0);
    let size = cpu.model().bodies[0].size;
    let expected = run(&mut cpu);
    let nudged = run(&mut deformed(&scene, support::cpu(), 1e-7));
    let runs = Runs { expected, nudged, size };
    for accumulation in Accumulation::STRATEGIES {
        let mut scene = scene.clone();
        scene.world.accumulation = accumulation;
        let mut device = deformed(&scene, Backend::Device(gpu.clone()), 0.0);
        assert_eq!(device.gpu().unwrap().strategy(), accumulation);
        check(accumulation, &run(&mut device), &runs);
        assert_eq!(device.gpu().unwrap().saturated_count(), 0);
    }
}

fn energy_difference(ours: &Run, theirs: &Run) -> f64 {
    let [a, b] = [ours, theirs].map(|r| r.report.energy);
    (a.total() - b.total()).abs() / (b.kinetic + b.elastic())
}

/// Vertex by vertex.
fn compare(name: &str, scene: Option<Scene>) {
    on_both(scene, |accumulation, ours, runs| {
        let (theirs, size) = (&runs.expected, runs.size);
        let one = largest_distance(&ours.first, &theirs.first) / size;
        let thousand = largest_distance(&ours.last, &theirs.last) / size;
        let energy = energy_difference(ours, theirs);
        println!(
            "{name}, {accumulation}: {one:.1e} of its size after 1 step, {thousand:.1e} after \
             1000; energy {energy:.1e}"
        );
        assert!(one <= AFTER_ONE, "{name}, {accumulation}: {one:e}");
        assert!(thousand <= AFTER_THOUSAND, "{name}, {accumulation}: {thousand:e}");
        assert!(energy <= ENERGY, "{name}, {accumulation}: {energy:e}");
        assert_eq!(ours.report.inverted_count, theirs.report.inverted_count);
    });
}

#[test]
fn the_bunny() {
    compare("bunny", mesh_scene("tet/bunny.node"));
}

#[test]
fn the_armadillo() {
    compare("armadillo", mesh_scene("tet/armadillo_4k.node"));
}

#[test]
fn the_liver() {
    compare("liver", mesh_scene("tet/liver.msh"));
}

#[test]
fn bars_regular_and_irregular() {
    let regular = shapes::bar([12, 5, 4], [0.6, 0.25, 0.2], Split::Five);
    let mut standing = body(regular, rubber(1000.0, 20e3));
    standing.translate = [0.0, 0.0, 0.01];
    compare("regular bar", Some(dropped(standing)));
    let irregular = shapes::irregular_bar([16, 4, 4], [0.8, 0.2, 0.2], 5).unwrap();
    let mut standing = body(irregular, rubber(1000.0, 20e3));
    standing.translate = [0.0, 0.0, 0.01];
    compare("irregular bar", Some(dropped(standing)));
}

#[test]
fn cloth_held_all_round() {
    let near_y = |y: f64| Region::Box { min: [-9.0, y - 1e-6, -9.0], max: [9.0, y + 1e-6, 9.0] };
    let edges = vec![near_x(0.0), near_x(1.0), near_y(0.0), near_y(0.8)];
    compare("cloth", Some(cloth(edges)));
}

#[test]
fn cloth_that_crumples_differs_no_more_than_two_runs_of_the_cpu() {
    // Hung up by two corners it folds, and which way a fold goes is decided by the last digit.
    on_both(Some(cloth(vec![Region::Points(vec![0, 31])])), |accumulation, ours, runs| {
        let Runs { expected, nudged, size } = runs;
        let one = largest_distance(&ours.first, &expected.first) / size;
        let apart = |run: &Run| largest_distance(&run.last, &expected.last) / size;
        let energy = |run: &Run| energy_difference(run, expected);
        println!(
            "crumpled cloth, {accumulation}: {one:.1e} after 1 step, {:.1e} after 1000 (nudged \
             {:.1e}); energy {:.1e} (nudged {:.1e})",
            apart(ours),
            apart(nudged),
            energy(ours),
            energy(nudged)
        );
        assert!(one <= AFTER_ONE, "{accumulation}: {one:e}");
        assert!(apart(ours) <= 4.0 * apart(nudged) && energy(ours) <= 4.0 * energy(nudged));
    });
}
