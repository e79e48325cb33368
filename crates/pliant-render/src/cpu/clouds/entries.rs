//! Where rays enter bodies.

use super::super::bins::{Bins, EMPTY};
use super::super::tile::TILE;
use super::Clouds;
use crate::camera::Projection;
use crate::volume::mesh::{Face, Mesh};
use crate::volume::walk::{Place, Point, Ring};

/// Rays of a tile in rows and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Upper left corner of the tile \[pixels\].
    pub corner: [usize; 2],
    /// Side of the square that a ray stands for \[pixels\].
    pub step: usize,
    /// Where in its square a ray is \[pixels\].
    pub at: [f32; 2],
}

impl Grid {
    /// Rays in a row, and in a column.
    pub fn side(&self) -> usize {
        TILE / self.step
    }

    /// From the upper left corner of the picture \[pixels\].
    fn x(&self, column: usize) -> f32 {
        (self.corner[0] + column * self.step) as f32 + self.at[0]
    }

    fn y(&self, row: usize) -> f32 {
        (self.corner[1] + row * self.step) as f32 + self.at[1]
    }
}

/// Where a ray enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub depth: f32,
    pub face: u32,
}

/// The entries of the rays of a tile.
#[derive(Default)]
pub(super) struct Entries {
    /// Found ones, as lists from ray to ray.
    found: Vec<(Entry, u32)>,
    heads: Vec<u32>,
    /// Those of one ray after the other, the nearest first.
    pub sorted: Vec<Entry>,
}

const END: u32 = u32::MAX;

/// Which faces may be seen in which tile.
pub(super) fn bins(mesh: &Mesh, points: &[Point], projection: &Projection) -> Bins {
    let [width, height] = projection.size().map(|s| s as f32);
    let near = projection.near();
    let mut bounds = Vec::with_capacity(mesh.surface.len());
    for range in mesh.starts.windows(2) {
        let all_behind = points[range[0][0]..range[1][0]].iter().all(|p| p[2] < near);
        let faces = &mesh.surface[range[0][2]..range[1][2]];
        bounds.extend(faces.iter().map(|face| match all_behind {
            true => EMPTY,
            false => face_bounds(face.corners.map(|c| points[c as usize]), width, height),
        }));
    }
    Bins::new(bounds, width as u32, height as u32)
}

/// Pixels that may see a face, or would see it if they looked behind the eye: a ray that starts
/// inside a body has entered it there.
fn face_bounds(corners: [Point; 3], width: f32, height: f32) -> [u16; 4] {
    let is_split = corners.iter().any(|c| c[2] > 0.0) == corners.iter().any(|c| c[2] <= 0.0);
    let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for [x, y, w, _] in corners {
        for (k, at) in [x / w + 0.5 * width, y / w + 0.5 * height].into_iter().enumerate() {
            // One pixel more makes up for rounding, and for rays at the corners of pixels.
            (low[k], high[k]) = (low[k].min(at - 1.0), high[k].max(at + 1.0));
        }
    }
    if is_split || !low.iter().chain(&high).all(|c| c.is_finite()) {
        (low, high) = ([0.0; 2], [width, height]);
    }
    if high[0] < 0.0 || high[1] < 0.0 || low[0] >= width || low[1] >= height {
        return EMPTY;
    }
    let [left, top] = low.map(|c| c.max(0.0) as u16);
    [left, top, high[0].min(width - 1.0) as u16, high[1].min(height - 1.0) as u16]
}

impl Entries {
    /// Finds where the rays of a grid enter.
    pub fn find(&mut self, clouds: &Clouds, grid: &Grid) {
        let side = grid.side();
        self.found.clear();
        self.sorted.clear();
        self.heads.clear();
        self.heads.resize(side * side, END);
        let [column, row] = grid.corner.map(|c| c / TILE);
        for id in clouds.bins.of_tile(column, row) {
            let [left, top, right, bottom] = clouds.bins.bounds(id).map(usize::from);
            let cells = |from: usize, to: usize, corner: usize| {
                let first = from.max(corner) - corner;
                first / grid.step..((to.min(corner + TILE - 1) - corner) / grid.step + 1)
            };
            let (columns, rows) =
                (cells(left, right, grid.corner[0]), cells(top, bottom, grid.corner[1]));
            self.add(clouds, grid, id, columns, rows);
        }
    }

    fn add(
        &mut self,
        clouds: &Clouds,
        grid: &Grid,
        id: u32,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
    ) {
        let face: &Face = &clouds.mesh.surface[id as usize];
        let [a, b, c] = face.corners.map(|v| clouds.points[v as usize]);
        for row in rows {
            let y = grid.y(row) - clouds.half[1];
            let [va, vb, vc] = [a, b, c].map(|p| p[1] - y * p[2]);
            let mut hits = [false; TILE];
            for column in columns.clone() {
                let x = grid.x(column) - clouds.half[0];
                let [ua, ub, uc] = [a, b, c].map(|p| p[0] - x * p[2]);
                let (ab, bc, ca) = (ua * vb - ub * va, ub * vc - uc * vb, uc * va - ua * vc);
                hits[column] = (ab >= 0.0) & (bc >= 0.0) & (ca >= 0.0);
            }
            for column in columns.clone().filter(|&column| hits[column]) {
                let place = Place { x: grid.x(column) - clouds.half[0], y };
                // Zeros are decided there.
                let Some(ring) = Ring::enter(&clouds.points, place, face) else { continue };
                let (depth, _) = ring.crossing();
                if depth.is_finite() {
                    let head = &mut self.heads[row * grid.side() + column];
                    self.found.push((Entry { depth, face: id }, *head));
                    *head = (self.found.len() - 1) as u32;
                }
            }
        }
    }

    /// Calls `ray` with the number in the grid, the place and the sorted entries of each ray that
    /// enters something.
    pub fn for_each_ray(
        &mut self,
        clouds: &Clouds,
        grid: &Grid,
        mut ray: impl FnMut(usize, Place, std::ops::Range<u32>),
    ) {
        let side = grid.side();
        for (number, &head) in self.heads.iter().enumerate().filter(|(_, h)| **h != END) {
            let first = self.sorted.len();
            let mut at = head;
            while at != END {
                let (entry, next) = self.found[at as usize];
                self.sorted.push(entry);
                at = next;
            }
            let own = &mut self.sorted[first..];
            if own.len() > 1 {
                own.sort_unstable_by(|a, b| a.depth.total_cmp(&b.depth).then(a.face.cmp(&b.face)));
            }
            let place = Place {
                x: grid.x(number % side) - clouds.half[0],
                y: grid.y(number / side) - clouds.half[1],
            };
            ray(number, place, first as u32..self.sorted.len() as u32);
        }
    }
}
