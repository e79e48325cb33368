//! Clouds: bodies that are looked into, by rays through their tetrahedra.
//!
//! For each tile, the faces of the surface by which rays enter are found first (`entries`), then rays
//! walk from tetrahedron to tetrahedron, several in turns so that the processor need not wait for the
//! memory (`cast`), each until what is opaque hides the rest. Where bodies overlap, rays are in several
//! tetrahedra at once and go a slower way (`overlap`).
//!
//! Nothing is stored for faces or tetrahedra from one picture to the next but who is whose neighbour:
//! the walk needs no normals, and the gradient, which lights iso-surfaces, is computed where a ray
//! meets one.

mod cast;
mod entries;
mod film;
mod iso;
mod overlap;
#[cfg(test)]
mod tests;

#[cfg(all(test, feature = "gpu"))]
pub(crate) use film::ALIKE;
pub(super) use film::Film;

use super::bins::Bins;
use crate::camera::Projection;
use crate::colour::Colour;
use crate::geometry::{Body, Geometry, Values};
use crate::math::{Vec3, Vec3f, vec3};
use crate::view::View;
use crate::volume::mesh::Mesh;
use crate::volume::table::Table;
use crate::volume::walk::{Place, Point};
use crate::volume::{Look, Slice};

/// Coordinates beyond this are taken for missing, so that products of them stay finite.
const FAR: f32 = 1e14;

/// Everything that rays of one picture need.
pub(super) struct Clouds<'a> {
    mesh: &'a Mesh,
    table: &'a Table,
    look: &'a Look,
    points: Vec<Point>,
    /// Places in the table of tetrahedra that have values of their own; not a number for others.
    /// Empty if there are none.
    tet_values: Vec<f32>,
    isos: Vec<iso::Surface>,
    slice: Option<Plane>,
    bins: Bins,
    /// Half the picture \[pixels\], for places from its middle.
    half: [f32; 2],
    /// Pixels per unit of slope.
    focal: f32,
    near: f32,
    /// From the directions of the picture to those of the world.
    axes: [Vec3f; 3],
    to_light: Vec3f,
}

/// A slicing plane.
struct Plane {
    /// How fast the ray at a place (x, y) leaves to the side of the normal, per metre of depth: by
    /// `slope[0]` x + `slope[1]` y + `slope[2]`.
    slope: [f32; 3],
    /// How far the eye is on that side \[m\].
    side: f32,
    /// Whether nothing is seen on that side.
    clears: bool,
}

/// What a body needs to be looked into.
pub(super) fn bodies<'a, 'b>(geometry: &'b Geometry<'a>) -> Vec<&'b Body<'a>> {
    geometry.bodies.iter().filter(|b| b.has_inside()).collect()
}

impl<'a> Clouds<'a> {
    pub fn new(
        mesh: &'a Mesh,
        table: &'a Table,
        look: &'a Look,
        geometry: &Geometry,
        view: &View,
        projection: &Projection,
    ) -> Self {
        let bodies = bodies(geometry);
        let distance = projection.distance() as f32;
        let basis = projection.basis();
        let [width, height] = projection.size().map(|s| s as f32);
        let points = points(&bodies, table, projection, distance);
        let bins = entries::bins(mesh, &points, projection);
        Self {
            mesh,
            table,
            look,
            tet_values: tet_values(&bodies, mesh, table),
            isos: iso::Surface::all(look, table),
            slice: look.slice.map(|slice| Plane::new(slice, geometry.origin, projection)),
            points,
            bins,
            half: [0.5 * width, 0.5 * height],
            focal: projection.focal() as f32,
            near: projection.near(),
            axes: [basis.right, -basis.up, basis.forward].map(|v| v.to_f32()),
            to_light: Vec3f::from(view.light).unit_or(vec3(0.0, 0.0, 1.0)),
        }
    }

