//! Skins and cages in scene files.

use super::*;

fn problem_of(text: &str) -> Problem {
    read(text).expect_err(text).problems.remove(0)
}

const BODY: &str = "[[bodies]]\nname = 'a'\nmesh = 'x.obj'\n";

#[test]
fn skins_and_cages_are_read_as_they_are_written() {
    let text = format!(
        "{BODY}cage = {{ cells = 12 }}\nskin = {{ shape = {{ kind = 'ball', radius = 1, cell = 0.2 }} }}\n\
         [[bodies]]\nname = 'b'\nmesh = 'y.msh'\nskin = {{ mesh = 'fine.obj', group = 'outer' }}\n"
    );
    let scene = read(&text).unwrap();
    assert_eq!(scene.bodies[0].cage, Some(Cage { cells: 12 }));
    let ball = Source::Shape(Shape::Ball { radius: 1.0, cell: 0.2 });
    assert_eq!(scene.bodies[0].skin, Some(Skin { source: ball }));
    let fine = Source::Mesh { path: "fine.obj".into(), group: Some("outer".into()) };
    assert_eq!(scene.bodies[1].skin, Some(Skin { source: fine }));
    assert_eq!(read(&scene.to_toml().unwrap()).unwrap(), scene);
    assert_eq!(read(&scene.to_short_toml().unwrap()).unwrap(), scene);
    let short = scene.to_short_toml().unwrap();
    assert!(short.contains("kind = \"ball\""), "{short}");
}

#[test]
fn mistakes_are_answered_at_their_place() {
    for (line, path, said) in [
        ("skin = {}", "bodies[0].skin", "a skin needs either `mesh` or `shape`"),
        (
            "skin = { mesh = 'a', shape = { kind = 'ball', radius = 1, cell = 0.2 } }",
            "bodies[0].skin",
            "a skin has either `mesh` or `shape`, not both",
        ),
        ("skin = { shape = { radius = 1 } }", "bodies[0].skin.shape", "the key `kind` is missing"),
        (
            "skin = { shape = { kind = 'bal' } }",
            "bodies[0].skin.shape.kind",
            "unknown choice `bal`",
        ),
        (
            "skin = { shape = { kind = 'ball', radius = -1, cell = 0.2 } }",
            "bodies[0].skin.shape.radius",
            "`bodies[0].skin.shape.radius` must be greater than 0, not -1 m",
        ),
        ("skin = { mesh = '' }", "bodies[0].skin.mesh", "the path of the mesh is empty"),
        ("cage = {}", "bodies[0].cage", "the key `cells` is missing"),
        ("cage = { cells = 0 }", "bodies[0].cage.cells", "`bodies[0].cage.cells` must be"),
        ("cage = { cells = 500 }", "bodies[0].cage.cells", "`bodies[0].cage.cells` must be"),
        ("cage = 12", "bodies[0].cage", ""),
    ] {
        let problem = problem_of(&format!("{BODY}{line}\n"));
        assert_eq!(problem.path, path, "{line}: {}", problem.message);
        assert!(problem.message.starts_with(said), "{line}: {}", problem.message);
        assert_eq!(problem.line, Some(4), "{line}");
    }
    let scene = Scene {
        bodies: vec![Body {
            skin: Some(Skin { source: Source::Inline(pliant_mesh::Mesh::default()) }),
            ..Body::default()
        }],
        ..Scene::default()
    };
    let said = scene.to_toml().unwrap_err().to_string();
    assert!(said.contains("a skin was made in code"), "{said}");
}
