//! Bodies dropped on the floor in implicit steps: no energy from nowhere, nothing inside out, and the
//! rest that the explicit solver finds.

use What::*;

use crate::support::*;
use pliant::mesh::{Mesh, shapes};
use pliant::scene::{Body, Implicit, Integrator, World, WorldBox};
use pliant::stability::stable_timestep;
use pliant::{Scene, Simulator, StepReport};

/// Time after the first touch in which nothing but the steps takes energy away \[s\].
const FREE: f64 = 0.4;
/// Friction of the air after that, for bodies to come to rest \[1/s\].
const AIR: f64 = 4.0;
/// The mean speed at which a body that has been on the floor for a tenth of a second rests \[m/s\].
const STILL: f64 = 3e-3;
/// The time that it may take \[s\].
const PATIENCE: f64 = 10.0;
/// Young's modulus from which Verlet would take too long, and no body here shows its own weight \[Pa\].
const STIFF: f64 = 1e7;

#[derive(Clone, Copy, Debug)]
enum What {
    /// Radius 0.1 m, cells of 0.03 m.
    Ball,
    /// Radius 0.05 m, cells of 0.025 m.
    SmallBall,
    /// 0.3 × 0.1 × 0.1 m, irregular.
    Bar,
    /// 0.08 × 0.04 × 0.04 m.
    SmallBar,
    /// 0.2 m high, generated.
    Bunny,
    /// A mesh of the data folder, made 0.2 m long.
    Data(&'static str),
}

impl What {
    /// The mesh with its lowest point at z = 0; `None` without the data folder.
    fn mesh(self) -> Option<Mesh> {
        let mut mesh = match self {
            Ball => shapes::ball(0.1, 0.03).unwrap(),
            SmallBall => shapes::ball(0.05, 0.025).unwrap(),
            Bar => shapes::irregular_bar([6, 2, 2], [0.3, 0.1, 0.1], 5).unwrap(),
            SmallBar => shapes::bar([4, 2, 2], [0.08, 0.04, 0.04], shapes::Split::default()),
            Bunny => shapes::bunny(0.2, 0.02).unwrap(),
            Data(name) => pliant::mesh::load(data(name)?).unwrap().mesh,
        };
        if matches!(self, Bunny) {
            // Its y axis points up.
            mesh.points.iter_mut().for_each(|p| *p = [p[0], -p[2], p[1]]);
        }
        let [low, high] = mesh.bounds().unwrap();
        let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let scale = if matches!(self, Data(_)) { 0.2 / size } else { 1.0 };
        mesh.points.iter_mut().flatten().for_each(|c| *c *= scale);
        put_on_floor(&mut mesh);
        Some(mesh)
    }
}

/// A drop of something on the floor.
#[derive(Clone, Copy, Debug)]
struct Drop {
    what: What,
    /// Density \[kg/m³\].
    density: f64,
    /// Young's modulus \[Pa\].
    young: f64,
    /// Of the lowest point \[m\].
    height: f64,
    /// Steps per second \[1/s\].
    rate: f64,
    /// Newton's iterations.
    newton: u32,
    /// Of the floor.
    restitution: f64,
    /// Of the floor.
    friction: f64,
}

impl Drop {
    fn scene(&self, mesh: Mesh, height: f64, world: World) -> Scene {
        let body = body(mesh, rubber(self.density, self.young));
        let body = Body { translate: [0.0, 0.0, height], ..body };
        let Self { restitution, friction, .. } = *self;
        let bounds = Some(WorldBox { restitution, friction, ..WorldBox::default() });
        Scene { bodies: vec![body], world: World { bounds, ..world }, ..Scene::default() }
    }

    fn simulator(&self, on: &On, mesh: Mesh) -> Simulator {
        let world = World {
            timestep: 1.0 / self.rate,
            damping: 0.0,
            integrator: Integrator::ImplicitEuler,
            implicit: Implicit { newton_iterations: self.newton, ..Implicit::default() },
            ..World::default()
        };
        on.simulator(&self.scene(mesh, self.height, world))
    }

