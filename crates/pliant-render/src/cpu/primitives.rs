//! Everything to draw, in the coordinates of the picture.

use super::bins::EMPTY;
use crate::camera::Projection;
use crate::list::{BALL_BIAS, Ball, DrawList, LINE_BIAS, Line};

/// Number of a primitive: the triangles of surfaces, then two for each line, then the balls.
pub(super) type Id = u32;

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Triangle of the list with this number.
    Surface(usize),
    /// Line of the list with this number.
    Line(usize),
    /// Ball of the list with this number.
    Ball(usize),
}

/// A ball in the picture \[pixels\] and its depth \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    pub x: f32,
    pub y: f32,
    pub radius: f32,
    pub w: f32,
}

pub(super) struct Primitives<'a> {
    pub list: &'a DrawList,
    pub near: f32,
    /// (x·w, y·w, w) of the surfaces' vertices, then of four corners for each line.
    points: Vec<[f32; 3]>,
    discs: Vec<Disc>,
}

/// What cannot be seen: no bounds are found for it.
const NOWHERE: [f32; 3] = [f32::NAN; 3];

impl<'a> Primitives<'a> {
    pub fn new(list: &'a DrawList, projection: &Projection) -> Self {
        let near = projection.near();
        let mut points = Vec::with_capacity(list.vertices.len() + 4 * list.lines.len());
        points.extend(list.vertices.iter().map(|v| projection.homogeneous(v.position)));
        for line in &list.lines {
            points.extend(ribbon(line, projection).unwrap_or([NOWHERE; 4]));
        }
        let disc = |ball: &Ball| {
            let [x, y, w] = projection.pixel(ball.centre).unwrap_or(NOWHERE);
            Disc { x, y, radius: ball.radius, w: w * (1.0 - BALL_BIAS) }
        };
        Self { list, near, points, discs: list.balls.iter().map(disc).collect() }
    }

    pub fn len(&self) -> usize {
        self.list.triangles.len() + 2 * self.list.lines.len() + self.discs.len()
    }

    #[inline]
    pub fn kind(&self, id: Id) -> Kind {
        let id = id as usize;
        let (surfaces, lines) = (self.list.triangles.len(), self.list.lines.len());
        if id < surfaces {
            Kind::Surface(id)
        } else if id < surfaces + 2 * lines {
            Kind::Line((id - surfaces) / 2)
        } else {
            Kind::Ball(id - surfaces - 2 * lines)
        }
    }

    pub fn disc(&self, ball: usize) -> Disc {
        self.discs[ball]
    }

    /// Corners of a triangle as (x·w, y·w, w); nothing for balls.
    #[inline]
    pub fn corners(&self, id: Id) -> Option<[[f32; 3]; 3]> {
        match self.kind(id) {
            Kind::Surface(t) => Some(self.list.triangles[t].map(|v| self.points[v as usize])),
            Kind::Line(line) => {
                let first = self.list.vertices.len() + 4 * line;
                // The two triangles of a ribbon share its diagonal from 1 to 2.
                let other = 3 * ((id as usize - self.list.triangles.len()) % 2);
                Some([first + other, first + 1, first + 2].map(|p| self.points[p]))
            }
            Kind::Ball(_) => None,
        }
    }

    /// Pixels that each primitive can touch.
    pub fn all_bounds(&self, width: u32, height: u32) -> Vec<[u16; 4]> {
        let bounds = |id| self.bounds(id, width, height).unwrap_or(EMPTY);
        (0..self.len() as Id).map(bounds).collect()
    }

    /// Pixels that the primitive can touch: left, top, right, bottom, the last two included.
    fn bounds(&self, id: Id, width: u32, height: u32) -> Option<[u16; 4]> {
        let [left, top, right, bottom] = match self.kind(id) {
            Kind::Ball(ball) => {
                let Disc { x, y, radius, .. } = self.discs[ball];
                [x - radius, y - radius, x + radius, y + radius]
            }
            _ => triangle_bounds(self.corners(id)?, self.near)?,
        };
        // Not a number fails every comparison.
        let seen = right >= 0.0 && bottom >= 0.0 && left < width as f32 && top < height as f32;
        seen.then(|| {
            [
                left.max(0.0) as u16,
                top.max(0.0) as u16,
                right.min(width as f32 - 1.0) as u16,
                bottom.min(height as f32 - 1.0) as u16,
            ]
        })
    }
}

/// The box round the part of a triangle that is in front of the near plane.
fn triangle_bounds(corners: [[f32; 3]; 3], near: f32) -> Option<[f32; 4]> {
    let mut bounds = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    let mut add = |x: f32, y: f32| {
        bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
    };
    if corners.iter().flatten().any(|c| !c.is_finite()) {
        return None;
    }
    for i in 0..3 {
        let ([ax, ay, aw], [bx, by, bw]) = (corners[i], corners[(i + 1) % 3]);
        if aw >= near {
            add(ax / aw, ay / aw);
        }
        if (aw >= near) != (bw >= near) {
            let t = (near - aw) / (bw - aw);
            // One pixel more on each side makes up for what rounding takes at a grazing edge.
            let (x, y) = ((ax + (bx - ax) * t) / near, (ay + (by - ay) * t) / near);
            add(x - 1.0, y - 1.0);
            add(x + 1.0, y + 1.0);
        }
    }
    Some(bounds)
}

/// The corners of a line of even width, cut off at the near plane.
fn ribbon(line: &Line, projection: &Projection) -> Option<[[f32; 3]; 4]> {
    let near = projection.near();
    let [mut a, mut b] = line.ends.map(|p| projection.homogeneous(p));
    if a[2].max(b[2]) <= near {
        return None;
    }
    let at_near = |inner: [f32; 3], outer: [f32; 3]| {
        let t = (near - outer[2]) / (inner[2] - outer[2]);
        [0, 1, 2].map(|k| if k == 2 { near } else { outer[k] + (inner[k] - outer[k]) * t })
    };
    if a[2] < near {
        a = at_near(b, a);
    } else if b[2] < near {
        b = at_near(a, b);
    }
    let pixel = |p: [f32; 3]| [p[0] / p[2], p[1] / p[2]];
    let (start, end) = (pixel(a), pixel(b));
    let (dx, dy) = (end[0] - start[0], end[1] - start[1]);
    let length = dx.hypot(dy);
    // Seen end on, a line is a dot.
    let (ux, uy) = if length > 0.0 { (dx / length, dy / length) } else { (1.0, 0.0) };
    let half = line.width / 2.0;
    let corner = |[x, y]: [f32; 2], w: f32, along: f32, across: f32| {
        // The bias must not push a line through the near plane.
        let w = if line.in_front { near } else { (w * (1.0 - LINE_BIAS)).max(near) };
        let (x, y) = (x + ux * along - uy * across, y + uy * along + ux * across);
        [x * w, y * w, w]
    };
    Some([
        corner(start, a[2], -half, -half),
        corner(start, a[2], -half, half),
        corner(end, b[2], half, -half),
        corner(end, b[2], half, half),
    ])
}
