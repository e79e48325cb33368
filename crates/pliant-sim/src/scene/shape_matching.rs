//! Bodies that are drawn back to their shape as a whole, or by clusters of their vertices.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a body is drawn back to its shape: clusters of vertices are compared with what they are at rest, and each vertex
/// goes to where that would have it, instead of being held by springs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShapeMatching {
    /// What shapes may become of a cluster.
    pub mode: ShapeMode,
    /// How hard vertices are drawn to their goals, see [`ShapeSettings::alpha`]; without it what the world says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// The share of a deformation that goals follow, see [`ShapeSettings::beta`]; without it what the world says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// How quickly motion beside that of the body as a whole fades, see [`ShapeSettings::damping`]; without it what the world says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// What vertices belong together.
    pub clusters: Clusters,
    /// What chance begins with where clusters are looked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub seed: u32,
    /// Whether it has the springs and the volume force of its material, too.
    #[serde(skip_serializing_if = "is_no")]
    pub springs: bool,
    /// How it stays bent; it never does without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<ShapePlasticity>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_no(says: &bool) -> bool {
    !says
}

/// What the goals of a cluster may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeMode {
    /// Its shape at rest, moved and turned.
    Rigid,
    /// That, and for a share β stretched and sheared, with its volume restored.
    #[default]
    Linear,
    /// That, and for a share β bent and twisted as well.
    Quadratic,
}

/// What vertices of a body are compared with their places at rest together. In TOML `"auto"`, `"elements"`, a number or
/// names of groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Clusters {
    /// As many as make about 50 vertices each.
    #[default]
    Auto,
    /// Each tetrahedron or triangle by itself.
    Elements,
    /// So many, found by their distances (k-means), each with the neighbours of its vertices.
    Count(u32),
    /// The groups of the mesh that have these names.
    Groups(Vec<String>),
}

impl Clusters {
    /// How many there may be.
    pub const COUNT: [u32; 2] = [1, 100_000];
}

impl Serialize for Clusters {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => "auto".serialize(s),
            Self::Elements => "elements".serialize(s),
            Self::Count(count) => count.serialize(s),
            Self::Groups(names) => names.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Clusters {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Form;

        impl<'de> Visitor<'de> for Form {
            type Value = Clusters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"auto\", \"elements\" or names of groups in a list")
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Clusters::Count(number.clamp(0, i64::from(u32::MAX)) as u32))
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Self::Value, E> {
                match word {
                    "auto" => Ok(Clusters::Auto),
                    "elements" => Ok(Clusters::Elements),
                    _ => Err(E::unknown_variant(word, &["auto", "elements"])),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                let names: Vec<String> = Deserialize::deserialize(SeqAccessDeserializer::new(seq))?;
                match names.is_empty() {
                    true => Err(A::Error::custom("name at least one group of the mesh")),
                    false => Ok(Clusters::Groups(names)),
                }
            }
        }

        d.deserialize_any(Form)
    }
}

/// How a cluster stays bent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShapePlasticity {
    /// The strain beyond which a cluster yields: ‖S − 1‖, of which its stretch S is 1 at rest. Its key in TOML is `yield`.
    #[serde(rename = "yield")]
    pub threshold: f64,
    /// The rate at which it takes over what is beyond that \[1/s\].
    pub creep: f64,
    /// The largest strain that it takes over altogether.
    pub max: f64,
}

impl Default for ShapePlasticity {
    fn default() -> Self {
        Self { threshold: 0.05, creep: 20.0, max: 1.0 }
    }
}

/// How bodies are drawn back to their shapes that do not say so themselves; may change while they move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShapeSettings {
    /// The share of the way to its goal that a vertex goes in a step of [`ShapeSettings::TIME`]; 1 is as rigid as can be.
    ///
    /// In shorter steps it is less, so that the motion does not depend on them: it is that of springs with the angular
    /// frequency √(α/(1 − α))/[`ShapeSettings::TIME`].
    pub alpha: f64,
    /// The share of a deformation that goals follow: 0 is none, at 1 only what volume a linear cluster loses comes back.
    pub beta: f64,
    /// The rate at which motion beside that of the body as a whole fades \[1/s\]; it moves on and turns as before.
    pub damping: f64,
}

impl ShapeSettings {
    /// The step that α is about \[s\].
    pub const TIME: f64 = 1.0 / 60.0;
}

impl Default for ShapeSettings {
    fn default() -> Self {
        Self { alpha: 0.5, beta: 0.3, damping: 8.0 }
    }
}

impl ShapeMatching {
    /// What counts of it in a world that has these settings.
    pub fn settings(&self, world: Option<&ShapeSettings>) -> ShapeSettings {
        let usual = world.copied().unwrap_or_default();
        ShapeSettings {
            alpha: self.alpha.unwrap_or(usual.alpha),
            beta: self.beta.unwrap_or(usual.beta),
            damping: self.damping.unwrap_or(usual.damping),
        }
    }
}
