//! How long a frame takes in which soft bodies touch.
//!
//! The scenes are those that other engines are timed with: soft balls that fall into a box, and a cloth that falls
//! over a ball and onto the floor; and a mannequin that walks in a cape. Each is run for two seconds, from the first touch to rest, in explicit steps as long
//! as its elasticity lets them be, which contact shortens no further, or in one implicit step for each frame.

use std::time::Instant;

use pliant_mesh::Mesh;
use pliant_mesh::formats::read_bytes;
use pliant_mesh::source::Memory;
use pliant_sim::contact::{ContactReport, find_crossings};
use pliant_sim::scene::{
    Body, Collider, ColliderShape, Contact, Damping, Integrator, Mass, Material, Rotation, Scale,
    Shape, Source, Stiffness, StrainLimit, Volume, World, WorldBox,
};
use pliant_sim::{Backend, Diverged, Scene, Simulator};

use super::BenchError;

/// Time of a frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Share of the stable timestep that is taken.
const SHARE: f64 = 0.8;
/// Coulomb friction of everything.
const FRICTION: f64 = 0.3;

/// A ball of radius 1 with 343 vertices, 1,182 tetrahedra and 512 triangles on its surface.
static BALL: &str = include_str!("ball.mesh");
/// Radius of a ball, from one to the next, and from the outermost to the walls \[m\].
const RADIUS: f64 = 0.1;
const PITCH: f64 = 0.215;
const MARGIN: f64 = 0.02;
/// What they are made of: density \[kg/m³\] and Young's modulus \[Pa\].
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e5;
/// How quickly their vibration fades \[s\]: enough to come to rest, too little to shorten the timestep much.
const DAMPING: f64 = 1e-4;

/// What the cloth falls on: a ball of this radius on the floor \[m\].
const OBSTACLE: f64 = 0.25;
/// Height that it falls from \[m\].
const DROP: f64 = 0.6;
/// What it is made of: mass per area \[kg/m²\], and modulus × thickness \[N/m\], as those peers have it that can.
const AREAL_DENSITY: f64 = 0.2;
const STRETCH: f64 = 1000.0;
/// How quickly its vibration fades \[s\]: more of it would ask for shorter steps.
const CLOTH_DAMPING: f64 = 1e-4;

/// A scene to time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactCase {
    /// What to call it.
    pub name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// So many balls along each edge of a cube.
    Pile(u32),
    /// So many vertices along each side.
    Cloth(u32),
    /// A cape on a mannequin, which sets out to walk; with its strain limited, or not.
    Dressed(bool),
}

impl ContactCase {
    fn pile(side: u32) -> Self {
        Self { name: format!("pile{}", side.pow(3)), kind: Kind::Pile(side) }
    }

    fn cloth(side: u32) -> Self {
        Self { name: format!("cloth{side}"), kind: Kind::Cloth(side) }
    }

    fn dressed(is_limited: bool) -> Self {
        let name = if is_limited { "dressed20k-limited" } else { "dressed20k" };
        Self { name: name.into(), kind: Kind::Dressed(is_limited) }
    }

    /// The scene, with a timestep yet to be chosen.
    pub fn scene(&self) -> Scene {
        let mut scene = match self.kind {
            Kind::Pile(side) => pile(side),
            Kind::Cloth(side) => cloth(side),
            Kind::Dressed(is_limited) => dressed(is_limited),
        };
        scene.name.clone_from(&self.name);
        scene
    }
}

/// The scenes of the peers, and a mannequin that walks in a cape.
pub fn standard() -> Vec<ContactCase> {
    let (pile, cloth, dressed) = (ContactCase::pile, ContactCase::cloth, ContactCase::dressed);
    vec![pile(3), pile(5), cloth(64), cloth(128), cloth(256), dressed(false), dressed(true)]
}

/// Piles of eight to a thousand balls.
pub fn scaling() -> Vec<ContactCase> {
    [2, 3, 5, 7, 10].map(ContactCase::pile).into()
}

