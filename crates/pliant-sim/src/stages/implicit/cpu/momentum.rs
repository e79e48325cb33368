//! The momentum of bodies that nothing holds.
//!
//! Springs and volumes give no momentum to the body that they belong to, so how much a step gives is
//! known beforehand: what comes from outside. In the right-hand side of a stiff body this is small
//! beside forces that cancel: it may be below what the tolerance leaves, or in digits that `f32` does
//! not have. What a search has missed of it is given to all vertices alike, which no spring notices.

use std::ops::Range;

use super::solve::{ImplicitStep, SolverJob};
use super::vectors::lane;
use crate::math::Vec3;
use crate::model::Model;
use crate::stages::cpu::slots::Slots;
use crate::stages::implicit::formula::inverse_symmetric;
use crate::stages::implicit::planes::{Symmetric, add_scaled, identity, square, times};

/// The part of a body's momentum that may be missing before it is made up.
const MISSED: f64 = 1e-6;

/// The momentum that the vertices of one body in one block have not got yet.
#[derive(Clone, Copy, Default)]
pub(super) struct MomentumDeficit {
    /// Momentum \[kg·m/s\].
    impulse: Vec3<f64>,
    /// How much momentum goes in and out of them \[kg·m/s\].
    turnover: f64,
    /// What has to be moved \[kg\].
    mass: Symmetric<f64>,
    /// The sum of I − P: the directions in which something holds the body.
    held: Symmetric<f64>,
}

impl MomentumDeficit {
    fn add(&mut self, other: &Self) {
        self.turnover += other.turnover;
        self.impulse += other.impulse;
        self.mass = add_scaled(self.mass, 1.0, other.mass);
        self.held = add_scaled(self.held, 1.0, other.held);
    }

    /// The velocity that makes up for it \[m/s\], where it is worth mentioning.
    fn velocity(&self) -> Option<[f64; 3]> {
        let free = null_space(self.held);
        let missing = times(&free, self.impulse);
        let most = missing.x.abs().max(missing.y.abs()).max(missing.z.abs());
        let is_missed = most > MISSED * self.turnover;
        is_missed.then(|| {
            let [diagonal, rest] = within(self.mass, free);
            if rest == [0.0; 3] {
                let missing: [f64; 3] = missing.into();
                return std::array::from_fn(|k| missing[k] / diagonal[k]);
            }
            times(&inverse_symmetric(diagonal, rest), missing).into()
        })
    }
}

/// What rows between two bodies have against a difference of their velocities.
#[derive(Clone, Copy)]
struct Link {
    bodies: [u32; 2],
    slope: Symmetric<f64>,
}

/// Momentum of all bodies, between passes.
#[derive(Default)]
struct Whole {
    /// By body: its deficit, the directions in which it is free, and the velocity that makes up for the deficit.
    deficits: Vec<MomentumDeficit>,
    free: Vec<Symmetric<f64>>,
    velocity: Vec<Vec3<f64>>,
    /// Residual, search direction and product of the search for those.
    search: [Vec<Vec3<f64>>; 3],
    links: Vec<Link>,
}

/// Iterations for bodies that touch, at most, and how far residuals go down.
const MOST_ITERATIONS: usize = 200;
const GOAL: f64 = 1e-8;

impl Whole {
    fn new(bodies: usize) -> Self {
        Self {
            deficits: vec![MomentumDeficit::default(); bodies],
            free: vec![identity(); bodies],
            velocity: vec![Vec3::zero(); bodies],
            search: std::array::from_fn(|_| vec![Vec3::zero(); bodies]),
            links: Vec::new(),
        }
    }

    /// Adds what a row with the response `slope` and the impulse `given` on its first body does; `moves` says of both
    /// bodies whether they are free.
    fn add_row(
        &mut self,
        bodies: [u32; 2],
        moves: [bool; 2],
        given: Vec3<f64>,
        slope: Symmetric<f64>,
    ) {
        for ((body, moves), sign) in bodies.into_iter().zip(moves).zip([1.0, -1.0]) {
            if moves {
                let deficit = &mut self.deficits[body as usize];
                deficit.impulse += given * sign;
                deficit.turnover += given.length();
                deficit.mass = add_scaled(deficit.mass, 1.0, slope);
            }
        }
        if moves == [true; 2] {
            match self.links.last_mut().filter(|link| link.bodies == bodies) {
                Some(link) => link.slope = add_scaled(link.slope, 1.0, slope),
                None => self.links.push(Link { bodies, slope }),
            }
        }
    }

