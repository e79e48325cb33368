//! With `guarantee = true`, surfaces that do not cross at the start never do: decided without rounding, at every output.
//!
//! Sizes are such that each test takes seconds. `PLIANT_FULL=1 cargo test --release -p pliant --test contact guarantee`
//! runs the full ones, and with `--nocapture` tells what was cut short, and how much crosses without the guarantee.

use crate::support::*;
use crate::{block, scene, table, touching};
use pliant::contact::GuardReport;
use pliant::mesh::Mesh;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{
    Body, Collider, ColliderMotion, ColliderShape, Contact, Damping, Integrator, Keyframe, Region,
    World,
};
use pliant::touch::{Drag, Touch};
use pliant::{Backend, Scene, Simulator, checkpoint};

/// A world in which nothing crosses.
fn guarded(friction: f64) -> World {
    let contact = Some(Contact { friction, guarantee: true, ..Contact::default() });
    World { contact, ..touching(friction) }
}

fn crossings(sim: &Simulator) -> usize {
    sim.crossings().unwrap().len()
}

fn report(sim: &mut Simulator) -> GuardReport {
    sim.report().contact.unwrap().guarantee.unwrap()
}

/// Runs a scene to its end, with `act` before each of `outputs` outputs, and looks for crossings at each. In full
/// size, says what the same scene comes to without the guarantee.
fn never_crosses(
    name: &str,
    scene: &Scene,
    (outputs, steps): (u32, u64),
    act: impl Fn(&mut Simulator, f64),
) -> Simulator {
    let run = |scene: &Scene| {
        let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads: sized(1, 2) }).unwrap();
        let mut most = 0;
        for output in 0..outputs {
            act(&mut sim, f64::from(output) / f64::from(outputs));
            if let Err(problem) = sim.advance(steps) {
                panic!("{name}, output {output}: {problem}");
            }
            most = most.max(crossings(&sim));
            let is_guarded = scene.world.contact.as_ref().unwrap().guarantee;
            assert!(most == 0 || !is_guarded, "{name}: {most} cross at output {output}");
        }
        assert!(sim.positions().as_flattened().iter().all(|x| x.is_finite()), "{name}");
        (sim, most)
    };
    let (mut sim, _) = run(scene);
    if sized(false, true) {
        println!("{name}: {:?}", report(&mut sim));
        let mut plain = scene.clone();
        plain.world.contact.as_mut().unwrap().guarantee = false;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&plain).1));
        println!("{name}: without the guarantee {outcome:?} pairs of triangles cross at most");
    }
    sim
}

fn cloth(cells: u32, size: f64) -> Body {
    let mut cloth = body(shapes::cloth([cells; 2], [size; 2]).unwrap(), rubber(0.3, 200.0));
    cloth.name = "cloth".into();
    cloth.translate = [-0.5 * size, -0.5 * size, 0.0];
    cloth
}

/// A plane that moves as far as its normal is long in some time, and stays there.
fn closing(normal: [f64; 3], distance: f64, way: f64, time: f64) -> Collider {
    let axis = normal.iter().position(|&c| c != 0.0).unwrap();
    let rotate = match (axis, normal[axis] > 0.0) {
        (0, true) => [0.0, 90.0, 0.0],
        (0, false) => [0.0, -90.0, 0.0],
        (1, true) => [-90.0, 0.0, 0.0],
        (1, false) => [90.0, 0.0, 0.0],
        (_, true) => [0.0; 3],
        (_, false) => [180.0, 0.0, 0.0],
    };
    let shift = |way: f64| normal.map(|c| c * way);
    Collider {
        shape: ColliderShape::Plane {},
        rotate: pliant::scene::Rotation::Euler(rotate),
        translate: shift(-distance),
        friction: 0.2,
        motion: Some(ColliderMotion::Keyframes {
            keyframes: [0.0, 1.0]
                .map(|t| Keyframe {
                    time: t * time,
                    translate: shift(t * way),
                    rotate: Default::default(),
                })
                .to_vec(),
            repeat: false,
        }),
        ..Collider::default()
    }
}

