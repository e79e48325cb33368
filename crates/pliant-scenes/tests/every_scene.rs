//! Every named scene runs to its end, stays whole and ends as its description says.

use std::path::PathBuf;

use pliant_session::{Message, Session};
use pliant_sim::scene::{
    Action, ActionKind, Body, Collider, ColliderShape, Drag, DragMotion, Shape, Source,
};
use pliant_sim::{Backend, Scene, StepReport};

struct Ended {
    start: StepReport,
    report: StepReport,
    session: Session,
}

/// Runs a named scene to its end.
fn end_of(name: &str) -> Ended {
    run_out(name, (pliant_scenes::find(name).unwrap().build)())
}

/// One of the scenes in files.
fn file(name: &str) -> Scene {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    Scene::load(folder.join(format!("{name}.toml"))).unwrap()
}

fn run_out(name: &str, scene: Scene) -> Ended {
    let steps = scene.run.step_count(scene.world.timestep).unwrap();
    // The tests share the cores; the result does not depend on it.
    let mut session = Session::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    session.check_timestep();
    let start = session.simulator_mut().report();
    session.advance(steps).unwrap();
    let messages = session.remote().messages();
    assert!(!messages.iter().any(|m| matches!(m, Message::Warning(_))), "{name}: {messages:?}");
    assert!(session.simulator().positions().as_flattened().iter().all(|c| c.is_finite()));
    let report = session.simulator_mut().report();
    assert_eq!(report.inverted_count, 0, "{name}");
    Ended { start, report, session }
}

/// Kinetic energy is below `part` of what the fall set free.
fn is_at_rest(ended: &Ended, part: f64) {
    let fallen = ended.start.energy.gravity - ended.report.energy.gravity;
    let kinetic = ended.report.energy.kinetic;
    assert!(fallen > 0.0 && kinetic < part * fallen, "{kinetic} J of {fallen} J");
}

/// The box round a body \[m\].
fn bounds(session: &Session, body: usize) -> [[f64; 3]; 2] {
    let vertices = session.simulator().model().bodies[body].vertices.clone();
    let positions = session.simulator().positions();
    let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for p in vertices.map(|v| positions[v as usize]) {
        corners[0] = std::array::from_fn(|k| corners[0][k].min(p[k]));
        corners[1] = std::array::from_fn(|k| corners[1][k].max(p[k]));
    }
    corners
}

/// Lowest and highest z of a body \[m\].
fn heights(session: &Session, body: usize) -> [f64; 2] {
    bounds(session, body).map(|corner| corner[2])
}

#[test]
fn jelly_blocks_come_to_rest_the_softer_the_flatter() {
    let still = Scene { actions: Vec::new(), ..(pliant_scenes::find("jelly").unwrap().build)() };
    let ended = run_out("jelly", still);
    is_at_rest(&ended, 0.001);
    let blocks = [0, 1, 2, 3].map(|b| heights(&ended.session, b));
    for [low, high] in blocks {
        assert!(low.abs() < 1e-3 && (0.15..0.205).contains(&high), "{low} {high}");
    }
    assert!(blocks.is_sorted_by(|a, b| a[1] < b[1]), "{blocks:?}");
}

#[test]
fn shaken_jelly_blocks_stay_on_the_table() {
    let ended = end_of("jelly");
    for block in 0..4 {
        let [low, high] = heights(&ended.session, block);
        assert!(low.abs() < 0.02 && high < 0.3, "block {block}: {low} {high}");
    }
}

#[test]
fn the_bunny_sits_again_after_it_was_pulled() {
    let ended = end_of("bunny");
    let [low, high] = heights(&ended.session, 0);
    assert!(low.abs() < 0.01 && (0.5..0.65).contains(&high), "{low} {high}");
    assert!(ended.report.max_speed < 2.0, "{}", ended.report.max_speed);
}

