//! The scenes, one function each.

mod air;
mod contact;
mod crowd;
mod shapes;
mod textiles;

use pliant_sim::Scene;
use pliant_sim::scene::{
    Action, ActionKind, Body, Cage, Cloth, Damping, Drag, DragMotion, LiveValue, Mass, Material,
    Output, Picture, PictureCamera, PictureColour, PictureVolume, Push, Region, Rgb, Rotation,
    RunPlan, Set, Shape, Source, Stiffness, Transfer, TransferPoint, Volume, World, WorldBox,
};

pub use air::flag;
pub use contact::{bowl, chain, drape, gripper, hills, press, tablecloth};
pub use crowd::crowd;
pub use shapes::{caged, can, toys};
pub use textiles::{cape, curtain, skirt, tear};

/// Gravity when nothing shakes the world \[m/s²\].
const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// A soft material of the density of water and Young's modulus `young` \[Pa\], whose springs are
/// damped by `damping` \[s\]. The volume resists twice as hard as the springs, which keeps bodies
/// plump while steps stay long.
fn gel(young: f64, damping: f64) -> Material {
    Material {
        mass: Mass::Density(1000.0),
        stiffness: Stiffness::Young(young),
        volume: Volume::Energy(2.0 * young),
        damping: Damping::Time(damping),
    }
}

/// Cloth of a mass over area \[kg/m²\] and these stiffnesses \[N/m\]: along warp and weft, against shear and against
/// folds; its springs are damped by `damping` \[s\].
fn woven(density: f64, stretch: [f64; 2], [shear, bend]: [f64; 2], damping: f64) -> Material {
    Material {
        mass: Mass::Density(density),
        stiffness: Stiffness::Cloth(Cloth { stretch, shear, bend, ..Cloth::default() }),
        volume: Volume::None,
        damping: Damping::Time(damping),
    }
}

/// A box on the ground with rough walls.
fn walls(size: [f64; 3], friction: f64) -> Option<WorldBox> {
    Some(WorldBox { size, friction, ..WorldBox::default() })
}

fn scene(name: &str, world: World, bodies: Vec<Body>, duration: f64) -> Scene {
    let run = RunPlan { duration: Some(duration), steps: None };
    // Someone may pull harder than the scene itself does.
    let world = World { auto_substeps: true, ..world };
    Scene { name: name.into(), world, bodies, run, ..Scene::default() }
}

/// Puts the camera `distance` \[m\] from `target`, in a direction of any length.
fn seen(scene: Scene, direction: [f64; 3], target: [f64; 3], distance: f64) -> Scene {
    let (target, distance) = (Some(target), Some(distance));
    let camera = PictureCamera { direction, target, distance, ..PictureCamera::default() };
    let picture = Picture { camera, ..Picture::default() };
    Scene { output: Output { picture, ..Output::default() }, ..scene }
}

fn body(name: impl Into<String>, shape: Shape, material: Material) -> Body {
    Body { name: name.into(), source: Source::Shape(shape), material, ..Body::default() }
}

/// Sets a vector of the world at a time \[s\].
fn set(start: f64, key: &str, value: [f64; 3]) -> Action {
    let kind = ActionKind::Set(Set { key: key.into(), value: LiveValue::Vector(value) });
    Action { start, end: None, kind }
}

/// From `start` on for `time` \[s\], the world is shaken by an extra acceleration \[m/s²\].
fn jolt(start: f64, time: f64, extra: [f64; 3]) -> [Action; 2] {
    let shaken = std::array::from_fn(|k| GRAVITY[k] + extra[k]);
    [set(start, "world.gravity", shaken), set(start + time, "world.gravity", GRAVITY)]
}

/// A jolt there and back again.
fn shake(start: f64, time: f64, extra: [f64; 3]) -> [Action; 3] {
    let [there, _] = jolt(start, time, extra);
    let [back, rest] = jolt(start + time, time, extra.map(|c| -c));
    [there, back, rest]
}