/// How a frame is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stepping {
    /// In as many explicit steps as elasticity asks for.
    Explicit,
    /// In one implicit step.
    Implicit,
}

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ContactRow {
    /// Name of the case.
    pub case: String,
    /// How it was stepped.
    pub stepping: Stepping,
    /// Threads at work.
    pub threads: usize,
    /// Bodies.
    pub bodies: usize,
    /// Triangles on their surfaces.
    pub triangles: usize,
    /// Steps in a frame.
    pub steps_per_frame: u64,
    /// Iterations of linear systems in a frame, on average; none of explicit steps.
    pub iterations_per_frame: f64,
    /// The largest true residual ‖b − A x‖/‖b‖ of them.
    pub worst_residual: f64,
    /// Frames that were run.
    pub frames: usize,
    /// Mean time of a frame of 1/60 s \[ms\].
    pub ms_per_frame: f64,
    /// Median over the last quarter of the frames, when all lies \[ms\].
    pub ms_per_frame_late: f64,
    /// The slowest frame \[ms\].
    pub ms_per_frame_most: f64,
    /// Mean time of a step for a thousand triangles \[µs\].
    pub us_per_step_and_1000_triangles: f64,
    /// The same scene with contact turned off: mean time of a frame over the same two seconds \[ms\].
    pub ms_per_frame_without: f64,
    /// Candidates, contacts and searches at the end.
    #[serde(flatten)]
    pub contact: ContactReport,
    /// Pairs of triangles that cross at the end, in or between bodies, and share no corner.
    pub crossings: usize,
    /// State hash at the end.
    pub hash: String,
}

/// Times one case over so many simulated seconds.
pub fn run(
    case: &ContactCase,
    stepping: Stepping,
    backend: &Backend,
    simulated: f64,
) -> Result<ContactRow, BenchError> {
    let frames = (simulated / FRAME).round().max(1.0) as usize;
    let mut scene = case.scene();
    if stepping == Stepping::Implicit {
        scene.world.integrator = Integrator::ImplicitEuler;
    }
    let mut without = scene.clone();
    without.world.contact = None;
    let mut sim = open(scene, backend)?;
    let steps = steps_per_frame(&sim);
    let times = time_frames(&mut sim, case, steps, frames)?;
    let mut without = open(without, backend)?;
    let times_without = time_frames(&mut without, case, steps, frames)?;
    let triangles = sim.model().triangles.len();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let ms_per_frame = mean(&times);
    let solver = sim.solver_report().unwrap_or_default();
    Ok(ContactRow {
        case: case.name.clone(),
        stepping,
        threads: sim.thread_count(),
        bodies: sim.model().bodies.len(),
        triangles,
        steps_per_frame: steps,
        iterations_per_frame: solver.iterations as f64 / frames as f64,
        worst_residual: solver.worst_residual,
        frames,
        ms_per_frame,
        ms_per_frame_late: median(&times[times.len() - times.len().div_ceil(4)..]),
        ms_per_frame_most: times.iter().copied().fold(0.0, f64::max),
        us_per_step_and_1000_triangles: 1e6 * ms_per_frame / (steps as f64 * triangles as f64),
        ms_per_frame_without: mean(&times_without),
        contact: sim.report().contact.unwrap_or_default(),
        crossings: crossings(&sim),
        hash: format!("{:016x}", sim.hash()),
    })
}

fn open(scene: Scene, backend: &Backend) -> Result<Simulator, BenchError> {
    let mut sim = Simulator::new(scene, backend.clone())?;
    let timestep = FRAME / steps_per_frame(&sim) as f64;
    let world = World { timestep, ..sim.world().clone() };
    sim.set_world(world).map_err(pliant_sim::BuildError::from)?;
    Ok(sim)
}

fn steps_per_frame(sim: &Simulator) -> u64 {
    // Implicit steps may be as long as they like.
    let limit = pliant_sim::stability::stable_timestep(sim).filter(|limit| limit.is_finite());
    limit.map_or(1, |limit| (FRAME / (SHARE * limit)).ceil() as u64)
}

