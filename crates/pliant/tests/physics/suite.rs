//! Statements of physics that hold on every backend.

pub use crate::cloth::{
    a_hung_cloth_is_as_stretchy_as_it_should_be, a_hung_strip_is_a_catenary,
    cloth_at_rest_stays_at_rest, long_steps_hold_cloth_as_short_ones_do,
    springs_against_folds_make_them_round,
};
pub use crate::shapes::{
    a_cloud_of_points_is_a_body, matched_cubes_are_dragged_and_led, matched_cubes_pile_up,
};
pub use crate::strain::{
    a_hung_sheet_is_limited_by_positions, a_hung_sheet_is_limited_by_velocities,
    a_hung_sheet_without_a_limit_is_rubber, a_limited_sheet_that_flies_keeps_its_momenta,
};
use crate::support::*;
use pliant::Simulator;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Damping, Integrator, Region, Rotation, Source, Volume, World, WorldBox};

pub fn rest_stays_at_rest(on: &On) {
    let cloth = shapes::cloth([9, 7], [1.0, 0.8]).unwrap();
    let mut meshes = vec![("bar", small_bar()), ("cloth", cloth)];
    if let Some(path) = data("tet/bunny.node").filter(|_| on.is_quick()) {
        meshes.push(("bunny", pliant::mesh::load(path).unwrap().mesh));
    }
    for (name, mesh) in meshes {
        let mut body = body(mesh, rubber(1000.0, 20e3));
        body.translate = [12.0, -7.0, 3.0];
        let mut sim = on.simulator(&scene(body, space()));
        let before = sim.positions();
        sim.advance(10_000).unwrap();
        let moved = largest_distance(&before, &sim.positions()) / sim.model().bodies[0].size;
        println!("{name}: moved {moved:.1e} of its size");
        assert!(moved <= 1e-6, "{name}");
        if on.is_cpu() {
            // Better than that: at rest every force is exactly zero.
            assert_eq!(moved, 0.0, "{name}");
        }
    }
}

pub fn free_fall_is_a_parabola_for_every_second_order_integrator(on: &On) {
    for integrator in Integrator::ALL {
        let world = World { gravity: [0.0, 0.0, -9.81], integrator, ..space() };
        let mut falling = body(small_bar(), rubber(1000.0, 50e3));
        // Explicit Euler needs damping to stay together, and a free fall must not notice it.
        falling.material.volume = Volume::None;
        falling.material.damping = Damping::Time(2e-3);
        falling.translate = [0.0, 0.0, 20.0];
        falling.velocity = [1.0, 0.0, 2.0];
        let mut scene = scene(falling, world);
        scene.world.timestep = 1e-3;
        let mut sim = on.simulator(&scene);
        let start = sim.report().center_of_mass;
        let report = sim.step(1000).unwrap();
        let t = report.time;
        let first_order = matches!(
            integrator,
            Integrator::ExplicitEuler | Integrator::SymplecticEuler | Integrator::ImplicitEuler
        );
        let tolerance = if first_order { 0.51 * 9.81 * 1e-3 * t } else { 2e-5 };
        let goal = [start[0] + t, start[1], start[2] + 2.0 * t - 0.5 * 9.81 * t * t];
        let error = length(std::array::from_fn(|k| report.center_of_mass[k] - goal[k]));
        assert!(error < tolerance, "{integrator}: {error}");
    }
}

pub fn a_free_spinning_stretched_body_keeps_its_momenta(on: &On) {
    for integrator in SYMPLECTIC {
        let mut mesh = small_bar();
        mesh.points.iter_mut().for_each(|p| p.iter_mut().for_each(|c| *c -= 0.05));
        let mut spinning = body(mesh, rubber(1000.0, 30e3));
        spinning.velocity = [0.3, -0.2, 0.1];
        spinning.spin = [2.0, 5.0, -3.0];
        let mut sim = on.simulator(&scene(spinning, World { integrator, ..space() }));
        // Stretch it along x by 5 %: the springs pull from the first step on.
        let mut state = sim.state();
        state.position.iter_mut().for_each(|p| p[0] *= 1.05);
        sim.set_state(&state);
        let start = sim.report();
        let end = sim.step(10_000).unwrap();
        let scale = momentum_scale(&mut sim);
        let difference = |a: [f64; 3], b: [f64; 3]| length(std::array::from_fn(|k| a[k] - b[k]));
        let linear = difference(start.momentum, end.momentum) / scale[0];
        let angular = difference(start.angular_momentum, end.angular_momentum) / scale[1];
        println!("{integrator}: drift of momentum {linear:.1e}, of angular momentum {angular:.1e}");
        assert!(linear <= 1e-5 && angular <= 1e-5, "{integrator}: {linear:.2e} {angular:.2e}");
    }
}

