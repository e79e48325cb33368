//! The table of a run: what is tracked, solver figures, and columns that change.

use pliant_sim::scene::{
    Body, Collider, Contact, Region, Shape, Source, StrainLimit, Track, TrackPart, World,
};

use super::*;

/// A bar that hangs from its left end, with both ends tracked.
fn hanging() -> Scene {
    let mut scene = bar();
    scene.world.gravity = [0.0, 0.0, -9.81];
    let left = Region::HalfSpace { point: [0.0; 3], normal: [-1.0, 0.0, 0.0] };
    scene.bodies[0].locks = vec![left.clone()];
    let track = |name: &str, part| Track { name: name.into(), body: None, part };
    scene.output.track = vec![
        track("clamp", TrackPart::Region(left)),
        track("tip", TrackPart::Point([0.41, 0.21, 1.21])),
        track("seven", TrackPart::Vertex(7)),
    ];
    scene
}

fn only_table(scene: &Scene, folder: &Path, steps: u64) -> RunOptions {
    RunOptions {
        output: Output { every: Every::Steps(10), ..scene.output.clone() },
        ..options(folder, steps)
    }
}

/// The columns of a table by name; cells that are empty are not numbers.
struct Columns(Vec<String>, Vec<Vec<f64>>);

impl Columns {
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("bar---one.csv")).unwrap();
        let mut lines = text.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
        let names = lines.next().unwrap();
        let rows: Vec<Vec<f64>> =
            lines.map(|row| row.iter().map(|c| c.parse().unwrap_or(f64::NAN)).collect()).collect();
        assert!(rows.iter().all(|row| row.len() == names.len()), "{text}");
        Self(names, rows)
    }

    #[track_caller]
    fn of(&self, name: &str) -> Vec<f64> {
        let at =
            self.0.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}: {:?}", self.0));
        self.1.iter().map(|row| row[at]).collect()
    }
}

#[test]
fn what_is_tracked_has_columns_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let scene = hanging();
    let mut session = session(scene.clone());
    run(&mut session, &only_table(&scene, folder.path(), 40), &mut |_| {}).unwrap();
    let table = Columns::read(folder.path());
    assert_eq!(table.of("step"), [0.0, 10.0, 20.0, 30.0, 40.0]);

    let sim = session.simulator_mut();
    let (positions, velocities, forces) = (sim.positions(), sim.velocities(), sim.forces());
    let rest = frame::start(sim.model());
    let tip = rest.iter().position(|p| *p == [0.4, 0.2, 1.2]).unwrap();
    let clamped: Vec<usize> = (0..rest.len()).filter(|&v| rest[v][0].abs() < 1e-6).collect();
    assert_eq!(clamped.len(), 9);
    let axes = ["x", "y", "z"];
    for (k, axis) in axes.iter().enumerate() {
        let last = |name: String| *table.of(&name).last().unwrap();
        for (name, v) in [("tip", tip), ("seven", 7)] {
            assert_eq!(last(format!("{name}_{axis}_m")), positions[v][k]);
            assert_eq!(last(format!("{name}_v{axis}_m_s")) as f32, velocities[v][k]);
            assert_eq!(last(format!("{name}_f{axis}_N")) as f32, forces[v][k]);
        }
        let mean = clamped.iter().map(|&v| positions[v][k]).sum::<f64>() / 9.0;
        assert_eq!(last(format!("clamp_{axis}_m")), mean);
        let sum: f64 = clamped.iter().map(|&v| f64::from(forces[v][k])).sum();
        assert_eq!(last(format!("clamp_f{axis}_N")) as f32, sum as f32);
    }
    assert!(table.of("tip_vz_m_s")[4] < -0.05, "it falls");
    assert!(table.of("clamp_vz_m_s").iter().all(|v| *v == 0.0), "it is held");
    assert!(table.of("clamp_fz_N")[4] < table.of("clamp_fz_N")[0], "and has more and more to hold");
}

