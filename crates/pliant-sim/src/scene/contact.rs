//! How surfaces of soft bodies touch: in the world, and what one body does otherwise.

use serde::{Deserialize, Serialize};

use super::Body;

/// How surfaces of soft bodies touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Distance at which two surfaces begin to push each other apart \[m\]; without it a fifth of the
    /// typical edges of their surfaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Whether a body touches itself, too. Its key in TOML is `self`.
    #[serde(rename = "self")]
    pub within_bodies: bool,
    /// Whether surfaces that do not cross at the start never do, at whatever speed: motion is cut short where they
    /// would, which is counted.
    pub guarantee: bool,
}

impl Default for Contact {
    fn default() -> Self {
        Self { thickness: None, friction: 0.5, within_bodies: true, guarantee: false }
    }
}

/// What a body does otherwise than [`Contact`] says for all. It is about soft bodies: colliders have friction
/// and thickness of their own, and stop every body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyContact {
    /// Distance at which two surfaces like this one begin to push \[m\]; of a pair of bodies the mean counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb friction coefficient of two surfaces like this one; of a pair of bodies the geometric mean counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Whether it touches itself. Its key in TOML is `self`.
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    pub within_body: Option<bool>,
    /// Names under which others can ignore it, besides its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Bodies and groups that it does not touch, nor they it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignores: Vec<String>,
}

impl BodyContact {
    /// Most names that all bodies of a scene may ignore together: each is a bit of [`ContactFilter`].
    pub const MOST_IGNORED: usize = 32;
}

/// Which other bodies a body touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactFilter {
    /// A bit for each ignored name that means this body.
    pub is: u32,
    /// A bit for each name that it ignores.
    pub ignores: u32,
}

impl ContactFilter {
    /// The names that somebody ignores, in the order of their bits.
    pub fn names(bodies: &[Body]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let contacts = bodies.iter().filter_map(|body| body.contact.as_ref());
        for name in contacts.flat_map(|contact| &contact.ignores) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// That of a body, if these are the ignored names.
    pub fn of(body: &Body, names: &[String]) -> Self {
        let Some(contact) = &body.contact else { return Self::default() };
        let bits = |is_set: &dyn Fn(&String) -> bool| {
            let bit = |(i, name)| u32::from(is_set(name)) << i;
            names.iter().take(BodyContact::MOST_IGNORED).enumerate().map(bit).sum()
        };
        Self {
            is: bits(&|name| body.name == *name || contact.groups.contains(name)),
            ignores: bits(&|name| contact.ignores.contains(name)),
        }
    }

    /// Whether two bodies touch: either may ignore the other.
    pub fn lets_touch(self, other: Self) -> bool {
        (self.is & other.ignores) | (other.is & self.ignores) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(name: &str, groups: &[&str], ignores: &[&str]) -> Body {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let contact =
            BodyContact { groups: list(groups), ignores: list(ignores), ..BodyContact::default() };
        Body { name: name.into(), contact: Some(contact), ..Body::default() }
    }

    #[test]
    fn one_who_ignores_is_enough() {
        let bodies = [
            body("skin", &["outer"], &[]),
            body("bone", &["inner"], &["outer"]),
            body("muscle", &["inner"], &["bone"]),
            body("ball", &[], &[]),
        ];
        let names = ContactFilter::names(&bodies);
        assert_eq!(names, ["outer", "bone"]);
        let filters = bodies.each_ref().map(|body| ContactFilter::of(body, &names));
        let touch = |a: usize, b: usize| filters[a].lets_touch(filters[b]);
        for (a, b, expected) in
            [(0, 1, false), (1, 2, false), (0, 2, true), (0, 3, true), (1, 3, true), (2, 3, true)]
        {
            assert_eq!((touch(a, b), touch(b, a)), (expected, expected), "{a} {b}");
        }
    }
}
