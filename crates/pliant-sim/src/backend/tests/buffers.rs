//! Stage by stage: the same input on the device and in the formulas, compared number by number.

use pliant_gpu::testing;
use pliant_mesh::{Mesh, shapes};

use crate::at_once;
use crate::backend::cpu::Cpu;
use crate::backend::gpu::GpuBackend;
use crate::backend::gpu::tests::Random;
use crate::backend::{Engine, RestorePoint};
use crate::math::Vec3;
use crate::model::{Model, compile};
use crate::scene::{
    Accumulation, Body, Damping, Integrator, Mass, Material, Region, Scene, Source, Stiffness,
    Volume, Wind, World, WorldBox,
};
use crate::stages::elastic::forces_reference;
use crate::stages::integrate::{keeps_acceleration, keeps_forces};
use crate::state::State;
use crate::step::{Advance, Places, Start};

/// Error of an elastic force, relative to the sum of what was added up: positions are rounded, then
/// a few dozen operations are.
const ELASTIC: f64 = 3e-6;

/// Difference of an update's result, in units of the last place of the largest number involved.
/// A device may fuse a product with a sum, which saves one rounding of each.
const UPDATE_ULPS: f32 = 4.0;

fn body(mesh: Mesh, volume: Volume, damping: Damping) -> Body {
    let material =
        Material { mass: Mass::Density(900.0), stiffness: Stiffness::Young(2e4), volume, damping };
    Body { source: Source::Inline(mesh), material, ..Body::default() }
}

/// Bodies of odd sizes: a single tetrahedron, bars of both volume forces, a cloth.
fn scene(damping: Damping) -> Scene {
    let irregular = shapes::irregular_bar([7, 3, 2], [0.7, 0.3, 0.2], 11).unwrap();
    let single = Mesh {
        points: vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
        tets: vec![[0, 1, 2, 3]],
        ..Mesh::default()
    };
    let cloth = shapes::cloth([5, 6], [0.5, 0.6]).unwrap();
    let mut bodies = vec![
        body(single, Volume::Energy(3e4), damping),
        body(irregular.clone(), Volume::Energy(3e4), damping),
        body(irregular, Volume::Thesis(1e5), Damping::Time(0.0)),
        body(cloth, Volume::None, damping),
    ];
    for (i, body) in bodies.iter_mut().enumerate() {
        body.name = format!("body {i}");
        body.translate = [i as f64, 0.0, 0.5];
    }
    bodies[1].locks = vec![Region::Points(vec![0, 3, 8])];
    Scene { name: "odd".into(), bodies, ..Scene::default() }
}

fn state(model: &Model, random: &mut Random, world: &World, spread: f32) -> State {
    let count = model.vertex_count();
    let mut vectors =
        |size: f32| -> Vec<[f32; 3]> { (0..count).map(|_| random.vector(size)).collect() };
    let mut state = State {
        origins: model.bodies.iter().map(|b| b.origin).collect(),
        position: vectors(spread),
        position_compensation: vectors(1e-9),
        velocity: vectors(2.0),
        h_last: 1e-4,
        ..State::default()
    };
    for (p, rest) in state.position.iter_mut().zip(&model.rest) {
        (0..3).for_each(|k| p[k] += rest[k]);
    }
    if keeps_forces(world.integrator) {
        state.force = vectors(0.1);
    }
    if keeps_acceleration(world.integrator) {
        state.last_acceleration = vectors(5.0);
    }
    for v in (0..count).filter(|&v| model.inv_mass[v] == 0.0) {
        state.velocity[v] = [0.0; 3];
    }
    state
}

