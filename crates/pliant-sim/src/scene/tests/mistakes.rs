//! Typical mistakes, and the exact words that answer them.

use super::*;

#[track_caller]
fn refused(text: &str, expected: &str) -> Problem {
    let error = read(text).expect_err(text);
    assert_eq!(error.to_string(), expected.trim_end());
    error.problems[0].clone()
}

#[test]
fn unknown_key() {
    let problem = refused(
        &format!("{BAR}[run]\nduraiton = 0.5\n"),
        "\
error: unknown key `duraiton` (`run.duraiton`)
 --> scene.toml:5:1
  |
5 | duraiton = 0.5
  | ^^^^^^^^
  |
  = help: did you mean `duration`? known here: `duration`, `steps`",
    );
    assert_eq!(problem.path, "run.duraiton");
    assert_eq!((problem.line, problem.column), (Some(5), Some(1)));
    assert_eq!(problem.file.as_deref(), Some("scene.toml"));
    assert_eq!(problem.message, "unknown key `duraiton`");
    let help =
        read(&format!("{BAR}[world]\ntimesetp = 0.001\n")).unwrap_err().problems[0].help.clone();
    assert!(help.unwrap().starts_with("did you mean `timestep`? known here: `gravity`, "));
}

#[test]
fn keys_in_the_wrong_place_are_told_where_they_belong() {
    for (text, said) in [
        (
            format!("{BAR}material = {{ density = 1000 }}"),
            "did you mean `mass = { density = … }`? known here: `mass`, ",
        ),
        (
            format!("{BAR}young = 1e5"),
            "did you mean `material = { stiffness = { young = … } }`? known here: `name`, ",
        ),
        (
            format!("{BAR}[bodies.material.mass]\nyoung = 1e5"),
            "did you mean `bodies[0].material.stiffness.young`? known here: `vertex`, ",
        ),
        (
            format!("gravity = [0, 0, 0]\n{BAR}"),
            "did you mean `world.gravity`? known here: `name`, ",
        ),
        (
            format!("[output]\nfriction = 0\n{BAR}"),
            "did you mean `world.damping` or `world.box.friction` or `world.contact.friction`? known here: `folder`, ",
        ),
        (BAR.replace("bodies", "body"), "did you mean `bodies`? known here: "),
        (format!("{BAR}copy = {{ count = [2, 1, 1] }}"), "did you mean `copies`? known here: "),
    ] {
        let help = read(&text).expect_err(&text).problems[0].help.clone().unwrap();
        assert!(help.starts_with(said), "{text}\n{help}");
    }
}

#[test]
fn contact_of_bodies_that_makes_no_sense() {
    for (contact, said) in [
        ("{ thickness = 0 }", "`bodies[0].contact.thickness` must be greater than 0"),
        ("{ friction = -1 }", "`bodies[0].contact.friction` must be"),
        ("{ groups = [''] }", "\"\" is no name"),
        ("{ ignores = ['nobody'] }", "there is no body and no group called \"nobody\" to ignore"),
    ] {
        let error = read(&format!("{BAR}contact = {contact}")).expect_err(contact);
        let message = &error.problems[0].message;
        assert!(message.starts_with(said), "{contact}: {message}");
    }
    for fine in ["true", "false", "{ self = false }", "{ groups = ['a'], ignores = ['a', 'bar'] }"]
    {
        read(&format!("{BAR}contact = {fine}")).unwrap_or_else(|e| panic!("{fine}: {e}"));
    }
}