#[test]
fn the_hanging_bar_swings_out_below_its_ends() {
    let ended = end_of("hanging-bar");
    let [low, high] = heights(&ended.session, 0);
    assert!((high - 0.6).abs() < 0.02, "its ends are fixed: {high}");
    assert!((0.3..0.5).contains(&low), "its middle sags: {low}");
    assert!(ended.report.max_speed < 3.0, "{}", ended.report.max_speed);
}

#[test]
fn the_dents_stay() {
    let ended = end_of("dent");
    let positions = ended.session.simulator().positions();
    // The vertex that was nearest to a place on top of the block, which was 0.22 m high.
    let rest = pliant_mesh::shapes::bar([16, 16, 6], [0.6, 0.6, 0.22], Default::default());
    let top = |x: f64, y: f64| {
        let distance = |p: [f64; 3]| (p[0] - 0.3 - x).hypot(p[1] - 0.3 - y) + (p[2] - 0.22).abs();
        let nearest = (0..rest.points.len())
            .min_by(|a, b| distance(rest.points[*a]).total_cmp(&distance(rest.points[*b])));
        positions[nearest.unwrap()][2]
    };
    let rim = top(0.3, -0.3);
    assert!(rim > 0.2, "{rim}");
    for [x, y] in [[-0.13, 0.11], [0.13, 0.09], [-0.02, -0.12]] {
        let middle = top(x, y);
        assert!(middle < rim - 0.025, "the dent is gone: {middle} m beside {rim} m");
    }
    assert!(ended.report.max_speed < 0.2);
}

#[test]
fn the_crowd_lands_and_jostles() {
    let mut scene = (pliant_scenes::find("crowd").unwrap().build)();
    scene.run.duration = Some(0.8);
    let ended = run_out("crowd", scene);
    let bodies = ended.session.simulator().model().bodies.len();
    assert_eq!(bodies, 100);
    assert!(!ended.session.simulator().contact_pairs().is_empty(), "nobody touches anybody");
    for body in 0..bodies {
        let [low, high] = heights(&ended.session, body);
        assert!((-1e-3..0.2).contains(&low) && high < 0.5, "body {body}: {low} {high}");
    }
}

/// The mean force of the bodies on each collider while a scene goes on for so many steps \[N\]: what stands still
/// swings a little.
fn forces(ended: &mut Ended, steps: u64) -> Vec<[f64; 3]> {
    let count = ended.session.simulator().scene().colliders.len();
    let mut sum = vec![[0.0; 3]; count];
    for _ in 0..steps {
        ended.session.advance(1).unwrap();
        let now = ended.session.simulator_mut().collider_forces();
        for (sum, force) in sum.iter_mut().zip(now) {
            (0..3).for_each(|k| sum[k] += force[k] / steps as f64);
        }
    }
    sum
}

/// Mass of everything times gravity \[N\].
fn weight(ended: &Ended) -> f64 {
    let mass = &ended.session.simulator().model().mass;
    9.81 * mass.iter().map(|&m| f64::from(m)).sum::<f64>()
}

#[test]
fn the_bowl_carries_the_pile() {
    let mut ended = end_of("bowl");
    let carried = -forces(&mut ended, 100)[0][2] / weight(&ended);
    assert!((0.9..1.1).contains(&carried), "{carried} of the weight");
    assert!(ended.report.contact.unwrap().contacts > 10);
}

#[test]
fn the_press_squeezes_and_lets_go() {
    let mut scene = (pliant_scenes::find("press").unwrap().build)();
    scene.run.duration = Some(2.05);
    let mut pressed = run_out("press", scene);
    let (forces_now, weight) = (forces(&mut pressed, 500), weight(&pressed));
    let (down, up) = (-forces_now[0][2], forces_now[1][2]);
    assert!(up > 0.8 * weight, "{up} N");
    assert!((down - up - weight).abs() < 0.03 * down, "{down} N below, {up} N above, {weight} N");
    let mut ended = end_of("press");
    let [low, high] = heights(&ended.session, 0);
    assert!((0.24..0.31).contains(&(high - low)), "{low} {high}");
    assert_eq!(forces(&mut ended, 1)[1], [0.0; 3]);
}

