//! A step, read aloud: which stages run, in which order, over what, on every backend.
//!
//! [`program`] lists the passes of one substep. Between two passes everything waits for everything, so
//! that a pass may read what others wrote in the one before. What a pass runs [over](Over) is stated by
//! its stages; backends follow it and know no stage by name but to call its driver. A new stage is a line
//! here, a folder in [`crate::stages`] and an arm in each backend's dispatch.

mod advance;
mod constants;
mod pause;

pub use advance::{Advance, Blowup, Places, Start, Stop};
pub(crate) use constants::{BodyConstants, body_constants};
pub use pause::{Asked, Need, Pause};

use crate::model::{Families, Family, Model};
use crate::scene::{Integrator, World};
use crate::stages::integrate::{Phase, places, plan};

/// One stage of a step: what a backend has a driver for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Leads pinned vertices.
    Pins,
    /// Forces of springs and volumes, by the block that has the element.
    Elastic,
    /// Forces of the air on surfaces.
    Air,
    /// Adds what other blocks computed for this block's vertices; on a device the sweep of the
    /// integrator does it.
    Collect,
    /// Forces of drags and pushes.
    Touch,
    /// Forces of seams that are open.
    Seams,
    /// Surfaces that touch: candidates, and the forces of those that are near enough.
    Contact,
    /// Update number `n` of the integrator.
    Integrate(u8),
    /// Finds impulses for edges that get longer than their limits, in an iteration.
    Strain(u8),
    /// Lets vertices take these impulses.
    Limit(u8),
    /// Finds what draws clusters of vertices back to their shapes.
    Shapes,
    /// Lets vertices take it.
    Match,
    /// Lets welded vertices move as one; says whether it is the last time in a substep.
    Weld(bool),
    /// Cuts motion short where surfaces would cross.
    Guard,
    /// A whole implicit step: forces and their derivatives, the linear system, velocities and positions.
    Implicit,
    /// Lets springs and volumes yield.
    Plasticity,
    /// Merges the springs that yielded.
    Merge,
    /// Fills a list that may be too small, so that tests can see what happens then.
    #[cfg(test)]
    Drill,
}

/// What a stage does on the way, while it has the vertices at hand: it has no driver of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fused {
    /// Stops vertices at colliders.
    Colliders,
    /// Puts vertices back into the world box.
    Walls,
    /// Looks for vertices that left all bounds: the step has diverged.
    DivergenceCheck,
}

/// What a pass runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Every block, one stage after the other; blocks in any order and at the same time. On a device a
    /// dispatch over all vertices or elements.
    Blocks,
    /// The whole model, once.
    Once,
    /// Passes of the stage's own, as many as it finds that it needs.
    Own,
}

/// Stages that run together, before everything waits for everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// They, in order.
    pub stages: Vec<Stage>,
    /// What each of them runs over.
    pub over: Over,
}

impl Stage {
    /// All of them, in the order of a step; an integrator's updates are one.
    pub const ALL: &[Self] = &[
        Self::Pins,
        Self::Elastic,
        Self::Air,
        Self::Collect,
        Self::Touch,
        Self::Seams,
        Self::Contact,
        Self::Integrate(0),
        Self::Implicit,
        Self::Plasticity,
        Self::Merge,
        Self::Guard,
        Self::Weld(true),
        Self::Strain(0),
        Self::Limit(0),
        Self::Shapes,
        Self::Match,
        #[cfg(test)]
        Self::Drill,
    ];

    /// Those that can be run elsewhere than the others. What is left goes with one of them.
    pub const MOVABLE: &[Self] =
        &[Self::Elastic, Self::Touch, Self::Integrate(0), Self::Implicit, Self::Plasticity];