    /// Drops it, and returns what is wrong with how it went.
    fn wrongs(&self, on: &On) -> Vec<String> {
        let Some(mesh) = self.what.mesh() else { return Vec::new() };
        let mut sim = self.simulator(on, mesh.clone());
        let start = sim.report();
        let mut most = 0.0f64;
        let mut look = |report: &StepReport| {
            most = most.max(report.energy.total() / start.energy.total());
        };
        let landing = (2.0 * self.height / 9.81).sqrt();
        for _ in 0..((landing + FREE) * self.rate) as u64 {
            look(&step(&mut sim));
        }
        sim.set_world(World { damping: AIR, ..sim.world().clone() }).unwrap();
        let mut still = 0.0;
        while still < 0.1 && sim.time() < landing + FREE + PATIENCE {
            let report = step(&mut sim);
            look(&report);
            let rests = report.wall_contact_count > 0 && mean_speed(&sim, &report) < STILL;
            still = if rests { still + 1.0 / self.rate } else { 0.0 };
        }
        let end = sim.report();
        let after = sim.positions();
        // It may have rolled or toppled: then the same body laid down like that is what it should be.
        let laid = turned_like(&mesh, &after);
        let [found, undeformed] = [&after, &laid.points].map(|x| extent(x));
        let (expected, within) =
            if self.young < STIFF { (self.rest(laid), 0.02) } else { (undeformed, 1e-3) };
        let solver = end.solver.unwrap();
        println!(
            "{self:?}: energy up to {most:.4} of that at the start, {} inverted; at rest {found:.5} m \
             high instead of {expected:.5} m, {undeformed:.5} m without its weight; {} steps shortened \
             to 1/{}, {} in vain; {:.1} s",
            end.inverted_count, solver.shortened, solver.most_parts, solver.forced, end.time,
        );
        let messages = sim.take_messages();
        let is_told = messages.iter().any(|m| m.contains("were taken in up to"));
        let statements = [
            (most <= 1.01, "gains energy"),
            (end.inverted_count <= start.inverted_count, "is inside out"),
            (still >= 0.1, "does not come to rest"),
            ((found / expected - 1.0).abs() < within, "has another height at rest"),
            (is_told == (solver.shortened > 0), "is silent about shorter steps, or cries wolf"),
        ];
        let wrong = statements.into_iter().filter(|(holds, _)| !holds);
        wrong.map(|(_, what)| format!("{self:?} {what}")).collect()
    }