#[test]
fn what_cannot_be_tracked_is_named_with_its_key() {
    let refused = |change: &dyn Fn(&mut Scene), words: &[&str]| {
        let mut scene = hanging();
        change(&mut scene);
        let error = Session::new(scene, Backend::Cpu { threads: 1 }).err().unwrap().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    refused(
        &|s| s.output.track[2].part = TrackPart::Vertex(45),
        &["output.track[2].vertex", "no vertex 45", "the last one is 44"],
    );
    refused(
        &|s| s.output.track[1].body = Some("baar".into()),
        &["output.track[1].body", "did you mean `bar`?"],
    );
    refused(
        &|s| s.output.track[0].part = TrackPart::Region(Region::Group("left".into())),
        &["output.track[0].region", "no group \"left\""],
    );
    let empty = Region::Sphere { center: [9.0; 3], radius: 1.0 };
    refused(
        &|s| s.output.track[0].part = TrackPart::Region(empty.clone()),
        &["output.track[0].region", "no vertex"],
    );
    let twice = |s: &mut Scene| {
        let mut other = s.bodies[0].clone();
        (other.name, other.translate) = ("other".into(), [0.0, 9.0, 1.0]);
        s.bodies.push(other);
    };
    refused(&twice, &["output.track[0].body", "which of 2 bodies", "`bar`, `other`"]);
    // A point is nearest to one of them only.
    let mut scene = hanging();
    twice(&mut scene);
    scene.output.track.retain(|t| t.name == "tip");
    scene.output.track[0].part = TrackPart::Point([0.0, 8.9, 0.9]);
    let sim = session(scene);
    assert_eq!(sim.simulator().model().tracks[0].vertices, [45]);
}

#[test]
fn implicit_steps_tell_about_their_systems() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = hanging();
    scene.world.integrator = Integrator::ImplicitEuler;
    let mut session = session(scene.clone());
    run(&mut session, &only_table(&scene, folder.path(), 30), &mut |_| {}).unwrap();
    let table = Columns::read(folder.path());
    assert_eq!(table.of("solver_systems"), [0.0, 10.0, 10.0, 10.0]);
    let solver = session.simulator().solver_report().unwrap();
    assert_eq!(table.of("solver_iterations").iter().sum::<f64>(), solver.iterations as f64);
    let residuals = table.of("solver_residual");
    assert!(residuals[0].is_nan() && residuals[3] == solver.residual, "{residuals:?}");
    assert!(residuals[1..].iter().all(|r| *r <= scene.world.implicit.tolerance));
    assert_eq!(table.of("solver_unconverged"), [0.0; 4]);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let page = std::fs::read_to_string(page).unwrap();
    let others = |name: &&String| !name.starts_with("clamp") && !name.starts_with("seven");
    for name in table.0.iter().filter(others) {
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }

    let folder = tempfile::tempdir().unwrap();
    let explicit = hanging();
    run(
        &mut super::session(explicit.clone()),
        &only_table(&explicit, folder.path(), 10),
        &mut |_| {},
    )
    .unwrap();
    assert!(!Columns::read(folder.path()).0.iter().any(|name| name.starts_with("solver")));
}

#[test]
fn colliders_have_columns_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = hanging();
    let slope =
        Collider { name: "slope".into(), translate: [0.0, 0.0, -9.0], ..Collider::default() };
    scene.colliders = vec![slope, Collider { translate: [0.0, 0.0, -8.0], ..Collider::default() }];
    let mut session = session(scene.clone());
    run(&mut session, &only_table(&scene, folder.path(), 10), &mut |_| {}).unwrap();
    let table = Columns::read(folder.path());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let page = std::fs::read_to_string(page).unwrap();
    for name in ["collider_contacts", "slope_fx_N", "slope_fy_N", "slope_fz_N"] {
        assert_eq!(table.of(name), [0.0, 0.0], "{name}");
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }
    assert_eq!(table.of("collider-2_fz_N"), [0.0, 0.0], "scenes made in code may have no names");
}

#[test]
fn limits_of_strain_have_columns() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = hanging();
    let limit = StrainLimit { stretch: 0.001, iterations: 1, ..StrainLimit::default() };
    scene.bodies[0].strain_limit = Some(limit);
    let mut session = session(scene.clone());
    run(&mut session, &only_table(&scene, folder.path(), 10), &mut |_| {}).unwrap();
    let table = Columns::read(folder.path());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let page = std::fs::read_to_string(page).unwrap();
    for name in ["largest_stretch", "stretch_beyond_limit"] {
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }
    let largest = table.of("largest_stretch");
    assert!(largest[0] < 1e-6 && largest[1] > 0.0, "{largest:?}");
}

