//! Stanford PLY (`.ply`): text, binary little endian and binary big endian.
//!
//! Scalars beside a point's coordinates become point arrays: `nx ny nz` become `normal`,
//! `red green blue` (and `alpha`) become `color` with the file's own numbers, others keep their name.
//! Scalars of faces become triangle arrays in the same way.

mod body;
mod header;
mod write;

#[cfg(test)]
mod tests;

use super::Input;
use super::surface::{warn_dropped_faces, warn_if_empty};
use crate::{DataArray, Mesh, Result};
use body::{Body, Row};
use header::{Element, Header, Kind, Property};

pub use write::write;

/// Reads a PLY file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let header = Header::parse(input.bytes)?;
    let point_count = header.point_count()?;
    let mut reader = Reader { point_count, ..Reader::default() };
    let mut body = Body::new(input.bytes, &header);
    for element in &header.elements {
        match &element.name[..] {
            "vertex" => reader.points(element, &mut body)?,
            "face" => reader.faces(element, &mut body)?,
            "tristrips" => reader.strips(element, &mut body)?,
            _ => body.skip(element)?,
        }
    }
    Ok(reader.finish(input.warnings))
}

#[derive(Default)]
struct Reader {
    mesh: Mesh,
    point_count: usize,
    dropped: usize,
    warnings: Vec<String>,
    row: Row,
    corners: Vec<u32>,
}

impl Reader {
    fn points(&mut self, element: &Element, body: &mut Body<'_>) -> Result<()> {
        let place = |name: &str| element.scalar(name);
        let [x, y, z] = [place("x"), place("y"), place("z")];
        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
            return Err(crate::ReadError::file("the element vertex lacks one of x, y and z")
                .help("Only three-dimensional points can be read"));
        };
        let mut columns = Columns::new(element, &["x", "y", "z"]);
        self.mesh.points.reserve(body.capacity(element));
        for i in 0..element.count {
            body.row(element, i, &mut self.row)?;
            self.mesh.points.push([x, y, z].map(|at| self.row.scalars[at]));
            columns.push(&self.row, 1);
        }
        self.mesh.point_data = self.trusted(columns, element, body);
        Ok(())
    }

    fn faces(&mut self, element: &Element, body: &mut Body<'_>) -> Result<()> {
        let list = corner_list(element, body)?;
        let mut columns = Columns::new(element, &[]);
        self.mesh.triangles.reserve(body.capacity(element));
        for i in 0..element.count {
            body.row(element, i, &mut self.row)?;
            self.corners.clear();
            for &corner in &self.row.lists[list] {
                let corner = point_number(corner, self.point_count)
                    .ok_or_else(|| out_of_range(body, element, i, corner, self.point_count))?;
                self.corners.push(corner);
            }
            let made = super::surface::push_fan(&mut self.mesh.triangles, &self.corners);
            self.dropped += usize::from(made == 0);
            columns.push(&self.row, made);
        }
        let arrays = self.trusted(columns, element, body);
        self.mesh.triangle_data.extend(arrays);
        Ok(())
    }

    /// Strips: every corner makes a triangle with the two before it, turned round at every other
    /// one; −1 begins a new strip.
    fn strips(&mut self, element: &Element, body: &mut Body<'_>) -> Result<()> {
        let list = corner_list(element, body)?;
        for i in 0..element.count {
            body.row(element, i, &mut self.row)?;
            self.corners.clear();
            for &corner in &self.row.lists[list] {
                if corner == -1.0 {
                    self.corners.clear();
                    continue;
                }
                let corner = point_number(corner, self.point_count)
                    .ok_or_else(|| out_of_range(body, element, i, corner, self.point_count))?;
                self.corners.push(corner);
                if let [.., a, b, c] = self.corners[..] {
                    let odd = self.corners.len().is_multiple_of(2);
                    // Strips repeat a corner to turn a bend; such triangles have no area.
                    if a != b && b != c && a != c {
                        self.mesh.triangles.push(if odd { [b, a, c] } else { [a, b, c] });
                    }
                }
            }
        }
        Ok(())
    }

    /// The arrays of `element`, unless its rows do not fit the header.
    fn trusted(&mut self, columns: Columns, element: &Element, body: &Body<'_>) -> Vec<DataArray> {
        let long = if element.count > 0 { body.long_rows } else { 0 };
        if long == 0 {
            return columns.finish();
        }
        self.warnings.push(format!(
            "{long} rows of the element {} are longer than the header says: \
             coordinates and corners were read, its other properties left out",
            element.name
        ));
        Vec::new()
    }

    fn finish(mut self, warnings: &mut Vec<String>) -> Mesh {
        warnings.append(&mut self.warnings);
        let triangles = self.mesh.triangles.len();
        let before = self.mesh.triangle_data.len();
        self.mesh.triangle_data.retain(|a| a.tuple_count() == triangles);
        if self.mesh.triangle_data.len() < before {
            warnings
                .push("left out face properties: the file has strips or several face lists".into());
        }
        warn_dropped_faces(warnings, self.dropped);
        warn_if_empty(warnings, &self.mesh);
        self.mesh
    }
}