    /// The height at which Verlet leaves it, laid on the floor in strong damping \[m\].
    fn rest(&self, mesh: Mesh) -> f64 {
        let world = World { damping: 2.0 * AIR, ..World::default() };
        let mut scene = self.scene(mesh, 0.0, world);
        let stable = stable_timestep(&simulator(&scene)).expect("Verlet has one");
        scene.world.timestep = 0.5 * stable;
        let mut sim = simulator(&scene);
        sim.advance((2.0 / scene.world.timestep) as u64).unwrap();
        extent(&sim.positions())
    }
}

fn step(sim: &mut Simulator) -> StepReport {
    sim.step(1).unwrap_or_else(|e| panic!("{e}"))
}

fn mean_speed(sim: &Simulator, report: &StepReport) -> f64 {
    let mass: f64 = sim.model().mass.iter().map(|&m| f64::from(m)).sum();
    (2.0 * report.energy.kinetic / mass).sqrt()
}

/// From the lowest to the highest point \[m\].
fn extent(points: &[[f64; 3]]) -> f64 {
    let z = points.iter().map(|p| p[2]);
    z.clone().fold(f64::MIN, f64::max) - z.fold(f64::MAX, f64::min)
}

fn put_on_floor(mesh: &mut Mesh) {
    let [low, _] = mesh.bounds().unwrap();
    mesh.points.iter_mut().for_each(|p| p[2] -= low[2]);
}

/// The mesh on the floor, turned as the points `after` are.
fn turned_like(mesh: &Mesh, after: &[[f64; 3]]) -> Mesh {
    let [x, y, z] = rotation(&mesh.points, after);
    let mut mesh = mesh.clone();
    mesh.points.iter_mut().for_each(|p| *p = [dot(x, *p), dot(y, *p), dot(z, *p)]);
    put_on_floor(&mut mesh);
    mesh
}

/// The rows of the rotation from one set of points to the other. It is that of the affine map nearest to
/// both, by its lowest row: what is squashed from above keeps the direction that is up.
fn rotation(from: &[[f64; 3]], to: &[[f64; 3]]) -> [[f64; 3]; 3] {
    let [a, b] = [from, to].map(|x| -> [f64; 3] {
        std::array::from_fn(|k| x.iter().map(|p| p[k]).sum::<f64>() / x.len() as f64)
    });
    let moment = |x: &[[f64; 3]], c: [f64; 3], i: usize, j: usize| -> f64 {
        x.iter().zip(from).map(|(q, p)| (q[i] - c[i]) * (p[j] - a[j])).sum()
    };
    let own: [[f64; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| moment(from, a, i, j)));
    // Times the inverse of `own`, which is symmetric: its rows are the cross products over a factor.
    let inverse: [[f64; 3]; 3] = std::array::from_fn(|k| cross(own[(k + 1) % 3], own[(k + 2) % 3]));
    let row = |i: usize| {
        let moments = std::array::from_fn(|j| moment(to, b, i, j));
        inverse.map(|r| dot(r, moments))
    };
    let z = unit(row(2));
    let x = row(0);
    let x = unit(std::array::from_fn(|k| x[k] - dot(x, z) * z[k]));
    [x, cross(z, x), z]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    a.map(|c| c / length(a))
}

/// What; density \[kg/m³\]; Young's modulus \[Pa\]; height \[m\]; steps per second; Newton's iterations;
/// restitution; friction of the floor.
type Row = (What, f64, f64, f64, f64, u32, f64, f64);

fn check(on: &On, rows: &[Row]) {
    let drop = |&(what, density, young, height, rate, newton, restitution, friction): &Row| Drop {
        what,
        density,
        young,
        height,
        rate,
        newton,
        restitution,
        friction,
    };
    let wrongs: Vec<String> = rows.iter().flat_map(|row| drop(row).wrongs(on)).collect();
    assert!(wrongs.is_empty(), "{wrongs:#?}");
}

/// A ball that once was pressed flat, and thrown back higher than it came from.
const REPORTED: Row = (Ball, 1e3, 1e6, 0.6, 60.0, 1, 0.0, 0.0);

#[test]
fn balls_land_without_gaining_energy_and_rest_as_they_should() {
    let rows = [
        REPORTED,
        (Ball, 1e3, 1e5, 2.0, 60.0, 1, 0.5, 0.5),
        (Ball, 1e3, 1e7, 5.0, 60.0, 2, 0.0, 0.5),
        (Ball, 1e3, 1e9, 1.0, 30.0, 1, 0.0, 0.0),
        (SmallBall, 1e3, 1e9, 5.0, 60.0, 3, 0.0, 0.5),
        (Ball, 1e3, 3e4, 0.1, 30.0, 2, 0.0, 0.0),
        (SmallBall, 1e2, 1e3, 0.1, 60.0, 1, 0.0, 0.0),
        (SmallBall, 1e2, 1e3, 0.1, 1000.0, 2, 0.5, 0.0),
        (SmallBall, 1e2, 1e3, 1.0, 60.0, 1, 0.0, 0.5),
        (SmallBall, 1e2, 1e3, 5.0, 60.0, 1, 0.0, 0.5),
        (SmallBall, 1e3, 1e6, 1.0, 1000.0, 1, 0.5, 0.5),
        (SmallBall, 1e3, 1e8, 3.0, 200.0, 1, 0.0, 0.0),
        (SmallBall, 1e3, 1e9, 5.0, 30.0, 1, 0.5, 0.0),
    ];
    check(&On::cpu(), &rows);
}

#[test]
fn bars_land_without_gaining_energy_and_rest_as_they_should() {
    let rows = [
        (Bar, 1e3, 1e5, 0.5, 60.0, 1, 0.0, 0.5),
        (Bar, 1e3, 1e6, 2.0, 30.0, 1, 0.5, 0.0),
        (Bar, 1e3, 1e7, 0.1, 60.0, 2, 0.0, 0.5),
        (Bar, 1e3, 1e8, 5.0, 100.0, 1, 0.5, 0.5),
        (Bar, 1e3, 1e9, 1.0, 60.0, 3, 0.0, 0.5),
        (Bar, 1e3, 1e7, 1.0, 60.0, 3, 0.0, 0.0),
        (SmallBar, 1e2, 1e3, 0.1, 60.0, 3, 0.0, 0.0),
        (SmallBar, 1e2, 1e3, 0.3, 200.0, 1, 0.5, 0.5),
        (SmallBar, 1e2, 1e4, 5.0, 30.0, 1, 0.0, 0.5),
        (SmallBar, 1e3, 1e9, 5.0, 30.0, 3, 0.0, 0.5),
        (SmallBar, 1e3, 1e6, 1.0, 1000.0, 2, 0.0, 0.5),
        (SmallBar, 1e3, 1e9, 0.5, 1000.0, 1, 0.5, 0.0),
    ];
    check(&On::cpu(), &rows);
}

#[test]
fn meshes_land_without_gaining_energy_and_rest_as_they_should() {
    let rows = [
        (Bunny, 1e3, 1e5, 0.3, 60.0, 1, 0.0, 0.5),
        (Bunny, 1e3, 1e6, 1.0, 30.0, 2, 0.5, 0.5),
        (Bunny, 1e3, 1e8, 0.1, 100.0, 1, 0.0, 0.5),
        (Data("tet/liver.msh"), 1e3, 1e5, 0.3, 60.0, 1, 0.0, 0.5),
        (Data("tet/liver.msh"), 1e3, 1e6, 5.0, 60.0, 2, 0.0, 0.5),
        (Data("tet/torus_low_res.msh"), 1e3, 1e5, 1.0, 60.0, 1, 0.5, 0.0),
        (Data("tet/torus_low_res.msh"), 1e3, 1e7, 1.0, 60.0, 1, 0.0, 0.5),
    ];
    check(&On::cpu(), &rows);
}

/// Steps that had to be divided are divided alike in one long run and in any short ones.
#[test]
fn a_landing_is_the_same_wherever_the_run_is_cut() {
    let drop = Drop {
        what: SmallBar,
        density: 1e3,
        young: 1e9,
        height: 5.0,
        rate: 30.0,
        newton: 3,
        restitution: 0.0,
        friction: 0.5,
    };
    let run = |cuts: &[u64]| {
        let mut sim = drop.simulator(&On::cpu(), drop.what.mesh().unwrap());
        for &step in cuts.iter().chain(&[60]) {
            sim.advance(step - sim.step_count()).unwrap();
        }
        (sim.hash(), sim.solver_report().unwrap())
    };
    let (hash, solver) = run(&[]);
    println!("{} of 60 steps shortened", solver.shortened);
    assert!(solver.shortened > 0);
    let all: Vec<u64> = (1..60).collect();
    let cuts = all.chunks(1).chain(all.chunks(59));
    for cuts in cuts {
        assert_eq!(run(cuts), (hash, solver), "cut at {cuts:?}");
    }
}

#[cfg(feature = "gpu")]
#[test]
fn bodies_land_on_a_device_as_they_should() {
    let Some(on) = On::gpu("drops") else { return };
    let rows = [
        REPORTED,
        (SmallBar, 1e2, 1e4, 5.0, 30.0, 1, 0.0, 0.5),
        (SmallBar, 1e2, 1e3, 0.3, 200.0, 1, 0.5, 0.5),
        // Its landing is divided by 256: minutes on a device in software.
        // (SmallBar, 1e3, 1e7, 0.1, 60.0, 2, 0.5, 0.5),
    ];
    check(&on, &rows);
}
