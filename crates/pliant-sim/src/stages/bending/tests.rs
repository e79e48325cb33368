//! The formula against finite differences, what bending costs, and drivers against the formula in double precision.

use pliant_mesh::Mesh;
use proptest::prelude::*;

use super::formula::*;
use super::*;
use crate::math::vec3;
use crate::matrix::times;
use crate::model::{Model, compile};
use crate::scene::{BendingForm, Body, Cloth, Integrator, Material, Scene, Source, Stiffness};
use crate::{Backend, Simulator};

/// Numbers without pattern.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self, size: f32) -> [f32; 3] {
        [0; 3].map(|_| size * self.number())
    }
}

const FORMS: [Form; 2] = [Form::Dihedral, Form::Quadratic];

/// Two triangles of any shape, apart from needles of no area at all, with edges of about a length of `size`.
fn rest_shapes() -> impl Strategy<Value = [Vec3<f64>; 4]> {
    let shape = (-0.5..1.5f64, 0.02..2.0f64, -0.5..1.5f64, 0.02..2.0f64, 0.01..10.0f64);
    shape.prop_map(|(along_a, high_a, along_b, high_b, size)| {
        let corners = [[0.0, 0.0], [1.0, 0.0], [along_a, high_a], [along_b, -high_b]];
        corners.map(|[x, y]| vec3(x * size, y * size, 0.0))
    })
}

/// Corners that are moved by parts of the edge.
fn moved(rest: [Vec3<f64>; 4], by: [[f64; 3]; 4]) -> [Vec3<f64>; 4] {
    let edge = (rest[1] - rest[0]).length();
    std::array::from_fn(|k| rest[k] + Vec3::from(by[k]) * edge)
}

fn displacements() -> impl Strategy<Value = [[f64; 3]; 4]> {
    proptest::array::uniform4(proptest::array::uniform3(-0.4..0.4f64))
}

/// Whether finite differences mean anything: no triangle is nearly gone, and no hinge folded onto itself.
fn is_smooth(x: [Vec3<f64>; 4], hinge: &Hinge<f64>) -> bool {
    let normals = [(x[1] - x[0]).cross(x[2] - x[0]), (x[3] - x[0]).cross(x[1] - x[0])];
    let is_large = |n: usize| normals[n].dot(normals[n]) > 4.0 * hinge.shape[n];
    match hinge.form {
        Form::Dihedral => is_large(0) && is_large(1) && hinge_angle(x).abs() < 3.0,
        Form::Quadratic => true,
    }
}

fn unit(corner: usize, axis: usize, size: f64) -> [Vec3<f64>; 4] {
    let mut all = [[0.0; 3]; 4];
    all[corner][axis] = size;
    all.map(Vec3::from)
}

fn plus(x: [Vec3<f64>; 4], d: [Vec3<f64>; 4], by: f64) -> [Vec3<f64>; 4] {
    std::array::from_fn(|k| x[k] + d[k] * by)
}

