//! What is done to bodies while they run.

use serde::{Deserialize, Serialize};

use super::{Problem, SceneError, World, hints};

/// Something that happens between two times.
///
/// In TOML the kind is a key of its own: `drag`, `push` or `set`.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// When it begins \[s\].
    pub start: f64,
    /// When it ends \[s\]; `None` for never. A [`Set`] happens at `start` and needs no end.
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
    /// Change a parameter.
    Set(Set),
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
    /// Hardness of the rubber band at each vertex \[N/m\].
    pub stiffness: f64,
}

impl Drag {
    /// Hardness of the rubber band when none is given \[N/m\].
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

/// Changes one of the parameters that may change while running.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Which parameter: one of [`LIVE_KEYS`].
    pub key: String,
    /// Its new value, in the unit of the parameter.
    pub value: LiveValue,
}

/// The parameters a [`Set`] action may change, by key path.
pub const LIVE_KEYS: [&str; 8] = [
    "world.gravity",
    "world.external_force",
    "world.friction",
    "world.plasticity",
    "world.timestep",
    "world.box.size",
    "world.box.restitution",
    "world.box.friction",
];

/// Value of a parameter that changes while running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiveValue {
    /// A number.
    Number(f64),
    /// Three numbers along x, y and z.
    Vector([f64; 3]),
}

impl World {
    /// Changes the parameter at `key`, one of [`LIVE_KEYS`]. The problem's path is `key` or
    /// `value`, whichever of the two is wrong. The number itself is not checked.
    pub fn set_live(&mut self, key: &str, value: LiveValue) -> Result<(), SceneError> {
        enum Target<'w> {
            Number(&'w mut f64),
            Vector(&'w mut [f64; 3]),
        }
        let target = match (key, self.bounds.as_mut()) {
            ("world.gravity", _) => Target::Vector(&mut self.gravity),
            ("world.external_force", _) => Target::Vector(&mut self.external_force),
            ("world.friction", _) => Target::Number(&mut self.friction),
            ("world.plasticity", _) => Target::Number(&mut self.plasticity),
            ("world.timestep", _) => Target::Number(&mut self.timestep),
            ("world.box.size", Some(walls)) => Target::Vector(&mut walls.size),
            ("world.box.restitution", Some(walls)) => Target::Number(&mut walls.restitution),
            ("world.box.friction", Some(walls)) => Target::Number(&mut walls.friction),
            (_, None) if LIVE_KEYS.contains(&key) => {
                return Err(Problem::new("key", format!("`{key}`: the world has no box")).into());
            }
            _ => {
                return Err(Problem::new("key", format!("`{key}` cannot change while running"))
                    .help(hints::suggest(key, &LIVE_KEYS, "these can"))
                    .into());
            }
        };
        match (target, value) {
            (Target::Number(target), LiveValue::Number(n)) => *target = n,
            (Target::Vector(target), LiveValue::Vector(v)) => *target = v,
            (Target::Number(_), _) => {
                return Err(Problem::new("value", format!("`{key}` takes a single number")).into());
            }
            (Target::Vector(_), _) => {
                return Err(Problem::new("value", format!("`{key}` takes three numbers")).into());
            }
        }
        Ok(())
    }
}
