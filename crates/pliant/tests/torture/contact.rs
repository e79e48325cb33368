//! Random scenes in which bodies meet colliders, each other and themselves.
//!
//! Bodies are soft and stiff, well and badly meshed, slow and fast; colliders are of all kinds and may move; steps are
//! such as the estimate allows, or longer. Bodies fly towards what they meet, so that they get there within the
//! few hundred steps of a scene.

use std::collections::BTreeMap;

use crate::random::{self, Random};
use crate::support::simulator;
use crate::{GROWTH, Outcome, Run, run};
use pliant::mesh::Mesh;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{
    Body, Collider, ColliderGround, ColliderMesh, ColliderMotion, ColliderShape, Contact, Damping,
    Integrator, Keyframe, Mass, Material, Rotation, Scene, Source, Stiffness, Volume, World,
};
use pliant::stability::stable_timestep;

/// Scenes when nobody says how many.
const SCENES: u64 = 24;
/// Steps of a scene at most, and elements times steps.
const MOST_STEPS: u64 = 800;
const MOST_WORK: f64 = 2.5e5;
/// How fast bodies and colliders are at most \[m/s\].
const MOST_SPEED: f64 = 60.0;
/// How many times as long a scene may take with the timestep that is suggested.
const LONGER: u64 = 8;

/// A scene, and what is known about it.
struct Case {
    scene: Scene,
    steps: u64,
    /// Whether steps are as long as the estimate allows, and the integrator keeps energy at them.
    is_stable: bool,
    /// Whether nothing gives energy: colliders stand, and nothing overlaps at the start.
    is_closed: bool,
}

/// Well meshed and badly meshed solids, sheets and needles, about as large as 1 m.
fn mesh(random: &mut Random) -> (&'static str, Mesh) {
    let cells = 1 + (3.0 * random.next()) as u32;
    let names =
        ["ball", "block", "bar", "needle", "plate", "cloth", "torus", "flat", "tet", "band"];
    let name = random.choose(&names);
    let mesh = match name {
        "ball" => shapes::ball(0.5, 0.3).unwrap(),
        "block" => shapes::bar([cells; 3], [1.0; 3], Split::default()),
        "bar" => shapes::irregular_bar([4, 2, 2], [1.0, 0.4, 0.4], random.0).unwrap(),
        "needle" => shapes::bar([2, 1, 1], [1.0, 0.03, 0.05], Split::default()),
        "plate" => shapes::bar([4, 4, 1], [1.0, 1.0, 0.05], Split::default()),
        "cloth" => shapes::cloth([3 + 3 * cells; 2], [1.0; 2]).unwrap(),
        "torus" => shapes::torus(0.35, 0.15, 0.15).unwrap(),
        // Tetrahedra that are much wider than they are high, and long triangles.
        "flat" => shapes::bar([2, 2, 6], [1.0, 1.0, 0.1], Split::default()),
        "band" => shapes::cloth([2, 16], [1.0, 0.3]).unwrap(),
        _ => {
            let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            Mesh { points, tets: vec![[0, 1, 2, 3]], ..Mesh::default() }
        }
    };
    (name, mesh)
}

fn turn(random: &mut Random) -> Rotation {
    Rotation::Euler([0; 3].map(|_: i32| random.between(-180.0, 180.0)))
}