/// The time of each frame \[ms\].
fn time_frames(
    sim: &mut Simulator,
    case: &ContactCase,
    steps: u64,
    frames: usize,
) -> Result<Vec<f64>, BenchError> {
    let diverged = |source: Diverged| BenchError::Diverged {
        case: case.name.clone(),
        source: Box::new(source),
    };
    (0..frames)
        .map(|_| {
            let begin = Instant::now();
            sim.advance(steps).map_err(diverged)?;
            Ok(1e3 * begin.elapsed().as_secs_f64())
        })
        .collect()
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// How many pairs of triangles cross.
fn crossings(sim: &Simulator) -> usize {
    let model = sim.model();
    let user = |v: u32| model.vertex_order[v as usize];
    let triangles = model.triangles.iter().map(|corners| corners.map(user)).collect();
    let mesh = Mesh { points: sim.positions(), triangles, ..Mesh::default() };
    find_crossings(&mesh, sim.thread_count()).map_or(usize::MAX, |pairs| pairs.len())
}

fn touching() -> Option<Contact> {
    Some(Contact { friction: FRICTION, ..Contact::default() })
}

/// Balls on a jittered lattice above the floor of a box.
fn pile(side: u32) -> Scene {
    let mut random = Random(7);
    let ball = read_bytes(BALL.as_bytes(), "ball.mesh", &Memory::default()).expect("a mesh").mesh;
    let mut bodies = Vec::new();
    let middle = |i: u32| (f64::from(i) - 0.5 * f64::from(side - 1)) * PITCH;
    for layer in 0..side {
        for row in 0..side {
            for column in 0..side {
                let jitter = [0; 2].map(|_| 0.005 * (2.0 * random.next() - 1.0));
                let height = RADIUS + 0.03 + f64::from(layer) * PITCH + 0.005 * random.next();
                let turn = [0; 3].map(|_| 360.0 * random.next());
                bodies.push(Body {
                    name: format!("ball-{}", bodies.len()),
                    source: Source::Inline(ball.clone()),
                    scale: Scale::Uniform(RADIUS),
                    rotate: Rotation::Euler(turn),
                    translate: [middle(column) + jitter[0], middle(row) + jitter[1], height],
                    material: Material {
                        mass: Mass::Density(DENSITY),
                        stiffness: Stiffness::Young(YOUNG),
                        volume: Volume::Energy(YOUNG),
                        damping: Damping::Time(DAMPING),
                    },
                    ..Body::default()
                });
            }
        }
    }
    let width = f64::from(side) * PITCH + 2.0 * MARGIN;
    let size = [width, width, 2.0 * f64::from(side) * PITCH];
    let bounds = Some(WorldBox { size, friction: FRICTION, ..WorldBox::default() });
    let world = World { damping: 0.0, bounds, contact: touching(), ..World::default() };
    Scene { world, bodies, ..Scene::default() }
}

/// A square metre of cloth above a ball.
fn cloth(side: u32) -> Scene {
    let cells = side - 1;
    let mesh = pliant_mesh::shapes::cloth([cells; 2], [1.0; 2]).expect("a cloth");
    let (sin, cos) = 10_f64.to_radians().sin_cos();
    let middle = [0.03, 0.02];
    // Turned and shifted, so that nothing is symmetric.
    let corner = [middle[0] - 0.5 * (cos - sin), middle[1] - 0.5 * (sin + cos), DROP];
    let body = Body {
        name: "cloth".into(),
        source: Source::Inline(mesh),
        rotate: Rotation::AxisAngle { axis: [0.0, 0.0, 1.0], degrees: 10.0 },
        translate: corner,
        material: Material {
            mass: Mass::Density(AREAL_DENSITY),
            stiffness: Stiffness::Young(STRETCH),
            volume: Volume::None,
            damping: Damping::Time(CLOTH_DAMPING),
        },
        ..Body::default()
    };
    let ball = Collider {
        name: "ball".into(),
        shape: ColliderShape::Sphere { radius: OBSTACLE, hollow: false },
        translate: [0.0, 0.0, OBSTACLE],
        friction: FRICTION,
        thickness: 0.1 / f64::from(cells),
        ..Collider::default()
    };
    let bounds = Some(WorldBox { size: [4.0; 3], friction: FRICTION, ..WorldBox::default() });
    let world = World { damping: 0.5, bounds, contact: touching(), ..World::default() };
    Scene { world, bodies: vec![body], colliders: vec![ball], ..Scene::default() }
}

/// The demo of the cape with 20,000 triangles, whose mannequin sets out at once. Where strain is limited, the limit holds
/// the cape, and springs are an eighth as stiff, so that steps are nearly three times as long.
fn dressed(is_limited: bool) -> Scene {
    let cape = pliant_scenes::find("cape").expect("a demo");
    let mut scene = (cape.build)();
    scene.mannequins.iter_mut().for_each(|mannequin| mannequin.start = 0.3);
    for body in &mut scene.bodies {
        if let Source::Shape(Shape::Cape { cell, .. }) = &mut body.source {
            *cell = 0.0135;
        }
        if let (true, Stiffness::Cloth(cloth)) = (is_limited, &mut body.material.stiffness) {
            cloth.stretch = cloth.stretch.map(|stretch| stretch / 8.0);
            cloth.shear /= 8.0;
            body.strain_limit = Some(StrainLimit { stretch: 0.1, ..StrainLimit::default() });
        }
    }
    scene
}

/// Numbers from 0 to 1 that look random, the same every time (Steele, Lea & Flood 2014, *Fast splittable pseudorandom
/// number generators*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_pile_is_timed_and_its_bits_do_not_depend_on_threads() {
        let case = ContactCase::pile(2);
        for stepping in [Stepping::Explicit, Stepping::Implicit] {
            let of = |threads| run(&case, stepping, &Backend::Cpu { threads }, 0.2).unwrap();
            let (one, two) = (of(1), of(2));
            assert_eq!((one.bodies, one.triangles), (8, 8 * 512));
            assert_eq!(one.hash, two.hash);
            assert_eq!(one.steps_per_frame == 1, stepping == Stepping::Implicit);
            assert!(one.contact.contacts > 0 && one.crossings == 0, "{one:?}");
        }
    }
}
