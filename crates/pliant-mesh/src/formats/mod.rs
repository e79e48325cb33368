//! File formats: one module each, found by content first and by extension second.

mod detect;
pub mod directx;
pub mod gltf;
pub mod gltf_write;
pub mod gmsh;
pub mod medit;
pub mod netgen;
mod numbers;
pub mod obj;
pub mod off;
pub mod ply;
pub mod stl;
mod surface;
#[cfg(test)]
mod test_meshes;
pub mod tetgen;
pub mod vega;
pub mod vtk;
pub mod vtu;

pub use detect::{by_name, detect};

use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::path::Path;

use crate::source::{Companions, Folder, gunzip, read_file};
use crate::{Mesh, ReadError, Result, WriteError, write_atomically};

/// A supported file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// TetGen `.node` with its `.ele`.
    TetGen,
    /// Gmsh `.msh`, versions 1, 2.2 and 4.1.
    Gmsh,
    /// MEDIT `.mesh`.
    Medit,
    /// Netgen's native `.vol`.
    NetgenVol,
    /// Netgen's neutral `.mesh`.
    NetgenNeutral,
    /// VTK legacy `.vtk`.
    VtkLegacy,
    /// VTK XML `.vtu`.
    Vtu,
    /// Vega FEM `.veg`.
    Vega,
    /// Wavefront `.obj`.
    Obj,
    /// Stereolithography `.stl`.
    Stl,
    /// Stanford `.ply`.
    Ply,
    /// Geomview `.off`.
    Off,
    /// glTF `.gltf` or `.glb`.
    Gltf,
    /// DirectX `.x` in text form.
    DirectX,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::TetGen => "TetGen",
            Format::Gmsh => "Gmsh",
            Format::Medit => "MEDIT",
            Format::NetgenVol => "Netgen vol",
            Format::NetgenNeutral => "Netgen neutral",
            Format::VtkLegacy => "VTK legacy",
            Format::Vtu => "VTU",
            Format::Vega => "Vega",
            Format::Obj => "OBJ",
            Format::Stl => "STL",
            Format::Ply => "PLY",
            Format::Off => "OFF",
            Format::Gltf => "glTF",
            Format::DirectX => "DirectX .x",
        })
    }
}

/// A mesh that was read, with what the reader had to say about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The mesh.
    pub mesh: Mesh,
    /// What the file was.
    pub format: Format,
    /// What was left out, reduced or guessed; never empty-handed silence.
    pub warnings: Vec<String>,
}

/// What a reader gets: the bytes, the file's name, its companions, and a place for warnings.
pub struct Input<'a> {
    /// The whole file, already unpacked.
    pub bytes: &'a [u8],
    /// The file's name without folder and `.gz`; may be empty.
    pub name: &'a str,
    /// Files that belong to it.
    pub companions: &'a dyn Companions,
    /// What the user should know.
    pub warnings: &'a mut Vec<String>,
}

/// Reads a mesh file of any supported format.
pub fn load(path: impl AsRef<Path>) -> Result<Loaded> {
    in_file(path.as_ref(), read_bytes)
}

/// Lets `read` look at a file with the folder that it lies in.
fn in_file<T>(path: &Path, read: impl Fn(&[u8], &str, &dyn Companions) -> Result<T>) -> Result<T> {
    let bytes = read_file(path)?;
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let folder = Folder(path.parent().unwrap_or(Path::new("")).to_owned());
    read(&bytes, name, &folder)
        .map_err(|e| ReadError { path: e.path.or_else(|| Some(path.to_owned())), ..e })
}

/// The bytes of a file that may be packed, and its name without `.gz`.
fn unpacked<'a>(bytes: &'a [u8], name: &'a str) -> Result<(Cow<'a, [u8]>, &'a str)> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok((Cow::Owned(gunzip(bytes)?), name.strip_suffix(".gz").unwrap_or(name)));
    }
    Ok((Cow::Borrowed(bytes), name))
}

