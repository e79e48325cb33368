use super::weld::{Cluster, Moving};
use super::{Member, SeamReport, Seams};
use crate::math::Vec3;
use crate::scene::{Integrator, Scene};
use crate::{Backend, Simulator, checkpoint};

/// Two square panels beside each other, with a gap between an edge of each.
fn panels(seam: &str, more: &str) -> Scene {
    let panel = |name: &str, x: f64| {
        format!(
            "[[bodies]]\nname = '{name}'\nshape = {{ kind = 'cloth', cells = [8, 6], size = [0.4, 0.3] }}\n\
             translate = [{x}, 0, 1]\n\
             material = {{ mass = {{ density = 0.2 }}, stiffness = {{ cloth = {{ stretch = 60, shear = 6 }} }}, \
             damping = {{ time = 0.002 }} }}\n"
        )
    };
    let text = format!(
        "[world]\ntimestep = 0.0005\nbox = false\ngravity = [0, 0, 0]\n{more}\n{}{}\
         [[seams]]\nname = 'middle'\nfrom = {{ body = 'left', region = {{ half_space = {{ point = [0.399, 0, 0], \
         normal = [1, 0, 0] }} }} }}\nto = {{ body = 'right', region = {{ half_space = {{ point = [0.501, 0, 0], \
         normal = [-1, 0, 0] }} }} }}\n{seam}\n",
        panel("left", 0.0),
        panel("right", 0.5)
    );
    Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn simulator(scene: &Scene, threads: usize) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
}

