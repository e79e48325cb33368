//! Being written.

use std::io::Write;

use crate::Mesh;

/// Writes the format.
pub fn write(_mesh: &Mesh, _out: &mut dyn Write) -> std::io::Result<()> {
    Err(std::io::Error::other("no writer yet"))
}