#[test]
fn the_ball_ends_in_the_valley() {
    let ended = end_of("hills");
    let [low, high] = bounds(&ended.session, 0);
    assert!(low[0] > 0.2 && high[0] < 1.2 && low[2] > 0.0, "{low:?} {high:?}");
}

#[test]
fn the_chain_holds() {
    let mut ended = end_of("chain");
    let heights = [0, 1, 2, 3, 4].map(|ring| heights(&ended.session, ring)[0]);
    assert!(heights.is_sorted_by(|a, b| a > b), "{heights:?}");
    assert!(heights[4] > 0.05, "it hangs free: {heights:?}");
    // The second ring carries all below it.
    let model = ended.session.simulator().model();
    let mass = |body: &pliant_sim::model::BodyModel| -> f64 {
        body.vertices.clone().map(|v| f64::from(model.mass[v as usize])).sum()
    };
    let hanging = 9.81 * model.bodies[1..].iter().map(mass).sum::<f64>();
    let pairs = ended.session.simulator_mut().contact_pairs();
    let pull = pairs.iter().find(|pair| pair.bodies == [0, 1]).map(|pair| -pair.force[2]);
    assert!(pull.is_some_and(|pull| (0.3..3.0).contains(&(pull / hanging))), "{pull:?} {hanging}");
}

#[test]
fn one_cloth_hangs_over_the_ball_and_the_other_carries_balls() {
    let ended = end_of("drape");
    let [low, high] = heights(&ended.session, 0);
    let [_, top] = heights(&ended.session, 1);
    assert!((0.0..0.02).contains(&(high - top)) && low < 0.3, "{low} {high} over {top}");
    let [_, rim] = heights(&ended.session, 2);
    for ball in 3..7 {
        let [low, _] = heights(&ended.session, ball);
        assert!(low > 0.1 && low < rim, "{low}");
    }
}

#[test]
fn the_tablecloth_hangs_in_folds_and_does_not_stretch() {
    let ended = end_of("tablecloth");
    let [low, high] = heights(&ended.session, 0);
    // A corner is 0.78 m from the middle, and the rim of the table 0.35.
    assert!((0.52..0.54).contains(&high) && (0.05..0.11).contains(&low), "{low} {high}");
    let sim = ended.session.simulator();
    let (x, model) = (sim.positions(), sim.model());
    // Its rim goes in and out: folds.
    let far = |v: usize| x[v][0].hypot(x[v][1]);
    let hanging: Vec<usize> = (0..x.len()).filter(|&v| x[v][2] < 0.45).collect();
    let out = hanging.iter().map(|&v| far(v)).fold(0.0, f64::max);
    let inward = hanging.iter().map(|&v| far(v)).fold(f64::INFINITY, f64::min);
    assert!(out - inward > 0.06 && inward > 0.25, "{inward} to {out}");
    // Threads of the weave, which are edges along x and y, hardly get longer.
    let side = 49;
    let stretch = |a: usize, b: usize| {
        let d = (0..3).map(|k| (x[a][k] - x[b][k]).powi(2)).sum::<f64>().sqrt();
        d / (1.1 / 48.0) - 1.0
    };
    let longest = (0..x.len() - side).map(|v| stretch(v, v + side)).fold(0.0, f64::max);
    assert!(longest < 0.03, "{longest}");
    assert_eq!(model.vertex_count(), side * side);
}

