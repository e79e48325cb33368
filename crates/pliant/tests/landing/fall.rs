//! Free fall in implicit steps: nothing slows it, nothing bends, however stiff the body.

use crate::support::*;
use pliant::mesh::{Mesh, shapes};
use pliant::scene::{Body, Implicit, Integrator, Mass, Material, Source, Stiffness, World};
use pliant::{Scene, Simulator};

/// Gravity \[m/s²\].
const G: f64 = 9.81;
/// Timesteps \[s\].
const TIMESTEPS: [f64; 3] = [1e-3, 1.0 / 60.0, 1.0 / 15.0];

/// What falls, and how it is stepped.
struct Case {
    name: &'static str,
    body: Body,
    /// Timestep \[s\].
    h: f64,
    newton: u32,
    steps: u64,
}

impl Case {
    fn simulator(&self, on: &On) -> Simulator {
        let world = World {
            gravity: [0.0, 0.0, -G],
            timestep: self.h,
            integrator: Integrator::ImplicitEuler,
            implicit: Implicit { newton_iterations: self.newton, ..Implicit::default() },
            ..space()
        };
        on.simulator(&Scene { bodies: vec![self.body.clone()], world, ..Scene::default() })
    }

    fn check(&self, on: &On) {
        let Self { name, h, newton, .. } = self;
        let case = format!("{name}, {:?}, {h:.1e} s, {newton}", self.body.material.stiffness);
        let mut sim = self.simulator(on);
        let (before, start) = (sim.positions(), sim.report().center_of_mass);
        let report = sim.step(self.steps).unwrap_or_else(|e| panic!("{case}: {e}"));
        let after = sim.positions();
        let n = self.steps as f64;
        // Velocities are g h, 2 g h, … and each lasts a step.
        let fall = 0.5 * G * h * h * n * (n + 1.0);
        let moved: [f64; 3] = std::array::from_fn(|k| report.center_of_mass[k] - start[k]);
        let mass: f64 = sim.model().mass.iter().map(|&m| f64::from(m)).sum();
        let [late, slow] = [moved[2] / -fall - 1.0, report.momentum[2] / (-G * h * n * mass) - 1.0];
        let size = sim.model().bodies[0].size;
        let aside = moved[0].hypot(moved[1]) / fall;
        let stretched = self.stretched(&before, &after) / size;
        let turned = apart(&before, &after, moved) / size;
        println!(
            "{case}: fall {late:+.1e}, velocity {slow:+.1e}, aside {aside:.1e}; stretched by \
             {stretched:.1e} and turned by {turned:.1e} of its size",
        );
        assert!(late.abs() < 1e-3, "{case}: fell {late:+e} too far");
        assert!(slow.abs() < 1e-4, "{case}: {slow:+e} too fast");
        assert!(aside < 1e-3, "{case}: {aside:e} aside");
        assert!(stretched < 1e-3, "{case}: stretched by {stretched:e} of its size");
        assert_eq!(report.inverted_count, 0, "{case}");
        assert!(turned < 1e-3, "{case}: turned by {turned:e} of its size");
    }

    /// The largest change of an edge's length \[m\].
    fn stretched(&self, before: &[[f64; 3]], after: &[[f64; 3]]) -> f64 {
        let Source::Inline(mesh) = &self.body.source else { unreachable!("built here") };
        let cells = mesh.tets.iter().map(|t| &t[..]).chain(mesh.triangles.iter().map(|t| &t[..]));
        let pairs = cells.flat_map(|c| c.iter().flat_map(move |&i| c.iter().map(move |&j| [i, j])));
        let between = |x: &[[f64; 3]], [i, j]: [u32; 2]| {
            length(std::array::from_fn(|k| x[i as usize][k] - x[j as usize][k]))
        };
        pairs.map(|p| (between(after, p) - between(before, p)).abs()).fold(0.0, f64::max)
    }
}

/// The largest distance of points from where `moved` alone would have taken them \[m\].
fn apart(before: &[[f64; 3]], after: &[[f64; 3]], moved: [f64; 3]) -> f64 {
    let goal: Vec<[f64; 3]> =
        before.iter().map(|p| std::array::from_fn(|k| p[k] + moved[k])).collect();
    largest_distance(&goal, after)
}

