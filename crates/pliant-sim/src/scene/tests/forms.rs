//! What may be written, and that it reads back.

use std::path::PathBuf;

use super::*;

/// One shape of each kind.
fn shapes() -> Vec<Shape> {
    vec![
        Shape::Bar { cells: [1, 2, 3], size: [1.0, 2.0, 3.0], split: Split::Five },
        Shape::IrregularBar { cells: [3, 2, 1], size: [3.0, 2.0, 1.0], seed: 7 },
        Shape::Ball { radius: 1.0, cell: 0.25 },
        Shape::Cylinder { radius: 1.0, length: 2.0, cell: 0.25 },
        Shape::Torus { radius: 1.0, tube: 0.25, cell: 0.125 },
        Shape::Capsule { radius: 1.0, length: 2.0, cell: 0.25 },
        Shape::Tube { inner: 0.5, outer: 1.0, length: 2.0, cell: 0.25 },
        Shape::Star { radius: 1.0, thickness: 0.5, cell: 0.125 },
        Shape::Phantom { cells: [4, 5, 6], size: [0.4, 0.5, 0.6] },
        Shape::Bunny { height: 1.0, cell: 0.04 },
        Shape::Blob { radius: 1.0, cell: 0.25, seed: 3 },
        Shape::Knot { radius: 0.5, tube: 0.0625, cell: 0.03125 },
        Shape::Cloth { cells: [8, 9], size: [0.8, 0.9] },
        Shape::Cape { neck: 0.09, length: 0.7, opening: 60.0, clasp: 0.08, cell: 0.05 },
        Shape::Skirt { waist: 0.75, hem: 1.5, length: 0.5, depth: 0.75, cell: 0.05 },
        Shape::SkirtPanels { waist: 0.75, hem: 1.5, length: 0.5, gap: 0.5, cell: 0.05 },
        Shape::Tshirt { chest: 1.0, length: 0.7, sleeve: 0.25, gap: 0.5, cell: 0.05 },
    ]
}