#[test]
fn tracks_that_make_no_sense() {
    let problem = |track: &str| {
        let text = format!("{BAR}[output]\ntrack = [{{ name = 'a', vertex = 0 }}, {track}]");
        let error = read(&text).expect_err(track);
        (error.problems[0].message.clone(), error.problems[0].line)
    };
    let only = "what is tracked has only one of `vertex`, `point` and `region`";
    for (track, message) in [
        ("{ name = 'b' }", "what is tracked needs one of `vertex`, `point` and `region`"),
        ("{ name = 'b', vertex = 1, point = [0, 0, 0] }", only),
        ("{ vertex = 1 }", "the key `name` is missing"),
        ("{ name = 'a', vertex = 1 }", "\"a\" is tracked twice"),
        ("{ name = 'center', vertex = 1 }", "the table has columns called \"center\" already"),
        ("{ name = ' ', vertex = 1 }", "`output.track[1].name` is empty"),
        ("{ name = 'b,c', vertex = 1 }", "\"b,c\" cannot be the name of columns"),
        ("{ name = 'b', point = [0, nan, 0] }", "`output.track[1].point` must be finite, not NaN"),
        (
            "{ name = 'b', region = { sphere = { center = [0, 0, 0], radius = 0 } } }",
            "`output.track[1].region.sphere.radius` must be greater than 0, not 0 m",
        ),
        ("{ name = 'b', region = 7 }", "expected a table with one key"),
    ] {
        assert_eq!(problem(track), (message.to_owned(), Some(5)));
    }
}

#[test]
fn two_spellings_are_one_key() {
    let text = format!("{BAR}[output.picture]\ncolor = 'stress'\n[world.box]\ncentre = [1, 2, 3]");
    let scene = read(&text).unwrap();
    assert_eq!(scene.output.picture.colour, PictureColour::Stress);
    assert_eq!(scene.world.bounds.unwrap().center, Some([1.0, 2.0, 3.0]));
    let replaced = read_with(&text, &["output.picture.color=speed"]).unwrap();
    assert_eq!(replaced.output.picture.colour, PictureColour::Speed);
    let table = read_with(&text, &["output.picture={color='force'}"]).unwrap();
    assert_eq!(table.output.picture.colour, PictureColour::Force);
    refused(
        &format!("{BAR}[output.picture]\ncolour = 'stress'\ncolor = 'speed'"),
        "\
error: `color` and `colour` are the same key
 --> scene.toml:6:1
  |
6 | color = 'speed'
  | ^^^^^
  |
  = help: keep one of them",
    );
}

#[test]
fn unit_in_the_value() {
    refused(
        &format!("{BAR}[world]\ntimestep = \"4 ms\"\n"),
        "\
error: expected a number, found string \"4 ms\" (`world.timestep`)
 --> scene.toml:5:12
  |
5 | timestep = \"4 ms\"
  |            ^^^^^^
  |
  = help: write the plain number; its unit is given in docs/scenes.md",
    );
}

#[test]
fn a_timestep_in_which_nothing_moves() {
    refused(
        &format!("{BAR}[world]\ntimestep = 1e-30\n"),
        "\
error: `world.timestep` must be at least 1e-12 s, not 1e-30 s
 --> scene.toml:5:12
  |
5 | timestep = 1e-30
  |            ^^^^^
  |
  = help: in less time nothing moves that numbers could tell; 4 ms is 0.004",
    );
}

#[test]
fn numbers_out_of_range_are_all_reported() {
    refused(
        &format!("{BAR}[world]\ntimestep = -0.004\ndamping = nan\nbox = {{ restitution = 2 }}"),
        "\
error: `world.damping` must be finite, not NaN
 --> scene.toml:6:11
  |
6 | damping = nan
  |           ^^^

error: `world.timestep` must be greater than 0, not -0.004 s
 --> scene.toml:5:12
  |
5 | timestep = -0.004
  |            ^^^^^^

error: `world.box.restitution` must be between 0 and 1, not 2
 --> scene.toml:7:23
  |
7 | box = { restitution = 2 }
  |                       ^",
    );
}

#[test]
fn two_numbers_instead_of_three() {
    refused(
        &format!("{BAR}[world]\ngravity = [0, -9.81]\n"),
        "\
error: expected three numbers, found 2 of them (`world.gravity`)
 --> scene.toml:5:11
  |
5 | gravity = [0, -9.81]
  |           ^^^^^^^^^^",
    );
}