/// Σ m |v| and Σ m |x| |v|.
fn momentum_scale(sim: &mut Simulator) -> [f64; 2] {
    let (x, v) = (sim.positions(), sim.velocities());
    let mut scale = [0.0; 2];
    for (m, &user) in sim.model().vertex_order.iter().enumerate() {
        let mass = f64::from(sim.model().mass[m]);
        let speed = length(v[user as usize].map(f64::from));
        scale[0] += mass * speed;
        scale[1] += mass * speed * length(x[user as usize]);
    }
    scale
}

pub fn energy_is_kept_without_damping(on: &On) {
    for integrator in SYMPLECTIC {
        let mut sim = on.simulator(&scene(
            body(small_bar(), rubber(1000.0, 30e3)),
            World { integrator, ..space() },
        ));
        let mut state = sim.state();
        state.position.iter_mut().for_each(|p| p[0] *= 1.05);
        sim.set_state(&state);
        let start = sim.report().energy.total();
        let mut worst = 0.0f64;
        for _ in 0..100 {
            worst = worst.max((sim.step(50).unwrap().energy.total() / start - 1.0).abs());
        }
        println!("{integrator}: energy within {:.2} %", 100.0 * worst);
        let bound = if integrator == Integrator::SymplecticEuler { 0.5 } else { 0.1 };
        assert!(worst < bound, "{integrator}: {worst}");
    }
}

pub fn moving_and_turning_the_scene_moves_and_turns_the_result(on: &On) {
    // Gravity along the bar's axis in both scenes, so that the whole situation turns.
    let build = |rotate: Rotation, translate: [f64; 3], gravity: [f64; 3]| {
        let mut bar = body(small_bar(), rubber(1000.0, 30e3));
        bar.locks = vec![Region::Points((0..9).collect())];
        bar.rotate = rotate;
        bar.translate = translate;
        let mut scene = scene(bar, World { gravity, ..space() });
        scene.world.timestep = 5e-4;
        let mut sim = on.simulator(&scene);
        sim.advance(2000).unwrap();
        sim.positions()
    };
    let plain = build(Rotation::default(), [0.0; 3], [3.0, 0.0, -6.0]);
    let far = build(Rotation::default(), [4000.0, -2500.0, 1000.0], [3.0, 0.0, -6.0]);
    let back: Vec<[f64; 3]> =
        far.iter().map(|p| [p[0] - 4000.0, p[1] + 2500.0, p[2] - 1000.0]).collect();
    let moved = largest_distance(&plain, &back);
    // A quarter turn about z: x → y, y → −x.
    let turned = build(Rotation::Euler([0.0, 0.0, 90.0]), [0.0; 3], [0.0, 3.0, -6.0]);
    let back: Vec<[f64; 3]> = turned.iter().map(|p| [p[1], -p[0], p[2]]).collect();
    let turned = largest_distance(&plain, &back);
    println!("difference after moving {moved:.1e} m, after turning {turned:.1e} m");
    assert!(moved < 2e-6, "{moved}");
    assert!(turned < 2e-6, "{turned}");
}

pub fn a_body_far_on_its_way_keeps_its_shape(on: &On) {
    let mut bar = body(small_bar(), rubber(1000.0, 30e3));
    bar.velocity = [16.0, -7.0, 3.0];
    let mut scene = scene(bar, space());
    scene.world.timestep = 1e-3;
    let mut sim = on.simulator(&scene);
    let steps = if on.is_quick() { 200_000 } else { 40_000 };
    let report = sim.step(steps).unwrap();
    assert!(report.center_of_mass[0] > 15e-3 * steps as f64);
    // Energy density ½ E ε² of the springs and volumes, as a mean strain.
    let strain = (2.0 * report.energy.elastic() / (30e3 * 0.4 * 0.1 * 0.1)).sqrt();
    println!("after {:.1} km the mean strain is {strain:.1e}", 17.7e-6 * steps as f64);
    // What is left is what 200,000 steps without any damping make of the last digits. From an origin
    // that stays behind, coordinates of 2.4e-4 m resolution would have torn the bar by 23 %.
    assert!(strain < 1e-3, "{strain}");
}