    /// The one of [`Stage::MOVABLE`] that it goes with.
    pub fn goes_with(self) -> Self {
        match self {
            Self::Collect | Self::Seams | Self::Contact => Self::Elastic,
            Self::Pins
            | Self::Integrate(_)
            | Self::Strain(_)
            | Self::Limit(_)
            | Self::Shapes
            | Self::Match
            | Self::Weld(_)
            | Self::Guard => Self::Integrate(0),
            Self::Air => Self::Touch,
            Self::Merge => Self::Plasticity,
            other => other,
        }
    }

    /// Its place in [`Stage::ALL`]: what kernels know it by.
    pub fn number(self) -> u64 {
        let is_it = |other: &Self| other.name() == self.name();
        Self::ALL.iter().position(is_it).expect("all are there") as u64
    }

    /// The stage of that number, if there is one.
    pub fn numbered(number: u64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number)).copied()
    }

    /// Its name: that of its folder, where it has one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pins => "pins",
            Self::Seams => "seams",
            Self::Weld(_) => "weld",
            Self::Strain(_) => "strain",
            Self::Limit(_) => "limit",
            Self::Shapes => "shapes",
            Self::Match => "match",
            Self::Air => "air",
            Self::Contact => "contact",
            Self::Guard => "guard",
            Self::Elastic => "elastic",
            Self::Collect => "collect",
            Self::Touch => "touch",
            Self::Integrate(_) => "integrate",
            Self::Implicit => "implicit",
            Self::Plasticity => "plasticity",
            Self::Merge => "merge",
            #[cfg(test)]
            Self::Drill => "drill",
        }
    }

    /// What it runs over.
    pub fn over(self) -> Over {
        match self {
            Self::Elastic
            | Self::Air
            | Self::Collect
            | Self::Touch
            | Self::Integrate(_)
            | Self::Strain(_)
            | Self::Limit(_)
            | Self::Shapes
            | Self::Match
            | Self::Plasticity => Over::Blocks,
            Self::Pins | Self::Seams | Self::Weld(_) | Self::Merge => Over::Once,
            Self::Contact | Self::Guard | Self::Implicit => Over::Own,
            #[cfg(test)]
            Self::Drill => Over::Blocks,
        }
    }

    /// Whom it concerns: it leaves the vertices of other bodies alone. (On a device, forces are computed
    /// for implicit bodies, too, which begin their step with them.)
    pub fn families(self) -> &'static [Family] {
        match self {
            Self::Contact
            | Self::Elastic
            | Self::Air
            | Self::Collect
            | Self::Touch
            | Self::Seams
            | Self::Integrate(_)
            | Self::Strain(_)
            | Self::Limit(_)
            | Self::Shapes
            | Self::Match
            | Self::Guard => &[Family::Explicit],
            Self::Implicit => &[Family::Implicit],
            Self::Pins | Self::Weld(_) | Self::Plasticity | Self::Merge => {
                &[Family::Explicit, Family::Implicit]
            }
            #[cfg(test)]
            Self::Drill => &[Family::Explicit, Family::Implicit],
        }
    }

    /// What is fused into it, in the order in which it is done.
    pub fn fused(self) -> &'static [Fused] {
        match self {
            Self::Integrate(_) => &[Fused::Colliders, Fused::Walls, Fused::DivergenceCheck],
            Self::Implicit => &[Fused::Colliders, Fused::Walls, Fused::DivergenceCheck],
            _ => &[],
        }
    }
}

impl Fused {
    /// Its name: that of its folder, where it has one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Colliders => "colliders",
            Self::Walls => "walls",
            Self::DivergenceCheck => "divergence check",
        }
    }
}

impl Pass {
    /// A pass of stages that all run over the same.
    fn of(stages: impl IntoIterator<Item = Stage>) -> Self {
        let stages: Vec<Stage> = stages.into_iter().collect();
        let over = stages[0].over();
        debug_assert!(stages.iter().all(|stage| stage.over() == over), "{stages:?}");
        Self { stages, over }
    }

