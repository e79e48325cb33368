//! Colliders as they are seen. Surfaces are made once; a frame's time says where they are, and how far hands have
//! carried them.

#[cfg(test)]
mod tests;

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use pliant_mesh::height_map::{Between, HeightMap};
use pliant_mesh::{Mesh, shapes};
use pliant_render::{Bounds, Obstacle, RigidSurface};
use pliant_sim::model::Given;
use pliant_sim::scene::{Collider, ColliderShape, Pose};

use super::scale::rounded_up;
use crate::Frame;

/// Sides of what is round.
const SIDES: u32 = 48;
/// Parts of a rounded edge, and of a quarter of a circle.
const STEPS: u32 = 8;
/// The most heights that are drawn of a height map.
const MOST_HEIGHTS: usize = 1 << 16;
/// How far the sheet that stands for a plane reaches from the middle of the scene, in radii of the ball round it.
const SHEET: f64 = 2.0;
/// How far ground and vessels stand out of where they are, in the same radii, so that the floor of the world does
/// not shine through.
const LIFT: f64 = 5e-4;
/// How far the surface of what is solid is drawn below where it is, in the same radii, and in its own half extents at
/// most: cloth that lies on it, and whose triangles cut corners, is seen.
const SINK: [f64; 2] = [4e-3, 0.1];

/// All that is drawn of the colliders of a scene.
#[derive(Debug, Default)]
pub(super) struct Colliders {
    all: Vec<SeenCollider>,
}

#[derive(Debug)]
struct SeenCollider {
    /// Its place in the scene.
    number: usize,
    /// For its pose.
    collider: Collider,
    surface: RigidSurface,
    /// Of planes: what the sheet is laid round.
    sheet: Option<Sheet>,
    /// Of meshes whose shape changes: what they look like at a time.
    deforming: Option<Arc<Given>>,
}

/// The part of a plane that is shown.
#[derive(Clone, Copy, Debug)]
struct Sheet {
    /// The place in the world that it is laid under \[m\].
    middle: [f64; 3],
    /// Side of its tiles \[m\].
    tile: f64,
}

impl Colliders {
    /// Makes the surfaces of `colliders`, of which `given` are those that are meshes. Planes are drawn round `scene`, all that is likely to be seen
    /// otherwise. What cannot be made is not drawn: it is for the simulation to refuse it.
    pub fn new(colliders: &[Collider], given: &[Arc<Given>], scene: Bounds) -> Self {
        let seen = |(i, collider): (usize, &Collider)| {
            let given = given.iter().find(|given| given.collider == i);
            let mesh = match given {
                Some(given) => two_sided(given, &given.points),
                None => sunk(surface(collider, scene)?, collider, scene),
            };
            let positions: Vec<_> = mesh.points.iter().map(|p| p.map(|c| c as f32)).collect();
            let mut surface = RigidSurface::new(&positions, &mesh.triangles).ok()?;
            let is_plane = collider.shape == ColliderShape::Plane {};
            let sheet = is_plane.then(|| Sheet { middle: scene.centre(), tile: tile(scene) });
            if is_plane {
                let count = tiles(scene) as usize;
                let is_dark = |t: &usize| (t / 2 % count + t / 2 / count) % 2 == 1;
                surface.darken((0..mesh.triangles.len()).filter(is_dark));
            }
            let deforming = given.filter(|given| given.deforms()).cloned();
            Some(SeenCollider { number: i, collider: collider.clone(), surface, sheet, deforming })
        };
        Self { all: colliders.iter().enumerate().filter_map(seen).collect() }
    }

    /// What those look like in a frame whose shape changes; nothing for the others.
    pub fn shapes_in(&self, frame: &Frame) -> Vec<Option<RigidSurface>> {
        let time = frame.report.time;
        let shape = |seen: &SeenCollider| {
            let given = seen.deforming.as_ref()?;
            let mesh = two_sided(given, &given.points_at(time));
            let positions: Vec<_> = mesh.points.iter().map(|p| p.map(|c| c as f32)).collect();
            RigidSurface::new(&positions, &mesh.triangles).ok()
        };
        self.all.iter().map(shape).collect()
    }

    /// What is seen of them in a frame, with shapes of that one.
    pub fn seen_in<'a>(
        &'a self,
        frame: &Frame,
        shapes: &'a [Option<RigidSurface>],
    ) -> Vec<Obstacle<'a>> {
        let shapes = shapes.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let seen = |(seen, shape): (&'a SeenCollider, Option<&'a RigidSurface>)| {
            let displaced = frame.displaced.get(seen.number).copied().unwrap_or_default();
            seen.at(frame.report.time, displaced, shape)
        };
        self.all.iter().zip(shapes).map(seen).collect()
    }
}

