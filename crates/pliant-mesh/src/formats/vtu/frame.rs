//! Frames of a running simulation, written as they lie in memory.

use std::io::{self, Write};

use super::write::{Builder, invalid};

/// One moment of a simulation, borrowed from the arrays that it runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct VtuFrame<'a> {
    /// Coordinates \[m\].
    pub points: &'a [[f32; 3]],
    /// Corner indices of each tetrahedron.
    pub tets: &'a [[u32; 4]],
    /// Corner indices of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// Vectors per point, by name: velocities, displacements.
    pub point_vectors: &'a [(&'a str, &'a [[f32; 3]])],
    /// Numbers per point, by name.
    pub point_scalars: &'a [(&'a str, &'a [f32])],
    /// Numbers per tetrahedron, by name; triangles get not-a-number.
    pub tet_scalars: &'a [(&'a str, &'a [f32])],
}

/// Writes one frame with 32-bit numbers and without compression, for speed. Names must differ.
pub fn write_frame(frame: &VtuFrame<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut file = Builder::new(false);
    file.open_piece(frame.points.len(), frame.tets.len() + frame.triangles.len());
    file.open("PointData");
    for (name, values) in frame.point_vectors {
        check(name, values.len(), frame.points.len())?;
        file.array(name, "Float32", 3, f32_bytes(values.as_flattened()))?;
    }
    for (name, values) in frame.point_scalars {
        check(name, values.len(), frame.points.len())?;
        file.array(name, "Float32", 1, f32_bytes(values))?;
    }
    file.close("PointData");
    file.open("CellData");
    for (name, values) in frame.tet_scalars {
        check(name, values.len(), frame.tets.len())?;
        let mut bytes = f32_bytes(values);
        bytes.extend(frame.triangles.iter().flat_map(|_| f32::NAN.to_le_bytes()));
        file.array(name, "Float32", 1, bytes)?;
    }
    file.close("CellData");
    file.open("Points");
    file.array("Points", "Float32", 3, f32_bytes(frame.points.as_flattened()))?;
    file.close("Points");
    file.cells(frame.tets, frame.triangles, frame.points.len())?;
    file.finish(out)
}

fn check(name: &str, have: usize, due: usize) -> io::Result<()> {
    match have == due {
        true => Ok(()),
        false => Err(invalid(format!("the array {name:?} has {have} entries, but {due} are due"))),
    }
}

fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}
