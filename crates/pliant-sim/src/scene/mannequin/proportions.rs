//! What a mannequin is made of: its segments, and the shape of each part.
//!
//! Lengths of segments and heights of joints are fractions of the body's height after Drillis and Contini 1966,
//! *Body Segment Parameters* (Technical Report 1166-03, New York University), as they are usually quoted. How thick
//! the parts are is our choice, near the breadths and depths given there.

use serde::{Deserialize, Serialize};

use super::super::ColliderShape;

/// Height of the hip joints above the ground.
pub const HIP: f64 = 0.530;
/// From hip to knee.
pub const THIGH: f64 = 0.245;
/// From knee to ankle.
pub const SHANK: f64 = 0.246;
/// Height of the ankle above the sole.
pub const ANKLE: f64 = 0.039;
/// From shoulder to elbow.
pub const UPPER_ARM: f64 = 0.186;
/// From elbow to wrist.
pub const FOREARM: f64 = 0.146;
/// From wrist to fingertip.
pub const HAND: f64 = 0.108;
/// From the middle to a shoulder joint: half of the breadth of the shoulders.
pub const SHOULDER_OUT: f64 = 0.129;
/// Height of the shoulder joints above the hips.
pub const SHOULDER_UP: f64 = 0.818 - HIP;
/// From the middle to a hip joint: inside the breadth of the hips, 0.191.
pub const HIP_OUT: f64 = 0.050;
/// Height above the hips of the joint at which the trunk turns on the pelvis.
pub const LUMBAR: f64 = 0.07;
/// Radius of a foot, and how far the middle of its front end is before the ankle.
pub const FOOT_RADIUS: f64 = 0.022;
/// See [`FOOT_RADIUS`]. With the heel as far behind, a foot is 0.152 long.
pub const BALL: f64 = 0.090;

/// A part of a mannequin, which is one collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MannequinPart {
    /// From the chin to the crown.
    Head,
    /// Between chest and head.
    Neck,
    /// The ribs.
    Chest,
    /// From the neck to the left arm.
    LeftShoulder,
    /// From the neck to the right arm.
    RightShoulder,
    /// Between chest and pelvis.
    Abdomen,
    /// The hips.
    Pelvis,
    /// From the left shoulder to the elbow.
    LeftUpperArm,
    /// From the right shoulder to the elbow.
    RightUpperArm,
    /// From the left elbow to the wrist.
    LeftForearm,
    /// From the right elbow to the wrist.
    RightForearm,
    /// The left hand.
    LeftHand,
    /// The right hand.
    RightHand,
    /// From the left hip to the knee.
    LeftThigh,
    /// From the right hip to the knee.
    RightThigh,
    /// From the left knee to the ankle.
    LeftShank,
    /// From the right knee to the ankle.
    RightShank,
    /// The left foot.
    LeftFoot,
    /// The right foot.
    RightFoot,
}

/// What is rigid, with one frame of coordinates for all parts that belong to it. Left is 1 and right −1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Its origin is between the hip joints.
    Pelvis,
    /// Its origin is between the hip joints of who stands upright.
    Trunk,
    /// As the trunk's, but it stays upright.
    Head,
    /// Its origin is the shoulder; the arm goes down from there.
    UpperArm(f64),
    /// Its origin is the elbow.
    Forearm(f64),
    /// Its origin is the hip joint; the leg goes down from there.
    Thigh(f64),
    /// Its origin is the knee.
    Shank(f64),
    /// Its origin is the ankle.
    Foot(f64),
}

/// What a part looks like in the coordinates of its segment, in heights of the body.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// All that is within a radius of a line.
    Capsule {
        /// The ends of the line.
        ends: [[f64; 3]; 2],
        /// The radius.
        radius: f64,
    },
    /// A box with rounded edges.
    Block {
        /// Its middle.
        center: [f64; 3],
        /// Its size with the rounding.
        size: [f64; 3],
        /// Radius of its edges.
        rounding: f64,
    },
}

impl MannequinPart {
    /// All of them, from the head down.
    pub const ALL: [Self; 19] = [
        Self::Head,
        Self::Neck,
        Self::Chest,
        Self::LeftShoulder,
        Self::RightShoulder,
        Self::Abdomen,
        Self::Pelvis,
        Self::LeftUpperArm,
        Self::RightUpperArm,
        Self::LeftForearm,
        Self::RightForearm,
        Self::LeftHand,
        Self::RightHand,
        Self::LeftThigh,
        Self::RightThigh,
        Self::LeftShank,
        Self::RightShank,
        Self::LeftFoot,
        Self::RightFoot,
    ];

