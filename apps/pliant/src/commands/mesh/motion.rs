//! What moves in a mesh file.

use std::path::Path;

use pliant::mesh::formats::gltf::AnimatedMesh;
use pliant::mesh::{Format, Loaded};
use serde::Serialize;

/// What `mesh info` tells of motion.
#[derive(Default, Serialize)]
pub struct MotionInfo {
    animations: Vec<AnimationInfo>,
    skins: Vec<SkinInfo>,
    morph_targets: usize,
}

#[derive(Serialize)]
struct AnimationInfo {
    name: String,
    duration: f64,
    channels: usize,
}

#[derive(Serialize)]
struct SkinInfo {
    name: String,
    joints: usize,
}

impl MotionInfo {
    /// What moves in a file, and what is to be said about it. The mesh was read already, so trouble with
    /// its motion is no failure.
    pub fn of(file: &Path, loaded: &Loaded) -> (Self, Vec<String>) {
        if loaded.format != Format::Gltf {
            return (Self::default(), Vec::new());
        }
        let mesh = match AnimatedMesh::load(file) {
            Ok(mesh) => mesh,
            Err(e) => {
                let trouble = format!("its motion cannot be read: {}. {}", e.problem, e.help);
                return (Self::default(), vec![trouble]);
            }
        };
        let animations = mesh.clips().iter().map(|clip| AnimationInfo {
            name: clip.name().to_owned(),
            duration: clip.duration(),
            channels: clip.channels(),
        });
        let skins = mesh.skins().map(|(name, joints)| SkinInfo { name: name.to_owned(), joints });
        let info = Self {
            animations: animations.collect(),
            skins: skins.collect(),
            morph_targets: mesh.morph_targets(),
        };
        let new = mesh.warnings().iter().filter(|w| !loaded.warnings.contains(w));
        (info, new.cloned().collect())
    }

    /// Names and values for people.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, String)> {
        let animations = self.animations.iter().enumerate().map(|(i, a)| {
            let channels = a.channels;
            ("animation", format!("{i} {:?}, {:.3} s, {channels} channels", a.name, a.duration))
        });
        let skins =
            self.skins.iter().map(|s| ("skin", format!("{:?}, {} joints", s.name, s.joints)));
        let targets =
            (self.morph_targets > 0).then(|| ("morph targets", self.morph_targets.to_string()));
        animations.chain(skins).chain(targets)
    }
}