/// A scene in which nothing has its default value.
fn rich() -> Scene {
    let mut world = World {
        integrator: Integrator::VelocityVerlet,
        accumulation: Accumulation::EdgeScatter,
        bounds: Some(WorldBox { center: Some([1.0, 2.0, 3.0]), ..WorldBox::default() }),
        contact: Some(Contact {
            thickness: Some(0.002),
            within_bodies: false,
            ..Contact::default()
        }),
        wind: Some(Wind { seed: 7, ..Wind::default() }),
        shape_matching: Some(ShapeSettings::default()),
        auto_substeps: true,
        ..World::default()
    };
    for live in Live::ALL {
        let other = |n: f64| if live.is_count() { n + 2.0 } else { 0.5 * n + 0.015625 };
        let value = match live.get(&world).unwrap() {
            LiveValue::Number(n) => LiveValue::Number(other(n)),
            LiveValue::Vector(v) => LiveValue::Vector(v.map(other)),
        };
        live.set(&mut world, value).unwrap();
    }
    let organ = Body {
        name: "left kidney".into(),
        source: Source::Mesh { path: "organs/kidney.msh".into(), group: Some("left".into()) },
        cage: Some(Cage { cells: 9 }),
        skin: Some(Skin { source: Source::Shape(Shape::Ball { radius: 0.5, cell: 0.125 }) }),
        scale: Scale::Axes([1.0, 2.0, 0.5]),
        rotate: Rotation::AxisAngle { axis: [1.0, 1.0, 0.0], degrees: 30.0 },
        translate: [0.1, 0.2, 0.3],
        velocity: [1.0, 0.0, 0.0],
        spin: [0.0, 0.0, 6.25],
        material: Material {
            mass: Mass::Density(1050.0),
            stiffness: Stiffness::Young(20e3),
            volume: Volume::Poisson(0.4),
            damping: Damping::Coefficient(0.1),
        },
        locks: vec![
            Region::All,
            Region::Box { min: [0.0; 3], max: [1.0; 3] },
            Region::Sphere { center: [0.0; 3], radius: 0.5 },
            Region::HalfSpace { point: [0.0; 3], normal: [0.0, 0.0, -1.0] },
            Region::Group("hilum".into()),
            Region::Flag("lock".into()),
            Region::Points(vec![0, 7, 9]),
        ],
        tears: vec![Tear { region: Region::Flag("weak".into()), strength: 12.5 }],
        pins: vec![Pin {
            region: Region::Points(vec![1, 2]),
            motion: ColliderMotion::Steady { velocity: [0.1, 0.0, 0.0], spin: [0.0, 0.0, 2.0] },
            about: Some([0.0, 1.0, 0.0]),
        }],
        ignore_flags: true,
        implicit: true,
        contact: Some(BodyContact {
            thickness: Some(0.001),
            friction: Some(0.25),
            within_body: Some(false),
            groups: vec!["inner".into()],
            ignores: vec!["left kidney".into(), "inner".into()],
        }),
        strain_limit: None,
        shape_matching: None,
        copies: Some(Copies { count: [2, 3, 1], spacing: [1.0, 2.0, 0.0] }),
    };
    let mut bodies = vec![organ];
    let materials = [
        (Mass::Total(2.5), Volume::None, Damping::Time(0.001)),
        (Mass::Vertex(0.25), Volume::Energy(1e5), Damping::Time(0.0)),
        (Mass::Vertex(0.5), Volume::Thesis(25.0), Damping::Time(0.0)),
    ];
    for (i, shape) in shapes().into_iter().enumerate() {
        let (mass, volume, damping) = materials[i % 3];
        let stiffness = Stiffness::Spring(7.0 + i as f64);
        bodies.push(Body {
            name: shape.kind().into(),
            source: Source::Shape(shape),
            scale: Scale::Uniform(1.5),
            rotate: Rotation::Euler([0.0, 45.0, 90.0]),
            material: Material { mass, stiffness, volume, damping },
            ..Body::default()
        });
    }
    Scene {
        name: "everything".into(),
        world,
        bodies,
        colliders: colliders(),
        mannequins: Vec::new(),
        seams: vec![Seam {
            name: "hem".into(),
            from: SeamSide { body: "cloth".into(), region: Region::Points(vec![0, 1]) },
            to: SeamSide { body: "cloth".into(), region: Region::Points(vec![5, 6]) },
            force: 0.5,
            time: 0.2,
            weld: false,
            tolerance: Some(0.001),
            breaks: Some(3.0),
            within: Some(0.1),
        }],
        actions: actions(),
        run: RunPlan { duration: Some(2.5), steps: None },
        output: Output {
            folder: Some(PathBuf::from("out")),
            every: Every::Steps(10),
            vtu: true,
            glb: true,
            obj: true,
            ply: true,
            csv: true,
            contacts: true,
            track: vec![
                Track { name: "tip".into(), body: Some("bar".into()), part: TrackPart::Vertex(3) },
                Track { name: "near".into(), body: None, part: TrackPart::Point([0.5, 0.0, 1.0]) },
                Track {
                    name: "clamp".into(),
                    body: Some("bar".into()),
                    part: TrackPart::Region(Region::Group("left".into())),
                },
            ],
            png: true,
            gif: true,
            mp4: true,
            sheet: true,
            checkpoint_every: Some(1000),
            picture: Picture {
                size: [640, 360],
                fps: Some(12.5),
                colour: PictureColour::Stress,
                range: Some([0.0, 2e3]),
                contacts: true,
                wind: true,
                cages: true,
                volume: Some(volume()),
                camera: PictureCamera {
                    direction: [0.0, -1.0, 0.0],
                    target: Some([1.0, 2.0, 3.0]),
                    distance: Some(4.0),
                    up: [0.0, 1.0, 0.5],
                    field_of_view: 50.0,
                },
            },
        },
    }
}