#[test]
fn the_flag_streams_with_the_wind_and_flutters() {
    let ended = end_of("flag");
    let x = ended.session.simulator().positions();
    let scene = (pliant_scenes::find("flag").unwrap().build)();
    let start = Session::new(scene, Backend::Cpu { threads: 1 }).unwrap().simulator().positions();
    let began = |from: f64, to: f64| {
        x.iter().zip(&start).filter(move |(_, p)| (from..to).contains(&p[0])).map(|(x, _)| *x)
    };
    // It is carried by the wind, which blows along x, and not by anything else.
    let fly: Vec<[f64; 3]> = began(0.89, 0.91).collect();
    let mean: f64 = fly.iter().map(|p| p[0]).sum::<f64>() / fly.len() as f64;
    assert!((0.5..0.95).contains(&mean), "{mean}");
    // It moves, in waves.
    let across = |pick: fn(f64, f64) -> f64, none: f64| x.iter().map(|p| p[1]).fold(none, pick);
    let wave = across(f64::max, f64::NEG_INFINITY) - across(f64::min, f64::INFINITY);
    assert!(wave > 0.05 && ended.report.max_speed > 0.3, "{wave} {}", ended.report.max_speed);
    // The hoist stays where it is held.
    let hoist = began(-0.01, 0.01).map(|p| p[0].abs().max(p[1].abs())).fold(0.0, f64::max);
    assert!(hoist < 1e-6, "{hoist}");
}

#[test]
fn the_curtain_is_drawn_aside() {
    let ended = end_of("curtain");
    let [low, high] = bounds(&ended.session, 0);
    // A sheet of 1.2 m has become a bundle at the left end of the rail.
    assert!(low[0] > -0.8 && high[0] < -0.05, "{low:?} to {high:?}");
    assert!((1.0..1.11).contains(&high[2]) && (0.02..0.2).contains(&low[2]), "{low:?} to {high:?}");
    let thick = high[1] - low[1];
    assert!((0.05..0.4).contains(&thick), "{thick} m");
}

#[test]
fn the_cape_stays_on_the_shoulders_of_who_walks() {
    let mut scene = (pliant_scenes::find("cape").unwrap().build)();
    scene.run.duration = Some(3.5);
    let ended = run_out("cape", scene);
    let [low, high] = bounds(&ended.session, 0);
    assert!((1.35..1.55).contains(&high[2]) && low[2] > 0.5, "{low:?} to {high:?}");
    assert!(low[0] > -0.8 && high[0] < 0.6, "{low:?} to {high:?}");
}

#[test]
fn the_skirt_is_sewn_and_stays_on_the_hips() {
    let mut ended = end_of("skirt");
    let seams = ended.session.simulator().seam_report().unwrap();
    assert!(seams.closed > 20 && (seams.open, seams.broken) == (0, 0), "{seams:?}");
    let [low, high] = bounds(&ended.session, 0);
    // The middle of the hips is 0.93 m high, and a little lower in the stride.
    assert!((0.92..1.1).contains(&high[2]) && low[2] > 0.35, "{low:?} to {high:?}");
    // It does not bear more than its weight and the swing of the legs.
    assert!(ended.session.simulator_mut().report().max_speed < 6.0);
}

#[test]
fn the_sheet_tears_from_top_to_bottom() {
    let ended = end_of("tear");
    let seams = ended.session.simulator().seam_report().unwrap();
    // Two ends of each edge from top to bottom, and few beside them.
    assert!((60..90).contains(&seams.broken) && seams.closed > 2000, "{seams:?}");
    let positions = ended.session.simulator().positions();
    let near = |x: f64| positions.iter().map(|p| (p[0] - x).abs()).fold(f64::MAX, f64::min);
    let gap = (-20..=20).map(|i| near(0.01 * f64::from(i))).fold(0.0, f64::max);
    assert!(gap > 0.05, "the widest gap is {gap} m");
}

#[test]
fn the_tshirt_is_sewn_round_the_trunk_and_worn() {
    let mut ended = run_out("tshirt", file("tshirt"));
    let seams = ended.session.simulator().seam_report().unwrap();
    assert!(seams.closed > 40 && (seams.open, seams.broken) == (0, 0), "{seams:?}");
    assert_eq!(ended.session.simulator().crossings().unwrap(), []);
    let [low, high] = bounds(&ended.session, 0);
    // It hangs from the shoulders, 1.43 m high, and reaches below the waist.
    assert!((1.42..1.56).contains(&high[2]) && (0.6..0.95).contains(&low[2]), "{low:?}, {high:?}");
    assert!(ended.session.simulator_mut().report().max_speed < 6.0);
}

