//! A step, read aloud: which stages run, in which order, on every backend.
//!
//! [`program`] lists the passes of one substep. The stages of a pass run one after the other on each
//! block (on a GPU: in one dispatch); between two passes everything waits for everything, so that a
//! pass may read what other blocks wrote in the one before. A new stage is a line here, a folder in
//! [`crate::stages`] and an arm in each backend's dispatch.

use crate::scene::World;
use crate::stages::integrate::{Phase, plan};

/// One stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Forces of springs and volumes, by the block that has the element.
    Elastic,
    /// Adds what other blocks computed for this block's vertices.
    Collect,
    /// Forces of drags and pushes.
    Touch,
    /// Update number `n` of the integrator.
    Integrate(u8),
    /// A whole implicit step, with passes of its own: forces and their derivatives, the linear
    /// system, velocities and positions, walls and all.
    Implicit,
    /// Puts vertices back into the world box.
    Walls,
    /// Looks for vertices that left all bounds.
    Watch,
    /// Lets springs and volumes yield.
    Plasticity,
    /// Merges the springs that yielded; once for the whole model, not for each block.
    Merge,
}

impl Stage {
    /// Its name: that of its folder, where it has one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elastic => "elastic",
            Self::Collect => "collect",
            Self::Touch => "touch",
            Self::Integrate(_) => "integrate",
            Self::Implicit => "implicit",
            Self::Walls => "walls",
            Self::Watch => "watch",
            Self::Plasticity => "plasticity",
            Self::Merge => "merge",
        }
    }
}

/// The passes of one substep in a world, each a list of stages; `mixed` when some bodies take implicit
/// steps and others do not.
pub fn program(world: &World, mixed: bool) -> Vec<Vec<Stage>> {
    let mut passes = Vec::new();
    let mut fresh = false;
    for &phase in plan(world.integrator) {
        passes.push(match phase {
            Phase::Forces => vec![Stage::Elastic],
            Phase::Implicit => vec![Stage::Implicit],
            Phase::Update(n) => {
                let update = [Stage::Touch, Stage::Integrate(n), Stage::Walls, Stage::Watch];
                let collect = fresh.then_some(Stage::Collect);
                collect.into_iter().chain(update).collect()
            }
        });
        fresh = phase == Phase::Forces;
    }
    if mixed {
        passes.push(vec![Stage::Implicit]);
    }
    if world.plasticity > 0.0 {
        passes.push(vec![Stage::Plasticity]);
        passes.push(vec![Stage::Merge]);
    }
    passes
}

/// The name under which a pass is timed: that of the stage it is there for. The others in it are done
/// while that one has the vertices at hand.
pub fn pass_name(pass: &[Stage]) -> &'static str {
    let update = pass.iter().find(|stage| matches!(stage, Stage::Integrate(_)));
    update.or(pass.first()).map_or("", |stage| stage.name())
}

#[cfg(test)]
mod tests {
    use super::Stage::*;
    use super::*;
    use crate::scene::Integrator;

    #[test]
    fn the_default_step_reads_as_it_should() {
        let verlet = program(&World::default(), false);
        assert_eq!(verlet, [vec![Elastic], vec![Collect, Touch, Integrate(0), Walls, Watch]]);
        assert_eq!([pass_name(&verlet[0]), pass_name(&verlet[1])], ["elastic", "integrate"]);
    }

    #[test]
    fn forces_are_collected_once_wherever_they_were_computed() {
        for integrator in Integrator::ALL {
            let passes = program(&World { integrator, plasticity: 0.1, ..World::default() }, false);
            let count = |stage| passes.iter().flatten().filter(|&&s| s == stage).count();
            assert_eq!(count(Elastic), count(Collect), "{integrator}");
            assert_eq!(passes[passes.len() - 2..], [vec![Plasticity], vec![Merge]]);
        }
    }
}
