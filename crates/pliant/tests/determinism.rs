//! The same bits: for any number of threads, from run to run, and after going on from a checkpoint.

mod support;

use pliant::checkpoint;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{
    Body, Cloth, Clusters, ColliderMotion, Damping, Integrator, LimitBy, Material, Pin, Region,
    Rotation, Seam, SeamSide, ShapeMatching, ShapeMode, ShapePlasticity, Stiffness, StrainLimit,
    Tear, Wind, World,
};
use pliant::{Backend, Scene, Simulator};
use support::*;

/// Woven cloth that resists bending and is led by a corner; where steps are explicit it is limited and tears, too.
fn banner(integrator: Integrator) -> Body {
    let mut banner = body(shapes::cloth([12, 10], [1.0, 0.8]).unwrap(), rubber(0.5, 50.0));
    banner.name = "banner".into();
    banner.translate = [2.0, -3.0, 1.0];
    let cloth = Cloth { stretch: [60.0; 2], shear: 6.0, bending: 1e-3, ..Cloth::default() };
    banner.material.stiffness = Stiffness::Cloth(cloth);
    banner.locks = vec![Region::Points(vec![0])];
    let motion = ColliderMotion::Steady { velocity: [1.0, 0.0, 0.5], spin: [0.0; 3] };
    banner.pins = vec![Pin { region: Region::Points(vec![142]), motion, about: None }];
    if integrator != Integrator::ImplicitEuler {
        let limit = StrainLimit { stretch: 0.02, by: LimitBy::Position, iterations: 3 };
        banner.strain_limit = Some(limit);
        banner.tears = vec![Tear { region: Region::All, strength: 5.0 }];
    }
    banner
}

/// Bodies that are drawn back to their shapes: by clusters that yield, and by elements.
fn toys() -> [Body; 2] {
    let toy = |name: &str, at: [f64; 3], matching: ShapeMatching| Body {
        name: name.into(),
        translate: at,
        spin: [3.0, 1.0, -2.0],
        shape_matching: Some(matching),
        ..body(shapes::bar([10, 6, 6], [0.6, 0.4, 0.4], Split::Six), Material::default())
    };
    let soft = ShapeMatching {
        mode: ShapeMode::Quadratic,
        clusters: Clusters::Count(7),
        // The world lets springs yield.
        springs: true,
        plasticity: Some(ShapePlasticity { threshold: 0.01, ..ShapePlasticity::default() }),
        ..ShapeMatching::default()
    };
    let hard = ShapeMatching {
        mode: ShapeMode::Rigid,
        clusters: Clusters::Elements,
        springs: true,
        ..ShapeMatching::default()
    };
    [toy("soft toy", [2.5, 2.5, 0.1], soft), toy("hard toy", [-3.5, 2.5, 0.1], hard)]
}

/// A second sheet with an edge beside one of the first, from which it stands off a little more from pair to pair, and the
/// seam that closes the gap: after some steps a part of it is welded.
fn patch(sheet: &Body) -> (Body, Seam) {
    let [x, y, z] = sheet.translate;
    let mut patch = sheet.clone();
    patch.name = "patch".into();
    (patch.translate, patch.rotate) = ([x + 1.006, y, z], Rotation::Euler([0.0, 0.0, -4.0]));
    patch.locks.clear();
    let side =
        |body: &Body, points| SeamSide { body: body.name.clone(), region: Region::Points(points) };
    let seam = Seam {
        name: "seam".into(),
        from: side(sheet, (12 * 11..13 * 11).collect()),
        to: side(&patch, (0..11).collect()),
        force: 0.5,
        time: 0.02,
        weld: true,
        tolerance: None,
        breaks: Some(0.4),
        within: None,
    };
    (patch, seam)
}