proptest! {
    #[test]
    fn forces_are_derivatives_of_the_energy(rest in rest_shapes(), by in displacements()) {
        for form in FORMS {
            let hinge = hinge_coefficients(form, 0.7, rest).unwrap();
            let x = moved(rest, by);
            if !is_smooth(x, &hinge) {
                continue;
            }
            let forces = hinge_forces(x, &hinge);
            let size = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
            let step = 1e-6 * (rest[1] - rest[0]).length();
            for (corner, force) in forces.into_iter().enumerate() {
                for axis in 0..3 {
                    let d = unit(corner, axis, step);
                    let change = hinge_energy(plus(x, d, 1.0), &hinge) - hinge_energy(plus(x, d, -1.0), &hinge);
                    let slope = -change / (2.0 * step);
                    let off = (force.to_f64()[axis] - slope).abs();
                    prop_assert!(off <= 1e-4 * size, "{form:?}: {off} of {size} N at corner {corner}");
                }
            }
        }
    }

    #[test]
    fn pair_blocks_are_derivatives_of_the_forces(rest in rest_shapes(), by in displacements()) {
        for form in FORMS {
            // What is exact at any place of the quadratic form is exact at rest of the dihedral one.
            let at = if form == Form::Quadratic { moved(rest, by) } else { rest };
            let hinge = Hinge { slack: 0.0, ..hinge_coefficients(form, 0.7, rest).unwrap() };
            let slopes = hinge_slopes(at, &hinge);
            let size = hinge.stiffness * slopes.iter().map(|s| s.dot(*s)).fold(0.0, f64::max);
            let step = 1e-5 * (rest[1] - rest[0]).length();
            for axis in 0..3 {
                let d = unit(1, axis, step);
                let [after, before] = [1.0, -1.0].map(|by| hinge_forces(plus(at, d, by), &hinge));
                for corner in [0, 2, 3] {
                    let change = (after[corner] - before[corner]) * (0.5 / step);
                    let [i, j] = [corner, 1];
                    let block = hinge_pair(&hinge, slopes, i, j);
                    let expected = times(&block, Vec3::from(std::array::from_fn(|k| f64::from(u8::from(k == axis)))));
                    prop_assert!((change - expected).length() <= 1e-4 * size, "{form:?}: {change:?} {expected:?}");
                }
            }
        }
    }

    /// Σ over pairs of (p_i − p_j)·B_ij (p_i − p_j) … is c (Σ s_i·p_i)² or c |Σ k_i p_i|², whatever state it is in.
    #[test]
    fn derivatives_are_positive_semi_definite(
        rest in rest_shapes(),
        by in proptest::array::uniform4(proptest::array::uniform3(-3.0..3.0f64)),
        p in displacements(),
    ) {
        let mut by = by;
        for is_flat in [false, true] {
            if is_flat {
                // Degenerate: all corners on a line.
                by = by.map(|[x, ..]| [x, 0.0, 0.0]);
            }
            for form in FORMS {
                let hinge = hinge_coefficients(form, 0.7, rest).unwrap();
                let x = if is_flat { rest.map(|r| vec3(r.x, 0.0, 0.0)) } else { rest };
                let slopes = hinge_slopes(moved(x, by), &hinge);
                let p = p.map(Vec3::<f64>::from);
                let (mut energy, mut size) = (0.0, 0.0);
                for [i, j] in PAIRS {
                    let block = hinge_pair(&hinge, slopes, i, j);
                    let d = p[i] - p[j];
                    // Both halves of the pair: B_ij and its transpose.
                    let part = p[i].dot(times(&block, d)) - p[j].dot(times(&crate::matrix::transposed(block), d));
                    energy += part;
                    size += part.abs();
                }
                prop_assert!(energy >= -1e-9 * size, "{form:?}: {energy} of {size}");
            }
        }
    }

    #[test]
    fn rigid_motion_costs_nothing(rest in rest_shapes(), axis in proptest::array::uniform3(-1.0..1.0f64), turn in -3.0..3.0f64) {
        let axis = Vec3::<f64>::from(axis);
        prop_assume!(axis.length() > 0.1);
        let axis = axis * (1.0 / axis.length());
        let turned = rest.map(|v| {
            let (s, c) = turn.sin_cos();
            v * c + axis.cross(v) * s + axis * (axis.dot(v) * (1.0 - c)) + vec3(3.0, -2.0, 1.0)
        });
        for form in FORMS {
            let hinge = hinge_coefficients(form, 1.0, rest).unwrap();
            prop_assert_eq!(hinge_energy(turned, &hinge), 0.0);
            prop_assert_eq!(hinge_forces(turned, &hinge), [Vec3::zero(); 4]);
        }
    }

    /// In single precision, too, and wherever a hinge lies, there is no force at rest.
    #[test]
    fn rest_is_rest(rest in rest_shapes(), by in displacements(), place in proptest::array::uniform3(-5.0..5.0f64)) {
        let curved = moved(rest, by);
        for (form, shape) in [(Form::Dihedral, curved), (Form::Quadratic, rest)] {
            let placed = shape.map(|v| (v + Vec3::from(place)).to_f64().map(|c| c as f32));
            let Some(hinge) = hinge_coefficients(form, 1.0, placed.map(|v| Vec3::of(v.map(f64::from)))) else {
                continue;
            };
            let forces = hinge_forces(placed.map(Vec3::from), &hinge.rounded());
            prop_assert_eq!(forces, [Vec3::zero(); 4], "{:?} {:?}", form, hinge);
        }
    }
}

