//! glTF 2.0 (`.gltf` with its buffers, `.glb`): the triangles of the default scene, and how they move.
//!
//! Node transforms are applied, and the file's y-up world becomes our z-up one:
//! (x, y, z) → (x, −z, y). Triangles are grouped by the names of their node and mesh. Section numbers
//! in this folder refer to the "glTF 2.0 Specification" of the Khronos Group.

mod accessor;
mod animated_mesh;
mod animation;
mod buffers;
mod document;
mod moving;
mod scene;
mod shape;
mod skin;
mod store;
mod track;
mod transform;

#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;

use super::Input;
use super::surface::warn_if_empty;
use crate::{Mesh, Place, ReadError, Result};
use buffers::Buffers;
use document::Document;

pub use animated_mesh::AnimatedMesh;
pub use animation::Clip;

/// Reads a glTF file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let (document, chunk) = open(input.bytes)?;
    let mut buffers = Buffers::new(&document, chunk, input.companions);
    let scene = scene::read(&document, &mut buffers, input.warnings)?;
    scene.warn(input.warnings);
    warn_if_empty(input.warnings, &scene.mesh);
    Ok(scene.mesh)
}

/// The document in a file, and the bytes that a GLB carries along.
fn open(bytes: &[u8]) -> Result<(Document, Option<&[u8]>)> {
    let document = parse_json(bytes)?;
    check_version(&document)?;
    check_extensions(&document)?;
    Ok((document, split(bytes)?.1))
}

/// The JSON of a file, and the bytes that a GLB carries along.
fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    if is_glb(bytes) { buffers::split_glb(bytes) } else { Ok((bytes, None)) }
}

fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(b"glTF")
}

/// What a file's JSON says of the things that `T` has.
fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let json = split(bytes)?.0;
    // Some exporters begin with a byte order mark, which JSON does not have.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    serde_json::from_slice(json).map_err(|e| {
        let place = if is_glb(bytes) { Place::Byte(20) } else { Place::Line(e.line().max(1)) };
        ReadError::at(place, format!("the JSON cannot be understood: {e}"))
            .help("The file is damaged, was cut off, or is no glTF 2.0")
    })
}

fn check_version(document: &Document) -> Result<()> {
    let version = &document.asset.version;
    if version.split('.').next() == Some("2") {
        return Ok(());
    }
    Err(ReadError::file(format!("is glTF version {version:?}, and only version 2 can be read"))
        .help("Export it as glTF 2.0"))
}

/// Extensions that a file may require without changing where its triangles are.
fn is_harmless(extension: &str) -> bool {
    const PREFIXES: [&str; 5] =
        ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "EXT_lights_"];
    extension == "KHR_mesh_quantization" || PREFIXES.iter().any(|p| extension.starts_with(p))
}

fn check_extensions(document: &Document) -> Result<()> {
    match document.extensions_required.iter().find(|e| !is_harmless(e)) {
        None => Ok(()),
        Some(name) => Err(ReadError::file(format!(
            "requires the glTF extension {name}, which is not supported"
        ))
        .help("Export it without this extension (for Draco and meshopt: without compression)")),
    }
}