/// The widest gap between vertices of the two edges that are sewn \[m\].
fn widest_gap(sim: &Simulator) -> f64 {
    let (x, model) = (sim.positions(), sim.model());
    let user =
        |member: u32| model.vertex_order[model.seams.members[member as usize].vertex as usize];
    let gap = |ends: [u32; 2]| {
        let [a, b] = ends.map(|end| x[user(end) as usize]);
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    };
    model.seams.pairs.iter().map(|pair| gap(pair.ends)).fold(0.0, f64::max)
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

#[test]
fn a_seam_closes_and_welds_in_every_explicit_integrator() {
    for integrator in Integrator::EXPLICIT {
        for contact in ["", "contact = true"] {
            let mut scene = panels("force = 0.05", contact);
            scene.world.integrator = integrator;
            let mut sim = simulator(&scene, 1);
            assert_eq!(sim.seam_report(), Some(SeamReport { open: 7, closed: 0, broken: 0 }));
            sim.advance(1600).unwrap();
            let report = sim.seam_report().unwrap();
            assert_eq!(report, SeamReport { open: 0, closed: 7, broken: 0 }, "{integrator}");
            assert!(widest_gap(&sim) < 1e-6, "{integrator}: {} m", widest_gap(&sim));
            assert_eq!(sim.crossings().unwrap(), [], "what is sewn touches, and does not cross");
            // Nothing acts from outside: momentum stays, and so does the middle.
            let report = sim.report();
            let mass = 2.0 * 0.2 * 0.4 * 0.3;
            assert!(length(report.momentum) < 1e-5 * mass, "{integrator}: {report:?}");
            let middle = report.center_of_mass;
            assert!((middle[0] - 0.45).abs() < 1e-5, "{integrator}: {middle:?}");
        }
    }
}

/// Two panels that are held at their outer edges have to be stretched by an eighth: what suffices for that closes the
/// seam whole, and what does not stretches them as far as it can.
#[test]
fn taut_cloth_is_sewn_where_the_force_suffices() {
    let sewn = |force: f64| {
        let mut scene = panels(&format!("force = {force}"), "damping = 4");
        let edge = |x: f64, side: f64| {
            toml_region(&format!(
                "{{ half_space = {{ point = [{x}, 0, 0], normal = [{side}, 0, 0] }} }}"
            ))
        };
        scene.bodies[0].locks = vec![edge(0.001, -1.0)];
        scene.bodies[1].locks = vec![edge(0.899, 1.0)];
        let mut sim = simulator(&scene, 1);
        sim.advance(6000).unwrap();
        (sim.seam_report().unwrap(), widest_gap(&sim))
    };
    // 60 N/m · 1/8 over rows 5 cm apart.
    let tension = 60.0 / 8.0 * 0.05;
    let (report, gap) = sewn(1.5 * tension);
    assert_eq!(report, SeamReport { open: 0, closed: 7, broken: 0 }, "{gap} m");
    let (report, gap) = sewn(0.5 * tension);
    assert_eq!(report.open, 7);
    // Half of the force closes half of the gap; the rows at the sides have half as much cloth, and pull the others on.
    assert!((0.03..0.055).contains(&gap), "{gap} m");
}

#[test]
fn momentum_is_kept_while_panels_of_other_masses_are_sewn() {
    let mut scene = panels("force = 0.05", "damping = 0");
    scene.bodies[1].material.mass = crate::scene::Mass::Density(0.7);
    scene.bodies[1].velocity = [0.0, 0.3, 0.1];
    let mut sim = simulator(&scene, 1);
    let before = sim.report().momentum;
    sim.advance(2000).unwrap();
    let after = sim.report().momentum;
    assert_eq!(sim.seam_report().unwrap().closed, 7);
    let change = length(std::array::from_fn(|k| after[k] - before[k]));
    assert!(change < 1e-5 * length(before), "{before:?} to {after:?}");
}

#[test]
fn neither_threads_nor_resumes_in_the_middle_change_a_bit() {
    let mut scene = panels("force = 0.05\nbreaks = 0.2", "contact = true\ndamping = 0.2");
    scene.bodies.iter_mut().for_each(|body| {
        body.material.damping = crate::scene::Damping::Time(1e-4);
        body.source = crate::scene::Source::Shape(crate::scene::Shape::Cloth {
            cells: [48, 36],
            size: [0.4, 0.3],
        });
    });
    scene.world.timestep = 1e-4;
    // Some are welded then, and some are not.
    scene.bodies[1].translate[0] = 0.445;
    (scene.seams[0].time, scene.seams[0].tolerance) = (0.03, Some(3e-4));
    scene.bodies[1].rotate = crate::scene::Rotation::Euler([0.0, 0.0, 8.0]);
    scene.seams[0].to.region = crate::scene::Region::Points((0..37).collect());
    scene.seams[0].from.region = crate::scene::Region::Points((48 * 37..49 * 37).collect());
    let mut whole = simulator(&scene, 1);
    whole.advance(900).unwrap();
    let in_the_middle = whole.seam_report().unwrap();
    assert!(in_the_middle.open > 0 && in_the_middle.closed > 0, "{in_the_middle:?}");
    let bytes = checkpoint::encode(&whole);
    whole.advance(600).unwrap();
    let hash = whole.state().hash();
    for threads in [2, 3, 7] {
        let mut sim = simulator(&scene, threads);
        sim.advance(1500).unwrap();
        assert_eq!(sim.state().hash(), hash, "{threads} threads");
        let point = checkpoint::decode(&bytes).unwrap();
        let mut resumed = Simulator::resume(&point, Backend::Cpu { threads }).unwrap();
        assert_eq!(resumed.seam_report(), Some(in_the_middle));
        resumed.advance(600).unwrap();
        assert_eq!(resumed.state().hash(), hash, "resumed with {threads} threads");
    }
}

/// A strip of two pieces that are sewn together hangs as one that was never cut.
#[test]
fn a_sewn_strip_hangs_like_an_uncut_one() {
    let held = "locks = [{ half_space = { point = [0.001, 0, 0], normal = [-1, 0, 0] } }]\n";
    let material = "material = { mass = { density = 0.5 }, stiffness = { cloth = { stretch = 20, shear = 5 } }, \
                    damping = { time = 0.01 } }\n";
    let world = "[world]\ntimestep = 0.0005\nbox = false\ngravity = [9.81, 0, 0]\ndamping = 4\n";
    let piece = |name: &str, cells: u32, x: f64| {
        let size = 0.05 * f64::from(cells);
        format!(
            "[[bodies]]\nname = '{name}'\nshape = {{ kind = 'cloth', cells = [{cells}, 2], size = [{size}, 0.1] }}\n\
             translate = [{x}, 0, 0]\n{material}"
        )
    };
    let seam = "[[seams]]\nname = 's'\nforce = 1\nwithin = 0.001\nfrom = { body = 'a', region = 'all' }\n\
                to = { body = 'b', region = 'all' }\n";
    let uncut = format!("{world}{}{held}", piece("a", 12, 0.0));
    let sewn = format!("{world}{}{held}{}{seam}", piece("a", 6, 0.0), piece("b", 6, 0.3));
    for (integrator, timestep, steps, most) in
        [(Integrator::Verlet, 5e-4, 8000, 0.02), (Integrator::ImplicitEuler, 0.02, 200, 1e-3)]
    {
        let [uncut, sewn] = [&uncut, &sewn].map(|text| {
            let mut scene = Scene::from_toml(text, "test").unwrap_or_else(|e| panic!("{e}"));
            (scene.world.integrator, scene.world.timestep) = (integrator, timestep);
            let mut sim = simulator(&scene, 1);
            sim.advance(steps).unwrap();
            sim
        });
        assert_eq!(sewn.seam_report().unwrap().closed, 3);
        let lowest = |sim: &Simulator| sim.positions().iter().map(|x| x[0]).fold(0.0, f64::max);
        let stretch = [&uncut, &sewn].map(|sim| lowest(sim) / 0.6 - 1.0);
        println!("{integrator}: {stretch:?}");
        assert!(stretch[0] > 0.04, "{stretch:?}");
        assert!((stretch[1] / stretch[0] - 1.0).abs() < most, "{integrator}: {stretch:?}");
    }
}

/// Two panels are drawn apart, ever harder: the seam gives way at its strength.
#[test]
fn a_seam_breaks_at_the_force_given() {
    let breaks = 0.02;
    let mut scene =
        panels(&format!("force = 0.05\nbreaks = {breaks}\ntolerance = 0.2"), "damping = 5");
    let pin = |region: &str, speed: f64| {
        let text = format!("region = {region}\nmotion = {{ velocity = [{speed}, 0, 0] }}");
        toml::from_str::<crate::scene::Pin>(&text).unwrap()
    };
    let edge = |x: f64, side: f64| {
        format!("{{ half_space = {{ point = [{x}, 0, 0], normal = [{side}, 0, 0] }} }}")
    };
    // Edges side by side from the start, so that nothing is stretched then.
    scene.bodies[1].translate[0] = 0.4;
    scene.seams[0].to.region = toml_region(&edge(0.401, -1.0));
    scene.bodies[0].pins = vec![pin(&edge(0.001, -1.0), 0.0)];
    scene.bodies[1].pins = vec![pin(&edge(0.799, 1.0), 0.004)];
    let mut sim = simulator(&scene, 1);
    let mut pulled: f64 = 0.0;
    for _ in 0..400 {
        sim.advance(20).unwrap();
        if sim.seam_report().unwrap().broken > 0 {
            break;
        }
        // All that holds the pinned edge comes through the seam; rows share it evenly, but for the outermost, which
        // have half as much cloth behind them.
        let forces = sim.forces();
        let held: f64 = forces[..7].iter().map(|force| f64::from(force[0])).sum();
        pulled = held.abs() / 6.0;
    }
    let report = sim.seam_report().unwrap();
    assert!(report.broken > 0, "{report:?} at {pulled} N");
    assert!((pulled / breaks - 1.0).abs() < 0.05, "{pulled} N instead of {breaks} N");
}

/// Open pairs, welded ones and such that break, in bodies with origins of their own, without contact and with it.
#[cfg(feature = "gpu")]
#[test]
fn a_device_sews_as_the_cpu_does() {
    let Some(gpu) = pliant_gpu::testing::gpu("seams") else { return };
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4] {
        // What breaks touches itself at first, in directions that are rounding: with contact nothing does.
        for (seam, contact) in
            [("force = 0.05\nbreaks = 0.05", ""), ("force = 0.05", "contact = true")]
        {
            let mut scene = panels(seam, contact);
            scene.world.integrator = integrator;
            scene.bodies[1].rotate = crate::scene::Rotation::Euler([0.0, 0.0, 12.0]);
            scene.seams[0].to.region = crate::scene::Region::Points((0..7).collect());
            scene.bodies[1].velocity = [0.0, 0.2, 0.1];
            let mut cpu = simulator(&scene, 1);
            let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
            assert!(device.gpu().is_some());
            let mut seen = [false; 2];
            for step in 0..16 {
                for sim in [&mut cpu, &mut device] {
                    sim.advance(100).unwrap();
                    if step == 12 && contact.is_empty() {
                        assert!(sim.open_seam("middle"));
                    }
                }
                let [a, b] = [cpu.state(), device.state()];
                assert_eq!(a.seams, b.seams, "{integrator}, step {step}");
                assert_eq!(cpu.report().seams, device.report().seams);
                let most = |a: &[[f32; 3]], b: &[[f32; 3]]| {
                    let pairs = a.iter().flatten().zip(b.iter().flatten());
                    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
                };
                let apart = [most(&a.position, &b.position), most(&a.velocity, &b.velocity)];
                println!("{integrator}, {contact}, {step}: {apart:?}, {:?}", cpu.seam_report());
                assert!(apart[0] < 2e-5 && apart[1] < 1e-2, "{integrator}, {step}: {apart:?}");
                let report = cpu.seam_report().unwrap();
                seen[0] |= report.open > 0 && report.closed > 0;
                seen[1] |= report.broken > 0;
            }
            assert_eq!(seen, [true, contact.is_empty()]);
            // A state goes back and forth.
            let bytes = checkpoint::encode(&device);
            let point = checkpoint::decode(&bytes).unwrap();
            let resumed = Simulator::resume(&point, Backend::Device(gpu.clone())).unwrap();
            assert_eq!(resumed.seam_report(), device.seam_report());
        }
    }
}

