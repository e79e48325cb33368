//! Rigid clusters of four vertices, such as single tetrahedra: sixteen side by side in vector registers.
//!
//! The same formulas as in [`super::super::matching`], lane by lane. Vertices are those of the block's own slots and of its
//! copies of others', which are refreshed first; impulses are added up there, and owners collect what others have for
//! them in the next pass.

use std::collections::HashMap;

use super::super::formula::{HARDEST, IMPROVEMENTS, LEAST_CURVATURE, LIMIT, Pull};
use super::super::matching::ROUNDING;
use super::super::{Cluster, NO_TURN, Shapes};
use crate::model::Model;
use crate::scene::ShapeMode;
use crate::simd::three::{add, cross, dot, mul, mul_add, sub};
use crate::simd::{Lane4, Lanes, Lanes16, Level, SCATTER_ORDER, Task, run_at};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;

/// How many clusters further on are looked at for one that fits a lane.
const AHEAD: usize = 64;
/// In place of a cluster: a lane that does nothing.
const NOBODY: u32 = u32::MAX;

/// Sixteen clusters of a kind.
struct Group {
    /// By member, twice the number of its vertex within the block.
    index: [[u16; 16]; 4],
    /// Places at rest, seen from the centre \[m\].
    q: [[Lanes; 3]; 4],
    mass: [Lanes; 4],
    inv_mass: Lanes,
    radius: Lanes,
    kind: u32,
    /// The clusters.
    numbers: [u32; 16],
}

/// All groups of a model.
#[derive(Default)]
pub struct Fours {
    groups: Vec<Group>,
    /// Where the groups of each block begin, and where the last ones end.
    first: Vec<u32>,
    /// Rotations, group by group: a lane for each cluster.
    turns: Vec<[Lanes; 4]>,
    /// Impulses by slot \[kg·m/s\].
    pulls: Vec<Lanes>,
}

impl Fours {
    /// Groups all clusters that can be, and marks them in `is_grouped`.
    pub fn new(model: &Model, slots: &Slots, is_grouped: &mut [bool]) -> Self {
        let shapes = &model.shapes;
        let mut of_tet: HashMap<[u32; 4], u32> = HashMap::new();
        for (n, cluster) in shapes.clusters.iter().enumerate() {
            let kind = &shapes.kinds[cluster.kind as usize];
            if cluster.count == 4 && kind.mode == ShapeMode::Rigid && kind.plasticity.is_none() {
                of_tet.insert(corners(shapes, cluster), n as u32);
            }
        }
        let mut fours = Self { first: vec![0], ..Self::default() };
        if of_tet.is_empty() {
            return fours;
        }
        let mut local = vec![0; slots.count];
        for (number, block) in model.blocks.iter().enumerate() {
            let tets = &model.tets[block.tets.start as usize..block.tets.end as usize];
            let sorted = tets.iter().map(|tet| {
                let mut tet = *tet;
                tet.sort_unstable();
                tet
            });
            let mut waiting: Vec<u32> = sorted.filter_map(|tet| of_tet.remove(&tet)).collect();
            waiting.iter().for_each(|&n| is_grouped[n as usize] = true);
            // Kinds apart, in the order of the tetrahedra.
            waiting.sort_by_key(|&n| shapes.clusters[n as usize].kind);
            slots.number_within(number, &mut local);
            let within = |v: u32| local[slots.slot_of[v as usize] as usize];
            let dummy = slots.blocks[number].dummy();
            waiting.reverse();
            while !waiting.is_empty() {
                let numbers = next_sixteen(shapes, &mut waiting);
                fours.groups.push(Group::new(shapes, numbers, dummy, within));
            }
            fours.first.push(fours.groups.len() as u32);
        }
        fours.turns = vec![NO_TURN.map(|c| Lanes([c; 16])); fours.groups.len()];
        fours.pulls = vec![Lanes::default(); slots.count.div_ceil(4)];
        fours
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Takes rotations over from those of all clusters.
    pub fn load(&mut self, turns: &[[f32; 4]]) {
        for (group, own) in self.groups.iter().zip(&mut self.turns) {
            for (lane, &n) in group.numbers.iter().enumerate().filter(|(_, n)| **n != NOBODY) {
                (0..4).for_each(|k| own[k].0[lane] = turns[n as usize][k]);
            }
        }
    }

    /// Writes rotations to those of all clusters.
    pub fn save(&self, turns: &mut [[f32; 4]]) {
        for (group, own) in self.groups.iter().zip(&self.turns) {
            for (lane, &n) in group.numbers.iter().enumerate().filter(|(_, n)| **n != NOBODY) {
                turns[n as usize] = own.each_ref().map(|lanes| lanes.0[lane]);
            }
        }
    }

    /// For a stretch of steps.
    pub fn run(&mut self) -> FoursJob<'_> {
        let (turns, pulls) = (self.turns.as_mut_ptr(), self.pulls.as_mut_ptr().cast());
        FoursJob { fours: self, turns, pulls }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.groups[..])
            + size_of_val(&self.turns[..])
            + size_of_val(&self.pulls[..])
            + 4 * self.first.len()
    }
}