fn colliders() -> Vec<Collider> {
    let ground = |file, heights| {
        ColliderShape::HeightMap(ColliderGround { file, heights, size: [2.0, 3.0], height: 0.25 })
    };
    let mesh =
        |source| ColliderShape::Mesh(ColliderMesh { source, scale: Scale::Axes([1.0, 2.0, 0.5]) });
    let shapes = [
        ColliderShape::Plane {},
        ColliderShape::Sphere { radius: 0.5, hollow: true },
        ColliderShape::Capsule { radius: 0.5, length: 2.0, hollow: true },
        ColliderShape::Box { size: [1.0, 2.0, 3.0], hollow: true },
        ColliderShape::Cylinder { radius: 0.5, length: 2.0, hollow: true },
        ground(Some("alps.png".into()), None),
        ground(None, Some(vec![vec![0.0, 1.0], vec![2.0, 3.0]])),
        mesh(Source::Mesh { path: "hand.glb".into(), group: None }),
        mesh(Source::Mesh { path: "heart/*.obj".into(), group: None }),
        mesh(Source::Shape(Shape::Torus { radius: 1.0, tube: 0.25, cell: 0.125 })),
    ];
    let keyframe = |time: f64| Keyframe {
        time,
        translate: [time * (2.0 - time), 0.0, 1.0],
        rotate: Rotation::AxisAngle { axis: [0.0, 0.0, 1.0], degrees: 90.0 * time * (2.0 - time) },
    };
    let motions = [
        ColliderMotion::Steady { velocity: [1.0, 2.0, 3.0], spin: [0.5, 0.0, 0.0] },
        ColliderMotion::Keyframes { keyframes: [0.0, 1.0, 2.0].map(keyframe).into(), repeat: true },
    ];
    let motion = |i: usize| match i {
        7 => ColliderMotion::Animation { animation: "grasp".into(), repeat: true },
        8 => ColliderMotion::Series { interval: 0.125, repeat: false },
        9 => ColliderMotion::Walk(Walk {
            part: MannequinPart::LeftForearm,
            height: 1.5,
            pose: MannequinPose::A,
            start: 0.5,
            speed: 0.75,
            in_place: true,
            rotate: Rotation::Euler([0.0, 0.0, 90.0]),
        }),
        _ => motions[i % 2].clone(),
    };
    let collider = |(i, shape): (usize, ColliderShape)| Collider {
        name: format!("collider {i}"),
        shape,
        rotate: Rotation::Euler([0.0, 30.0, 0.0]),
        translate: [1.0, 2.0, 3.0],
        friction: 0.25,
        restitution: 0.75,
        thickness: 0.125,
        motion: Some(motion(i)),
    };
    shapes.into_iter().enumerate().map(collider).collect()
}

fn volume() -> PictureVolume {
    let point = |at, colour, density| TransferPoint { at, colour: Rgb(colour), density };
    PictureVolume {
        transfer: Some(Transfer::Points(vec![
            point(0.0, [0, 1, 255], 0.0),
            point(0.5, [16, 32, 0], 2.5),
            point(0.5, [255; 3], 9.0),
        ])),
        opacity: 0.5,
        iso: vec![
            PictureIso::new(80.0),
            PictureIso { value: 90.5, colour: Some(Rgb([1, 2, 3])), opacity: 0.25 },
        ],
        slice: Some(PictureSlice {
            normal: [0.0, 0.0, 1.0],
            point: Some([1.0, 2.0, 3.0]),
            clears: true,
        }),
        quality: PictureQuality::Fine,
    }
}

fn actions() -> Vec<Action> {
    let drag = |motion| {
        ActionKind::Drag(Drag { center: [1.0, 2.0, 3.0], radius: 0.5, motion, stiffness: 3.0 })
    };
    let push = Push { origin: [0.0; 3], direction: [1.0, 0.0, 0.0], radius: 0.25, force: 0.5 };
    let carry = |motion| ActionKind::Carry(Carry { collider: "collider 0".into(), motion });
    let set = |key: &str, value| ActionKind::Set(Set { key: key.into(), value });
    vec![
        Action { start: 0.0, end: None, kind: drag(DragMotion::Velocity([1.0, 0.0, 0.0])) },
        Action { start: 0.5, end: Some(1.0), kind: drag(DragMotion::Target([0.0, 0.0, 5.0])) },
        Action { start: 1.0, end: Some(2.0), kind: ActionKind::Push(push) },
        Action { start: 1.0, end: None, kind: carry(CarryMotion::Velocity([0.0, 0.5, 0.0])) },
        Action { start: 1.5, end: Some(2.0), kind: carry(CarryMotion::By([0.0, 0.5, 0.0])) },
        Action { start: 2.0, end: None, kind: set("world.damping", LiveValue::Number(2.0)) },
        Action { start: 2.0, end: None, kind: set("world.gravity", LiveValue::Vector([0.0; 3])) },
        Action { start: 2.0, end: None, kind: ActionKind::Open(OfSeam { seam: "hem".into() }) },
        Action { start: 2.5, end: None, kind: ActionKind::Close(OfSeam { seam: "hem".into() }) },
    ]
}