/// The same steps for a strip that is sewn and for one that was never cut: a weld is no softer than a vertex.
#[test]
fn long_steps_know_no_seam_in_what_is_welded() {
    let strip = |cut: bool| {
        let piece = |name: &str, cells: u32, x: f64, more: &str| {
            let size = 0.05 * f64::from(cells);
            format!(
                "[[bodies]]\nname = '{name}'\nshape = {{ kind = 'cloth', cells = [{cells}, 2], size = [{size}, 0.1] }}\n\
                 translate = [{x}, 0, 0]\nmaterial = {{ mass = {{ density = 0.3 }}, \
                 stiffness = {{ cloth = {{ stretch = 300, shear = 30 }} }}, damping = {{ time = 0.001 }} }}\n{more}"
            )
        };
        let held = "locks = [{ half_space = { point = [0.001, 0, 0], normal = [-1, 0, 0] } }]\n";
        let world = "[world]\nintegrator = 'implicit-euler'\ntimestep = 0.01\nbox = false\ndamping = 1\n\
                     implicit = { tolerance = 1e-6 }\n";
        let seam = "[[seams]]\nname = 's'\nforce = 1\nwithin = 0.001\nfrom = { body = 'a', region = 'all' }\n\
                    to = { body = 'b', region = 'all' }\n";
        let text = match cut {
            true => format!("{world}{}{}{seam}", piece("a", 6, 0.0, held), piece("b", 6, 0.3, "")),
            false => format!("{world}{}", piece("a", 12, 0.0, held)),
        };
        let scene = Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"));
        let mut sim = simulator(&scene, 1);
        sim.advance(60).unwrap();
        sim
    };
    let (uncut, mut sewn) = (strip(false), strip(true));
    assert_eq!(sewn.seam_report().unwrap().closed, 3);
    let tip = |sim: &Simulator| {
        let x = sim.positions();
        *x.last().unwrap()
    };
    let (a, b) = (tip(&uncut), tip(&sewn));
    println!("{a:?} {b:?}");
    // It swings down: both are far from where they began, and at the same place.
    let apart = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    assert!(a[2] < -0.3 && apart < 5e-3, "{a:?} {b:?}");
    assert!(widest_gap(&sewn) < 1e-6);
    assert_eq!(sewn.report().substeps, 1);
}

