//! An unstructured grid as VTK stores it, and how it becomes a mesh.

use std::collections::{BTreeMap, HashMap};

use crate::cells::{CellKind, CellSink};
use crate::geometry::{cross, dot, sub};
use crate::{DataArray, Domain, Group, Mesh, ReadError, Result};

/// Arrays with this prefix hold a group: 1 for members, 0 for the rest, −1 for elements of a kind
/// that has no such group.
pub(in crate::formats) const GROUP_PREFIX: &str = "group:";

const LINES: [u8; 9] = [0, 1, 2, 3, 4, 21, 35, 68, 75];
const STRIP: u8 = 6;
const POLYGON: u8 = 7;
const PIXEL: u8 = 8;
const QUADRATIC_POLYGON: u8 = 36;
pub(in crate::formats) const POLYHEDRON: u8 = 42;

/// Points, cells and arrays of a file.
#[derive(Debug, Default)]
pub(in crate::formats) struct Grid {
    pub points: Vec<[f64; 3]>,
    pub cells: Cells,
    /// One tuple per point; lengths were checked.
    pub point_arrays: Vec<DataArray>,
    /// One tuple per cell; lengths were checked.
    pub cell_arrays: Vec<DataArray>,
}

/// Cells by type and corners. The corners of a polyhedron are its face stream: the number of faces,
/// then for each its number of corners and the corners.
#[derive(Debug, Default)]
pub(in crate::formats) struct Cells {
    pub types: Vec<u8>,
    pub ends: Vec<usize>,
    pub corners: Vec<u32>,
}

impl Cells {
    /// Ends a cell whose corners were added just now.
    pub fn close(&mut self, kind: u8) {
        self.types.push(kind);
        self.ends.push(self.corners.len());
    }

    fn iter(&self) -> impl Iterator<Item = (u8, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        self.types.iter().zip(ranges).map(|(&t, (start, &end))| (t, &self.corners[start..end]))
    }
}

/// What happened to the cells, for the warnings.
#[derive(Default)]
struct Tally {
    lines: usize,
    reduced: usize,
    unknown: BTreeMap<u8, usize>,
}

impl Grid {
    /// Splits the cells and lets the arrays follow.
    pub fn into_mesh(mut self, warnings: &mut Vec<String>) -> Result<Mesh> {
        if self.points.len().max(self.cells.types.len()) >= u32::MAX as usize {
            return Err(ReadError::file("has more points or cells than 32-bit numbers can count")
                .help("Split the mesh"));
        }
        let mut sink = CellSink::default();
        let mut tally = Tally::default();
        for (i, (kind, corners)) in self.cells.iter().enumerate() {
            add_cell(&mut sink, &mut tally, kind, corners, &self.points)
                .map_err(|problem| ReadError::file(format!("cell {i} {problem}")))?;
        }
        tally.report(&sink, warnings);
        make_unique(&mut self.point_arrays, "point", warnings);
        make_unique(&mut self.cell_arrays, "cell", warnings);
        let mut mesh = Mesh { points: self.points, ..Mesh::default() };
        mesh.point_data = self.point_arrays;
        sink.finish_with_arrays(&self.cell_arrays, &mut mesh);
        drop_arrays_of_the_other_kind(&mut mesh);
        gather_groups(&mut mesh);
        Ok(mesh)
    }
}

impl Tally {
    fn report(&self, sink: &CellSink, warnings: &mut Vec<String>) {
        if sink.split_count > 0 {
            warnings.push(format!(
                "{} cells were split into tetrahedra or triangles",
                sink.split_count
            ));
        }
        if self.reduced > 0 {
            warnings.push(format!(
                "{} cells of higher order were reduced to their corners; the points between \
                 them stay, unused",
                self.reduced
            ));
        }
        if self.lines > 0 {
            warnings.push(format!("{} vertices and lines were left out", self.lines));
        }
        for (kind, count) in &self.unknown {
            warnings.push(format!(
                "{count} cells of VTK type {kind} were left out: no splitting known"
            ));
        }
    }
}

fn add_cell(
    sink: &mut CellSink,
    tally: &mut Tally,
    kind: u8,
    corners: &[u32],
    points: &[[f64; 3]],
) -> Result<(), String> {
    let in_range = |c: &[u32]| match c.iter().find(|&&c| c as usize >= points.len()) {
        Some(c) => Err(format!("refers to point {c}, but there are {} points", points.len())),
        None => Ok(()),
    };
    if kind == POLYHEDRON {
        let faces = polyhedron_faces(corners)?;
        faces.iter().try_for_each(|f| in_range(f))?;
        sink.push_polyhedron(&faces);
        return Ok(());
    }
    if LINES.contains(&kind) {
        tally.lines += 1;
        sink.skip();
        return Ok(());
    }
    let Some((name, target, higher)) = known_kind(kind) else {
        *tally.unknown.entry(kind).or_default() += 1;
        sink.skip();
        return Ok(());
    };
    let needed = target.corner_count();
    if corners.len() < needed {
        return Err(format!("is a {name} with {} corners, but needs {needed}", corners.len()));
    }
    in_range(corners)?;
    tally.reduced += usize::from(higher);
    match (kind, target) {
        (STRIP, _) => sink.push_strip(corners),
        (PIXEL, _) => sink.push(target, &[0, 1, 3, 2].map(|k| corners[k])),
        (QUADRATIC_POLYGON, _) => sink.push(target, &corners[..(corners.len() / 2).max(3)]),
        (_, CellKind::Prism) => sink.push(target, &turned_prism(corners, points)),
        _ => sink.push(target, corners),
    }
    Ok(())
}