pub fn jelly() -> Scene {
    const SIDE: f64 = 0.2;
    const SPACING: f64 = 0.4;
    let kinds = [("soft", 8e3), ("medium", 16e3), ("firm", 36e3), ("hard", 100e3)];
    let bodies = kinds.iter().zip(0..).map(|(&(name, young), i)| Body {
        rotate: Rotation::Euler([4.0, -7.0, 0.0]),
        translate: [(f64::from(i) - 1.5) * SPACING - 0.5 * SIDE, -0.5 * SIDE, 0.12],
        // Damped by the same coefficient, so that soft blocks do not flutter.
        ..body(name, Shape::bar([8; 3], [SIDE; 3]), gel(young, 18.0 / young))
    });
    let world = World {
        timestep: 5e-4,
        damping: 0.5,
        bounds: walls([2.4, 1.2, 1.2], 0.9),
        ..World::default()
    };
    let actions = [
        shake(1.1, 0.15, [3.5, 0.0, 0.0]),
        shake(2.0, 0.15, [-4.0, 0.0, 0.0]),
        shake(2.9, 0.15, [0.0, 3.5, 0.0]),
    ];
    let scene = scene("jelly", world, bodies.collect(), 4.0);
    let scene = Scene { actions: actions.concat(), ..scene };
    seen(scene, [0.2, -1.0, 0.4], [0.0, 0.0, 0.13], 2.05)
}

pub fn knot() -> Scene {
    let shape = Shape::Knot { radius: 0.3, tube: 0.055, cell: 0.0075 };
    let knot = Body {
        cage: Some(Cage { cells: 14 }),
        rotate: Rotation::Euler([50.0, 10.0, 0.0]),
        translate: [0.0, 0.0, 0.5],
        ..body("knot", shape, gel(60e3, 8e-4))
    };
    // By its upper edge: up and to the side, and let go.
    let pull = |start: f64, center: [f64; 3], target: [f64; 3]| Action {
        start,
        end: Some(start + 0.6),
        kind: ActionKind::Drag(Drag {
            center,
            radius: 0.12,
            motion: DragMotion::Target(target),
            stiffness: 8.0,
        }),
    };
    let world = World {
        timestep: 2.5e-4,
        damping: 0.6,
        bounds: walls([1.8, 1.4, 1.4], 0.8),
        ..World::default()
    };
    let actions = vec![
        pull(1.2, [0.3, 0.0, 0.15], [0.35, 0.0, 0.55]),
        pull(2.4, [-0.3, 0.0, 0.15], [-0.5, -0.2, 0.5]),
    ];
    let scene = Scene { actions, ..scene("knot", world, vec![knot], 4.0) };
    seen(scene, [0.35, -1.0, 0.6], [0.0, 0.0, 0.22], 1.9)
}

pub fn bunny() -> Scene {
    const HEIGHT: f64 = 0.6;
    let bunny = Body {
        translate: [0.0, 0.0, 0.12],
        rotate: Rotation::Euler([0.0, 0.0, -35.0]),
        ..body("bunny", Shape::Bunny { height: HEIGHT, cell: 0.042 * HEIGHT }, gel(45e3, 8e-4))
    };
    // By both ears: back, then up.
    let pull = |start: f64, center: [f64; 3], target: [f64; 3]| Action {
        start,
        end: Some(start + 0.5),
        kind: ActionKind::Drag(Drag {
            center,
            radius: 0.13,
            motion: DragMotion::Target(target),
            stiffness: 4.0,
        }),
    };
    let world = World {
        timestep: 2.5e-4,
        damping: 0.6,
        bounds: walls([1.6, 1.2, 1.2], 0.8),
        ..World::default()
    };
    let actions = vec![
        pull(1.1, [0.05, -0.04, 0.51], [-0.26, 0.0, 0.48]),
        pull(2.7, [0.12, -0.14, 0.48], [0.05, -0.1, 0.85]),
    ];
    let scene = Scene { actions, ..scene("bunny", world, vec![bunny], 4.4) };
    seen(scene, [0.35, -1.0, 0.35], [0.0, 0.0, 0.3], 1.85)
}

