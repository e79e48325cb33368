//! Lines: wireframes, walls, axes, bands, cylinders and arrows.

use super::surface::Face;
use super::{Ball, DrawList, Label, Line, drawable};
use crate::camera::Projection;
use crate::colour::Colour;
use crate::geometry::{Arrow, Bounds, Geometry, Push};
use crate::math::{Vec3, Vec3d, Vec3f, vec3};
use crate::view::View;

/// Colour of wireframes.
pub(crate) const WIRE: u32 = 0x30353c;
/// Their width; this and the following for a picture of 720 rows [pixels].
pub(crate) const WIRE_WIDTH: f32 = 0.9;
/// Colour of rubber bands, and of the hands at their ends.
pub(crate) const BAND: u32 = 0xe08a1e;
pub(crate) const BAND_WIDTH: f32 = 1.8;
pub(crate) const HAND_RADIUS: f32 = 4.5;
/// Colour of forces.
const ARROW: u32 = 0xc2185b;
const ARROW_WIDTH: f32 = 1.6;
const TIP_RADIUS: f32 = 2.6;
const WALL: u32 = 0x7d8791;
const PUSH: u32 = 0xb5482f;
const AXES: [(&str, u32); 3] = [("x", 0xc0392b), ("y", 0x3f8f3f), ("z", 0x2f6db5)];
/// Sides of the polygon that stands for a circle.
const SIDES: usize = 32;

/// Adds what belongs to the scene rather than to a body.
pub(super) fn add(
    list: &mut DrawList,
    geometry: &Geometry,
    view: &View,
    projection: &Projection,
    pixel: f32,
) {
    if let Some(walls) = geometry.world_box.filter(|_| view.world_box) {
        add_box(list, walls, geometry.origin, pixel);
    }
    if view.touches {
        for band in geometry.bands {
            let colour = Colour::from_hex(BAND);
            add_line(list, band.point.into(), band.hand.into(), colour, BAND_WIDTH * pixel);
            if Vec3f::from(band.hand).is_finite() {
                list.balls.push(Ball { centre: band.hand, radius: HAND_RADIUS * pixel, colour });
            }
        }
        for push in geometry.pushes {
            add_push(list, push, pixel);
        }
    }
    for arrow in geometry.arrows {
        add_arrow(list, arrow, pixel);
    }
    if view.axes {
        add_axes(list, projection, pixel);
    }
}

fn add_line(list: &mut DrawList, a: Vec3f, b: Vec3f, colour: Colour, width: f32) {
    if a.is_finite() && b.is_finite() {
        list.lines.push(Line { ends: [a.into(), b.into()], colour, width, in_front: false });
    }
}

/// A line with a ball at its tip: barbs would fill the picture where there are many.
fn add_arrow(list: &mut DrawList, arrow: &Arrow, pixel: f32) {
    let ends = [arrow.tail, arrow.tip];
    if ends.iter().all(|end| Vec3f::from(*end).is_finite()) {
        let colour = Colour::from_hex(ARROW);
        list.lines.push(Line { ends, colour, width: ARROW_WIDTH * pixel, in_front: true });
        list.balls.push(Ball { centre: arrow.tip, radius: TIP_RADIUS * pixel, colour });
    }
}

/// Each edge of the faces once.
pub(super) fn add_edges(list: &mut DrawList, positions: &[[f32; 3]], faces: &[Face], pixel: f32) {
    let mut edges = Vec::with_capacity(faces.len() * 3);
    for face in faces.iter().filter(|f| drawable(positions, &f.corners)) {
        let [a, b, c] = face.corners;
        edges.extend([(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))));
    }
    edges.sort_unstable();
    edges.dedup();
    let colour = Colour::from_hex(WIRE);
    list.lines.extend(edges.into_iter().map(|(a, b)| Line {
        ends: [a, b].map(|v| positions[v as usize]),
        colour,
        width: WIRE_WIDTH * pixel,
        in_front: false,
    }));
}

fn add_box(list: &mut DrawList, walls: Bounds, origin: [f64; 3], pixel: f32) {
    let corners = walls.corners().map(|c| (Vec3::from(c) - Vec3::from(origin)).to_f32());
    for a in 0..8usize {
        for bit in [1, 2, 4].into_iter().filter(|bit| a & bit == 0) {
            add_line(list, corners[a], corners[a | bit], Colour::from_hex(WALL), 1.3 * pixel);
        }
    }
}

/// Rings along the part of the cylinder that is near the bodies, and an arrow in its middle.
fn add_push(list: &mut DrawList, push: &Push, pixel: f32) {
    let axis = Vec3f::from(push.direction).unit_or(vec3(0.0, 0.0, 0.0));
    let start = Vec3f::from(push.origin);
    let (centre, reach) = (Vec3f::from(list.extent.0), list.extent.1);
    if !start.is_finite() || !push.radius.is_finite() || axis == vec3(0.0, 0.0, 0.0) {
        return;
    }
    let across = if axis.z.abs() < 0.9 { vec3(0.0, 0.0, 1.0) } else { vec3(1.0, 0.0, 0.0) };
    let u = axis.cross(across).unit_or(across);
    let v = axis.cross(u);
    let middle = start + axis * (centre - start).dot(axis);
    let (colour, width) = (Colour::from_hex(PUSH), 1.3 * pixel);
    let rim = |along: f32, i: usize| {
        let (sin, cos) = (i as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
        middle + axis * along + (u * cos + v * sin) * push.radius
    };
    for along in [-1.3, -0.65, 0.0, 0.65, 1.3].map(|a| a * reach) {
        for i in 0..SIDES {
            add_line(list, rim(along, i), rim(along, i + 1), colour, width);
        }
    }
    for i in [0, 1, 2, 3].map(|quarter| quarter * SIDES / 4) {
        add_line(list, rim(-1.3 * reach, i), rim(1.3 * reach, i), colour, width);
    }
    let (tail, tip) = (middle - axis * (1.3 * reach), middle - axis * (0.4 * reach));
    add_line(list, tail, tip, colour, 2.5 * width);
    for side in [u, -u] {
        let barb = tip - (axis * 0.12 + side * 0.06) * reach;
        add_line(list, tip, barb, colour, 2.5 * width);
    }
}

/// Three short lines in the lower left corner, as far away as the target.
fn add_axes(list: &mut DrawList, projection: &Projection, pixel: f32) {
    let size = f64::from(pixel) * 34.0;
    let [_, height] = projection.size();
    let (eye, ray) = projection.ray(size * 1.9, height - size * 1.9);
    let depth = projection.distance();
    let basis = projection.basis();
    let ray = Vec3::from(ray);
    let centre = Vec3::from(eye) + ray * (depth / ray.dot(basis.forward));
    let length = size * depth / projection.focal();
    for (k, (name, colour)) in AXES.into_iter().enumerate() {
        let axis: Vec3d = std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }).into();
        let colour = Colour::from_hex(colour);
        let ends = [centre, centre + axis * length].map(|p| p.to_f32().into());
        list.lines.push(Line { ends, colour, width: 2.4 * pixel, in_front: true });
        if let Some([x, y, _]) = projection.pixel((centre + axis * (length * 1.35)).to_f32().into())
        {
            list.labels.push(Label { at: [x, y], text: name.into(), colour });
        }
    }
}