#[test]
fn angles_have_signs_and_are_wrapped() {
    let at = |angle: f64| {
        let up = vec3(-angle.cos(), 0.0, angle.sin());
        [vec3(0.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), up, vec3(1.0, 0.0, 0.0)]
    };
    for angle in [-3.0, -1.0, 0.0, 0.5, 2.0, 3.1] {
        assert!((hinge_angle(at(angle)) - angle).abs() < 1e-12);
        let single = at(angle).map(|v| Vec3::<f32>::of(v.to_f64()));
        assert!((f64::from(hinge_angle(single)) - angle).abs() < 1e-6);
    }
    // From 3 rad it is shorter across the half turn than back.
    let hinge = hinge_coefficients(Form::Dihedral, 1.0, at(3.0)).unwrap();
    let beyond = std::f64::consts::TAU - 3.1;
    let expected = 0.5 * hinge.stiffness * (beyond - 3.0f64).powi(2);
    assert!((hinge_energy(at(-3.1), &hinge) - expected).abs() < 1e-4 * expected);
}

#[test]
fn arc_tangents_are_accurate_all_round() {
    for n in 0..10_000 {
        let angle = (f64::from(n) / 5_000.0 - 1.0) * std::f64::consts::PI;
        let size = 10f64.powi(n % 13 - 6);
        let (y, x) = ((size * angle.sin()) as f32, (size * angle.cos()) as f32);
        let exact = f64::from(y).atan2(f64::from(x));
        let off = (f64::from(Real::atan2(y, x)) - exact).abs();
        assert!(off <= 3e-7 * exact.abs().max(0.05), "{off} at {angle}");
    }
    assert_eq!([Real::atan2(0.0f32, 1.0), Real::atan2(0.0f32, 0.0)], [0.0; 2]);
}

/// A cloth of triangles with a bending stiffness of 1 N·m.
fn cloth(mesh: Mesh, bending_form: BendingForm) -> Model {
    let cloth = Cloth { bending: 1.0, bending_form, ..Cloth::default() };
    let material = Material { stiffness: Stiffness::Cloth(cloth), ..Material::default() };
    let body = Body { source: Source::Inline(mesh), material, ..Body::default() };
    compile(&Scene { bodies: vec![body], ..Scene::default() }).unwrap()
}

/// A sheet of 1 m × 1 m; rows are shifted by `lean` of a cell each, and vertices moved by up to `jitter` of one.
fn sheet(cells: u32, lean: f64, jitter: f64, is_alternating: bool) -> Mesh {
    let (side, cell) = (cells + 1, 1.0 / f64::from(cells));
    let mut random = Random(12345);
    let height = if lean > 0.0 { 0.75f64.sqrt() } else { 1.0 };
    let mut mesh = Mesh::default();
    for row in 0..side {
        for column in 0..side {
            let shift = if row % 2 == 1 { lean } else { 0.0 };
            let [dx, dy] = [0; 2].map(|_| jitter * f64::from(random.number()));
            let [x, y] = [f64::from(column) + shift + dx, (f64::from(row) + dy) * height];
            mesh.points.push([x * cell, y * cell, 0.0]);
        }
    }
    for row in 0..cells {
        for column in 0..cells {
            let [a, b] = [row * side + column, row * side + column + 1];
            let [c, d] = [a + side, b + side];
            let other =
                if is_alternating { (row + column) % 2 == 1 } else { lean > 0.0 && row % 2 == 0 };
            match other {
                true => mesh.triangles.extend([[a, b, c], [b, d, c]]),
                false => mesh.triangles.extend([[a, b, d], [a, d, c]]),
            }
        }
    }
    mesh
}

/// Energy over that of a plate, ½ D κ² per area, of a sheet that is rolled up along a direction.
fn rolled(model: &Model, direction: f64, radius: f64) -> f64 {
    let (s, c) = direction.sin_cos();
    let place = |v: &[f32; 3]| {
        let [x, y, _] = v.map(f64::from);
        let [along, across] = [x * c + y * s, y * c - x * s];
        let angle = along / radius;
        vec3(radius * angle.sin(), across, radius * (1.0 - angle.cos()))
    };
    let x: Vec<Vec3<f64>> = model.rest.iter().map(place).collect();
    let hinges = model.hinges.iter().zip(&model.hinge);
    let energy: f64 =
        hinges.map(|(c, h)| hinge_energy(c.map(|v| x[v as usize]), &h.widened())).sum();
    let corner = |v: u32| Vec3::<f64>::of(model.rest[v as usize].map(f64::from));
    let area = |[a, b, c]: [Vec3<f64>; 3]| 0.5 * (b - a).cross(c - a).length();
    let area: f64 = model.triangles.iter().map(|t| area(t.map(corner))).sum();
    energy / (0.5 * area / (radius * radius))
}

