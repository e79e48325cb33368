//! Triangle meshes as colliders: they stop, carry and push bodies, whatever moves them.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use crate::support::*;
use crate::{block, scene, touching};
use pliant::contact::find_crossings;
use pliant::mesh::formats::gltf_write::{Animation, write_animation};
use pliant::mesh::formats::save;
use pliant::mesh::shapes::Split;
use pliant::mesh::{Mesh, shapes};
use pliant::render::encode::write_png;
use pliant::scene::Picture;
use pliant::scene::{
    Body, Collider, ColliderMesh, ColliderMotion, ColliderShape, Copies, Integrator, Keyframe,
    Rotation, Scale, Source, World, WorldBox,
};
use pliant::session::Frame;
use pliant::session::pictures::Painter;
use pliant::{Backend, Scene, Simulator, checkpoint};

/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// A collider of a mesh.
pub fn collider(name: &str, mesh: Mesh) -> Collider {
    let shape = ColliderShape::Mesh(ColliderMesh::of(Source::Inline(mesh)));
    Collider { name: name.into(), shape, ..Collider::default() }
}

/// A hemisphere that is open at the top, round the origin: a bowl without walls.
pub fn bowl(radius: f64) -> Mesh {
    let (rings, sides) = (8_u32, 24_u32);
    let mut mesh = Mesh { points: vec![[0.0, 0.0, -radius]], ..Mesh::default() };
    for ring in 1..=rings {
        let (across, down) = (0.5 * PI * f64::from(ring) / f64::from(rings)).sin_cos();
        let point = |side: u32| {
            let (y, x) = (2.0 * PI * f64::from(side) / f64::from(sides)).sin_cos();
            [radius * across * x, radius * across * y, -radius * down]
        };
        mesh.points.extend((0..sides).map(point));
        let at = |ring: u32, side: u32| match ring {
            0 => 0,
            _ => 1 + (ring - 1) * sides + side % sides,
        };
        for side in 0..sides {
            let [a, b] = [at(ring - 1, side), at(ring - 1, side + 1)];
            let [c, d] = [at(ring, side), at(ring, side + 1)];
            mesh.triangles.push([a, c, d]);
            if ring > 1 {
                mesh.triangles.push([a, d, b]);
            }
        }
    }
    mesh
}

/// The same with walls: a closed surface.
fn thick_bowl(radius: f64, wall: f64) -> Mesh {
    let arc = |radius: f64| {
        move |i: i32| {
            let angle = 0.5 * PI * f64::from(i) / 8.0;
            [if i == 0 { 0.0 } else { radius * angle.sin() }, -radius * angle.cos()]
        }
    };
    let outer = (0..=8).map(arc(radius + wall));
    let profile: Vec<[f64; 2]> = outer.chain((0..=8).rev().map(arc(radius))).collect();
    shapes::lathe(&profile, 24).unwrap()
}

/// A flat square of triangles round the origin.
pub fn sheet(cells: u32, size: f64) -> Mesh {
    let mut mesh = shapes::cloth([cells; 2], [size; 2]).unwrap();
    mesh.points.iter_mut().for_each(|p| (p[0], p[1]) = (p[0] - 0.5 * size, p[1] - 0.5 * size));
    mesh
}

fn ball(name: &str, radius: f64) -> Body {
    let mut ball = body(shapes::ball(radius, 0.5 * radius).unwrap(), rubber(1000.0, 1e4));
    ball.name = name.into();
    ball
}

pub fn with(colliders: Vec<Collider>, bodies: Vec<Body>, world: World) -> Scene {
    Scene { colliders, ..scene(bodies, world) }
}

fn mass(sim: &Simulator) -> f64 {
    sim.model().mass.iter().map(|&m| f64::from(m)).sum()
}