#[test]
fn everything_reads_back() {
    let scene = rich();
    assert_eq!(scene.validate().unwrap(), vec![]);
    let text = scene.to_toml().unwrap();
    assert_eq!(read(&text).unwrap_or_else(|e| panic!("{e}\n{text}")), scene);
    assert!(text.contains("kind = \"torus\""), "shapes are written as people write them");
}

#[test]
fn defaults_read_back() {
    let open = World { bounds: None, ..World::default() };
    let body = Body { name: "b".into(), ..Body::default() };
    let scene = Scene { world: open, bodies: vec![body], ..Scene::default() };
    assert_eq!(read(&scene.to_toml().unwrap()).unwrap(), scene);
}

#[test]
fn what_is_as_by_default_can_be_left_out() {
    for scene in [rich(), Scene { world: World { bounds: None, ..World::default() }, ..rich() }] {
        assert_eq!(read(&scene.to_short_toml().unwrap()).unwrap(), scene);
    }
    let mut body = Body { name: "b".into(), ..Body::default() };
    body.material.mass = Mass::Vertex(0.002);
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.world.damping = 2.0;
    let text = scene.to_short_toml().unwrap();
    assert_eq!(read(&text).unwrap(), scene);
    for line in text.lines().filter(|line| line.contains('=')) {
        let key = line.split(' ').next().unwrap();
        let told = ["name", "damping", "vertex", "kind", "cells", "size", "split"];
        assert!(told.contains(&key), "{key} is as by default:\n{text}");
    }
}

#[test]
fn short_forms_are_understood() {
    let text = "
        [world]
        box = [4, 5, 6]
        [[bodies]]
        mesh = 'bunny.node'
        scale = 2
        rotate = { axis = [0, 0, 1], degrees = 45 }
        material = { mass = { density = 1000 }, stiffness = { young = 20e3 }, volume = 'none' }
        [[bodies]]
        mesh = 'more/bunny.node'
        [output]
        every = 1
    ";
    let scene = read(text).unwrap();
    let walls = scene.world.bounds.unwrap();
    assert_eq!(walls.corners(), [[-2.0, -2.5, 0.0], [2.0, 2.5, 6.0]]);
    let body = &scene.bodies[0];
    assert_eq!(body.scale, Scale::Uniform(2.0));
    assert_eq!(body.material.mass, Mass::Density(1000.0));
    assert_eq!(body.material.stiffness, Stiffness::Young(20e3));
    assert_eq!(body.material.volume, Volume::None);
    assert_eq!(scene.output.every, Every::Seconds(1.0));
    let names = scene.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["bunny", "bunny-2"]);
}

#[test]
fn colliders_are_called_after_their_kind() {
    let sphere = "[[colliders]]\nshape = { kind = 'sphere', radius = 1 }\n";
    let scene =
        read(&format!("{BAR}{sphere}[[colliders]]\nshape.kind = 'plane'\n{sphere}")).unwrap();
    let names = scene.colliders.iter().map(|c| c.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["sphere", "plane", "sphere-2"]);
    assert_eq!(scene.colliders[1], Collider { name: "plane".into(), ..Collider::default() });
    let sets = ["colliders.plane.friction=0", "colliders[0].shape.radius=2"];
    let scene =
        read_with(&format!("{BAR}{sphere}[[colliders]]\nshape.kind = 'plane'"), &sets).unwrap();
    assert_eq!(scene.colliders[1].friction, 0.0);
    assert_eq!(scene.colliders[0].shape, ColliderShape::Sphere { radius: 2.0, hollow: false });
}

#[test]
fn the_box_has_several_forms() {
    let bounds = |value: &str| read(&format!("{BAR}[world]\nbox = {value}")).unwrap().world.bounds;
    assert_eq!(bounds("false"), None);
    assert_eq!(bounds("'none'"), None);
    assert_eq!(bounds("true"), Some(WorldBox::default()));
    assert_eq!(bounds("{}"), read(BAR).unwrap().world.bounds);
    let placed = bounds("{ size = [2, 2, 2], center = [0, 0, 0] }").unwrap();
    assert_eq!(placed.corners(), [[-1.0; 3], [1.0; 3]]);
}