pub fn a_dropped_bunny_comes_to_rest_without_inversion(on: &On) {
    let Some(path) = data("tet/bunny.node") else { return };
    let mesh = pliant::mesh::load(path).unwrap().mesh;
    let [low, high] = mesh.bounds().unwrap();
    let mut bunny = body(mesh, rubber(1000.0, 20e3));
    bunny.material.damping = Damping::Time(1e-3);
    bunny.rotate = Rotation::Euler([90.0, 0.0, 0.0]);
    bunny.translate = [0.0, 0.0, 0.05 - low[1]];
    let bounds = Some(WorldBox { friction: 0.5, size: [1.0; 3], ..WorldBox::default() });
    let world = World { gravity: [0.0, 0.0, -9.81], damping: 8.0, bounds, ..space() };
    let scene = scene(bunny, world);
    let mut sim = on.simulator(&scene);
    let lowest = |sim: &Simulator| sim.positions().iter().map(|p| p[2]).fold(f64::MAX, f64::min);
    let highest = |sim: &Simulator| sim.positions().iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    let standing = sim.report().center_of_mass[2] - lowest(&sim);
    let steps = (2.0 / scene.world.timestep) as u64;
    sim.advance(steps).unwrap();
    let settled = sim.positions();
    let report = sim.step(steps / 20).unwrap();
    // At rest is what stands still, and speed alone does not tell: the stiffest slivers tremble by a
    // few nanometres, the last digits of the positions, at tens of kilohertz.
    let moved = largest_distance(&settled, &sim.positions());
    let mass: f64 = sim.model().mass.iter().map(|&m| f64::from(m)).sum();
    let mean_speed = (2.0 * report.energy.kinetic / mass).sqrt();
    let height = high[1] - low[1];
    // The centre of mass of a column of height H sinks by ρ g H²/3E under its own weight. The bunny
    // is no column: it stands on a part of its base and leans forward, which lets it sink further,
    // and it is narrower above, which holds it up; a factor of two either way is plausible. Its ears
    // are thin cantilevers that such soft stuff cannot hold up, so its top sinks much more.
    let column = 1000.0 * 9.81 * height * height / (3.0 * 20e3);
    let sag = standing - report.center_of_mass[2];
    let top = height - highest(&sim);
    println!(
        "timestep {:.1e} s; height {height:.4} m; centre of mass {sag:.5} m lower (a column: \
         {column:.5} m), ears {top:.4} m lower; speed {mean_speed:.1e} m/s, moved {moved:.1e} m in 0.1 s; {} inverted",
        scene.world.timestep, report.inverted_count
    );
    assert_eq!(report.inverted_count, 0);
    assert!(mean_speed < 2e-3 && moved < 1e-3 * height, "{mean_speed} {moved}");
    assert!(lowest(&sim).abs() < 1e-6 && report.wall_contact_count > 10);
    assert!(sag > 0.5 * column && sag < 2.0 * column, "sag {sag} for a column {column}");
    assert!(top > 0.0 && top < 0.3 * height, "ears sank by {top}");
}

pub fn a_stretched_irregular_bar_shows_its_youngs_modulus(on: &On) {
    let (young, size) = (10e3, [0.8, 0.2, 0.2]);
    let mesh = shapes::irregular_bar([16, 4, 4], size, 3).unwrap();
    let mut bar = body(mesh, rubber(1000.0, young));
    bar.material.volume = Volume::None;
    let near = |x: f64| Region::Box { min: [x - 1e-9, -1.0, -1.0], max: [x + 1e-9, 1.0, 1.0] };
    bar.locks = vec![near(0.0), near(size[0])];
    let mut scene = scene(bar, World { damping: 20.0, ..space() });
    // Stretch by one percent: displace all points along x in proportion, ends stay locked there.
    let mut sim = on.simulator(&scene);
    let strain = 0.01;
    let mut state = sim.state();
    state.position.iter_mut().for_each(|p| p[0] *= 1.0 + strain as f32);
    sim.set_state(&state);
    scene.world.timestep = sim.world().timestep;
    sim.advance((2.0 / scene.world.timestep) as u64).unwrap();
    // Force that the lock at x = 0 has to hold.
    let forces = sim.forces();
    let rest = match &scene.bodies[0].source {
        Source::Inline(mesh) => mesh.points.clone(),
        _ => unreachable!(),
    };
    let pull: f64 =
        (0..rest.len()).filter(|&i| rest[i][0] < 1e-9).map(|i| f64::from(forces[i][0])).sum();
    let measured = pull / (size[1] * size[2] * strain);
    println!(
        "Young's modulus {measured:.0} Pa for the given {young:.0}: {:+.1} %. Van Gelder's stiffness \
         gives E for affine deformation; free nodes relax below it",
        100.0 * (measured / young - 1.0)
    );
    assert!((measured / young - 1.0).abs() < 0.25, "{measured}");
}

