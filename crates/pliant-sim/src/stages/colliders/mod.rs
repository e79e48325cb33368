//! Colliders: rigid things that stop the vertices of bodies.
//!
//! # Theory
//!
//! A collider is a shape in coordinates of its own and a pose that is a function of time alone
//! ([`crate::scene::Collider::pose`]), and of how far hands have carried it (`Displaced` of [`super::touch`]). As seen from a point, a shape has a *gap* g, the distance from its surface,
//! negative inside, and a unit normal n = ∇g. A vertex whose gap at the end of a substep is less than the
//! collider's thickness is put back along n. Like the [walls](super::walls) of the world box, the surface
//! takes the inward normal velocity, gives back e times it (restitution e), and takes at most μ times the
//! normal change from the tangential velocity (Coulomb friction μ); what friction takes of the velocity it
//! takes of the way along the surface, too, so that what sticks does not creep.
//!
//! All that is relative to the surface. With rotations R and origins T at both ends of a substep of length h,
//! the material point that was at x has gone by (R₁R₀ᵀ − I) (x − T₀) + T₁ − T₀, and its velocity is this way
//! divided by h. A vertex that began the substep at x and sticks has moved just so, and a body on a turntable
//! does not spiral off it.
//!
//! A force that presses a vertex by less than it can be seen to move in single precision would let it leave
//! and meet the surface by turns. So a vertex within a *skin* of a few units of the last place touches as
//! well: there it loses its velocity, and is not moved.
//!
//! Several colliders act one after the other, in the order of the scene and in [`ROUNDS`] rounds, so that a
//! vertex between two of them is held by both; the walls of the world box come last.
//!
//! # Practice
//!
//! [`formula`] has one vertex and one collider; `formula.wgsl` is its twin. [`Colliders`] are compiled with the model,
//! and [`Stretch`] has their poses for the substeps of a stretch, computed before it begins in `f64`; a backend only
//! adds where the origins of bodies are. On a processor (`cpu`) the sweep of the integrator asks which
//! colliders may touch a run of vertices, then sixteen of them, by [`formula::clearance`], which never is more than
//! the distance. On a device (`gpu`) each vertex asks for itself; poses are a uniform per substep, and
//! heights of height maps lie behind the constants of bodies.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use crate::math::Vec3;
use crate::scene::{Collider, ColliderShape, Problem, SceneError};
use crate::step::Advance;
use formula::{Grid, Kind, Placed, Shape};

/// How often all colliders act on a vertex in a substep at most.
pub const ROUNDS: u32 = 2;

/// The colliders of a scene, ready to be put somewhere.
#[derive(Clone, Debug, Default)]
pub struct Colliders {
    /// As described, without meshes, which bodies meet by contact (see [`crate::model::Given`]).
    pub list: Vec<Collider>,
    /// The places of the colliders in `list` among all of the scene.
    pub places: Vec<usize>,
    /// Heights of all height maps, one after the other \[m\].
    pub heights: Vec<f32>,
    shapes: Vec<Shape<f64>>,
}

impl Colliders {
    /// Reads height maps and prepares shapes.
    pub fn new(list: &[Collider]) -> Result<Self, SceneError> {
        let mut colliders = Self::default();
        for (i, collider) in list.iter().enumerate() {
            if matches!(collider.shape, ColliderShape::Mesh(_)) {
                continue;
            }
            let shape = colliders.compile(collider).map_err(|problem| {
                Problem::new(format!("colliders[{i}].shape"), format!("the height map {problem}"))
            })?;
            colliders.shapes.push(shape);
            colliders.list.push(collider.clone());
            colliders.places.push(i);
        }
        Ok(colliders)
    }

