//! Being written.

use std::io::Write;

use super::Input;
use crate::{Mesh, ReadError, Result};

/// Reads the format.
pub fn read(_input: &mut Input<'_>) -> Result<Mesh> {
    Err(ReadError::file("no reader yet"))
}

/// Writes the format.
pub fn write(_mesh: &Mesh, _out: &mut dyn Write) -> std::io::Result<()> {
    Err(std::io::Error::other("no writer yet"))
}
