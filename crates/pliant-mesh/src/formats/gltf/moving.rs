//! The parts of a glTF document that describe motion. They are read only where motion is asked for, so that
//! whatever is wrong with them never keeps anybody from the mesh.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Moving {
    pub(super) animations: Vec<Animation>,
    pub(super) skins: Vec<SkinEntry>,
    pub(super) nodes: Vec<Weighted>,
    pub(super) meshes: Vec<Morphing>,
}

/// Animations (section 3.11).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Animation {
    pub(super) name: String,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    /// Without a node the target is an extension's.
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: Option<String>,
}

/// Skins (section 3.7.3).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SkinEntry {
    pub(super) name: String,
    pub(super) inverse_bind_matrices: Option<usize>,
    pub(super) joints: Vec<usize>,
}

/// A node's own weights of the morph targets of its mesh.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Weighted {
    pub(super) weights: Option<Vec<f64>>,
}

/// Morph targets of a mesh (section 3.7.2.2).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Morphing {
    pub(super) weights: Option<Vec<f64>>,
    pub(super) primitives: Vec<MorphingPrimitive>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MorphingPrimitive {
    /// Accessors of differences, by the attribute that they change.
    pub(super) targets: Vec<BTreeMap<String, usize>>,
}