#[test]
fn cloth_twisted_by_four_turns() {
    let (cells, size) = (sized(14, 64), 0.4);
    let h = sized(1e-4, 2e-5);
    let world = World { timestep: h, damping: 3.0, gravity: [0.0; 3], ..guarded(0.2) };
    let mut strip = cloth(cells, size);
    strip.material.damping = Damping::Time(1e-3);
    let scene = scene(vec![strip], world);
    let (outputs, time) = (sized(50, 200), sized(0.3, 1.0));
    let steps = (time / h / f64::from(outputs)).round() as u64;
    let start = simulator(&scene).positions();
    let half = 0.5 * size;
    let ends: Vec<u32> =
        (0..start.len() as u32).filter(|&v| start[v as usize][0].abs() > half - 1e-6).collect();
    let sim = never_crosses("twisted cloth", &scene, (outputs, steps), |sim, part| {
        // Each end turns two times, against the other, and comes nearer by a third.
        let place = |v: u32, part: f64| {
            let [x, y, _] = start[v as usize];
            let turn = x.signum() * part * 2.0 * std::f64::consts::TAU;
            [x * (1.0 - 0.33 * part), y * turn.cos(), y * turn.sin()]
        };
        let hand = |&v: &u32| {
            let [hand, cursor] = [part, part + 1.0 / f64::from(outputs)].map(|part| place(v, part));
            let way = length(std::array::from_fn(|k| cursor[k] - hand[k]));
            let (vertices, offsets) = (vec![v], vec![[0.0; 3]]);
            let speed = way / (steps as f64 * h);
            Touch::Drag(Drag { vertices, offsets, hand, cursor, speed, stiffness: 20.0 })
        };
        *sim.touches_mut() = ends.iter().map(hand).collect();
    });
    // It is a rope now.
    let middle = sim.positions().into_iter().filter(|x| x[0].abs() < 0.1 * size);
    let thick = middle.map(|x| x[1].hypot(x[2])).fold(0.0, f64::max);
    assert!(thick < 0.5 * half, "{thick} m");
}

#[test]
fn cloth_crumpled_in_a_shrinking_box() {
    let (cells, size) = (sized(24, 128), 0.4);
    let h = sized(2e-4, 4e-5);
    let time = 0.3;
    let mut sheet = cloth(cells, size);
    sheet.material.damping = Damping::Time(5e-4);
    // Not quite flat, so that it knows where to go.
    sheet.rotate = pliant::scene::Rotation::Euler([3.0, 2.0, 0.0]);
    let world = World { timestep: h, damping: 2.0, ..guarded(0.2) };
    let mut colliders = Vec::new();
    for axis in 0..3 {
        let distance = if axis == 2 { 0.06 } else { 0.22 };
        let way = if axis == 2 { 0.01 } else { 0.16 };
        for side in [-1.0, 1.0] {
            let mut normal = [0.0; 3];
            normal[axis] = side;
            let mut plane = closing(normal, distance, way, time);
            plane.name = format!("plane-{}", colliders.len());
            colliders.push(plane);
        }
    }
    let scene = Scene { colliders, ..scene(vec![sheet], world) };
    let outputs = 40;
    let steps = (1.2 * time / h / f64::from(outputs)).round() as u64;
    let mut sim = never_crosses("crumpled cloth", &scene, (outputs, steps), |_, _| {});
    let contact = sim.report().contact.unwrap();
    assert!(contact.contacts > 100, "{contact:?}");
}

#[test]
fn bodies_in_a_bowl() {
    let side = sized([3, 3, 3], [5, 5, 4]);
    let mut bodies = Vec::new();
    for n in 0..side[0] * side[1] * side[2] {
        let (i, j, k) = (n % side[0], n / side[0] % side[1], n / (side[0] * side[1]));
        let place = |i: u32, count: u32| (f64::from(i) - 0.5 * f64::from(count - 1)) * 0.085;
        let mut ball = body(shapes::ball(0.04, 0.025).unwrap(), rubber(1000.0, 3e4));
        ball.material.damping = Damping::Time(1e-3);
        ball.name = format!("ball-{n}");
        ball.translate = [place(i, side[0]), place(j, side[1]), place(k, side[2])];
        ball.velocity = [0.5 - 0.1 * f64::from(n % 11), 0.3 - 0.1 * f64::from(n % 7), -1.0];
        bodies.push(ball);
    }
    let bowl = Collider {
        name: "bowl".into(),
        shape: ColliderShape::Sphere { radius: sized(0.25, 0.33), hollow: true },
        ..Collider::default()
    };
    let world = World { timestep: 5e-4, ..guarded(0.4) };
    let scene = Scene { colliders: vec![bowl], ..scene(bodies, world) };
    let mut sim = never_crosses("bowl", &scene, (sized(20, 60), 50), |_, _| {});
    assert!(sim.report().contact.unwrap().contacts > 50);
}

