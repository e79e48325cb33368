//! Boxes and sheets on a regular grid.

use super::{ShapeError, Split, check_cells, positive};
use crate::Mesh;
use crate::geometry::signed_volume;

/// Corners of a cell are numbered by bits: 1 for x, 2 for y, 4 for z.
type Cell = [[usize; 4]];

/// Kuhn's split: one tetrahedron for each way from corner 0 to corner 7 along the edges.
const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 7, 5], [0, 2, 7, 3], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 7, 6]];

/// A regular tetrahedron in the middle and one at each of the four other corners. Cells with an odd
/// sum of indices take the mirrored split, so that diagonals of shared faces agree.
const FIVE: [[[usize; 4]; 5]; 2] = [
    [[0, 5, 3, 6], [1, 0, 5, 3], [2, 3, 6, 0], [4, 5, 0, 6], [7, 6, 3, 5]],
    [[7, 4, 2, 1], [0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2]],
];

/// The five tetrahedra of a cell, by its corners; cells with an odd sum of indices take the mirrored ones.
pub(crate) fn cell_tets(is_odd: bool) -> &'static [[usize; 4]; 5] {
    &FIVE[usize::from(is_odd)]
}

/// A bar of `cells` cube cells from the origin to `size` \[m\].
///
/// Point (i, j, k) has the number (i (ny + 1) + j) (nz + 1) + k; tetrahedra come cell by cell in the
/// same order.
///
/// # Panics
/// On parameters that [`try_bar`] refuses.
pub fn bar(cells: [u32; 3], size: [f64; 3], split: Split) -> Mesh {
    try_bar(cells, size, split).unwrap_or_else(|e| panic!("bar: {e}"))
}

/// As [`bar`], with an error for zero or absurd counts and sizes.
pub fn try_bar(cells: [u32; 3], size: [f64; 3], split: Split) -> Result<Mesh, ShapeError> {
    check_cells(&cells, if split == Split::Five { 5.0 } else { 6.0 })?;
    for s in size {
        positive("the size of a bar", s)?;
    }
    let [nx, ny, nz] = cells;
    let number = |i: u32, j: u32, k: u32| (i * (ny + 1) + j) * (nz + 1) + k;
    let mut mesh = Mesh::default();
    mesh.points.reserve_exact(number(nx, ny, nz) as usize + 1);
    let along = |axis: usize, i: u32| size[axis] * f64::from(i) / f64::from(cells[axis]);
    for [i, j, k] in indices([nx + 1, ny + 1, nz + 1]) {
        mesh.points.push([along(0, i), along(1, j), along(2, k)]);
    }
    for [i, j, k] in indices(cells) {
        let split: &Cell = match split {
            Split::Six => &SIX,
            Split::Five => &FIVE[((i + j + k) & 1) as usize],
        };
        let corner = |c: usize| {
            let bit = |b: usize| (c >> b & 1) as u32;
            number(i + bit(0), j + bit(1), k + bit(2))
        };
        mesh.tets.extend(split.iter().map(|t| t.map(corner)));
    }
    Ok(mesh)
}

/// All (i, j, k) below `n`, the last one running fastest.
fn indices(n: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..n[0]).flat_map(move |i| (0..n[1]).flat_map(move |j| (0..n[2]).map(move |k| [i, j, k])))
}

/// A [`bar`] (six-fold split) whose points are moved at random by up to a quarter of a cell, those on
/// the surface along it, so that the box stays a box. The same `seed` gives the same mesh
/// everywhere. Every tetrahedron keeps at least a fifth of its volume.
pub fn irregular_bar(cells: [u32; 3], size: [f64; 3], seed: u64) -> Result<Mesh, ShapeError> {
    let mut mesh = try_bar(cells, size, Split::Six)?;
    let regular = mesh.points.clone();
    let least = 0.2 * size.iter().product::<f64>() / mesh.tets.len() as f64;
    let mut random = SplitMix(seed);
    for p in &mut mesh.points {
        for axis in 0..3 {
            let step = random.symmetric() * 0.25 * size[axis] / f64::from(cells[axis]);
            if p[axis] != 0.0 && p[axis] != size[axis] {
                p[axis] += step;
            }
        }
    }
    // Halfway back until every element is fine; after enough rounds all points stand where they
    // began, so this ends.
    for round in 0.. {
        let bad: Vec<usize> =
            (0..mesh.tets.len()).filter(|&t| signed_volume(mesh.tet_points(t)) < least).collect();
        if bad.is_empty() {
            break;
        }
        for v in bad.iter().flat_map(|&t| mesh.tets[t]) {
            let (p, home) = (&mut mesh.points[v as usize], regular[v as usize]);
            for axis in 0..3 {
                p[axis] = if round < 20 { 0.5 * (p[axis] + home[axis]) } else { home[axis] };
            }
        }
    }
    Ok(mesh)
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", figure 12.
struct SplitMix(u64);

impl SplitMix {
    /// A number between -1 and 1.
    fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A sheet of `cells` squares in the xy-plane from the origin to `size` \[m\], each cut along the same
/// diagonal; triangles face +z. Point (i, j) has the number i (ny + 1) + j.
pub fn cloth(cells: [u32; 2], size: [f64; 2]) -> Result<Mesh, ShapeError> {
    check_cells(&cells, 2.0)?;
    for s in size {
        positive("the size of a cloth", s)?;
    }
    let [nx, ny] = cells;
    let number = |i: u32, j: u32| i * (ny + 1) + j;
    let mut mesh = Mesh::default();
    for [_, i, j] in indices([1, nx + 1, ny + 1]) {
        let along = |axis: usize, i: u32| size[axis] * f64::from(i) / f64::from(cells[axis]);
        mesh.points.push([along(0, i), along(1, j), 0.0]);
    }
    for [_, i, j] in indices([1, nx, ny]) {
        let [a, b] = [number(i, j), number(i + 1, j)];
        let [d, c] = [number(i, j + 1), number(i + 1, j + 1)];
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    Ok(mesh)
}