#[test]
fn a_ball_in_a_bowl_comes_to_rest_and_the_bowl_carries_its_weight() {
    for (name, mesh) in [("open", bowl(0.2)), ("closed", thick_bowl(0.2, 0.02))] {
        let mut soft = ball("ball", 0.06);
        soft.translate = [0.05, 0.02, -0.05];
        // The world has no contact of its own.
        let world = World { contact: None, timestep: 2e-4, damping: 3.0, ..touching(0.5) };
        let mut sim = simulator(&with(vec![collider("bowl", mesh)], vec![soft], world));
        let report = sim.step(20_000).unwrap();
        let (weight, force) = (mass(&sim) * G, sim.collider_forces()[0]);
        assert!((force[2] / weight + 1.0).abs() < 0.01, "{name}: {force:?} of {weight} N");
        assert!(force[0].hypot(force[1]) < 0.01 * weight, "{name}: {force:?}");
        let center = report.center_of_mass;
        assert!(report.max_speed < 1e-2 && center[0].hypot(center[1]) < 0.05, "{name}: {report:?}");
        let colliders = report.colliders.unwrap();
        assert_eq!(colliders.on_colliders[0], force);
        assert!(colliders.touching > 2, "{name}: {}", colliders.touching);
        let all: f64 = sim.contact_forces().iter().map(|f| f64::from(f[2])).sum();
        assert!((all / weight - 1.0).abs() < 0.01, "{name}: {all} N");
    }
}

#[test]
fn who_touches_nothing_leaves_colliders_as_thick_as_they_are() {
    let end = |bystanders: Vec<Body>| {
        let mut soft = ball("ball", 0.06);
        soft.translate = [0.0, 0.0, 0.07];
        let bodies = [vec![soft], bystanders].concat();
        let world = World { contact: None, timestep: 2e-4, damping: 3.0, ..touching(0.5) };
        let mut sim = simulator(&with(vec![collider("sheet", sheet(4, 0.4))], bodies, world));
        sim.step(1000).unwrap();
        let ball = sim.model().bodies[0].vertices.clone();
        let heights = sim.positions()[ball.start as usize..ball.end as usize].to_vec();
        assert!(sim.collider_forces()[0][2] < 0.0, "it lies on the sheet");
        heights.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min)
    };
    let ghost = Body { contact: None, translate: [1.0, 0.0, 2.0], ..ball("ghost", 0.06) };
    // Another body leads to other blocks, whose sums round otherwise.
    let [alone, watched] = [end(Vec::new()), end(vec![ghost])];
    assert!((alone - watched).abs() < 1e-6 && alone > 1e-3, "{alone} {watched}");
}

/// The same as on a slope of soft stuff, on a tilted sheet: how far a block goes and how much faster it gets.
fn on_slope(friction: f64, leans: f64, seconds: f64) -> (f64, f64) {
    let angle = 0.5_f64.atan();
    let mut upper = block("upper", 2, 0.1);
    let tilt = Rotation::AxisAngle { axis: [0.0, 1.0, 0.0], degrees: angle.to_degrees() };
    // Laid on the sheet, a little above it.
    let ground = Collider { rotate: tilt, friction, ..collider("ground", sheet(8, 2.0)) };
    upper.rotate = tilt;
    upper.translate = ground.pose(0.0).place([-0.8, -0.05, 0.01]);
    let down: [f64; 3] = ground.pose(0.0).rotation.map(|row| row[0]);
    let normal: [f64; 3] = ground.pose(0.0).rotation.map(|row| row[2]);
    // Friction of the world is not that of the collider.
    let world =
        World { damping: 5.0, gravity: normal.map(|n| -G * angle.cos() * n), ..touching(9.0) };
    let mut sim = simulator(&with(vec![ground], vec![upper], world));
    sim.advance(600).unwrap();
    let tilted = World { damping: 2.0, gravity: [0.0, 0.0, -G], ..sim.world().clone() };
    sim.set_world(tilted.clone()).unwrap();
    sim.advance((leans * 1e3) as u64).unwrap();
    sim.set_world(World { damping: 0.0, ..tilted }).unwrap();
    let along = |v: [f64; 3]| (0..3).map(|k| v[k] * down[k]).sum::<f64>();
    let before = sim.report();
    let after = sim.step((seconds * 1e3) as u64).unwrap();
    let way = length(std::array::from_fn(|k| after.center_of_mass[k] - before.center_of_mass[k]));
    (way, (along(after.momentum) - along(before.momentum)) / mass(&sim))
}

#[test]
fn a_block_on_a_tilted_sheet_sticks_or_slides_as_coulomb_says() {
    let (way, speed) = on_slope(0.55, 4.0, 10.0);
    assert!(way < 1e-5 && speed.abs() < 1e-5, "{way} m, {speed} m/s");
    let angle = 0.5_f64.atan();
    for friction in [0.0, 0.2, 0.4] {
        let (_, speed) = on_slope(friction, 0.3, 0.3);
        let wanted = 0.3 * G * (angle.sin() - friction * angle.cos());
        assert!((speed / wanted - 1.0).abs() < 0.03, "{friction}: {speed} instead of {wanted} m/s");
    }
}

