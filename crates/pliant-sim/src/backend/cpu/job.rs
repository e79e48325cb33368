//! Running steps: one job of the pool covers many.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Cpu;
use super::stopwatch::Stopwatch;
use crate::model::{Family, Model};
use crate::pool::Team;
use crate::scene::World;
use crate::simd::Level;
use crate::stages::air::air_in;
use crate::stages::air::cpu::Exposed;
use crate::stages::air::formula::Air;
use crate::stages::colliders::cpu::Substep;
use crate::stages::colliders::{Colliders, Stretch};
use crate::stages::contact::cpu::{ContactJob, Contacts, Families, ImplicitRows};
use crate::stages::cpu::Work;
use crate::stages::implicit::cpu::solve::ImplicitStep;
use crate::stages::implicit::cpu::{Solver, SolverJob};
use crate::stages::integrate::{Coefficients, history_count};
use crate::stages::pins::{self, Pins};
use crate::stages::plasticity::cpu::{Yielding, YieldingJob};
use crate::stages::seams::cpu::Sewing;
use crate::stages::shapes::cpu::MatchingJob;
use crate::stages::strain::cpu::LimitingJob;
use crate::stages::touch::cpu::Interactions;
use crate::step::{Advance, Asked, Blowup, BodyConstants, Over, Pass, Stage, Stop, body_constants};

impl Cpu {
    /// Computes the forces that the first step of velocity Verlet or Beeman starts from.
    pub fn compute_forces(&mut self) {
        let work = Work::new(&self.slots, &mut self.layout, self.arrays.shared());
        let (level, blocks, team) = (self.level, work.block_count(), self.pool.lead());
        team.each(blocks, &|block| work.forces(level, block));
        team.each(blocks, &|block| work.collect(block));
    }

    /// Lays out surfaces where they may touch, and forgets them where they may not.
    fn prepare_contact(&mut self, model: &Model, world: &World) {
        let Some(settings) = &world.contact else {
            self.contacts = None;
            self.anchors = Vec::new();
            return;
        };
        let families = Families::new(model, world);
        let takes = |contacts: &mut Contacts| contacts.take(model, settings, &families);
        if !self.contacts.as_mut().is_some_and(takes) {
            let mut contacts = Contacts::new(model, &self.slots, settings, families);
            let anchors = self.contacts.as_ref().map(Contacts::anchors);
            contacts.load(&anchors.unwrap_or_else(|| std::mem::take(&mut self.anchors)));
            self.contacts = Some(contacts);
        }
    }

