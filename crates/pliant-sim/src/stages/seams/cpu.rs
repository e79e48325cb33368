//! Seams on a processor.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::weld::{Cluster, Joined, Moving};
use super::{Member, Pace, Seams, Sewn, Status, pull};
use crate::math::Vec3;
use crate::simd::Lane4;
use crate::stages::cpu::Work;
use crate::step::Advance;

/// What pairs are now: written by one worker at a time.
#[derive(Default)]
pub(crate) struct Pairs {
    are: Vec<AtomicU8>,
    /// How often some have come apart or were welded, and were made others from outside, so far.
    changes: Changes,
}

/// How often pairs have become others.
#[derive(Default)]
struct Changes {
    parted: AtomicU32,
    welded: AtomicU32,
}

impl Pairs {
    /// So many, all of them open.
    pub fn new(count: usize) -> Self {
        let are = (0..count).map(|_| AtomicU8::new(Status::Open as u8)).collect();
        Self { are, changes: Changes { parted: AtomicU32::new(1), welded: AtomicU32::new(1) } }
    }

    /// Numbers of what they are.
    pub fn numbers(&self) -> Vec<u8> {
        self.are.iter().map(|pair| pair.load(Ordering::Relaxed)).collect()
    }

    /// Makes them what others were; open, if there were none.
    pub fn load(&mut self, numbers: &[u8]) {
        *self.changes.parted.get_mut() += 1;
        *self.changes.welded.get_mut() += 1;
        for (i, pair) in self.are.iter_mut().enumerate() {
            *pair.get_mut() = numbers.get(i).copied().unwrap_or(Status::Open as u8);
        }
    }

    fn is(&self, pair: u32, status: Status) -> bool {
        self.are[pair as usize].load(Ordering::Relaxed) == status as u8
    }

    fn set(&self, pair: u32, status: Status) {
        self.are[pair as usize].store(status as u8, Ordering::Relaxed);
        let Changes { parted, welded } = &self.changes;
        let changes = if status == Status::Apart { parted } else { welded };
        changes.fetch_add(1, Ordering::Relaxed);
    }
}

/// Seams while a stretch runs.
pub(crate) struct Sewing<'a> {
    seams: &'a Seams,
    pairs: &'a Pairs,
    /// By member: the origin of its body as seen from that of its cluster's first member \[m\].
    shifts: Vec<Vec3<f32>>,
    pace: Pace,
}

impl<'a> Sewing<'a> {
    pub fn new(seams: &'a Seams, pairs: &'a Pairs, job: &Advance<'_>) -> Self {
        let (shifts, pace) = (seams.shifts(job.origins), Pace::new(job.world, job.h));
        Self { seams, pairs, shifts, pace }
    }

    /// How often pairs have come apart, and were welded, so far, or were made others from outside; never 0.
    pub fn changes(&self) -> [u32; 2] {
        let Changes { parted, welded } = &self.pairs.changes;
        [parted, welded].map(|count| count.load(Ordering::Relaxed))
    }

    /// Gives vertices the name of the first of those that they are pulled to or welded to, see [`Seams::corners`].
    pub fn name_held(&self, corners: &mut [u32]) {
        self.seams.name(corners, |pair| !self.pairs.is(pair, Status::Apart));
    }

    /// The same of those that they are welded to.
    pub fn name_welded(&self, corners: &mut [u32]) {
        self.seams.name(corners, |pair| self.pairs.is(pair, Status::Welded));
    }

    /// Calls `act` with the slots of vertices that are welded, group by group.
    pub fn each_group(&self, work: &Work, act: &mut dyn FnMut(&[u32])) {
        let Seams { members, first_member, first_pair, pairs_of, pairs, .. } = self.seams;
        for cluster in 0..self.seams.cluster_count() {
            let range = |bounds: &[u32]| bounds[cluster] as usize..bounds[cluster + 1] as usize;
            let (of, welded) = (range(first_member), &pairs_of[range(first_pair)]);
            let mut joined = Joined::new(of.len());
            for &pair in welded.iter().filter(|&&pair| self.pairs.is(pair, Status::Welded)) {
                joined.join(pairs[pair as usize].ends.map(|end| end as usize - of.start));
            }
            for lowest in 0..of.len() {
                let (mut group, mut count) = ([0; Seams::MOST_MEMBERS], 0);
                for i in (0..of.len()).filter(|&i| joined.lowest(i) == lowest) {
                    let vertex = members[of.start + i].vertex as usize;
                    group[count] = work.slots().slot_of[vertex];
                    count += 1;
                }
                if count > 1 {
                    act(&group[..count]);
                }
            }
        }
    }