    /// The name under which it is timed: that of the stage it is there for. The others in it are done
    /// while that one has the vertices at hand.
    pub fn name(&self) -> &'static str {
        let update = self.stages.iter().find(|stage| matches!(stage, Stage::Integrate(_)));
        update.or(self.stages.first()).map_or("", |stage| stage.name())
    }
}

/// "over blocks: collect, touch, integrate (colliders, walls, divergence check)"
impl std::fmt::Display for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.over {
            Over::Blocks => "over blocks: ",
            Over::Once => "once: ",
            Over::Own => "own passes: ",
        })?;
        let stage = |stage: &Stage| match stage.fused() {
            [] => stage.name().to_string(),
            fused => {
                let fused: Vec<&str> = fused.iter().map(|fused| fused.name()).collect();
                format!("{} ({})", stage.name(), fused.join(", "))
            }
        };
        f.write_str(&self.stages.iter().map(stage).collect::<Vec<_>>().join(", "))
    }
}

/// The passes of one substep of a model.
pub fn program_of(model: &Model, world: &World) -> Vec<Pass> {
    let mut passes = program(world, model.families(world));
    match model.sewn_family(world) {
        None => {}
        Some(Family::Explicit) => passes = sewn(passes, world.integrator),
        Some(Family::Implicit) => {
            let is_solving = |pass: &Pass| pass.stages == [Stage::Implicit];
            let solving = passes.iter().position(is_solving).map_or(passes.len(), |at| at + 1);
            passes.insert(solving, Pass::of([Stage::Weld(true)]));
        }
    }
    if !model.limits.is_empty() {
        passes = limited(passes, world.integrator, model.limits.iterations() as u8);
    }
    if !model.shapes.is_empty() {
        // What limits say comes after it.
        let matching = [Pass::of([Stage::Shapes]), Pass::of([Stage::Match])];
        passes = after_placing(passes, world.integrator, &matching);
    }
    if !model.pins.is_empty() {
        passes.insert(0, Pass::of([Stage::Pins]));
    }
    // Whoever may ask for room does so before anything of the state is written.
    #[cfg(test)]
    let passes = {
        let drill = model.drill.map(|_| Pass::of([Stage::Drill]));
        drill.into_iter().chain(passes).collect()
    };
    passes
}

/// Passes with seams among them: their forces when all others but contact are known, and welds after updates that place
/// vertices or end the substep.
fn sewn(passes: Vec<Pass>, integrator: Integrator) -> Vec<Pass> {
    let is_update = |stage: &&Stage| matches!(stage, Stage::Integrate(_));
    let updates = passes.iter().flat_map(|pass| &pass.stages).filter(is_update).count();
    let mut all = Vec::new();
    for pass in passes {
        let update = pass.stages.iter().find_map(|stage| match stage {
            Stage::Integrate(n) => Some(*n),
            _ => None,
        });
        if pass.stages.contains(&Stage::Collect) && update.is_some() {
            let (update, forces): (Vec<Stage>, Vec<Stage>) =
                pass.stages.iter().partition(|stage| is_update(stage));
            all.extend([Pass::of(forces), Pass::of([Stage::Seams]), Pass::of(update)]);
        } else {
            if pass.stages == [Stage::Contact] {
                all.push(Pass::of([Stage::Seams]));
            }
            all.push(pass);
        }
        if let Some(n) = update {
            let ends = usize::from(n) + 1 == updates;
            if ends || places(integrator, n) {
                all.push(Pass::of([Stage::Weld(ends)]));
            }
        }
    }
    all
}

/// Passes with so many iterations of strain limits among them.
fn limited(passes: Vec<Pass>, integrator: Integrator, iterations: u8) -> Vec<Pass> {
    let iteration = |n| [Pass::of([Stage::Strain(n)]), Pass::of([Stage::Limit(n)])];
    after_placing(passes, integrator, &(0..iterations).flat_map(iteration).collect::<Vec<_>>())
}