    /// The velocities that make up for all deficits: conjugate gradients for bodies as wholes.
    fn solve(&mut self) {
        let Self { deficits, free, velocity, search: [residual, direction, product], links } = self;
        velocity.fill(Vec3::zero());
        direction.fill(Vec3::zero());
        let scaled = |deficit: &MomentumDeficit, free: &Symmetric<f64>, r: Vec3<f64>| {
            let [diagonal, rest] = within(deficit.mass, *free);
            times(free, times(&inverse_symmetric(diagonal, rest), r))
        };
        for ((r, deficit), free) in residual.iter_mut().zip(&*deficits).zip(&*free) {
            *r = times(free, deficit.impulse);
        }
        let (mut last, mut goal) = (0.0, 0.0);
        for iteration in 0..MOST_ITERATIONS {
            let bodies = deficits.iter().zip(&*free).zip(&*residual);
            let rz: f64 = bodies.map(|((d, f), &r)| r.dot(scaled(d, f, r))).sum();
            if iteration == 0 {
                goal = GOAL * GOAL * rz;
            }
            if rz.is_nan() || rz <= goal {
                return;
            }
            let beta = if iteration == 0 { 0.0 } else { rz / last };
            for (n, p) in direction.iter_mut().enumerate() {
                *p = scaled(&deficits[n], &free[n], residual[n]) + *p * beta;
                product[n] = times(&deficits[n].mass, *p);
            }
            for Link { bodies: [a, b], slope } in &*links {
                let [a, b] = [*a, *b].map(|body| body as usize);
                product[a] -= times(slope, direction[b]);
                product[b] -= times(slope, direction[a]);
            }
            let curvature: f64 = direction.iter().zip(&*product).map(|(p, y)| p.dot(*y)).sum();
            let alpha = rz / curvature;
            if !alpha.is_finite() || curvature <= 0.0 {
                return;
            }
            for n in 0..velocity.len() {
                velocity[n] += direction[n] * alpha;
                residual[n] -= times(&free[n], product[n]) * alpha;
            }
            last = rz;
        }
    }
}

/// The part of the trace below which a direction counts as free.
const HARDLY: f64 = 1e-6;

/// The projection on the directions in which a matrix without negative eigenvalues is zero.
fn null_space(mut a: Symmetric<f64>) -> Symmetric<f64> {
    let mut free = identity();
    let least = HARDLY * a[0].iter().sum::<f64>();
    for _ in 0..3 {
        let [[xx, yy, zz], [xy, yz, zx]] = a;
        let columns = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]];
        let k = (0..3).max_by(|&i, &j| a[0][i].total_cmp(&a[0][j])).unwrap_or(0);
        if a[0][k].is_nan() || a[0][k] <= least {
            break;
        }
        let column = Vec3::from(columns[k]);
        let length = column.length();
        let axis = column.map(|c| c / length);
        free = add_scaled(free, -1.0, square(axis));
        // What is left at right angles to it.
        let of_axis = times(&a, axis);
        let both = square(of_axis + axis);
        let sum = add_scaled(add_scaled(both, -1.0, square(of_axis)), -1.0, square(axis));
        a = add_scaled(add_scaled(a, -1.0, sum), axis.dot(of_axis), square(axis));
    }
    free
}

/// P a P + (I − P) trace a: `a` for those directions that a projection leaves, and something that can be inverted for
/// the others.
fn within(a: Symmetric<f64>, free: Symmetric<f64>) -> Symmetric<f64> {
    let column = |k: usize| {
        let mut unit = [0.0; 3];
        unit[k] = 1.0;
        <[f64; 3]>::from(times(&free, times(&a, times(&free, unit.into()))))
    };
    let [x, y, z] = [0, 1, 2].map(column);
    let others = add_scaled(identity(), -1.0, free);
    add_scaled([[x[0], y[1], z[2]], [x[1], y[2], z[0]]], a[0].iter().sum(), others)
}

/// Room for the deficit of each run of vertices.
pub(super) struct MomentumDeficits {
    runs: Vec<MomentumDeficit>,
    /// Where the runs of each block begin.
    first: Vec<usize>,
    /// The runs of each body, in the order of the blocks; none of bodies with locked vertices.
    of_body: Vec<Vec<usize>>,
    whole: Whole,
}