#[test]
fn rolling_up_costs_what_a_plate_does() {
    for form in [BendingForm::Dihedral, BendingForm::Quadratic] {
        for (name, mesh) in [
            ("squares", sheet(60, 0.0, 0.0, false)),
            ("squares cut in turns", sheet(60, 0.0, 0.0, true)),
            ("equilateral", sheet(60, 0.5, 0.0, false)),
            ("irregular", sheet(60, 0.5, 0.1, false)),
        ] {
            let model = cloth(mesh, form);
            for direction in [0.0f64, 30.0, 45.0, 60.0, 90.0, 135.0] {
                let ratio = rolled(&model, direction.to_radians(), 0.4);
                println!("{form:?}, {name}, {direction}°: {ratio:.4}");
                assert!((ratio - 1.0).abs() < 0.05, "{form:?}, {name}, {direction}°: {ratio}");
            }
        }
    }
}

#[test]
fn rectangles_bend_as_squares_do() {
    let mut mesh = sheet(60, 0.0, 0.0, false);
    mesh.points.iter_mut().for_each(|p| p[1] *= 0.4);
    let model = cloth(mesh, BendingForm::Auto);
    for direction in [0.0f64, 30.0, 60.0, 90.0, 150.0] {
        let ratio = rolled(&model, direction.to_radians(), 0.4);
        assert!((ratio - 1.0).abs() < 0.05, "{direction}°: {ratio}");
    }
}

#[test]
fn quadratic_bending_of_what_is_curved_is_refused_with_a_remedy() {
    let mut mesh = sheet(4, 0.0, 0.0, false);
    mesh.points.iter_mut().for_each(|p| p[2] = 0.3 * p[0] * p[0]);
    let body = |bending_form| {
        let cloth = Cloth { bending: 1.0, bending_form, ..Cloth::default() };
        let material = Material { stiffness: Stiffness::Cloth(cloth), ..Material::default() };
        Body { source: Source::Inline(mesh.clone()), material, ..Body::default() }
    };
    let compiled = |form| compile(&Scene { bodies: vec![body(form)], ..Scene::default() });
    let error = compiled(BendingForm::Quadratic).unwrap_err().to_string();
    assert!(error.contains("`bending_form = \"dihedral\"`"), "{error}");
    let model = compiled(BendingForm::Auto).unwrap();
    assert!(model.hinge.iter().all(|hinge| hinge.form == Form::Dihedral));
}

/// Forces may differ from those in double precision by this much of what is added up: positions are rounded, then a
/// few dozen operations are; an angle is a quotient of products of three lengths.
const TOLERANCE: f64 = 1e-5;

/// A sheet that is curved at rest in the dihedral form, of several blocks if it has many cells.
fn resting(cells: u32, form: BendingForm) -> Mesh {
    let mut mesh = sheet(cells, 0.0, 0.2, false);
    if form == BendingForm::Dihedral {
        mesh.points.iter_mut().for_each(|p| p[2] = 0.3 * (4.0 * p[0]).sin() * p[1]);
    }
    mesh
}

fn scene(cells: u32, form: BendingForm) -> Scene {
    let cloth = Cloth { bending: 0.01, bending_form: form, ..Cloth::default() };
    let material = Material { stiffness: Stiffness::Cloth(cloth), ..Material::default() };
    let rotate = crate::scene::Rotation::Euler([20.0, 30.0, 40.0]);
    let body =
        Body { source: Source::Inline(resting(cells, form)), material, rotate, ..Body::default() };
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.world.gravity = [0.0; 3];
    scene.world.bounds = None;
    scene.world.damping = 0.0;
    scene
}

