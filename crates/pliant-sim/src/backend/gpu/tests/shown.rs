//! What is shown on a device is what the host would show, and costs the host nothing.

use super::*;
use crate::backend::gpu::shown::{Quantity, Shown};
use crate::stages::stress::mean_at_vertices;

/// Values in the user's order.
fn values(shown: &Shown) -> Vec<f32> {
    let by_slot = shown.arrays.values.read().unwrap();
    shown.shape.slot_of_user.iter().map(|&slot| by_slot[slot as usize]).collect()
}

/// Positions in the user's order \[m\].
fn positions(shown: &Shown) -> Vec<[f64; 3]> {
    let by_slot = shown.arrays.positions.read().unwrap();
    let world = |&slot: &u32| {
        let body = shown.shape.slice_bodies[slot as usize / 32] as usize;
        let p = by_slot[slot as usize];
        std::array::from_fn(|k| shown.origins[body][k] + f64::from(p[k]))
    };
    shown.shape.slot_of_user.iter().map(world).collect()
}

fn size(v: &[f32; 3]) -> f64 {
    v.iter().map(|&c| f64::from(c) * f64::from(c)).sum::<f64>().sqrt()
}

fn show(sim: &mut Simulator, quantity: Quantity) -> Shown {
    sim.show_on_device(quantity).unwrap().expect("a device runs it")
}

/// The mean stress at each of the user's vertices.
fn mean_stress(sim: &Simulator) -> Vec<f64> {
    let (model, stress) = (sim.model(), sim.stress());
    let of_tets: Vec<f64> =
        model.tet_order.iter().map(|&t| stress[t as usize].von_mises()).collect();
    let means = mean_at_vertices(&model.tets, &of_tets, model.vertex_count());
    let mut users = means.clone();
    model.vertex_order.iter().zip(means).for_each(|(&user, mean)| users[user as usize] = mean);
    users
}

/// Compares with what the host makes of the same vectors and tensors: a root and a mean of at most
/// some thirty numbers, each good to 2⁻²⁴.
fn assert_alike(what: &str, found: &[f32], expected: &[f64]) {
    let largest = expected.iter().copied().fold(0.0, f64::max);
    assert!(largest > 0.0, "{what}: nothing to see");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let apart = (f64::from(*a) - b).abs();
        assert!(apart <= 40.0 / f64::from(1 << 24) * largest, "{what} {i}: {a} is not {b}");
    }
}

