//! Rigid things that stop soft bodies: where they are, what they are made of and how they move.

use std::path::PathBuf;

use pliant_mesh::ReadError;
use pliant_mesh::height_map::HeightMap;
use pliant_mesh::motion::Ending;
use serde::{Deserialize, Serialize};

use super::body::{axis_angle, multiply};
use super::{ColliderMesh, Rotation, Walk};

/// Something rigid that the vertices of bodies cannot enter.
///
/// It is rotated, then moved, about the origin of its own coordinates; then comes its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// What messages, overrides and columns call it. Colliders read from TOML without a name are called
    /// after their mesh or kind.
    pub name: String,
    /// What it looks like in its own coordinates. In TOML one of the keys `mesh` (with `scale`) and `shape`.
    pub shape: ColliderShape,
    /// Turn about the origin of its own coordinates.
    pub rotate: Rotation,
    /// Shift after turning \[m\].
    pub translate: [f64; 3],
    /// Coulomb friction coefficient; 0 is perfectly slippery.
    pub friction: f64,
    /// Share of the normal velocity that it gives back, 0 (none) to 1 (all).
    pub restitution: f64,
    /// How far its surface stands out towards the bodies \[m\].
    pub thickness: f64,
    /// How it moves; nothing leaves it where it is.
    pub motion: Option<ColliderMotion>,
}

impl Default for Collider {
    fn default() -> Self {
        Self {
            name: String::new(),
            shape: ColliderShape::Plane {},
            rotate: Rotation::default(),
            translate: [0.0; 3],
            friction: Self::default_friction(),
            restitution: 0.0,
            thickness: 0.0,
            motion: None,
        }
    }
}

/// The shape of a collider. In TOML, `shape = { kind = "sphere", radius = 0.5 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ColliderShape {
    /// The plane z = 0, with the bodies above it.
    Plane {},
    /// A ball round the origin.
    Sphere {
        /// Radius \[m\].
        radius: f64,
        /// Whether the bodies are inside.
        #[serde(default)]
        hollow: bool,
    },
    /// A cylinder along z with half balls at its ends, centred on the origin.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// From the centre of one half ball to that of the other \[m\].
        length: f64,
        /// Whether the bodies are inside.
        #[serde(default)]
        hollow: bool,
    },
    /// A block centred on the origin.
    Box {
        /// Edge lengths \[m\].
        size: [f64; 3],
        /// Whether the bodies are inside.
        #[serde(default)]
        hollow: bool,
    },
    /// A cylinder along z, centred on the origin.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// From end to end \[m\].
        length: f64,
        /// Whether the bodies are inside.
        #[serde(default)]
        hollow: bool,
    },
    /// Ground over the rectangle from the origin to its size in x and y, with the bodies above it.
    HeightMap(ColliderGround),
    /// Triangles. Those of a closed surface keep bodies out of it, others have two sides.
    #[serde(skip)]
    Mesh(ColliderMesh),
}

/// Ground as a grid of heights: a file or rows of numbers, of which one must be given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColliderGround {
    /// A PNG, black at height 0 and white at `height`, or text, the numbers of a row in a line; relative
    /// to the scene file until [`super::Scene::load`] resolves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Rows of heights as seen from above: the first is furthest along y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<Vec<f64>>>,
    /// Size along x and y \[m\].
    pub size: [f64; 2],
    /// What the heights are multiplied by \[m\].
    #[serde(default = "ColliderGround::default_height")]
    pub height: f64,
}