/// Fails unless a backend has the forces of the formula, from nearly at rest to crumpled.
fn assert_forces(backend: impl Fn() -> Backend, cells: u32) {
    for form in [BendingForm::Dihedral, BendingForm::Quadratic] {
        let mut sim = Simulator::new(scene(cells, form), backend()).unwrap();
        let model = sim.model().clone();
        let mut random = Random(7);
        for spread in [1e-6, 0.05, 0.5] {
            let mut state = sim.state();
            let by = spread / cells as f32;
            for (n, &vertex) in model.vertex_order.iter().enumerate() {
                let d = random.vector(by);
                state.position[vertex as usize] = std::array::from_fn(|k| model.rest[n][k] + d[k]);
            }
            sim.set_state(&state);
            let found = sim.forces();
            let at = |v: usize| state.position[model.vertex_order[v] as usize].map(f64::from);
            let x: Vec<Vec3<f64>> = (0..model.vertex_count()).map(|v| Vec3::of(at(v))).collect();
            let mut expected = vec![Vec3::zero(); x.len()];
            crate::stages::elastic::forces_reference(&model.elements(), &x, &x, &mut expected);
            let mut size = vec![0.0; x.len()];
            for (&[i, j], [k, k_rest]) in model.springs.iter().zip(&model.spring) {
                let l = (x[j as usize] - x[i as usize]).length();
                for v in [i, j] {
                    size[v as usize] += f64::from(*k) * l + f64::from(*k_rest);
                }
            }
            for (corners, hinge) in model.hinges.iter().zip(&model.hinge) {
                let c = corners.map(|v| x[v as usize]);
                let (hinge, edge) = (hinge.widened::<f64>(), (c[1] - c[0]).length());
                let slopes = hinge_slopes(c, &hinge).map(Vec3::length);
                let steepest = slopes.into_iter().fold(0.0, f64::max);
                let measured = match form {
                    BendingForm::Dihedral => 1.0 + edge * steepest,
                    _ => steepest * c.iter().map(|v| (*v - c[0]).length()).sum::<f64>(),
                };
                let most = hinge.stiffness * steepest * measured;
                corners.iter().for_each(|&v| size[v as usize] += most);
            }
            for v in 0..x.len() {
                let found = Vec3::<f64>::of(found[model.vertex_order[v] as usize].map(f64::from));
                let error = (found - expected[v]).length() / size[v];
                assert!(error <= TOLERANCE, "{form:?}, {spread}, vertex {v}: {error:e}");
            }
        }
    }
}

#[test]
fn processors_add_up_what_the_formula_says() {
    assert_forces(|| Backend::Cpu { threads: 2 }, 40);
}

/// Fails unless nothing moves by a bit.
fn assert_stays(backend: impl Fn() -> Backend, cells: u32, steps: u64) {
    for form in [BendingForm::Dihedral, BendingForm::Quadratic] {
        for integrator in [Integrator::Verlet, Integrator::ImplicitEuler] {
            let mut scene = scene(cells, form);
            scene.world.integrator = integrator;
            scene.world.timestep = 1e-3;
            let mut sim = Simulator::new(scene, backend()).unwrap();
            let before = sim.state();
            sim.step(steps).unwrap();
            let after = sim.state();
            assert_eq!(after.position, before.position, "{form:?}, {integrator}");
            assert!(after.velocity.iter().flatten().all(|v| *v == 0.0), "{form:?}, {integrator}");
        }
    }
}

#[test]
fn rest_stays_rest_bit_by_bit() {
    assert_stays(|| Backend::Cpu { threads: 2 }, 40, 100);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for form in [BendingForm::Dihedral, BendingForm::Quadratic] {
        for integrator in [Integrator::Verlet, Integrator::ImplicitEuler] {
            let hash = |threads: usize| {
                let mut scene = scene(40, form);
                scene.world.integrator = integrator;
                scene.world.timestep = 2e-4;
                scene.world.gravity = [0.0, 3.0, -9.81];
                scene.bodies[0].locks = vec![crate::scene::Region::Points(vec![0, 40])];
                let mut sim = Simulator::new(scene, Backend::Cpu { threads }).unwrap();
                sim.step(20).unwrap();
                sim.state().hash()
            };
            let one = hash(1);
            for threads in [2, 3, 7] {
                assert_eq!(hash(threads), one, "{threads} threads, {form:?}");
            }
        }
    }
}

#[cfg(feature = "gpu")]
#[test]
fn the_kernel_is_valid_in_browsers() {
    pliant_gpu::validate::validate(&gpu::KERNEL).unwrap();
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_adds_up_what_the_formula_says_and_rests() {
    let Some(device) = pliant_gpu::testing::gpu("bending") else { return };
    assert_forces(|| Backend::Device(device.clone()), 9);
    assert_stays(|| Backend::Device(device.clone()), 9, 20);
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_has_the_energy_of_bending() {
    let Some(device) = pliant_gpu::testing::gpu("bending") else { return };
    for form in [BendingForm::Dihedral, BendingForm::Quadratic] {
        let energies =
            [Backend::Cpu { threads: 1 }, Backend::Device(device.clone())].map(|backend| {
                let mut sim = Simulator::new(scene(9, form), backend).unwrap();
                let mut state = sim.state();
                state.position.iter_mut().for_each(|p| p[2] += 0.3 * p[0] * p[0]);
                sim.set_state(&state);
                sim.report().energy.bending
            });
        let [host, device] = energies;
        assert!(host > 1e-6 && (device / host - 1.0).abs() < 1e-4, "{form:?}: {energies:?}");
    }
}