    fn compile(&mut self, collider: &Collider) -> Result<Shape<f64>, pliant_mesh::ReadError> {
        let (kind, size) = match &collider.shape {
            ColliderShape::Plane {} => (Kind::Plane, [0.0; 3]),
            ColliderShape::Sphere { radius, .. } => (Kind::Sphere, [*radius, 0.0, 0.0]),
            ColliderShape::Capsule { radius, length, .. } => {
                (Kind::Capsule, [*radius, 0.0, 0.5 * length])
            }
            ColliderShape::Box { size, .. } => (Kind::Box, size.map(|edge| 0.5 * edge)),
            ColliderShape::Cylinder { radius, length, .. } => {
                (Kind::Cylinder, [*radius, 0.0, 0.5 * length])
            }
            ColliderShape::HeightMap(_) => (Kind::Ground, [0.0; 3]),
            ColliderShape::Mesh(_) => unreachable!("meshes are not among them"),
        };
        let side = if collider.shape.is_hollow() { -1.0 } else { 1.0 };
        let mut shape = Shape { kind, size: Vec3::from(size), side, ground: Grid::default() };
        if let ColliderShape::HeightMap(ground) = &collider.shape {
            let map = ground.load()?;
            let first = self.heights.len() as u32;
            self.heights.extend(map.heights().iter().map(|height| *height as f32));
            let (columns, rows) = (map.columns() as u32, map.rows() as u32);
            let grid = Grid { first, columns, rows, cell: map.cell(), steepest: 1.0 };
            shape.ground =
                Grid { steepest: steepest(&grid, &self.heights[first as usize..]), ..grid };
        }
        Ok(shape)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How far from collider `i` a place of the collider's own coordinates is \[m\]; negative behind its surface.
    pub fn distance(&self, i: usize, place: [f64; 3]) -> f64 {
        let gap = formula::clearance(&self.shapes[i], &self.heights, Vec3::from(place));
        gap - self.list[i].thickness
    }

    /// Whether none of them moves during a stretch.
    pub fn are_still(&self, job: &Advance<'_>) -> bool {
        self.list.iter().all(|collider| collider.motion.is_none()) && !job.displaced().is_changing()
    }

    /// What decides how they act, as text, for fingerprints: without names, and without the places of files.
    pub fn description(&self) -> String {
        let mut list = self.list.clone();
        for collider in &mut list {
            collider.name.clear();
            if let ColliderShape::HeightMap(ground) = &mut collider.shape {
                (ground.file, ground.heights) = (None, None);
            }
        }
        format!("{list:?}")
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.heights[..]) + size_of_val(&self.shapes[..]) + size_of_val(&self.list[..])
    }

    /// Collider `i` as it is at `time` \[s\], at the end of a substep of length `h` \[s\] that began and ended with it
    /// `displaced` so far \[m\].
    pub fn at(&self, i: usize, time: f64, h: f64, displaced: [[f64; 3]; 2]) -> Pose {
        let (collider, shape) = (&self.list[i], &self.shapes[i]);
        let before = collider.pose_before(time, h).shifted(displaced[0]);
        let now = collider.pose(time).shifted(displaced[1]);
        let (r, t) = (now.rotation, now.translation);
        let single = |v: [f64; 3]| Vec3::<f32>::of(v);
        // R₁R₀ᵀ − I; what stands still has not moved at all, whatever rounding makes of that.
        let is_still = before == now;
        let turned: [[f64; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let turn: f64 = (0..3).map(|k| r[i][k] * before.rotation[j][k]).sum();
                if is_still { 0.0 } else { turn - f64::from(u8::from(i == j)) }
            })
        });
        // Places are seen from where the origin is at the end.
        let moved: [f64; 3] = std::array::from_fn(|k| t[k] - before.translation[k]);
        let shift = |i: usize| moved[i] + (0..3).map(|k| turned[i][k] * moved[k]).sum::<f64>();
        let placed = Placed {
            shape: Shape {
                kind: shape.kind,
                size: Vec3::of(shape.size.to_f64()),
                side: shape.side as f32,
                ground: Grid {
                    first: shape.ground.first,
                    columns: shape.ground.columns,
                    rows: shape.ground.rows,
                    cell: shape.ground.cell.map(|c| c as f32),
                    steepest: shape.ground.steepest as f32,
                },
            },
            axes: std::array::from_fn(|k| single([r[0][k], r[1][k], r[2][k]])),
            turned: turned.map(single),
            moved: single(std::array::from_fn(shift)),
            friction: collider.friction as f32,
            restitution: collider.restitution as f32,
            thickness: collider.thickness as f32,
        };
        Pose { placed, origin: t }
    }
}