fn corners(shapes: &Shapes, cluster: &Cluster) -> [u32; 4] {
    let members = shapes.members_of(cluster);
    std::array::from_fn(|k| members[k].vertex)
}

/// Takes up to sixteen clusters of one kind from the end of a list. Of two lanes that are added to memory together no
/// member is the same vertex; where none is found for a lane, it stays empty.
fn next_sixteen(shapes: &Shapes, waiting: &mut Vec<u32>) -> [u32; 16] {
    let mut numbers = [NOBODY; 16];
    let kind = waiting.last().map(|&n| shapes.clusters[n as usize].kind);
    let of = |n: u32| corners(shapes, &shapes.clusters[n as usize]);
    for pair in SCATTER_ORDER.chunks_exact(2) {
        for (&lane, other) in pair.iter().zip([None, Some(pair[0])]) {
            let beside = other.map(|lane| numbers[lane]).filter(|n| *n != NOBODY).map(of);
            let fits = |n: &u32| {
                let is_apart = beside.is_none_or(|beside| (0..4).all(|k| beside[k] != of(*n)[k]));
                is_apart && Some(shapes.clusters[*n as usize].kind) == kind
            };
            let found = waiting.iter().rev().take(AHEAD).position(fits);
            if let Some(back) = found {
                numbers[lane] = waiting.remove(waiting.len() - 1 - back);
            }
        }
    }
    numbers
}

impl Group {
    fn new(shapes: &Shapes, numbers: [u32; 16], dummy: u16, within: impl Fn(u32) -> u16) -> Self {
        let zero = Lanes::default();
        let mut group = Self {
            index: [[2 * dummy; 16]; 4],
            q: [[zero; 3]; 4],
            mass: [zero; 4],
            inv_mass: zero,
            radius: zero,
            kind: 0,
            numbers,
        };
        for (lane, &n) in numbers.iter().enumerate().filter(|(_, n)| **n != NOBODY) {
            let cluster = &shapes.clusters[n as usize];
            group.kind = cluster.kind;
            group.inv_mass.0[lane] = cluster.inv_mass;
            group.radius.0[lane] = cluster.radius;
            for (k, member) in shapes.members_of(cluster).iter().enumerate() {
                group.index[k][lane] = 2 * within(member.vertex);
                group.mass[k].0[lane] = member.mass;
                (0..3).for_each(|c| group.q[k][c].0[lane] = member.q[c]);
            }
        }
        group
    }
}

/// Groups while a stretch runs; a block's own are one worker's alone in a pass.
pub struct FoursJob<'a> {
    fours: &'a Fours,
    turns: *mut [Lanes; 4],
    pulls: *mut Lane4,
}

impl FoursJob<'_> {
    /// Finds the impulses of a block's groups.
    pub fn find(&self, level: Level, work: &Work, block: usize, pulls: &[Pull<f32>]) {
        if self.fours.is_empty() {
            return;
        }
        let range = super::range(&self.fours.first, block);
        let own = &work.slots().blocks[block];
        let base = own.slots.start as usize;
        // SAFETY: the arrays have all slots; in this pass nobody writes positions or velocities of owned slots, and
        // copies and impulses of this block are nobody else's. Vertices of groups are the block's own or copies.
        unsafe {
            self.pulls.add(base).write_bytes(0, own.slots.len());
            if range.is_empty() {
                return;
            }
            let (position, velocity) =
                (work.arrays.position.cast::<Lane4>(), work.arrays.velocity.cast::<Lane4>());
            own.refresh(position);
            own.refresh(velocity);
            let task = Find {
                groups: &self.fours.groups[range.clone()],
                turns: self.turns.add(range.start),
                position: position.add(base),
                velocity: velocity.add(base),
                impulses: self.pulls.add(base),
                pulls,
            };
            run_at(level, task);
        }
    }

    /// Lets a block's vertices take the impulses that it and others found for them.
    pub fn take(&self, work: &Work, block: usize) {
        if self.fours.is_empty() {
            return;
        }
        let slots = work.slots();
        // SAFETY: other blocks wrote their copies in the pass before; the block's own slots are nobody else's.
        unsafe {
            slots.collect(block, self.pulls);
            let velocity = work.arrays.velocity.cast::<Lane4>();
            for slot in slots.blocks[block].owned.clone().map(|slot| slot as usize) {
                let (impulse, v) = (&(*self.pulls.add(slot)).0, &mut (*velocity.add(slot)).0);
                for k in 0..3 {
                    v[k] += impulse[k] * v[3];
                }
            }
        }
    }
}