fn bar(young: f64) -> Body {
    body(shapes::irregular_bar([4, 2, 2], [0.2, 0.1, 0.1], 3).unwrap(), rubber(1000.0, young))
}

fn ball(young: f64) -> Body {
    body(shapes::ball(0.1, 0.05).unwrap(), rubber(1000.0, young))
}

fn cloth(stiffness: Stiffness) -> Body {
    let mesh = shapes::cloth([6, 5], [0.6, 0.5]).unwrap();
    body(mesh, Material { mass: Mass::Density(0.2), stiffness, ..Material::default() })
}

/// A bar that once hung in the air.
fn hard_bar(steps: u64) -> Case {
    let mesh = shapes::bar([10, 5, 5], [0.1, 0.05, 0.05], shapes::Split::default());
    let body = body(mesh, rubber(1000.0, 1e8));
    Case { name: "hard bar", body, h: 0.01, newton: 2, steps }
}

/// Thirty steps of any length, with any number of Newton's iterations.
fn falls_freely(on: &On, name: &'static str, body: &Body) {
    for h in TIMESTEPS {
        for newton in [1, 2, 4] {
            Case { name, body: body.clone(), h, newton, steps: 30 }.check(on);
        }
    }
}

#[test]
fn solids_fall_freely_however_stiff() {
    for young in [1e3, 1e5, 1e7, 1e8, 1e10] {
        falls_freely(&On::cpu(), "bar", &bar(young));
        falls_freely(&On::cpu(), "ball", &ball(young));
    }
}

#[test]
fn cloth_falls_freely_however_stiff() {
    let stiffnesses = [2.0, 60.0, 2000.0].map(Stiffness::Spring);
    let moduli = [1e3, 1e5, 1e10].map(Stiffness::Young);
    for stiffness in stiffnesses.into_iter().chain(moduli) {
        falls_freely(&On::cpu(), "cloth", &cloth(stiffness));
    }
}

/// A mesh of small cells and slivers, whose systems are the hardest to solve.
#[test]
fn a_bunny_falls_freely_however_stiff() {
    let Some(path) = data("tet/bunny.node") else { return };
    let mesh: Mesh = pliant::mesh::load(path).unwrap().mesh;
    let cases = [
        (1e3, TIMESTEPS[0], 1),
        (1e3, TIMESTEPS[2], 4),
        (1e5, TIMESTEPS[1], 1),
        (1e5, TIMESTEPS[2], 2),
        (1e7, TIMESTEPS[0], 2),
        (1e7, TIMESTEPS[1], 1),
        (1e7, TIMESTEPS[2], 1),
        (1e7, TIMESTEPS[2], 2),
        (1e10, TIMESTEPS[0], 1),
        (1e10, TIMESTEPS[1], 4),
        (1e10, TIMESTEPS[2], 1),
    ];
    for (young, h, newton) in cases {
        let body = body(mesh.clone(), rubber(1000.0, young));
        Case { name: "bunny", body, h, newton, steps: 30 }.check(&On::cpu());
    }
}

#[test]
fn a_hard_bar_falls_freely_for_a_second() {
    hard_bar(100).check(&On::cpu());
}

#[cfg(feature = "gpu")]
#[test]
fn bodies_fall_freely_on_a_device() {
    let Some(on) = On::gpu("free fall") else { return };
    hard_bar(if on.is_quick() { 100 } else { 20 }).check(&on);
    let [short, frame, long] = TIMESTEPS;
    let cases = [
        ("bar", bar(1e3), long, 1),
        ("bar", bar(1e10), frame, 2),
        ("ball", ball(1e6), short, 4),
        ("ball", ball(1e8), long, 2),
        ("cloth", cloth(Stiffness::Spring(2.0)), frame, 1),
        ("cloth", cloth(Stiffness::Spring(2000.0)), long, 2),
        ("cloth", cloth(Stiffness::Young(1e10)), short, 1),
    ];
    for (name, body, h, newton) in cases {
        Case { name, body, h, newton, steps: 30 }.check(&on);
    }
}
