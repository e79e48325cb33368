//! The native `.vol`: sections of a keyword, a count and rows.

use std::collections::BTreeMap;

use super::{Cells, MAX_NODES, surface_kind, volume_kind};
use crate::formats::Input;
use crate::formats::numbers::{CUT_OFF, PointNumbers, checked_count, coordinates, in_item};
use crate::text::{Scanner, show};
use crate::{Domain, Group, Mesh, ReadError, Result};

/// Reads a native `.vol`.
pub fn read_vol(input: &mut Input<'_>) -> Result<Mesh> {
    let mut scanner = Scanner::with_comments(input.bytes, b'#');
    let mut file = File::default();
    while let Some(keyword) = scanner.token() {
        match keyword {
            b"endmesh" => {
                file.ended = true;
                break;
            }
            b"dimension" | b"geomtype" => {
                scanner.integer("a number")?;
            }
            b"surfaceelements" | b"surfaceelementsgi" | b"surfaceelementsuv" => {
                file.surface_elements(&mut scanner)?;
            }
            b"volumeelements" => file.volume_elements(&mut scanner)?,
            b"points" => file.points(&mut scanner)?,
            b"materials" => file.materials = names(&mut scanner)?,
            b"bcnames" => file.boundaries = names(&mut scanner)?,
            [first, ..] if first.is_ascii_alphabetic() => skip_section(&mut scanner),
            _ => {
                return Err(scanner
                    .error(format!("{} stands where a keyword should", show(keyword)))
                    .help(
                        "The count of the section before it is too small, or a line is damaged",
                    ));
            }
        }
    }
    file.finish(input.warnings)
}

struct File {
    points: Option<Vec<[f64; 3]>>,
    numbers: PointNumbers,
    cells: Cells,
    materials: BTreeMap<i64, String>,
    boundaries: BTreeMap<i64, String>,
    ended: bool,
}

impl Default for File {
    fn default() -> Self {
        Self {
            points: None,
            numbers: PointNumbers::from_base(1),
            cells: Cells::default(),
            materials: BTreeMap::new(),
            boundaries: BTreeMap::new(),
            ended: false,
        }
    }
}

impl File {
    fn points(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        let count = checked_count(scanner, "points")?;
        let mut points = Vec::with_capacity(scanner.capacity(count, 6));
        for i in 0..count {
            points.push(coordinates(scanner).map_err(|e| in_item("point", i, count, e))?);
            // Newer files may give a point further properties.
            scanner.next_line();
        }
        match self.points.replace(points) {
            None => Ok(()),
            Some(_) => Err(scanner.error("the points are listed a second time")),
        }
    }

    /// Rows `surface boundary inner outer n p1 … pn`, with geometry behind that has no use here.
    fn surface_elements(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        let count = checked_count(scanner, "surface elements")?;
        for i in 0..count {
            let mut row = || -> Result<()> {
                scanner.integer("a surface number")?;
                let boundary = scanner.integer("a boundary number")?;
                scanner.integer("the inner domain")?;
                scanner.integer("the outer domain")?;
                self.element(scanner, boundary, true)
            };
            row().map_err(|e| in_item("surface element", i, count, e))?;
        }
        Ok(())
    }

    /// Rows `material n p1 … pn`.
    fn volume_elements(&mut self, scanner: &mut Scanner<'_>) -> Result<()> {
        let count = checked_count(scanner, "volume elements")?;
        for i in 0..count {
            let mut row = || -> Result<()> {
                let material = scanner.integer("a material number")?;
                self.element(scanner, material, false)
            };
            row().map_err(|e| in_item("volume element", i, count, e))?;
        }
        Ok(())
    }

    fn element(&mut self, scanner: &mut Scanner<'_>, tag: i64, surface: bool) -> Result<()> {
        let count = scanner.count("a number of points")?;
        let kind = if surface { surface_kind(count) } else { volume_kind(count) };
        let Some(kind) = kind else {
            return Err(scanner.error(format!("no element has {count} points")));
        };
        let mut nodes = [0; MAX_NODES];
        for node in &mut nodes[..count] {
            *node = self.numbers.read(scanner)?;
        }
        self.cells.push(kind, tag, &nodes[..count]);
        scanner.next_line();
        Ok(())
    }

    fn finish(self, warnings: &mut Vec<String>) -> Result<Mesh> {
        let Some(points) = self.points else {
            return Err(ReadError::file("has no points").help(CUT_OFF));
        };
        self.numbers.check(points.len())?;
        if !self.ended {
            warnings.push("the file does not close with endmesh: it may have been cut off".into());
        }
        let mut mesh = Mesh { points, ..Mesh::default() };
        self.cells.finish(&mut mesh, warnings);
        for (names, domain) in
            [(&self.materials, Domain::Tets), (&self.boundaries, Domain::Triangles)]
        {
            let groups = named_groups(names, domain, &mesh);
            mesh.groups.extend(groups);
        }
        Ok(mesh)
    }
}

/// Reads rows of a number and a name.
fn names(scanner: &mut Scanner<'_>) -> Result<BTreeMap<i64, String>> {
    let count = checked_count(scanner, "names")?;
    let mut names = BTreeMap::new();
    for i in 0..count {
        let number = scanner.integer("a number").map_err(|e| in_item("name", i, count, e))?;
        let name = String::from_utf8_lossy(scanner.rest_of_line()).into_owned();
        names.insert(number, name);
    }
    Ok(names)
}

/// Passes over the rows of a section, up to a line that begins with a letter.
fn skip_section(scanner: &mut Scanner<'_>) {
    scanner.next_line();
    while scanner.peek().is_some_and(|t| !t[0].is_ascii_alphabetic()) {
        scanner.next_line();
    }
}

/// The elements of each named number; several numbers may share a name.
fn named_groups(names: &BTreeMap<i64, String>, domain: Domain, mesh: &Mesh) -> Vec<Group> {
    let arrays = if domain == Domain::Tets { &mesh.tet_data } else { &mesh.triangle_data };
    let Some(array) = arrays.first() else { return Vec::new() };
    let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (element, &number) in (0u32..).zip(&array.values) {
        if let Some(name) = names.get(&(number as i64)) {
            groups.entry(name).or_default().push(element);
        }
    }
    let group = |(name, members): (&str, _)| Group { name: name.into(), domain, members };
    groups.into_iter().map(group).collect()
}
