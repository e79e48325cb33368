//! Vega FEM's `.veg`, described in the VegaFEM user's manual, section "The .veg file format".
//!
//! Sets become groups of tetrahedra. Material properties have no place in a mesh: they are told in
//! the warnings. `*INCLUDE` is followed.

mod include;

#[cfg(test)]
mod tests;

use super::Input;
use super::numbers::{CUT_OFF, PointNumbers, checked_count, coordinates, in_item};
use crate::cells::{CellKind, CellSink};
use crate::text::{Scanner, parse_integer, show};
use crate::{Domain, Group, Mesh, Place, ReadError, Result};

/// Reads a `.veg` file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let source = include::expand(input.bytes, input.companions)?;
    let mut file = File::default();
    let mut scanner = Scanner::with_comments(&source.text, b'#');
    file.sections(&mut scanner)
        .and_then(|()| file.finish(input.warnings))
        .map_err(|e| source.place(e))
}

#[derive(Default)]
struct File {
    /// The points and the number of the first, 0 or 1.
    points: Option<(Vec<[f64; 3]>, i64)>,
    cells: Option<Cells>,
    sets: Vec<Set>,
    /// Names and properties, as written.
    materials: Vec<(String, String)>,
    /// Set and material names, as written.
    regions: Vec<String>,
    unknown: Vec<String>,
}

struct Cells {
    sink: CellSink,
    /// The number of the first cell, 0 or 1.
    base: i64,
    numbers: PointNumbers,
}

struct Set {
    name: String,
    /// Element numbers with the lines they stand on.
    members: Vec<(i64, usize)>,
}

impl File {
    fn sections(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        while let Some(token) = scanner.token() {
            match &*token.to_ascii_uppercase() {
                b"*VERTICES" => self.vertices(scanner)?,
                b"*ELEMENTS" => self.elements(scanner)?,
                b"*SET" => self.set(scanner)?,
                b"*MATERIAL" => {
                    let name = line_text(scanner);
                    self.materials.push((name, next_line_text(scanner)));
                }
                b"*REGION" => self.regions.push(next_line_text(scanner)),
                [b'*', ..] => {
                    self.unknown.push(String::from_utf8_lossy(token).into_owned());
                    skip_to_keyword(scanner);
                }
                _ => {
                    return Err(scanner
                        .error(format!("{} stands where a keyword should", show(token)))
                        .help(
                            "The count of the section before it is too small, or a line is damaged",
                        ));
                }
            }
        }
        Ok(())
    }

    fn vertices(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        if self.points.is_some() {
            return Err(scanner.error("the vertices are listed a second time"));
        }
        let count = checked_count(scanner, "vertices")?;
        let dimension = scanner.token_on_line();
        if dimension.is_some_and(|d| parse_integer(d) != Some(3)) {
            let found = show(dimension.unwrap_or_default());
            return Err(scanner.error(format!("the vertices have {found} coordinates, not 3")));
        }
        scanner.next_line();
        let mut points = Vec::with_capacity(scanner.capacity(count, 8));
        let mut base = 1;
        for i in 0..count {
            let mut row = || -> Result<()> {
                numbered(scanner, i, &mut base)?;
                points.push(coordinates(scanner)?);
                scanner.next_line();
                Ok(())
            };
            row().map_err(|e| in_item("vertex", i, count, e))?;
        }
        self.points = Some((points, base));
        Ok(())
    }

    fn elements(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        let Some((_, point_base)) = self.points else {
            return Err(scanner.error("the elements stand before the vertices"));
        };
        if self.cells.is_some() {
            return Err(scanner.error("the elements are listed a second time"));
        }
        let kind = element_kind(scanner)?;
        let count = checked_count(scanner, "elements")?;
        let listed = scanner.count("the number of vertices per element")?;
        if listed != kind.corner_count() {
            let wanted = kind.corner_count();
            return Err(scanner
                .error(format!("elements of this type have {wanted} vertices, not {listed}")));
        }
        scanner.next_line();
        let mut base = 1;
        let mut numbers = PointNumbers::from_base(point_base);
        let mut sink = CellSink::default();
        let mut corners = [0; 8];
        for i in 0..count {
            let mut row = || -> Result<()> {
                numbered(scanner, i, &mut base)?;
                for corner in &mut corners[..listed] {
                    *corner = numbers.read(scanner)?;
                }
                sink.push(kind, &corners[..listed]);
                scanner.next_line();
                Ok(())
            };
            row().map_err(|e| in_item("element", i, count, e))?;
        }
        self.cells = Some(Cells { sink, base, numbers });
        Ok(())
    }