/// How a collider moves. Motion comes on top of where [`Collider::rotate`] and [`Collider::translate`]
/// put it, turning it about its own origin and shifting it in the directions of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MotionForm", into = "MotionForm")]
pub enum ColliderMotion {
    /// Steadily, from time 0 on.
    Steady {
        /// Of its origin \[m/s\].
        velocity: [f64; 3],
        /// Angular velocity about its origin \[rad/s\].
        spin: [f64; 3],
    },
    /// From pose to pose.
    Keyframes {
        /// In the order of their times, at least one. Positions are interpolated linearly and rotations
        /// along the shortest way; before the first and behind the last nothing moves.
        keyframes: Vec<Keyframe>,
        /// Whether it begins again with the first when the last is reached.
        repeat: bool,
    },
    /// Of a mesh: through the frames of a series, from time 0 on. Between two of them every point goes straight
    /// from one to the other.
    Series {
        /// From frame to frame \[s\]; the times that a `.pvd` lists count instead.
        interval: f64,
        /// Whether it begins again with the first when the last is reached.
        repeat: bool,
    },
    /// Of a mesh: as its glTF file says, nodes, morph targets and skins.
    Animation {
        /// Name or number, counted from 0, of the animation.
        animation: String,
        /// Whether it begins again when it is over.
        repeat: bool,
    },
    /// As a part of a mannequin that walks.
    Walk(Walk),
}

/// A pose at a time, relative to where the collider is without motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When \[s\].
    pub time: f64,
    /// Shift in the directions of the world \[m\].
    #[serde(default)]
    pub translate: [f64; 3],
    /// Turn about the collider's origin, along the axes of the world.
    #[serde(default)]
    pub rotate: Rotation,
}

/// A [`ColliderMotion`] as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MotionForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    velocity: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spin: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keyframes: Option<Vec<Keyframe>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interval: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    animation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    walk: Option<Walk>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<bool>,
}

impl TryFrom<MotionForm> for ColliderMotion {
    type Error = &'static str;

    fn try_from(form: MotionForm) -> Result<Self, Self::Error> {
        let MotionForm { velocity, spin, keyframes, interval, animation, walk, repeat } = form;
        let is_steady = velocity.is_some() || spin.is_some();
        let of_files = [interval.is_some(), animation.is_some()];
        let kinds = [is_steady, keyframes.is_some(), walk.is_some()].into_iter().chain(of_files);
        if kinds.filter(|given| *given).count() > 1 {
            return Err("a motion has `velocity` and `spin`, or `keyframes`, or `interval`, or \
                        `animation`, or `walk`, and not two of them");
        }
        let repeats = repeat.unwrap_or(false);
        match (keyframes, interval, animation) {
            (Some(keyframes), ..) => Ok(Self::Keyframes { keyframes, repeat: repeats }),
            (_, Some(interval), _) => Ok(Self::Series { interval, repeat: repeats }),
            (.., Some(animation)) => Ok(Self::Animation { animation, repeat: repeats }),
            _ if repeat.is_some() => {
                Err("`repeat` belongs to `keyframes`, `interval` or `animation`")
            }
            _ => Ok(walk.map_or_else(
                || {
                    let (velocity, spin) = (velocity.unwrap_or_default(), spin.unwrap_or_default());
                    Self::Steady { velocity, spin }
                },
                Self::Walk,
            )),
        }
    }
}

impl From<ColliderMotion> for MotionForm {
    fn from(motion: ColliderMotion) -> Self {
        let form = Self {
            velocity: None,
            spin: None,
            keyframes: None,
            interval: None,
            animation: None,
            walk: None,
            repeat: None,
        };
        match motion {
            ColliderMotion::Steady { velocity, spin } => {
                Self { velocity: Some(velocity), spin: Some(spin), ..form }
            }
            ColliderMotion::Keyframes { keyframes, repeat } => {
                Self { keyframes: Some(keyframes), repeat: Some(repeat), ..form }
            }
            ColliderMotion::Series { interval, repeat } => {
                Self { interval: Some(interval), repeat: Some(repeat), ..form }
            }
            ColliderMotion::Animation { animation, repeat } => {
                Self { animation: Some(animation), repeat: Some(repeat), ..form }
            }
            ColliderMotion::Walk(walk) => Self { walk: Some(walk), ..form },
        }
    }
}

/// Where a collider is: its own coordinates are turned, then shifted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The rotation matrix, by rows.
    pub rotation: [[f64; 3]; 3],
    /// Where its origin is \[m\].
    pub translation: [f64; 3],
}

