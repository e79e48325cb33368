//! A coarse mesh of tetrahedra round a detailed surface, which can then be carried along as a skin.
//!
//! # Theory
//!
//! The box round the surface is cut into cubes. Those that a triangle passes through belong to the cage, so that it
//! covers all of the surface, and so do those within, which is decided by the winding number of their middles
//! ([`crate::winding`]): holes, crossing parts and doubled triangles do no harm to it. Two cubes side by side share the
//! corners of their common face only if there is matter at that face: a triangle that passes through it, or an
//! inside at its middle. Parts that come near each other, such as two ears, are therefore not glued together as long as they
//! do not meet in a cube.
//!
//! # Practice
//!
//! ```
//! use pliant_mesh::{cage, shapes};
//!
//! let detailed = shapes::rounded_box([1.0, 0.5, 0.5], 0.1, 16).unwrap();
//! let coarse = cage::cage(&detailed, 6).unwrap();
//! assert!(coarse.points.len() < detailed.points.len());
//! assert_eq!(coarse.tets.len(), 5 * 6 * 4 * 4);
//! ```

mod overlap;
#[cfg(test)]
mod tests;

use crate::Mesh;
use crate::geometry::{cross, dot, sub};
use crate::shapes::cell_tets;
use crate::topology::boundary_faces;
use crate::winding::Winding;
use overlap::touches;

/// Least and greatest number of cells along the longest side.
pub const CELLS: [u32; 2] = [1, 128];

/// Cells along a side of blocks that are asked together for their inside, if no triangle is in them.
const BLOCK: usize = 4;
/// How many times triangles may be held against cells, all in all: some seconds.
const MOST_LOOKS: u64 = 100_000_000;
/// How far the grid goes beyond the surface, in cells, so that flat sides do not lie in its planes.
const MARGIN: f64 = 1e-3;
/// Extent over the longest one below which a surface is flat.
const FLAT: f64 = 1e-9;
/// Part of the surface that must have an inside and an outside.
const CLOSED: f64 = 0.8;
/// Triangles that are asked for it.
const ASKED: usize = 500;
/// How far from a whole number the winding number beside a triangle may be.
const NEARLY: f64 = 0.125;
/// How far from a triangle its sides are asked, in extents of the surface.
const BESIDE: f64 = 1e-4;

/// Why a surface has no cage.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CageError {
    /// There are no triangles.
    #[error("it has no triangles that a cage could be made round")]
    Empty,
    /// A triangle refers to a point that does not exist.
    #[error("{0}")]
    Index(String),
    /// A point is nowhere.
    #[error(
        "point {point} of the surface is {at:?}; mend the file (`pliant mesh check` lists all)"
    )]
    NotFinite {
        /// Its number.
        point: usize,
        /// Its coordinates.
        at: [f64; 3],
    },
    /// Everything lies in a plane.
    #[error(
        "the surface is flat, so it encloses nothing; leave the cage away and simulate it as cloth"
    )]
    Flat,
    /// Its extent is no number.
    #[error("the surface is too large for its coordinates; use another unit")]
    Huge,
    /// It is a sheet rather than the outside of something.
    #[error(
        "the surface is open: {percent} % of it do not tell an inside from an outside; close its holes \
         and turn its triangles the same way round, or leave the cage away and simulate it as cloth"
    )]
    Open {
        /// How much of it.
        percent: u32,
    },
    /// Not a number of cells that can be made.
    #[error("a cage has {least} to {most} cells along its longest side, not {0}", least = CELLS[0], most = CELLS[1])]
    Cells(u32),
    /// It would take too long.
    #[error("{triangles} triangles pass through too many of the cells; use fewer cells")]
    TooMuch {
        /// How many there are.
        triangles: usize,
    },
}

/// The outside of a mesh, with the points that it uses: the boundary of its tetrahedra, or all triangles where it has none.
pub fn outside(mesh: &Mesh) -> Mesh {
    let triangles = match mesh.tets.is_empty() {
        true => mesh.triangles.clone(),
        false => boundary_faces(&mesh.tets),
    };
    let mut number = vec![u32::MAX; mesh.points.len()];
    triangles.iter().flatten().for_each(|&v| number[v as usize] = 0);
    let mut surface = Mesh::default();
    for (number, &p) in number.iter_mut().zip(&mesh.points).filter(|(n, _)| **n == 0) {
        *number = surface.points.len() as u32;
        surface.points.push(p);
    }
    surface.triangles = triangles.iter().map(|t| t.map(|v| number[v as usize])).collect();
    surface
}