struct Find<'a> {
    groups: &'a [Group],
    turns: *mut [Lanes; 4],
    position: *const Lane4,
    velocity: *const Lane4,
    impulses: *mut Lane4,
    pulls: &'a [Pull<f32>],
}

impl Task for Find<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        for (n, group) in self.groups.iter().enumerate() {
            // SAFETY: there are rotations for each group.
            let turn = unsafe { &mut *self.turns.add(n) };
            let places = [self.position, self.velocity];
            // SAFETY: promised by whoever made the task.
            unsafe {
                pull::<S>(group, &self.pulls[group.kind as usize], turn, places, self.impulses);
            }
        }
    }
}

/// A group, as [`super::super::matching::pull`] does one cluster.
///
/// # Safety
/// The entries that the group names are there, and those of `impulses` are nobody else's.
#[inline(always)]
unsafe fn pull<S: Lanes16>(
    group: &Group,
    drive: &Pull<f32>,
    turn: &mut [Lanes; 4],
    [position, velocity]: [*const Lane4; 2],
    impulses: *mut Lane4,
) {
    let h = S::splat(drive.h);
    // SAFETY: promised by the caller.
    let [first_x, first_v] =
        unsafe { [gather::<S>(position, group, 0), gather::<S>(velocity, group, 0)] };
    let zero = [S::zero(); 3];
    let (mut x, mut ahead) = ([zero; 4], [zero; 4]);
    let (mut centre, mut drift, mut moments) = (zero, zero, [zero; 3]);
    for k in 1..4 {
        // SAFETY: promised by the caller.
        let v = unsafe {
            x[k] = sub(gather::<S>(position, group, k), first_x);
            sub(gather::<S>(velocity, group, k), first_v)
        };
        let m = S::load(&group.mass[k]);
        centre = mul_add(m, x[k], centre);
        drift = mul_add(m, v, drift);
        ahead[k] = mul_add(h, v, x[k]);
        let weighed = mul(m, ahead[k]);
        for c in 0..3 {
            moments[c] = mul_add(S::load(&group.q[k][c]), weighed, moments[c]);
        }
    }
    let inv_mass = S::load(&group.inv_mass);
    let (centre, drift) = (mul(inv_mass, centre), mul(inv_mass, drift));
    let centre_ahead = mul_add(h, drift, centre);

    let [qx, qy, qz, qw] = turn;
    let before = [S::load(qx), S::load(qy), S::load(qz), S::load(qw)];
    let q = rotation::<S>(moments, before);
    q[0].store(qx);
    q[1].store(qy);
    q[2].store(qz);
    q[3].store(qw);
    let r = matrix_of(q);
    let mut ways = [zero; 4];
    let mut most = S::zero();
    for k in 0..4 {
        let mut way = sub(centre_ahead, ahead[k]);
        for c in 0..3 {
            way = mul_add(S::load(&group.q[k][c]), r[c], way);
        }
        most = most.max(dot(way, way));
        ways[k] = way;
    }
    let largest = size_of_vector(first_x);
    let size = largest.add(S::load(&group.radius));
    let rounding = size.mul(S::splat(ROUNDING[0] as f32));
    let rate = rate_beyond::<S>(most, rounding.mul(rounding), drive.rate);
    let limit = S::load(&group.radius).mul_add(S::splat(LIMIT as f32), S::splat(1e-15));
    let per_limit2 = S::splat(1.0).div(limit.mul(limit));
    let own = drive.rate * drive.h;

    let (mut sum, mut angular, mut squares, mut products) = (zero, zero, zero, zero);
    for k in 0..4 {
        let m = S::load(&group.mass[k]);
        x[k] = sub(x[k], centre);
        let [a, b, c] = x[k];
        let share = dot(ways[k], ways[k]).mul(per_limit2);
        ways[k] = mul(rate.mul(hardness::<S>(own, share)), ways[k]);
        sum = mul_add(m, ways[k], sum);
        angular = mul_add(m, cross(x[k], ways[k]), angular);
        squares = mul_add(m, [a.mul(a), b.mul(b), c.mul(c)], squares);
        products = mul_add(m, [b.mul(c), c.mul(a), a.mul(b)], products);
    }
    let mean = mul(inv_mass, sum);
    let spin = spin_of::<S>(squares, products, angular);
    for k in 0..4 {
        let kick = sub(sub(ways[k], mean), cross(spin, x[k]));
        let impulse = mul(S::load(&group.mass[k]), kick);
        // SAFETY: promised by the caller; lanes that go together differ in their vertices.
        unsafe { S::scatter_add(impulses, group.index[k].as_ptr(), impulse) };
    }
}

