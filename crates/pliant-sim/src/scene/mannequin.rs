//! A figure to be dressed: a head, a trunk, arms and legs of rigid parts that stand or walk.
//!
//! A mannequin is nothing but colliders: [`Mannequin::colliders`] has one for each part, which stands where the pose
//! has it and, if the figure walks, moves by [`Walk`], a function of time. So whatever holds of colliders, on
//! every backend and in every kind of step, holds of it: forces are told part by part, under the names of the parts.
//!
//! Its segments are as long as those of people on average (`proportions`); how they hang together and how they
//! walk is in `figure`.

mod figure;
mod proportions;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::body::multiply;
use super::collider::Moving;
use super::{Collider, ColliderMotion, Pose, Rotation};
use figure::Figure;
pub use proportions::MannequinPart;

/// A figure of rigid parts. It stands on the plane z = 0 above the origin and looks along x, before it is turned
/// and moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mannequin {
    /// What the names of its parts begin with: `mannequin-head`, `mannequin-left-hand` and so on.
    pub name: String,
    /// From the soles to the crown \[m\].
    pub height: f64,
    /// How it holds its arms.
    pub pose: MannequinPose,
    /// What it does.
    pub motion: MannequinMotion,
    /// When it begins to walk, so that garments come to rest before \[s\].
    pub start: f64,
    /// How fast it walks \[m/s\].
    pub speed: f64,
    /// Whether it walks on the spot, as on a treadmill: the world goes with it.
    pub in_place: bool,
    /// Turn about the origin.
    pub rotate: Rotation,
    /// Shift after turning \[m\].
    pub translate: [f64; 3],
    /// Coulomb friction coefficient of all its parts.
    pub friction: f64,
    /// How far the surface of its parts stands out \[m\].
    pub thickness: f64,
}

impl Default for Mannequin {
    fn default() -> Self {
        Self {
            name: "mannequin".into(),
            height: 1.75,
            pose: MannequinPose::Relaxed,
            motion: MannequinMotion::Stand,
            start: 0.0,
            speed: 1.2,
            in_place: false,
            rotate: Rotation::default(),
            translate: [0.0; 3],
            friction: 0.5,
            thickness: 0.0,
        }
    }
}

/// How a mannequin holds its arms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MannequinPose {
    /// They hang down at its sides and swing as it walks.
    #[default]
    Relaxed,
    /// Halfway up to the sides, as the letter A.
    A,
    /// Straight out to the sides, as the letter T.
    T,
    /// The right one hangs down, the left forearm is before the chest.
    ArmInFront,
}

/// What a mannequin does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MannequinMotion {
    /// It stands still.
    #[default]
    Stand,
    /// It stands until `start` and walks from then on, along the x axis of its own coordinates.
    Walk,
}

/// How a part of a mannequin moves as it walks: beside where the part is while the mannequin stands, it is
/// turned about its own origin and shifted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walk {
    /// Which part.
    pub part: MannequinPart,
    /// Of the mannequin \[m\].
    #[serde(default = "Walk::default_height")]
    pub height: f64,
    /// How it holds its arms.
    #[serde(default)]
    pub pose: MannequinPose,
    /// When it begins to walk \[s\].
    #[serde(default)]
    pub start: f64,
    /// How fast it walks \[m/s\].
    #[serde(default = "Walk::default_speed")]
    pub speed: f64,
    /// Whether it walks on the spot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
    /// Turn of the mannequin, which walks along the x axis of its own coordinates.
    #[serde(default)]
    pub rotate: Rotation,
}

impl Mannequin {
    /// The most speed of a mannequin so high \[m/s\]: beyond it people run (a Froude number v²/(g l) of a half,
    /// with legs l of half the height).
    pub fn most_speed(height: f64) -> f64 {
        0.5 * (9.81 * height).sqrt()
    }

    /// One collider for each of its parts, called after it.
    pub fn colliders(&self) -> Vec<Collider> {
        let standing = Figure::standing(self.height, self.pose);
        let turn = self.rotate.matrix();
        let of_part = |&part: &MannequinPart| {
            let at = placed(turn, self.translate, standing.pose_of(part));
            let (shape, rounding) = part.shape(self.height);
            Collider {
                name: format!("{}-{}", self.name, part.name()),
                shape,
                rotate: Rotation::of_matrix(at.rotation),
                translate: at.translation,
                friction: self.friction,
                restitution: 0.0,
                thickness: rounding + self.thickness,
                motion: self.walk(part).map(ColliderMotion::Walk),
            }
        };
        MannequinPart::ALL.iter().map(of_part).collect()
    }

    /// The motion of one part, for what is fixed to it; nothing of a mannequin that stands.
    pub fn walk(&self, part: MannequinPart) -> Option<Walk> {
        let &Self { height, pose, start, speed, in_place, rotate, .. } = self;
        let walks = self.motion == MannequinMotion::Walk;
        walks.then_some(Walk { part, height, pose, start, speed, in_place, rotate })
    }
}

impl Walk {
    fn default_height() -> f64 {
        Mannequin::default().height
    }

    fn default_speed() -> f64 {
        Mannequin::default().speed
    }

    /// What it is at `time` \[s\], without velocities.
    pub(super) fn at(&self, time: f64) -> Moving {
        let seconds = time - self.start;
        if seconds <= 0.0 {
            return Moving::STILL;
        }
        let standing = Figure::standing(self.height, self.pose).pose_of(self.part);
        let figure = Figure::walking(self.height, self.pose, self.speed, seconds);
        let now = figure.pose_of(self.part);
        let frame = self.rotate.matrix();
        let turn = multiply(now.rotation, transposed(standing.rotation));
        let mut way: [f64; 3] =
            std::array::from_fn(|k| now.translation[k] - standing.translation[k]);
        if self.in_place {
            way[0] -= figure.distance();
        }
        Moving {
            turn: multiply(frame, multiply(turn, transposed(frame))),
            shift: placed(frame, [0.0; 3], Pose { translation: way, ..now }).translation,
            ..Moving::STILL
        }
    }
}

/// A pose in coordinates that are turned and shifted in the world.
fn placed(turn: [[f64; 3]; 3], shift: [f64; 3], pose: Pose) -> Pose {
    let frame = Pose { rotation: turn, translation: shift };
    Pose { rotation: multiply(turn, pose.rotation), translation: frame.place(pose.translation) }
}

fn transposed(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|r| std::array::from_fn(|c| m[c][r]))
}
