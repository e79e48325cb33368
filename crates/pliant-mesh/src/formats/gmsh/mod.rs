//! Gmsh's `.msh`, versions 1, 2.x, 4.0 and 4.1, as text and binary in either byte order.
//!
//! The format is described in the Gmsh reference manual, chapter "Gmsh file formats". What becomes
//! of its parts:
//!
//! - Physical groups become [`Group`](crate::Group)s: volumes hold tetrahedra, surfaces triangles,
//!   physical points hold points. A group without a name is called `physical_N`.
//! - Elements carry the array `physical` (their first physical group) and `entity` (the geometric
//!   entity they belong to), unless all values are 0.
//! - `$NodeData` and `$ElementData` become arrays. Where a file gives values for some points or
//!   elements only, the others hold NaN.
//! - Points and lines have no place in a [`Mesh`] and are passed over; elements of higher order are
//!   reduced to their corners, with a warning.

mod builder;
mod data;
mod elements;
mod numbering;
mod repeats;
mod stream;
mod v1_v2;
mod v4;
mod write;
mod write_tags;

#[cfg(test)]
mod tests;

use self::builder::Builder;
use self::stream::{Encoding, File};
use super::Input;
use crate::bytes::Endian;
use crate::text::{parse_number, show};
use crate::{Mesh, ReadError, Result};

pub use self::write::write;

/// Reads a Gmsh file of any version.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let mut file = File::new(input.bytes);
    let mut builder = Builder::default();
    // Version 1 has no header: it begins with its nodes.
    let mut version = 1.0;
    while let Some(section) = file.next_section() {
        match section {
            b"$MeshFormat" => version = read_format(&mut file)?,
            b"$NOD" if version < 2.0 => v1_v2::nodes(&mut file, "$ENDNOD", &mut builder)?,
            b"$ELM" if version < 2.0 => v1_v2::elements_v1(&mut file, &mut builder)?,
            b"$Nodes" if version < 4.0 => v1_v2::nodes(&mut file, "$EndNodes", &mut builder)?,
            b"$ParametricNodes" if version < 4.0 => {
                v1_v2::nodes(&mut file, "$EndParametricNodes", &mut builder)?;
            }
            b"$Elements" if version < 4.0 => v1_v2::elements_v2(&mut file, &mut builder)?,
            b"$Nodes" => v4::nodes(&mut file, version, &mut builder)?,
            b"$Elements" => v4::elements(&mut file, version, &mut builder)?,
            b"$Entities" => v4::entities(&mut file, version, &mut builder)?,
            b"$PartitionedEntities" if version >= 4.1 => {
                v4::partitioned_entities(&mut file, version, &mut builder)?;
            }
            b"$PhysicalNames" => data::physical_names(&mut file, &mut builder)?,
            b"$NodeData" => builder.node_data.push(data::section(&mut file, "NodeData")?),
            b"$ElementData" => builder.element_data.push(data::section(&mut file, "ElementData")?),
            _ => file.skip_section(section)?,
        }
    }
    if version < 4.0 {
        builder.join_repeats(input.warnings);
    }
    builder.finish(input.warnings)
}

/// Reads `version file-type data-size` and, in binary files, the 1 that shows the byte order.
fn read_format(file: &mut File<'_>) -> Result<f64> {
    let scanner = &mut file.scanner;
    let token = scanner.expect("the version")?;
    let version = parse_number(token).filter(|v| (1.0..3.0).contains(v) || (4.0..4.2).contains(v));
    let Some(version) = version else {
        return Err(scanner
            .error(format!("Gmsh version {} is not known", show(token)))
            .help("Export it as version 4.1 or 2.2"));
    };
    let binary = match scanner.integer("the file type")? {
        0 => false,
        1 => true,
        other => return Err(scanner.error(format!("file type {other} is neither 0 nor 1"))),
    };
    let size_bytes = scanner.integer("the data size")?;
    if binary {
        if size_bytes != 8 && !(size_bytes == 4 && version >= 4.0) {
            return Err(scanner
                .error(format!("numbers of {size_bytes} bytes cannot be read"))
                .help("Export it with a data size of 8"));
        }
        scanner.next_line();
        let endian = match scanner.rest() {
            [1, 0, 0, 0, ..] => Endian::Little,
            [0, 0, 0, 1, ..] => Endian::Big,
            _ => {
                return Err(byte_order_error(scanner.offset()));
            }
        };
        scanner.seek(scanner.offset() + 4);
        file.encoding = Encoding::Binary { endian, wide_sizes: size_bytes == 8 };
    }
    file.end_section("$EndMeshFormat")?;
    Ok(version)
}

fn byte_order_error(offset: usize) -> ReadError {
    ReadError::at(
        crate::Place::Byte(offset),
        "the integer 1 that shows the byte order of a binary file is missing",
    )
    .help("It was perhaps sent or stored as text: fetch it again in binary mode")
}