/// Whether most of a surface tells an inside from an outside, so that [`cage`] takes it.
pub fn is_nearly_closed(surface: &Mesh) -> bool {
    Soup::new(surface)
        .and_then(|soup| soup.check_closed(&Winding::new(soup.triangles.clone())))
        .is_ok()
}

/// A mesh of cubes, each cut into five tetrahedra, that covers a surface and what is in it, with so many `cells`
/// along the longest side.
pub fn cage(surface: &Mesh, cells: u32) -> Result<Mesh, CageError> {
    if !(CELLS[0]..=CELLS[1]).contains(&cells) {
        return Err(CageError::Cells(cells));
    }
    let soup = Soup::new(surface)?;
    let winding = Winding::new(soup.triangles.clone());
    soup.check_closed(&winding)?;
    let mut grid = Grid::new(&soup, cells);
    grid.pass_through(&soup.triangles)?;
    grid.fill(&winding);
    Ok(grid.mesh())
}

/// Triangles, with the box round them.
struct Soup {
    triangles: Vec<[[f64; 3]; 3]>,
    low: [f64; 3],
    extent: [f64; 3],
}

impl Soup {
    fn new(surface: &Mesh) -> Result<Self, CageError> {
        surface.check_indices().map_err(CageError::Index)?;
        if let Some(&point) = surface
            .triangles
            .iter()
            .flatten()
            .find(|&&v| surface.points[v as usize].iter().any(|c| !c.is_finite()))
        {
            let at = surface.points[point as usize];
            return Err(CageError::NotFinite { point: point as usize, at });
        }
        let corners = |t: &[u32; 3]| t.map(|v| surface.points[v as usize]);
        let triangles: Vec<_> = surface.triangles.iter().map(corners).collect();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in triangles.as_flattened() {
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k]));
            }
        }
        if triangles.is_empty() {
            return Err(CageError::Empty);
        }
        let extent: [f64; 3] = std::array::from_fn(|k| high[k] - low[k]);
        let soup = Self { triangles, low, extent };
        let longest = soup.longest();
        if !(longest * longest * longest).is_finite() {
            return Err(CageError::Huge);
        }
        if extent.iter().any(|e| *e <= FLAT * longest) { Err(CageError::Flat) } else { Ok(soup) }
    }

    fn longest(&self) -> f64 {
        self.extent.iter().copied().fold(0.0, f64::max)
    }

    /// Asks triangles, each for the same area, for the winding number just beside them: near a surface that is closed it
    /// is a whole one, and near the middle of a sheet a half.
    fn check_closed(&self, winding: &Winding) -> Result<(), CageError> {
        let area = |&[a, b, c]: &[[f64; 3]; 3]| cross(sub(b, a), sub(c, a));
        let size = |t| {
            let n = area(t);
            dot(n, n).sqrt()
        };
        let total: f64 = self.triangles.iter().map(size).sum();
        let asked = ASKED.min(self.triangles.len());
        let share = total / asked as f64;
        let (mut sum, mut count, mut closed) = (0.0, 0u32, 0u32);
        for triangle in &self.triangles {
            sum += size(triangle);
            let due = (sum / share + 0.5) as u32;
            let number = due - count.min(due);
            if number == 0 || !share.is_normal() {
                continue;
            }
            count += number;
            let (n, length) = (area(triangle), size(triangle));
            let middle: [f64; 3] = std::array::from_fn(|k| {
                let corners = triangle.iter().map(|p| p[k]).sum::<f64>() / 3.0;
                corners + BESIDE * self.longest() * n[k] / length
            });
            let found = winding.at(middle);
            closed += number * u32::from((found - found.round()).abs() < NEARLY);
        }
        if f64::from(closed) >= CLOSED * f64::from(count) && count > 0 {
            return Ok(());
        }
        let open = f64::from(count - closed) / f64::from(count.max(1));
        Err(CageError::Open {
            percent: if count == 0 { 100 } else { (100.0 * open).ceil() as u32 },
        })
    }
}