/// The same, during a job.
#[derive(Clone, Copy)]
pub(super) struct DeficitsByRun<'a> {
    runs: *mut MomentumDeficit,
    whole: *mut Whole,
    first: &'a [usize],
    of_body: &'a [Vec<usize>],
}

impl DeficitsByRun<'_> {
    /// Whether a body has no vertex that is locked.
    fn is_free(&self, body: u32) -> bool {
        self.of_body.get(body as usize).is_some_and(|runs| !runs.is_empty())
    }
}

impl MomentumDeficits {
    pub fn new(model: &Model, slots: &Slots) -> Self {
        let all_move = |r: &Range<u32>| {
            model.inv_mass[r.start as usize..r.end as usize].iter().all(|&m| m > 0.0)
        };
        // What is sewn to another body passes its momentum on.
        let is_free: Vec<bool> = (0..)
            .zip(&model.bodies)
            .map(|(n, b)| all_move(&b.vertices) && !model.seams.join_others(n))
            .collect();
        let mut of_body = vec![Vec::new(); model.bodies.len()];
        let mut count = 0;
        let mut first = Vec::with_capacity(slots.blocks.len());
        for block in &slots.blocks {
            first.push(count);
            for run in &block.runs {
                if is_free[run.body as usize] {
                    of_body[run.body as usize].push(count);
                }
                count += 1;
            }
        }
        let whole = Whole::new(model.bodies.len());
        Self { runs: vec![MomentumDeficit::default(); count], first, of_body, whole }
    }

    pub fn open(&mut self) -> DeficitsByRun<'_> {
        let Self { runs, first, of_body, whole } = self;
        DeficitsByRun { runs: runs.as_mut_ptr(), whole, first, of_body }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let lists = self.of_body.iter().map(|runs| size_of_val(&runs[..])).sum::<usize>();
        size_of_val(&self.runs[..])
            + size_of_val(&self.first[..])
            + size_of_val(&self.of_body[..])
            + lists
    }
}