#[test]
fn a_sheet_hit_at_100_metres_per_second() {
    for (h, speed) in [(1e-4, 100.0), (5e-5, 100.0), (2e-4, 30.0)] {
        let mut sheet = cloth(sized(16, 48), 0.4);
        sheet.material = rubber(2.0, 2e4);
        sheet.locks = vec![
            Region::HalfSpace { point: [0.19, 0.0, 0.0], normal: [1.0, 0.0, 0.0] },
            Region::HalfSpace { point: [-0.19, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] },
        ];
        let mut ball = body(shapes::ball(0.05, 0.03).unwrap(), rubber(300.0, 1e5));
        ball.name = "ball".into();
        ball.translate = [0.013, 0.007, 0.2];
        ball.velocity = [0.0, 0.0, -speed];
        let world = World { timestep: h, gravity: [0.0; 3], auto_substeps: true, ..guarded(0.3) };
        let scene = scene(vec![sheet, ball], world);
        let name = format!("sheet hit at {speed} m/s, h = {h} s");
        let mut sim =
            never_crosses(&name, &scene, (60, (5e-3 / h / 60.0).ceil() as u64), |_, _| {});
        let ball = sim.model().bodies[1].vertices.clone();
        let low = ball.map(|v| sim.positions()[v as usize][2]).fold(f64::INFINITY, f64::min);
        assert!(low < 0.02, "it has arrived: {low} m, {:?}", report(&mut sim));
    }
}

#[test]
fn a_body_pushed_through_a_hole_smaller_than_itself() {
    let mut ring = body(shapes::tube(0.04, 0.09, 0.03, 0.02).unwrap(), rubber(1000.0, 1e5));
    ring.name = "ring".into();
    ring.locks = vec![Region::All];
    ring.rotate = pliant::scene::Rotation::Euler([0.0, -90.0, 0.0]);
    let mut ball = body(shapes::ball(0.05, 0.02).unwrap(), rubber(1000.0, 3e4));
    ball.name = "ball".into();
    ball.material.damping = Damping::Time(1e-3);
    ball.translate = [0.002, 0.001, 0.075];
    let press = Collider { name: "press".into(), ..closing([0.0, 0.0, -1.0], 0.13, 0.13, 0.4) };
    let world = World { timestep: 2e-4, damping: 1.0, ..guarded(0.1) };
    let scene = Scene { colliders: vec![press], ..scene(vec![ring, ball], world) };
    let sim = never_crosses("hole", &scene, (50, sized(45, 90)), |_, _| {});
    let ball = sim.model().bodies[1].vertices.clone();
    let low = ball.map(|v| sim.positions()[v as usize][2]).fold(f64::INFINITY, f64::min);
    assert!(low < 0.0, "it is in the hole: {low} m");
}

/// A solid of these tetrahedra.
fn solid(name: &str, points: &[[f64; 3]], tets: &[[u32; 4]]) -> Body {
    let mesh = Mesh { points: points.to_vec(), tets: tets.to_vec(), ..Mesh::default() };
    let mut solid = body(mesh, rubber(1000.0, 1e6));
    solid.name = name.into();
    solid
}

/// A needle along −z with its point at the origin.
fn needle(name: &str, length: f64, width: f64) -> Body {
    let w = width;
    let points =
        [[0.0; 3], [w, 0.0, length], [-0.5 * w, 0.8 * w, length], [-0.5 * w, -0.8 * w, length]];
    solid(name, &points, &[[0, 1, 2, 3]])
}

/// A wedge with its edge along x at z = 0, above it.
fn wedge(name: &str, length: f64, width: f64) -> Body {
    let (l, w) = (0.5 * length, 0.5 * width);
    let points =
        [[-l, 0.0, 0.0], [l, 0.0, 0.0], [-l, -w, 0.1], [-l, w, 0.1], [l, -w, 0.1], [l, w, 0.1]];
    solid(name, &points, &[[0, 1, 2, 3], [1, 2, 3, 5], [1, 2, 5, 4]])
}

