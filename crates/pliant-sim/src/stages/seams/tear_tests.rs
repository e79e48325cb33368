//! Cloth that tears.

use super::weld::{Cluster, Moving};
use super::{Member, Seams};
use crate::math::Vec3;
use crate::scene::Scene;
use crate::{Backend, Simulator, checkpoint};

const STRETCH: f64 = 100.0;

/// A strip of 0.4 by 0.2 m, held at one end and drawn out at the other, whose edges may tear in a region.
fn strip(region: &str, strength: f64, speed: f64) -> Scene {
    let text = format!(
        "[world]\ntimestep = 0.0005\nbox = false\ngravity = [0, 0, 0]\ndamping = 20\n\
         [[bodies]]\nname = 'strip'\nshape = {{ kind = 'cloth', cells = [8, 4], size = [0.4, 0.2] }}\n\
         material = {{ mass = {{ density = 0.2 }}, stiffness = {{ cloth = {{ stretch = {STRETCH}, shear = 10 }} }}, \
         damping = {{ time = 0.002 }} }}\n\
         locks = [{{ half_space = {{ point = [0.001, 0, 0], normal = [-1, 0, 0] }} }}]\n\
         pins = [{{ region = {{ half_space = {{ point = [0.399, 0, 0], normal = [1, 0, 0] }} }}, \
         motion = {{ velocity = [{speed}, 0, 0] }} }}]\n\
         tears = [{{ region = {region}, strength = {strength} }}]\n"
    );
    Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

/// Across the strip in its middle.
const LINE: &str = "{ box = { min = [0.199, -1, -1], max = [0.201, 1, 1] } }";

fn simulator(scene: &Scene, threads: usize) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
}

#[test]
fn a_strip_tears_at_its_strength_and_holds_below_it() {
    // It would tear at a tenth more than its length.
    let mut sim = simulator(&strip(LINE, 0.1 * STRETCH, 0.02), 1);
    let mut stretch = 0.0;
    while sim.seam_report().unwrap().broken == 0 {
        sim.advance(20).unwrap();
        stretch = 0.02 * sim.time() / 0.4;
        assert!(stretch < 0.2, "{:?}", sim.seam_report());
    }
    assert!((stretch / 0.1 - 1.0).abs() < 0.06, "torn at a stretch of {stretch}");
    // What is left bears more, so that it goes on by itself.
    sim.advance(400).unwrap();
    let report = sim.seam_report().unwrap();
    assert_eq!((report.broken, report.closed), (8, 0));
    sim.advance(2000).unwrap();
    let positions = sim.positions();
    // Vertex 22 is in the middle of the line; its copy is on the other side.
    let gap = positions.iter().map(|x| (x[0] - positions[22][0]).abs()).filter(|gap| *gap > 1e-3);
    assert!(gap.fold(f64::MAX, f64::min) > 0.02);
}

#[test]
fn what_may_tear_but_does_not_moves_as_if_it_could_not() {
    let whole = {
        let mut scene = strip(LINE, 1.0, 0.02);
        scene.bodies[0].tears.clear();
        scene
    };
    let [mut whole, mut welded] = [whole, strip(LINE, 1e6, 0.02)].map(|scene| simulator(&scene, 1));
    for sim in [&mut whole, &mut welded] {
        sim.advance(2000).unwrap();
    }
    assert_eq!(welded.seam_report().unwrap().closed, 8);
    for (v, (a, b)) in whole.positions().iter().zip(welded.positions()).enumerate() {
        let way = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        assert!(way < 2e-4, "vertex {v}: {a:?} {b:?}");
    }
}

#[test]
fn neither_threads_nor_resumes_change_how_it_tears() {
    let scene = strip("'all'", 0.08 * STRETCH, 0.05);
    let mut whole = simulator(&scene, 1);
    let mut bytes = None;
    for _ in 0..100 {
        whole.advance(20).unwrap();
        let report = whole.seam_report().unwrap();
        if bytes.is_none() && report.broken > 0 {
            bytes = Some((whole.step_count(), checkpoint::encode(&whole)));
        }
    }
    let (step, bytes) = bytes.expect("it tears");
    let torn = whole.seam_report().unwrap();
    assert!(torn.broken > 10 && torn.closed > 10, "{torn:?}");
    for threads in [2, 3, 7] {
        let mut sim = simulator(&scene, threads);
        sim.advance(2000).unwrap();
        assert_eq!(sim.hash(), whole.hash(), "{threads} threads");
    }
    let point = checkpoint::decode(&bytes).unwrap();
    let mut resumed = Simulator::resume(&point, Backend::Cpu { threads: 2 }).unwrap();
    resumed.advance(2000 - step).unwrap();
    assert_eq!(resumed.hash(), whole.hash(), "resumed");
}

