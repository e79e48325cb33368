//! Reports, velocities and forces of a device against those of the host, from the same states.

use pliant_gpu::testing;
use pliant_gpu::validate::{assert_layout, validate};

use super::gpu::{BodySums, HINGES, KERNELS, Record, SIZES, SliceSums, WITH_COLLIDERS, YIELDED};
use super::{FORCE_TOLERANCE, Sums, TOLERANCE};
use crate::backend::gpu::shown::kept::MOVED;
use crate::backend::gpu::tests::{BARS, pair};
use crate::math::vec3;
use crate::model::Model;
use crate::scene::{Accumulation, Integrator, Scene};
use crate::stages::elastic::VolumeForm;
use crate::stages::elastic::formula::six_volumes_gradient;
use crate::stages::integrate::is_staggered;
use crate::{Simulator, StepReport};

#[test]
fn kernels_are_valid_and_know_the_host_structs() {
    let kernels = KERNELS.map(|k| validate(&k).unwrap());
    for kernel in &kernels {
        assert_layout::<Record>(
            kernel,
            "MeasureRecord",
            &[
                ("slot_count", std::mem::offset_of!(Record, slot_count)),
                ("spring_count", std::mem::offset_of!(Record, spring_count)),
                ("tet_count", std::mem::offset_of!(Record, tet_count)),
                ("walled", std::mem::offset_of!(Record, walled)),
                ("gravity", std::mem::offset_of!(Record, gravity)),
                ("loading", std::mem::offset_of!(Record, loading)),
                ("counts", std::mem::offset_of!(Record, counts)),
            ],
        );
    }
    let [_, vertices, _, by_body, _] = &kernels;
    for kernel in [SIZES, WITH_COLLIDERS, YIELDED, MOVED, HINGES] {
        validate(&kernel).unwrap();
    }
    let low = std::mem::offset_of!(BodySums, low);
    assert_layout::<BodySums>(
        by_body,
        "BodySums",
        &[
            ("moment", 0),
            ("momentum", 16),
            ("angular", 32),
            ("moment_low", low),
            ("momentum_low", low + 16),
            ("angular_low", low + 32),
            ("contacts", std::mem::offset_of!(BodySums, contacts)),
        ],
    );
    assert_layout::<SliceSums>(
        vertices,
        "SliceSums",
        &[
            ("moment", std::mem::offset_of!(SliceSums, moment)),
            ("momentum", std::mem::offset_of!(SliceSums, momentum)),
            ("angular", std::mem::offset_of!(SliceSums, angular)),
            ("contacts", std::mem::offset_of!(SliceSums, contacts)),
        ],
    );
}

#[test]
fn sums_move_to_another_origin_as_vertices_do() {
    let (origin, x, v) = (vec3(3.0, -2.0, 7.0), vec3(0.5, 0.25, -1.0), vec3(1.0, 2.0, 4.0));
    let (mut local, mut moved, mut direct) = (Sums::default(), Sums::default(), Sums::default());
    local.add_vertex(2.0, x, v, true);
    moved.add(&local, origin);
    direct.add_vertex(2.0, origin + x, v, true);
    assert_eq!(moved, direct);
}

/// What bounds the rounding of a report: the sums of the sizes of its terms.
struct Scales {
    mass: f64,
    speed: f64,
    reach: f64,
    far: f64,
    /// Energies of springs and volumes when stretched by the size of their coordinates.
    springs: f64,
    volumes: f64,
}

impl Scales {
    fn of(sim: &mut Simulator) -> Self {
        let report = sim.report();
        let model = sim.model();
        let free = |&i: &usize| model.inv_mass[i] > 0.0;
        let mass = (0..model.mass.len()).filter(free).map(|i| f64::from(model.mass[i])).sum();
        let largest =
            |v: &[[f32; 3]]| v.iter().flatten().fold(0.0f64, |m, c| m.max(c.abs().into()));
        let reach = 2.0 * largest(&sim.state().position);
        let far = sim.origins().iter().flatten().fold(reach, |m, c| m.max(c.abs()));
        let springs = model.spring.iter().map(|s| 0.5 * f64::from(s[0]) * reach * reach).sum();
        let edge = 3.0 * model.bodies.iter().map(|b| b.edge).fold(0.0, f64::max);
        let volume6 = reach * edge * edge;
        let volumes = model.volume.iter().map(|v| 0.5 * f64::from(v[0]) * volume6 * volume6).sum();
        // A kick from rounded forces.
        let kick = match is_staggered(sim.world().integrator) {
            true => FORCE_TOLERANCE / TOLERANCE * 0.5 * sim.world().timestep * rate(model) * reach,
            false => 0.0,
        };
        Self { mass, speed: report.max_speed + kick, reach, far, springs, volumes }
    }
}