#[test]
fn a_turntable_carries_what_stands_on_it_round() {
    let spin = 1.5;
    let mut rider = block("rider", 2, 0.08);
    rider.translate = [0.16, -0.04, 0.008];
    let motion = ColliderMotion::Steady { velocity: [0.0; 3], spin: [0.0, 0.0, spin] };
    let table =
        Collider { motion: Some(motion), friction: 0.8, ..collider("table", sheet(6, 0.8)) };
    let mut sim =
        simulator(&with(vec![table], vec![rider], World { damping: 0.0, ..touching(0.3) }));
    sim.advance(2000).unwrap();
    let seen = |sim: &mut Simulator| {
        let at = sim.report().center_of_mass;
        (at[0].hypot(at[1]), at[1].atan2(at[0]))
    };
    let (radius, angle) = seen(&mut sim);
    sim.advance(2000).unwrap();
    let (later, turned) = seen(&mut sim);
    let turned = (turned - angle).rem_euclid(2.0 * PI);
    assert!((turned / (spin * 2.0) - 1.0).abs() < 0.01, "{turned} rad");
    assert!((later - radius).abs() < 1e-3, "it stays at {radius} m: {later}");
}

#[test]
fn a_mesh_that_moves_pushes_bodies_with_its_velocity() {
    for mesh in [sheet(4, 0.4), shapes::rounded_box([0.4, 0.4, 0.05], 0.0, 1).unwrap()] {
        let mut pushed = block("pushed", 2, 0.1);
        pushed.translate = [-0.05, -0.05, 0.05];
        let motion = ColliderMotion::Steady { velocity: [0.0, 0.0, 0.5], spin: [0.0; 3] };
        let plate = Collider { motion: Some(motion), ..collider("plate", mesh) };
        // So much damping that it does not fly ahead of the plate.
        let world = World { timestep: 1e-3, damping: 5.0, ..space() };
        let mut sim = simulator(&with(vec![plate], vec![pushed], world));
        let report = sim.step(2500).unwrap();
        let speed = report.momentum[2] / mass(&sim);
        assert!((speed / 0.5 - 1.0).abs() < 0.01, "{speed} m/s");
        let low = sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
        assert!(low > 1.25, "the plate is at 1.25 m, and it at {low} m");
    }
}

/// Up, and back down by half.
const WAY: [[f64; 3]; 3] = [[0.0; 3], [0.05, 0.0, 0.2], [-0.05, 0.0, 0.1]];
const INTERVAL: f64 = 0.25;

/// The same motion by keyframes, by a series of files and by an animation, of a tray.
pub fn trays(folder: &Path) -> [Collider; 3] {
    let tray = sheet(4, 0.5);
    let moved = |way: &[f64; 3]| Mesh {
        points: tray.points.iter().map(|p| std::array::from_fn(|k| p[k] + way[k])).collect(),
        ..tray.clone()
    };
    for (i, way) in WAY.iter().enumerate() {
        save(&moved(way), &folder.join(format!("tray-{i}.obj"))).unwrap();
    }
    let single = |mesh: &Mesh| -> Vec<[f32; 3]> {
        mesh.points.iter().map(|p| p.map(|c| c as f32)).collect()
    };
    let frames: Vec<Vec<[f32; 3]>> = WAY.iter().map(|way| single(&moved(way))).collect();
    let times = [0, 1, 2].map(|i| (INTERVAL * f64::from(i)) as f32);
    let animation = Animation {
        name: "tray",
        triangles: &tray.triangles,
        rest: &single(&tray),
        frames: &frames,
        times: &times,
        colors: None,
    };
    let glb = folder.join("tray.glb");
    write_animation(&animation, &mut std::fs::File::create(&glb).unwrap()).unwrap();
    let keyframe = |(i, &translate): (i32, &[f64; 3])| Keyframe {
        time: INTERVAL * f64::from(i),
        translate,
        rotate: Rotation::default(),
    };
    let keyframes = (0..).zip(&WAY).map(keyframe).collect();
    let of_file = |path: PathBuf, motion| Collider {
        shape: ColliderShape::Mesh(ColliderMesh::file(path)),
        motion: Some(motion),
        ..collider("tray", Mesh::default())
    };
    [
        Collider {
            motion: Some(ColliderMotion::Keyframes { keyframes, repeat: true }),
            ..collider("tray", tray)
        },
        of_file(
            folder.join("tray-*.obj"),
            ColliderMotion::Series { interval: INTERVAL, repeat: true },
        ),
        of_file(glb, ColliderMotion::Animation { animation: "0".into(), repeat: true }),
    ]
}