#[test]
fn values_are_those_of_the_host() {
    let Some(gpu) = testing::gpu("shown") else { return };
    for (plasticity, integrator) in [
        (0.0, Integrator::Verlet),
        (0.02, Integrator::LeapFrog),
        (0.02, Integrator::VelocityVerlet),
    ] {
        let [mut host, mut device] = pair(&gpu, BARS, |scene| {
            scene.world.plasticity = plasticity;
            scene.world.integrator = integrator;
        });
        device.advance(400).unwrap();
        let before = device.hash();
        let forces: Vec<f64> = device.forces().iter().map(size).collect();
        assert_alike("force", &values(&show(&mut device, Quantity::Force)), &forces);
        let speeds: Vec<f64> = device.velocities().iter().map(size).collect();
        assert_alike("speed", &values(&show(&mut device, Quantity::Speed)), &speeds);
        let start = Simulator::new(device.scene().clone(), Backend::cpu()).unwrap();
        let ways = device.positions().into_iter().zip(start.positions());
        let way = |(p, q): ([f64; 3], [f64; 3])| {
            (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
        };
        let moved = values(&show(&mut device, Quantity::Displacement));
        for (a, b) in moved.iter().zip(ways.map(way)) {
            // Differences of coordinates of a metre.
            assert!((f64::from(*a) - b).abs() < 1e-6, "displacement: {a} is not {b}");
        }
        assert!(moved.iter().any(|m| *m > 1e-3));
        // Once something has yielded, the host computes stress in f64: the kernel's own rounding,
        // which the tests of stress bound, comes on top.
        let shown = show(&mut device, Quantity::Stress);
        if plasticity == 0.0 {
            assert_alike("stress", &values(&shown), &mean_stress(&device));
        }
        host.set_state(&device.state());
        let expected = mean_stress(&host);
        let largest = expected.iter().copied().fold(0.0, f64::max);
        for (a, b) in values(&shown).iter().zip(&expected) {
            assert!((f64::from(*a) - b).abs() <= 2e-3 * largest, "stress: {a} is not {b}");
        }
        let of_tets = shown.arrays.tet_values.read().unwrap();
        assert_eq!(of_tets.len(), device.model().tets.len());
        let stress = host.stress();
        for (a, &user) in of_tets.iter().zip(&device.model().tet_order) {
            let b = stress[user as usize].von_mises();
            assert!((f64::from(*a) - b).abs() <= 2e-3 * largest, "tetrahedron: {a} is not {b}");
        }
        assert_eq!(positions(&shown), device.positions());
        assert_eq!(device.hash(), before, "{integrator}: showing changed the state");
    }
}

#[test]
fn fields_of_files_are_shown_where_their_bodies_have_them() {
    let Some(gpu) = testing::gpu("shown") else { return };
    let [host, _] = pair(&gpu, BARS, |_| {});
    let mut scene = host.scene().clone();
    let mut mesh = crate::scene::Shape::bar([4, 3, 2], [0.4, 0.3, 0.2]).build().unwrap();
    let numbers = |n: usize, from: f64| (0..n).map(|i| from + i as f64).collect();
    let (points, tets) = (mesh.points.len(), mesh.tets.len());
    mesh.point_data.push(pliant_mesh::DataArray::scalar("number", numbers(points, 0.0)));
    mesh.tet_data.push(pliant_mesh::DataArray::scalar("region", numbers(tets, 500.0)));
    let mesh_of_tets = mesh.tets.clone();
    let source = crate::scene::Source::Inline(mesh);
    scene.bodies.push(crate::scene::Body { name: "new".into(), source, ..Default::default() });
    let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
    device.advance(5).unwrap();
    let body = device.model().bodies.last().unwrap().clone();
    let (first, first_tet) = (body.vertices.start as usize, body.tets.start as usize);

    let shown = show(&mut device, Quantity::Field(0));
    assert!(!shown.of_tets);
    let found = values(&shown);
    assert!(found[..first].iter().all(|v| v.is_nan()), "the other bodies have none");
    assert!(found[first..].iter().enumerate().all(|(i, v)| *v == i as f32));

    let shown = show(&mut device, Quantity::Field(1));
    assert!(shown.of_tets);
    let of_tets = shown.arrays.tet_values.read().unwrap();
    for (m, &user) in device.model().tet_order.iter().enumerate() {
        match (user as usize).checked_sub(first_tet) {
            Some(own) => assert_eq!(of_tets[m], 500.0 + own as f32),
            None => assert!(of_tets[m].is_nan()),
        }
    }
    // The mean at a vertex, by a look at all tetrahedra.
    let round: Vec<f64> = (0..mesh_of_tets.len())
        .filter(|&t| mesh_of_tets[t].contains(&7))
        .map(|t| 500.0 + t as f64)
        .collect();
    let mean = round.iter().sum::<f64>() / round.len() as f64;
    assert!((f64::from(values(&shown)[first + 7]) - mean).abs() < 1e-3);
}

#[test]
fn a_moment_stays_while_the_simulation_goes_on() {
    let Some(gpu) = testing::gpu("shown") else { return };
    let [_, mut device] = pair(&gpu, BARS, |_| {});
    let first = show(&mut device, Quantity::Force);
    let (then, force) = (device.positions(), values(&first));
    device.advance(50).unwrap();
    let second = show(&mut device, Quantity::Speed);
    assert_eq!((first.step, second.step), (0, 50));
    assert!((second.time - 50.0 * 0.0002).abs() < 1e-12);
    assert_eq!((positions(&first), values(&first)), (then, force), "the first one has changed");
    assert_eq!(positions(&second), device.positions());
    // What nobody holds is used again: two sets are enough for two at a time.
    let bytes = device.bytes();
    for _ in 0..20 {
        device.advance(1).unwrap();
        show(&mut device, Quantity::Speed);
    }
    let third = bytes + 20 * second.shape.slice_bodies.len() * 32 + 4;
    assert_eq!(device.bytes(), third, "the two that are held, and one more");
    drop((first, second));
    show(&mut device, Quantity::Speed);
    assert_eq!(device.bytes(), third);
    // Elsewhere a clone is drawn from.
    let shown = show(&mut device, Quantity::Nothing);
    let clone = shown.clone();
    let there = std::thread::spawn(move || positions(&clone)).join().unwrap();
    assert_eq!(there, device.positions());
}

#[test]
fn a_state_that_came_apart_is_never_shown() {
    let Some(gpu) = testing::gpu("shown") else { return };
    let [_, mut device] = pair(&gpu, BARS, |scene| scene.world.timestep = 0.05);
    let diverged = device.advance(1000).unwrap_err();
    let shown = show(&mut device, Quantity::Stress);
    assert_eq!(shown.step, diverged.good_step);
    assert!(positions(&shown).iter().flatten().all(|c| c.abs() < 10.0));
    assert_eq!(positions(&shown), device.positions());
}

#[test]
fn held_vertices_are_told_by_slot() {
    let Some(gpu) = testing::gpu("shown") else { return };
    let [mut host, mut device] = pair(&gpu, BARS, |_| {});
    assert!(host.show_on_device(Quantity::Force).unwrap().is_none(), "nothing is on a device");
    let at = device.positions()[7];
    let count = device.grab(at, 0.15, 1.0, 50.0);
    device.advance(3).unwrap();
    let shown = show(&mut device, Quantity::Nothing);
    assert!(count > 1 && shown.held.len() == count);
    let by_user = device.positions();
    for held in shown.held.iter() {
        let user = shown.shape.slot_of_user.iter().position(|&s| s == held.slot).unwrap();
        let apart = (0..3).map(|k| (by_user[user][k] - held.goal[k]).abs()).fold(0.0, f64::max);
        assert!(apart < 0.01, "the hand has not moved, and the vertex hardly: {apart}");
    }
    let locked = device.model().inv_mass.iter().filter(|&&w| w == 0.0).count();
    assert!(locked > 0 && shown.shape.locked.len() == locked);
    assert_eq!(shown.shape.vertices.len(), by_user.len());
}

/// Bytes that come to the host in one frame of some steps, a report and a picture.
fn bytes_per_frame(gpu: &Gpu, cells: &str, plasticity: f64) -> (u64, usize) {
    let text = BARS.replace("cells = [9, 3, 2]", cells);
    let [_, mut device] = pair(gpu, &text, |scene| scene.world.plasticity = plasticity);
    device.set_rescue_interval(None);
    device.step(1).unwrap();
    let before = gpu.bytes_read();
    let quantities = [Quantity::Nothing, Quantity::Force, Quantity::Speed, Quantity::Stress];
    let frames = 50;
    for frame in 0..frames {
        device.step(3).unwrap();
        show(&mut device, quantities[frame % 4]);
    }
    let read = gpu.bytes_read() - before;
    assert!(read > 0, "flags and sums come back");
    let before = gpu.bytes_read();
    let count = device.positions().len();
    assert!(gpu.bytes_read() - before >= 16 * count as u64, "all positions");
    (read.div_ceil(frames as u64), count)
}

#[test]
fn a_frame_brings_a_few_hundred_bytes_to_the_host_whatever_the_mesh() {
    let Some(gpu) = testing::gpu("shown") else { return };
    for plasticity in [0.0, 0.1] {
        let (small, few) = bytes_per_frame(&gpu, "cells = [9, 3, 2]", plasticity);
        let (large, many) = bytes_per_frame(&gpu, "cells = [36, 12, 8]", plasticity);
        println!("{small} bytes for {few} vertices, {large} for {many}");
        assert!(many > 10 * few);
        assert_eq!(small, large, "the mesh does not matter");
        assert!(small <= 400, "{small} bytes per frame");
    }
}

#[test]
fn bodies_that_travel_far_stay_on_the_device() {
    let Some(gpu) = testing::gpu("shown") else { return };
    let [mut host, mut device] = pair(&gpu, BARS, |scene| {
        scene.world.bounds = None;
        scene.world.gravity = [0.0; 3];
        scene.bodies[0].velocity = [400.0, -100.0, 50.0];
    });
    device.set_rescue_interval(None);
    let before = gpu.bytes_read();
    device.advance(600).unwrap();
    assert!(gpu.bytes_read() - before < 400, "{} bytes", gpu.bytes_read() - before);
    host.advance(600).unwrap();
    assert_eq!(host.origins(), device.origins());
    assert!(device.origins()[0][0] > 15.0, "it has a new origin: {:?}", device.origins());
    assert!(farthest(&host, &device) < 2e-5, "{} m apart", farthest(&host, &device));
    assert_eq!(positions(&show(&mut device, Quantity::Nothing)), device.positions());
}

/// Bars with detailed surfaces round them, one of which is larger than its body, and a cloth that carries a thicker one.
fn dressed(scene: &mut Scene) {
    use crate::scene::{Body, Shape, Skin, Source};
    for (i, body) in scene.bodies.iter_mut().enumerate() {
        let surface =
            pliant_mesh::shapes::rounded_box([0.37, 0.21, 0.11], 0.02 * (1 + i) as f64, 9);
        let mut surface = surface.unwrap();
        surface.points.iter_mut().for_each(|p| *p = [p[0] + 0.2, p[1] + 0.1, p[2] + 0.1]);
        body.skin = Some(Skin { source: Source::Inline(surface) });
    }
    let cloth = |cells| Source::Shape(Shape::Cloth { cells, size: [0.5, 0.5] });
    scene.bodies.push(Body {
        name: "cloth".into(),
        source: cloth([5, 5]),
        skin: Some(Skin { source: cloth([13, 11]) }),
        translate: [0.0, 0.0, 2.0],
        ..Default::default()
    });
    // And one that is as it is, between them.
    scene.bodies.swap(1, 2);
}

#[test]
fn skins_are_those_of_the_host() {
    let Some(gpu) = testing::gpu("shown") else { return };
    let [_, mut device] = pair(&gpu, BARS, dressed);
    device.advance(200).unwrap();
    for quantity in [Quantity::Nothing, Quantity::Speed, Quantity::Stress, Quantity::Displacement] {
        let shown = show(&mut device, quantity);
        let skinned = shown.shape.skinned.as_ref().expect("there are skins");
        let by_slot = shown.arrays.positions.read().unwrap();
        let values_by_slot = shown.arrays.values.read().unwrap();
        let own = values(&shown);
        let model = device.model();
        let mut first =
            model.bodies.iter().map(|b| b.vertices.len().div_ceil(32) * 32).sum::<usize>();
        assert_eq!(first % 32, 0);
        for (number, body) in model.bodies.iter().enumerate() {
            let Some(skin) = &body.skin else { continue };
            let range = body.vertices.start as usize..body.vertices.end as usize;
            // What the body's own vertices are in the same arrays.
            let slots = &shown.shape.slot_of_user[range.clone()];
            let places: Vec<[f32; 3]> =
                (slots.iter()).map(|&slot| [0, 1, 2].map(|k| by_slot[slot as usize][k])).collect();
            let expected = skin.positions(&places, 1);
            let largest = places.as_flattened().iter().fold(0.0, |m: f32, c| m.max(c.abs()));
            let tolerance = crate::stages::skin::gpu::TOLERANCE as f32 * largest * 4.0;
            let of_skin = skin.values(&own[range]);
            let top = of_skin.iter().fold(0.0, |m: f32, v| m.max(v.abs()));
            for (i, want) in expected.iter().enumerate() {
                let slot = first + i;
                assert_eq!(shown.shape.slice_bodies[slot / 32], number as u32);
                let found = by_slot[slot];
                for k in 0..3 {
                    let apart = (found[k] - want[k]).abs();
                    assert!(apart <= tolerance, "{quantity:?} {number} {i}: {found:?} {want:?}");
                }
                if quantity != Quantity::Nothing {
                    let (a, b) = (values_by_slot[slot], of_skin[i]);
                    let is_same = (a - b).abs() <= 2e-6 * top || (a.is_nan() && b.is_nan());
                    assert!(is_same, "{quantity:?} {number} {i}: {a} is not {b}");
                }
            }
            assert!(quantity != Quantity::Speed || top > 0.0, "nothing to see");
            first += expected.len().div_ceil(32) * 32;
        }
        assert_eq!(first, by_slot.len());
        let triangles: usize = (model.bodies.iter())
            .map(|b| b.skin.as_ref().map_or(b.triangles.len(), |skin| skin.triangles.len()))
            .sum();
        assert_eq!(skinned.triangles.len(), triangles);
        assert!(skinned.triangles.iter().flatten().all(|&v| (v as usize) < by_slot.len()));
    }
}
