//! How the segments of a mannequin hang together, standing and walking.
//!
//! # Theory
//!
//! A *stride* is what one foot moves on from one step to its next. Its length follows from the speed v: steps, two
//! to a stride, become longer and quicker alike, so that the length of a step over the rate of steps stays the same
//! (the walk ratio of Sekiya and Nagasaki 1998, *Reproducibility of the walking patterns of normal young adults*: 0.39 m·s
//! for a step of 0.65 m in 0.6 s); it is the greater the taller people are, so that all walk alike who have the same
//! Froude number. Let p be the time since the start in strides. The left
//! foot is at phase p − ⌊p⌋ of its stride and the right one half a stride ahead.
//!
//! A foot stands for the first part of its stride ([`STANCE`]): the ball of the foot does not move at all, only the
//! heel rises round it towards the end. Then it swings to where it stands next. Pelvis, trunk and arms go on smoothly and sway
//! with sines of p; knees follow from where hip and ankle are (a triangle with three known sides). Everything grows
//! from nothing within the first half stride, in which the right foot makes a step and the left one none, so that
//! the figure sets out from where it stands: positions and velocities are continuous from the first moment on.
//!
//! Lengths are in heights of the body, angles in degrees; x points forward, y to the left and z up.

use super::super::Pose;
use super::super::body::{axis_angle, multiply};
use super::proportions::{
    ANKLE, BALL, FOOT_RADIUS, Form, HIP_OUT, LUMBAR, SHANK, SHOULDER_OUT, SHOULDER_UP, Segment,
    THIGH, UPPER_ARM,
};
use super::{MannequinPart, MannequinPose};

/// Length of a step over the rate of steps \[m·s\], for people of [`USUAL_HEIGHT`].
const WALK_RATIO: f64 = 0.39;
const USUAL_HEIGHT: f64 = 1.75;
/// Share of its stride for which a foot stands.
const STANCE: f64 = 0.6;
/// In which part of a stride the figure gets going.
const SET_OUT: f64 = 0.5;
/// How much of the length of a leg is between hip and ankle of who stands.
const UPRIGHT: f64 = 0.996;
/// The same at most of who walks.
const STRETCHED: f64 = 0.985;
/// From the middle to where a foot is put.
const FOOT_OUT: f64 = 0.048;

/// A mannequin at one moment.
pub struct Figure {
    height: f64,
    pose: MannequinPose,
    /// Time since it set out, in strides.
    strides: f64,
    /// Length of a stride, in heights.
    stride: f64,
    /// How much of the walk there is yet, 0 (it stands) to 1.
    effort: f64,
}

impl Figure {
    /// One so high \[m\] that stands.
    pub fn standing(height: f64, pose: MannequinPose) -> Self {
        Self { height, pose, strides: 0.0, stride: 0.0, effort: 0.0 }
    }

    /// One so high \[m\] that has walked for some `seconds` with `speed` \[m/s\].
    pub fn walking(height: f64, pose: MannequinPose, speed: f64, seconds: f64) -> Self {
        let ratio = WALK_RATIO * (height / USUAL_HEIGHT).powf(1.5);
        let stride = 2.0 * (ratio * speed).sqrt();
        let strides = seconds * speed / stride;
        let effort = smooth(strides / SET_OUT);
        Self { height, pose, strides, stride: stride / height, effort }
    }

    /// How far it has gone \[m\].
    pub fn distance(&self) -> f64 {
        self.way() * self.height
    }

    /// Where the collider of a part is: its z axis along the part, its origin in the middle of it \[m\].
    pub fn pose_of(&self, part: MannequinPart) -> Pose {
        let frame = self.frame(part.segment());
        let (center, along) = match part.form() {
            Form::Capsule { ends: [a, b], .. } => {
                (std::array::from_fn(|k| 0.5 * (a[k] + b[k])), upright(sub(a, b), [1.0, 0.0, 0.0]))
            }
            Form::Block { center, .. } => (center, axis_angle([0.0, 0.0, 1.0], 0.0)),
        };
        Pose {
            rotation: multiply(frame.rotation, along),
            translation: frame.place(center).map(|c| c * self.height),
        }
    }