impl Pose {
    /// Neither turned nor shifted.
    pub(crate) const REST: Self = Self { rotation: IDENTITY, translation: [0.0; 3] };

    /// This pose, moved on \[m\].
    pub fn shifted(self, by: [f64; 3]) -> Self {
        Self { translation: std::array::from_fn(|k| self.translation[k] + by[k]), ..self }
    }

    /// Whether another pose is the same but for rounding.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        let numbers = |pose: &Self| pose.rotation.into_iter().flatten().chain(pose.translation);
        numbers(self).zip(numbers(other)).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
    }

    /// The direction of the collider's own coordinates that is `v` in the world.
    pub fn turned_back(&self, v: [f64; 3]) -> [f64; 3] {
        let r = self.rotation;
        std::array::from_fn(|k| r[0][k] * v[0] + r[1][k] * v[1] + r[2][k] * v[2])
    }

    /// Where the point `p` of the collider's own coordinates is in the world \[m\].
    pub fn place(&self, p: [f64; 3]) -> [f64; 3] {
        let turned = transform(self.rotation, p);
        std::array::from_fn(|k| turned[k] + self.translation[k])
    }
}

/// A pose and how it changes: what a motion is at one time.
pub(super) struct Moving {
    /// Turn on top of the collider's own.
    pub turn: [[f64; 3]; 3],
    /// Shift on top of the collider's own \[m\].
    pub shift: [f64; 3],
    /// Of the origin \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity \[rad/s\].
    pub spin: [f64; 3],
}

const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Moving {
    pub const STILL: Self =
        Self { turn: IDENTITY, shift: [0.0; 3], velocity: [0.0; 3], spin: [0.0; 3] };
}

impl Collider {
    /// The most colliders of a scene: so many fit into what a device hands to all threads alike.
    pub const MOST: usize = 64;

    pub(super) fn default_friction() -> f64 {
        0.5
    }

    /// Where it is at `time` \[s\]: the same for the same time, however often and in whatever order it is
    /// asked.
    pub fn pose(&self, time: f64) -> Pose {
        self.posed(&self.moving(|motion| motion.at(time)))
    }

    /// Where it was `span` before `time` \[s\], as far as its surface has moved from there. A motion that
    /// begins again jumps, and the jump is no way that anything is dragged along.
    pub fn pose_before(&self, time: f64, span: f64) -> Pose {
        self.posed(&self.moving(|motion| motion.before(time, span)))
    }

    /// Velocity \[m/s\] at `time` \[s\] of the point of the collider that is at `point` \[m\] in the world.
    pub fn velocity(&self, time: f64, point: [f64; 3]) -> [f64; 3] {
        if let Some(ColliderMotion::Walk(_)) = self.motion {
            return self.rate(time, point);
        }
        let moving = self.moving(|motion| motion.at(time));
        let origin = self.posed(&moving).translation;
        let [x, y, z] = std::array::from_fn(|k| point[k] - origin[k]);
        let [a, b, c] = moving.spin;
        let turning = [b * z - c * y, c * x - a * z, a * y - b * x];
        std::array::from_fn(|k| moving.velocity[k] + turning[k])
    }

    /// The velocity from the way of a moment, of motions whose formula says nothing of it.
    fn rate(&self, time: f64, point: [f64; 3]) -> [f64; 3] {
        const MOMENT: f64 = 1e-6;
        let pose = self.pose(time);
        let own = pose.turned_back(std::array::from_fn(|k| point[k] - pose.translation[k]));
        let [before, after] = [-MOMENT, MOMENT].map(|by| self.pose(time + by).place(own));
        std::array::from_fn(|k| (after[k] - before[k]) / (2.0 * MOMENT))
    }

    fn moving(&self, at: impl FnOnce(&ColliderMotion) -> Moving) -> Moving {
        self.motion.as_ref().map_or(Moving::STILL, at)
    }

