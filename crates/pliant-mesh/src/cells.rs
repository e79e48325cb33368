//! Cells of other kinds turned into tetrahedra and triangles.
//!
//! A polyhedral cell is cut by *pulling*: the corner with the smallest vertex number is joined with
//! every face that does not touch it, and those faces are cut from their own smallest corner. The
//! diagonal of a shared face thus depends only on that face's vertex numbers, and neighbours agree
//! without knowing of each other (Dompierre, Labbé, Vallet and Camarero, *How to subdivide pyramids,
//! prisms and hexahedra into tetrahedra*, section 2: the rule of the smallest vertex).

use crate::{DataArray, Mesh};

#[cfg(test)]
mod tests;

/// A cell kind that files hold. Corner order is VTK's (which Gmsh shares for linear cells).
///
/// A solid cell is positive when its first face, seen from inside the cell, runs counter-clockwise.
/// VTK's manual draws prisms the other way round; files of both kinds exist, and the doctor turns
/// inverted tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Three corners.
    Triangle,
    /// Four corners round a face.
    Quad,
    /// Any number of corners round a face; cut as a fan round the first.
    Polygon,
    /// Four corners.
    Tet,
    /// Eight corners, bottom ring then top ring.
    Hex,
    /// Eight corners in x-fastest order.
    Voxel,
    /// Six corners, bottom triangle then top triangle.
    Prism,
    /// Five corners, base ring then apex.
    Pyramid,
    /// Ten corners, bottom pentagon then top pentagon.
    PentagonalPrism,
    /// Twelve corners, bottom hexagon then top hexagon.
    HexagonalPrism,
}

impl CellKind {
    /// How many corners a cell of this kind has; for a polygon the fewest it can have.
    pub fn corner_count(self) -> usize {
        match self {
            CellKind::Triangle | CellKind::Polygon => 3,
            CellKind::Quad | CellKind::Tet => 4,
            CellKind::Pyramid => 5,
            CellKind::Prism => 6,
            CellKind::Hex | CellKind::Voxel => 8,
            CellKind::PentagonalPrism => 10,
            CellKind::HexagonalPrism => 12,
        }
    }
}

// Faces of a positive cell, each counter-clockwise seen from outside.
const HEX_FACES: &[&[usize]] =
    &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
const PRISM_FACES: &[&[usize]] =
    &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const PYRAMID_FACES: &[&[usize]] = &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];
const PENTAGONAL_FACES: &[&[usize]] = &[
    &[0, 4, 3, 2, 1],
    &[5, 6, 7, 8, 9],
    &[0, 1, 6, 5],
    &[1, 2, 7, 6],
    &[2, 3, 8, 7],
    &[3, 4, 9, 8],
    &[4, 0, 5, 9],
];
const HEXAGONAL_FACES: &[&[usize]] = &[
    &[0, 5, 4, 3, 2, 1],
    &[6, 7, 8, 9, 10, 11],
    &[0, 1, 7, 6],
    &[1, 2, 8, 7],
    &[2, 3, 9, 8],
    &[3, 4, 10, 9],
    &[4, 5, 11, 10],
    &[5, 0, 6, 11],
];

/// Gathers cells into a mesh, splitting what is neither a tetrahedron nor a triangle, and remembers
/// which cell each element came from so that cell arrays can follow.
#[derive(Debug, Default)]
pub struct CellSink {
    /// Tetrahedra so far.
    pub tets: Vec<[u32; 4]>,
    /// The cell (number of the `push`) that each tetrahedron came from.
    pub tet_cells: Vec<u32>,
    /// Triangles so far.
    pub triangles: Vec<[u32; 3]>,
    /// The cell that each triangle came from.
    pub triangle_cells: Vec<u32>,
    /// Cells pushed so far.
    pub cell_count: u32,
    /// Cells that were split.
    pub split_count: usize,
    /// Cells left out because they had fewer corners than their kind needs; worth a warning.
    pub short_count: usize,
}

impl CellSink {
    /// Adds one cell; `corners` beyond the kind's own are ignored (quadratic cells list theirs
    /// first). Neighbouring cells are split along the same diagonals, chosen by vertex number, so
    /// that the result is conforming. A cell with too few corners adds nothing but to
    /// [`short_count`](Self::short_count).
    pub fn push(&mut self, kind: CellKind, corners: &[u32]) {
        if corners.len() < kind.corner_count() {
            self.short_count += 1;
            return self.skip();
        }
        match (kind, corners) {
            (CellKind::Triangle, &[a, b, c, ..]) => self.triangle([a, b, c]),
            (CellKind::Quad, &[a, b, c, d, ..]) => {
                self.split_count += 1;
                fan_from_smallest(&[a, b, c, d], |t| self.triangle(t));
            }
            (CellKind::Polygon, _) => {
                self.split_count += usize::from(corners.len() > 3);
                fan(corners, 0, |t| self.triangle(t));
            }
            (CellKind::Tet, &[a, b, c, d, ..]) => self.tet([a, b, c, d]),
            (CellKind::Hex, &[a, b, c, d, e, f, g, h, ..]) => self.hex([a, b, c, d, e, f, g, h]),
            (CellKind::Voxel, &[a, b, c, d, e, f, g, h, ..]) => self.hex([a, b, d, c, e, f, h, g]),
            (CellKind::Prism, _) => self.solid(corners, PRISM_FACES),
            (CellKind::Pyramid, _) => self.solid(corners, PYRAMID_FACES),
            (CellKind::PentagonalPrism, _) => self.solid(corners, PENTAGONAL_FACES),
            (CellKind::HexagonalPrism, _) => self.solid(corners, HEXAGONAL_FACES),
            _ => unreachable!("the corner count was checked"),
        }
        self.cell_count += 1;
    }