    /// The coordinates of a segment.
    fn frame(&self, segment: Segment) -> Pose {
        match segment {
            Segment::Pelvis => self.pelvis(),
            Segment::Trunk => self.trunk(),
            Segment::Head => Pose { rotation: turn_z(0.3 * self.yaw()), ..self.trunk() },
            Segment::UpperArm(side) => self.upper_arm(side),
            Segment::Forearm(side) => self.forearm(side),
            Segment::Thigh(side) => self.leg(side)[0],
            Segment::Shank(side) => self.leg(side)[1],
            Segment::Foot(side) => self.foot(side),
        }
    }

    /// A sine of the walk that has its crest at phase `crest` of the left foot, `times` in a stride.
    fn sway(&self, crest: f64, times: f64) -> f64 {
        let turns = times * (self.strides.fract() - crest);
        self.effort * (std::f64::consts::TAU * turns).cos()
    }

    /// Turn of the pelvis about the vertical: the side whose foot steps forward goes ahead.
    fn yaw(&self) -> f64 {
        -5.0 * self.sway(0.0, 1.0)
    }

    fn pelvis(&self) -> Pose {
        let standing = UPRIGHT * (THIGH + SHANK);
        // As high as the stretched leg allows just before a foot is put down, and lowest then.
        let [reach, ahead] = [STRETCHED * (THIGH + SHANK), 0.268 * self.stride];
        let bob = 0.013 * self.stride;
        let mean = (reach * reach - ahead * ahead).sqrt() + bob;
        // Low enough before the first foot is far ahead.
        let lowered = smooth(self.strides / (0.5 * SET_OUT));
        let above = standing + lowered * (mean - standing) - bob * self.sway(0.03, 2.0);
        let roll = 2.0 * self.sway(0.55, 1.0);
        Pose {
            rotation: multiply(turn_z(self.yaw()), turn_x(roll)),
            translation: [self.way(), 0.012 * self.sway(0.28, 1.0), ANKLE + above],
        }
    }

    /// How far the pelvis has gone: steadily, a quarter of a stride late, once the figure has got going.
    fn way(&self) -> f64 {
        let share = (self.strides / SET_OUT).clamp(0.0, 1.0);
        let setting_out = SET_OUT * (share.powi(3) - 0.5 * share.powi(4));
        self.stride * (setting_out + (self.strides - SET_OUT).max(0.0))
    }

    fn trunk(&self) -> Pose {
        let pelvis = self.pelvis();
        let lean = 2.0 * self.effort;
        let rotation = multiply(turn_z(-0.8 * self.yaw()), turn_y(lean));
        // The lumbar joint is one place of both.
        let joint = pelvis.place([0.0, 0.0, LUMBAR]);
        let own = Pose { rotation, translation: [0.0; 3] }.place([0.0, 0.0, LUMBAR]);
        Pose { rotation, translation: sub(joint, own) }
    }

    fn upper_arm(&self, side: f64) -> Pose {
        let trunk = self.trunk();
        let Arm { forward, out, swing, .. } = self.arm(side);
        let forward = forward + swing * self.swing(side);
        let arm = multiply(turn_y(-forward), turn_x(side * out));
        Pose {
            rotation: multiply(trunk.rotation, arm),
            translation: trunk.place([0.0, side * SHOULDER_OUT, SHOULDER_UP - 0.012]),
        }
    }

    fn forearm(&self, side: f64) -> Pose {
        let upper = self.upper_arm(side);
        let Arm { inward, bent, swing, .. } = self.arm(side);
        let bent = bent + 0.4 * swing * (self.effort + self.swing(side));
        let turn = multiply(turn_z(-side * inward), turn_y(-bent));
        Pose {
            rotation: multiply(upper.rotation, turn),
            translation: upper.place([0.0, 0.0, -UPPER_ARM]),
        }
    }

    /// How far forward an arm swings, −1 to 1: with the other side's leg.
    fn swing(&self, side: f64) -> f64 {
        -side * self.sway(0.0, 1.0)
    }

    fn arm(&self, side: f64) -> Arm {
        let hanging = Arm { forward: 0.0, out: 11.0, inward: 20.0, bent: 12.0, swing: 20.0 };
        match self.pose {
            MannequinPose::Relaxed => hanging,
            MannequinPose::A => Arm { out: 45.0, bent: 5.0, swing: 5.0, ..hanging },
            MannequinPose::T => Arm { out: 90.0, inward: 0.0, bent: 0.0, swing: 0.0, ..hanging },
            MannequinPose::ArmInFront if side < 0.0 => hanging,
            MannequinPose::ArmInFront => {
                Arm { forward: 22.0, out: 20.0, inward: 62.0, bent: 88.0, swing: 0.0 }
            }
        }
    }