    fn posed(&self, moving: &Moving) -> Pose {
        Pose {
            rotation: multiply(moving.turn, self.rotate.matrix()),
            translation: std::array::from_fn(|k| self.translate[k] + moving.shift[k]),
        }
    }
}

impl ColliderShape {
    /// The name of the kind, as in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plane {} => "plane",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::HeightMap(_) => "height-map",
            Self::Mesh(_) => "mesh",
        }
    }

    /// Whether it is ground, which has an edge or goes on for ever.
    pub fn is_ground(&self) -> bool {
        matches!(self, Self::Plane {} | Self::HeightMap(_))
    }

    /// Whether the bodies are inside.
    pub fn is_hollow(&self) -> bool {
        match *self {
            Self::Plane {} | Self::HeightMap(_) | Self::Mesh(_) => false,
            Self::Sphere { hollow, .. }
            | Self::Capsule { hollow, .. }
            | Self::Box { hollow, .. }
            | Self::Cylinder { hollow, .. } => hollow,
        }
    }
}

impl ColliderGround {
    fn default_height() -> f64 {
        1.0
    }

    /// Reads its file or takes its rows.
    pub fn load(&self) -> Result<HeightMap, ReadError> {
        let Some(rows) = &self.heights else {
            let path = self.file.clone().unwrap_or_default();
            return HeightMap::load(path, self.size, self.height);
        };
        let columns = rows.first().map_or(0, Vec::len);
        let heights = rows.iter().rev().flatten().map(|value| value * self.height).collect();
        HeightMap::new(columns, heights, self.size)
    }
}

impl ColliderMotion {
    /// How far it has turned and shifted what it moves at `time` \[s\].
    pub(crate) fn pose(&self, time: f64) -> Pose {
        let Moving { turn, shift, .. } = self.at(time);
        Pose { rotation: turn, translation: shift }
    }

    /// What it is at `time` \[s\].
    fn at(&self, time: f64) -> Moving {
        match self {
            Self::Steady { velocity, spin } => Moving {
                turn: about(*spin, time),
                shift: velocity.map(|v| v * time),
                velocity: *velocity,
                spin: *spin,
            },
            Self::Keyframes { keyframes, .. } => between(keyframes, self.within(time)),
            Self::Walk(walk) => walk.at(time),
            Self::Series { .. } | Self::Animation { .. } => Moving::STILL,
        }
    }

    /// What it was `span` before `time` \[s\], had it not begun again in between.
    fn before(&self, time: f64, span: f64) -> Moving {
        match self {
            Self::Steady { .. } | Self::Walk(_) => self.at(time - span),
            Self::Keyframes { keyframes, .. } => between(keyframes, self.within(time) - span),
            Self::Series { .. } | Self::Animation { .. } => Moving::STILL,
        }
    }

    /// Whether a mesh changes its shape by it, which [`Collider::pose`] does not tell.
    pub fn deforms(&self) -> bool {
        matches!(self, Self::Series { .. } | Self::Animation { .. })
    }

    /// The time \[s\] among the keyframes that shows what there is at `time`.
    fn within(&self, time: f64) -> f64 {
        match self {
            // Before the first keyframe nothing has moved, also of what repeats.
            Self::Keyframes { keyframes, repeat: true } => match &keyframes[..] {
                [first, .., last] if time > first.time => {
                    Ending::Repeat.within([first.time, last.time], time)
                }
                _ => time,
            },
            _ => time,
        }
    }
}

/// The pose between two keyframes at `time` \[s\], which stays at the first and at the last.
fn between(keyframes: &[Keyframe], time: f64) -> Moving {
    let after = keyframes.partition_point(|frame| frame.time <= time);
    let held = |frame: &Keyframe| Moving {
        turn: frame.rotate.matrix(),
        shift: frame.translate,
        ..Moving::STILL
    };
    let (Some(a), Some(b)) = (keyframes.get(after.wrapping_sub(1)), keyframes.get(after)) else {
        let end = if after == 0 { keyframes.first() } else { keyframes.last() };
        return end.map_or(Moving::STILL, held);
    };
    // `b` is later than `time`, and `a` is not.
    let span = b.time - a.time;
    let share = (time - a.time) / span;
    let (start, turn) = (a.rotate.matrix(), turn_between(a.rotate, b.rotate));
    let spin = turn.map(|angle| angle / span);
    Moving {
        turn: multiply(about(turn, share), start),
        shift: std::array::from_fn(|k| a.translate[k] + share * (b.translate[k] - a.translate[k])),
        velocity: std::array::from_fn(|k| (b.translate[k] - a.translate[k]) / span),
        spin,
    }
}