    /// Adds a strip of triangles as one cell: every corner after the second closes a triangle with
    /// the two before it, turned so that all face the same side.
    pub fn push_strip(&mut self, corners: &[u32]) {
        if corners.len() < 3 {
            self.short_count += 1;
            return self.skip();
        }
        for (i, w) in corners.windows(3).enumerate() {
            self.triangle(if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
        }
        self.split_count += usize::from(corners.len() > 3);
        self.cell_count += 1;
    }

    /// Adds a convex polyhedron given by its faces, each counter-clockwise seen from outside.
    pub fn push_polyhedron(&mut self, faces: &[&[u32]]) {
        let smallest = faces.iter().flat_map(|f| f.iter()).min();
        let (Some(&smallest), 4..) = (smallest, faces.len()) else {
            self.short_count += 1;
            return self.skip();
        };
        for face in faces {
            if face.len() >= 3 && !face.contains(&smallest) {
                fan_from_smallest(face, |[a, b, c]| self.tet_unless_flat([smallest, a, b, c]));
            }
        }
        self.split_count += 1;
        self.cell_count += 1;
    }

    /// Counts a cell that has no place in a mesh (vertices, lines), so that cell numbers stay right.
    pub fn skip(&mut self) {
        self.cell_count += 1;
    }

    /// Moves the elements into `mesh`.
    pub fn finish(self, mesh: &mut Mesh) {
        mesh.tets = self.tets;
        mesh.triangles = self.triangles;
    }

    /// Moves the elements into `mesh`, with `arrays` that have one tuple per cell: every element
    /// takes the tuple of the cell it came from.
    pub fn finish_with_arrays(self, arrays: &[DataArray], mesh: &mut Mesh) {
        let follow = |cells: &[u32]| -> Vec<DataArray> {
            if cells.is_empty() {
                return Vec::new();
            }
            let gather = |a: &DataArray| DataArray {
                name: a.name.clone(),
                components: a.components,
                values: cells.iter().flat_map(|&c| a.tuple(c as usize)).copied().collect(),
            };
            arrays.iter().map(gather).collect()
        };
        mesh.tet_data.extend(follow(&self.tet_cells));
        mesh.triangle_data.extend(follow(&self.triangle_cells));
        self.finish(mesh);
    }

    fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
        self.triangle_cells.push(self.cell_count);
    }

    fn tet(&mut self, corners: [u32; 4]) {
        self.tets.push(corners);
        self.tet_cells.push(self.cell_count);
    }

    /// Some writers store a prism as a hexahedron with doubled corners; the parts that collapse
    /// are no tetrahedra.
    fn tet_unless_flat(&mut self, corners: [u32; 4]) {
        let [a, b, c, d] = corners;
        if a != b && a != c && a != d && b != c && b != d && c != d {
            self.tet(corners);
        }
    }

    fn solid(&mut self, corners: &[u32], faces: &[&[usize]]) {
        self.split_count += 1;
        pull(corners, faces, |tet| self.tet_unless_flat(tet));
    }

    /// A hexahedron gives six tetrahedra round its smallest corner, or five where the diagonals of
    /// the three faces round the opposite corner all avoid that corner: it is then cut off as one
    /// (the paper's case of no diagonal through V7).
    fn hex(&mut self, corners: [u32; 8]) {
        self.split_count += 1;
        let first = smallest_at(&corners);
        let opposite = corners[(first + 2) % 4 + if first < 4 { 4 } else { 0 }];
        let mut tets = Vec::with_capacity(6);
        pull(&corners, HEX_FACES, |tet| tets.push(tet));
        let round: Vec<[u32; 2]> = tets
            .iter()
            .filter_map(|&[_, a, b, c]| match opposite {
                o if o == a => Some([b, c]),
                o if o == b => Some([c, a]),
                o if o == c => Some([a, b]),
                _ => None,
            })
            .collect();
        // The three triangles round the opposite corner are (o,a,b), (o,b,c), (o,c,a).
        if let &[[a, b], x, y] = &round[..]
            && let Some(c) = [x, y].iter().find(|e| e[0] == b).map(|e| e[1])
            && [x, y].contains(&[c, a])
        {
            tets.retain(|t| !t[1..].contains(&opposite));
            tets.push([corners[first], a, b, c]);
            tets.push([opposite, a, c, b]);
        }
        for tet in tets {
            self.tet_unless_flat(tet);
        }
    }
}

/// Joins the smallest corner with the triangles of every face that does not touch it.
fn pull(corners: &[u32], faces: &[&[usize]], mut emit: impl FnMut([u32; 4])) {
    let count = faces.iter().flat_map(|f| f.iter()).max().map_or(0, |m| m + 1);
    let first = smallest_at(&corners[..count]);
    let mut ring = [0; 6];
    for face in faces {
        if !face.contains(&first) {
            for (slot, &corner) in ring.iter_mut().zip(*face) {
                *slot = corners[corner];
            }
            fan_from_smallest(&ring[..face.len()], |[a, b, c]| emit([corners[first], a, b, c]));
        }
    }
}

fn smallest_at(corners: &[u32]) -> usize {
    (0..corners.len()).min_by_key(|&i| corners[i]).unwrap_or(0)
}

fn fan_from_smallest(ring: &[u32], emit: impl FnMut([u32; 3])) {
    fan(ring, smallest_at(ring), emit);
}

fn fan(ring: &[u32], from: usize, mut emit: impl FnMut([u32; 3])) {
    let n = ring.len();
    for i in 1..n - 1 {
        emit([ring[from], ring[(from + i) % n], ring[(from + i + 1) % n]]);
    }
}