/// Reads a mesh from memory. `name` (with extension) helps where the content alone does not tell
/// the format; `companions` gives the files it refers to.
pub fn read_bytes(bytes: &[u8], name: &str, companions: &dyn Companions) -> Result<Loaded> {
    let (bytes, name) = unpacked(bytes, name)?;
    let format = detect(&bytes, name)?;
    let mut warnings = Vec::new();
    let mut input = Input { bytes: &bytes, name, companions, warnings: &mut warnings };
    let mut mesh = read_as(format, &mut input)
        .map_err(|e| ReadError { format: e.format.or(Some(format)), ..e })?;
    mesh.check_indices().map_err(|problem| ReadError {
        format: Some(format),
        ..ReadError::file(problem).help("The file is damaged or was cut off")
    })?;
    drop_empty_arrays(&mut mesh, &mut warnings);
    Ok(Loaded { mesh, format, warnings })
}

/// Leaves out arrays that hold nothing for each element: several formats can express them, and
/// nobody who uses arrays should have to expect them.
fn drop_empty_arrays(mesh: &mut Mesh, warnings: &mut Vec<String>) {
    for arrays in [&mut mesh.point_data, &mut mesh.tet_data, &mut mesh.triangle_data] {
        for array in arrays.extract_if(.., |a| a.components == 0) {
            warnings.push(format!("the array {:?} has no components and was left out", array.name));
        }
    }
}

fn read_as(format: Format, input: &mut Input<'_>) -> Result<Mesh> {
    match format {
        Format::TetGen => tetgen::read(input),
        Format::Gmsh => gmsh::read(input),
        Format::Medit => medit::read(input),
        Format::NetgenVol => netgen::read_vol(input),
        Format::NetgenNeutral => netgen::read_neutral(input),
        Format::VtkLegacy => vtk::read(input),
        Format::Vtu => vtu::read(input),
        Format::Vega => vega::read(input),
        Format::Obj => obj::read(input),
        Format::Stl => stl::read(input),
        Format::Ply => ply::read(input),
        Format::Off => off::read(input),
        Format::Gltf => gltf::read(input),
        Format::DirectX => directx::read(input),
    }
}

/// Extensions that [`load`] knows, and their formats: the one list of what can be read, from which
/// messages, dialogs and the fuzzer take theirs. Of files that belong together the one to open comes first.
pub const READABLE: &[(&str, Format)] = &[
    ("node", Format::TetGen),
    ("ele", Format::TetGen),
    ("msh", Format::Gmsh),
    ("mesh", Format::Medit),
    ("vol", Format::NetgenVol),
    ("vtk", Format::VtkLegacy),
    ("vtu", Format::Vtu),
    ("veg", Format::Vega),
    ("obj", Format::Obj),
    ("stl", Format::Stl),
    ("ply", Format::Ply),
    ("off", Format::Off),
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("x", Format::DirectX),
];

/// Extensions that [`save`] knows.
pub const WRITABLE: &[&str] = &["node", "ele", "msh", "vtu", "obj", "ply", "stl", "glb"];

/// Writes a mesh in the format that the file's extension names. TetGen writes `.node` and `.ele`.
pub fn save(mesh: &Mesh, path: &Path) -> Result<(), WriteError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    type Writer = fn(&Mesh, &mut dyn Write) -> std::io::Result<()>;
    let writer: Writer = match extension.as_str() {
        "node" | "ele" => {
            write_atomically(&path.with_extension("node"), |out| tetgen::write_node(mesh, out))?;
            return write_atomically(&path.with_extension("ele"), |out| {
                tetgen::write_ele(mesh, out)
            });
        }
        "msh" => gmsh::write,
        "vtu" => vtu::write,
        "obj" => obj::write,
        "ply" => ply::write,
        "stl" => stl::write,
        "glb" => gltf_write::write,
        _ => {
            return Err(WriteError::UnknownExtension {
                path: path.to_owned(),
                known: WRITABLE.join(", "),
            });
        }
    };
    write_atomically(path, |out| writer(mesh, out))
}
