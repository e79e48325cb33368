//! The formula against finite differences, and the drivers against the formula in double precision.

use std::ptr::null_mut;

use pliant_mesh::shapes;

use super::formula::{tether_block, tether_energy, tether_force};
use super::*;
use crate::math::vec3;
use crate::matrix::times;
use crate::model::{Model, compile};
use crate::scene::{Body, Scene, Source};
use crate::simd::{Lane4, Lanes};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::stages::elastic::cpu::{ElasticInput, Layout};
use crate::stages::integrate::cpu::Arrays;

/// Forces may differ from those in double precision by this much of what was added up: a difference of
/// rounded positions and a few products of it.
const TOLERANCE: f64 = 3e-6;

#[test]
fn force_and_block_are_derivatives() {
    let (l, c, h) = (vec3(0.3, -0.7, 0.2), 40.0, 1e-5);
    for axis in [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)] {
        // Who moves the first end along the axis shortens l.
        let slope = (tether_energy(l + axis * h, c) - tether_energy(l - axis * h, c)) / (2.0 * h);
        assert!((tether_force(l, c).dot(axis) - slope).abs() < 1e-7, "{slope}");
        let change = (tether_force(l + axis * h, c) - tether_force(l - axis * h, c)) * (0.5 / h);
        let distance = (times(&tether_block(l, c), axis) - change).length();
        assert!(distance < 1e-7, "{change:?} is {distance} off");
    }
}

/// A bar that is cut into several blocks, and tethers between neighbours and across blocks.
fn tethered() -> (Model, Vec<Tether>) {
    let mesh = shapes::bar([40, 8, 8], [2.0, 0.4, 0.4], shapes::Split::Six);
    let body = Body { source: Source::Inline(mesh), ..Body::default() };
    let scene = Scene { bodies: vec![body], ..Scene::default() };
    let model = compile(&scene).unwrap();
    assert!(model.blocks.len() > 1, "one block would prove little");
    let count = model.vertex_count() as u32;
    let tether = |(i, step): (u32, u32)| Tether {
        ends: [i, (i + step) % count],
        stiffness: 10.0 + (i % 7) as f32,
    };
    let steps = [1, 37, count / 2 - 1];
    let tethers = steps.into_iter().flat_map(|step| (0..count).map(move |i| (i, step))).map(tether);
    (model, tethers.collect())
}

/// Fails unless the forces are those of the reference.
fn assert_forces(model: &Model, tethers: &[Tether], force_of: impl Fn(usize) -> [f32; 3]) {
    let x: Vec<Vec3<f64>> = model.rest.iter().map(|p| Vec3::of(p.map(f64::from))).collect();
    let mut expected = vec![Vec3::zero(); x.len()];
    forces_reference(tethers, &x, &mut expected);
    let mut size = vec![0.0; x.len()];
    for tether in tethers {
        let [i, j] = tether.ends.map(|end| end as usize);
        let force = tether_force(x[j] - x[i], f64::from(tether.stiffness)).length();
        size[i] += force;
        size[j] += force;
    }
    for (v, expected) in expected.into_iter().enumerate() {
        let error = (Vec3::of(force_of(v).map(f64::from)) - expected).length();
        assert!(error <= TOLERANCE * size[v], "vertex {v} is {error} N off of {} N", size[v]);
    }
}

#[test]
fn the_cpu_adds_up_what_the_formula_says_in_any_order_of_blocks() {
    let (model, tethers) = tethered();
    let body_vertices: Vec<_> = model.bodies.iter().map(|b| b.vertices.clone()).collect();
    let elements = ElasticInput {
        rest: &model.rest,
        tets: &model.tets,
        volume: &model.volume,
        forms: &model.forms,
        springs: &model.springs,
        spring: &model.spring,
        damping: model.damping.as_deref(),
        hinges: &model.hinges,
        hinge: &model.hinge,
        blocks: &model.blocks,
    };
    let slots = Slots::build(&model.blocks, &body_vertices, |block| elements.used(block));
    let mut layout = Layout::build(&elements, &slots);
    let slot_of = &slots.slot_of;
    let lists = Lists::new(&tethers, slot_of, slots.count);
    let mut forces_in = |order: &[usize]| -> Vec<Lanes> {
        let mut position = vec![Lanes::default(); slots.count.div_ceil(4)];
        for (p, &slot) in model.rest.iter().zip(slot_of) {
            let (lanes, at) = (slot as usize / 4, 4 * (slot as usize % 4));
            position[lanes].0[at..at + 3].copy_from_slice(p);
        }
        let mut force = vec![Lanes::default(); position.len()];
        let arrays = Arrays {
            position: position.as_mut_ptr(),
            compensation: null_mut(),
            velocity: null_mut(),
            force: force.as_mut_ptr(),
            touch: null_mut(),
            history: [null_mut(); 4],
            contact: [null_mut(); 2],
        };
        let work = Work::new(&slots, &mut layout, arrays);
        order.iter().for_each(|&block| cpu::pull(&lists, &work, block));
        force
    };
    let mut order: Vec<usize> = (0..model.blocks.len()).collect();
    let forces = forces_in(&order);
    order.reverse();
    assert_eq!(forces, forces_in(&order));
    assert_forces(&model, &tethers, |v| {
        let slot = slot_of[v] as usize;
        std::array::from_fn(|k| forces[slot / 4].0[4 * (slot % 4) + k])
    });
    assert_eq!(size_of::<Lanes>(), 4 * size_of::<Lane4>());
}

#[cfg(feature = "gpu")]
#[test]
fn the_kernel_is_valid_in_browsers() {
    pliant_gpu::validate::validate(&gpu::KERNEL).unwrap();
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_adds_up_what_the_formula_says() {
    let Some(device) = pliant_gpu::testing::gpu("tethers") else { return };
    let (model, tethers) = tethered();
    let layout = crate::stages::gpu::layout::Layout::new(&model);
    let lists = Lists::new(&tethers, &layout.slot_of, layout.slot_count());
    let mut position = vec![[0.0; 4]; layout.slot_count()];
    for (&[x, y, z], &slot) in model.rest.iter().zip(&layout.slot_of) {
        position[slot as usize] = [x, y, z, 0.0];
    }
    let position = device.storage("position", &position).unwrap();
    let force = device.zeros("force", layout.slot_count()).unwrap();
    let pulling = gpu::Pulling::new(&device, &lists, &position, &force).unwrap();
    let mut commands = device.commands("tethers");
    pulling.record(&mut commands);
    commands.submit();
    let force: Vec<[f32; 4]> = force.read().unwrap();
    assert_forces(&model, &tethers, |v| {
        let [x, y, z, _] = force[layout.slot_of[v] as usize];
        [x, y, z]
    });
}