#[test]
fn needles_and_wedges_against_each_other() {
    let turned = |mut body: Body| {
        body.rotate = pliant::scene::Rotation::Euler([180.0, 0.0, 0.0]);
        body.translate[2] -= 0.0;
        body
    };
    let corner = || {
        // Two walls and a floor that meet, as one solid with a reentrant corner: what is left of a cube.
        let mesh = shapes::bar([4, 4, 4], [0.1; 3], Split::default());
        let keep = |tet: &&[u32; 4]| {
            let middle =
                |k: usize| tet.iter().map(|&v| mesh.points[v as usize][k]).sum::<f64>() / 4.0;
            !(0..3).all(|k| middle(k) > 0.05)
        };
        let tets = mesh.tets.iter().filter(keep).copied().collect();
        let mut body = body(Mesh { tets, ..mesh.clone() }, rubber(1000.0, 1e6));
        body.name = "corner".into();
        body.locks = vec![Region::All];
        body.translate = [-0.05, -0.05, -0.1];
        body
    };
    let fast = |mut body: Body, from: f64, speed: f64| {
        body.translate[2] += from;
        body.velocity = [0.0, 0.0, -speed];
        body
    };
    let held = |mut body: Body| {
        body.locks = vec![Region::All];
        body
    };
    for speed in [0.0, 3.0, 40.0] {
        let pairs: [(&str, [Body; 2]); 6] = [
            (
                "point on point",
                [
                    turned(held(needle("lower", 0.1, 0.004))),
                    fast(needle("upper", 0.1, 0.004), 0.01, speed),
                ],
            ),
            (
                "edge on edge",
                [
                    turned(held(wedge("lower", 0.1, 0.02))),
                    fast(quarter(wedge("upper", 0.1, 0.02)), 0.01, speed),
                ],
            ),
            (
                "edge along edge",
                [
                    turned(held(wedge("lower", 0.1, 0.02))),
                    fast(wedge("upper", 0.1, 0.02), 0.01, speed),
                ],
            ),
            (
                "point on edge",
                [
                    turned(held(wedge("lower", 0.1, 0.02))),
                    fast(needle("upper", 0.1, 0.004), 0.01, speed),
                ],
            ),
            ("point in a corner", [corner(), fast(needle("upper", 0.1, 0.004), 0.01, speed)]),
            ("wedge in a corner", [corner(), fast(wedge("upper", 0.04, 0.02), 0.03, speed)]),
        ];
        for (name, bodies) in pairs {
            let world = World { timestep: 5e-5, auto_substeps: true, ..guarded(0.2) };
            let scene = scene(bodies.to_vec(), world);
            let name = format!("{name} at {speed} m/s");
            never_crosses(&name, &scene, (40, 25), |_, _| {});
        }
    }
}

/// Turned by a right angle about z.
fn quarter(mut body: Body) -> Body {
    body.rotate = pliant::scene::Rotation::Euler([0.0, 0.0, 90.0]);
    body
}

#[test]
fn threads_cuts_and_resumes_change_nothing() {
    // Bodies that fall onto each other faster than rows can see, onto a cloth that they carry along.
    let mut bodies = vec![table(0.5)];
    for n in 0..3 {
        let mut next = block(&format!("block-{n}"), 3, 0.1);
        next.translate = [-0.1 + 0.03 * f64::from(n), -0.05, 0.06 + 0.115 * f64::from(n)];
        (next.spin, next.velocity) = ([0.3, 0.2, 1.0], [0.0, 0.0, -8.0]);
        bodies.push(next);
    }
    let mut sheet = cloth(14, 0.4);
    sheet.translate[2] = 0.03;
    bodies.push(sheet);
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4] {
        let world = World { integrator, plasticity: 0.3, timestep: 2e-4, ..guarded(0.4) };
        let scene = scene(bodies.clone(), world);
        let run = |threads: usize| Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
        let mut one = run(1);
        one.advance(150).unwrap();
        assert_eq!(crossings(&one), 0, "{integrator}");
        let cut = report(&mut one).cut_short_total;
        assert!(cut > 0, "{integrator}: the guard had nothing to do");
        for threads in [2, 3, 7] {
            let mut more = run(threads);
            more.advance(150).unwrap();
            assert_eq!(more.hash(), one.hash(), "{integrator}, {threads} threads");
        }
        let mut resumed = run(2);
        for steps in [1, 37, 12, 60, 40] {
            resumed.advance(steps).unwrap();
            let bytes = checkpoint::encode(&resumed);
            resumed = run(1);
            resumed.load(&checkpoint::decode(&bytes).unwrap()).unwrap();
        }
        assert_eq!(resumed.hash(), one.hash(), "{integrator}, resumed");
    }
}

