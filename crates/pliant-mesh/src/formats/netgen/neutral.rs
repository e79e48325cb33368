//! The neutral `.mesh`: points, then volume elements, then surface elements, each with a count.

use super::{Cells, MAX_NODES, surface_kind, volume_kind};
use crate::cells::CellKind;
use crate::formats::Input;
use crate::formats::numbers::{PointNumbers, checked_count, coordinates, in_item};
use crate::text::{Scanner, parse_integer, show};
use crate::{Mesh, Result};

/// Reads a neutral `.mesh`.
pub fn read_neutral(input: &mut Input<'_>) -> Result<Mesh> {
    let mut scanner = Scanner::with_comments(input.bytes, b'#');
    let count = checked_count(&mut scanner, "points")?;
    let mut mesh = Mesh::default();
    mesh.points.reserve(scanner.capacity(count, 6));
    for i in 0..count {
        let point = coordinates(&mut scanner).map_err(|e| in_item("point", i, count, e))?;
        mesh.points.push(point);
    }

    let mut numbers = PointNumbers::from_base(1);
    let mut cells = Cells::default();
    rows(
        &mut scanner,
        ["volume element", "volume elements"],
        volume_kind,
        &mut numbers,
        &mut cells,
    )?;
    // Files made by hand may stop here.
    if !scanner.at_end() {
        let names = ["surface element", "surface elements"];
        rows(&mut scanner, names, surface_kind, &mut numbers, &mut cells)?;
    }
    numbers.check(mesh.points.len())?;
    // Meshes of the plane list their edges behind the surface elements.
    if !scanner.at_end() {
        let line = scanner.line();
        input.warnings.push(format!("line {line} and what follows were left out"));
    }
    cells.finish(&mut mesh, input.warnings);
    Ok(mesh)
}

/// Reads a count and rows of a number and as many points as the row has.
fn rows(
    scanner: &mut Scanner<'_>,
    [one, many]: [&str; 2],
    kind: fn(usize) -> Option<CellKind>,
    numbers: &mut PointNumbers,
    cells: &mut Cells,
) -> Result<()> {
    let count = checked_count(scanner, many)?;
    for i in 0..count {
        row(scanner, kind, numbers, cells).map_err(|e| in_item(one, i, count, e))?;
    }
    Ok(())
}

fn row(
    scanner: &mut Scanner<'_>,
    kind: fn(usize) -> Option<CellKind>,
    numbers: &mut PointNumbers,
    cells: &mut Cells,
) -> Result<()> {
    let tag = scanner.integer("its domain or boundary")?;
    let mut nodes = [0; MAX_NODES];
    let mut found = 0;
    while let Some(token) = scanner.token_on_line() {
        let Some(number) = parse_integer(token) else {
            return Err(scanner.error(format!("a point number: {} is no integer", show(token))));
        };
        if found < MAX_NODES {
            nodes[found] = numbers.index(number, scanner.line())?;
        }
        found += 1;
    }
    match kind(found) {
        Some(kind) => cells.push(kind, tag, &nodes[..found]),
        None => return Err(scanner.error(format!("the line lists {found} points"))),
    }
    Ok(())
}