    /// The length of a ray between two depths a metre apart \[m\].
    fn metre(&self, place: Place) -> f32 {
        let (x, y) = (place.x / self.focal, place.y / self.focal);
        (1.0 + x * x + y * y).sqrt()
    }

    /// The colour of a place in the table.
    fn colour(&self, place: f32) -> Colour {
        self.look.transfer.colour(place / self.table.scale + self.table.low)
    }
}

/// Vertices as rays see them. Those that are not finite are put somewhere, without a value: rays still
/// pass through the tetrahedra round them, but see nothing there.
fn points(bodies: &[&Body], table: &Table, projection: &Projection, distance: f32) -> Vec<Point> {
    let mut points = Vec::with_capacity(bodies.iter().map(|b| b.positions.len()).sum());
    let rows = projection.centred_rows();
    for body in bodies {
        let values = match body.values {
            Values::Vertices(values) => values,
            _ => &[],
        };
        points.extend(body.positions.iter().enumerate().map(|(v, &p)| {
            let [x, y, w] = rows.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3]);
            let value = values.get(v).map_or(f32::NAN, |&value| table.place(value));
            let value = if value.abs() < 1e30 { value } else { f32::NAN };
            // A vertex in the eye itself is on all rays; it is moved out of it.
            let w = if x == 0.0 && y == 0.0 && w == 0.0 { -1e-6 * distance } else { w };
            // Not a number fails every comparison.
            match x.abs() < FAR && y.abs() < FAR && w.abs() < FAR {
                true => [x, y, w, value],
                false => [0.37 * distance, 0.21 * distance, distance, f32::NAN],
            }
        }));
    }
    points
}

fn tet_values(bodies: &[&Body], mesh: &Mesh, table: &Table) -> Vec<f32> {
    if !bodies.iter().any(|b| matches!(b.values, Values::Tets(_))) {
        return Vec::new();
    }
    let mut places = vec![f32::NAN; mesh.tets.len()];
    for (body, range) in bodies.iter().zip(mesh.starts.windows(2)) {
        let Values::Tets(values) = body.values else { continue };
        for tet in range[0][1]..range[1][1] {
            let place = table.place(values[tet - range[0][1]]);
            places[tet] = if place.abs() < 1e30 { place } else { f32::NAN };
        }
    }
    places
}

impl Plane {
    fn new(slice: Slice, origin: [f64; 3], projection: &Projection) -> Self {
        let normal = Vec3::from(slice.normal).unit_or(vec3(0.0, 0.0, 1.0));
        let point = Vec3::from(slice.point) - Vec3::from(origin);
        let (eye, _) = projection.ray(0.0, 0.0);
        let side = (Vec3::from(eye) - point).dot(normal);
        let basis = projection.basis();
        let across = basis.right.dot(normal) / projection.focal();
        let down = -basis.up.dot(normal) / projection.focal();
        let slope = [across, down, basis.forward.dot(normal)].map(|s| s as f32);
        Self { slope, side: side as f32, clears: slice.clears }
    }

    /// How fast a ray leaves to the side of the normal, per metre of depth.
    fn speed(&self, place: Place) -> f32 {
        self.slope[0] * place.x + self.slope[1] * place.y + self.slope[2]
    }

    /// The depth at which a ray meets the plane, if it does before infinity.
    fn depth(&self, place: Place) -> Option<f32> {
        let depth = -self.side / self.speed(place);
        (depth.is_finite() && depth > 0.0).then_some(depth)
    }

    /// Depths between which a ray is not cleared.
    fn left(&self, place: Place, near: f32) -> [f32; 2] {
        let speed = self.speed(place);
        match (self.clears, self.depth(place)) {
            (false, _) => [near, f32::INFINITY],
            (true, Some(depth)) if speed > 0.0 => [near, depth],
            (true, Some(depth)) => [depth.max(near), f32::INFINITY],
            (true, None) if self.side > 0.0 => [f32::INFINITY; 2],
            (true, None) => [near, f32::INFINITY],
        }
    }
}
