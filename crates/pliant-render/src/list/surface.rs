//! Surfaces and vertices of bodies.

use super::normals::{self, Normals};
use super::{Ball, DrawList, Paint, Vertex, cut, drawable, lines};
use crate::colour::Colour;
use crate::geometry::{Body, Geometry, Values};
use crate::math::{Vec3f, vec3};
use crate::view::{Colouring, Scale, Shading, View};

/// Colour of bodies that have none of their own.
pub(crate) const PLAIN: u32 = 0xc9c3b8;
/// How much of its light a cut face keeps, so that inside and outside can be told apart.
pub(crate) const INSIDE: f32 = 0.62;
/// Colour of the marks on locked vertices.
pub(crate) const LOCK: u32 = 0x3b4a63;
/// Radius of vertices in a picture of 720 rows [pixels].
pub(crate) const VERTEX_RADIUS: f32 = 2.6;
/// The same for marks on locked vertices [pixels].
pub(crate) const LOCK_RADIUS: f32 = 3.6;

/// A triangle of a body, with its value if it has one of its own.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    pub corners: [u32; 3],
    /// Uncovered by a cut: the tetrahedron it belongs to.
    pub inside: Option<u32>,
}

/// Adds surfaces, wireframes, vertices and locks of all bodies.
pub(super) fn add_bodies(list: &mut DrawList, geometry: &Geometry, view: &View, pixel: f32) {
    let scale = view.colouring.scale();
    for (number, body) in geometry.bodies.iter().enumerate() {
        list.skipped += body.positions.iter().filter(|p| !Vec3f::from(**p).is_finite()).count();
        let faces = match &view.cut {
            Some(plane) => cut::faces(body, plane, geometry.origin),
            None => body.triangles.iter().map(|&corners| Face { corners, inside: None }).collect(),
        };
        let colour = colour_of(body, number, &view.colouring);
        let is_cloud = view.volume.is_some() && body.has_inside();
        if view.surface && !is_cloud {
            let outside = add_paint(list, paint(&scale, body, colour, 1.0));
            let inside = add_paint(list, paint(&scale, body, colour, INSIDE));
            add_surface(list, body, &faces, &scale, view.shading, [outside, inside]);
        }
        if view.wireframe {
            lines::add_edges(list, body.positions, &faces, pixel);
        }
        add_balls(list, body, view, colour, pixel);
    }
}

fn colour_of(body: &Body, number: usize, colouring: &Colouring) -> Colour {
    match colouring {
        Colouring::Body => body.colour.unwrap_or_else(|| Colour::of_body(number)),
        _ => Colour::from_hex(PLAIN),
    }
}

fn paint(scale: &Option<Scale>, body: &Body, colour: Colour, light: f32) -> Paint {
    match (scale, body.values) {
        (None, _) | (_, Values::None) => Paint::Solid(Colour((colour.vec() * light).into())),
        (Some(scale), _) => Paint::Map(scale.map),
    }
}

pub(super) fn add_paint(list: &mut DrawList, paint: Paint) -> u32 {
    let found = list.paints.iter().rposition(|p| *p == paint);
    found.unwrap_or_else(|| {
        list.paints.push(paint);
        list.paints.len() - 1
    }) as u32
}

/// Adds the faces of a body as `shading` wants them, with the paints of outer and of cut faces.
pub(crate) fn add_surface(
    list: &mut DrawList,
    body: &Body,
    faces: &[Face],
    scale: &Option<Scale>,
    shading: Shading,
    [outside, inside]: [u32; 2],
) {
    let place = |value: f32| scale.as_ref().map_or(0.0, |s| s.place(value));
    let values = if scale.is_some() { values_at_vertices(body) } else { Vec::new() };
    let value = |v: u32| values.get(v as usize).map_or(0.0, |&x| place(x));
    let first = list.vertices.len() as u32;
    let normals = (shading == Shading::Smooth).then(|| Normals::new(body.positions, faces));
    if let Some(normals) = &normals {
        let all = body.positions.iter().zip(&normals.common).zip(0..);
        list.vertices.extend(all.map(|((&position, &normal), v)| Vertex {
            position,
            value: value(v),
            normal: normal.into(),
            paint: outside,
        }));
    }
    for (number, face) in faces.iter().enumerate() {
        if !drawable(body.positions, &face.corners) {
            continue;
        }
        let own = normals::of_area(body.positions, face.corners).unit_or(vec3(0.0, 0.0, 1.0));
        let tet_value = match (face.inside, body.values) {
            (Some(tet), Values::Tets(v)) => Some(place(v[tet as usize])),
            _ => None,
        };
        let smooth = normals.as_ref().filter(|_| face.inside.is_none());
        let corners = face.corners.map(|v| {
            let normal = match smooth.map(|n| n.at_crease(number, v)) {
                Some(None) => return first + v,
                Some(Some(at_crease)) => at_crease,
                None => own,
            };
            // A corner that other faces do not share.
            list.vertices.push(Vertex {
                position: body.positions[v as usize],
                value: tet_value.unwrap_or_else(|| value(v)),
                normal: normal.into(),
                paint: if face.inside.is_some() { inside } else { outside },
            });
            (list.vertices.len() - 1) as u32
        });
        list.triangles.push(corners);
    }
}

/// One value for each vertex; that of tetrahedra is the mean of those that meet there.
fn values_at_vertices(body: &Body) -> Vec<f32> {
    match body.values {
        Values::None => Vec::new(),
        Values::Vertices(values) => values.to_vec(),
        Values::Tets(values) => {
            let mut sums = vec![(0.0f64, 0u32); body.positions.len()];
            for (tet, &value) in body.tets.iter().zip(values) {
                for &v in tet {
                    let (sum, count) = &mut sums[v as usize];
                    *sum += f64::from(value);
                    *count += 1;
                }
            }
            // A vertex without a tetrahedron has no value: 0 / 0 is not a number.
            sums.into_iter().map(|(sum, count)| (sum / f64::from(count)) as f32).collect()
        }
    }
}

fn add_balls(list: &mut DrawList, body: &Body, view: &View, colour: Colour, pixel: f32) {
    let finite = |p: &[f32; 3]| Vec3f::from(*p).is_finite();
    if view.vertices {
        let ball = |centre| Ball { centre, radius: VERTEX_RADIUS * pixel, colour };
        list.balls.extend(body.positions.iter().copied().filter(finite).map(ball));
    }
    if view.locks {
        let radius = LOCK_RADIUS * pixel;
        let ball = |centre| Ball { centre, radius, colour: Colour::from_hex(LOCK) };
        let locked = body.locked.iter().map(|&v| body.positions[v as usize]);
        list.balls.extend(locked.filter(finite).map(ball));
    }
}