#[test]
fn integrators_are_known_by_name() {
    for integrator in Integrator::ALL {
        assert_eq!(integrator.to_string().parse(), Ok(integrator));
        let text = format!("{BAR}[world]\nintegrator = '{integrator}'");
        assert_eq!(read(&text).unwrap().world.integrator, integrator);
    }
    assert!("rk3".parse::<Integrator>().unwrap_err().contains("rk2, rk4"));
}

#[test]
fn bodies_are_scaled_then_turned_then_moved() {
    let body = Body {
        scale: Scale::Axes([2.0, 1.0, 1.0]),
        rotate: Rotation::Euler([0.0, 0.0, 90.0]),
        translate: [0.0, 0.0, 5.0],
        ..Body::default()
    };
    assert_eq!(body.place([1.0, 0.0, 0.0]), [0.0, 2.0, 5.0]);
    assert_eq!(body.place([0.0, 1.0, 0.0]), [-1.0, 0.0, 5.0]);
    // About x first: y goes to z, which the turn about z then leaves alone.
    let turned = Body { rotate: Rotation::Euler([90.0, 0.0, 90.0]), ..Body::default() };
    assert_eq!(turned.place([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    // A third of a turn about the space diagonal takes x to y.
    let axis = Rotation::AxisAngle { axis: [1.0; 3], degrees: 120.0 };
    let p = Body { rotate: axis, ..Body::default() }.place([1.0, 0.0, 0.0]);
    assert!((0..3).all(|k| (p[k] - [0.0, 1.0, 0.0][k]).abs() < 1e-15), "{p:?}");
}

#[test]
fn copies_form_a_grid() {
    let copies = Copies { count: [2, 1, 2], spacing: [1.0, 9.0, 3.0] };
    let offsets = copies.offsets().collect::<Vec<_>>();
    assert_eq!(offsets, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0], [1.0, 0.0, 3.0]]);
    assert_eq!(Body::default().offsets(), [[0.0; 3]]);
}

#[test]
fn regions_include_their_boundary() {
    let sphere = Region::Sphere { center: [1.0, 0.0, 0.0], radius: 1.0 };
    assert_eq!(sphere.contains([2.0, 0.0, 0.0]), Some(true));
    assert_eq!(sphere.contains([2.1, 0.0, 0.0]), Some(false));
    let below = Region::HalfSpace { point: [0.0, 0.0, 1.0], normal: [0.0, 0.0, -3.0] };
    assert_eq!(below.contains([5.0, 5.0, 1.0]), Some(true));
    assert_eq!(below.contains([5.0, 5.0, 1.1]), Some(false));
    let cube = Region::Box { min: [0.0; 3], max: [1.0; 3] };
    assert_eq!(cube.contains([1.0, 0.0, 1.0]), Some(true));
    assert_eq!(cube.contains([1.0, -0.1, 1.0]), Some(false));
    // The end face of a turned bar is still on its plane.
    let turned = Body {
        rotate: Rotation::Euler([20.0, 30.0, 40.0]),
        translate: [0.1, 0.2, 0.3],
        ..Body::default()
    };
    let normal = Body { translate: [0.0; 3], ..turned.clone() }.place([1.0, 0.0, 0.0]);
    let end = Region::HalfSpace { point: turned.place([1.0, 0.0, 0.0]), normal };
    for p in [[1.0, 0.3, 0.7], [1.0, 0.9, 0.1], [1.0, 0.0, 1.0]] {
        assert_eq!(end.contains(turned.place(p)), Some(true));
    }
    assert_eq!(end.contains(turned.place([0.999_999, 0.3, 0.7])), Some(false));
    assert_eq!(Region::Group("g".into()).contains([0.0; 3]), None);
}

#[test]
fn times_become_steps() {
    let plan = RunPlan { duration: Some(1.0), steps: None };
    assert_eq!(plan.step_count(0.004), Some(250));
    assert_eq!(RunPlan { duration: None, steps: Some(7) }.step_count(0.004), Some(7));
    assert_eq!(RunPlan::default().step_count(0.004), None);
    assert_eq!(Every::Seconds(0.04).step_count(0.004), 10);
    assert_eq!(Every::Seconds(0.001).step_count(0.004), 1);
}

#[test]
fn meshes_made_in_code_cannot_be_written() {
    let source = Source::Inline(pliant_mesh::Mesh::default());
    let body = Body { name: "skin".into(), source, ..Body::default() };
    let scene = Scene { bodies: vec![body], ..Scene::default() };
    let error = scene.to_toml().unwrap_err().to_string();
    assert!(error.contains("\"skin\" was made in code"), "{error}");
}

#[test]
fn odd_numbers_are_pointed_out() {
    let text = format!(
        "{BAR}material = {{ mass = {{ density = 1 }} }}\n[world]\ntimestep = 4\ngravity = [0, 0, -9810]"
    );
    let warnings = read(&text).unwrap().validate().unwrap();
    let paths = warnings.iter().map(|w| w.path.as_str()).collect::<Vec<_>>();
    assert_eq!(paths, ["world.timestep", "world.gravity", "bodies[0].material.mass.density"]);
    assert_eq!(
        warnings[0].to_string(),
        "world.timestep: 4 s is very long; timesteps are in seconds, 4 ms is 0.004"
    );
}

#[test]
fn a_hand_that_is_at_its_target_at_once_is_pointed_out() {
    let drag = "drag = { center = [0, 0, 0], radius = 1, target = [0, 0, 1] }";
    let warnings =
        |more: &str| read(&format!("{BAR}[[actions]]\n{more}{drag}")).unwrap().validate().unwrap();
    let told = warnings("");
    assert_eq!(told[0].path, "actions[0].drag.target");
    assert!(told[0].message.contains("has no `end`"), "{told:?}");
    assert_eq!(warnings("end = 2\n"), []);
}

#[test]
fn shapes_have_the_volume_they_should() {
    use std::f64::consts::PI;
    // Corners lie on the surface of round shapes, so that meshes are a little smaller.
    let volumes = [6.0, 6.0, 4.0 / 3.0 * PI, 2.0 * PI, 2.0 * PI * PI / 16.0, 10.0 / 3.0 * PI];
    for (shape, volume) in shapes().iter().zip(volumes) {
        let mesh = shape.build().unwrap();
        let ratio = mesh.volume() / volume;
        assert!((0.93..1.000_001).contains(&ratio), "{}: {ratio}", shape.kind());
    }
}

#[test]
fn shapes_stay_below_their_estimate() {
    for shape in shapes() {
        let mesh = shape.build().unwrap();
        let (count, estimate) = (mesh.tets.len() + mesh.triangles.len(), shape.element_estimate());
        let ratio = count as f64 / estimate;
        assert!((0.3..=1.3).contains(&ratio), "{}: {count} of {estimate}", shape.kind());
    }
}

#[test]
fn shapes_stand_where_they_should() {
    let bunny = Shape::Bunny { height: 1.0, cell: 0.04 }.build().unwrap();
    let [low, high] = bunny.bounds().unwrap();
    assert!(low[2] > -0.01 && low[2] < 0.05, "the feet are on the ground: {low:?}");
    assert!(high[2] > 0.95 && high[2] < 1.05, "the ears are on top: {high:?}");
    assert!(bunny.volume() > 0.0);
    let blob = |seed| Shape::Blob { radius: 1.0, cell: 0.25, seed }.build().unwrap();
    assert_eq!(blob(3), blob(3));
    assert_ne!(blob(3).points, blob(4).points);
    let [low, high] = blob(3).bounds().unwrap();
    assert!((0..3).all(|k| low[k] >= -1.25 && high[k] <= 1.25), "{low:?} {high:?}");
}

#[test]
fn shapes_that_cannot_be_made_say_why() {
    let error = Shape::Bunny { height: 1.0, cell: 0.9 }.build().unwrap_err().to_string();
    assert!(error.contains("bunny: cells of 0.9 m are too large"), "{error}");
}

#[test]
fn scenes_tell_in_which_keys_they_differ() {
    let scene = rich();
    assert_eq!(scene.differing_keys(&scene).unwrap(), [""; 0]);
    let mut other = scene.clone();
    other.world.gravity[2] = -1.0;
    other.bodies[1].material.mass = Mass::Density(7.0);
    other.bodies[0].spin = [1.0, 0.0, 0.0];
    other.actions.pop();
    let keys = ["actions", "bodies[0].spin", "bodies[1].material.mass.density"];
    let keys = [&keys[..], &["bodies[1].material.mass.total", "world.gravity"]].concat();
    assert_eq!(scene.differing_keys(&other).unwrap(), keys);
}