/// Forces in double precision, and at each vertex the sum of the sizes of all contributions.
fn expected_forces(model: &Model, state: &State) -> (Vec<Vec3<f64>>, Vec<f64>) {
    let wide = |v: &[[f32; 3]]| -> Vec<Vec3<f64>> {
        v.iter().map(|p| Vec3::of(p.map(f64::from))).collect()
    };
    let (x, v) = (wide(&state.position), wide(&state.velocity));
    let mut sum = vec![Vec3::zero(); x.len()];
    forces_reference(&model.elements(), &x, &v, &mut sum);
    let mut size = vec![0.0; x.len()];
    for (s, &[i, j]) in model.springs.iter().enumerate() {
        let l = (x[j as usize] - x[i as usize]).length();
        let [k, k_rest] = model.spring[s].map(f64::from);
        let kd = model.damping.as_ref().map_or(0.0, |d| f64::from(d[s]));
        let f = k * l + k_rest + kd * (v[j as usize] - v[i as usize]).length();
        size[i as usize] += f;
        size[j as usize] += f;
    }
    for (t, tet) in model.tets.iter().enumerate() {
        let c = tet.map(|v| x[v as usize]);
        let e = [1, 2, 3].map(|i| (c[i] - c[0]).length()).into_iter().fold(0.0, f64::max);
        let [a, b] = model.volume[t].map(f64::from);
        let s = a.abs() * e * e * e + b.abs();
        let f = match model.forms[t] {
            crate::stages::elastic::VolumeForm::Energy => s * 3.0 * e * e,
            crate::stages::elastic::VolumeForm::Thesis => s,
        };
        tet.iter().for_each(|&v| size[v as usize] += f);
    }
    (sum, size)
}

fn restore_point(state: &State, world: &World) -> RestorePoint {
    RestorePoint { state: state.clone(), world: world.clone(), substeps: 1 }
}

#[test]
fn elastic_forces_are_those_of_the_formula() {
    let Some(gpu) = testing::gpu("elastic") else { return };
    let mut random = Random(1);
    for damping in [Damping::Time(0.0), Damping::Time(1e-3)] {
        let scene = scene(damping);
        let model = compile(&scene).unwrap();
        for strategy in Accumulation::STRATEGIES {
            let world = World { accumulation: strategy, ..scene.world.clone() };
            let mut device = GpuBackend::new(&gpu, &model, &world).unwrap();
            // From nearly at rest to inside out.
            for spread in [1e-6, 1e-3, 0.02, 0.3] {
                let state = state(&model, &mut random, &world, spread);
                device.upload(&model, &restore_point(&state, &world)).unwrap();
                let found = device.internal_forces(&world);
                let (expected, size) = expected_forces(&model, &state);
                for v in 0..found.len() {
                    let off = Vec3::<f64>::of(found[v].map(f64::from)) - expected[v];
                    let error = off.length() / size[v].max(1e-30);
                    assert!(error <= ELASTIC, "{strategy}, {spread}, vertex {v}: {error:e}");
                }
                assert_eq!(device.internal_forces(&world), found, "{strategy}: not reproducible");
            }
        }
    }
}

#[test]
fn degenerate_elements_give_the_forces_of_the_formula_too() {
    let Some(gpu) = testing::gpu("elastic") else { return };
    let mut random = Random(42);
    let scene = scene(Damping::Time(1e-3));
    let model = compile(&scene).unwrap();
    for strategy in Accumulation::STRATEGIES {
        let world = World { accumulation: strategy, ..scene.world.clone() };
        let mut device = GpuBackend::new(&gpu, &model, &world).unwrap();
        let mut flat = state(&model, &mut random, &world, 0.01);
        flat.position.iter_mut().for_each(|p| p[2] = 0.125);
        let mut inverted = state(&model, &mut random, &world, 0.01);
        inverted.position.iter_mut().for_each(|p| p[0] = -p[0]);
        let mut point = state(&model, &mut random, &world, 0.01);
        point.position.iter_mut().for_each(|p| *p = [0.5, -0.25, 1.0]);
        for (name, state) in [("flat", flat), ("inverted", inverted), ("point", point)] {
            device.upload(&model, &restore_point(&state, &world)).unwrap();
            let found = device.internal_forces(&world);
            let (expected, size) = expected_forces(&model, &state);
            for v in 0..found.len() {
                assert!(
                    found[v].iter().all(|c| c.is_finite()),
                    "{strategy}, {name}: {:?}",
                    found[v]
                );
                let off = Vec3::<f64>::of(found[v].map(f64::from)) - expected[v];
                // Springs without length and faces without area have no direction: there the
                // formula's own answer, zero, hangs on the last digit of a length.
                let error = off.length() / size[v].max(1e-30);
                assert!(error <= ELASTIC, "{strategy}, {name}, vertex {v}: {error:e}");
            }
        }
        assert_eq!(device.saturated_count(), 0);
    }
}