#[test]
fn negative_count() {
    refused(
        &format!("{BAR}[world]\nsubsteps = -1\n"),
        "\
error: expected a whole number from 1 to 10000, found integer `-1` (`world.substeps`)
 --> scene.toml:5:12
  |
5 | substeps = -1
  |            ^^",
    );
}

#[test]
fn negative_iterations() {
    refused(
        &format!("{BAR}[world.implicit]\nmax_iterations = -1\n"),
        "\
error: expected a whole number from 1 to 100000, found integer `-1` (`world.implicit.max_iterations`)
 --> scene.toml:5:18
  |
5 | max_iterations = -1
  |                  ^^",
    );
}

#[test]
fn tolerances_that_are_none() {
    let range = "must be greater than 0 and at most 1";
    for (value, problem) in [
        ("-1.0", format!("{range}, not -1")),
        ("0.0", format!("{range}, not 0")),
        ("1.5", format!("{range}, not 1.5")),
        ("nan", "must be finite, not NaN".into()),
    ] {
        let text = format!("{BAR}[world.implicit]\ntolerance = {value}\n");
        let problems = read(&text).expect_err(&text).problems;
        assert_eq!(problems.len(), 1, "{problems:?}");
        let wanted = format!("`world.implicit.tolerance` {problem}");
        assert!(problems[0].message.contains(&wanted), "{problems:?}");
    }
}

#[test]
fn unknown_integrator() {
    refused(
        &format!("{BAR}[world]\nintegrator = \"leapfrog\"\n"),
        "\
error: unknown choice `leapfrog` (`world.integrator`)
 --> scene.toml:5:14
  |
5 | integrator = \"leapfrog\"
  |              ^^^^^^^^^^
  |
  = help: did you mean `leap-frog`? known here: `explicit-euler`, `symplectic-euler`, `verlet`, \
`leap-frog`, `velocity-verlet`, `beeman`, `heun`, `rk2`, `rk4`, `implicit-euler`",
    );
}

#[test]
fn two_masses() {
    refused(
        &format!("{BAR}material = {{ mass = {{ density = 1000, total = 2 }} }}\n"),
        "\
error: expected only one key (`bodies[0].material.mass`)
 --> scene.toml:4:21
  |
4 | material = { mass = { density = 1000, total = 2 } }
  |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write { vertex = kg }, { total = kg } or { density = kg/m³ }",
    );
}

#[test]
fn mass_without_its_kind() {
    refused(
        &format!("{BAR}[bodies.material]\nmass = 2\n"),
        "\
error: expected a table with one key (`bodies[0].material.mass`)
 --> scene.toml:5:8
  |
5 | mass = 2
  |        ^
  |
  = help: write { vertex = kg }, { total = kg } or { density = kg/m³ }",
    );
}

