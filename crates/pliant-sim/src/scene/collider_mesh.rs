//! Colliders that are triangle meshes, and how colliders are written.

use std::fmt;
use std::path::PathBuf;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Collider, ColliderMotion, ColliderShape, Rotation, Scale, Shape, Source};

/// A surface of triangles that bodies touch. In TOML the keys `mesh` and `scale` of a collider.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderMesh {
    /// Where it comes from. With [`ColliderMotion::Series`] the path is a `.pvd`, a folder, or a pattern such as
    /// `frames/*.obj`.
    pub source: Source,
    /// Enlargement, about the origin of its own coordinates, before anything else.
    pub scale: Scale,
}

impl ColliderMesh {
    /// The mesh of a file, as large as it is there.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(Source::Mesh { path: path.into(), group: None })
    }

    /// A mesh as large as it is.
    pub fn of(source: Source) -> Self {
        Self { source, scale: Scale::default() }
    }

    /// What it is called where nobody gave it a name.
    pub(super) fn usual_name(&self) -> String {
        match &self.source {
            // Of a pattern or a folder, what is left of its name.
            Source::Mesh { path, .. } => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let name = stem.trim_matches(|c: char| "*-_.".contains(c));
                if name.is_empty() { "mesh".into() } else { name.to_owned() }
            }
            Source::Shape(shape) => shape.kind().to_owned(),
            Source::Inline(_) => "mesh".to_owned(),
        }
    }
}

/// A [`Collider`] as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColliderForm {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mesh: Option<MeshForm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<Scale>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<ColliderShape>,
    #[serde(default)]
    rotate: Rotation,
    #[serde(default)]
    translate: [f64; 3],
    #[serde(default = "Collider::default_friction")]
    friction: f64,
    #[serde(default)]
    restitution: f64,
    #[serde(default)]
    thickness: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    motion: Option<ColliderMotion>,
}

impl<'de> Deserialize<'de> for Collider {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let form = ColliderForm::deserialize(d)?;
        let shape = match (form.mesh, form.shape, form.scale) {
            (Some(mesh), None, scale) => {
                let scale = scale.unwrap_or_default();
                ColliderShape::Mesh(ColliderMesh { source: mesh.into(), scale })
            }
            (None, Some(shape), None) => shape,
            (None, Some(_), Some(_)) => {
                return Err(D::Error::custom("`scale` belongs to `mesh`, not to `shape`"));
            }
            (Some(_), Some(_), _) => {
                return Err(D::Error::custom("a collider has either `mesh` or `shape`, not both"));
            }
            (None, None, _) => {
                return Err(D::Error::custom("a collider needs either `mesh` or `shape`"));
            }
        };
        Ok(Self {
            name: form.name,
            shape,
            rotate: form.rotate,
            translate: form.translate,
            friction: form.friction,
            restitution: form.restitution,
            thickness: form.thickness,
            motion: form.motion,
        })
    }
}

impl Serialize for Collider {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let (mesh, scale, shape) = match self.shape.clone() {
            ColliderShape::Mesh(ColliderMesh { source, scale }) => {
                let mesh = match source {
                    Source::Mesh { path, .. } => MeshForm::File(path),
                    Source::Shape(shape) => MeshForm::Shape(shape),
                    Source::Inline(_) => {
                        return Err(S::Error::custom(format!(
                            "collider {:?} was made in code: save its mesh to a file first",
                            self.name
                        )));
                    }
                };
                (Some(mesh), (scale != Scale::default()).then_some(scale), None)
            }
            shape => (None, None, Some(shape)),
        };
        ColliderForm {
            name: self.name.clone(),
            mesh,
            scale,
            shape,
            rotate: self.rotate,
            translate: self.translate,
            friction: self.friction,
            restitution: self.restitution,
            thickness: self.thickness,
            motion: self.motion.clone(),
        }
        .serialize(s)
    }
}

/// `mesh = "bunny.ply"` or `mesh = { kind = "torus", … }`.
enum MeshForm {
    File(PathBuf),
    Shape(Shape),
}

impl From<MeshForm> for Source {
    fn from(form: MeshForm) -> Self {
        match form {
            MeshForm::File(path) => Self::Mesh { path, group: None },
            MeshForm::Shape(shape) => Self::Shape(shape),
        }
    }
}

impl Serialize for MeshForm {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::File(path) => path.serialize(s),
            Self::Shape(shape) => shape.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for MeshForm {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(MeshVisitor)
    }
}

struct MeshVisitor;

impl<'de> Visitor<'de> for MeshVisitor {
    type Value = MeshForm;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the path of a mesh file, or a shape that bodies can have")
    }

    fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<Self::Value, E> {
        Ok(MeshForm::File(path.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Shape::deserialize(MapAccessDeserializer::new(map)).map(MeshForm::Shape)
    }
}
