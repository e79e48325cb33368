//! What the user describes: a world, the bodies in it, what is done to them and what to write.
//!
//! A [`Scene`] is plain data. Build it in code from [`Default`]s or read it from TOML; every key,
//! its unit and its default are in `docs/scenes.md`. Nothing here is simulated or loaded: the
//! model is compiled from a scene elsewhere.
//!
//! ```
//! use pliant_sim::scene::{Body, Scene, Shape, Source, Stiffness};
//!
//! let mut bar = Body { name: "bar".into(), ..Body::default() };
//! bar.source = Source::Shape(Shape::bar([8, 2, 2], [0.4, 0.1, 0.1]));
//! bar.translate = [0.0, 0.0, 1.0];
//! bar.material.stiffness = Stiffness::Young(20e3);
//! let scene = Scene { bodies: vec![bar], ..Scene::default() };
//! assert_eq!(scene.world.timestep, 0.004);
//! ```

mod action;
mod body;
mod cloth;
mod collider;
mod collider_mesh;
mod contact;
mod document;
mod error;
mod fabric;
mod forms;
mod hints;
mod key_path;
mod keys;
mod limits;
mod live;
mod load;
mod mannequin;
mod material;
mod output;
mod overrides;
mod picture;
mod pin;
mod region;
mod seam;
mod shape;
mod shape_matching;
mod skin;
mod spelling;
mod strain;
mod tear;
mod track;
mod validate;
mod volume;
mod wind;
mod world;

use serde::{Deserialize, Serialize};

pub use action::{Action, ActionKind, Carry, CarryMotion, Drag, DragMotion, OfSeam, Push, Set};
pub use body::{Body, Copies, Rotation, Scale, Source};
pub use cloth::{BendSprings, BendingForm, Cloth};
pub use collider::{Collider, ColliderGround, ColliderMotion, ColliderShape, Keyframe, Pose};
pub use collider_mesh::ColliderMesh;
pub use contact::{BodyContact, Contact, ContactFilter};
pub use error::{Problem, SceneError, Warning};
pub use fabric::Fabric;
pub use hints::suggest;
pub use keys::paths_of;
pub use limits::Limits;
pub(crate) use live::MOST_SUBSTEPS;
pub use live::{Control, ControlForm, Live, LiveValue};
pub use mannequin::{Mannequin, MannequinMotion, MannequinPart, MannequinPose, Walk};
pub use material::{Damping, Mass, Material, Stiffness, Volume};
pub use output::{Every, Output, RunPlan};
pub use overrides::Overrides;
pub use picture::{Picture, PictureCamera, PictureColour};
pub use pin::Pin;
pub use region::Region;
pub use seam::{Seam, SeamSide};
pub use shape::{Shape, Split};
pub use shape_matching::{Clusters, ShapeMatching, ShapeMode, ShapePlasticity, ShapeSettings};
pub use skin::{Cage, Skin};
pub use strain::{LimitBy, StrainLimit};
pub use tear::Tear;
pub use track::{Track, TrackPart};
pub use volume::{
    PictureIso, PictureQuality, PictureSlice, PictureVolume, Rgb, Transfer, TransferPoint,
    TransferPreset,
};
pub use wind::Wind;
pub use world::{Accumulation, Implicit, Integrator, World, WorldBox};

/// Everything a run needs to know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// What to call it in titles and file names; may be empty.
    pub name: String,
    /// Gravity, damping, timestep, box.
    pub world: World,
    /// The soft bodies, at least one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// Rigid things that the bodies cannot enter. Where they hold each other up they act in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// Figures of rigid parts. Whoever reads or runs a scene puts their parts behind the colliders
    /// ([`Scene::place_mannequins`]).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mannequins: Vec<Mannequin>,
    /// Edges of bodies that are sewn together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<Seam>,
    /// What is done to the bodies, ordered by start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Action>,
    /// How long to run.
    pub run: RunPlan,
    /// What to write.
    pub output: Output,
}

impl Scene {
    /// Makes colliders of the parts of all mannequins, of which none are left.
    pub fn place_mannequins(&mut self) {
        let parts = std::mem::take(&mut self.mannequins);
        self.colliders.extend(parts.iter().flat_map(Mannequin::colliders));
    }
}

#[cfg(test)]
mod tests;