/// Largest stiffness per mass at a vertex \[1/s²\].
fn rate(model: &Model) -> f64 {
    let mut stiffness = vec![0.0; model.vertex_count()];
    for (ends, spring) in model.springs.iter().zip(&model.spring) {
        ends.iter().for_each(|&v| stiffness[v as usize] += f64::from(spring[0]));
    }
    for (t, tet) in model.tets.iter().enumerate() {
        let gradient = six_volumes_gradient(model.rest_corners(t)).map(|g| g.length());
        let sum: f64 = gradient.iter().sum();
        for (&v, g) in tet.iter().zip(gradient) {
            let along = if model.forms[t] == VolumeForm::Energy { g } else { 1.0 };
            stiffness[v as usize] += f64::from(model.volume[t][0]) * sum * along;
        }
    }
    let per_mass = stiffness.iter().zip(&model.inv_mass).map(|(k, &w)| k * f64::from(w));
    per_mass.fold(0.0, f64::max)
}

fn assert_near(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} and {b} differ by more than {tolerance}");
}

fn assert_alike(name: &str, host: &StepReport, device: &StepReport, s: &Scales) {
    let near = |what: &str, a, b, size: f64| {
        assert_near(&format!("{name}: {what}"), a, b, TOLERANCE * size);
    };
    assert_eq!(host.inverted_count, device.inverted_count, "{name}");
    assert_eq!(host.wall_contact_count, device.wall_contact_count, "{name}");
    assert_eq!((host.step, host.substeps), (device.step, device.substeps));
    near("kinetic", host.energy.kinetic, device.energy.kinetic, s.mass * s.speed * s.speed);
    near("gravity", host.energy.gravity, device.energy.gravity, 9.81 * s.mass * s.far);
    // (s + δ)² − s² ≤ 2 s δ + δ², with δ a rounding of the coordinates.
    let stretch = |energy: f64, full: f64| (energy * full).sqrt() * 2.0 + TOLERANCE * full + energy;
    near(
        "springs",
        host.energy.springs,
        device.energy.springs,
        stretch(host.energy.springs, s.springs),
    );
    near(
        "volumes",
        host.energy.volumes,
        device.energy.volumes,
        stretch(host.energy.volumes, s.volumes),
    );
    near("speed", host.max_speed, device.max_speed, s.speed);
    for k in 0..3 {
        near("momentum", host.momentum[k], device.momentum[k], s.mass * s.speed);
        let (a, b) = (host.angular_momentum[k], device.angular_momentum[k]);
        near("angular momentum", a, b, s.mass * s.speed * s.far);
        near("center", host.center_of_mass[k], device.center_of_mass[k], s.reach);
    }
}

#[test]
fn reports_agree_for_every_integrator_on_the_same_state() {
    let Some(gpu) = testing::gpu("measure") else { return };
    for (n, integrator) in Integrator::ALL.into_iter().enumerate() {
        let [mut host, mut device] = pair(&gpu, BARS, |scene| {
            scene.world.integrator = integrator;
            scene.world.accumulation = Accumulation::STRATEGIES[n % 3];
            scene.world.external_force = [0.001, 0.0, 0.0];
        });
        host.advance(900).unwrap();
        let state = host.state();
        device.set_state(&state);
        let before = device.hash();
        let report = device.report();
        assert_eq!(report, device.report(), "{integrator}: two reports of one state");
        let scales = Scales::of(&mut host);
        println!("{integrator}: speeds to {:e} m/s", TOLERANCE * scales.speed);
        // Half a kick of gravity alone must not go unnoticed.
        assert!(TOLERANCE * scales.speed < 0.5 * 9.81 * 0.5 * 0.0002, "{integrator}");
        assert!(report.wall_contact_count > 0, "{integrator}: nothing touches a wall");
        assert_alike(&integrator.to_string(), &host.report(), &report, &scales);
        let (v, f) = (device.velocities(), device.forces());
        for (a, b) in host.velocities().iter().flatten().zip(v.iter().flatten()) {
            assert_near("velocity", f64::from(*a), f64::from(*b), TOLERANCE * scales.speed);
        }
        let hardest = host.model().spring.iter().map(|s| f64::from(s[0])).fold(0.0, f64::max);
        let size = 30.0 * hardest * scales.reach;
        for (a, b) in host.forces().iter().flatten().zip(f.iter().flatten()) {
            assert_near("force", f64::from(*a), f64::from(*b), FORCE_TOLERANCE * size);
        }
        assert_eq!(device.forces(), f);
        assert_eq!(device.hash(), before, "{integrator}: measuring changed the state");
    }
}