/// How much harder vertices are pulled than near their goals, as in `rate_of`.
#[inline(always)]
fn hardness<S: Lanes16>(own: f32, share: S) -> S {
    let (one, other) = (S::splat(1.0), S::splat(1.0 - own));
    let ahead = other.mul(share.sqrt());
    let beyond = one.sub(ahead);
    let root = beyond.mul_add(beyond, ahead.mul(S::splat(4.0 * own))).sqrt();
    let left = root.add(other.sub(ahead)).max(S::splat(1e-6));
    let all = one.add(other).add(ahead.add(ahead));
    let hard = one.add(all.div(left)).div(one.add(ahead).add(root));
    let most = S::splat(HARDEST as f32).div(ahead.max(S::splat(1e-30)));
    // The lesser of the two: neither is negative.
    let zero = S::zero();
    zero.sub(zero.sub(hard).max(zero.sub(most)))
}

/// Vectors of a member.
///
/// # Safety
/// The entries that the group names are there.
#[inline(always)]
unsafe fn gather<S: Lanes16>(array: *const Lane4, group: &Group, member: usize) -> [S; 3] {
    // SAFETY: promised by the caller.
    unsafe { S::gather(array, group.index[member].as_ptr()) }
}

/// The largest absolute component.
#[inline(always)]
fn size_of_vector<S: Lanes16>([x, y, z]: [S; 3]) -> S {
    let zero = S::zero();
    x.max(zero.sub(x)).max(y.max(zero.sub(y))).max(z.max(zero.sub(z)))
}

/// The rate, and 0 in lanes in which `most` is within rounding.
#[inline(always)]
fn rate_beyond<S: Lanes16>(most: S, rounding: S, rate: f32) -> S {
    match S::bits(most.at_most(rounding)) {
        0 => S::splat(rate),
        0xffff => S::zero(),
        bits => {
            let of = |lane: usize| if bits >> lane & 1 == 1 { 0.0 } else { rate };
            S::load(&Lanes(std::array::from_fn(of)))
        }
    }
}

/// As [`super::super::formula::rotation_of`].
#[inline(always)]
fn rotation<S: Lanes16>(a: [[S; 3]; 3], before: [S; 4]) -> [S; 4] {
    let largest = size_of_vector(a[0]).max(size_of_vector(a[1])).max(size_of_vector(a[2]));
    let scale = S::splat(1.0).div(largest.max(S::splat(1e-37)));
    let scaled = [mul(scale, a[0]), mul(scale, a[1]), mul(scale, a[2])];
    let mut q = before;
    for _ in 0..IMPROVEMENTS {
        q = improved(scaled, q);
    }
    q
}

