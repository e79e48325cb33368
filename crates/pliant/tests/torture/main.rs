//! Random scenes, plausible and not: each must end well, or come apart with a timestep that then works,
//! or say what is wrong. Nothing may fail in silence.
//!
//! `cargo xtask torture --scenes 1000` runs more of them; `PLIANT_SCENES` and `PLIANT_SEED` say how many
//! and which.

mod contact;
mod random;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use pliant::mesh::{Mesh, shapes};
use pliant::scene::{
    Body, Damping, Implicit, Integrator, Mass, Material, Scale, Scene, Source, Stiffness, Volume,
    World, WorldBox,
};
use pliant::session::{Fields, Message, Session};
use pliant::{Backend, Diverged};
use random::Random;
use support::data;

/// Scenes when nobody says how many.
const SCENES: u64 = 100;
/// Steps of a scene at most, and simulated time \[s\].
const MOST_STEPS: u64 = 1500;
const MOST_TIME: f64 = 1.5;
/// Tetrahedra times steps of a scene at most.
const MOST_WORK: f64 = 3e6;
/// The part by which energy may grow without a word.
const GROWTH: f64 = 0.05;

/// How a scene ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Without a word.
    Fine,
    /// With a warning.
    Warned,
    /// It came apart, and the timestep that the error names works.
    DivergedAndCured,
    /// It came apart, and the error says that no timestep would help, or that something else would.
    DivergedWithAdvice,
}

/// Real meshes where they are, and generated ones.
fn meshes() -> Vec<(String, Mesh)> {
    let mut all = vec![
        ("ball".into(), shapes::ball(0.5, 0.2).unwrap()),
        ("bar".into(), shapes::irregular_bar([8, 2, 2], [1.0, 0.25, 0.25], 3).unwrap()),
    ];
    for name in
        ["armadillo_4k.node", "bar-2523.msh", "cuboid.node", "liver.msh", "torus_low_res.msh"]
    {
        if let Some(path) = data(&format!("tet/{name}")) {
            all.push((name.into(), pliant::mesh::load(&path).unwrap().mesh));
        }
    }
    all
}

fn size_of(mesh: &Mesh) -> f64 {
    let range = |k: usize| {
        let of_axis = mesh.points.iter().map(|p| p[k]);
        of_axis.clone().fold(f64::MIN, f64::max) - of_axis.fold(f64::MAX, f64::min)
    };
    (0..3).map(range).fold(0.0, f64::max)
}

fn scene(random: &mut Random, meshes: &[(String, Mesh)]) -> Scene {
    let (name, mesh) = random.choose(meshes);
    let size = random.magnitude(0.05, 2.0);
    let young = random.magnitude(1e2, 1e9);
    let integrator = random.choose(&Integrator::ALL);
    let material = Material {
        mass: Mass::Density(random.magnitude(100.0, 8000.0)),
        stiffness: Stiffness::Young(young),
        volume: random.choose(&[
            Volume::None,
            Volume::Auto,
            Volume::Energy(young),
            Volume::Energy(5.0 * young),
        ]),
        damping: Damping::Time(random.choose(&[0.0, 0.0, 1e-4, 1e-3])),
    };
    let scale = size / size_of(&mesh);
    let lowest = scale * mesh.points.iter().map(|p| p[2]).fold(f64::MAX, f64::min);
    let fall = random.magnitude(0.01, 3.0);
    let spin = if random.next() < 0.3 { random.between(0.0, 10.0) } else { 0.0 };
    let body = Body {
        name,
        source: Source::Inline(mesh),
        scale: Scale::Uniform(scale),
        translate: [0.0, 0.0, fall - lowest],
        velocity: [random.between(-2.0, 2.0), 0.0, 0.0],
        spin: [0.0, spin, 0.0],
        material,
        ..Body::default()
    };
    let world = World {
        gravity: [0.0, 0.0, random.choose(&[-9.81, -3.71, -24.79])],
        damping: random.choose(&[0.0, 0.0, 0.35, 2.0]),
        timestep: random.magnitude(1e-5, 0.05),
        integrator,
        implicit: Implicit {
            newton_iterations: random.choose(&[1, 1, 2, 3]),
            ..Implicit::default()
        },
        bounds: Some(WorldBox {
            size: [40.0, 40.0, 40.0],
            restitution: random.choose(&[0.0, 0.0, 0.5, 0.9]),
            friction: random.choose(&[0.0, 0.3, 1.0]),
            ..WorldBox::default()
        }),
        ..World::default()
    };
    Scene { world, bodies: vec![body], ..Scene::default() }
}

