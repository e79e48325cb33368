//! The surface formats against files from the wild, against themselves and against damage.

mod facts;
mod hostile;
mod round_trip;

use std::path::Path;

use pliant_mesh::formats::{Input, directx, gltf, obj, off, ply, stl};
use pliant_mesh::source::{Companions, Folder, Memory};
use pliant_mesh::{Mesh, ReadError};

/// Reads `bytes` with the reader that the extension of `name` asks for.
fn read_with(
    bytes: &[u8],
    name: &str,
    companions: &dyn Companions,
) -> Result<(Mesh, Vec<String>), ReadError> {
    let mut warnings = Vec::new();
    let mut input = Input { bytes, name, companions, warnings: &mut warnings };
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let mesh = match &extension[..] {
        "obj" => obj::read(&mut input),
        "stl" => stl::read(&mut input),
        "ply" => ply::read(&mut input),
        "off" => off::read(&mut input),
        "glb" | "gltf" => gltf::read(&mut input),
        "x" => directx::read(&mut input),
        other => panic!("no reader for {other}"),
    }?;
    if let Err(problem) = mesh.check_indices() {
        panic!("{name}: {problem} in {:?}", String::from_utf8_lossy(bytes));
    }
    Ok((mesh, warnings))
}

fn read(bytes: &[u8], name: &str) -> Result<(Mesh, Vec<String>), ReadError> {
    read_with(bytes, name, &Memory::default())
}

fn read_path(path: &Path) -> (Mesh, Vec<String>) {
    let bytes = std::fs::read(path).expect("the file is there");
    let folder = Folder(path.parent().expect("a file has a folder").to_owned());
    read_with(&bytes, path.to_str().expect("plain name"), &folder)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn corners(mesh: &Mesh) -> impl Iterator<Item = [[f64; 3]; 3]> {
    mesh.triangles.iter().map(|t| t.map(|c| mesh.points[c as usize]))
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Volume between the triangles and the origin, which is how the facts count open surfaces.
fn volume(mesh: &Mesh) -> f64 {
    corners(mesh)
        .map(|[a, b, c]| {
            let n = cross(b, c);
            (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0
        })
        .sum()
}

fn area(mesh: &Mesh) -> f64 {
    let edge = |a: [f64; 3], b: [f64; 3]| [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    corners(mesh)
        .map(|[a, b, c]| {
            let n = cross(edge(a, b), edge(a, c));
            (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt() / 2.0
        })
        .sum()
}
