//! By which method a body is stepped.

use super::partition::Block;
use super::{BodyModel, Model};
use crate::scene::{Integrator, World};

/// A method by which bodies are stepped. An enum and not a trait: methods have passes over the whole
/// world and kernels of their own, which have to be known where passes are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// One of the explicit integrators.
    Explicit,
    /// Implicit Euler.
    Implicit,
}

impl Family {
    /// The family of an integrator: that of all bodies that ask for no other one.
    pub fn of(integrator: Integrator) -> Self {
        match integrator {
            Integrator::ImplicitEuler => Self::Implicit,
            _ => Self::Explicit,
        }
    }

    /// Its number in kernels (`body_constants.wgsl`) and fingerprints.
    pub fn number(self) -> u8 {
        match self {
            Self::Explicit => 0,
            Self::Implicit => 1,
        }
    }
}

/// A set of families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Families {
    /// A bit for each number of a family.
    bits: u8,
}

impl Families {
    /// Whether a family is among them.
    pub fn contains(self, family: Family) -> bool {
        self.bits & 1 << family.number() != 0
    }
}

impl FromIterator<Family> for Families {
    fn from_iter<I: IntoIterator<Item = Family>>(families: I) -> Self {
        Self { bits: families.into_iter().fold(0, |bits, family| bits | 1 << family.number()) }
    }
}

impl BodyModel {
    /// How it is stepped in `world`.
    pub fn family_in(&self, world: &World) -> Family {
        self.family.unwrap_or(Family::of(world.integrator))
    }
}

impl Model {
    /// The families whose passes a step in `world` has: that of the integrator, and those that bodies ask
    /// for.
    pub fn families(&self, world: &World) -> Families {
        let asked = self.bodies.iter().filter_map(|body| body.family);
        asked.chain([Family::of(world.integrator)]).collect()
    }

    /// How the bodies of a block are stepped in `world`: no block has bodies of two families.
    pub fn family_of(&self, block: &Block, world: &World) -> Family {
        self.bodies[block.bodies.start as usize].family_in(world)
    }

    /// How bodies that are sewn are stepped in `world`, which is one way for all; nothing where nothing is sewn.
    pub fn sewn_family(&self, world: &World) -> Option<Family> {
        let first = self.seams.members.first()?;
        Some(self.bodies[first.body as usize].family_in(world))
    }

    /// Whether any body asks for a family, so that it is there in any world.
    pub fn asks_for(&self, family: Family) -> bool {
        self.bodies.iter().any(|body| body.family == Some(family))
    }
}

#[cfg(test)]
mod tests {
    use super::Family::{Explicit, Implicit};
    use super::*;

    #[test]
    fn kernels_know_them_by_the_same_numbers() {
        let source = include_str!("../stages/gpu/body_constants.wgsl");
        for (name, family) in [("EXPLICIT", Explicit), ("IMPLICIT", Implicit)] {
            let line = format!("const {name}: u32 = {}u;", family.number());
            assert!(source.lines().any(|l| l == line), "{line}");
        }
    }

    #[test]
    fn sets_have_what_was_put_in() {
        for wanted in [&[][..], &[Explicit], &[Implicit], &[Implicit, Explicit]] {
            let families: Families = wanted.iter().copied().collect();
            for family in [Explicit, Implicit] {
                assert_eq!(families.contains(family), wanted.contains(&family), "{wanted:?}");
            }
        }
    }
}