#[test]
fn a_seam_closes_and_welds_in_long_steps() {
    let mut hashes = Vec::new();
    for threads in [1, 2, 5] {
        for contact in ["", "contact = true"] {
            let mut scene = panels("force = 0.05", contact);
            (scene.world.integrator, scene.world.timestep) = (Integrator::ImplicitEuler, 0.01);
            let mut sim = simulator(&scene, threads);
            sim.advance(20).unwrap();
            let bytes = checkpoint::encode(&sim);
            sim.advance(80).unwrap();
            let report = sim.seam_report().unwrap();
            assert_eq!(
                report,
                SeamReport { open: 0, closed: 7, broken: 0 },
                "{}",
                widest_gap(&sim)
            );
            assert!(widest_gap(&sim) < 1e-6, "{} m", widest_gap(&sim));
            let report = sim.report();
            let mass = 2.0 * 0.2 * 0.4 * 0.3;
            assert!(length(report.momentum) < 1e-4 * mass, "{report:?}");
            assert!((report.center_of_mass[0] - 0.45).abs() < 1e-4, "{report:?}");
            let point = checkpoint::decode(&bytes).unwrap();
            let mut resumed = Simulator::resume(&point, Backend::Cpu { threads }).unwrap();
            resumed.advance(80).unwrap();
            assert_eq!(resumed.hash(), sim.hash(), "resumed");
            hashes.push(sim.hash());
        }
    }
    assert!(hashes.chunks(2).all(|two| two == &hashes[..2]), "{hashes:?}");
}