#[test]
fn flat_and_inverted_tetrahedra_are_counted_as_on_the_host() {
    let Some(gpu) = testing::gpu("measure") else { return };
    let [mut host, mut device] = pair(&gpu, BARS, |_| {});
    let mut state = host.state();
    // The first body inside out, a corner of the second flat: whole numbers, so that all is exact.
    let first = host.model().bodies[0].vertices.len();
    for (i, p) in state.position.iter_mut().enumerate() {
        *p = p.map(|c| (c * 16.0).round());
        p[0] = if i < first { -p[0] } else { p[0] };
        p[2] = if i < first { p[2] } else { 0.0 };
    }
    host.set_state(&state);
    device.set_state(&state);
    let (a, b) = (host.report(), device.report());
    assert!(a.inverted_count > host.model().tets.len() / 2);
    assert_eq!(a.inverted_count, b.inverted_count);
    assert_alike("inside out", &a, &b, &Scales::of(&mut host));
}

#[test]
fn a_single_cube_far_away_and_a_cloth_are_measured() {
    let Some(gpu) = testing::gpu("measure") else { return };
    let text = r#"
        [world]
        timestep = 0.001
        [[bodies]]
        name = "cube"
        shape = { kind = "bar", cells = [1, 1, 1], size = [1, 1, 1] }
        translate = [1000, 0, 5]
        velocity = [1, 2, 3]
        [bodies.material]
        mass = { density = 1000 }
        [[bodies]]
        name = "cloth"
        shape = { kind = "cloth", cells = [7, 5], size = [0.7, 0.5] }
        translate = [1000, 1, 5]
        spin = [0, 1, 2]
        [bodies.material]
        mass = { density = 0.2 }
        stiffness = { spring = 20 }
    "#;
    let mut scene = Scene::from_toml(text, "odd").unwrap();
    scene.world.bounds = None;
    let [mut host, mut device] = pair(&gpu, text, |s| *s = scene.clone());
    host.advance(3).unwrap();
    device.set_state(&host.state());
    let scales = Scales::of(&mut host);
    let report = device.report();
    assert_eq!(report.wall_contact_count, 0);
    assert_alike("cube and cloth", &host.report(), &report, &scales);
    assert!((report.center_of_mass[0] - 1000.0).abs() < 1.0);
}

const CLOTH: &str = r#"
    [[bodies]]
    name = "cloth"
    shape = { kind = "cloth", cells = [7, 5], size = [0.7, 0.5] }
    translate = [0, 1, 1]
    spin = [0, 1, 20]
    [bodies.material]
    mass = { density = 0.2 }
    stiffness = { spring = 200 }
"#;

#[test]
fn what_has_yielded_is_measured_and_strained_as_on_the_host() {
    let Some(gpu) = testing::gpu("measure") else { return };
    // A cloth has springs that belong to no tetrahedron, and never yield.
    let text = format!("{BARS}\n{CLOTH}");
    let [mut host, mut device] = pair(&gpu, &text, |s| s.world.plasticity = 0.02);
    host.advance(400).unwrap();
    let state = host.state();
    let first = Simulator::new(host.scene().clone(), crate::Backend::Cpu { threads: 1 }).unwrap();
    let yielded = state.rest_shapes.as_ref().expect("plasticity is on");
    let model = first.model();
    let changed = (0..model.tets.len()).filter(|&t| {
        let user = model.tet_order[t] as usize;
        yielded[user].lengths != model.rest_lengths(t).map(|l| l as f32)
    });
    assert!(changed.count() > 10, "hardly anything yielded");
    device.set_state(&state);
    let scales = Scales::of(&mut host);
    assert_alike("yielded", &host.report(), &device.report(), &scales);
    let (a, b) = (host.stress(), device.stress());
    // Both are computed on the host, from the same positions and rest shapes.
    assert_eq!(a, b);
    assert!(a.iter().any(|s| s.von_mises() > 1.0));
}