    /// Calls `act` with the slots of pairs that are pulled together, and the way from the first to the second \[m\].
    pub fn each_open(&self, work: &Work, mut act: impl FnMut(&Sewn, [u32; 2], Vec3<f32>)) {
        let Seams { list, pairs, members, .. } = self.seams;
        for (number, pair) in pairs.iter().enumerate() {
            if pair.mass == 0.0 || !self.pairs.is(number as u32, Status::Open) {
                continue;
            }
            let vertex = |end: u32| members[end as usize].vertex as usize;
            let [a, b] = pair.ends.map(|end| work.slots().slot_of[vertex(end)]);
            let [from, to] = pair.ends.map(|end| self.shifts[end as usize]);
            let gap = (work.position(b) - work.position(a)) + (to - from);
            act(&list[pair.seam as usize], [a, b], gap);
        }
    }

    /// What may be sewn.
    pub fn members(&self) -> &[Member] {
        &self.seams.members
    }

    /// Adds the forces of open pairs. Nobody else may use forces meanwhile.
    pub fn pull(&self, work: &Work) {
        let Seams { list, pairs, members, .. } = self.seams;
        let slot = |member: u32| work.slots().slot_of[members[member as usize].vertex as usize];
        for (number, pair) in pairs.iter().enumerate() {
            if pair.mass == 0.0 || !self.pairs.is(number as u32, Status::Open) {
                continue;
            }
            let [a, b] = pair.ends.map(slot);
            let [from, to] = pair.ends.map(|member| self.shifts[member as usize]);
            let gap = (work.position(b) - work.position(a)) + (to - from);
            let velocity = |slot: u32| {
                let [x, y, z, _] = work.velocity(slot).0;
                Vec3::from([x, y, z])
            };
            // SAFETY: slots lie within the array, which nobody else uses in this pass.
            let sum = |slot: u32| unsafe {
                &mut (*work.arrays.force.cast::<Lane4>().add(slot as usize)).0
            };
            let acceleration = |member: u32, slot: u32| {
                let [x, y, z, _] = *sum(slot);
                let mass = members[member as usize].mass;
                Vec3::from([x, y, z]) * if mass > 0.0 { 1.0 / mass } else { 0.0 }
            };
            let apart = acceleration(pair.ends[1], b) - acceleration(pair.ends[0], a);
            let sewn = &list[pair.seam as usize];
            let damping = pair.mass * self.pace.gain;
            let force = pull(sewn, gap, velocity(b) - velocity(a), apart * pair.mass, damping);
            for (slot, force) in [(a, force), (b, -force)] {
                let sums = sum(slot).iter_mut().zip(<[f32; 3]>::from(force));
                sums.for_each(|(sum, force)| *sum += force);
            }
        }
    }

    /// Lets what is welded move as one; where a substep `ends`, pairs are welded and break. Nobody else may use the
    /// arrays meanwhile.
    pub fn weld(&self, work: &Work, ends: bool) {
        let Seams { members, first_member, first_pair, pairs_of, .. } = self.seams;
        for cluster in 0..self.seams.cluster_count() {
            let range = |bounds: &[u32]| bounds[cluster] as usize..bounds[cluster + 1] as usize;
            let (of, pairs) = (range(first_member), &pairs_of[range(first_pair)]);
            self.weld_cluster(work, (of.start, &members[of]), pairs, ends);
        }
    }