#[test]
fn series_and_animations_move_bodies_as_keyframes_do() {
    let folder = tempfile::tempdir().unwrap();
    let ends = trays(folder.path()).map(|tray| {
        let mut rider = block("rider", 2, 0.1);
        rider.translate = [-0.05, -0.05, 0.008];
        let world = World { damping: 3.0, substeps: 2, ..touching(0.5) };
        let mut sim = simulator(&with(vec![tray], vec![rider], world));
        let mut seen = Vec::new();
        for _ in 0..9 {
            // Once over the end, where it begins again.
            sim.advance(70).unwrap();
            let force = sim.collider_forces()[0];
            let points = sim.model().given[0].points_at(sim.time());
            seen.push((sim.positions(), points, force));
        }
        seen
    });
    let moved = largest_distance(&ends[0][0].1, &ends[0][3].1);
    assert!(moved > 0.1, "it moves by {moved} m");
    for others in &ends[1..] {
        for (n, (one, other)) in ends[0].iter().zip(others).enumerate() {
            assert!(largest_distance(&one.1, &other.1) < 1e-6, "look {n}");
            // What lies on a tray that jumps back begins to be another in the very substep.
            let apart = largest_distance(&one.0, &other.0);
            assert!(n > 6 || apart < 2e-4, "look {n}: {apart} m");
            let difference = length(std::array::from_fn(|k| one.2[k] - other.2[k]));
            assert!(n > 6 || difference < 0.1, "look {n}: {:?} and {:?} N", one.2, other.2);
        }
    }
}

/// The pairs of surface triangles that cross now, those of the colliders included.
fn crossings(sim: &Simulator) -> usize {
    crossing_pairs(sim).len()
}

/// Those pairs, by the numbers of triangles: the bodies' first.
fn crossing_pairs(sim: &Simulator) -> Vec<[u32; 2]> {
    let user = |v: u32| sim.model().vertex_order[v as usize];
    let mut triangles: Vec<[u32; 3]> = sim.model().triangles.iter().map(|t| t.map(user)).collect();
    let mut points = sim.positions();
    for given in &sim.model().given {
        let first = points.len() as u32;
        points.extend(given.points_at(sim.time()));
        triangles.extend(given.triangles.iter().map(|t| t.map(|v| first + v)));
    }
    find_crossings(&Mesh { points, triangles, ..Mesh::default() }, 1).unwrap()
}

#[test]
fn cloth_falls_on_a_mesh_without_crossing_it() {
    let mut cloth = body(shapes::cloth([24, 24], [0.5, 0.5]).unwrap(), rubber(0.3, 200.0));
    cloth.name = "cloth".into();
    cloth.translate = [-0.25, -0.24, 0.215];
    let ball = Collider {
        translate: [0.0, 0.0, 0.1],
        friction: 0.3,
        ..collider("ball", shapes::ball(0.1, 0.03).unwrap())
    };
    let bounds = World::default().bounds;
    let world = World { timestep: 2e-4, damping: 1.0, bounds, ..touching(0.3) };
    let mut sim = simulator(&with(vec![ball], vec![cloth], world));
    for _ in 0..8 {
        let report = sim.step(1000).unwrap();
        assert_eq!(crossings(&sim), 0, "{report:?}");
    }
    let low = sim.positions().iter().map(|x| x[2]).fold(f64::INFINITY, f64::min);
    let contact = sim.report().contact.unwrap();
    assert!(low < 0.05 && contact.contacts > 30, "it hangs down at {low} m: {contact:?}");
}

