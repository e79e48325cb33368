//! Surfaces whose motion is given, while steps run.
//!
//! Their vertices live in slots behind those of all blocks ([`Slots::given`]), so that no stage but contact knows
//! them. Where they are follows from the time alone, and from how far hands have carried them. In each substep those
//! that move are put where they are at its start, with the velocity that takes them to where they are at its end; what
//! stands still is put there once.
//! Shapes that change are asked where they are at both ends of a *step* and go straight in between.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::ahead::Ahead;
use crate::contact::tree::Apart;
use crate::model::{Given, Model};
use crate::pool::Team;
use crate::scene::{Integrator, Pose};
use crate::simd::Lanes;
use crate::stages::contact::given::origin;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Run;
use crate::step::Advance;

/// Elements of four vertices that a worker places at a time.
const GRAIN: usize = 256;

/// All of them.
pub(super) struct GivenSurfaces {
    all: Vec<Moving>,
    /// Origins of the coordinates of all bodies, then of these \[m\].
    pub origins: Vec<[f64; 3]>,
    /// Points as a motion has them, which are not used otherwise.
    scratch: Vec<[f64; 3]>,
    /// The longest way that one of their vertices goes in the substep \[m\].
    pub longest_way: f32,
}

/// One of them.
struct Moving {
    given: Arc<Given>,
    run: Run,
    /// Of what deforms: where vertices are at the start and at the end of a step \[m\], and the times of its motion
    /// that this is for \[s\].
    ends: [Vec<[f64; 3]>; 2],
    times: [f64; 2],
    /// How far it was carried when the substep began that it is in its slots for, and when that ended \[m\].
    placed: Option<[[f64; 3]; 2]>,
    /// Whether hands have moved it since all were last placed anew.
    was_carried: bool,
    /// What rows gave it in the present step \[N·s\].
    impulse: [f64; 3],
}