pub fn hanging_bar() -> Scene {
    const HEIGHT: f64 = 0.5;
    let end = |x: f64, normal: f64| Region::HalfSpace {
        point: [x, 0.0, 0.0],
        normal: [normal, 0.0, 0.0],
    };
    let bar = Body {
        translate: [-0.4, -0.05, HEIGHT],
        locks: vec![end(-0.4, -1.0), end(0.4, 1.0)],
        ..body("bar", Shape::bar([40, 5, 5], [0.8, 0.1, 0.1]), gel(40e3, 6e-4))
    };
    let pull = |start: f64, center: [f64; 3], target: [f64; 3]| Action {
        start,
        end: Some(start + 0.6),
        kind: ActionKind::Drag(Drag {
            center,
            radius: 0.12,
            motion: DragMotion::Target(target),
            stiffness: 15.0,
        }),
    };
    let actions = vec![
        pull(0.9, [0.0, 0.0, HEIGHT], [0.0, -0.05, 0.24]),
        pull(3.0, [-0.1, 0.0, HEIGHT], [-0.1, 0.15, 0.75]),
    ];
    let world =
        World { timestep: 5e-4, damping: 0.6, bounds: walls([2.0; 3], 0.4), ..World::default() };
    let scene = Scene { actions, ..scene("hanging-bar", world, vec![bar], 5.0) };
    seen(scene, [0.35, -1.0, 0.3], [0.0, 0.0, 0.4], 1.6)
}

pub fn dent() -> Scene {
    const SIZE: [f64; 3] = [0.6, 0.6, 0.22];
    let block = Body {
        translate: [-0.5 * SIZE[0], -0.5 * SIZE[1], 0.0],
        locks: vec![Region::HalfSpace { point: [0.0; 3], normal: [0.0, 0.0, -1.0] }],
        ..body("putty", Shape::bar([16, 16, 6], SIZE), gel(40e3, 1e-3))
    };
    let finger = |start: f64, [x, y]: [f64; 2]| Action {
        start,
        end: Some(start + 0.4),
        kind: ActionKind::Push(Push {
            origin: [x, y, 1.0],
            direction: [0.0, 0.0, -1.0],
            radius: 0.11,
            force: 2.1,
        }),
    };
    let actions =
        vec![finger(0.3, [-0.13, 0.11]), finger(1.1, [0.13, 0.09]), finger(1.9, [-0.02, -0.12])];
    let world = World {
        timestep: 5e-4,
        damping: 3.0,
        plasticity: 0.08,
        bounds: walls([1.5; 3], 0.4),
        ..World::default()
    };
    let scene = Scene { actions, ..scene("dent", world, vec![block], 3.2) };
    seen(scene, [0.45, -1.0, 0.75], [0.0, 0.0, 0.08], 1.5)
}

pub fn cloth() -> Scene {
    const SIDE: f64 = 1.0;
    const HEIGHT: f64 = 0.7;
    let half = 0.5 * SIDE;
    let corners = [[-half, -half], [half, -half], [-half, half], [half, half]];
    let sheet = Body {
        translate: [-half, -half, HEIGHT],
        locks: corners.map(|[x, y]| Region::Sphere { center: [x, y, HEIGHT], radius: 0.01 }).into(),
        ..body("sheet", Shape::Cloth { cells: [40, 40], size: [SIDE; 2] }, cotton())
    };
    let gust = |start: f64, force: [f64; 3]| set(start, "world.external_force", force);
    let actions = vec![
        gust(0.8, [6e-4, 0.0, 2.4e-3]),
        gust(1.5, [-3e-4, 4e-4, 5e-4]),
        gust(2.0, [4e-4, -3e-4, 2.4e-3]),
        gust(2.7, [0.0; 3]),
        gust(3.3, [-6e-4, 2e-4, 2.2e-3]),
        gust(4.0, [5e-4, 0.0, 1e-3]),
        gust(4.5, [0.0, 5e-4, 2.4e-3]),
        gust(5.3, [0.0; 3]),
    ];
    let world =
        World { timestep: 5e-4, damping: 2.0, bounds: walls([3.0; 3], 0.4), ..World::default() };
    let scene = Scene { actions, ..scene("cloth", world, vec![sheet], 6.0) };
    seen(scene, [0.5, -1.0, 0.35], [0.06, 0.0, 0.6], 2.3)
}

