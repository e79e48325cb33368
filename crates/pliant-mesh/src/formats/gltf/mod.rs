//! glTF 2.0 (`.gltf` with its buffers, `.glb`): the triangles of the default scene.
//!
//! Node transforms are applied, and the file's y-up world becomes our z-up one:
//! (x, y, z) → (x, −z, y). Triangles are grouped by the names of their node and mesh. Section numbers
//! in this folder refer to the "glTF 2.0 Specification" of the Khronos Group.

mod accessor;
mod buffers;
mod document;
mod scene;

#[cfg(test)]
mod tests;

use super::Input;
use super::surface::warn_if_empty;
use crate::{Mesh, Place, ReadError, Result};
use buffers::Buffers;
use document::Document;

/// Reads a glTF file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let (json, chunk) = match input.bytes.starts_with(b"glTF") {
        true => buffers::split_glb(input.bytes)?,
        false => (input.bytes, None),
    };
    let document = parse(json, chunk.is_some() || input.bytes.starts_with(b"glTF"))?;
    check_version(&document)?;
    check_extensions(&document)?;
    let buffers = Buffers::new(&document, chunk, input.companions);
    let mesh = scene::read(&document, buffers, input.warnings)?;
    warn_if_empty(input.warnings, &mesh);
    Ok(mesh)
}

fn parse(json: &[u8], in_glb: bool) -> Result<Document> {
    // Some exporters begin with a byte order mark, which JSON does not have.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    serde_json::from_slice(json).map_err(|e| {
        let place = if in_glb { Place::Byte(20) } else { Place::Line(e.line().max(1)) };
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