    /// Runs the substeps of a stretch that are left.
    pub fn advance(&mut self, model: &Model, advance: &Advance<'_>) -> Result<(), Stop> {
        let world = advance.world;
        let families = model.families(world);
        let is_implicit = families.contains(Family::Implicit);
        self.arrays.prepare_history(history_count(world.integrator).max(usize::from(is_implicit)));
        // Contact of bodies of both kinds is a load of those that take implicit steps.
        let is_mixed = is_implicit && families.contains(Family::Explicit);
        let of_contact = is_mixed && world.contact.is_some();
        if !advance.has_loads() {
            self.arrays.prepare_touch(false);
        }
        self.arrays.prepare_touch(advance.has_loads() || of_contact);
        if world.wind.is_some() && self.exposed.is_none() {
            self.exposed = Some(Exposed::new(model, &self.slots));
        }
        self.arrays.prepare_contact(!model.colliders.is_empty());
        if world.plasticity > 0.0 && self.yielding.is_none() {
            self.yielding = Some(Yielding::new(model, &mut self.layout));
        }
        let passes = advance.passes(model);
        let solves = passes.iter().any(|pass| pass.stages.contains(&Stage::Implicit));
        if solves && advance.is_first() {
            self.arrays.start_falling(world.gravity.map(|g| g as f32));
        }
        if is_implicit && self.solver.is_none() {
            self.solver = Some(Solver::new(model, &self.slots));
        }
        self.prepare_contact(model, world);
        self.contacts.iter_mut().for_each(|contacts| contacts.mark(&self.arrays.position));
        if advance.is_timed {
            self.stopwatch.prepare(&passes);
        }
        let job = Job {
            advance,
            level: self.level,
            constants: body_constants(model, advance),
            colliders: (!model.colliders.is_empty())
                .then(|| (&model.colliders, Stretch::new(&model.colliders, advance))),
            pins: (!model.pins.is_empty())
                .then(|| (&model.pins, pins::Stretch::new(&model.pins, advance))),
            sewing: (!model.seams.is_empty())
                .then(|| Sewing::new(&model.seams, &self.seams, advance)),
            sews_in_system: model.sewn_family(world) == Some(Family::Implicit),
            limiting: self.limiting.as_mut().map(|limiting| limiting.run(advance.h)),
            matching: self.matching.as_mut().map(|matching| matching.run(model, advance)),
            interactions: Interactions::new(model, &self.slots, advance),
            exposed: self.exposed.as_ref(),
            air: (0..advance.count).map_while(|i| air_in(advance, i, true)).collect(),
            work: Work::new(&self.slots, &mut self.layout, self.arrays.shared()),
            yielding: self.yielding.as_mut().map(|y| y.run(model, world.plasticity)),
            solving: self
                .solver
                .as_mut()
                .map(|s| s.run(world.implicit, &self.slots, !model.colliders.is_empty())),
            contact: self.contacts.as_mut().map(Contacts::open),
            families: model.blocks.iter().map(|b| model.family_of(b, world)).collect(),
            blowup: AtomicU64::new(u64::MAX),
            too_long: AtomicU64::new(u64::MAX),
            asked: Asked::default(),
            stopwatch: advance.is_timed.then_some(&self.stopwatch),
            #[cfg(test)]
            drill: model.drill.map(|drill| drill.run(&self.drill, model.blocks.len(), advance)),
        };
        job.run_all(&self.pool.lead(), &passes);
        self.no_room = job.contact.as_ref().and_then(ContactJob::no_room);
        let (substeps, pause) = (job.complete_substeps(), job.asked.pause());
        let stops = (job.too_long.into_inner(), job.blowup.into_inner());
        if advance.is_timed {
            let begun = substeps.saturating_add(1).min(advance.count);
            self.stopwatch.substeps += pause.map_or(begun, |pause| pause.done) - advance.done;
        }
        if let Some(pause) = pause {
            return Err(Stop::Paused(pause));
        }
        match stops {
            (u64::MAX, u64::MAX) => Ok(()),
            // What is no number any more was too long, too, as long as that is asked.
            (substep, _) if substep == substeps => Err(Stop::TooLong { substep }),
            (_, packed) => Err(Stop::Blowup(Blowup { substep: substeps, vertex: packed as u32 })),
        }
    }
}