/// The turn by `time` times the angular velocity `spin`.
fn about(spin: [f64; 3], time: f64) -> [[f64; 3]; 3] {
    let speed = spin[0].hypot(spin[1]).hypot(spin[2]);
    axis_angle(spin, (speed * time).to_degrees())
}

/// The shortest turn from `a` to `b` as axis × angle \[rad\], along the axes of the world.
pub(super) fn turn_between(a: Rotation, b: Rotation) -> [f64; 3] {
    let (a, b) = (a.matrix(), b.matrix());
    let back = std::array::from_fn(|r| std::array::from_fn(|c| a[c][r]));
    let [w, x, y, z] = quaternion(multiply(b, back));
    let sine = x.hypot(y).hypot(z);
    // From the sine as well as the cosine, so that small angles keep their digits.
    let angle = 2.0 * sine.atan2(w);
    let scale = if sine > 0.0 { angle / sine } else { 0.0 };
    [x * scale, y * scale, z * scale]
}

impl Rotation {
    /// The turn whose matrix this is, as an axis and an angle.
    pub(super) fn of_matrix(matrix: [[f64; 3]; 3]) -> Self {
        let [w, x, y, z] = quaternion(matrix);
        let sine = x.hypot(y).hypot(z);
        if sine == 0.0 {
            return Self::default();
        }
        let degrees = (2.0 * sine.atan2(w)).to_degrees();
        Self::AxisAngle { axis: [x, y, z].map(|c| c / sine), degrees }
    }
}

/// The unit quaternion (w, x, y, z) with w ≥ 0 of a rotation matrix (Shepperd 1978): the largest of the
/// four comes from a root, and the others from it, so that nothing is divided by something small.
fn quaternion(m: [[f64; 3]; 3]) -> [f64; 4] {
    let trace = m[0][0] + m[1][1] + m[2][2];
    let parts = [trace, m[0][0], m[1][1], m[2][2]];
    let largest = (0..4).fold(0, |best, i| if parts[i] > parts[best] { i } else { best });
    let antisymmetric = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let q = if largest == 0 {
        let root = (1.0 + trace).sqrt();
        let [x, y, z] = antisymmetric.map(|s| s * 0.5 / root);
        [0.5 * root, x, y, z]
    } else {
        let i = largest - 1;
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let root = (1.0 + m[i][i] - m[j][j] - m[k][k]).max(0.0).sqrt();
        let mut q = [antisymmetric[i] * 0.5 / root, 0.0, 0.0, 0.0];
        q[1 + i] = 0.5 * root;
        q[1 + j] = (m[i][j] + m[j][i]) * 0.5 / root;
        q[1 + k] = (m[i][k] + m[k][i]) * 0.5 / root;
        q
    };
    if q[0] < 0.0 { q.map(|c| -c) } else { q }
}