#[test]
fn mistakes_in_shapes() {
    let shape = |shape: &str| format!("[[bodies]]\nshape = {shape}\n");
    refused(
        &shape("{ kind = \"bal\", radius = 1, cell = 0.1 }"),
        "\
error: unknown choice `bal` (`bodies[0].shape.kind`)
 --> scene.toml:2:18
  |
2 | shape = { kind = \"bal\", radius = 1, cell = 0.1 }
  |                  ^^^^^
  |
  = help: did you mean `bar`? known here: `bar`, `irregular-bar`, `phantom`, `ball`, `cylinder`, `torus`, \
`capsule`, `tube`, `star`, `bunny`, `blob`, `knot`, `cloth`, `cape`, `skirt`, `skirt-panels`, `tshirt`",
    );
    refused(
        &shape("{ kind = \"ball\", radius = 1, cells = 0.1 }"),
        "\
error: unknown key `cells` (`bodies[0].shape.cells`)
 --> scene.toml:2:38
  |
2 | shape = { kind = \"ball\", radius = 1, cells = 0.1 }
  |                                      ^^^^^
  |
  = help: did you mean `cell`? known here: `radius`, `cell`",
    );
    refused(
        &shape("{ cells = [1, 1, 1], size = [1, 1, 1] }"),
        "\
error: the key `kind` is missing (`bodies[0].shape`)
 --> scene.toml:2:9
  |
2 | shape = { cells = [1, 1, 1], size = [1, 1, 1] }
  |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    );
    refused(
        &shape("{ kind = \"bar\", cells = [4000, 4000, 1], size = [1, 1, 1] }"),
        "\
error: the scene would have about 9.6e7 elements, more than 5e7 (`bodies[0]`)
 --> scene.toml:1:1
  |
1 | [[bodies]]
  | ^^^^^^^^^^
  |
  = help: use fewer or larger cells, or fewer copies",
    );
}

#[test]
fn body_without_mesh() {
    refused(
        "[[bodies]]\nname = 'ghost'\n",
        "\
error: a body needs either `mesh` or `shape` (`bodies[0]`)
 --> scene.toml:1:1
  |
1 | [[bodies]]
  | ^^^^^^^^^^",
    );
    refused(
        "",
        "error: the scene has no bodies (`bodies`)\n--> scene.toml\n = help: add [[bodies]] with `mesh` or `shape`",
    );
}

#[test]
fn duplicate_names() {
    refused(
        &format!("{BAR}\n{BAR}"),
        "\
error: bodies 0 and 1 are both called \"bar\" (`bodies[1].name`)
 --> scene.toml:6:8
  |
6 | name = 'bar'
  |        ^^^^^
  |
  = help: give each body its own name",
    );
}

#[test]
fn syntax() {
    refused(
        "[world\ntimestep = 1\n",
        "\
error: unclosed table, expected `]`
 --> scene.toml:1:7
  |
1 | [world
  |       ^",
    );
}

#[test]
fn poisson_ratios_that_cannot_be() {
    let problem = |material: &str| {
        let scene = read(&format!("{BAR}material = {{ {material} }}\n"));
        let error = scene.and_then(|s| s.validate()).expect_err(material);
        assert_eq!(error.problems.len(), 1, "{error}");
        (error.problems[0].message.clone(), error.problems[0].help.clone().unwrap())
    };
    let (message, help) = problem("stiffness = { young = 1e4 }, volume = { poisson = 0.2 }");
    assert_eq!(message, "`bodies[0].material.volume.poisson` must be 0.25 to 0.49, not 0.2");
    assert!(help.starts_with("springs alone have 0.25"), "{help}");
    let (message, help) = problem("stiffness = { young = 1e4 }, volume = { poisson = 0.5 }");
    assert_eq!(message, "`bodies[0].material.volume.poisson` must be 0.25 to 0.49, not 0.5");
    assert!(help.contains("0.4 suits soft stuff"), "{help}");
    let (message, help) = problem("volume = { poisson = 0.4 }");
    assert_eq!(message, "`bodies[0].material.volume.poisson` needs Young's modulus");
    assert_eq!(help, "write `stiffness = { young = Pa }`");
    let (message, help) = problem("stiffness = { young = 1e4, poisson = 0.4 }");
    assert_eq!(message, "expected only one key");
    assert!(help.ends_with("Poisson's ratio is `volume = { poisson = 0.4 }`"), "{help}");
    let cloth = "[[bodies]]\nshape = { kind = 'cloth', cells = [2, 2], size = [1, 1] }\n\
                 material = { stiffness = { young = 1e4 }, volume = { poisson = 0.4 } }\n";
    let error = read(cloth).and_then(|s| s.validate()).unwrap_err();
    assert!(error.problems[0].message.ends_with("and cloth has none"), "{error}");
}

#[test]
fn lock_regions() {
    refused(
        &format!("{BAR}locks = [\"all\", {{ kind = \"box\", min = [0, 0, 0], max = [1, 1, 1] }}]"),
        "\
error: expected only one key (`bodies[0].locks[1]`)
 --> scene.toml:4:17
  |
4 | locks = [\"all\", { kind = \"box\", min = [0, 0, 0], max = [1, 1, 1] }]
  |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: a region is \"all\", { box = { min = …, max = … } }, { sphere = { center = …, radius = … } }, \
{ half_space = { point = …, normal = … } }, { group = \"name\" }, { flag = \"array\" } or { points = […] }",
    );
    refused(
        &format!("{BAR}locks = [{{ box = {{ min = [0, 0, 0], max = [1, -1, 1] }} }}]"),
        "\
error: `bodies[0].locks[0].box.max` must not lie below `min`
 --> scene.toml:4:43
  |
4 | locks = [{ box = { min = [0, 0, 0], max = [1, -1, 1] } }]
  |                                           ^^^^^^^^^^",
    );
}

#[test]
fn actions_out_of_order_or_impossible() {
    let text = format!(
        "{BAR}
[[actions]]
start = 3
set = {{ key = 'world.integrator', value = 3 }}
[[actions]]
start = 2
set = {{ key = 'world.timestep', value = 0 }}"
    );
    let error = read(&text).unwrap_err();
    let found = error.problems.iter().map(|p| (p.path.as_str(), p.message.as_str(), p.line));
    let expected = [
        ("actions[0].set.key", "`world.integrator` cannot change while running", Some(7)),
        ("actions[1].start", "`actions[1].start` is 2 s, before that of the action above", Some(9)),
        ("actions[1].set.value", "`world.timestep` must be greater than 0, not 0 s", Some(10)),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn missing_mesh_file() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.toml");
    std::fs::write(folder.path().join("bunny.node"), "").unwrap();
    std::fs::write(&scene, "[[bodies]]\nmesh = 'buny.node'\n").unwrap();
    let problem = Scene::load(&scene).unwrap_err().problems.remove(0);
    let wanted = folder.path().join("buny.node");
    assert_eq!(problem.message, format!("there is no mesh file {}", wanted.display()));
    assert_eq!((problem.path.as_str(), problem.line), ("bodies[0].mesh", Some(2)));
    assert!(problem.help.unwrap().starts_with("did you mean `bunny.node`?"));

    let fixed = Overrides::parse(["bodies[0].mesh=bunny.node"]).unwrap();
    let loaded = Scene::load_with(&scene, &fixed).unwrap();
    let path = folder.path().join("bunny.node");
    assert_eq!(loaded.bodies[0].source, Source::Mesh { path, group: None });
    assert_eq!(loaded.bodies[0].name, "bunny");

    let error = Scene::load(folder.path().join("absent.toml")).unwrap_err().to_string();
    assert!(error.contains("cannot be read") && error.contains("absent.toml"), "{error}");
}

#[test]
fn colours_only_when_asked_for() {
    let error = read("[world]\nx = 1").unwrap_err();
    assert!(!error.to_string().contains('\u{1b}'));
    assert!(error.render(true).contains('\u{1b}'));
}

#[test]
fn pictures_that_cannot_be_drawn() {
    let problem = |keys: &str| {
        let error = read(&format!("{BAR}[output.picture]\n{keys}\n")).expect_err(keys);
        error.problems[0].message.clone()
    };
    assert_eq!(
        problem("size = [0, 720]"),
        "`output.picture.size` must be from 1 to 16384 pixels each way"
    );
    assert_eq!(problem("fps = 5000"), "`output.picture.fps` must be from 0.1 to 1000, not 5000");
    assert_eq!(
        problem("colour = 'force'\nrange = [1, 2]"),
        "the range of forces begins at 0, not at 1"
    );
    assert_eq!(problem("colour = 'red'"), "unknown choice `red`");
    assert_eq!(
        problem("camera.field_of_view = 180"),
        "`output.picture.camera.field_of_view` must be from 0.01° to 175°, not 180°"
    );
    assert_eq!(
        problem("camera.up = [0, 0, 0]"),
        "`output.picture.camera.up` must not be zero: it gives a direction"
    );
    for (keys, message) in [
        (
            "volume.transfer = 'brain'",
            "there is no transfer function \"brain\"; there are: `tissue`, `skin-and-bone`, \
             `rainbow`, `viridis`, `heat`, `x-ray`",
        ),
        ("volume.transfer = []", "`output.picture.volume.transfer` needs 1 to 64 points, not 0"),
        (
            "volume.transfer = [{ at = 2, colour = '#000000', density = 0 }]",
            "`output.picture.volume.transfer[0].at` must be between 0 and 1, not 2",
        ),
        (
            "volume.transfer = [{ at = 0, colour = 'red', density = 0 }]",
            "\"red\" is no colour; write six hexadecimal digits such as \"#d98a68\"",
        ),
        (
            "volume.opacity = -1",
            "`output.picture.volume.opacity` must be from 0 to 1000000, not -1",
        ),
        ("volume.iso = [nan]", "`output.picture.volume.iso[0]` must be finite, not NaN"),
        (
            "volume.slice = { normal = [0, 0, 0] }",
            "`output.picture.volume.slice.normal` must not be zero: it gives a direction",
        ),
        ("volume.quality = 'best'", "unknown choice `best`"),
        ("colour = { field = 3 }", "expected a string, found integer `3`"),
    ] {
        assert_eq!(problem(keys), message);
    }
    let error = read(&format!("{BAR}[output.picture.volume]\n\nopacity = nan\n")).unwrap_err();
    assert_eq!(error.problems[0].line, Some(6), "it names the line");
    let error =
        read(&format!("{BAR}[output]\nmp4 = true\npicture.size = [9000, 9000]")).unwrap_err();
    assert_eq!(error.problems[0].message, "an MP4 cannot have 9000 × 9000 pixels");
    let odd = read(&format!("{BAR}[output.picture]\nrange = [0, 1]")).unwrap().validate().unwrap();
    assert_eq!(odd[0].path, "output.picture.range");
}

#[test]
fn colliders_that_cannot_be() {
    let plane = "shape = { kind = 'plane' }\n";
    for (collider, path, said) in [
        ("friction = 0", "colliders[0]", "a collider needs either `mesh` or `shape`"),
        ("shape = { radius = 1 }", "colliders[0].shape", "the key `kind` is missing"),
        ("shape = { kind = 'sphere' }", "colliders[0].shape", "the key `radius` is missing"),
        (
            "shape = { kind = 'mesh', file = 'x' }",
            "colliders[0].shape.kind",
            "write `mesh = \"bunny.ply\"` instead",
        ),
        ("shape = { kind = 'plane' }\nmesh = 'a.obj'", "colliders[0]", "not both"),
        ("shape = { kind = 'plane' }\nscale = 2", "colliders[0]", "`scale` belongs to `mesh`"),
        ("mesh = ''", "colliders[0].mesh", "empty"),
        ("mesh = 'a.obj'\nscale = 0", "colliders[0].scale", "greater than 0"),
        ("mesh = { kind = 'cone' }", "colliders[0].mesh.kind", "unknown choice `cone`"),
        (
            "mesh = { kind = 'ball', radius = 1, cell = 0 }",
            "colliders[0].mesh.cell",
            "greater than 0",
        ),
        (
            "mesh = 'a*.obj'\nmotion = { interval = 0 }",
            "colliders[0].motion.interval",
            "greater than 0",
        ),
        (
            "motion = { animation = 'a' }\n",
            "colliders[0].motion",
            "for meshes that are read from a glTF file",
        ),
        (
            "mesh = { kind = 'ball', radius = 1, cell = 1 }\nmotion = { interval = 1 }",
            "colliders[0].motion",
            "for meshes that are read from a series",
        ),
        ("shape = { kind = 'cone' }", "colliders[0].shape.kind", "unknown choice `cone`"),
        ("shape = { kind = 'plane', hollow = true }", "colliders[0].shape.hollow", "unknown key"),
        ("shape = { kind = 'sphere', radius = 0 }", "colliders[0].shape.radius", "greater than 0"),
        (
            "shape = { kind = 'box', size = [1, -1, 1] }",
            "colliders[0].shape.size",
            "greater than 0",
        ),
        (
            "shape = { kind = 'capsule', radius = 1, length = inf }",
            "colliders[0].shape.length",
            "finite",
        ),
        (
            "shape = { kind = 'height-map', size = [1, 1] }",
            "colliders[0].shape",
            "needs either `file` or `heights`",
        ),
        (
            "shape = { kind = 'height-map', size = [1, 1], file = 'a', heights = [[0, 1], [0, 1]] }",
            "colliders[0].shape",
            "not both",
        ),
        (
            "shape = { kind = 'height-map', size = [1, 1], heights = [[0, 1], [0]] }",
            "colliders[0].shape.heights",
            "rows of equal length",
        ),
        (
            "shape = { kind = 'height-map', size = [1, 1], heights = [[0, 1], [0, nan]] }",
            "colliders[0].shape.heights[1]",
            "finite",
        ),
        (
            "shape = { kind = 'height-map', size = [1, 1], heights = [[0, 1], [0, 1]], height = 0 }",
            "colliders[0].shape.height",
            "leaves no heights",
        ),
        (
            "shape = { kind = 'sphere', radius = 1, hollow = true }\nthickness = 1",
            "colliders[0].shape",
            "no room inside",
        ),
        ("friction = -1\n", "colliders[0].friction", "0"),
        ("restitution = 1.5\n", "colliders[0].restitution", "between 0 and 1"),
        ("thickness = nan\n", "colliders[0].thickness", "finite"),
        ("translate = [0, inf, 0]\n", "colliders[0].translate", "finite"),
        ("name = 'a,b'\n", "colliders[0].name", "cannot be the name of columns"),
        (
            "motion = { velocity = [0, 0, 1], keyframes = [] }\n",
            "colliders[0].motion",
            "not two of them",
        ),
        (
            "motion = { repeat = true }\n",
            "colliders[0].motion",
            "`repeat` belongs to `keyframes`, `interval` or `animation`",
        ),
        ("motion = { keyframes = [] }\n", "colliders[0].motion.keyframes", "is empty"),
        (
            "motion = { keyframes = [{ time = 1 }, { time = 1 }] }\n",
            "colliders[0].motion.keyframes[1].time",
            "must be later",
        ),
        ("motion = { spin = [0, nan, 0] }\n", "colliders[0].motion.spin", "finite"),
    ] {
        let shape = if ["shape", "mesh"].iter().any(|key| collider.contains(key))
            || collider == "friction = 0"
        {
            ""
        } else {
            plane
        };
        let text = format!("{BAR}[[colliders]]\n{shape}{collider}");
        let problem = read(&text).expect_err(&text).problems.remove(0);
        assert_eq!(problem.path, path, "{text}\n{problem:?}");
        assert!(problem.message.contains(said), "{text}\n{problem:?}");
    }
    let twice = format!("{BAR}[[colliders]]\n{plane}name = 'a'\n[[colliders]]\n{plane}name = 'a'");
    assert!(read(&twice).unwrap_err().to_string().contains("are both called \"a\""));
    let many = format!("[[colliders]]\n{plane}").repeat(65);
    assert!(
        read(&format!("{BAR}{many}"))
            .unwrap_err()
            .to_string()
            .contains("65 colliders, more than 64")
    );
    let odd = format!(
        "{BAR}[[colliders]]\n{plane}motion = {{ keyframes = [{{ time = 0 }}, {{ time = 1, \
         rotate = [180, 0, 0] }}], repeat = true }}"
    );
    let warnings = read(&odd).unwrap().validate().unwrap();
    let paths = warnings.iter().map(|w| w.path.as_str()).collect::<Vec<_>>();
    assert_eq!(paths, ["colliders[0].motion.keyframes[1].rotate", "colliders[0].motion.repeat"]);
}
