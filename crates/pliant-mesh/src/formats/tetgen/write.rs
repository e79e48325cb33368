//! Writes TetGen files.

use std::io::{self, Write};

use crate::formats::numbers::Shortest;
use crate::{DataArray, Mesh};

/// Writes the points as a `.node` file, counted from 1.
///
/// The array `marker` becomes the boundary marker when it is a scalar of integers; all other point
/// arrays become attributes, whose names a comment at the end keeps for human readers.
pub fn write_node(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let count = mesh.points.len();
    check_lengths(&mesh.point_data, count, "points")?;
    let mut attributes: Vec<_> = mesh.point_data.iter().collect();
    let marker = attributes.iter().position(|a| is_marker(a)).map(|k| attributes.remove(k));
    writeln!(out, "{count} 3 {} {}", columns(&attributes), u8::from(marker.is_some()))?;
    for (i, [x, y, z]) in mesh.points.iter().enumerate() {
        write!(out, "{} {} {} {}", i + 1, Shortest(*x), Shortest(*y), Shortest(*z))?;
        write_tuples(&attributes, i, out)?;
        if let Some(marker) = marker {
            write!(out, " {}", marker.values[i] as i64)?;
        }
        writeln!(out)?;
    }
    write_names(&attributes, out)
}

/// Writes the tetrahedra as a `.ele` file, counted from 1, with all tetrahedron arrays as
/// attributes. Triangles and groups have no place in it.
pub fn write_ele(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let count = mesh.tets.len();
    check_lengths(&mesh.tet_data, count, "tetrahedra")?;
    let attributes: Vec<_> = mesh.tet_data.iter().collect();
    writeln!(out, "{count} 4 {}", columns(&attributes))?;
    for (i, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|v| u64::from(v) + 1);
        write!(out, "{} {a} {b} {c} {d}", i + 1)?;
        write_tuples(&attributes, i, out)?;
        writeln!(out)?;
    }
    write_names(&attributes, out)
}

/// Whether an array can stand in the boundary marker column, which holds integers.
fn is_marker(array: &DataArray) -> bool {
    array.name == "marker"
        && array.components == 1
        && array.values.iter().all(|v| v.fract() == 0.0 && v.abs() < 9e15)
}

fn columns(arrays: &[&DataArray]) -> usize {
    arrays.iter().map(|a| a.components).sum()
}

fn write_tuples(arrays: &[&DataArray], i: usize, out: &mut dyn Write) -> io::Result<()> {
    for value in arrays.iter().flat_map(|a| a.tuple(i)) {
        write!(out, " {}", Shortest(*value))?;
    }
    Ok(())
}

fn write_names(arrays: &[&DataArray], out: &mut dyn Write) -> io::Result<()> {
    if arrays.is_empty() {
        return Ok(());
    }
    write!(out, "# attributes:")?;
    for array in arrays {
        let name = array.name.replace(char::is_control, " ");
        write!(out, " {name}[{}]", array.components)?;
    }
    writeln!(out)
}

fn check_lengths(arrays: &[DataArray], count: usize, of: &str) -> io::Result<()> {
    match arrays.iter().find(|a| a.values.len() != a.components.saturating_mul(count)) {
        Some(a) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("array {:?} holds {} tuples for {count} {of}", a.name, a.tuple_count()),
        )),
        None => Ok(()),
    }
}