/// Bodies above each other, `gap` \[m\] apart, that begin at a height of `gap` above 0 and go down.
fn bodies(random: &mut Random, size: f64, gap: f64) -> Vec<Body> {
    let count = 1 + (4.0 * random.next()) as usize;
    let mut height = gap;
    let mut bodies = Vec::new();
    for i in 0..count {
        let (name, mesh) = mesh(random);
        let is_cloth = mesh.tets.is_empty();
        let young = random.magnitude(1e3, 1e8);
        let own = size * random.magnitude(0.5, 2.0);
        let material = Material {
            mass: Mass::Density(match is_cloth {
                true => random.magnitude(0.05, 10.0),
                false => random.magnitude(100.0, 8000.0),
            }),
            stiffness: Stiffness::Young(if is_cloth { random.magnitude(10.0, 1e5) } else { young }),
            volume: random.choose(&[Volume::None, Volume::Auto, Volume::Energy(5.0 * young)]),
            damping: Damping::Time(random.choose(&[0.0, 0.0, 1e-4, 1e-3])),
        };
        let mut body = Body {
            name: format!("{name}-{i}"),
            source: Source::Inline(mesh),
            scale: pliant::scene::Scale::Uniform(own),
            rotate: turn(random),
            material,
            ..Body::default()
        };
        // Where it ends up when it is turned is asked of the scene itself.
        let alone = Scene { bodies: vec![body.clone()], ..Scene::default() };
        let points = simulator(&alone).positions();
        let low = points.iter().map(|p| p[2]).fold(f64::MAX, f64::min);
        let high = points.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
        let aside = || 0.3 * size;
        let (x, y) = (random.between(-aside(), aside()), random.between(-aside(), aside()));
        body.translate = [x, y, height - low];
        height += high - low + gap;
        bodies.push(body);
    }
    bodies
}

/// What bodies fall on, with its highest point at about 0, as large as it must be for bodies of `size` \[m\].
fn ground(random: &mut Random, size: f64) -> Collider {
    let wide = 8.0 * size;
    let kinds = ["plane", "slope", "ball", "hollow", "box", "capsule", "hills", "sheet", "mesh"];
    let kind = random.choose(&kinds);
    let (shape, translate, rotate) = match kind {
        "plane" => (ColliderShape::Plane {}, [0.0; 3], Rotation::default()),
        "slope" => {
            let tilt = Rotation::Euler([random.between(-30.0, 30.0), 20.0, 0.0]);
            (ColliderShape::Plane {}, [0.0, 0.0, -wide], tilt)
        }
        "ball" => {
            let radius = size * random.magnitude(0.2, 4.0);
            let shape = ColliderShape::Sphere { radius, hollow: false };
            (shape, [0.0, 0.0, -radius], Rotation::default())
        }
        "hollow" => {
            let (length, hollow) = (2.0 * wide, true);
            let shape = random.choose(&[
                ColliderShape::Sphere { radius: wide, hollow },
                ColliderShape::Box { size: [length; 3], hollow },
                ColliderShape::Cylinder { radius: wide, length, hollow },
            ]);
            (shape, [0.0, 0.0, wide], Rotation::default())
        }
        "box" => {
            let edge = size * random.magnitude(0.1, 2.0);
            let shape = random.choose(&[
                ColliderShape::Box { size: [edge; 3], hollow: false },
                ColliderShape::Cylinder { radius: 0.5 * edge, length: edge, hollow: false },
            ]);
            (shape, [0.0, 0.0, -edge], turn(random))
        }
        "capsule" => {
            let radius = size * random.magnitude(0.05, 1.0);
            let shape = ColliderShape::Capsule { radius, length: wide, hollow: false };
            (shape, [0.0, 0.0, -radius], Rotation::Euler([90.0, 0.0, 30.0]))
        }
        "hills" => {
            let mut row = || (0..9).map(|_| -0.4 * size * random.next()).collect();
            let heights = Some((0..9).map(|_| row()).collect());
            let ground = ColliderGround { file: None, heights, size: [2.0 * wide; 2], height: 1.0 };
            let shape = ColliderShape::HeightMap(ground);
            (shape, [-wide, -wide, 0.0], Rotation::default())
        }
        "sheet" => {
            let mesh = shapes::cloth([6; 2], [2.0 * wide; 2]).unwrap();
            let shape = ColliderShape::Mesh(ColliderMesh::of(Source::Inline(mesh)));
            (shape, [-wide, -wide, -0.3 * size], Rotation::default())
        }
        _ => {
            let mesh = random.choose(&[
                shapes::ball(2.0 * size, size).unwrap(),
                shapes::bar([2; 3], [2.0 * size; 3], Split::default()),
            ]);
            let shape = ColliderShape::Mesh(ColliderMesh::of(Source::Inline(mesh)));
            (shape, [0.0, 0.0, -3.6 * size], turn(random))
        }
    };
    // What a mesh gives back is not simulated, which is warned of.
    let is_mesh = matches!(shape, ColliderShape::Mesh(_));
    let restitution = if is_mesh { 0.0 } else { random.choose(&[0.0, 0.0, 0.5]) };
    let friction = random.choose(&[0.0, 0.3, 1.0]);
    Collider {
        name: kind.into(),
        shape,
        translate,
        rotate,
        friction,
        restitution,
        ..Collider::default()
    }
}

