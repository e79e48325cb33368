//! Detailed surfaces that bodies carry, and coarse bodies made for such surfaces.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Shape, Source};

/// A surface that a body carries along and that is shown in its place. It is placed as the body's mesh is. Of a solid mesh or
/// shape, the surface counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Where it comes from. In TOML one of the keys `mesh` (with `group`) and `shape`.
    pub source: Source,
}

/// A coarse mesh that stands for the body's own, whose surface it carries as a skin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cage {
    /// Cells along its longest side.
    pub cells: u32,
}

/// A [`Skin`] as it stands in a file.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SkinForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
}

impl<'de> Deserialize<'de> for Skin {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let form = SkinForm::deserialize(d)?;
        let source = match (form.mesh, form.shape, form.group) {
            (Some(path), None, group) => Source::Mesh { path, group },
            (None, Some(shape), None) => Source::Shape(shape),
            (None, Some(_), Some(_)) => {
                return Err(D::Error::custom("`group` belongs to `mesh`, not to `shape`"));
            }
            (Some(_), Some(_), _) => {
                return Err(D::Error::custom("a skin has either `mesh` or `shape`, not both"));
            }
            (None, None, _) => {
                return Err(D::Error::custom("a skin needs either `mesh` or `shape`"));
            }
        };
        Ok(Self { source })
    }
}

impl Serialize for Skin {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let (mesh, group, shape) = match self.source.clone() {
            Source::Mesh { path, group } => (Some(path), group, None),
            Source::Shape(shape) => (None, None, Some(shape)),
            Source::Inline(_) => {
                return Err(S::Error::custom(
                    "a skin was made in code: save its mesh to a file first",
                ));
            }
        };
        SkinForm { mesh, group, shape }.serialize(s)
    }
}