/// What hangs between the arm and the chest stays there, and what falls over the arm does not get between them.
#[test]
fn an_arm_before_the_chest_confuses_nothing() {
    let scene = file("arm");
    let capsules: Vec<_> = scene.colliders.iter().filter_map(capsule).collect();
    let [elbow, wrist] =
        capsules.iter().find(|(name, ..)| name.ends_with("left-forearm")).unwrap().1;
    // Default detection, without the guarantee: nothing crosses on the way, either.
    assert!(!scene.world.contact.as_ref().unwrap().guarantee);
    let mut session = Session::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    for look in 1..=10 {
        session.advance(1000).unwrap();
        let simulator = session.simulator();
        assert_eq!(simulator.crossings().unwrap(), [], "after {look} quarters of a second");
        let positions = simulator.positions();
        for (name, ends, radius) in &capsules {
            let deepest =
                positions.iter().map(|&p| radius - distance(p, *ends)).fold(f64::MIN, f64::max);
            assert!(deepest < 1e-4, "{deepest} m below the surface of {name}");
        }
    }
    let simulator = session.simulator();
    assert!((simulator.time() - 2.5).abs() < 1e-6);
    let positions = simulator.positions();
    // Where the arm's axis is, before the middle of the chest.
    let axis = |y: f64| elbow[0] + (y - elbow[1]) / (wrist[1] - elbow[1]) * (wrist[0] - elbow[0]);
    let is_beside =
        |p: &&[f64; 3]| (0.04..wrist[1]).contains(&p[1]) && (p[2] - wrist[2]).abs() < 0.03;
    let body = |number: usize| {
        let vertices = simulator.model().bodies[number].vertices.clone();
        &positions[vertices.start as usize..vertices.end as usize]
    };
    let apron: Vec<_> = body(0).iter().filter(is_beside).collect();
    assert!(apron.len() > 5 && apron.iter().all(|p| p[0] < axis(p[1])), "{apron:?}");
    let poncho: Vec<_> = body(1).iter().filter(is_beside).collect();
    let is_outside = |p: &&[f64; 3]| p[0] > axis(p[1]) || p[0] < 0.0;
    assert!(poncho.len() > 5 && poncho.iter().all(is_outside), "{poncho:?}");
}

/// Name, ends of the axis and radius with thickness of a collider that is a capsule.
fn capsule(collider: &Collider) -> Option<(String, [[f64; 3]; 2], f64)> {
    let ColliderShape::Capsule { radius, length, .. } = collider.shape else { return None };
    let turn = collider.rotate.matrix();
    let end = |side: f64| {
        std::array::from_fn(|k| collider.translate[k] + 0.5 * side * length * turn[k][2])
    };
    Some((collider.name.clone(), [end(1.0), end(-1.0)], radius + collider.thickness))
}

/// From a point to a line between two others \[m\].
fn distance(p: [f64; 3], [a, b]: [[f64; 3]; 2]) -> f64 {
    let sub = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|k| a[k] - b[k]) };
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let (way, from) = (sub(b, a), sub(p, a));
    let share = (dot(way, from) / dot(way, way)).clamp(0.0, 1.0);
    let rest = sub(from, way.map(|c| share * c));
    dot(rest, rest).sqrt()
}

/// A coarser cape than that of the example, which takes a minute.
#[test]
fn a_cape_walks_for_ten_seconds_and_never_crosses_itself() {
    let mut scene = file("walk");
    let Source::Shape(Shape::Cape { cell, .. }) = &mut scene.bodies[0].source else {
        panic!("no cape")
    };
    *cell = 0.07;
    let mut session = Session::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    for half in 1..=23 {
        session.advance(2000).unwrap();
        let crossings = session.simulator().crossings().unwrap();
        assert!(crossings.is_empty(), "after {half} half seconds: {crossings:?}");
        let [low, high] = bounds(&session, 0);
        assert!((1.35..1.55).contains(&high[2]) && low[2] > 0.5, "{low:?} to {high:?}");
    }
    assert!((session.simulator().time() - 11.5).abs() < 1e-6);
}