/// As [`super::super::formula::improved`].
#[inline(always)]
fn improved<S: Lanes16>(a: [[S; 3]; 3], q: [S; 4]) -> [S; 4] {
    let r = matrix_of(q);
    let mx = combined(r, [a[0][0], a[1][0], a[2][0]]);
    let my = combined(r, [a[0][1], a[1][1], a[2][1]]);
    let mz = combined(r, [a[0][2], a[1][2], a[2][2]]);
    let slope = [mz[1].sub(my[2]), mx[2].sub(mz[0]), my[0].sub(mx[1])];
    let diagonal = [my[1].add(mz[2]), mx[0].add(mz[2]), mx[0].add(my[1])];
    let beside = mul(S::splat(-0.5), [my[2].add(mz[1]), mx[2].add(mz[0]), mx[1].add(my[0])]);
    let two = S::splat(2.0);
    let m = diagonal[0].add(diagonal[1]).add(diagonal[2]).mul(S::splat(1.0 / 3.0));
    let own = [diagonal[0].sub(m), diagonal[1].sub(m), diagonal[2].sub(m)];
    let squared = two.mul_add(dot(beside, beside), dot(own, own)).mul(S::splat(1.0 / 6.0));
    let least = two.neg_mul_add(squared.sqrt(), m);
    let upward = S::splat(-2.0).mul(least).max(S::zero());
    let shift = S::splat(LEAST_CURVATURE as f32).add(upward);
    let shifted = [diagonal[0].add(shift), diagonal[1].add(shift), diagonal[2].add(shift)];
    let step = solved(shifted, beside, slope);
    let length = dot(step, step).sqrt().add(S::splat(1e-15));
    let axis = mul(S::splat(1.0).div(length), step);
    let [x, y, z] = axis;
    let across = [y.mul(z), x.mul(z), x.mul(y)];
    let b = two.mul_add(dot(across, beside), dot([x.mul(x), y.mul(y), z.mul(z)], diagonal));
    let c = dot(axis, slope);
    let turn = b.mul_add(b, c.mul(c)).sqrt().add(b).add(S::splat(1e-12));
    let t = mul(c, axis);
    let v = [q[0], q[1], q[2]];
    let along = add(mul_add(turn, v, mul(q[3], t)), cross(t, v));
    let real = q[3].mul_sub(turn, dot(t, v));
    let scale = S::splat(1.0).div(real.mul_add(real, dot(along, along)).sqrt());
    [along[0].mul(scale), along[1].mul(scale), along[2].mul(scale), real.mul(scale)]
}

/// As [`super::super::formula::matrix_of`].
#[inline(always)]
fn matrix_of<S: Lanes16>([x, y, z, w]: [S; 4]) -> [[S; 3]; 3] {
    let (one, two) = (S::splat(1.0), S::splat(2.0));
    let (xx, yy, zz) = (x.mul(x), y.mul(y), z.mul(z));
    let (xw, yw, zw) = (x.mul(w), y.mul(w), z.mul(w));
    let (xy, yz, zx) = (x.mul(y), y.mul(z), z.mul(x));
    [
        [two.neg_mul_add(yy.add(zz), one), two.mul(xy.add(zw)), two.mul(zx.sub(yw))],
        [two.mul(xy.sub(zw)), two.neg_mul_add(xx.add(zz), one), two.mul(yz.add(xw))],
        [two.mul(zx.add(yw)), two.mul(yz.sub(xw)), two.neg_mul_add(xx.add(yy), one)],
    ]
}

/// `a v`, of a matrix by columns.
#[inline(always)]
fn combined<S: Lanes16>(a: [[S; 3]; 3], v: [S; 3]) -> [S; 3] {
    mul_add(v[2], a[2], mul_add(v[1], a[1], mul(v[0], a[0])))
}

/// As [`super::super::formula::solved`].
#[inline(always)]
fn solved<S: Lanes16>(diagonal: [S; 3], beside: [S; 3], b: [S; 3]) -> [S; 3] {
    let x = [diagonal[0], beside[2], beside[1]];
    let y = [beside[2], diagonal[1], beside[0]];
    let z = [beside[1], beside[0], diagonal[2]];
    let adjugate = [cross(y, z), cross(z, x), cross(x, y)];
    let solution = combined(adjugate, b);
    mul(S::splat(1.0).div(dot(x, adjugate[0])), solution)
}

/// As [`super::super::formula::spin_of`].
#[inline(always)]
fn spin_of<S: Lanes16>(squares: [S; 3], products: [S; 3], l: [S; 3]) -> [S; 3] {
    let tiny = S::splat(1e-37);
    let trace = squares[0].add(squares[1]).add(squares[2]);
    let least = trace.mul_add(S::splat(1e-6), tiny);
    let scale = S::splat(1.0).div(trace.add(tiny));
    let own = trace.add(least);
    let shifted = mul(scale, [own.sub(squares[0]), own.sub(squares[1]), own.sub(squares[2])]);
    let beside = mul(S::zero().sub(scale), products);
    solved(shifted, beside, mul(scale, l))
}
