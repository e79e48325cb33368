//! Writing PLY.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::formats::surface::Surface;
use crate::{DataArray, Mesh};

/// Type that a column is written with.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Byte,
    Single,
    Double,
}

impl Type {
    /// The smallest type that keeps every value.
    fn keeping(values: impl Iterator<Item = f64>) -> Self {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        let mut values = values.peekable();
        if values.peek().is_some() && values.all(|x| same(f64::from(x as f32), x)) {
            Type::Single
        } else {
            Type::Double
        }
    }

    fn name(self) -> &'static str {
        match self {
            Type::Byte => "uchar",
            Type::Single => "float",
            Type::Double => "double",
        }
    }

    fn write(self, value: f64, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Type::Byte => out.write_all(&[value as u8]),
            Type::Single => out.write_all(&(value as f32).to_le_bytes()),
            Type::Double => out.write_all(&value.to_le_bytes()),
        }
    }
}

/// An array with the type and the property names it is written with.
struct Columns<'a> {
    array: &'a DataArray,
    stored: Type,
    names: Vec<String>,
}

impl<'a> Columns<'a> {
    fn new(array: &'a DataArray, taken: &mut HashSet<String>) -> Self {
        let bytes = |x: &f64| (0.0..=255.0).contains(x) && x.fract() == 0.0;
        let (names, stored) = match (&array.name[..], array.components) {
            ("normal", 3) => (vec!["nx", "ny", "nz"], None),
            ("color", n @ (3 | 4)) => {
                let stored = array.values.iter().all(bytes).then_some(Type::Byte);
                (["red", "green", "blue", "alpha"][..n].to_vec(), stored)
            }
            _ => (Vec::new(), None),
        };
        let mut names: Vec<String> = names.into_iter().map(String::from).collect();
        if names.is_empty() {
            let word = array.name.replace(|c: char| c.is_whitespace() || c.is_control(), "_");
            names = match array.components {
                1 if !word.is_empty() => vec![word],
                n => (0..n).map(|k| format!("{word}_{k}")).collect(),
            };
        }
        for name in &mut names {
            while !taken.insert(name.clone()) {
                name.push('_');
            }
        }
        let stored = stored.unwrap_or_else(|| Type::keeping(array.values.iter().copied()));
        Self { array, stored, names }
    }

    fn declare(&self, out: &mut dyn Write) -> io::Result<()> {
        self.names.iter().try_for_each(|n| writeln!(out, "property {} {n}", self.stored.name()))
    }

    fn write(&self, tuple: usize, out: &mut dyn Write) -> io::Result<()> {
        self.array.tuple(tuple).iter().try_for_each(|&x| self.stored.write(x, out))
    }
}

/// Writes the surface of `mesh` as binary little endian PLY with its point and triangle arrays.
/// Numbers are stored in single precision where that loses nothing, else in double precision.
/// Groups have no place in the format.
pub fn write(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let surface = Surface::of(mesh)?;
    let points = surface.point_count();
    if points > i32::MAX as usize {
        return Err(io::Error::other(format!(
            "{points} points are more than a PLY face can refer to"
        )));
    }
    let coordinate = Type::keeping((0..points).flat_map(|i| surface.point(i)));
    let mut taken = HashSet::from(["x", "y", "z"].map(String::from));
    let point_columns: Vec<_> =
        surface.point_arrays().map(|a| Columns::new(a, &mut taken)).collect();
    let mut taken = HashSet::from(["vertex_indices", "vertex_index"].map(String::from));
    let face_columns: Vec<_> =
        surface.triangle_arrays().map(|a| Columns::new(a, &mut taken)).collect();

    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {points}")?;
    for axis in ["x", "y", "z"] {
        writeln!(out, "property {} {axis}", coordinate.name())?;
    }
    point_columns.iter().try_for_each(|c| c.declare(out))?;
    writeln!(
        out,
        "element face {}\nproperty list uchar int vertex_indices",
        surface.triangles.len()
    )?;
    face_columns.iter().try_for_each(|c| c.declare(out))?;
    writeln!(out, "end_header")?;

    for i in 0..points {
        surface.point(i).iter().try_for_each(|&x| coordinate.write(x, out))?;
        point_columns.iter().try_for_each(|c| c.write(surface.source(i), out))?;
    }
    for (i, t) in surface.triangles.iter().enumerate() {
        out.write_all(&[3])?;
        t.iter().try_for_each(|c| out.write_all(&c.to_le_bytes()))?;
        face_columns.iter().try_for_each(|c| c.write(i, out))?;
    }
    Ok(())
}