    /// Reads element numbers parted by commas, up to the next keyword.
    fn set(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        let name = line_text(scanner);
        let mut members = Vec::new();
        while scanner.peek().is_some_and(|t| t[0] != b'*') {
            let token = scanner.expect("an element number")?;
            for part in token.split(|&b| b == b',').filter(|p| !p.is_empty()) {
                let Some(number) = parse_integer(part) else {
                    let problem = format!("set {name:?}: {} is no element number", show(part));
                    return Err(scanner.error(problem));
                };
                members.push((number, scanner.line()));
            }
        }
        self.sets.push(Set { name, members });
        Ok(())
    }

    fn finish(self, warnings: &mut Vec<String>) -> Result<Mesh> {
        let (Some((points, _)), Some(cells)) = (self.points, self.cells) else {
            return Err(ReadError::file("lacks its *VERTICES or *ELEMENTS").help(CUT_OFF));
        };
        cells.numbers.check(points.len())?;
        let groups = self.sets.into_iter().map(|set| set.into_group(&cells));
        let groups = groups.collect::<Result<Vec<_>>>()?;
        if cells.sink.split_count > 0 {
            warnings.push(format!("{} hexahedra were split", cells.sink.split_count));
        }
        for (name, properties) in &self.materials {
            warnings.push(format!("material {name:?} ({properties}) was left out"));
        }
        for region in &self.regions {
            warnings.push(format!("the region ({region}) was left out"));
        }
        for keyword in &self.unknown {
            warnings.push(format!("the unknown section {keyword} was left out"));
        }
        let mut mesh = Mesh { points, groups, ..Mesh::default() };
        cells.sink.finish(&mut mesh);
        Ok(mesh)
    }
}

impl Set {
    /// The tetrahedra that the set's elements became.
    fn into_group(self, cells: &Cells) -> Result<Group> {
        let count = cells.sink.cell_count as usize;
        let mut inside = vec![false; count];
        for (number, line) in self.members {
            let cell = number.checked_sub(cells.base).and_then(|i| usize::try_from(i).ok());
            let Some(inside) = cell.and_then(|i| inside.get_mut(i)) else {
                let problem = format!(
                    "set {:?} holds element {number}, but the {count} elements are counted from {}",
                    self.name, cells.base
                );
                return Err(ReadError::at(Place::Line(line), problem));
            };
            *inside = true;
        }
        let members = (0u32..)
            .zip(&cells.sink.tet_cells)
            .filter_map(|(tet, &cell)| inside[cell as usize].then_some(tet))
            .collect();
        Ok(Group { name: self.name, domain: Domain::Tets, members })
    }
}

/// Reads the type behind `*ELEMENTS`.
fn element_kind(scanner: &mut Scanner<'_>) -> Result<CellKind> {
    let token = scanner.expect("the element type")?;
    match &*token.to_ascii_uppercase() {
        b"TET" | b"TETS" => Ok(CellKind::Tet),
        b"CUBIC" | b"HEX" => Ok(CellKind::Hex),
        _ => Err(scanner
            .error(format!("element type {} is not known", show(token)))
            .help("TET and CUBIC can be read")),
    }
}

/// Reads the number of row `i`; the first decides whether counting starts at 0 or 1.
fn numbered(scanner: &mut Scanner<'_>, i: usize, base: &mut i64) -> Result<()> {
    let number = scanner.integer("its number")?;
    if i == 0 {
        *base = number;
        if !(0..=1).contains(&number) {
            return Err(scanner.error(format!("the first is number {number}, not 0 or 1")));
        }
    }
    let expected = *base + i as i64;
    if number != expected {
        return Err(scanner.error(format!("is numbered {number} where {expected} should come")));
    }
    Ok(())
}

fn line_text(scanner: &mut Scanner<'_>) -> String {
    String::from_utf8_lossy(scanner.rest_of_line()).into_owned()
}

/// The next line that is not blank; nothing where a section begins instead.
fn next_line_text(scanner: &mut Scanner<'_>) -> String {
    match scanner.peek() {
        Some([b'*', ..]) | None => String::new(),
        Some(_) => line_text(scanner),
    }
}

fn skip_to_keyword(scanner: &mut Scanner<'_>) {
    while scanner.peek().is_some_and(|t| t[0] != b'*') {
        scanner.token();
    }
}