/// Where vertices are during a substep, beside what hands have done.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// At its start, and at its end.
    Rigid([Pose; 2]),
    /// At the start and at the end of the step, and which parts of it have gone at the start of the substep, and at
    /// its end.
    Straight([&'a [[f64; 3]]; 2], [f64; 2]),
}

impl GivenSurfaces {
    pub fn new(model: &Model, runs: &[Run]) -> Self {
        let moving = |(given, run): (&Arc<Given>, &Run)| {
            let room = || Vec::with_capacity(if given.deforms() { given.points.len() } else { 0 });
            Moving {
                given: given.clone(),
                run: run.clone(),
                ends: [room(), room()],
                times: [f64::NAN; 2],
                placed: None,
                was_carried: false,
                impulse: [0.0; 3],
            }
        };
        let origins = model.bodies.iter().map(|body| body.origin);
        Self {
            all: model.given.iter().zip(runs).map(moving).collect(),
            origins: origins.chain(model.given.iter().map(|given| origin(given))).collect(),
            scratch: Vec::new(),
            longest_way: 0.0,
        }
    }

    /// Lets the next substep place all of them: the arrays are other ones.
    pub fn forget(&mut self) {
        self.all.iter_mut().for_each(|moving| (moving.placed, moving.was_carried) = (None, false));
    }

    /// Puts them where they are in call number `call` of a substep, and tells how fast they are.
    pub fn place(
        &mut self,
        team: &Team,
        work: &Work,
        advance: &Advance<'_>,
        (substep, call): (u64, usize),
        ahead: &mut Ahead,
    ) {
        let bodies = advance.origins.len();
        self.origins[..bodies].copy_from_slice(advance.origins);
        let later = positions_at(advance.world.integrator, call);
        let (step, [from, to]) = advance.step_at(substep);
        let mut fastest = 0.0_f32;
        for (moving, &origin) in self.all.iter_mut().zip(&self.origins[bodies..]) {
            let displaced = advance.displaced_in(moving.given.collider, substep, later);
            let is_carried = displaced[0] != displaced[1];
            if moving.given.is_still() && !is_carried && moving.placed == Some(displaced) {
                continue;
            }
            moving.was_carried |= moving.placed.is_some_and(|placed| placed != displaced);
            moving.placed = Some(displaced);
            let way = if moving.given.deforms() {
                moving.find_ends(step, &mut self.scratch);
                let part = later * (to - from);
                Way::Straight([&moving.ends[0], &moving.ends[1]], [from + part, to + part])
            } else {
                let (_, end) = advance.when(substep + 1);
                let (end, h) = (end + later * advance.h, advance.h);
                Way::Rigid([moving.given.pose_before(end, h), moving.given.pose(end)])
            };
            fastest = fastest.max(put(team, work, ahead, moving, origin, way, advance.h));
        }
        self.longest_way = fastest * advance.h as f32;
    }

    /// Puts those that move where they are when a substep ends, and writes where they are when it begins to `start`.
    /// The end of one is the start of the next, to the last bit, unless a motion begins again or a hand puts one
    /// elsewhere: says whether one has jumped like that.
    pub fn move_on(
        &self,
        team: &Team,
        work: &Work,
        advance: &Advance<'_>,
        substep: u64,
        start: &mut [Lanes],
    ) -> bool {
        let bodies = advance.origins.len();
        let has_jumped = AtomicBool::new(false);
        let (_, parts) = advance.step_at(substep);
        let [(_, begins), (_, ends)] = [advance.when(substep), advance.when(substep + 1)];
        let start = Apart::new(start, 1);
        for (moving, &origin) in self.all.iter().zip(&self.origins[bodies..]) {
            if moving.given.is_still() && !moving.was_carried {
                continue;
            }
            let way = match moving.given.deforms() {
                true => Way::Straight([&moving.ends[0], &moving.ends[1]], parts),
                false => Way::Rigid(moving.given.poses_in(begins, ends)),
            };
            let displaced = advance.displaced_in(moving.given.collider, substep, 0.0);
            moving.each_element(team, &|element, vertices| {
                let (mut from, mut to) = (Lanes::default(), Lanes::default());
                for (n, v) in vertices.enumerate() {
                    let [begin, end] = [0, 1].map(|end| way.at(moving, v, end, displaced));
                    for k in 0..3 {
                        from.0[4 * n + k] = (begin[k] - origin[k]) as f32;
                        to.0[4 * n + k] = (end[k] - origin[k]) as f32;
                    }
                }
                // SAFETY: the arrays have these slots, which nobody else uses now; the team gives each number to one
                // worker.
                unsafe {
                    let start = &mut start.get(element)[0];
                    has_jumped.fetch_or(start.0 != from.0, Ordering::Relaxed);
                    *start = from;
                    *work.arrays.position.add(element) = to;
                }
            });
        }
        has_jumped.into_inner()
    }

    /// The runs of those that move, or that hands have moved.
    pub fn moving(&self) -> impl Iterator<Item = &Run> {
        let may_move = |moving: &&Moving| !moving.given.is_still() || moving.was_carried;
        self.all.iter().filter(may_move).map(|moving| &moving.run)
    }

    /// Adds up what rows gave in a substep, at those of `slots` that are theirs. A step `begins` with it or does not.
    pub fn note_impulses(&mut self, slots: &[u32], ahead: &Ahead, h: f64, begins: bool) {
        let Some(first) = self.all.first().map(|moving| moving.run.slots.start) else { return };
        if begins {
            self.all.iter_mut().for_each(|moving| moving.impulse = [0.0; 3]);
        }
        for &slot in slots.iter().filter(|&&slot| slot >= first) {
            let place = self.all.partition_point(|moving| moving.run.slots.end <= slot);
            let force = ahead.force(slot);
            let impulse = &mut self.all[place].impulse;
            impulse.iter_mut().zip(force).for_each(|(sum, f)| *sum += h * f64::from(f));
        }
    }

    /// What rows gave each of them in the last step \[N·s\].
    pub fn impulses(&self) -> Vec<[f64; 3]> {
        self.all.iter().map(|moving| moving.impulse).collect()
    }

    pub fn bytes(&self) -> usize {
        let ends = self.all.iter().flat_map(|moving| &moving.ends);
        (ends.map(Vec::capacity).sum::<usize>() + self.scratch.capacity()) * size_of::<[f64; 3]>()
    }
}

impl Moving {
    /// Calls `act` with every element of four slots in the arrays and the vertices in it, on all workers.
    fn each_element(&self, team: &Team, act: &(dyn Fn(usize, Range<usize>) + Sync)) {
        let vertices = self.given.points.len();
        let (first, count) = (self.run.slots.start as usize / 4, vertices.div_ceil(4));
        team.each(count.div_ceil(GRAIN), &|grain| {
            for element in grain * GRAIN..count.min((grain + 1) * GRAIN) {
                act(first + element, 4 * element..vertices.min(4 * element + 4));
            }
        });
    }

    /// Finds where vertices are at both ends of a step. The end of one is the start of the next.
    fn find_ends(&mut self, step: [f64; 2], scratch: &mut Vec<[f64; 3]>) {
        let times = self.given.within_step(step);
        if self.times[1].to_bits() == times[0].to_bits() {
            self.ends.swap(0, 1);
            self.times.swap(0, 1);
        }
        for ((now, &time), points) in self.times.iter_mut().zip(&times).zip(&mut self.ends) {
            if now.to_bits() != time.to_bits() {
                self.given.write_points_at(time, scratch, points);
                *now = time;
            }
        }
    }
}

/// How far into a substep, in parts of it, the positions are for which an integrator asks for forces the `call`-th
/// time.
fn positions_at(integrator: Integrator, call: usize) -> f64 {
    let places: &[f64] = match integrator {
        Integrator::VelocityVerlet | Integrator::Beeman => &[1.0],
        Integrator::Heun => &[0.0, 1.0],
        Integrator::Rk2 => &[0.0, 0.5],
        Integrator::Rk4 => &[0.0, 0.5, 0.5, 1.0],
        _ => &[0.0],
    };
    places.get(call).copied().unwrap_or(0.0)
}

impl Way<'_> {
    /// Where a vertex is at its start or its end \[m\].
    #[inline]
    fn at(&self, moving: &Moving, v: usize, end: usize, displaced: [[f64; 3]; 2]) -> [f64; 3] {
        let at: [f64; 3] = match self {
            Way::Rigid(poses) => poses[end].place(moving.given.points[v]),
            // Not by a sum that may be rounded.
            Way::Straight([_, to], parts) if parts[end] == 1.0 => to[v],
            Way::Straight([from, to], parts) => {
                let part = parts[end];
                std::array::from_fn(|k| from[v][k] + part * (to[v][k] - from[v][k]))
            }
        };
        std::array::from_fn(|k| at[k] + displaced[end][k])
    }
}