/// Which of the element's lists holds the corners.
fn corner_list(element: &Element, body: &Body<'_>) -> Result<usize> {
    let lists = element.properties.iter().filter(|p| matches!(p.kind, Kind::List(..)));
    let mut names = lists.map(|p| &p.name[..]);
    names.position(|name| matches!(name, "vertex_indices" | "vertex_index")).ok_or_else(|| {
        body.error(format!("the element {} has no list vertex_indices", element.name))
            .help("Export the mesh with its faces")
    })
}

fn point_number(value: f64, count: usize) -> Option<u32> {
    (value >= 0.0 && value < count as f64 && value.fract() == 0.0).then_some(value as u32)
}

fn out_of_range(
    body: &Body<'_>,
    element: &Element,
    row: usize,
    corner: f64,
    count: usize,
) -> crate::ReadError {
    body.error(format!("{} {row} uses point {corner}, but there are {count} points", element.name))
        .help("The file is damaged or was cut off")
}

/// Gathers the scalars of rows into arrays.
struct Columns {
    /// Name of the array, and where in the row its components stand.
    arrays: Vec<(DataArray, Vec<usize>)>,
}

impl Columns {
    /// Columns for the element's scalars except `without`.
    fn new(element: &Element, without: &[&str]) -> Self {
        let scalars: Vec<&Property> = element.scalars().collect();
        let mut arrays: Vec<(DataArray, Vec<usize>)> = Vec::new();
        for (at, property) in scalars.iter().enumerate() {
            let name = &property.name[..];
            if without.contains(&name) {
                continue;
            }
            let all = |names: &[&str]| names.iter().all(|n| element.scalar(n).is_some());
            let (group, first) = match name {
                "nx" | "ny" | "nz" if all(&["nx", "ny", "nz"]) => {
                    ("normal", &["nx", "ny", "nz"][..])
                }
                "red" | "green" | "blue" | "alpha" if all(&["red", "green", "blue"]) => {
                    ("color", &["red", "green", "blue", "alpha"][..])
                }
                other => (other, &[][..]),
            };
            if arrays.iter().any(|(a, _)| a.name == group) {
                continue;
            }
            let places: Vec<usize> = first.iter().filter_map(|n| element.scalar(n)).collect();
            let places = if places.is_empty() { vec![at] } else { places };
            let array =
                DataArray { name: group.into(), components: places.len(), values: Vec::new() };
            arrays.push((array, places));
        }
        Self { arrays }
    }

    fn push(&mut self, row: &Row, times: usize) {
        for (array, places) in &mut self.arrays {
            for _ in 0..times {
                array.values.extend(places.iter().map(|&at| row.scalars[at]));
            }
        }
    }

    fn finish(self) -> Vec<DataArray> {
        self.arrays.into_iter().map(|a| a.0).filter(|a| !a.values.is_empty()).collect()
    }
}