#[test]
fn the_gripper_holds_the_block_by_friction() {
    let mut scene = (pliant_scenes::find("gripper").unwrap().build)();
    scene.run.duration = Some(2.9);
    let mut held = run_out("gripper", scene);
    let [low, _] = heights(&held.session, 0);
    assert!((0.2..0.26).contains(&low), "{low}");
    // A period of its swing.
    let pads = forces(&mut held, 400);
    let carried = -(pads[0][2] + pads[1][2]) / weight(&held);
    assert!((0.97..1.03).contains(&carried), "{carried} of the weight: {pads:?}");
    assert!(pads[0][0] < 0.0 && pads[1][0] > 0.0, "{pads:?}");
    let ended = end_of("gripper");
    let [low, high] = heights(&ended.session, 0);
    assert!(low.abs() < 0.01 && (0.17..0.21).contains(&high), "{low} {high}");
}

#[test]
fn the_cloth_hangs_between_its_corners() {
    let ended = end_of("cloth");
    let [low, high] = heights(&ended.session, 0);
    assert!((0.2..0.69).contains(&low), "{low}");
    assert!(high < 1.1, "{high}");
    assert!(ended.report.max_speed < 5.0);
}

#[test]
fn the_wind_lifts_the_cloth() {
    let mut scene = (pliant_scenes::find("cloth").unwrap().build)();
    scene.run.duration = Some(1.4);
    let ended = run_out("cloth", scene);
    let [_, high] = heights(&ended.session, 0);
    assert!(high > 0.85, "its middle is above its corners at 0.7 m: {high}");
}

#[test]
fn the_blob_comes_to_rest_on_the_ground() {
    let ended = end_of("blob");
    is_at_rest(&ended, 0.01);
    let [low, high] = heights(&ended.session, 0);
    assert!(low.abs() < 1e-3 && (0.25..0.6).contains(&high), "{low} {high}");
}

#[test]
fn the_head_is_pressed_and_springs_back() {
    let mut scene = (pliant_scenes::find("phantom").unwrap().build)();
    scene.run.duration = Some(1.5);
    let pressed = run_out("phantom", scene);
    let [low, high] = bounds(&pressed.session, 0);
    assert!(high[0] - low[0] < 0.145, "0.2 m are pressed to 0.14 m: {low:?} {high:?}");
    let ended = end_of("phantom");
    let [low, high] = bounds(&ended.session, 0);
    assert!((0.19..0.22).contains(&(high[0] - low[0])), "{low:?} {high:?}");
}

/// In a window anyone may pull anything, also quickly and far.
#[test]
fn no_scene_breaks_when_it_is_pulled() {
    for named in pliant_scenes::ALL {
        let mut scene = (named.build)();
        let mut session = Session::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap();
        let [low, high] = bounds(&session, 0);
        let center = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
        let target = [center[0] + 0.6, center[1] - 0.3, center[2] + 0.4];
        let motion = DragMotion::Target(target);
        let drag = Drag { center, radius: 0.1, motion, stiffness: 30.0 };
        scene.actions = vec![Action { start: 0.0, end: Some(0.15), kind: ActionKind::Drag(drag) }];
        let steps = (0.4 / scene.world.timestep) as u64;
        session = Session::new(scene, Backend::Cpu { threads: 1 }).unwrap();
        session.advance(steps).unwrap_or_else(|e| panic!("{}: {e}", named.name));
        let speed = session.simulator_mut().report().max_speed;
        assert!(speed < 50.0, "{}: {speed} m/s", named.name);
    }
}

#[test]
fn scenes_can_be_written_as_files() {
    for named in pliant_scenes::ALL {
        let mut scene = (named.build)();
        assert_eq!(scene.name, named.name);
        let text = scene.to_toml().unwrap();
        // Whoever reads a scene places its mannequins.
        scene.place_mannequins();
        assert_eq!(Scene::from_toml(&text, named.name).unwrap(), scene);
    }
}