/// Passes with some more behind the update that places vertices, so that whatever looks at them after it finds, for
/// instance, edges within their limits.
fn after_placing(passes: Vec<Pass>, integrator: Integrator, more: &[Pass]) -> Vec<Pass> {
    let is_placing = |stage: &Stage| matches!(stage, Stage::Integrate(n) if places(integrator, *n));
    let mut all = Vec::new();
    for pass in passes {
        let is_placed = pass.stages.iter().any(is_placing);
        all.push(pass);
        if is_placed {
            all.extend_from_slice(more);
        }
    }
    all
}

/// The passes of one substep in a world with bodies of these families. Explicit bodies finish before
/// implicit ones start.
pub fn program(world: &World, families: Families) -> Vec<Pass> {
    let mut passes = Vec::new();
    let mut fresh = false;
    // Where velocities and positions of all are at hand, and nobody changes them.
    let air = world.wind.is_some().then_some(Stage::Air);
    for &phase in plan(world.integrator) {
        if matches!(phase, Phase::Update(_)) && !fresh {
            passes.extend(air.map(|air| Pass::of([air])));
        }
        match phase {
            Phase::Forces => passes.push(Pass::of([Stage::Elastic].into_iter().chain(air))),
            // Contact asks what all other forces would do.
            Phase::Update(n) if fresh && world.contact.is_some() => {
                passes.push(Pass::of([Stage::Collect, Stage::Touch]));
                passes.push(Pass::of([Stage::Contact]));
                passes.push(Pass::of([Stage::Integrate(n)]));
            }
            Phase::Update(n) => {
                let collect = fresh.then_some(Stage::Collect);
                let update = [Stage::Touch, Stage::Integrate(n)];
                passes.push(Pass::of(collect.into_iter().chain(update)));
            }
        }
        fresh = phase == Phase::Forces;
        // Whatever reads positions after this finds surfaces that do not cross.
        let is_guarded = world.contact.as_ref().is_some_and(|contact| contact.guarantee);
        if is_guarded && matches!(phase, Phase::Update(n) if places(world.integrator, n)) {
            passes.push(Pass::of([Stage::Guard]));
        }
    }
    if families.contains(Family::Implicit) {
        passes.push(Pass::of([Stage::Implicit]));
    }
    if world.plasticity > 0.0 {
        passes.push(Pass::of([Stage::Plasticity]));
        passes.push(Pass::of([Stage::Merge]));
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::Stage::*;
    use super::*;
    use crate::scene::{Contact, Integrator, Wind};

    /// The passes where no body asks for a family.
    fn of(world: World) -> Vec<Pass> {
        program(&world, Families::from_iter([Family::of(world.integrator)]))
    }

    #[test]
    fn the_default_step_reads_as_it_should() {
        let verlet = of(World::default());
        assert_eq!(verlet, [Pass::of([Elastic]), Pass::of([Collect, Touch, Integrate(0)])]);
        assert_eq!([verlet[0].name(), verlet[1].name()], ["elastic", "integrate"]);
    }

    #[test]
    fn the_life_of_a_step_is_told_as_it_is() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md");
        let text = std::fs::read_to_string(path).unwrap();
        let told = |pass: &Pass| text.lines().position(|line| line == pass.to_string());
        let world = World { plasticity: 0.1, ..World::default() };
        let places: Vec<_> =
            program(&world, Families::from_iter([Family::Explicit, Family::Implicit]))
                .iter()
                .map(told)
                .collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    }

    #[test]
    fn forces_are_collected_once_wherever_they_were_computed() {
        for integrator in Integrator::ALL {
            let passes = of(World { integrator, plasticity: 0.1, ..World::default() });
            let stages = || passes.iter().flat_map(|pass| &pass.stages);
            let count = |stage| stages().filter(|&&s| s == stage).count();
            assert_eq!(count(Elastic), count(Collect), "{integrator}");
            let last = [Pass::of([Plasticity]), Pass::of([Merge])];
            assert_eq!(passes[passes.len() - 2..], last);
        }
    }

    #[test]
    fn the_air_is_asked_before_every_update() {
        for integrator in Integrator::EXPLICIT {
            let passes = of(World { integrator, wind: Some(Wind::default()), ..World::default() });
            let mut is_known = false;
            for stage in passes.iter().flat_map(|pass| &pass.stages) {
                is_known |= *stage == Air;
                if matches!(stage, Integrate(_)) {
                    assert!(std::mem::take(&mut is_known), "{integrator}: {passes:?}");
                }
            }
            let mixes = |pass: &Pass| pass.stages.contains(&Air) && pass.name() == "integrate";
            assert!(!passes.iter().any(mixes), "{integrator}: {passes:?}");
        }
    }

    #[test]
    fn the_guard_follows_whoever_places_vertices() {
        let contact = Some(Contact { guarantee: true, ..Contact::default() });
        for integrator in Integrator::EXPLICIT {
            let world = World { integrator, contact: contact.clone(), ..World::default() };
            let passes = of(world);
            let stages: Vec<Stage> = passes.iter().flat_map(|pass| pass.stages.clone()).collect();
            let guards: Vec<usize> = (0..stages.len()).filter(|&i| stages[i] == Guard).collect();
            let [guard] = guards[..] else { panic!("{integrator}: {stages:?}") };
            let Integrate(n) = stages[guard - 1] else { panic!("{integrator}: {stages:?}") };
            assert!(places(integrator, n), "{integrator}: {stages:?}");
        }
    }

    #[test]
    fn seams_pull_before_contact_and_weld_after_updates() {
        for integrator in Integrator::EXPLICIT {
            for contact in [None, Some(Contact::default())] {
                let world = World { integrator, contact: contact.clone(), ..World::default() };
                let passes = sewn(of(world), integrator);
                let stages: Vec<Stage> = passes.iter().flat_map(|p| p.stages.clone()).collect();
                let count = |stage| stages.iter().filter(|s| **s == stage).count();
                assert_eq!(count(Seams), count(Elastic), "{integrator}: {stages:?}");
                assert_eq!(stages.last(), Some(&Weld(true)), "{integrator}: {stages:?}");
                for i in (0..stages.len()).filter(|&i| stages[i] == Seams) {
                    let next = stages[i + 1];
                    let is_right = match contact {
                        Some(_) => next == Contact,
                        None => matches!(next, Integrate(_)),
                    };
                    assert!(is_right, "{integrator}: {stages:?}");
                }
            }
        }
    }

    #[test]
    fn limits_follow_whoever_places_vertices() {
        let contact = Some(Contact { guarantee: true, ..Contact::default() });
        for integrator in Integrator::EXPLICIT {
            let world = World { integrator, contact: contact.clone(), ..World::default() };
            let passes = limited(sewn(of(world), integrator), integrator, 2);
            let stages: Vec<Stage> = passes.iter().flat_map(|pass| pass.stages.clone()).collect();
            let first = stages.iter().position(|stage| *stage == Strain(0)).unwrap();
            let Integrate(n) = stages[first - 1] else { panic!("{integrator}: {stages:?}") };
            assert!(places(integrator, n), "{integrator}: {stages:?}");
            let iterations = [Strain(0), Limit(0), Strain(1), Limit(1)];
            assert_eq!(stages[first..first + 4], iterations, "{integrator}");
            let rest = &stages[first + 4..];
            assert!(matches!(rest[0], Weld(_)) && rest.contains(&Guard), "{integrator}: {rest:?}");
            assert!(!rest.contains(&Strain(0)), "{integrator}: {rest:?}");
        }
    }

    #[test]
    fn whoever_moves_vertices_minds_the_walls() {
        for integrator in Integrator::ALL {
            let passes = of(World { integrator, ..World::default() });
            let mut stages = passes.iter().flat_map(|pass| &pass.stages);
            assert!(stages.any(|stage| stage.fused().contains(&Fused::Walls)), "{integrator}");
        }
    }
}
