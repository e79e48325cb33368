//! Values from the command line.

use super::*;

#[test]
fn values_replace_those_of_the_file() {
    let text = format!("{BAR}[world]\ndamping = 1\n[run]\nduration = 3");
    let scene = read_with(
        &text,
        &[
            "world.gravity=[0, 0, -1]",
            "world.damping = 0",
            "world.integrator=rk4",
            "bodies.bar.material.stiffness.young=5e4",
            "bodies[0].material.mass={total=2}",
            "bodies[0].shape.cells[0]=7",
            "output.every.steps=5",
            "run.steps=100",
            "name=two words",
        ],
    )
    .unwrap();
    assert_eq!(scene.world.gravity, [0.0, 0.0, -1.0]);
    assert_eq!(scene.world.damping, 0.0);
    assert_eq!(scene.world.integrator, Integrator::Rk4);
    assert_eq!(scene.bodies[0].material.stiffness, Stiffness::Young(5e4));
    assert_eq!(scene.bodies[0].material.mass, Mass::Total(2.0));
    assert_eq!(scene.bodies[0].source, Source::Shape(Shape::bar([7, 1, 1], [2.0, 1.0, 1.0])));
    assert_eq!(scene.output.every, Every::Steps(5));
    assert_eq!(scene.run, RunPlan { duration: None, steps: Some(100) });
    assert_eq!(scene.name, "two words");
}

#[test]
fn choices_replace_each_other() {
    let text = format!(
        "{BAR}material = {{ mass = {{ density = 1000 }}, volume = 'none' }}\n[world]\nbox = [1, 2, 3]"
    );
    let sets = [
        "bodies[0].material.mass.total=3",
        "bodies[0].material.volume.modulus=7",
        "world.box.friction=0.5",
        "bodies[0].mesh=bunny.node",
    ];
    let scene = read_with(&text, &sets).unwrap();
    let body = &scene.bodies[0];
    assert_eq!(body.material.mass, Mass::Total(3.0));
    assert_eq!(body.material.volume, Volume::Energy(7.0));
    assert_eq!(body.source, Source::Mesh { path: "bunny.node".into(), group: None });
    let walls = scene.world.bounds.unwrap();
    assert_eq!((walls.size, walls.friction), ([1.0, 2.0, 3.0], 0.5));
}

#[test]
fn what_is_replaced_is_known() {
    let overrides = Overrides::parse(["world.timestep=1", "run={steps=3}"]).unwrap();
    assert!(overrides.replaces("world.timestep") && overrides.replaces("run.duration"));
    assert!(!overrides.replaces("world.time") && !overrides.replaces("world"));
}

#[test]
fn names_with_dots_are_quoted_and_later_values_win() {
    let text = BAR.replace("'bar'\n", "'a.b=c'\n");
    let sets = ["bodies.\"a.b=c\".scale=2", "bodies.\"a.b=c\".scale=3"];
    assert_eq!(read_with(&text, &sets).unwrap().bodies[0].scale, Scale::Uniform(3.0));
}

#[test]
fn bodies_without_a_name_go_by_their_mesh_or_shape() {
    let text = "[[bodies]]\nmesh='a/bunny.node'\n[[bodies]]\nshape={kind='ball',radius=1,cell=1}";
    let scene = read_with(text, &["bodies.bunny.scale=2", "bodies.ball.shape.radius=3"]).unwrap();
    assert_eq!(scene.bodies[0].scale, Scale::Uniform(2.0));
    assert_eq!(scene.bodies[1].source, Source::Shape(Shape::Ball { radius: 3.0, cell: 1.0 }));
}

#[track_caller]
fn refused(set: &str, expected: &str) {
    let text = format!("{BAR}[world]\ndamping = 1\n");
    let error = read_with(&text, &[set]).expect_err(set);
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.problems[0].set.as_deref(), Some(set));
    assert_eq!(error.problems[0].line, None);
}

#[test]
fn wrong_keys_are_named_with_those_that_exist() {
    refused(
        "run.stesp=3",
        "\
error: unknown key `stesp` (`run.stesp`)
--> --set run.stesp=3
 = help: did you mean `steps`? known here: `duration`, `steps`",
    );
    let said = |set: &str| read_with(BAR, &[set]).expect_err(set).problems[0].help.clone().unwrap();
    let help = said("young=1e5");
    assert!(help.starts_with("did you mean `bodies[0].material.stiffness.young`?"), "{help}");
    let help = said("bodies.bar.young=1e5");
    assert!(help.starts_with("did you mean `bodies[0].material.stiffness.young`?"), "{help}");
    let help = said("gravity=[0,0,-1]");
    assert!(help.starts_with("did you mean `world.gravity`?"), "{help}");
    assert_eq!(said("bodies.scale=2"), "say of which: `bodies.bar.scale`");
    refused(
        "bodies.bra.scale=2",
        "\
error: nothing in `bodies` is called `bra`
--> --set bodies.bra.scale=2
 = help: did you mean `bar`? there are: `bar`",
    );
    refused(
        "bodies[1].scale=2",
        "\
error: `bodies` has no element 1
--> --set bodies[1].scale=2
 = help: it has 1, counted from 0",
    );
    refused(
        "world.damping.x=2",
        "\
error: `world.damping` is a single integer, so it has no `x`
--> --set world.damping.x=2
 = help: set `world.damping` itself",
    );
}

#[test]
fn wrong_values_name_the_override() {
    refused(
        "world.timestep=-4e-3",
        "\
error: `world.timestep` must be greater than 0, not -0.004 s
--> --set world.timestep=-4e-3",
    );
    refused(
        "world.timestep=fast",
        "\
error: expected a number, found string \"fast\" (`world.timestep`)
--> --set world.timestep=fast
 = help: write the plain number; its unit is given in docs/scenes.md",
    );
    refused(
        "world.gravity=[0,0",
        "\
error: unclosed array, expected `]`
--> --set world.gravity=[0,0",
    );
}

#[test]
fn malformed_overrides_are_refused_at_once() {
    for (set, expected) in [
        ("world.gravity", "expected `path=value`"),
        ("=3", "expected a key at \"\""),
        ("world..gravity=3", "expected a key at \".gravity\""),
        ("world.=3", "expected `.` or `[` at \".\""),
        ("bodies[x].scale=3", "expected a whole number in brackets at \"[x].scale\""),
        ("bodies[0.scale=3", "expected a whole number in brackets at \"[0.scale\""),
        ("world.damping=", "the value is empty"),
    ] {
        let error = Overrides::parse([set]).unwrap_err();
        assert_eq!(error.problems[0].message, expected, "{set}");
    }
}