#[test]
fn what_rests_weighs_what_it_weighs() {
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4] {
        let mut upper = block("upper", 3, 0.15);
        upper.translate = [-0.06, -0.08, 0.01];
        let world = World { integrator, damping: 5.0, timestep: 5e-4, ..guarded(0.5) };
        let mut sim = simulator(&scene(vec![table(0.4), upper], world));
        sim.advance(3000).unwrap();
        let before = report(&mut sim).cut_short_total;
        sim.advance(500).unwrap();
        let vertices = sim.model().bodies[1].vertices.clone();
        let forces = sim.contact_forces();
        let (mut force, mut weight) = (0.0, 0.0);
        for v in vertices {
            force += f64::from(forces[v as usize][2]);
            weight += 9.81 * f64::from(sim.model().mass[v as usize]);
        }
        assert!((force / weight - 1.0).abs() < 0.01, "{integrator}: {force} of {weight} N");
        assert_eq!(report(&mut sim).cut_short_total, before, "rows alone hold it");
    }
}

/// Of a block that lands, one on a slope, and a stack: what physics says of them without the guarantee holds with it.
#[test]
fn the_guarantee_changes_no_bit_where_nothing_is_cut_short() {
    let slope = [4.4, 0.0, -8.8];
    for (count, gravity, friction) in
        [(1, World::default().gravity, 0.5), (1, slope, 0.45), (5, World::default().gravity, 0.5)]
    {
        let mut bodies = vec![table(0.6)];
        for n in 0..count {
            let mut next = block(&format!("block-{n}"), 2, 0.1);
            next.translate = [-0.05 + 0.003 * f64::from(n % 3), -0.05, 0.02 + 0.115 * f64::from(n)];
            bodies.push(next);
        }
        let hash = |guarantee: bool| {
            let mut world = World { timestep: 5e-4, gravity, damping: 2.0, ..guarded(friction) };
            world.contact.as_mut().unwrap().guarantee = guarantee;
            let mut sim = simulator(&scene(bodies.clone(), world));
            sim.advance(800).unwrap();
            let contact = sim.report().contact.unwrap();
            assert!(contact.contacts > 5, "{contact:?}");
            let guard = contact.guarantee;
            assert!(guard.is_none_or(|guard| guard.cut_short_total == 0), "{guard:?}");
            sim.hash()
        };
        assert_eq!(hash(true), hash(false), "{count} blocks");
    }
}

#[test]
fn momentum_is_kept_and_energy_is_not_gained_in_fast_collisions() {
    for speed in [2.0, 20.0, 60.0] {
        let mut left = block("left", 3, 0.1);
        (left.velocity, left.spin) = ([speed, 0.0, 0.0], [0.0, 0.0, 3.0]);
        let mut right = block("right", 4, 0.12);
        right.translate = [0.16, 0.03, 0.02];
        right.velocity = [-0.5 * speed, 0.2, 0.0];
        for body in [&mut left, &mut right] {
            body.material = rubber(1000.0, 1e6);
        }
        let world = World { timestep: 1e-4, auto_substeps: true, ..space() };
        let world = World { contact: guarded(0.0).contact, ..world };
        let mut sim = simulator(&scene(vec![left, right], world));
        let start = sim.report();
        let mut fullest = start.energy.total();
        for _ in 0..40 {
            let now = sim.step(25).unwrap_or_else(|problem| panic!("{speed} m/s: {problem}"));
            fullest = fullest.max(now.energy.total());
            assert_eq!(crossings(&sim), 0, "{speed} m/s");
        }
        let end = sim.report();
        let lost = |a: [f64; 3], b: [f64; 3]| length(std::array::from_fn(|k| a[k] - b[k]));
        let scale = speed;
        let guard = report(&mut sim);
        assert!(lost(start.momentum, end.momentum) < 1e-5 * scale, "{start:?} {end:?}");
        assert!(fullest < 1.01 * start.energy.total(), "{speed}: {fullest} J, {start:?} {guard:?}");
    }
}

