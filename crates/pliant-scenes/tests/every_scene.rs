//! Every named scene runs to its end, stays whole and ends as its description says.

use pliant_session::{Message, Session};
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

/// Lowest and highest z of a body \[m\].
fn heights(session: &Session, body: usize) -> [f64; 2] {
    let vertices = session.simulator().model().bodies[body].vertices.clone();
    let positions = session.simulator().positions();
    let z = || vertices.clone().map(|v| positions[v as usize][2]);
    [z().fold(f64::INFINITY, f64::min), z().fold(f64::NEG_INFINITY, f64::max)]
}

#[test]
fn jelly_blocks_come_to_rest_the_softer_the_flatter() {
    let ended = end_of("jelly");
    is_at_rest(&ended, 0.001);
    let [soft, firm, hard] = [0, 1, 2].map(|b| heights(&ended.session, b));
    for [low, high] in [soft, firm, hard] {
        assert!(low.abs() < 1e-3 && (0.15..0.205).contains(&high), "{low} {high}");
    }
    assert!(soft[1] < firm[1] && firm[1] < hard[1], "{soft:?} {firm:?} {hard:?}");
}

#[test]
fn the_hanging_bar_swings_out_below_its_ends() {
    let ended = end_of("hanging-bar");
    let [low, high] = heights(&ended.session, 0);
    assert!((high - 1.1).abs() < 1e-3, "its ends are fixed: {high}");
    assert!((0.85..0.995).contains(&low), "its middle sags: {low}");
    assert!(ended.report.max_speed < 1.0, "{}", ended.report.max_speed);
}

#[test]
fn the_dent_stays() {
    let ended = end_of("dent");
    let positions = ended.session.simulator().positions();
    // The vertex that was nearest to a place on top of the block, which was 0.3 m high.
    let rest = pliant_mesh::shapes::bar([12, 12, 6], [0.6, 0.6, 0.3], Default::default());
    let top = |x: f64, y: f64| {
        let distance = |p: [f64; 3]| (p[0] - 0.3 - x).hypot(p[1] - 0.3 - y) + (p[2] - 0.3).abs();
        let nearest = (0..rest.points.len())
            .min_by(|a, b| distance(rest.points[*a]).total_cmp(&distance(rest.points[*b])));
        positions[nearest.unwrap()][2]
    };
    let (middle, rim) = (top(0.0, 0.0), top(0.3, 0.3));
    assert!(rim > 0.27, "{rim}");
    assert!(middle < rim - 0.03, "the dent is gone: {middle} m beside {rim} m");
    assert!(ended.report.max_speed < 0.2);
}

#[test]
fn the_crowd_lands() {
    let ended = end_of("crowd");
    let bodies = ended.session.simulator().model().bodies.len();
    assert_eq!(bodies, 100);
    for body in 0..bodies {
        let [low, high] = heights(&ended.session, body);
        assert!(low.abs() < 0.02 && high < 0.4, "body {body}: {low} {high}");
    }
    is_at_rest(&ended, 0.02);
}

#[test]
fn the_cloth_hangs_between_its_corners() {
    let ended = end_of("cloth");
    let [low, high] = heights(&ended.session, 0);
    assert!((0.3..0.99).contains(&low), "{low}");
    assert!(high < 1.3, "{high}");
    assert!(ended.report.max_speed < 5.0);
}

#[test]
fn the_blob_comes_to_rest_on_the_ground() {
    let ended = end_of("blob");
    is_at_rest(&ended, 0.002);
    let [low, high] = heights(&ended.session, 0);
    assert!(low.abs() < 1e-3 && (0.25..0.6).contains(&high), "{low} {high}");
}

#[test]
fn scenes_can_be_written_as_files() {
    for named in pliant_scenes::ALL {
        let scene = (named.build)();
        assert_eq!(scene.name, named.name);
        let text = scene.to_toml().unwrap();
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
            run_out(&path.display().to_string(), Scene::load(&path).unwrap());
            count += 1;
        }
    }
    assert!(count >= 4, "{folder} has only {count} scenes");
}