/// How a collider may move, at about `speed` \[m/s\].
fn motion(random: &mut Random, size: f64, speed: f64) -> ColliderMotion {
    let velocity = [0; 3].map(|_: i32| random.between(-0.5, 0.5) * speed);
    let spin = [0; 3].map(|_: i32| random.between(-0.5, 0.5) * speed / size);
    if random.next() < 0.5 {
        return ColliderMotion::Steady { velocity, spin };
    }
    let keyframe = |(n, side): (i32, f64)| {
        let translate = velocity.map(|v| v.signum() * 0.2 * size * side);
        let rotate = Rotation::Euler([10.0 * side, 0.0, 0.0]);
        Keyframe { time: 0.4 * size / speed * f64::from(n), translate, rotate }
    };
    let keyframes = (0..).zip([0.0, 1.0, 0.0, -1.0, 0.0]).map(keyframe).collect();
    ColliderMotion::Keyframes { keyframes, repeat: true }
}

fn case(seed: u64) -> Case {
    let random = &mut Random(seed ^ 0x5eed_0000);
    let size = random.magnitude(0.03, 3.0);
    let overlaps = random.next() < 0.1;
    let gap = if overlaps { -0.15 * size } else { size * random.magnitude(0.05, 0.4) };
    let bodies = bodies(random, size, gap);
    let integrator = random.choose(&Integrator::EXPLICIT);
    let mut colliders = vec![ground(random, size)];
    if random.next() < 0.4 {
        let mut other = ground(random, size);
        other.name = "other".into();
        other.translate[0] += 0.7 * size;
        colliders.push(other);
    }
    let moves = random.next() < 0.4;
    let contact = Contact {
        friction: random.choose(&[0.0, 0.3, 1.0]),
        guarantee: !moves && random.next() < 0.2,
        ..Contact::default()
    };
    let world = World {
        gravity: [0.0, 0.0, random.choose(&[-9.81, -9.81, 0.0])],
        damping: random.choose(&[0.0, 0.0, 0.35, 2.0]),
        integrator,
        bounds: None,
        contact: Some(contact),
        ..World::default()
    };
    let mut scene = Scene { world, bodies, colliders, ..Scene::default() };
    let stable = stable_timestep(&simulator(&scene));
    let of_verlet = {
        let mut verlet = scene.clone();
        verlet.world.integrator = Integrator::Verlet;
        stable_timestep(&simulator(&verlet)).unwrap_or(1e-3).min(0.02)
    };
    let is_too_long = random.next() < 0.25;
    let share = if is_too_long { random.between(1.0, 4.0) } else { random.between(0.1, 0.7) };
    scene.world.timestep = share * stable.unwrap_or(0.3 * of_verlet).min(0.02);
    // As a program that shows a picture sixty times a second.
    if random.next() < 0.1 {
        (scene.world.timestep, scene.world.auto_substeps) = (1.0 / 60.0, true);
        scene.world.substeps = (1.0 / 60.0 / (0.7 * of_verlet)).ceil().min(256.0) as u32;
    }
    let elements: usize = scene
        .bodies
        .iter()
        .map(|body| match &body.source {
            Source::Inline(mesh) => mesh.tets.len() + 2 * mesh.triangles.len() + 20,
            _ => 0,
        })
        .sum();
    let work = MOST_WORK / elements as f64 / f64::from(scene.world.substeps);
    let h = scene.world.timestep / f64::from(scene.world.substeps);
    let is_stable = stable.is_some_and(|stable| h <= 0.75 * stable);
    let steps = (work as u64).clamp(20, MOST_STEPS);
    // So fast that all have met before the end, or faster.
    let met = random.between(0.1, 0.5) * steps as f64 * scene.world.timestep;
    let speed = (gap.abs() / met * random.choose(&[1.0, 1.0, 3.0, 10.0])).min(MOST_SPEED);
    for (i, body) in scene.bodies.iter_mut().enumerate() {
        // Those above catch up with those below.
        body.velocity = [random.between(-0.3, 0.3) * speed, 0.0, -speed * (1.0 + i as f64)];
        if random.next() < 0.3 {
            body.spin = [0; 3].map(|_: i32| random.between(-0.5, 0.5) * speed / size);
        }
    }
    if moves {
        for collider in &mut scene.colliders {
            collider.motion = Some(motion(random, size, speed));
        }
    }
    // Surfaces that begin nearer to each other than they are thick are pushed apart, which gives energy.
    let mut begin = simulator(&scene);
    begin.set_world(World { timestep: 1e-9, substeps: 1, ..begin.world().clone() }).unwrap();
    let begins_apart = begin.step(1).is_ok_and(|_| begin.contacts().is_empty());
    Case { steps, is_stable, is_closed: !moves && begins_apart, scene }
}