#[test]
fn the_scene_files_run_without_warnings() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let mut scene = Scene::load(&path).unwrap();
            if ["arm", "tshirt", "walk"].contains(&scene.name.as_str()) {
                // They have tests of their own.
                scene.run.duration = Some(0.1);
            }
            count += 1;
            if let Some(mesh) = scene.bodies.iter().find_map(missing_mesh) {
                println!("skipped: {} needs {}", path.display(), mesh.display());
                continue;
            }
            run_out(&path.display().to_string(), scene);
        }
    }
    assert!(count >= 4, "{folder} has only {count} scenes");
}

/// The mesh of a body, if it is a file that is not there.
fn missing_mesh(body: &Body) -> Option<PathBuf> {
    match &body.source {
        Source::Mesh { path, .. } if !path.exists() => Some(path.clone()),
        _ => None,
    }
}

#[test]
fn the_toys_lie_in_the_hollow_in_their_shapes() {
    let mut scene = (pliant_scenes::find("toys").unwrap().build)();
    assert!(scene.bodies.iter().all(|toy| toy.shape_matching.is_some()));
    // Half of them will do.
    scene.bodies.truncate(2);
    let mut ended = run_out("toys", scene);
    let creeps = mean_speed(&mut ended);
    assert!(creeps < 0.03, "{creeps} m/s");
    for toy in 0..8 {
        let [low, high] = bounds(&ended.session, toy);
        assert!(low[2] > -0.01 && high[2] < 0.8, "toy {toy}: {low:?} {high:?}");
        assert!((0..2).all(|k| low[k] > -1.01 && high[k] < 1.01), "toy {toy}: {low:?} {high:?}");
    }
}

#[test]
fn the_can_stays_dented() {
    let mut ended = end_of("can");
    let creeps = mean_speed(&mut ended);
    assert!(creeps < 0.02, "{creeps} m/s");
    let positions = ended.session.simulator().positions();
    let narrowest = positions
        .iter()
        .filter(|p| (0.2..0.28).contains(&p[2]) && p[1].abs() < 0.03)
        .map(|p| p[0].abs())
        .fold(f64::INFINITY, f64::min);
    let [low, high] = heights(&ended.session, 0);
    println!("{narrowest} m from the axis, {low} to {high} m");
    assert!(narrowest < 0.11, "the fists were there: {narrowest}");
    assert!(low.abs() < 0.01 && (0.37..0.43).contains(&high), "it stands: {low} {high}");
}

#[test]
fn fine_surfaces_bounce_in_their_cages() {
    let scene = (pliant_scenes::find("caged").unwrap().build)();
    let ended = run_out("caged", scene);
    let model = ended.session.simulator().model();
    let mut fine = 0;
    for (n, body) in model.bodies.iter().enumerate() {
        let skin = body.skin.as_ref().unwrap();
        fine += skin.triangles.len();
        let [low, high] = bounds(&ended.session, n);
        assert!(low[2] > -0.01 && high[2] < 0.6, "body {n}: {low:?} {high:?}");
    }
    println!("{fine} triangles on {} tetrahedra", model.tets.len());
    assert!(fine > 4 * model.tets.len(), "{fine} triangles on {}", model.tets.len());
}

/// The mean way of vertices over the tenth of a second after the end, over that time \[m/s\]. Velocities themselves are those
/// with which bodies that are drawn back to their shapes press on what they lie on.
fn mean_speed(ended: &mut Ended) -> f64 {
    const TIME: f64 = 0.1;
    let sim = ended.session.simulator_mut();
    let before = sim.positions();
    sim.step((TIME / sim.world().timestep).round() as u64).unwrap();
    let after = sim.positions();
    let way =
        |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    before.iter().zip(&after).map(way).sum::<f64>() / before.len() as f64 / TIME
}