/// Writes positions and velocities of one; returns the largest speed \[m/s\].
fn put(
    team: &Team,
    work: &Work,
    ahead: &mut Ahead,
    moving: &Moving,
    origin: [f64; 3],
    way: Way<'_>,
    h: f64,
) -> f32 {
    let displaced = moving.placed.unwrap_or_default();
    let velocities = Apart::new(ahead.velocities_mut(), 1);
    // Bits of numbers that are not negative are ordered as these are.
    let fastest = AtomicU32::new(0);
    moving.each_element(team, &|element, vertices| {
        let (mut position, mut velocity, mut square) =
            (Lanes::default(), Lanes::default(), 0.0_f32);
        for (n, v) in vertices.enumerate() {
            let [start, end] = [0, 1].map(|end| way.at(moving, v, end, displaced));
            for k in 0..3 {
                position.0[4 * n + k] = (start[k] - origin[k]) as f32;
                velocity.0[4 * n + k] = ((end[k] - start[k]) / h) as f32;
            }
            let v = &velocity.0[4 * n..4 * n + 3];
            square = square.max(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
        // SAFETY: the arrays have these slots, which nobody else writes; the team gives each number to one
        // worker. With 1/mass 0, nothing but this moves them.
        unsafe {
            *work.arrays.position.add(element) = position;
            *work.arrays.velocity.add(element) = velocity;
            velocities.get(element)[0] = velocity;
        }
        fastest.fetch_max(square.to_bits(), Ordering::Relaxed);
    });
    f32::from_bits(fastest.into_inner()).sqrt()
}