/// Largest number among those of a vertex that take part in an update, and one of what it rounds.
fn ulp(scale: f32) -> f32 {
    scale * f32::EPSILON
}

#[test]
fn one_substep_of_every_integrator_is_that_of_the_cpu_number_by_number() {
    let Some(gpu) = testing::gpu("integrate") else { return };
    let mut random = Random(7);
    let bounds = Some(WorldBox {
        size: [8.0, 0.4, 0.9],
        center: Some([1.0, 0.1, 0.6]),
        restitution: 0.4,
        friction: 0.3,
    });
    let mut put_back = 0;
    for integrator in Integrator::ALL {
        for box_ in [None, bounds.clone()] {
            let mut scene = scene(Damping::Time(0.0));
            // Where there are walls, there is wind, too.
            let wind = box_.as_ref().map(|_| Wind {
                velocity: [5.0, -3.0, 1.0],
                gust: 0.5,
                ..Wind::default()
            });
            scene.world = World {
                integrator,
                bounds: box_,
                wind,
                damping: 0.7,
                external_force: [1e-4, -2e-4, 3e-4],
                ..World::default()
            };
            let model = compile(&scene).unwrap();
            let state = state(&model, &mut random, &scene.world, 0.002);
            let origins = state.origins.clone();
            let job = Advance {
                world: &scene.world,
                start: Start { step: 0, time: 0.0, substep: 0, of: 1 },
                count: 1,
                done: 0,
                h: 1e-4,
                h_last: 0.5e-4,
                touches: &[],
                displaced: &[],
                origins: &origins,
                is_timed: false,
                is_strict: false,
                places: Places::ALL,
            };
            let mut cpu = Cpu::new(&model, crate::pool::Threads::Exactly(1));
            cpu.upload(&model, &restore_point(&state, &scene.world)).unwrap();
            cpu.advance(&model, &job).unwrap();
            let expected = cpu.download(&scene.world).unwrap();
            let mut device = GpuBackend::new(&gpu, &model, &scene.world).unwrap();
            device.upload(&model, &restore_point(&state, &scene.world)).unwrap();
            at_once(device.advance(&model, &job)).unwrap();
            let found = device.download(&scene.world).unwrap();
            put_back += compare(&format!("{integrator}"), &model, &scene.world, &found, &expected);
        }
    }
    assert!(put_back > 100, "only {put_back} vertices touched a wall: is the box still there?");
}

/// Compares two states; returns the number of coordinates that stand exactly on a wall.
fn compare(name: &str, model: &Model, world: &World, found: &State, expected: &State) -> usize {
    let h = 1e-4f32;
    // Elastic forces of both backends differ by rounding; what that makes of an acceleration.
    let shaking = |v: usize| 3e-6 * 40.0 * 2e4 * 0.02 * model.inv_mass[v];
    let mut on_wall = 0;
    for v in 0..model.vertex_count() {
        let body = &model.bodies[model.body_of_vertex(v as u32)];
        let size = body.size as f32;
        let (x, y) = (found.position[v], expected.position[v]);
        let (a, b) = (found.velocity[v], expected.velocity[v]);
        for k in 0..3 {
            // Position and remainder are one number in two parts.
            let [p, q] = [
                (x[k], found.position_compensation[v][k]),
                (y[k], expected.position_compensation[v][k]),
            ];
            let apart = (f64::from(p.0) - f64::from(q.0)) + (f64::from(p.1) - f64::from(q.1));
            let most = UPDATE_ULPS * ulp(2.0 * h) + shaking(v) * h * h + 1e-9 * size;
            assert!(apart.abs() as f32 <= most, "{name}: x[{v}][{k}] {apart:e}, {most:e}");
            let most = UPDATE_ULPS * ulp(3.0) + shaking(v) * h;
            assert!((a[k] - b[k]).abs() <= most, "{name}: v[{v}][{k}] {} {}", a[k], b[k]);
            let corners = world.bounds.as_ref().map(WorldBox::corners);
            on_wall += corners.map_or(0, |c| {
                usize::from(c.iter().any(|c| x[k] == (c[k] - body.origin[k]) as f32))
            });
        }
        if model.inv_mass[v] == 0.0 {
            assert_eq!((x, a), (y, b), "{name}: a locked vertex moved");
        }
    }
    on_wall
}