/// Blocks and a cloth in a bowl, on a tray that rises in it, under a turning bar.
fn busy(integrator: Integrator, folder: &Path) -> Scene {
    let [_, series, mut animated] = trays(folder);
    let mut bodies: Vec<Body> = (0..3)
        .map(|n| {
            let mut next = block(&format!("block-{n}"), 2, 0.08);
            next.translate = [-0.1 + 0.05 * f64::from(n), -0.04, -0.15 + 0.1 * f64::from(n)];
            next
        })
        .collect();
    let mut cloth = body(shapes::cloth([10, 10], [0.3, 0.3]).unwrap(), rubber(0.3, 100.0));
    cloth.name = "cloth".into();
    cloth.translate = [-0.15, -0.15, 0.16];
    bodies.push(cloth);
    animated.name = "animated".into();
    animated.translate = [0.0, 0.0, -0.45];
    let bar = shapes::bar([4, 1, 1], [0.4, 0.04, 0.04], Split::default());
    let motion = ColliderMotion::Steady { velocity: [0.0, 0.0, -0.2], spin: [0.0, 0.0, 2.0] };
    let turning =
        Collider { motion: Some(motion), translate: [0.0, 0.0, 0.2], ..collider("bar", bar) };
    let plane = Collider { translate: [0.0, 0.0, -0.3], ..Collider::default() };
    let series = Collider { name: "series".into(), translate: [0.0, 0.0, -0.38], ..series };
    let colliders = vec![collider("bowl", thick_bowl(0.3, 0.03)), plane, turning, series, animated];
    let world = World { integrator, plasticity: 0.3, timestep: 4e-4, substeps: 2, ..touching(0.4) };
    with(colliders, bodies, world)
}

#[test]
fn threads_cuts_and_resumes_change_nothing() {
    const STEPS: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    let run = |scene: &Scene, threads: usize| {
        Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
    };
    for integrator in [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4] {
        let scene = busy(integrator, folder.path());
        let straight = |threads: usize| {
            let mut sim = run(&scene, threads);
            let report = sim.step(STEPS).unwrap();
            let forces = report.colliders.unwrap();
            let pushed = forces.on_colliders.iter().filter(|force| length(**force) > 0.0).count();
            assert!(forces.touching > 3 && pushed > 0, "{forces:?}");
            (sim.hash(), forces)
        };
        let one = straight(1);
        for threads in [2, 3, 7] {
            assert_eq!(straight(threads), one, "{integrator}, {threads} threads");
        }
        let mut cut = run(&scene, 1);
        for steps in [1, 199, 1, 1, 150, 48, 100] {
            cut.advance(steps).unwrap();
            let bytes = checkpoint::encode(&cut);
            let mut next = run(&scene, 2);
            next.load(&checkpoint::decode(&bytes).unwrap()).unwrap();
            assert_eq!(next.hash(), cut.hash(), "{integrator}");
            cut = next;
        }
        assert_eq!((cut.step_count(), cut.hash()), (STEPS, one.0), "{integrator}");
    }
}

#[test]
fn what_cannot_be_a_collider_is_refused_with_its_name_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let [_, series, animated] = trays(folder.path());
    let still = folder.path().join("tray-0.obj");
    let of = |shape: &Collider, path: &Path| Collider {
        shape: ColliderShape::Mesh(ColliderMesh::file(path)),
        ..shape.clone()
    };
    let glb = folder.path().join("still.glb");
    save(&sheet(2, 1.0), &glb).unwrap();
    let odd = folder.path().join("odd");
    std::fs::create_dir(&odd).unwrap();
    save(&sheet(2, 1.0), &odd.join("a-1.obj")).unwrap();
    save(&sheet(3, 1.0), &odd.join("a-2.obj")).unwrap();
    let mut broken = sheet(2, 1.0);
    broken.points[3][1] = f64::NAN;
    let dance = ColliderMotion::Animation { animation: "dance".into(), repeat: false };
    for (wrong, said) in [
        (of(&collider("tray", sheet(1, 1.0)), Path::new("no.obj")), &["no.obj"][..]),
        (collider("tray", Mesh::default()), &["no triangles"]),
        (collider("tray", broken), &["point 3", "NaN"]),
        (of(&series, &still), &["tray-0.obj", "is one file, not a series"]),
        (of(&series, &odd), &["a-2.obj", "points"]),
        (of(&animated, &still), &["tray-0.obj", "animation"]),
        (of(&animated, &glb), &["still.glb", "no animation", "keyframes"]),
        (Collider { motion: Some(dance), ..animated.clone() }, &["tray.glb", "dance"]),
    ] {
        let scene = with(vec![wrong], vec![block("soft", 1, 0.1)], touching(0.5));
        let text = match Simulator::new(scene, cpu()) {
            Ok(_) => panic!("{said:?} is not refused"),
            Err(error) => error.to_string(),
        };
        for word in said.iter().chain(&["\"tray\""]) {
            assert!(text.contains(word), "{word} is not in: {text}");
        }
    }
}

