//! Being written.

use super::Input;
use crate::{Mesh, ReadError, Result};

/// Reads the format.
pub fn read(_input: &mut Input<'_>) -> Result<Mesh> {
    Err(ReadError::file("no reader yet"))
}