/// What the workers share while steps run.
struct Job<'a> {
    advance: &'a Advance<'a>,
    level: Level,
    constants: Vec<BodyConstants>,
    /// Where colliders are in each substep, if there are any.
    colliders: Option<(&'a Colliders, Stretch)>,
    /// Where pinned vertices are led in each substep, if there are any.
    pins: Option<(&'a Pins, pins::Stretch)>,
    sewing: Option<Sewing<'a>>,
    /// Whether that is part of implicit steps.
    sews_in_system: bool,
    limiting: Option<LimitingJob<'a>>,
    matching: Option<MatchingJob<'a>>,
    interactions: Interactions<'a>,
    exposed: Option<&'a Exposed>,
    /// The air in each substep, if there is any.
    air: Vec<Air<f32>>,
    work: Work,
    yielding: Option<YieldingJob<'a>>,
    solving: Option<SolverJob<'a>>,
    contact: Option<ContactJob<'a>>,
    /// How each block is stepped.
    families: Vec<Family>,
    /// Earliest substep, then lowest vertex: the same whoever finds it first.
    blowup: AtomicU64,
    /// Earliest implicit substep that was refused.
    too_long: AtomicU64,
    /// Where stages ask for room.
    asked: Asked,
    /// The clock that passes are timed with, if they are.
    stopwatch: Option<&'a Stopwatch>,
    #[cfg(test)]
    drill: Option<crate::stages::drill::cpu::Running<'a>>,
}

impl Job<'_> {
    /// What a pass does when it is a block's turn: that of the first one is that of the whole model, too.
    fn act(&self, pass: &Pass, block: usize, substep: u64) {
        for &stage in &pass.stages {
            let is_due = match pass.over {
                Over::Blocks => stage.families().contains(&self.families[block]),
                Over::Once => block == 0,
                Over::Own => false,
            };
            if is_due {
                self.run(stage, block, substep);
            }
        }
    }

    /// Runs the passes of all substeps that are left, until one goes wrong or asks for room.
    fn run_all(&self, team: &Team<'_>, passes: &[Pass]) {
        let (blocks, count) = (self.work.block_count(), passes.len() as u64);
        let substeps = self.advance.done..self.advance.count;
        // Where nobody has to decide or to look at the clock in between, workers go from pass to pass.
        if self.stopwatch.is_none() && passes.iter().all(|pass| pass.over != Over::Own) {
            let substep = |n: u64| substeps.start + n / count;
            let ended_well = |n: u64| n % count < count - 1 || !self.stopped_by(substep(n));
            let goes_on = |n: u64| !self.asked.is_paused() && ended_well(n);
            let act = |n: u64, block| self.act(&passes[(n % count) as usize], block, substep(n));
            let all = (substeps.end - substeps.start) * count;
            return team.roll(all, blocks, &act, &goes_on);
        }
        let mut lap = self.stopwatch.map(Stopwatch::start);
        for substep in substeps {
            for pass in passes {
                match pass.over {
                    Over::Own => self.lead(pass.stages[0], team, substep),
                    Over::Blocks | Over::Once => {
                        team.each(blocks, &|block| self.act(pass, block, substep));
                    }
                }
                if let Some(lap) = &mut lap {
                    lap.end(pass);
                }
                if self.asked.is_paused() {
                    return;
                }
            }
            if self.stopped_by(substep) {
                return;
            }
        }
    }

    /// Runs one stage on one block, or on the whole model.
    fn run(&self, stage: Stage, block: usize, substep: u64) {
        match stage {
            Stage::Pins => self.pins.iter().for_each(|(pins, stretch)| {
                pins::cpu::lead(pins, stretch, &self.work, substep);
            }),
            Stage::Elastic => self.work.forces(self.level, block),
            Stage::Air => {
                if let Some((exposed, air)) = self.air_in(substep) {
                    exposed.blow((&self.work, self.level), block, air, 0.0);
                }
            }
            Stage::Collect => self.work.collect(block),
            Stage::Seams => self.sewing.iter().for_each(|sewing| sewing.pull(&self.work)),
            Stage::Weld(ends) => {
                self.sewing.iter().for_each(|sewing| sewing.weld(&self.work, ends));
            }
            Stage::Strain(n) => {
                self.limiting.iter().for_each(|limiting| limiting.find(&self.work, block, n));
            }
            Stage::Limit(_) => {
                self.limiting.iter().for_each(|limiting| limiting.take(&self.work, block));
            }
            Stage::Shapes => {
                self.matching
                    .iter()
                    .for_each(|matching| matching.find(self.level, &self.work, block));
            }
            Stage::Match => {
                self.matching.iter().for_each(|matching| matching.take(&self.work, block));
            }
            Stage::Touch => self.interactions.apply(&self.work, block, substep),
            Stage::Integrate(n) => self.integrate(n, block, substep),
            Stage::Plasticity => {
                self.yielding.iter().for_each(|y| y.test(&self.work, block));
            }
            Stage::Merge => self.yielding.iter().for_each(|y| y.merge(&self.work)),
            Stage::Contact | Stage::Guard | Stage::Implicit => {
                unreachable!("it has passes of its own")
            }
            #[cfg(test)]
            Stage::Drill => {
                self.drill.iter().for_each(|drill| drill.fill(block, substep, &self.asked));
            }
        }
    }

    /// A stage with passes of its own.
    fn lead(&self, stage: Stage, team: &Team<'_>, substep: u64) {
        match stage {
            Stage::Contact => self.contact.iter().for_each(|contact| {
                let with = (team, self.level);
                let work = (&self.work, self.sewing.as_ref());
                contact.run(with, work, self.advance, &self.constants, substep, &self.asked);
            }),
            Stage::Guard => self.contact.iter().for_each(|contact| {
                let with = (team, self.level);
                let work = (&self.work, self.sewing.as_ref());
                contact.guard(with, work, self.advance, substep, &self.asked);
            }),
            Stage::Implicit => self.solve(team, substep),
            other => unreachable!("{} has no passes of its own", other.name()),
        }
    }

    /// An implicit step.
    fn solve(&self, team: &Team<'_>, substep: u64) {
        let Some(solving) = &self.solving else { return };
        let Advance { world, h, .. } = *self.advance;
        if let Some(contact) = &self.contact {
            let (with, how) = ((team, self.level), (self.advance, &self.constants[..]));
            let work = (&self.work, self.sewing.as_ref());
            if !contact.find_implicit(with, work, how, substep, &self.asked) {
                return;
            }
        }
        let outcome = solving.step(&ImplicitStep {
            work: &self.work,
            level: self.level,
            team,
            families: &self.families,
            constants: &self.constants,
            interactions: &self.interactions,
            // The matrix has the resistance of the air: nothing has to be limited.
            air: self.air_in(substep).map(|(exposed, air)| (exposed, Air { h: 0.0, ..air })),
            substep,
            h,
            damping: world.damping,
            is_strict: self.advance.is_strict,
            has_friction: world.bounds.as_ref().is_some_and(|bounds| bounds.friction > 0.0)
                || self.colliders.is_some(),
            colliders: self.colliders_in(substep),
            begins_step: self.advance.begins_step(substep),
            contact: self.contact.as_ref().map(|contact| contact as &dyn ImplicitRows),
            sewing: self.sewing.as_ref().filter(|_| self.sews_in_system),
            loads: self.contact.as_ref().and_then(ContactJob::loads),
        });
        if outcome.is_refused {
            self.too_long.fetch_min(substep, Ordering::Relaxed);
        }
        if let Some(vertex) = outcome.bad {
            self.blowup.fetch_min(substep << 32 | u64::from(vertex), Ordering::Relaxed);
        }
    }

    /// What of the bodies is in the air, and the air in a substep, if there is any.
    fn air_in(&self, substep: u64) -> Option<(&Exposed, Air<f32>)> {
        self.exposed.zip(self.air.get(substep as usize).copied())
    }

    /// The colliders in a substep, if there are any.
    fn colliders_in(&self, substep: u64) -> Option<Substep<'_>> {
        self.colliders.as_ref().map(|(colliders, stretch)| Substep {
            poses: stretch.at(substep),
            heights: &colliders.heights,
            origins: self.advance.origins,
            per_h: (1.0 / self.advance.h) as f32,
            begins_step: self.advance.begins_step(substep),
        })
    }

    fn integrate(&self, n: u8, block: usize, substep: u64) {
        let Advance { world, h, .. } = *self.advance;
        let h_last = if substep == 0 { self.advance.h_last } else { h };
        let update = Coefficients::new(world.integrator, n, h, h_last, world.damping);
        let colliders = self.colliders_in(substep);
        let bodies = (&self.constants[..], colliders);
        if let Some(vertex) = self.work.update(self.level, block, bodies, update) {
            self.blowup.fetch_min(substep << 32 | u64::from(vertex), Ordering::Relaxed);
        }
    }

    /// Whether something had gone wrong when `substep` ended.
    fn stopped_by(&self, substep: u64) -> bool {
        self.complete_substeps() <= substep
    }

    /// Substeps that were complete before the first one that went wrong.
    fn complete_substeps(&self) -> u64 {
        let bad = match self.blowup.load(Ordering::Relaxed) {
            u64::MAX => u64::MAX,
            packed => packed >> 32,
        };
        bad.min(self.too_long.load(Ordering::Relaxed))
    }
}
