//! MEDIT's `.mesh` as text, as written by Mmg, TetGen, FreeFEM and others.
//!
//! Described in INRIA's technical report 253, "MEDIT: an interactive mesh visualization software"
//! (Frey), section "The mesh format". The reference number of each entity becomes the array `ref`,
//! unless all are 0.

use super::Input;
use super::numbers::{PointNumbers, checked_count, coordinates, in_item};
use crate::cells::{CellKind, CellSink};
use crate::text::{Scanner, show};
use crate::{DataArray, Mesh, ReadError, Result};

#[cfg(test)]
mod tests;

/// Reads a MEDIT text file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let mut scanner = Scanner::with_comments(input.bytes, b'#');
    let mut file = File::default();
    while let Some(token) = scanner.token() {
        if token.eq_ignore_ascii_case(b"End") {
            file.ended = true;
            break;
        }
        file.section(token, &mut scanner)?;
    }
    file.finish(input.warnings)
}

struct File {
    points: Option<Vec<[f64; 3]>>,
    point_refs: Vec<f64>,
    numbers: PointNumbers,
    sink: CellSink,
    cell_refs: Vec<f64>,
    /// Keywords that were passed over, with their counts.
    skipped: Vec<String>,
    ended: bool,
}

impl Default for File {
    fn default() -> Self {
        Self {
            points: None,
            point_refs: Vec::new(),
            numbers: PointNumbers::from_base(1),
            sink: CellSink::default(),
            cell_refs: Vec::new(),
            skipped: Vec::new(),
            ended: false,
        }
    }
}

impl File {
    fn section(&mut self, keyword: &[u8], scanner: &mut Scanner<'_>) -> Result<()> {
        match &*keyword.to_ascii_lowercase() {
            b"meshversionformatted" => scanner.integer("the version").map(|_| ()),
            b"meshversionunformatted" => Err(scanner
                .error("the file says that it is binary")
                .help("Export it as text (.mesh)")),
            b"dimension" => match scanner.integer("the dimension")? {
                3 => Ok(()),
                other => Err(scanner.error(format!("the mesh has {other} dimensions, not 3"))),
            },
            b"vertices" => self.vertices(scanner),
            b"tetrahedra" => self.cells(scanner, CellKind::Tet, ["tetrahedron", "tetrahedra"]),
            b"triangles" => self.cells(scanner, CellKind::Triangle, ["triangle", "triangles"]),
            b"quadrilaterals" => {
                self.cells(scanner, CellKind::Quad, ["quadrilateral", "quadrilaterals"])
            }
            b"hexahedra" | b"hexaedra" => {
                self.cells(scanner, CellKind::Hex, ["hexahedron", "hexahedra"])
            }
            b"prisms" | b"pentahedra" => self.cells(scanner, CellKind::Prism, ["prism", "prisms"]),
            b"pyramids" => self.cells(scanner, CellKind::Pyramid, ["pyramid", "pyramids"]),
            [first, ..] if first.is_ascii_alphabetic() => self.skip(keyword, scanner),
            _ => Err(scanner
                .error(format!("{} stands where a keyword should", show(keyword)))
                .help("The count of the section before it is too small, or a line is damaged")),
        }
    }

    fn vertices(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        if self.points.is_some() {
            return Err(scanner.error("the vertices are listed a second time"));
        }
        let count = checked_count(scanner, "vertices")?;
        let mut points = Vec::with_capacity(scanner.capacity(count, 8));
        for i in 0..count {
            let mut vertex = || -> Result<()> {
                points.push(coordinates(scanner)?);
                self.point_refs.push(scanner.integer("a reference")? as f64);
                Ok(())
            };
            vertex().map_err(|e| in_item("vertex", i, count, e))?;
        }
        self.points = Some(points);
        Ok(())
    }

    fn cells(
        &mut self,
        scanner: &mut Scanner<'_>,
        kind: CellKind,
        [one, many]: [&str; 2],
    ) -> Result<()> {
        let count = checked_count(scanner, many)?;
        let mut corners = [0; 8];
        let corners = &mut corners[..kind.corner_count()];
        for i in 0..count {
            let mut cell = || -> Result<()> {
                for corner in corners.iter_mut() {
                    *corner = self.numbers.read(scanner)?;
                }
                self.sink.push(kind, corners);
                self.cell_refs.push(scanner.integer("a reference")? as f64);
                Ok(())
            };
            cell().map_err(|e| in_item(one, i, count, e))?;
        }
        Ok(())
    }

    /// Passes over a section of no interest: a count and numbers up to the next word.
    fn skip(&mut self, keyword: &[u8], scanner: &mut Scanner<'_>) -> Result<()> {
        let what = format!("the number behind {}", show(keyword));
        let count = scanner.count(&what)?;
        while scanner.peek().is_some_and(|t| !t[0].is_ascii_alphabetic()) {
            scanner.token();
        }
        if count > 0 {
            self.skipped.push(format!("{} ({count})", String::from_utf8_lossy(keyword)));
        }
        Ok(())
    }

    fn finish(self, warnings: &mut Vec<String>) -> Result<Mesh> {
        let Some(points) = self.points else {
            return Err(ReadError::file("has no Vertices").help(super::numbers::CUT_OFF));
        };
        self.numbers.check(points.len())?;
        if !self.skipped.is_empty() {
            warnings.push(format!("left out: {}", self.skipped.join(", ")));
        }
        if !self.ended {
            warnings.push("the file does not close with End: it may have been cut off".into());
        }
        if self.sink.split_count > 0 {
            warnings.push(format!(
                "{} quadrilaterals, hexahedra, prisms or pyramids were split",
                self.sink.split_count
            ));
        }
        let mut mesh = Mesh { points, ..Mesh::default() };
        mesh.point_data.push(DataArray::scalar("ref", self.point_refs));
        self.sink.finish_with_arrays(&[DataArray::scalar("ref", self.cell_refs)], &mut mesh);
        for arrays in [&mut mesh.point_data, &mut mesh.tet_data, &mut mesh.triangle_data] {
            arrays.retain(|a| a.values.iter().any(|&v| v != 0.0));
        }
        Ok(mesh)
    }
}