/// What came of a run: warnings, and how it came apart if it did.
struct Run {
    warnings: Vec<String>,
    diverged: Option<Diverged>,
    growth: f64,
    is_finite: bool,
}

fn run(scene: &Scene, steps: u64) -> Run {
    let mut session = Session::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap();
    session.check_timestep();
    // As a run that writes frames.
    let first = session.frame(Fields::default()).report.clone();
    let mut scale = first.energy.kinetic + first.energy.elastic();
    let mut most = first.energy.total();
    let mut diverged = None;
    for _ in 0..20 {
        if let Err(error) = session.advance(steps.div_ceil(20)) {
            diverged = Some(error);
            break;
        }
        let energy = session.frame(Fields::default()).report.energy;
        scale = scale.max(energy.kinetic + energy.elastic());
        most = most.max(energy.total());
    }
    let last = session.simulator_mut().report();
    let warnings = session.remote().messages().into_iter().filter_map(|m| match m {
        Message::Warning(text) => Some(text),
        _ => None,
    });
    Run {
        warnings: warnings.collect(),
        diverged,
        growth: (most - first.energy.total()) / scale.max(f64::MIN_POSITIVE),
        is_finite: last.energy.total().is_finite() && last.max_speed.is_finite(),
    }
}

fn steps_of(scene: &Scene) -> u64 {
    let tets = match &scene.bodies[0].source {
        Source::Inline(mesh) => mesh.tets.len().max(1),
        _ => 1,
    };
    let work =
        if scene.world.integrator == Integrator::ImplicitEuler { 0.1 } else { 1.0 } * MOST_WORK;
    let most = (MOST_TIME / scene.world.timestep).min(MOST_STEPS as f64).min(work / tets as f64);
    (most as u64).max(20)
}

/// Runs a scene and judges; an error says what failed in silence.
fn judge(scene: &Scene) -> Result<Outcome, String> {
    let run = run(scene, steps_of(scene));
    if let Some(error) = &run.diverged {
        let text = error.to_string();
        let Some(h) = error.suggested_timestep.filter(|&h| h < error.timestep) else {
            let is_helpful = text.contains("no stable timestep") || text.contains("too violent");
            return if is_helpful { Ok(Outcome::DivergedWithAdvice) } else { Err(text) };
        };
        let mut again = scene.clone();
        again.world.timestep = h;
        return match run_shorter(&again) {
            None => Ok(Outcome::DivergedAndCured),
            // It was said beforehand that no estimate would do.
            Some(_) if run.warnings.iter().any(|w| w.contains("crushed")) => Ok(Outcome::Warned),
            Some(worse) => Err(format!("{text}\n  but with that timestep: {worse}")),
        };
    }
    if !run.is_finite {
        return Err("ended with something that is no number".into());
    }
    if !run.warnings.is_empty() {
        return Ok(Outcome::Warned);
    }
    if run.growth > GROWTH {
        return Err(format!("gained {:.0} % energy without a word", 100.0 * run.growth));
    }
    Ok(Outcome::Fine)
}

/// How a scene comes apart, if it does.
fn run_shorter(scene: &Scene) -> Option<Diverged> {
    run(scene, steps_of(scene)).diverged
}

#[test]
fn random_scenes_never_fail_in_silence() {
    let (count, seed) = random::asked(SCENES);
    let meshes = meshes();
    let outcomes =
        random::all(seed..seed + count, |seed| judge(&scene(&mut Random(seed), &meshes)));
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (seed, outcome) in &outcomes {
        let name = match outcome {
            Ok(outcome) => format!("{outcome:?}"),
            Err(problem) => {
                let scene = scene(&mut Random(*seed), &meshes);
                let World { integrator, timestep, implicit, .. } = &scene.world;
                println!(
                    "seed {seed}: {problem}\n  {} of {:?} {:?}, {integrator} at {timestep:.2e} s, newton {}, {:?}",
                    scene.bodies[0].name,
                    scene.bodies[0].material,
                    scene.bodies[0].scale,
                    implicit.newton_iterations,
                    scene.world.bounds,
                );
                "FailedInSilence".into()
            }
        };
        *counts.entry(name).or_default() += 1;
    }
    println!("{count} random scenes from seed {seed}: {counts:?}");
    assert!(outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{counts:?}");
}