/// Which pairs give way is decided by numbers that differ in their last digits, so that what is compared is how far
/// tears come.
#[cfg(feature = "gpu")]
#[test]
fn a_device_tears_as_the_cpu_does() {
    let Some(gpu) = pliant_gpu::testing::gpu("tears") else { return };
    for contact in [false, true] {
        let mut scene = strip(LINE, 0.1 * STRETCH, 0.02);
        scene.world.contact = contact.then(Default::default);
        let mut cpu = simulator(&scene, 1);
        let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        assert!(device.gpu().is_some());
        let mut torn_at = [None; 2];
        for step in 0..300 {
            for (sim, torn_at) in [&mut cpu, &mut device].into_iter().zip(&mut torn_at) {
                sim.advance(20).unwrap();
                if sim.seam_report().unwrap().broken > 0 {
                    torn_at.get_or_insert(step);
                }
            }
        }
        let [a, b] = torn_at.map(|step: Option<i32>| step.expect("it tears"));
        assert!((a - b).abs() <= 1, "torn after {a} and {b} looks");
        assert_eq!(cpu.seam_report(), device.seam_report());
        let (x, y) = (cpu.positions(), device.positions());
        let far = |(x, y): (&[f64; 3], &[f64; 3])| (x[0] - y[0]).abs();
        let apart = x.iter().zip(&y).map(far).fold(0.0, f64::max);
        println!("contact {contact}: {apart} m apart");
        assert!(apart < 5e-3, "{apart}");
    }
}

#[test]
fn welds_of_a_row_bear_what_is_behind_them_and_those_of_a_ring_share() {
    let members = [1.0_f32; 4].map(|mass| Member { vertex: 0, body: 0, mass });
    let mut cluster = Cluster::new(&members, |_, m| Moving { mass: m.mass, ..Moving::default() });
    let row = [[0, 1], [1, 2], [2, 3]];
    row.into_iter().for_each(|pair| cluster.join(pair));
    let mut given = [Vec3::zero(); Seams::MOST_MEMBERS];
    // Drawn at both ends.
    (given[0], given[3]) = (Vec3::from([-2.0, 0.0, 0.0]), Vec3::from([2.0, 0.0, 0.0]));
    let of = |welds: &[[usize; 2]], given: &[Vec3<f32>; Seams::MOST_MEMBERS]| -> Vec<f32> {
        let potential = cluster.potentials(welds.iter().copied(), given);
        welds.iter().map(|&[a, b]| (potential[a] - potential[b]).length()).collect()
    };
    assert!(
        of(&row, &given).iter().all(|force| (force - 2.0).abs() < 1e-5),
        "{:?}",
        of(&row, &given)
    );
    // The weld that closes the ring is the short way: three quarters go through it.
    let ring = [[0, 1], [1, 2], [2, 3], [3, 0]];
    let forces = of(&ring, &given);
    assert!((forces[3] - 1.5).abs() < 1e-5 && (forces[0] - 0.5).abs() < 1e-5, "{forces:?}");
}

#[test]
fn what_cannot_tear_is_told() {
    let refused = |scene: Scene| Simulator::new(scene, Backend::Cpu { threads: 1 }).err().unwrap();
    let nothing = strip("{ points = [0] }", 1.0, 0.0);
    assert!(refused(nothing).to_string().contains("tears[0]: no inner edge"));
    let mut solid = strip(LINE, 1.0, 0.0);
    solid.bodies[0].source =
        crate::scene::Source::Shape(crate::scene::Shape::bar([2; 3], [0.4, 0.2, 0.2]));
    solid.bodies[0].material = crate::scene::Material::default();
    assert!(refused(solid).to_string().contains("tears are for surfaces"));
    let mut bad = strip(LINE, 1.0, 0.0);
    bad.bodies[0].tears[0].strength = -1.0;
    assert!(bad.validate().unwrap_err().to_string().contains("tears[0].strength"));
}