#[test]
fn bodies_that_touch_have_columns_and_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = hanging();
    let block = |name: &str, height: f64, side: f64| Body {
        name: name.into(),
        source: Source::Shape(Shape::bar([2; 3], [side; 3])),
        translate: [5.0 - 0.5 * side, -0.5 * side, height],
        ..scene.bodies[0].clone()
    };
    let [mut a, b] = [block("a", -0.2, 0.2), block("b", 0.001, 0.1)];
    a.locks = vec![Region::All];
    scene.bodies = vec![a, Body { locks: Vec::new(), ..b }];
    scene.world = World { timestep: 2e-4, contact: Some(Contact::default()), ..World::default() };
    scene.world.bounds = None;
    scene.output = Output { csv: true, contacts: true, ..Output::default() };
    let mut session = session(scene.clone());
    run(&mut session, &only_table(&scene, folder.path(), 100), &mut |_| {}).unwrap();
    let table = Columns::read(folder.path());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let page = std::fs::read_to_string(page).unwrap();
    let own = table.0.iter().filter(|name| name.starts_with("contact") && !name.contains("on_b_"));
    assert_eq!(own.clone().count(), 3 + 3 + 3);
    for name in own {
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }
    let last = |name: &str| *table.of(name).last().unwrap();
    assert!(last("contacts") > 0.0 && last("contact_searches") > 0.0);
    assert!(last("contact_on_b_z_N") > 0.0, "{}", last("contact_on_b_z_N"));
    assert_eq!(last("contact_on_a_z_N"), -last("contact_on_b_z_N"));
    assert_eq!(last("contact_on_a_of_b_z_N"), last("contact_on_a_z_N"));
    // Its rows add up to the same.
    let list = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut list = list.filter(|path| path.to_string_lossy().ends_with("-contacts.csv"));
    let list = std::fs::read_to_string(list.next().unwrap()).unwrap();
    let mut lines = list.lines();
    let width = lines.next().unwrap().split(',').count();
    let mut sum = 0.0;
    for line in lines.filter(|line| line.starts_with("100,")) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), width);
        let force: f64 = cells[width - 1].parse().unwrap();
        sum += if cells[3] == "b" { force } else { -force };
    }
    assert!((sum / last("contact_on_b_z_N") - 1.0).abs() < 1e-5, "{sum}");
}

#[test]
fn a_continued_table_keeps_its_rows_whatever_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = hanging();
    let mut session = session(scene.clone());
    run(&mut session, &only_table(&scene, folder.path(), 20), &mut |_| {}).unwrap();
    let before = Columns::read(folder.path());
    let saved = checkpoint::decode(&session.checkpoint()).unwrap();

    // One column group is given up, another begins, and steps become implicit.
    scene.output.track.remove(1);
    scene.output.track.push(Track {
        name: "middle".into(),
        body: Some("bar".into()),
        part: TrackPart::Vertex(22),
    });
    scene.world.integrator = Integrator::ImplicitEuler;
    let mut sim = pliant_sim::Simulator::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap();
    sim.load(&saved).unwrap();
    sim.set_world(scene.world.clone()).unwrap();
    let again = RunOptions { is_continued: true, ..only_table(&scene, folder.path(), 40) };
    let mut notes = Vec::new();
    run(&mut Session::of(sim), &again, &mut |event| {
        if let Event::Message(Message::Note(note)) = event {
            notes.push(note.clone());
        }
    })
    .unwrap();
    assert!(notes.iter().any(|n| n.contains("16 new columns")), "{notes:?}");
    let table = Columns::read(folder.path());
    assert_eq!(table.of("step"), [0.0, 10.0, 20.0, 30.0, 40.0]);
    for name in &before.0 {
        assert_eq!(table.of(name)[..3], before.of(name)[..], "{name}");
    }
    let is_empty = |name: &str| table.of(name).iter().map(|c| c.is_nan()).collect::<Vec<_>>();
    assert_eq!(is_empty("tip_x_m"), [false, false, false, true, true]);
    assert_eq!(is_empty("middle_fz_N"), [true, true, true, false, false]);
    assert_eq!(is_empty("solver_systems"), [true, true, true, false, false]);
    assert_eq!(is_empty("clamp_x_m"), [false; 5]);
}

#[test]
fn what_is_no_table_is_kept_when_a_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let scene = hanging();
    let file = folder.path().join("bar---one.csv");
    std::fs::write(&file, "my own notes\n1;2\n").unwrap();
    let again = RunOptions { is_continued: true, ..only_table(&scene, folder.path(), 10) };
    run(&mut session(scene), &again, &mut |_| {}).unwrap();
    let kept = std::fs::read_to_string(folder.path().join("bar---one.1.csv")).unwrap();
    assert_eq!(kept, "my own notes\n1;2\n");
    assert_eq!(Columns::read(folder.path()).of("step"), [10.0]);
}