/// A vector turned by a matrix.
fn transform(m: [[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: [f64; 3], b: [f64; 3], tolerance: f64) {
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < tolerance), "{a:?} is not {b:?}");
    }

    fn moving(motion: ColliderMotion) -> Collider {
        Collider {
            rotate: Rotation::Euler([30.0, 0.0, 10.0]),
            translate: [1.0, 2.0, 3.0],
            motion: Some(motion),
            ..Collider::default()
        }
    }

    fn keyframe(time: f64, x: f64, rotate: [f64; 3]) -> Keyframe {
        Keyframe { time, translate: [x, 0.0, 0.0], rotate: Rotation::Euler(rotate) }
    }

    fn waving(repeat: bool) -> Collider {
        let keyframes = vec![
            keyframe(1.0, 0.0, [0.0; 3]),
            keyframe(2.0, 0.5, [0.0, 90.0, 20.0]),
            keyframe(4.0, -0.5, [170.0, 0.0, 0.0]),
        ];
        moving(ColliderMotion::Keyframes { keyframes, repeat })
    }

    /// The velocity of a material point is the rate at which its place changes.
    #[test]
    fn velocities_are_rates_of_poses() {
        let steady = ColliderMotion::Steady { velocity: [0.1, 0.0, -2.0], spin: [1.0, -2.0, 30.0] };
        for collider in [moving(steady), waving(false), waving(true)] {
            for time in [0.25, 1.5, 2.75, 3.9, 4.7, 6.1, 8.3] {
                let point = [0.3, -0.2, 0.7];
                let e = 1e-6;
                let [before, at, after] =
                    [time - e, time, time + e].map(|t| collider.pose(t).place(point));
                let rate = std::array::from_fn(|k| (after[k] - before[k]) / (2.0 * e));
                close(collider.velocity(time, at), rate, 1e-6);
                close(collider.pose_before(time, e).place(point), before, 1e-12);
            }
        }
    }

    #[test]
    fn rotations_stay_rotations() {
        for time in 0..100 {
            let m = waving(true).pose(0.173 * f64::from(time)).rotation;
            for r in 0..3 {
                for c in 0..3 {
                    let product: f64 = (0..3).map(|k| m[r][k] * m[c][k]).sum();
                    assert!((product - f64::from(u8::from(r == c))).abs() < 1e-12, "{time}");
                }
            }
        }
    }

    #[test]
    fn keyframes_are_met_and_held() {
        let (once, again) = (waving(false), waving(true));
        let ColliderMotion::Keyframes { keyframes, .. } = once.motion.clone().unwrap() else {
            unreachable!()
        };
        for frame in &keyframes {
            let pose = once.pose(frame.time);
            close(pose.translation, [1.0 + frame.translate[0], 2.0, 3.0], 1e-12);
            let wanted = multiply(frame.rotate.matrix(), once.rotate.matrix());
            (0..3).for_each(|r| close(pose.rotation[r], wanted[r], 1e-12));
        }
        assert_eq!(once.pose(0.0), once.pose(1.0));
        assert_eq!(once.pose(9.0), once.pose(4.0));
        assert_eq!(once.velocity(9.0, [0.0; 3]), [0.0; 3]);
        assert_eq!(again.pose(0.2), again.pose(1.0), "not before it has begun");
        let (a, b) = (again.pose(2.5), again.pose(5.5));
        close(a.translation, b.translation, 1e-12);
        // It has jumped to the start at 4 s: nothing is dragged along from the end.
        close(again.pose_before(4.1, 0.5).translation, [1.0, 2.0, 3.0], 1e-12);
    }

    #[test]
    fn half_turns_and_tiny_ones_have_an_axis() {
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, -0.8, 0.0]] {
            for degrees in [0.0, 1e-7, 1.0, 90.0, 179.0, 180.0] {
                let to = Rotation::AxisAngle { axis, degrees };
                let turn = turn_between(Rotation::default(), to);
                let (turned, wanted) = (about(turn, 1.0), to.matrix());
                (0..3).for_each(|r| close(turned[r], wanted[r], 1e-12));
                let angle = turn.iter().map(|t| t * t).sum::<f64>().sqrt();
                assert!((angle - f64::to_radians(degrees)).abs() < 1e-12, "{degrees}");
            }
        }
    }

    #[test]
    fn rows_of_heights_are_seen_from_above() {
        let ground = ColliderGround {
            file: None,
            heights: Some(vec![vec![3.0, 4.0], vec![1.0, 2.0]]),
            size: [1.0, 1.0],
            height: 0.5,
        };
        assert_eq!(ground.load().unwrap().heights(), [0.5, 1.0, 1.5, 2.0]);
    }
}
