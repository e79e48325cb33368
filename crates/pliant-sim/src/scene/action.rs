//! What is done to bodies while they run.

use serde::{Deserialize, Deserializer, Serialize};

use super::{LiveValue, spelling};

/// Something that happens between two times.
///
/// In TOML the kind is a key of its own: `drag`, `push`, `carry`, `set`, `open` or `close`.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// When it begins \[s\].
    pub start: f64,
    /// When it ends \[s\]; `None` for never. What happens at `start`, such as a [`Set`], needs no end.
    pub end: Option<f64>,
    /// What happens.
    pub kind: ActionKind,
}

/// What an [`Action`] does.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// Grab vertices and pull them along.
    Drag(Drag),
    /// Push vertices along a ray.
    Push(Push),
    /// Take a collider elsewhere.
    Carry(Carry),
    /// Change a parameter.
    Set(Set),
    /// Take a seam apart.
    Open(OfSeam),
    /// Sew a seam again.
    Close(OfSeam),
}

/// Which seam an action is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfSeam {
    /// The name of the seam.
    pub seam: String,
}

/// Grabs every vertex that is in a sphere at the start of the action, and pulls each by a rubber
/// band whose other end moves with the hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// Middle of the sphere \[m\].
    pub center: [f64; 3],
    /// Its radius \[m\].
    pub radius: f64,
    /// How the hand moves.
    pub motion: DragMotion,
    /// Stiffness of the rubber band at each vertex \[N/m\].
    pub stiffness: f64,
}

impl Drag {
    /// Stiffness of the rubber band when none is given \[N/m\].
    pub const STIFFNESS: f64 = 10.0;
}

/// How the hand of a [`Drag`] moves. In TOML one of the keys `velocity` and `target`; without
/// either it holds still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragMotion {
    /// At a constant velocity \[m/s\].
    Velocity([f64; 3]),
    /// In a straight line from the middle of the sphere at the start to this place at the end of
    /// the action \[m\]; at once when the action has no end.
    Target([f64; 3]),
}

/// Pushes every vertex inside an infinite cylinder, as with a finger along the view ray.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// A point of the axis \[m\].
    pub origin: [f64; 3],
    /// Direction of axis and force, of any length.
    pub direction: [f64; 3],
    /// Radius of the cylinder \[m\].
    pub radius: f64,
    /// Force on each vertex \[N\].
    pub force: f64,
}

/// Takes a collider along with a hand, on top of its own motion; it stays where it is left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CarryForm", into = "CarryForm")]
pub struct Carry {
    /// The name of the collider.
    pub collider: String,
    /// How the hand moves.
    pub motion: CarryMotion,
}

/// How the hand of a [`Carry`] moves. In TOML one of the keys `velocity` and `by`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CarryMotion {
    /// At a constant velocity \[m/s\].
    Velocity([f64; 3]),
    /// In a straight line, so far until the end of the action \[m\].
    By([f64; 3]),
}

/// A [`Carry`] as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CarryForm {
    collider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<[f64; 3]>,
}

impl TryFrom<CarryForm> for Carry {
    type Error = &'static str;

    fn try_from(CarryForm { collider, velocity, by }: CarryForm) -> Result<Self, Self::Error> {
        let motion = match (velocity, by) {
            (Some(velocity), None) => CarryMotion::Velocity(velocity),
            (None, Some(by)) => CarryMotion::By(by),
            _ => return Err("a collider is carried with one of `velocity` and `by`"),
        };
        Ok(Self { collider, motion })
    }
}

impl From<Carry> for CarryForm {
    fn from(Carry { collider, motion }: Carry) -> Self {
        let (velocity, by) = match motion {
            CarryMotion::Velocity(velocity) => (Some(velocity), None),
            CarryMotion::By(by) => (None, Some(by)),
        };
        Self { collider, velocity, by }
    }
}

/// Changes one of the parameters that may change while running.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Which parameter: the key of one of [`Live::ALL`](super::Live::ALL).
    #[serde(deserialize_with = "current_key")]
    pub key: String,
    /// Its new value, in the unit of the parameter.
    pub value: LiveValue,
}

/// The key of a parameter by its name of today.
fn current_key<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let key = String::deserialize(d)?;
    Ok(spelling::usual_path(&key).into_owned())
}
