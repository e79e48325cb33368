//! What is nearest in each sample of a small square of the picture.
//!
//! Triangles stay homogeneous: with the corners (x·w, y·w, w) as columns of a matrix, the rows of its
//! inverse are the edge functions, whose sum is 1/w (Olano and Greer 1997, "Triangle Scan Conversion
//! using 2D Homogeneous Coordinates"). Corners behind the camera need no clipping then. Two
//! triangles compute the edge they share with the same numbers but for the sign, so that no gap
//! opens between them; where both cover a sample at the same depth, the lower number is kept.

use super::clouds::{Clouds, Film};
use super::primitives::{Disc, Id, Kind, Primitives};
use super::shade::Shader;
use crate::colour::{Colour, Encoder};
use crate::math::{Vec3d, Vec3f, vec3};

/// Side of a tile \[pixels\].
pub(super) const TILE: usize = 32;
/// Samples per pixel.
pub(super) const SAMPLES: usize = 4;
/// Where they are: no two in the same row or column.
pub(super) const SAMPLE_AT: [[f32; 2]; SAMPLES] =
    [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// Samples that show the background.
pub(super) const BACKGROUND: Id = Id::MAX;
/// Samples that show the floor.
pub(super) const GROUND: Id = Id::MAX - 1;

pub(super) struct Tile {
    /// Upper left pixel.
    x: usize,
    y: usize,
    /// 1/w of what is nearest, greater being nearer; 0 at infinity.
    nearness: Vec<[f32; SAMPLES]>,
    ids: Vec<[Id; SAMPLES]>,
}

impl Tile {
    pub fn new() -> Self {
        Self {
            x: 0,
            y: 0,
            nearness: vec![[0.0; SAMPLES]; TILE * TILE],
            ids: vec![[BACKGROUND; SAMPLES]; TILE * TILE],
        }
    }

    /// Starts anew at another place, with background and floor.
    pub fn begin(&mut self, column: usize, row: usize, shader: &Shader) {
        (self.x, self.y) = (column * TILE, row * TILE);
        self.nearness.fill([0.0; SAMPLES]);
        self.ids.fill([BACKGROUND; SAMPLES]);
        let Some(plane) = shader.ground_nearness() else { return };
        for (pixel, (nearness, ids)) in self.nearness.iter_mut().zip(&mut self.ids).enumerate() {
            let (x, y) = (self.x + pixel % TILE, self.y + pixel / TILE);
            for (s, [dx, dy]) in SAMPLE_AT.into_iter().enumerate() {
                let near = plane[0] * (x as f32 + dx) + plane[1] * (y as f32 + dy) + plane[2];
                if near > 0.0 {
                    (nearness[s], ids[s]) = (near, GROUND);
                }
            }
        }
    }

    /// Draws a primitive that touches only pixels within `bounds`.
    pub fn draw(&mut self, primitives: &Primitives, id: Id, bounds: [u16; 4]) {
        let [left, top, right, bottom] = bounds.map(usize::from);
        let columns = left.max(self.x) - self.x..(right + 1).min(self.x + TILE) - self.x;
        let rows = top.max(self.y) - self.y..(bottom + 1).min(self.y + TILE) - self.y;
        match (primitives.kind(id), primitives.corners(id)) {
            (Kind::Ball(ball), _) => self.draw_disc(primitives.disc(ball), id, columns, rows),
            (_, Some(corners)) => {
                let corner = [self.x as f64, self.y as f64];
                if let Some(edges) = Edges::new(corners, corner, primitives.near) {
                    self.draw_triangle(&edges, id, columns, rows);
                }
            }
            _ => {}
        }
    }

    fn draw_triangle(
        &mut self,
        edges: &Edges,
        id: Id,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
    ) {
        let [p, q, r] = edges.inside;
        let [dp, dq, dr] = edges.offsets;
        let [zx, zy, zc] = edges.nearness;
        for y in rows {
            for x in columns.clone() {
                let (fx, fy) = (x as f32, y as f32);
                let at_p = p[0] * fx + p[1] * fy + p[2];
                let at_q = q[0] * fx + q[1] * fy + q[2];
                let at_r = r[0] * fx + r[1] * fy + r[2];
                let reach = edges.reach;
                if at_p + reach[0] < 0.0 || at_q + reach[1] < 0.0 || at_r + reach[2] < 0.0 {
                    continue;
                }
                let (mut covered, mut nearness) = ([false; SAMPLES], [0.0; SAMPLES]);
                for s in 0..SAMPLES {
                    let least = (at_p + dp[s]).min(at_q + dq[s]).min(at_r + dr[s]);
                    covered[s] = least >= 0.0;
                    nearness[s] = zx * (fx + SAMPLE_AT[s][0]) + zy * (fy + SAMPLE_AT[s][1]) + zc;
                }
                self.keep(y * TILE + x, covered, nearness, edges, id);
            }
        }
    }

    #[inline]
    fn keep(
        &mut self,
        pixel: usize,
        covered: [bool; SAMPLES],
        nearness: [f32; SAMPLES],
        edges: &Edges,
        id: Id,
    ) {
        let (kept, ids) = (&mut self.nearness[pixel], &mut self.ids[pixel]);
        for s in (0..SAMPLES).filter(|&s| covered[s]) {
            let mut z = nearness[s];
            if edges.crosses_near {
                // Samples of what is before the near plane, or behind the eye, show nothing of it.
                if !(z > 0.0 && z <= edges.range[1]) {
                    continue;
                }
            } else {
                z = z.max(edges.range[0]).min(edges.range[1]);
            }
            if z > kept[s] || (z == kept[s] && id < ids[s]) {
                (kept[s], ids[s]) = (z, id);
            }
        }
    }

    fn draw_disc(
        &mut self,
        disc: Disc,
        id: Id,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
    ) {
        let z = 1.0 / disc.w;
        for y in rows {
            for x in columns.clone() {
                let (kept, ids) = (&mut self.nearness[y * TILE + x], &mut self.ids[y * TILE + x]);
                for (s, [sx, sy]) in SAMPLE_AT.into_iter().enumerate() {
                    let dx = (self.x + x) as f32 + sx - disc.x;
                    let dy = (self.y + y) as f32 + sy - disc.y;
                    let inside = dx * dx + dy * dy <= disc.radius * disc.radius;
                    if inside && (z > kept[s] || (z == kept[s] && id < ids[s])) {
                        (kept[s], ids[s]) = (z, id);
                    }
                }
            }
        }
    }

    /// Looks into bodies, before what has been drawn so far.
    pub fn look_inside(&self, clouds: &Clouds, film: &mut Film) {
        film.expose(clouds, [self.x, self.y], &self.nearness);
    }

    /// Lights what is seen and writes the pixels. `band` holds the rows of this tile over the
    /// `width` of the picture, `film` what is before it.
    pub fn resolve(
        &self,
        shader: &Shader,
        encoder: &Encoder,
        film: Option<&Film>,
        band: &mut [[u8; 4]],
        width: usize,
    ) {
        for (y, row) in band.chunks_mut(width).enumerate() {
            let end = (self.x + TILE).min(width);
            for (x, pixel) in row[self.x..end].iter_mut().enumerate() {
                let before = film.filter(|f| f.is_lit[y * TILE + x]);
                let before = before.map(|f| &f.light[y * TILE + x]);
                let colour = self.colour(shader, x, y, before);
                *pixel = encoder.encode(Colour(colour.into()));
            }
        }
    }

    /// The mean over the samples of a pixel. Each primitive is lit once, in the middle of the samples
    /// that show it, which is inside it since triangles and discs are convex. `before` is what rays
    /// have found before each sample.
    fn colour(
        &self,
        shader: &Shader,
        x: usize,
        y: usize,
        before: Option<&[[f32; 4]; SAMPLES]>,
    ) -> Vec3f {
        let ids = self.ids[y * TILE + x];
        let (left, top) = ((self.x + x) as f32, (self.y + y) as f32);
        let through = |samples: &mut dyn Iterator<Item = usize>, colour: Vec3f| {
            let Some(before) = before else { return colour * samples.count() as f32 };
            samples.fold(vec3(0.0, 0.0, 0.0), |sum, s| {
                let [through, r, g, b] = before[s];
                sum + vec3(r, g, b) + colour * through
            })
        };
        if ids == [ids[0]; SAMPLES] {
            let colour = shader.colour(ids[0], left + 0.5, top + 0.5);
            return match before {
                None => colour,
                Some(_) => through(&mut (0..SAMPLES), colour) * (1.0 / SAMPLES as f32),
            };
        }
        let mut sum = vec3(0.0, 0.0, 0.0);
        for first in (0..SAMPLES).filter(|&s| !ids[..s].contains(&ids[s])) {
            let (mut at, mut count) = ([0.0; 2], 0.0f32);
            for s in (first..SAMPLES).filter(|&s| ids[s] == ids[first]) {
                at = [at[0] + SAMPLE_AT[s][0], at[1] + SAMPLE_AT[s][1]];
                count += 1.0;
            }
            let colour = shader.colour(ids[first], left + at[0] / count, top + at[1] / count);
            sum = sum + through(&mut (first..SAMPLES).filter(|&s| ids[s] == ids[first]), colour);
        }
        sum * (1.0 / SAMPLES as f32)
    }
}

/// Edge functions of a triangle, relative to the upper left corner of a tile.
struct Edges {
    /// a x + b y + c, not negative inside; scaled to pixels.
    inside: [[f32; 3]; 3],
    /// What each sample adds.
    offsets: [[f32; SAMPLES]; 3],
    /// The most that any sample adds.
    reach: [f32; 3],
    /// 1/w as a x + b y + c.
    nearness: [f32; 3],
    /// Least and greatest 1/w of the corners, against overshoot where a triangle is seen edge on.
    range: [f32; 2],
    /// Some corner is before the near plane: `range` is then that of the visible part.
    crosses_near: bool,
}

impl Edges {
    fn new(corners: [[f32; 3]; 3], [x, y]: [f64; 2], near: f32) -> Option<Self> {
        let (rows, determinant) = inverse(corners)?;
        let moved = rows.map(|r| [r.x, r.y, r.x * x + r.y * y + r.z]);
        let sum = |k: usize| (moved[0][k] + moved[1][k] + moved[2][k]) / determinant;
        let crosses_near = corners.iter().any(|c| c[2] < near);
        let w = corners.map(|c| c[2]);
        let range = if crosses_near {
            [0.0, 1.0 / near]
        } else {
            [1.0 / w[0].max(w[1]).max(w[2]), 1.0 / w[0].min(w[1]).min(w[2])]
        };
        // The same factor on both sides of a shared edge keeps their signs opposite.
        let inside = moved.map(|m| {
            let size = m[0].abs().max(m[1].abs());
            let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
            m.map(|c| (c * scale) as f32)
        });
        let offsets = inside.map(|e| SAMPLE_AT.map(|[dx, dy]| e[0] * dx + e[1] * dy));
        let reach = offsets.map(|o| o.into_iter().fold(f32::NEG_INFINITY, f32::max));
        let nearness = [0, 1, 2].map(|k| sum(k) as f32);
        Some(Self { inside, offsets, reach, nearness, range, crosses_near })
    }
}

/// Rows of the inverse of the matrix of corners, times the size of its determinant, and that size;
/// nothing for triangles without area in the picture.
#[inline]
pub(super) fn inverse(corners: [[f32; 3]; 3]) -> Option<([Vec3d; 3], f64)> {
    let [p, q, r] = corners.map(|c| Vec3f::from(c).to_f64());
    let determinant = p.dot(q.cross(r));
    let sign = determinant.signum();
    let seen = determinant != 0.0 && determinant.is_finite();
    seen.then(|| ([q.cross(r) * sign, r.cross(p) * sign, p.cross(q) * sign], determinant.abs()))
}