#[test]
fn what_begins_in_or_across_a_collider_is_told() {
    let told = |mesh: Mesh, at: [f64; 3]| {
        let mut soft = block("soft", 2, 0.1);
        soft.translate = at;
        let scene = with(vec![collider("thing", mesh)], vec![soft], touching(0.5));
        let mut sim = simulator(&scene);
        (sim.take_messages().join("; "), sim)
    };
    let (text, _) = told(sheet(4, 1.0), [0.01, 0.02, -0.05]);
    assert!(text.contains("\"thing\" crosses body \"soft\""), "{text}");
    let room = shapes::rounded_box([0.6; 3], 0.0, 1).unwrap();
    let (text, mut sim) = told(room.clone(), [-0.05; 3]);
    assert!(text.contains("begins inside"), "{text}");
    // It is held in there.
    let report = sim.step(1500).unwrap();
    assert!(report.center_of_mass[2] > -0.3 && report.max_speed < 1.0, "{report:?}");
    let (text, sim) = told(room, [-0.05, -0.05, 0.31]);
    assert!(!text.contains("thing"), "{text}");
    assert!(sim.model().given[0].is_solid);
}

#[test]
fn blocks_rain_on_the_bunny_and_stay_outside() {
    let Some(path) = data("surface/bunny_closed.obj") else { return };
    let shape = ColliderMesh { scale: Scale::Uniform(2.0), ..ColliderMesh::file(path) };
    let mut bunny = collider("bunny", Mesh::default());
    (bunny.shape, bunny.rotate) = (ColliderShape::Mesh(shape), Rotation::Euler([90.0, 0.0, 0.0]));
    let mut rain = block("rain", 2, 0.06);
    rain.translate = [-0.13, -0.07, 0.42];
    rain.copies = Some(Copies { count: [3, 2, 2], spacing: [0.07, 0.08, 0.09] });
    let bounds = Some(WorldBox { friction: 0.5, ..WorldBox::default() });
    let world = World { timestep: 5e-4, bounds, contact: None, ..touching(0.5) };
    let mut sim = simulator(&with(vec![bunny], vec![rain], world));
    let mut most: f64 = 0.0;
    for look in 0..6 {
        let report = sim.step(200).unwrap();
        most = most.max(length(report.colliders.unwrap().on_colliders[0]));
        let soft = sim.model().triangles.len() as u32;
        let through =
            crossing_pairs(&sim).into_iter().filter(|pair| pair.iter().any(|t| *t >= soft));
        assert_eq!(through.count(), 0, "look {look}");
        picture(&mut sim, &format!("bunny-{look}"));
    }
    assert!(most > 10.0, "the bunny was hit with {most} N");
}

/// Paints the present into the folder for what tests leave, to be looked at, and returns the places of pixels that show
/// colliders.
fn picture(sim: &mut Simulator, name: &str) -> Vec<[usize; 2]> {
    const SIZE: [u32; 2] = [480, 360];
    let painter = Painter::new(sim, &Picture::default());
    let frame = Frame::capture(sim, painter.fields());
    let image = painter.paint(&frame, SIZE).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    write_png(&folder.join(format!("mesh-collider-{name}.png")), &image).unwrap();
    // Slate grey, in any light.
    let is_collider = |[r, g, b, _]: [u8; 4]| {
        b >= r.saturating_add(10) && g > r && b > g && b - r < 60 && r < 180
    };
    let pixels = image.pixels.iter().enumerate().filter(|&(_, &pixel)| is_collider(pixel));
    pixels.map(|(i, _)| [i % SIZE[0] as usize, i / SIZE[0] as usize]).collect()
}

#[test]
fn pictures_show_meshes_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for (i, tray) in trays(folder.path()).into_iter().enumerate() {
        let mut rider = block("rider", 2, 0.1);
        rider.translate = [-0.05, -0.05, 0.008];
        let mut sim = simulator(&with(vec![tray], vec![rider], touching(0.5)));
        let height = |pixels: Vec<[usize; 2]>| {
            assert!(pixels.len() > 1000, "{} pixels", pixels.len());
            pixels.iter().map(|p| p[1] as f64).sum::<f64>() / pixels.len() as f64
        };
        let low = height(picture(&mut sim, &format!("tray-{i}-low")));
        sim.advance(250).unwrap();
        let high = height(picture(&mut sim, &format!("tray-{i}-high")));
        // Rows of pixels are counted from above.
        assert!(high < low - 20.0, "tray {i}: from row {low} to row {high}");
    }
}