impl SolverJob<'_> {
    /// Adds to free bodies the momentum that the iterations have not found. Also before contacts are
    /// revised: what is missing may lead through a wall.
    pub(super) fn correct_momentum(&self, step: &ImplicitStep<'_>) {
        if self.deficits.of_body.iter().all(Vec::is_empty) {
            return;
        }
        self.each(step, |block| self.find_deficits(step, block));
        let has_pairs = self.has_pairs();
        if has_pairs && !self.solve_whole(step) {
            return;
        }
        self.each(step, |block| {
            let runs = step.work.slots().blocks[block].runs.iter();
            for run in runs.filter(|r| self.deficits.is_free(r.body)) {
                let more = match has_pairs {
                    // SAFETY: nobody writes them in this pass.
                    true => unsafe { (&(*self.deficits.whole).velocity)[run.body as usize].into() },
                    false => match self.deficit_of(run.body).velocity() {
                        Some(more) => more,
                        None => continue,
                    },
                };
                for slot in run.slots.clone() {
                    // SAFETY: the block's own slots are this call's alone.
                    let delta = unsafe { lane(self.vectors.delta, slot) };
                    (0..3).for_each(|k| delta[k] = (f64::from(delta[k]) + more[k]) as f32);
                }
            }
        });
    }

    /// The same for bodies that may touch each other, which pass momentum on; returns whether any is missing.
    fn solve_whole(&self, step: &ImplicitStep<'_>) -> bool {
        // SAFETY: the one who leads alone comes here, between passes.
        let (whole, pairs) = unsafe { (&mut *self.deficits.whole, self.pairs()) };
        whole.links.clear();
        for (body, deficit) in whole.deficits.iter_mut().enumerate() {
            *deficit = self.deficit_of(body as u32);
        }
        for pair in pairs.iter().filter(|pair| !pair.is_open()) {
            let moves = pair.bodies.map(|body| self.deficits.is_free(body));
            if pair.bodies[0] == pair.bodies[1] || moves == [false; 2] {
                continue;
            }
            // SAFETY: as above.
            let u = unsafe { pair.velocity(&self.vectors, step.work.arrays.velocity) };
            let response = &pair.row.response;
            let given = Vec3::of(response.at(u).to_f64());
            let slope = response.matrix().map(|three| three.map(f64::from));
            whole.add_row(pair.bodies, moves, given, slope);
        }
        let mut is_missed = false;
        for (body, (deficit, free)) in whole.deficits.iter().zip(&mut whole.free).enumerate() {
            let moves = self.deficits.is_free(body as u32);
            *free = if moves { null_space(deficit.held) } else { Symmetric::default() };
            is_missed |= times(free, deficit.impulse).length() > MISSED * deficit.turnover;
        }
        if is_missed {
            whole.solve();
        }
        is_missed
    }

    fn find_deficits(&self, step: &ImplicitStep<'_>, number: usize) {
        let arrays = step.work.arrays;
        let v = &self.vectors;
        let start = self.start.map_or(arrays.velocity, |[_, velocity]| velocity);
        let DeficitsByRun { runs, first, .. } = self.deficits;
        let own_runs = step.work.slots().blocks[number].runs.iter().enumerate();
        for (n, run) in own_runs.filter(|(_, r)| self.deficits.is_free(r.body)) {
            let body = &step.constants[run.body as usize];
            let mut deficit = MomentumDeficit::default();
            let mut missing = [0.0; 3];
            for slot in run.slots.clone() {
                // SAFETY: the block's own slots are this call's alone.
                let [velocity, before, delta, own, rest, contacts] =
                    [arrays.velocity, start, v.delta, v.inverse, v.inverse_rest, v.contacts]
                        .map(|array| unsafe { *lane(array, slot) });
                let touch = match arrays.touch.is_null() {
                    true => [0.0; 4],
                    // SAFETY: as above.
                    false => unsafe { *lane(arrays.touch, slot) },
                };
                // Newton's iterations have the forces of touches where they lead; one linearisation has
                // their resistance to the change instead.
                let inertia = match self.start.is_some() {
                    true => f64::from(rest[3]) * (1.0 + step.h * step.damping),
                    false => f64::from(own[3]),
                };
                let free = self.projection(slot);
                let after: [f64; 3] =
                    std::array::from_fn(|k| f64::from(velocity[k]) + f64::from(delta[k]));
                let resistance = f64::from(contacts[3]);
                // Most vertices touch nothing.
                let is_held = resistance != 0.0 || free != identity::<f64>();
                let braked = match is_held {
                    true => {
                        let relative = Vec3::from(after) - self.surface_velocity(slot);
                        (times(&free, relative) * resistance).into()
                    }
                    false => [0.0; 3],
                };
                for k in 0..3 {
                    let fall = f64::from(body.gravity[k]) - step.damping * f64::from(before[k]);
                    let pull = f64::from(body.external[k]) + f64::from(touch[k]);
                    let given = step.h * (pull + f64::from(rest[3]) * fall) - braked[k];
                    let found = inertia * (after[k] - f64::from(before[k]));
                    missing[k] += given - found;
                    deficit.turnover += given.abs() + found.abs();
                }
                deficit.mass = add_scaled(deficit.mass, inertia, identity());
                if is_held {
                    deficit.mass = add_scaled(deficit.mass, resistance, free);
                }
                deficit.held = add_scaled(deficit.held, 1.0, identity());
                deficit.held = add_scaled(deficit.held, -1.0, free);
            }
            deficit.impulse = missing.into();
            // SAFETY: the block's own runs are this call's alone.
            unsafe { *runs.add(first[number] + n) = deficit };
        }
    }

    /// The projection on what is free at a slot.
    fn projection(&self, slot: u32) -> Symmetric<f64> {
        let v = &self.vectors;
        let three = |array| {
            // SAFETY: the caller's block owns the slot.
            let [x, y, z, _] = unsafe { *lane(array, slot) };
            [x, y, z].map(f64::from)
        };
        [three(v.mask), if v.mask_rest.is_null() { [0.0; 3] } else { three(v.mask_rest) }]
    }

    /// The velocity against which friction acts at a slot.
    fn surface_velocity(&self, slot: u32) -> Vec3<f64> {
        let array = self.vectors.surface;
        if array.is_null() {
            return Vec3::zero();
        }
        // SAFETY: the caller's block owns the slot.
        let [x, y, z, _] = unsafe { *lane(array, slot) };
        Vec3::from([x, y, z].map(f64::from))
    }

    /// The deficit of a body, summed in the order of the blocks.
    fn deficit_of(&self, body: u32) -> MomentumDeficit {
        let mut all = MomentumDeficit::default();
        for &run in &self.deficits.of_body[body as usize] {
            // SAFETY: nobody writes them in this pass.
            all.add(unsafe { &*self.deficits.runs.add(run) });
        }
        all
    }
}