/// All places from the first to before the second along each axis.
fn within([x, y, z]: [[usize; 2]; 3]) -> impl Iterator<Item = [usize; 3]> {
    let range = |[from, to]: [usize; 2]| from..to;
    range(x).flat_map(move |i| range(y).flat_map(move |j| range(z).map(move |k| [i, j, k])))
}

/// What a cell is.
#[derive(Clone, Copy, Default)]
struct Cell {
    is_kept: bool,
    /// Whether matter goes on beyond its lower side along x, y and z.
    joined: [bool; 3],
}

/// Cubes in a row of rows of rows.
struct Grid {
    low: [f64; 3],
    edge: f64,
    counts: [usize; 3],
    cells: Vec<Cell>,
}

impl Grid {
    fn new(soup: &Soup, cells: u32) -> Self {
        let edge = soup.longest() / (f64::from(cells) - 2.0 * MARGIN);
        let count = |extent: f64| ((extent / edge + 2.0 * MARGIN).ceil() as usize).max(1);
        let counts = soup.extent.map(count);
        // What the grid is larger by is shared between both ends.
        let low =
            std::array::from_fn(|k| soup.low[k] - 0.5 * (counts[k] as f64 * edge - soup.extent[k]));
        Self { low, edge, counts, cells: vec![Cell::default(); counts.iter().product()] }
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.counts[1] + j) * self.counts[2] + k
    }

    fn places(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        within(self.counts.map(|count| [0, count]))
    }

    /// Ranges of cells that are asked together where they can be.
    fn blocks(&self) -> impl Iterator<Item = [[usize; 2]; 3]> + use<> {
        let counts = self.counts;
        within(counts.map(|count| [0, count.div_ceil(BLOCK)])).map(move |block| {
            std::array::from_fn(|k| [block[k] * BLOCK, counts[k].min((block[k] + 1) * BLOCK)])
        })
    }

    /// The cells, and the sides between them, that triangles pass through.
    fn pass_through(&mut self, triangles: &[[[f64; 3]; 3]]) -> Result<(), CageError> {
        let mut looks = 0;
        for triangle in triangles {
            // In cells from here on.
            let own = triangle
                .map(|p| -> [f64; 3] { std::array::from_fn(|k| (p[k] - self.low[k]) / self.edge) });
            let mut range = [[0; 2]; 3];
            for k in 0..3 {
                let low = own.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
                let high = own.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
                // What touches a side is in both of its cells.
                let last = self.counts[k] - 1;
                range[k] = [low - MARGIN, high + MARGIN].map(|x| (x.max(0.0) as usize).min(last));
            }
            self.mark(&own, range, &mut looks);
            if looks > MOST_LOOKS {
                return Err(CageError::TooMuch { triangles: triangles.len() });
            }
        }
        Ok(())
    }

    /// Marks those cells of a range, both ends included, that a triangle passes through; halves that it does not meet are left
    /// out at once.
    fn mark(&mut self, triangle: &[[f64; 3]; 3], range: [[usize; 2]; 3], looks: &mut u64) {
        *looks += 1;
        let low: [f64; 3] = range.map(|[from, _]| from as f64);
        let high: [f64; 3] = range.map(|[_, to]| (to + 1) as f64);
        if *looks > MOST_LOOKS || !touches(triangle, low, high) {
            return;
        }
        let longest = (0..3).max_by_key(|&k| range[k][1] - range[k][0]).unwrap_or(0);
        let [from, to] = range[longest];
        if from == to {
            let number = self.number(range.map(|[at, _]| at));
            self.cells[number].is_kept = true;
            for (axis, is_joined) in self.cells[number].joined.iter_mut().enumerate() {
                let side = std::array::from_fn(|k| if k == axis { low[k] } else { high[k] });
                *is_joined |= touches(triangle, low, side);
            }
            return;
        }
        let middle = from + (to - from) / 2;
        for half in [[from, middle], [middle + 1, to]] {
            let mut part = range;
            part[longest] = half;
            self.mark(triangle, part, looks);
        }
    }

    /// Keeps the cells within the surface, and joins what has matter between it.
    fn fill(&mut self, winding: &Winding) {
        let edge = self.edge;
        let passed: Vec<bool> = self.cells.iter().map(|cell| cell.is_kept).collect();
        let low = self.low;
        // A surface that is turned inside out has an inside nevertheless.
        let is_inside = |place: [f64; 3]| {
            let at = std::array::from_fn(|k| low[k] + edge * place[k]);
            winding.at(at).abs() > 0.5
        };
        for block in self.blocks() {
            let places = || within(block);
            // Where no triangle passes through, all cells are on the same side.
            if places().all(|place| !passed[self.number(place)]) {
                let middle = block.map(|[from, to]| 0.5 * (from + to) as f64);
                let is_kept = is_inside(middle);
                places().for_each(|place| {
                    let number = self.number(place);
                    self.cells[number].is_kept = is_kept;
                });
                continue;
            }
            for place in places() {
                let number = self.number(place);
                if !passed[number] {
                    self.cells[number].is_kept = is_inside(place.map(|c| c as f64 + 0.5));
                }
            }
        }
        for place in self.places() {
            let number = self.number(place);
            for k in 0..3 {
                let Some(before) = self.before(place, k) else { continue };
                if !self.cells[number].is_kept || !self.cells[before].is_kept {
                    self.cells[number].joined[k] = false;
                } else if !self.cells[number].joined[k] {
                    // No triangle passes through: it is the same at all of the side.
                    let mut side = place.map(|c| c as f64 + 0.5);
                    side[k] -= 0.5;
                    let is_whole = !passed[number] || !passed[before];
                    self.cells[number].joined[k] = is_whole || is_inside(side);
                }
            }
        }
    }

    /// The neighbour below a cell along an axis, if there is one.
    fn before(&self, mut place: [usize; 3], axis: usize) -> Option<usize> {
        place[axis] = place[axis].checked_sub(1)?;
        Some(self.number(place))
    }

    /// The tetrahedra of all kept cells. Corners of cells are the same point where the cells are joined.
    fn mesh(&self) -> Mesh {
        let kept: Vec<[usize; 3]> =
            self.places().filter(|&place| self.cells[self.number(place)].is_kept).collect();
        let mut number_of = vec![0; self.cells.len()];
        for (number, &place) in kept.iter().enumerate() {
            number_of[self.number(place)] = number;
        }
        let mut corners = Corners((0..8 * kept.len() as u32).collect());
        for (number, &place) in kept.iter().enumerate() {
            for axis in (0..3).filter(|&k| self.cells[self.number(place)].joined[k]) {
                let Some(before) = self.before(place, axis) else { continue };
                for corner in (0..8).filter(|corner| corner >> axis & 1 == 0) {
                    let across = 8 * number_of[before] + (corner | 1 << axis);
                    corners.join(across as u32, (8 * number + corner) as u32);
                }
            }
        }
        let mut mesh = Mesh::default();
        let mut point_of = vec![u32::MAX; 8 * kept.len()];
        for (number, &place) in kept.iter().enumerate() {
            let own: [u32; 8] = std::array::from_fn(|corner| {
                let root = corners.root((8 * number + corner) as u32) as usize;
                if point_of[root] == u32::MAX {
                    point_of[root] = mesh.points.len() as u32;
                    mesh.points.push(std::array::from_fn(|k| {
                        self.low[k] + self.edge * (place[k] + (corner >> k & 1)) as f64
                    }));
                }
                point_of[root]
            });
            let is_odd = place.iter().sum::<usize>() % 2 == 1;
            mesh.tets.extend(cell_tets(is_odd).iter().map(|t| t.map(|c| own[c])));
        }
        mesh
    }
}

/// Corners of cells, of which some are the same: each leads to a lower one, or to itself.
struct Corners(Vec<u32>);

impl Corners {
    fn root(&mut self, mut corner: u32) -> u32 {
        while self.0[corner as usize] != corner {
            let next = self.0[corner as usize];
            self.0[corner as usize] = self.0[next as usize];
            corner = next;
        }
        corner
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