pub fn a_pushed_body_dents_for_good_when_plastic_and_springs_back_when_not(on: &On) {
    let residue = |plasticity: f64| {
        let mut block =
            body(shapes::bar([6, 6, 4], [0.3, 0.3, 0.2], Split::Five), rubber(1000.0, 20e3));
        block.locks = vec![Region::Box { min: [-1.0, -1.0, -1.0], max: [1.0, 1.0, 1e-9] }];
        let scene = scene(block, World { plasticity, damping: 8.0, ..space() });
        let mut sim = on.simulator(&scene);
        let before = sim.positions();
        let steps = |t: f64| (t / scene.world.timestep) as u64;
        sim.push(pliant::touch::Push {
            origin: [0.15, 0.15, 0.0],
            direction: [0.0, 0.0, -1.0],
            radius: 0.08,
            force: 4.0,
        });
        // Briefly: nothing hardens, so what yields under a lasting force goes on yielding.
        sim.advance(steps(0.1)).unwrap();
        let pushed = largest_distance(&before, &sim.positions());
        sim.touches_mut().clear();
        sim.advance(steps(2.0)).unwrap();
        (pushed, largest_distance(&before, &sim.positions()))
    };
    let (pushed, left) = residue(0.0);
    println!("elastic: pushed {pushed:.4} m, left {left:.5} m");
    assert!(pushed > 0.01 && left < 0.05 * pushed, "{pushed} {left}");
    let (pushed, left) = residue(0.08);
    println!("plastic: pushed {pushed:.4} m, left {left:.5} m");
    assert!(left > 0.25 * pushed, "{pushed} {left}");
}

pub fn bodies_with_different_volume_forces_share_a_world(on: &On) {
    let bodies = |forms: &[Volume]| -> Vec<_> {
        let one = |(i, &volume): (usize, &Volume)| {
            let mut bar = body(small_bar(), rubber(1000.0, 30e3));
            bar.name = format!("bar {i}");
            bar.material.volume = volume;
            bar.translate = [0.0, 0.5 * i as f64, 0.5];
            bar
        };
        forms.iter().enumerate().map(one).collect()
    };
    let run = |bodies: Vec<pliant::scene::Body>| {
        let world = World { timestep: 5e-4, ..World::default() };
        let scene = pliant::Scene { world, bodies, ..Default::default() };
        let mut sim = on.simulator(&scene);
        sim.advance(500).unwrap();
        sim.positions()
    };
    let forms = [Volume::Energy(30e3), Volume::Thesis(5e5), Volume::None, Volume::Energy(30e3)];
    let together = run(bodies(&forms));
    let count = together.len() / forms.len();
    for (i, body) in bodies(&forms).into_iter().enumerate() {
        let alone = run(vec![body]);
        assert_eq!(alone, together[i * count..(i + 1) * count], "body {i}");
    }
}

pub fn dragging_pulls_the_grabbed_part_along(on: &On) {
    let mut bar = body(small_bar(), rubber(1000.0, 30e3));
    bar.locks = vec![Region::Box { min: [-1.0; 3], max: [1e-9, 1.0, 1.0] }];
    let scene = scene(bar, World { damping: 5.0, ..space() });
    let mut sim = on.simulator(&scene);
    let end = [0.4, 0.05, 0.05];
    assert_eq!(sim.grab([9.0; 3], 0.1, 1.0, 10.0), 0);
    let held = sim.grab(end, 0.06, 0.2, 50.0);
    assert!(held > 3);
    if let pliant::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] {
        drag.cursor = [0.4, 0.05, 0.12];
    }
    sim.advance((2.0 / scene.world.timestep) as u64).unwrap();
    let tip = |sim: &Simulator| {
        let mut heights: Vec<[f64; 3]> = sim.positions();
        heights.sort_by(|a, b| b[0].total_cmp(&a[0]));
        heights[..held].iter().map(|p| p[2]).sum::<f64>() / held as f64
    };
    let lifted = tip(&sim);
    assert!(lifted > 0.08, "{lifted}");
    sim.touches_mut().clear();
    sim.advance((4.0 / scene.world.timestep) as u64).unwrap();
    let rest = sim.report();
    assert!(rest.energy.elastic() < 1e-4 && rest.max_speed < 0.01, "{rest:?}");
}