/// Runs a scene and judges; an error says what failed in silence.
fn judge(case: &Case) -> Result<Outcome, String> {
    let Case { scene, steps, .. } = case;
    let Run { warnings, diverged, growth, is_finite } = run(scene, *steps);
    if !is_finite {
        return Err("ended with something that is no number".into());
    }
    if let Some(error) = &diverged {
        let text = error.to_string();
        let Some(h) = error.suggested_timestep.filter(|&h| h < error.timestep) else {
            let is_helpful = text.contains("no stable timestep") || text.contains("too violent");
            return if is_helpful { Ok(Outcome::DivergedWithAdvice) } else { Err(text) };
        };
        let mut again = scene.clone();
        (again.world.timestep, again.world.substeps) = (h, 1);
        let time = *steps as f64 * scene.world.timestep;
        let worse = run(&again, ((time / h) as u64).min(LONGER * steps)).diverged;
        return match worse {
            None => Ok(Outcome::DivergedAndCured),
            Some(_) if warnings.iter().any(|w| w.contains("crushed")) => Ok(Outcome::Warned),
            Some(worse) => Err(format!("{text}\n  but with that timestep: {worse}")),
        };
    }
    let is_told = warnings.iter().any(|w| w.contains("energy") || w.contains("timestep"));
    let told = if is_told { "with a warning" } else { "without a word" };
    let is_wrong = case.is_closed && growth > GROWTH && !is_told;
    if is_wrong {
        return Err(format!("gained {:.0} % energy {told}: {warnings:?}", 100.0 * growth));
    }
    Ok(if warnings.is_empty() { Outcome::Fine } else { Outcome::Warned })
}

/// What is wrong, and with what: enough to begin a search.
fn describe(case: &Case) -> String {
    let World { integrator, timestep, substeps, contact, .. } = &case.scene.world;
    let bodies: Vec<String> = case
        .scene
        .bodies
        .iter()
        .map(|body| {
            let Material { mass, stiffness, volume, damping } = &body.material;
            format!(
                "{} {mass:?} {stiffness:?} {volume:?} {damping:?} {:?}",
                body.name, body.velocity
            )
        })
        .collect();
    let colliders: Vec<String> = case
        .scene
        .colliders
        .iter()
        .map(|collider| {
            format!(
                "{} e={} µ={} {:?}",
                collider.name, collider.restitution, collider.friction, collider.motion
            )
        })
        .collect();
    format!(
        "{integrator} at {timestep:.2e} s / {substeps}, {} steps, stable {}, closed {}, {contact:?}\n  {}\n  {}",
        case.steps,
        case.is_stable,
        case.is_closed,
        bodies.join("\n  "),
        colliders.join("\n  ")
    )
}

#[test]
fn random_contact_never_fails_in_silence() {
    let (count, seed) = random::asked(SCENES);
    let outcomes = random::all(seed..seed + count, |seed| judge(&case(seed)));
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (seed, outcome) in &outcomes {
        let name = match outcome {
            Ok(outcome) => format!("{outcome:?}"),
            Err(problem) => {
                println!("seed {seed}: {problem}\n  {}", describe(&case(*seed)));
                "Failed".into()
            }
        };
        *counts.entry(name).or_default() += 1;
    }
    println!("{count} random scenes with contact from seed {seed}: {counts:?}");
    assert!(outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{counts:?}");
}