/// The triangles of a mesh collider with vertices at `points`; those that have two sides twice.
fn two_sided(given: &Given, points: &[[f64; 3]]) -> Mesh {
    let (mut points, mut triangles) = (points.to_vec(), given.triangles.clone());
    if !given.is_solid {
        let behind = points.len() as u32;
        points.extend_from_within(..);
        triangles.extend(given.triangles.iter().map(|&[a, b, c]| [a, c, b].map(|v| behind + v)));
    }
    Mesh { points, triangles, ..Mesh::default() }
}

impl SeenCollider {
    fn at<'a>(
        &'a self,
        time: f64,
        displaced: [f64; 3],
        shape: Option<&'a RigidSurface>,
    ) -> Obstacle<'a> {
        if let Some(surface) = shape {
            // Its points are where they are in the world.
            let rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            return Obstacle { surface, rotation, translation: displaced, is_endless: false };
        }
        let pose = self.collider.pose(time).shifted(displaced);
        let translation = self.sheet.map_or(pose.translation, |sheet| sheet.centre(&pose));
        Obstacle {
            surface: &self.surface,
            rotation: pose.rotation,
            translation,
            is_endless: self.sheet.is_some(),
        }
    }
}

impl Sheet {
    /// Where the middle of the sheet is put: the tile of the plane that is nearest to the scene. So tiles
    /// move with their plane, and however far that goes, there is a sheet.
    fn centre(&self, pose: &Pose) -> [f64; 3] {
        let away: [f64; 3] = std::array::from_fn(|k| self.middle[k] - pose.translation[k]);
        let along = |axis: usize| {
            let column = (0..3).map(|k| pose.rotation[k][axis] * away[k]).sum::<f64>();
            // Every other tile is of the same shade.
            (column / (2.0 * self.tile)).round() * 2.0 * self.tile
        };
        pose.place([along(0), along(1), 0.0])
    }
}

/// A box round a collider in its own coordinates \[m\]; nothing of planes, which go on for ever, and of meshes, whose
/// points the model has.
pub(super) fn own_bounds(collider: &Collider) -> Option<Bounds> {
    let t = collider.thickness;
    Some(match &collider.shape {
        ColliderShape::Plane {} | ColliderShape::Mesh(_) => return None,
        &ColliderShape::Sphere { radius, .. } => around([radius + t; 3]),
        &ColliderShape::Capsule { radius, length, .. } => {
            around([radius + t, radius + t, 0.5 * length + radius + t])
        }
        &ColliderShape::Box { size, .. } => around(size.map(|s| 0.5 * s + t)),
        &ColliderShape::Cylinder { radius, length, .. } => {
            around([radius + t, radius + t, 0.5 * length + t])
        }
        ColliderShape::HeightMap(ground) => {
            let map = ground.load().ok()?;
            let (low, high) =
                map.heights().iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &h| {
                    (low.min(h), high.max(h))
                });
            let [x, y] = map.size();
            Bounds { min: [0.0, 0.0, low], max: [x, y, high + t] }
        }
    })
}

/// A box in the world round one in a collider's own coordinates \[m\].
pub(super) fn placed(own: Bounds, pose: &Pose) -> Option<Bounds> {
    Bounds::of(own.corners().into_iter().map(|corner| pose.place(corner)))
}

/// A surface a little below where it is, if bodies lie on it: of the solid shapes, which lie round their origin.
fn sunk(mut mesh: Mesh, collider: &Collider, scene: Bounds) -> Mesh {
    let is_below = !collider.shape.is_hollow() && !collider.shape.is_ground();
    if let Some(own) = own_bounds(collider).filter(|_| is_below) {
        let factor = own.max.map(|half| 1.0 - (SINK[0] * scene.radius() / half).min(SINK[1]));
        mesh.points.iter_mut().for_each(|p| *p = std::array::from_fn(|k| p[k] * factor[k]));
    }
    mesh
}

fn around(half: [f64; 3]) -> Bounds {
    Bounds { min: half.map(|c| -c), max: half }
}