    fn weld_cluster(
        &self,
        work: &Work,
        (first, members): (usize, &[Member]),
        pairs: &[u32],
        ends: bool,
    ) {
        let slots = &work.slots().slot_of;
        let arrays = &work.arrays;
        let is_welded = |&&pair: &&u32| self.pairs.is(pair, Status::Welded);
        let ends_of =
            |pair: u32| self.seams.pairs[pair as usize].ends.map(|end| end as usize - first);
        let mut cluster = Cluster::new(members, |i, member| {
            let slot = slots[member.vertex as usize];
            let [x, y, z, _] = work.velocity(slot).0;
            // SAFETY: slots lie within the arrays, which nobody else uses in this pass.
            let lost = unsafe { (*arrays.compensation.cast::<Lane4>().add(slot as usize)).0 };
            Moving {
                x: work.position(slot) + self.shifts[first + i],
                compensation: Vec3::from([lost[0], lost[1], lost[2]]),
                v: Vec3::from([x, y, z]),
                mass: member.mass,
            }
        });
        let mut given = [Vec3::zero(); Seams::MOST_MEMBERS];
        if pairs.iter().any(|pair| is_welded(&pair)) {
            pairs.iter().filter(is_welded).for_each(|&pair| cluster.join(ends_of(pair)));
            let before = cluster.members;
            given = cluster.unite();
            for (i, member) in members.iter().enumerate().filter(|(_, member)| member.mass > 0.0) {
                let now = &cluster.members[i];
                let way = now.x - before[i].x;
                let slot = slots[member.vertex as usize] as usize;
                // SAFETY: as above.
                unsafe {
                    let place =
                        |array: *mut crate::simd::Lanes| &mut (*array.cast::<Lane4>().add(slot)).0;
                    let x = place(arrays.position);
                    x.iter_mut().zip(<[f32; 3]>::from(way)).for_each(|(x, way)| *x += way);
                    place(arrays.compensation)[..3]
                        .copy_from_slice(&<[f32; 3]>::from(now.compensation));
                    place(arrays.velocity)[..3].copy_from_slice(&<[f32; 3]>::from(now.v));
                }
            }
        }
        if ends {
            self.judge(&cluster, &given, pairs, ends_of);
        }
    }

    /// Welds pairs that have met, and parts the one that is pulled most above its strength: the next substep finds out
    /// what that leaves to the others.
    fn judge(
        &self,
        cluster: &Cluster,
        given: &[Vec3<f32>; Seams::MOST_MEMBERS],
        pairs: &[u32],
        ends_of: impl Fn(u32) -> [usize; 2],
    ) {
        let is_welded = |pair: &&u32| self.pairs.is(**pair, Status::Welded);
        let strength = |pair: u32| self.seams.pairs[pair as usize].strength;
        let weakest = pairs.iter().filter(is_welded).map(|&p| strength(p)).fold(f32::MAX, f32::min);
        // No weld transmits more than half of all that is given.
        let most: f32 = 0.5 * given.iter().map(|given| given.length()).sum::<f32>();
        if most * self.pace.per_update > weakest {
            let welds = pairs.iter().filter(is_welded).map(|&pair| ends_of(pair));
            let potential = cluster.potentials(welds, given);
            let load = |pair: u32| {
                let [a, b] = ends_of(pair);
                (potential[a] - potential[b]).length() * self.pace.per_update / strength(pair)
            };
            let worst = pairs.iter().filter(is_welded).map(|&pair| (load(pair), pair));
            // The first of those that are pulled alike.
            let worst = worst.reduce(|a, b| if b.0 > a.0 { b } else { a });
            if let Some((_, pair)) = worst.filter(|(load, _)| *load > 1.0) {
                self.pairs.set(pair, Status::Apart);
            }
        }
        for &pair in pairs.iter().filter(|pair| self.pairs.is(**pair, Status::Open)) {
            let [a, b] = ends_of(pair);
            let sewn = &self.seams.list[self.seams.pairs[pair as usize].seam as usize];
            let gap = cluster.members[b].x - cluster.members[a].x;
            if sewn.welds && gap.length() <= sewn.tolerance {
                self.pairs.set(pair, Status::Welded);
            }
        }
    }
}
