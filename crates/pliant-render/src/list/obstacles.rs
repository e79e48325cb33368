//! Obstacles: only what is turned to the eye is seen, and only what is turned to the light keeps it off.

use super::surface::add_paint;
use super::{DrawList, Paint, Vertex, drawable, normals};
use crate::camera::Projection;
use crate::colour::Colour;
use crate::geometry::{Bounds, Geometry};
use crate::math::{Vec3, Vec3f};
use crate::view::View;

/// Their colour and its darker shade: of no body, and on no scale.
pub(crate) const COLOURS: [u32; 2] = [0x8b96a2, 0x7f8a96];

/// How far from the bodies shadows of obstacles are looked for, in radii of the ball round the bodies: all
/// shadows share one map, and a wide one is coarse.
const SHADOWED: f64 = 6.0;

/// Adds their surfaces. Triangles that are seen and keep no light off come first in the list, so this
/// comes before all bodies.
pub(super) fn add(list: &mut DrawList, geometry: &Geometry, view: &View, projection: &Projection) {
    if geometry.obstacles.is_empty() {
        return;
    }
    let paints = COLOURS.map(|c| add_paint(list, Paint::Solid(Colour::from_hex(c))));
    let eye = projection.eye();
    let to_light = Vec3f::from(view.light);
    let mut both = Vec::new();
    for obstacle in &geometry.obstacles {
        let first = list.vertices.len() as u32;
        list.vertices.extend(obstacle.vertices(geometry.origin).map(|vertex| Vertex {
            paint: paints[vertex.paint as usize % paints.len()],
            ..vertex
        }));
        let positions: Vec<[f32; 3]> =
            list.vertices[first as usize..].iter().map(|v| v.position).collect();
        for &corners in &obstacle.surface.triangles {
            if !drawable(&positions, &corners) {
                continue;
            }
            let normal = normals::of_area(&positions, corners);
            let to_eye = eye - Vec3::from(positions[corners[0] as usize]);
            let triangle = corners.map(|v| v + first);
            match (normal.dot(to_eye) > 0.0, normal.dot(to_light) > 0.0) {
                (true, true) => both.push(triangle),
                (true, false) => list.triangles.push(triangle),
                (false, true) => list.casters.push(triangle),
                (false, false) => {}
            }
        }
    }
    list.shadowless = list.triangles.len();
    list.triangles.append(&mut both);
}

/// The box in which shadows are looked for \[m\]: round the bodies, which are within `bodies`, and what is
/// near them of obstacles.
pub(super) fn shadowed(geometry: &Geometry, bodies: Option<Bounds>) -> Option<Bounds> {
    let all = geometry.obstacles.iter().filter_map(|o| o.bounds());
    let reach = bodies.map_or(f64::INFINITY, |b| SHADOWED * b.radius());
    let near = all.filter_map(|obstacle| {
        let Some(b) = bodies else { return Some(obstacle) };
        let min = std::array::from_fn(|k| obstacle.min[k].max(b.min[k] - reach));
        let max = std::array::from_fn(|k| obstacle.max[k].min(b.max[k] + reach));
        (0..3).all(|k| min[k] <= max[k]).then_some(Bounds { min, max })
    });
    near.chain(bodies).reduce(Bounds::union)
}