/// A light, easily stretched cloth.
fn cotton() -> Material {
    Material {
        mass: Mass::Density(0.2),
        stiffness: Stiffness::Spring(25.0),
        volume: Volume::None,
        damping: Damping::Time(1e-3),
    }
}

pub fn phantom() -> Scene {
    const SIZE: [f64; 3] = [0.2, 0.24, 0.22];
    const ROOM: f64 = 0.8;
    let block = Body {
        translate: [-0.5 * SIZE[0], -0.5 * SIZE[1], 0.0],
        ..body("head", Shape::Phantom { cells: [20, 24, 22], size: SIZE }, gel(15e3, 1e-3))
    };
    // Walls that come together gently, wait, and are gone.
    let press = |start: f64| {
        let near = move |i: u32| {
            let part = 0.5 - 0.5 * (std::f64::consts::PI * f64::from(i) / 30.0).cos();
            let size = [SIZE[0] * (1.0 - 0.3 * part), ROOM, ROOM];
            set(start + 0.03 * f64::from(i), "world.box.size", size)
        };
        (0..=30).map(near).chain([set(start + 1.3, "world.box.size", [ROOM; 3])])
    };
    let actions = press(0.3).chain(press(2.6)).collect();
    let world =
        World { timestep: 4e-4, damping: 2.0, bounds: walls([ROOM; 3], 0.3), ..World::default() };
    let scene = Scene { actions, ..scene("phantom", world, vec![block], 5.0) };
    let mut scene = seen(scene, [0.55, -1.0, 0.35], [0.0, 0.0, 0.11], 0.62);
    let point = |at, colour, density| TransferPoint { at, colour: Rgb(colour), density };
    scene.output.picture.colour = PictureColour::Field("density".into());
    scene.output.picture.volume = Some(PictureVolume {
        transfer: Some(Transfer::Points(vec![
            point(0.0, [214, 143, 112], 0.02),
            point(0.08, [214, 143, 112], 0.02),
            point(0.2, [214, 143, 112], 1.2),
            point(0.35, [198, 84, 74], 0.4),
            point(0.48, [198, 84, 74], 9.0),
            point(0.6, [245, 236, 215], 1.0),
            point(0.72, [245, 236, 215], 2.2),
            point(0.82, [120, 160, 220], 1.0),
            point(0.95, [70, 120, 200], 20.0),
        ])),
        ..PictureVolume::default()
    });
    scene
}

pub fn blob() -> Scene {
    let blob = Body {
        translate: [-0.05, 0.0, 0.45],
        rotate: Rotation::Euler([30.0, 20.0, 0.0]),
        ..body("blob", Shape::Blob { radius: 0.25, cell: 0.032, seed: 7 }, gel(12e3, 1e-3))
    };
    let world = World {
        timestep: 4e-4,
        damping: 1.0,
        bounds: walls([1.6, 1.6, 2.0], 0.8),
        ..World::default()
    };
    let mut actions = jolt(1.6, 0.25, [0.0, 0.0, 15.0]).to_vec();
    actions.extend(shake(2.9, 0.2, [-3.0, 0.0, 0.0]));
    let scene = Scene { actions, ..scene("blob", world, vec![blob], 4.5) };
    seen(scene, [0.45, -1.0, 0.4], [0.0, 0.0, 0.28], 2.0)
}