/// The surface that bodies meet, in the collider's own coordinates; its triangles are turned to where bodies may be.
pub(super) fn surface(collider: &Collider, scene: Bounds) -> Option<Mesh> {
    let is_hollow = collider.shape.is_hollow();
    // What bodies are on or in may lie on the floor of the world.
    let lift = if is_hollow || collider.shape.is_ground() { LIFT * scene.radius() } else { 0.0 };
    // Thickness goes to the side of the bodies: inside of what is hollow, corners stay sharp.
    let thickness = collider.thickness + lift;
    let (grown, rounding) = if is_hollow { (-thickness, 0.0) } else { (thickness, thickness) };
    let mut mesh = match &collider.shape {
        ColliderShape::Plane {} => sheet(scene, thickness),
        &ColliderShape::Sphere { radius, .. } => capsule(radius + grown, 0.0),
        &ColliderShape::Capsule { radius, length, .. } => capsule(radius + grown, length),
        &ColliderShape::Box { size, .. } => {
            let size = if is_hollow { size.map(|s| s - 2.0 * thickness) } else { size };
            shapes::rounded_box(size, rounding, STEPS)
        }
        &ColliderShape::Cylinder { radius, length, .. } if is_hollow => {
            cylinder(radius - thickness, length - 2.0 * thickness, 0.0)
        }
        &ColliderShape::Cylinder { radius, length, .. } => cylinder(radius, length, rounding),
        ColliderShape::HeightMap(ground) => Ok(raised(&ground.load().ok()?, thickness)?),
        ColliderShape::Mesh(_) => return None,
    }
    .ok()?;
    if is_hollow {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Some(mesh)
}

type Made = Result<Mesh, shapes::ShapeError>;

/// A ball, or two half balls that are `length` apart with a cylinder in between.
fn capsule(radius: f64, length: f64) -> Made {
    let steps = 3 * STEPS;
    let mut profile: Vec<[f64; 2]> = Vec::new();
    for i in 0..=steps {
        let (sin, cos) = (PI * f64::from(i) / f64::from(steps)).sin_cos();
        // Exactly on the axis at both ends.
        let across = if i == 0 || i == steps { 0.0 } else { radius * sin };
        let half = if 2 * i <= steps { -0.5 * length } else { 0.5 * length };
        profile.push([across, half - radius * cos]);
        if 2 * i == steps && length > 0.0 {
            profile.push([across, -half]);
        }
    }
    shapes::lathe(&profile, SIDES)
}

/// A cylinder whose `rounding` stands out all round.
fn cylinder(radius: f64, length: f64, rounding: f64) -> Made {
    let (half, end) = (0.5 * length, 0.5 * length + rounding);
    let mut profile = vec![[0.0, -end], [radius, -end]];
    if rounding > 0.0 {
        profile.extend((1..=STEPS).map(|i| {
            let (sin, cos) = (FRAC_PI_2 * f64::from(i) / f64::from(STEPS)).sin_cos();
            [radius + rounding * sin, -half - rounding * cos]
        }));
    }
    let upper: Vec<[f64; 2]> = profile.iter().rev().map(|&[r, z]| [r, -z]).collect();
    profile.extend(upper);
    shapes::lathe(&profile, SIDES)
}

/// Side of the tiles of planes \[m\]: a round number.
fn tile(scene: Bounds) -> f64 {
    rounded_up(scene.radius() / 6.0)
}

/// Tiles along a side of a sheet.
fn tiles(scene: Bounds) -> u32 {
    // An even number, so that the origin is a corner of tiles.
    2 * (SHEET * scene.radius() / tile(scene)).ceil().clamp(1.0, 100.0) as u32
}

/// Tiles in the plane z = `height` round the origin. Those of different shades have their own corners.
fn sheet(scene: Bounds, height: f64) -> Made {
    let (count, tile) = (tiles(scene), tile(scene));
    let mut mesh = Mesh::default();
    for [i, j] in (0..count).flat_map(|j| (0..count).map(move |i| [i, j])) {
        let first = mesh.points.len() as u32;
        let at = |i: u32| (f64::from(i) - 0.5 * f64::from(count)) * tile;
        let corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        mesh.points.extend(corners.map(|[i, j]| [at(i), at(j), height]));
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|v: u32| first + v)));
    }
    Ok(mesh)
}

/// Ground that stands out by `thickness` \[m\]. Of very many heights only some are drawn.
fn raised(map: &HeightMap, thickness: f64) -> Option<Mesh> {
    let counts = [map.columns(), map.rows()];
    let part = (MOST_HEIGHTS as f64 / (counts[0] * counts[1]) as f64).sqrt().min(1.0);
    let [columns, rows] = counts.map(|count| ((count as f64 * part) as usize).max(2));
    let [width, depth] = map.size();
    let along = |size: f64, i: usize, count: usize| size * i as f64 / (count - 1) as f64;
    let mut mesh = match part < 1.0 {
        false => map.to_mesh(),
        true => {
            let places = (0..rows).flat_map(|j| (0..columns).map(move |i| [i, j]));
            let heights = places.filter_map(|[i, j]| {
                let (x, y) = (along(width, i, columns), along(depth, j, rows));
                Some(map.at(x.min(width), y.min(depth), Between::Bilinear)?.height)
            });
            HeightMap::new(columns, heights.collect(), map.size()).ok()?.to_mesh()
        }
    };
    for p in &mut mesh.points {
        let normal = map.at(p[0], p[1], Between::Bilinear).map_or([0.0, 0.0, 1.0], |g| g.normal);
        *p = std::array::from_fn(|k| p[k] + thickness * normal[k]);
    }
    Some(mesh)
}