/// Two panels are sewn, sag and fold at their seam as they are pressed together, and nothing ever crosses.
#[test]
fn what_is_sewn_never_crosses_where_that_is_guaranteed() {
    let mut scene = panels("force = 0.05", "contact = { guarantee = true }\ndamping = 0.2");
    scene.world.gravity = [0.0, 0.0, -3.0];
    scene.bodies[1].rotate = crate::scene::Rotation::Euler([0.0, 0.0, 25.0]);
    scene.seams[0].to.region = crate::scene::Region::Points((0..7).collect());
    scene.bodies[1].translate[0] = 0.56;
    // The outer edges are led towards each other, so that the cloth folds at its seam.
    let pin = |points: std::ops::Range<u32>, speed: f64| {
        let points: Vec<u32> = points.collect();
        let text = format!(
            "region = {{ points = {points:?} }}\nmotion = {{ velocity = [{speed}, 0, 0] }}"
        );
        toml::from_str::<crate::scene::Pin>(&text).unwrap()
    };
    scene.bodies[0].pins = vec![pin(0..7, 0.15)];
    scene.bodies[1].pins = vec![pin(56..63, -0.15)];
    let mut hashes = Vec::new();
    for threads in [1, 3] {
        let mut sim = simulator(&scene, threads);
        for look in 0..40 {
            sim.advance(100).unwrap();
            assert_eq!(sim.crossings().unwrap(), [], "look {look}, {:?}", sim.seam_report());
        }
        let guard = sim.report().contact.unwrap().guarantee.unwrap();
        assert_eq!((guard.crossings, guard.withdrawn), (0, 0));
        assert_eq!(sim.seam_report(), Some(SeamReport { open: 0, closed: 7, broken: 0 }));
        assert!(widest_gap(&sim) < 1e-6, "{} m", widest_gap(&sim));
        hashes.push(sim.hash());
    }
    assert_eq!(hashes[0], hashes[1]);
}

fn toml_region(text: &str) -> crate::scene::Region {
    #[derive(serde::Deserialize)]
    struct Holder {
        region: crate::scene::Region,
    }
    toml::from_str::<Holder>(&format!("region = {text}")).unwrap().region
}

#[test]
fn seams_are_opened_and_closed_on_request() {
    let mut sim = simulator(&panels("force = 0.05", ""), 1);
    sim.advance(1600).unwrap();
    assert!(!sim.open_seam("other") && sim.open_seam("middle"));
    assert_eq!(sim.seam_report_of("middle").unwrap().broken, 7);
    let state = sim.state();
    sim.reset();
    assert_eq!(sim.seam_report().unwrap().open, 7, "from the start");
    sim.set_state(&state);
    assert_eq!(sim.seam_report().unwrap().broken, 7);
    assert!(sim.close_seam("middle"));
    sim.advance(400).unwrap();
    assert_eq!(sim.seam_report().unwrap().closed, 7);
}