#[test]
fn a_start_that_crosses_is_told_comes_apart_and_is_guarded_from_then_on() {
    let lower = block("lower", 3, 0.1);
    let mut upper = block("upper", 3, 0.1);
    upper.translate = [0.02, 0.01, 0.097];
    let world = World { contact: guarded(0.3).contact, timestep: 2e-4, ..space() };
    let mut sim = simulator(&scene(vec![lower, upper], world));
    let start = crossings(&sim);
    assert!(start > 0);
    let notes = sim.take_messages().join("\n");
    assert!(
        notes.contains("\"lower\"") && notes.contains("\"upper\"") && notes.contains("near ["),
        "{notes}"
    );
    let mut fastest: f64 = 0.0;
    for _ in 0..40 {
        fastest = fastest.max(sim.step(100).unwrap().max_speed);
    }
    assert_eq!(crossings(&sim), 0, "{:?}", report(&mut sim));
    assert!(fastest < 10.0 && report(&mut sim).crossings == 0, "{fastest} m/s");
}

#[test]
fn motion_that_stalls_is_told() {
    // A block between plates that leave it no room.
    let mut upper = block("upper", 4, 0.1);
    upper.translate = [-0.05, -0.05, 0.001];
    let mut lower = table(0.2);
    lower.locks = vec![Region::All];
    let press = Collider { name: "press".into(), ..closing([0.0, 0.0, -1.0], 0.102, 0.1, 0.05) };
    let world = World { timestep: 2e-4, ..guarded(0.3) };
    let mut sim = simulator(&Scene { colliders: vec![press], ..scene(vec![lower, upper], world) });
    sim.take_messages();
    for _ in 0..20 {
        if sim.advance(20).is_err() {
            break;
        }
        assert_eq!(crossings(&sim), 0);
    }
    let told = sim.take_messages().join("\n");
    assert!(told.contains("cut short"), "{told} {:?}", report(&mut sim));
}

/// Surfaces so thin that rows see each other too late, thrown at each other in a closing box, in every integrator.
#[test]
fn the_guard_alone_holds_where_rows_come_too_late() {
    let mut seed = 12345_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    };
    // Explicit Euler adds energy at any step that it could take here.
    for integrator in Integrator::EXPLICIT.into_iter().filter(|i| *i != Integrator::ExplicitEuler) {
        let mut bodies = Vec::new();
        for n in 0..8 {
            let at = [n % 2, n / 2 % 2, n / 4].map(|i| 0.12 * (f64::from(i) - 0.5));
            let mut next = match n % 4 {
                0 => block(&format!("block-{n}"), 2, 0.06),
                1 => needle(&format!("needle-{n}"), 0.08, 0.01),
                2 => wedge(&format!("wedge-{n}"), 0.08, 0.03),
                _ => cloth(8, 0.1),
            };
            next.name = format!("body-{n}");
            let lift = if n % 4 == 3 { [-0.05, -0.05, 0.0] } else { [0.0, 0.0, -0.04] };
            next.translate = std::array::from_fn(|k| at[k] + lift[k] + 0.002 * random());
            next.velocity = std::array::from_fn(|k| -200.0 * at[k] + 5.0 * random());
            next.spin = std::array::from_fn(|_| 40.0 * random());
            bodies.push(next);
        }
        let mut world = World { integrator, timestep: 5e-5, auto_substeps: true, ..guarded(0.3) };
        world.contact.as_mut().unwrap().thickness = Some(1e-5);
        let mut sim = simulator(&scene(bodies, world));
        assert_eq!(crossings(&sim), 0, "at the start");
        let energy = sim.report().energy.total();
        for _ in 0..20 {
            let now = sim.step(10).unwrap_or_else(|problem| panic!("{integrator}: {problem}"));
            assert_eq!(crossings(&sim), 0, "{integrator}");
            // Nothing of it is gained when they meet.
            assert!(now.energy.total() < 1.02 * energy, "{integrator}: {energy} J, {now:?}");
        }
        let guard = report(&mut sim);
        assert!(guard.cut_short_total > 100, "{integrator}: {guard:?}");
    }
}