/// Cosine of the steepest slope of a height map, a little less than it is.
fn steepest(grid: &Grid<f64>, heights: &[f32]) -> f64 {
    let columns = grid.columns as usize;
    let height = |at: usize| f64::from(heights[at]);
    let mut steepest: f64 = 0.0;
    for j in 0..grid.rows as usize {
        for i in 0..columns {
            let at = j * columns + i;
            let x =
                if i + 1 < columns { (height(at + 1) - height(at)) / grid.cell[0] } else { 0.0 };
            let is_last = j + 1 == grid.rows as usize;
            let y = if is_last { 0.0 } else { (height(at + columns) - height(at)) / grid.cell[1] };
            steepest = steepest.max(x.abs()).max(y.abs());
        }
    }
    // Slopes along both axes at once.
    (1.0 - 1e-6) / (1.0 + 2.0 * steepest * steepest).sqrt()
}

/// A collider at the end of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// In single precision, seen from its origin.
    pub placed: Placed<f32>,
    /// Where its origin is \[m\].
    pub origin: [f64; 3],
}

/// The colliders in the substeps of a stretch.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// Substep by substep, or once if nothing moves.
    poses: Vec<Pose>,
    count: usize,
    /// The first substep that `poses` are about.
    first: u64,
    is_still: bool,
}

impl Stretch {
    /// The poses of what is left of a stretch.
    pub fn new(colliders: &Colliders, job: &Advance<'_>) -> Self {
        Self::of_substeps(colliders, job, job.done..job.count)
    }

    /// The poses in some substeps of a stretch.
    pub fn of_substeps(
        colliders: &Colliders,
        job: &Advance<'_>,
        substeps: std::ops::Range<u64>,
    ) -> Self {
        let count = colliders.list.len();
        let is_still = colliders.are_still(job);
        let first = substeps.start;
        let substeps = if is_still { first..substeps.end.min(first + 1) } else { substeps };
        let poses = substeps.flat_map(|substep| {
            let (_, end) = job.when(substep + 1);
            (0..count).map(move |i| {
                let displaced = job.displaced_in(colliders.places[i], substep, 0.0);
                colliders.at(i, end, job.h, displaced)
            })
        });
        Self { poses: poses.collect(), count, first, is_still }
    }

    /// The poses at the end of substep `substep` of the stretch.
    pub fn at(&self, substep: u64) -> &[Pose] {
        let place = if self.is_still { 0 } else { (substep - self.first) as usize * self.count };
        &self.poses[place..place + self.count]
    }

    /// Whether no collider moves, so that all substeps have the same poses.
    pub fn is_still(&self) -> bool {
        self.is_still
    }
}

/// What the world box is called among those that stop vertices; colliders have their numbers from 1 on.
pub const WALLS: f32 = 65.0;

/// Impulses on a vertex in a step \[N·s\], and the number of what gave them as the fourth number, 0 if
/// nothing did: the first that it met, and what others gave together.
pub type Contact = [[f32; 4]; 2];

/// Adds what something gave to a vertex.
pub fn note(contact: &mut Contact, number: f32, impulse: Vec3<f32>) {
    let [first, others] = contact;
    let place = if first[3] == 0.0 || first[3] == number { first } else { others };
    let [x, y, z, _] = *place;
    *place = [x + impulse.x, y + impulse.y, z + impulse.z, number];
}

/// What colliders and walls do to the bodies, as output.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct ContactForces {
    /// Force on each collider, the mean over the last step \[N\].
    pub on_colliders: Vec<[f64; 3]>,
    /// Vertices that touched a collider in it.
    pub touching: usize,
}

impl ContactForces {
    /// Adds up the impulses at all vertices in a step of `timestep` \[s\], in their order.
    pub fn sum(contacts: &[Contact], count: usize, timestep: f64) -> Self {
        let mut sum = Self { on_colliders: vec![[0.0; 3]; count], touching: 0 };
        for contact in contacts {
            let mut touches = false;
            for &[x, y, z, number] in contact {
                let place = (number as usize).wrapping_sub(1);
                if let Some(force) = sum.on_colliders.get_mut(place) {
                    // What acts on the body acts back.
                    (0..3).for_each(|k| force[k] -= f64::from([x, y, z][k]) / timestep);
                    touches = true;
                }
            }
            sum.touching += usize::from(touches);
        }
        sum
    }
}
