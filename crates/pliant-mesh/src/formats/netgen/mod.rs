//! Being written.

use super::Input;
use crate::{Mesh, ReadError, Result};

/// Reads the format.
pub fn read_vol(_input: &mut Input<'_>) -> Result<Mesh> {
    Err(ReadError::file("no reader yet"))
}

/// Reads the format.
pub fn read_neutral(_input: &mut Input<'_>) -> Result<Mesh> {
    Err(ReadError::file("no reader yet"))
}