#[test]
fn locked_members_hold_the_others_and_clusters_move_as_one() {
    let member = |mass: f32| Member { vertex: 0, body: 0, mass };
    let members = [member(1.0), member(3.0), member(2.0), member(0.0), member(1.0)];
    let moving = |i: usize, m: &Member| Moving {
        x: Vec3::from([i as f32, 0.0, 0.0]),
        v: Vec3::from([0.0, i as f32, 0.0]),
        mass: m.mass,
        ..Moving::default()
    };
    let mut cluster = Cluster::new(&members, moving);
    cluster.join([2, 0]);
    cluster.join([1, 2]);
    cluster.join([4, 3]);
    let given = cluster.unite();
    // (0·1 + 1·3 + 2·2) / 6
    let mean = 7.0 / 6.0;
    for i in [0, 1, 2] {
        assert!((cluster.members[i].x.x - mean).abs() < 1e-6, "{:?}", cluster.members[i]);
        assert!((cluster.members[i].v.y - mean).abs() < 1e-6, "{:?}", cluster.members[i]);
    }
    let sum = given[0] + given[1] + given[2];
    assert!(sum.length() < 1e-6, "{sum:?}");
    assert_eq!(cluster.members[4].x, cluster.members[3].x);
    assert_eq!(cluster.members[3].x.x, 3.0);
    assert_eq!(Seams::default().corners(7), [0; 0]);
}

#[test]
fn what_cannot_be_sewn_is_named() {
    let bodies = "[[bodies]]\nname = 'a'\nshape = { kind = 'cloth', cells = [3, 3], size = [1, 1] }\n\
                  [[bodies]]\nname = 'b'\nshape = { kind = 'cloth', cells = [4, 4], size = [1, 1] }\n";
    let refused = |from: &str, to: &str, more: &str| {
        let text = format!("{bodies}[[seams]]\nname = 'hem'\nfrom = {from}\nto = {to}\n{more}");
        match Scene::from_toml(&text, "test") {
            Ok(scene) => match Simulator::new(scene, Backend::Cpu { threads: 1 }) {
                Ok(_) => "sewn".into(),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        }
    };
    let a = "{ body = 'a', region = { points = [0, 1, 2] } }";
    let b = "{ body = 'b', region = { points = [0, 1, 2] } }";
    let left = "{ half_space = { point = [0.01, 0, 0], normal = [-1, 0, 0] } }";
    let edge = |body: &str| format!("{{ body = '{body}', region = {left} }}");
    for (from, to, more, message) in [
        (a, b, "force = 1", "sewn"),
        (a, "{ body = 'c', region = 'all' }", "force = 1", "there is no body \"c\""),
        (a, "{ body = 'b', region = { group = 'hem' } }", "force = 1", "no group \"hem\""),
        (
            a,
            "{ body = 'b', region = { points = [] } }",
            "force = 1",
            "no vertex of \"b\" lies there",
        ),
        (a, "{ body = 'b', region = { points = [1, 1, 2] } }", "force = 1", "point 1 stands twice"),
        (a, a, "force = 1", "sewn to itself"),
        (&edge("a"), &edge("b"), "force = 1", "one edge has 4 vertices and the other 5"),
        (a, "{ body = 'b', region = 'all' }", "force = 1", "along one line of edges"),
        (a, b, "force = -1", "`seams[0].force`"),
        (a, b, "force = 1\nwithin = 1e-9\n", "sewn"),
        (
            a,
            "{ body = 'b', region = { points = [23, 24] } }",
            "force = 1\nwithin = 0.01",
            "near enough",
        ),
        (a, b, "force = 1\n[world]\nintegrator = 'implicit-euler'", "sewn"),
        (a, b, "force = 1\nbreaks = 2\n[world]\nintegrator = 'implicit-euler'", "no seam breaks"),
        (
            a,
            b,
            "force = 1\n[world]\nintegrator = 'implicit-euler'\nimplicit = { newton_iterations = 3 }",
            "newton_iterations",
        ),
        (a, b, "force = 1\n[[actions]]\nopen = { seam = 'him' }", "there is no seam \"him\""),
    ] {
        let error = refused(from, to, more);
        assert!(error.contains(message), "{error}\nlacks {message:?}");
    }
}