/// Several bodies of all kinds, walls, wind, damping and yielding: everything at once.
fn busy(integrator: Integrator) -> Scene {
    let mut big = body(shapes::bar([20, 8, 8], [2.0, 0.8, 0.8], Split::Six), rubber(500.0, 20e3));
    big.name = "big".into();
    big.translate = [-1.0, 0.0, 0.3];
    big.material.damping = Damping::Time(1e-4);
    let mut small = body(small_bar(), rubber(1000.0, 20e3));
    small.name = "small".into();
    small.translate = [0.0, 2.0, 1.0];
    small.spin = [1.0, 2.0, 3.0];
    small.copies = Some(pliant::scene::Copies { count: [3, 2, 1], spacing: [0.6, 0.4, 0.0] });
    let mut sheet = body(shapes::cloth([12, 10], [1.0, 1.0]).unwrap(), rubber(0.5, 50.0));
    sheet.name = "sheet".into();
    sheet.translate = [-2.0, -3.0, 1.0];
    sheet.locks = vec![Region::Points(vec![0])];
    let wind = Some(Wind { velocity: [3.0, 1.0, 0.0], gust: 0.4, ..Wind::default() });
    let world = World { timestep: 5e-4, integrator, plasticity: 0.2, wind, ..World::default() };
    let sewn = patch(&sheet);
    let (mut bodies, mut seams) = (vec![big, small, sheet, banner(integrator)], Vec::new());
    if integrator != Integrator::ImplicitEuler {
        bodies.extend(toys());
        bodies.push(sewn.0);
        seams.push(sewn.1);
    }
    Scene { name: "busy".into(), world, bodies, seams, ..Scene::default() }
}

fn hash_after(scene: &Scene, threads: usize, steps: u64) -> u64 {
    let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
    sim.advance(steps).unwrap();
    sim.hash()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for integrator in [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4] {
        let scene = busy(integrator);
        let one = hash_after(&scene, 1, 300);
        for threads in [2, 3, 4, 7, 16] {
            assert_eq!(one, hash_after(&scene, threads, 300), "{integrator}, {threads} threads");
        }
    }
}

#[test]
fn the_busy_scene_sews_while_it_is_looked_at() {
    let mut sim = simulator(&busy(Integrator::Verlet));
    sim.advance(60).unwrap();
    let early = sim.seam_report_of("seam").unwrap();
    sim.advance(240).unwrap();
    let late = sim.seam_report_of("seam").unwrap();
    assert!(
        early.open > 0 && early.closed > 0 && late.closed + late.broken > early.closed,
        "{early:?}, {late:?}"
    );
}

#[test]
fn how_steps_are_grouped_does_not_matter() {
    let scene = busy(Integrator::Verlet);
    let mut sim = simulator(&scene);
    for steps in [1, 2, 97, 1, 199] {
        sim.step(steps).unwrap();
    }
    assert_eq!(sim.hash(), hash_after(&scene, 2, 300));
    let dragged = |pieces: &[u64]| {
        let mut sim = simulator(&scene);
        assert!(sim.grab([0.0, 0.4, 0.7], 0.3, 0.7, 20.0) > 0);
        if let pliant::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] {
            drag.cursor = [0.3, 0.5, 1.1];
        }
        pieces.iter().for_each(|&n| sim.advance(n).unwrap());
        sim.hash()
    };
    assert_eq!(dragged(&[90]), dragged(&[1, 7, 30, 52]));
}

#[test]
fn resuming_from_a_checkpoint_gives_the_same_bits_for_every_integrator() {
    for integrator in Integrator::ALL {
        let scene = busy(integrator);
        let straight = hash_after(&scene, 2, 60);
        for stop in [0, 1, 31] {
            let mut first = simulator(&scene);
            first.advance(stop).unwrap();
            let bytes = checkpoint::encode(&first);
            let mut second = simulator(&scene);
            second.load(&checkpoint::decode(&bytes).unwrap()).unwrap();
            assert_eq!(first.hash(), second.hash(), "{integrator} at {stop}");
            second.advance(60 - stop).unwrap();
            assert_eq!(second.hash(), straight, "{integrator} from {stop}");
        }
    }
}

#[test]
fn measuring_changes_nothing() {
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet] {
        let scene = busy(integrator);
        let mut sim = simulator(&scene);
        for _ in 0..30 {
            sim.advance(2).unwrap();
            sim.report();
            sim.forces();
            sim.velocities();
            sim.stress();
        }
        assert_eq!(sim.hash(), hash_after(&scene, 2, 60));
    }
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_refused() {
    let mut sim = simulator(&busy(Integrator::Verlet));
    sim.advance(3).unwrap();
    let good = checkpoint::encode(&sim);
    for cut in [0, 5, 8, 40, good.len() / 2, good.len() - 1] {
        assert!(checkpoint::decode(&good[..cut]).is_err(), "cut at {cut}");
    }
    for at in (0..good.len()).step_by(good.len() / 50) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        assert!(checkpoint::decode(&bad).is_err(), "flipped byte {at}");
    }
    let other = scene(body(small_bar(), rubber(1000.0, 20e3)), World::default());
    let error = simulator(&other).load(&checkpoint::decode(&good).unwrap()).unwrap_err();
    assert!(error.to_string().contains("another model"), "{error}");
}