    /// Thigh and shank, whose knee is where the two meet between hip and ankle, before the line between them.
    fn leg(&self, side: f64) -> [Pose; 2] {
        let hip = self.pelvis().place([0.0, side * HIP_OUT, 0.0]);
        let ankle = self.foot(side).translation;
        let line = sub(ankle, hip);
        let length = dot(line, line).sqrt();
        let along = line.map(|c| c / length);
        // The cosine rule; a leg that is too short for its way is stretched out.
        let cos = (THIGH * THIGH + length * length - SHANK * SHANK) / (2.0 * THIGH * length);
        let cos = cos.min(1.0);
        let sin = (1.0 - cos * cos).sqrt();
        let forward = upright(along, [1.0, 0.0, 0.0]).map(|row| row[0]);
        let knee: [f64; 3] =
            std::array::from_fn(|k| hip[k] + THIGH * (cos * along[k] + sin * forward[k]));
        let bone = |from: [f64; 3], to: [f64; 3]| Pose {
            rotation: upright(sub(from, to), forward),
            translation: from,
        };
        [bone(hip, knee), bone(knee, ankle)]
    }

    fn foot(&self, side: f64) -> Pose {
        // The right foot is half a stride ahead and begins beside the left one.
        let lead = if side > 0.0 { 0.0 } else { 0.5 };
        let phase = (self.strides + lead).fract();
        let count = (self.strides + lead).floor();
        let place = |count: f64| (count - lead).max(0.0) * self.stride;
        let swung = ((phase - STANCE) / (1.0 - STANCE)).max(0.0);
        let (from, to) = (place(count), place(count + 1.0));
        let lifted = 0.02 * 16.0 * (swung * (1.0 - swung)).powi(2);
        let ball = [
            from + (to - from) * smooth(swung) + BALL,
            side * FOOT_OUT,
            FOOT_RADIUS + lifted * if to > from { 1.0 } else { 0.0 },
        ];
        let rotation = turn_y(self.effort * toe_down(phase));
        let own = Pose { rotation, translation: [0.0; 3] };
        Pose { rotation, translation: sub(ball, own.place([BALL, 0.0, FOOT_RADIUS - ANKLE])) }
    }
}

/// How an arm is held.
struct Arm {
    /// Turn of the upper arm to the front.
    forward: f64,
    /// Its turn to the side.
    out: f64,
    /// Turn of the forearm about the upper arm, towards the middle.
    inward: f64,
    /// Bend of the elbow.
    bent: f64,
    /// How far it swings.
    swing: f64,
}

/// How far the toes point down at a phase of the stride: the heel rises, and the foot lands flat.
fn toe_down(phase: f64) -> f64 {
    let between = |from: f64, to: f64| smooth((phase - from) / (to - from));
    45.0 * (between(0.33, STANCE) - between(STANCE, 0.95))
}

/// From 0 to 1 with slope 0 at both ends.
fn smooth(share: f64) -> f64 {
    let s = share.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

fn turn_x(degrees: f64) -> [[f64; 3]; 3] {
    axis_angle([1.0, 0.0, 0.0], degrees)
}

fn turn_y(degrees: f64) -> [[f64; 3]; 3] {
    axis_angle([0.0, 1.0, 0.0], degrees)
}

fn turn_z(degrees: f64) -> [[f64; 3]; 3] {
    axis_angle([0.0, 0.0, 1.0], degrees)
}

/// The turn that takes z to the direction of `up`, and x as near to `forward` as it can.
fn upright(up: [f64; 3], forward: [f64; 3]) -> [[f64; 3]; 3] {
    let unit = |v: [f64; 3]| {
        let length = dot(v, v).sqrt();
        v.map(|c| c / length)
    };
    let z = unit(up);
    // What lies along x has z for its front.
    let is_along = dot(z, forward).abs() > 0.999;
    let forward = if is_along { [0.0, 0.0, 1.0] } else { forward };
    let y = unit(cross(z, forward));
    let x = cross(y, z);
    std::array::from_fn(|k| [x[k], y[k], z[k]])
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