    /// As in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Neck => "neck",
            Self::Chest => "chest",
            Self::LeftShoulder => "left-shoulder",
            Self::RightShoulder => "right-shoulder",
            Self::Abdomen => "abdomen",
            Self::Pelvis => "pelvis",
            Self::LeftUpperArm => "left-upper-arm",
            Self::RightUpperArm => "right-upper-arm",
            Self::LeftForearm => "left-forearm",
            Self::RightForearm => "right-forearm",
            Self::LeftHand => "left-hand",
            Self::RightHand => "right-hand",
            Self::LeftThigh => "left-thigh",
            Self::RightThigh => "right-thigh",
            Self::LeftShank => "left-shank",
            Self::RightShank => "right-shank",
            Self::LeftFoot => "left-foot",
            Self::RightFoot => "right-foot",
        }
    }

    /// The segment that it belongs to.
    pub(super) fn segment(self) -> Segment {
        match self {
            Self::Head => Segment::Head,
            Self::Neck | Self::Chest | Self::LeftShoulder | Self::RightShoulder | Self::Abdomen => {
                Segment::Trunk
            }
            Self::Pelvis => Segment::Pelvis,
            Self::LeftUpperArm => Segment::UpperArm(1.0),
            Self::RightUpperArm => Segment::UpperArm(-1.0),
            Self::LeftForearm | Self::LeftHand => Segment::Forearm(1.0),
            Self::RightForearm | Self::RightHand => Segment::Forearm(-1.0),
            Self::LeftThigh => Segment::Thigh(1.0),
            Self::RightThigh => Segment::Thigh(-1.0),
            Self::LeftShank => Segment::Shank(1.0),
            Self::RightShank => Segment::Shank(-1.0),
            Self::LeftFoot => Segment::Foot(1.0),
            Self::RightFoot => Segment::Foot(-1.0),
        }
    }

    /// What it looks like in the coordinates of its segment.
    pub(super) fn form(self) -> Form {
        let capsule =
            |from: [f64; 3], to: [f64; 3], radius| Form::Capsule { ends: [from, to], radius };
        let block =
            |up: f64, size, rounding| Form::Block { center: [0.0, 0.0, up - HIP], size, rounding };
        let down = |from: f64, to: f64, radius| capsule([0.0, 0.0, -from], [0.0, 0.0, -to], radius);
        let shoulder = |side: f64| {
            let [inner, outer] = [[0.03, 0.812], [SHOULDER_OUT - 0.006, 0.806]];
            let at = |[out, up]: [f64; 2]| [0.0, side * out, up - HIP];
            capsule(at(inner), at(outer), 0.032)
        };
        match self {
            Self::Head => capsule([0.012, 0.0, 0.915 - HIP], [0.012, 0.0, 0.9555 - HIP], 0.0445),
            Self::Neck => capsule([0.0, 0.0, 0.80 - HIP], [0.006, 0.0, 0.885 - HIP], 0.033),
            Self::Chest => block(0.726, [0.128, 0.188, 0.172], 0.055),
            Self::LeftShoulder => shoulder(1.0),
            Self::RightShoulder => shoulder(-1.0),
            Self::Abdomen => block(0.630, [0.112, 0.162, 0.13], 0.048),
            Self::Pelvis => block(0.535, [0.13, 0.191, 0.125], 0.054),
            Self::LeftUpperArm | Self::RightUpperArm => down(0.0, UPPER_ARM, 0.027),
            Self::LeftForearm | Self::RightForearm => down(0.0, FOREARM, 0.023),
            // Half closed, so that it is shorter than stretched out.
            Self::LeftHand | Self::RightHand => {
                down(FOREARM + 0.02, FOREARM + 0.8 * HAND - 0.021, 0.021)
            }
            Self::LeftThigh | Self::RightThigh => down(0.0, THIGH, 0.042),
            Self::LeftShank | Self::RightShank => down(0.0, SHANK, 0.030),
            Self::LeftFoot | Self::RightFoot => {
                let up = FOOT_RADIUS - ANKLE;
                capsule([-0.018, 0.0, up], [BALL, 0.0, up], FOOT_RADIUS)
            }
        }
    }

    /// Its shape on a body so high \[m\], along z and centred, and how far that is rounded \[m\].
    pub(super) fn shape(self, height: f64) -> (ColliderShape, f64) {
        match self.form() {
            Form::Capsule { ends: [a, b], radius } => {
                let length = (0..3).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt() * height;
                (ColliderShape::Capsule { radius: radius * height, length, hollow: false }, 0.0)
            }
            Form::Block { size, rounding, .. } => {
                let size = size.map(|edge| (edge - 2.0 * rounding) * height);
                (ColliderShape::Box { size, hollow: false }, rounding * height)
            }
        }
    }
}