/// Name, kind to split as, and whether the cell has more than its corners.
fn known_kind(kind: u8) -> Option<(&'static str, CellKind, bool)> {
    Some(match kind {
        5 => ("triangle", CellKind::Triangle, false),
        STRIP => ("triangle strip", CellKind::Polygon, false),
        POLYGON => ("polygon", CellKind::Polygon, false),
        PIXEL | 9 => ("quad", CellKind::Quad, false),
        10 => ("tetrahedron", CellKind::Tet, false),
        11 => ("voxel", CellKind::Voxel, false),
        12 => ("hexahedron", CellKind::Hex, false),
        13 => ("wedge", CellKind::Prism, false),
        14 => ("pyramid", CellKind::Pyramid, false),
        15 => ("pentagonal prism", CellKind::PentagonalPrism, false),
        16 => ("hexagonal prism", CellKind::HexagonalPrism, false),
        22 | 34 | 69 | 76 => ("triangle", CellKind::Triangle, true),
        23 | 28 | 30 | 70 | 77 => ("quad", CellKind::Quad, true),
        24 | 71 | 78 => ("tetrahedron", CellKind::Tet, true),
        25 | 29 | 33 | 72 | 79 => ("hexahedron", CellKind::Hex, true),
        26 | 31 | 32 | 73 | 80 => ("wedge", CellKind::Prism, true),
        27 | 37 | 74 | 81 => ("pyramid", CellKind::Pyramid, true),
        QUADRATIC_POLYGON => ("polygon", CellKind::Polygon, true),
        _ => return None,
    })
}

/// VTK's manual turns a wedge's first triangle outwards, its shape functions turn it inwards, and
/// files of both kinds exist: the corners are put so that the wedge is positive.
fn turned_prism(corners: &[u32], points: &[[f64; 3]]) -> [u32; 6] {
    let c: [u32; 6] = std::array::from_fn(|k| corners[k]);
    let p = c.map(|c| points[c as usize]);
    let normal = cross(sub(p[1], p[0]), sub(p[2], p[0]));
    let up = (0..3).map(|k| dot(normal, sub(p[k + 3], p[k]))).sum::<f64>();
    if up < 0.0 { [c[0], c[2], c[1], c[3], c[5], c[4]] } else { c }
}

fn polyhedron_faces(stream: &[u32]) -> Result<Vec<&[u32]>, String> {
    let cut = || "is a polyhedron whose face list ends early".to_string();
    let (&count, mut rest) = stream.split_first().ok_or_else(cut)?;
    let mut faces = Vec::with_capacity((count as usize).min(rest.len()));
    for _ in 0..count {
        let (&n, tail) = rest.split_first().ok_or_else(cut)?;
        let (face, tail) = tail.split_at_checked(n as usize).ok_or_else(cut)?;
        faces.push(face);
        rest = tail;
    }
    Ok(faces)
}

/// Names given so far, with the number to try next when one is wished for again.
#[derive(Default)]
pub(in crate::formats) struct Names(HashMap<String, u32>);

impl Names {
    /// The name wished for, or the first free one with a number behind it.
    pub fn unique(&mut self, wish: &str) -> String {
        let Some(&next) = self.0.get(wish) else {
            self.0.insert(wish.to_owned(), 2);
            return wish.to_owned();
        };
        let mut number = next;
        let mut name = format!("{wish}_{number}");
        while self.0.contains_key(&name) {
            number += 1;
            name = format!("{wish}_{number}");
        }
        self.0.insert(wish.to_owned(), number + 1);
        self.0.insert(name.clone(), 2);
        name
    }
}

fn make_unique(arrays: &mut [DataArray], what: &str, warnings: &mut Vec<String>) {
    let mut names = Names::default();
    for array in arrays {
        let name = names.unique(&array.name);
        if name != array.name {
            warnings
                .push(format!("a second {what} array called {:?} is kept as {name:?}", array.name));
            array.name = name;
        }
    }
}

/// VTK has one list of arrays for all cells, so an array that only tetrahedra (or only triangles)
/// have is stored as not-a-number for the rest.
fn drop_arrays_of_the_other_kind(mesh: &mut Mesh) {
    if mesh.tets.is_empty() || mesh.triangles.is_empty() {
        return;
    }
    let blank = |a: &DataArray| a.values.iter().all(|v| v.is_nan());
    let keep: Vec<(bool, bool)> = mesh
        .tet_data
        .iter()
        .zip(&mesh.triangle_data)
        .map(|(t, s)| {
            let (t, s) = (blank(t), blank(s));
            (!t || s, !s || t)
        })
        .collect();
    let mut flags = keep.iter();
    mesh.tet_data.retain(|_| flags.next().is_none_or(|k| k.0));
    let mut flags = keep.iter();
    mesh.triangle_data.retain(|_| flags.next().is_none_or(|k| k.1));
}

fn gather_groups(mesh: &mut Mesh) {
    let Mesh { point_data, tet_data, triangle_data, groups, .. } = mesh;
    let lists = [
        (Domain::Points, point_data),
        (Domain::Tets, tet_data),
        (Domain::Triangles, triangle_data),
    ];
    for (domain, arrays) in lists {
        arrays.retain(|array| {
            let Some(name) = array.name.strip_prefix(GROUP_PREFIX) else { return true };
            if array.components != 1 || !array.values.iter().all(|v| [-1.0, 0.0, 1.0].contains(v)) {
                return true;
            }
            if array.values.is_empty() || array.values.iter().any(|&v| v >= 0.0) {
                let members = (0u32..).zip(&array.values).filter(|(_, v)| **v == 1.0);
                let members = members.map(|(i, _)| i).collect();
                groups.push(Group { name: name.to_owned(), domain, members });
            }
            false
        });
    }
}
