use std::fs;

use super::*;

fn cpu() -> Backend {
    Backend::Cpu { threads: 1 }
}

/// A closed tetrahedron, as a surface.
const SURFACE: &str =
    "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 1 2 3\n3 0 3 2\n3 0 1 3\n3 0 2 1\n";

#[test]
fn every_demo_opens() {
    for demo in pliant_scenes::ALL {
        let (session, _) = open(&Source::Demo(demo), cpu()).map_err(|e| e.message).unwrap();
        assert!(session.simulator().model().vertex_count() > 0, "{}", demo.name);
    }
}

#[test]
fn scenes_checkpoints_and_meshes_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(
        at("a.toml"),
        "name = \"cube\"\n[[bodies]]\nshape = { bar = { cells = [1,1,1], size = [1,1,1] } }\n",
    )
    .unwrap();
    let scene = open(&Source::File(at("a.toml")), cpu());
    let (mut session, _) = scene.map_err(|e| e.message).unwrap();
    session.advance(5).unwrap();
    fs::write(at("b.pliant"), session.checkpoint()).unwrap();
    let (again, _) = open(&Source::File(at("b.pliant")), cpu()).map_err(|e| e.message).unwrap();
    assert_eq!(again.simulator().step_count(), 5);
    fs::write(at("c.node"), "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n").unwrap();
    fs::write(at("c.ele"), "1 4 0\n1 1 2 3 4\n").unwrap();
    let (mesh, notes) = open(&Source::File(at("c.ele")), cpu()).map_err(|e| e.message).unwrap();
    assert_eq!(mesh.simulator().model().tets.len(), 1);
    assert!(notes.iter().any(|n| n.contains("timestep")), "{notes:?}");
}

#[test]
fn a_mesh_whose_elements_need_tiny_steps_takes_implicit_ones_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // A block of which two points nearly coincide.
    let mut mesh = pliant_mesh::shapes::bar([4; 3], [0.3; 3], pliant_mesh::shapes::Split::Six);
    let beside = mesh.points.iter().position(|p| (p[0] - 0.225).hypot(p[1] - 0.15) < 1e-9).unwrap();
    mesh.points[beside][0] = 0.150_003;
    let numbered = |lines: Vec<String>| -> String {
        lines.iter().enumerate().map(|(i, line)| format!("{i} {line}\n")).collect()
    };
    let points = mesh.points.iter().map(|[x, y, z]| format!("{x} {y} {z}")).collect();
    let tets = mesh.tets.iter().map(|[a, b, c, d]| format!("{a} {b} {c} {d}")).collect();
    let heads = [format!("{} 3 0 0", mesh.points.len()), format!("{} 4 0", mesh.tets.len())];
    fs::write(at("pinched.node"), format!("{}\n{}", heads[0], numbered(points))).unwrap();
    fs::write(at("pinched.ele"), format!("{}\n{}", heads[1], numbered(tets))).unwrap();
    let opened = open(&Source::File(at("pinched.ele")), cpu()).map_err(|e| e.message);
    let (mut session, _) = opened.unwrap();
    let world = session.simulator().world();
    assert_eq!(world.integrator, pliant_sim::scene::Integrator::ImplicitEuler);
    assert!(world.timestep > 1e-3);
    let told = session.remote().messages();
    assert!(told.iter().any(|m| m.to_string().contains("implicit steps of 8.3 ms")), "{told:?}");
    session.advance(60).unwrap();
}

#[test]
fn a_closed_surface_is_filled_with_a_cage_or_says_why_not_and_offers_a_skin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shell.off");
    fs::write(&path, SURFACE).unwrap();
    let (session, notes) = open(&Source::File(path), cpu()).map_err(|e| e.message).unwrap();
    assert!(notes.iter().any(|n| n.contains("cage of")), "{notes:?}");
    let body = &session.simulator().model().bodies[0];
    assert!(!body.tets.is_empty() && body.skin.as_ref().is_some_and(|s| s.triangles.len() == 4));
    let path = folder.path().join("leaf.off");
    fs::write(&path, "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n").unwrap();
    let error = open(&Source::File(path), cpu()).err().expect("it has no inside");
    assert!(error.message.contains("leaf.off") && error.message.contains("no tetrahedra"));
    let skin = error.instead.expect("a skin is possible");
    assert!(open(&skin, cpu()).is_ok());
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("a.toml", &b"bodies = 7"[..]),
        ("b.pliant", b"PLIANT but cut off"),
        ("c.msh", b"\0\0\0"),
        ("d.png", b"\x89PNG\r\n\x1a\n"),
        ("e.obj", b""),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let error = open(&Source::File(path), cpu()).err().unwrap_or_else(|| panic!("{name}"));
        assert!(error.message.contains(name), "{name}: {}", error.message);
    }
    let error = open(&Source::File(folder.path().join("none.msh")), cpu()).err().unwrap();
    assert!(error.message.contains("none.msh"));
}

#[test]
fn of_files_that_come_together_the_one_that_finds_the_others_is_opened() {
    let main = |names: &[&str]| {
        let paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
        main_file(&paths).map(|p| p.display().to_string())
    };
    assert_eq!(main(&["bar.ele", "bar.node"]).as_deref(), Some("bar.node"));
    assert_eq!(main(&["bunny.msh", "Scene.TOML"]).as_deref(), Some("Scene.TOML"));
    assert_eq!(main(&["a.bin", "a.gltf"]).as_deref(), Some("a.gltf"));
    assert_eq!(main(&["notes.txt", "a.msh.gz"]).as_deref(), Some("a.msh.gz"));
    assert_eq!(main(&["what", "ever"]).as_deref(), Some("what"));
    assert_eq!(main(&[]), None);
}

#[test]
fn every_mesh_that_can_be_read_is_offered_and_nothing_else() {
    let is_offered = |name: &str| can_be_opened(Path::new(name));
    for (extension, _) in READABLE {
        assert!(is_offered(&format!("a.{extension}")), "{extension}");
        assert!(is_offered(&format!("a.{}.GZ", extension.to_uppercase())), "{extension} packed");
    }
    for name in ["a.toml", "a.pliant"] {
        assert!(is_offered(name), "{name}");
    }
    for name in ["a.tet", "a.inp", "a.xml", "a.msh.xz", "a.toml.gz", "a.gz", "msh", "a"] {
        assert!(!is_offered(name), "{name}");
    }
}
