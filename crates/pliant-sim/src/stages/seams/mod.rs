//! Seams: pairs of vertices that are pulled together, and welded when they meet.
//!
//! # Theory
//!
//! A pair is open, welded or apart. An *open* pair with the gap d from one vertex to the other, which come apart with the
//! velocity u, is pulled by the force c (d/τ + u) + μ a, no more than the seam's: gaps close at the rate 1/τ as far as the
//! force suffices, and nothing is flung. With c = μ/2h, where μ is the reduced mass of the pair, each vertex's mass being
//! shared by its pairs, the force changes u by no more than half of what it aims at in a substep of length h: seams never
//! shorten the stable timestep. The acceleration a is that with which all other forces draw the pair apart: without it
//! the gaps of cloth that is taut would stay open, by as much as makes c d/τ the tension. A pair whose gap is within the tolerance is *welded*. Vertices that are joined by welded pairs
//! have the mean of their positions and velocities, weighted by mass, after every update: since forces have moved each by
//! its own mass, the mean is what one vertex of all the mass would have done, and momentum is kept. A locked vertex holds
//! those that are welded to it. The force that a weld transmits is what the mean changes of a vertex's momentum in a
//! substep; above the seam's strength the pair is *apart* from then on, until somebody sews it again. Where several welds
//! hold a vertex they share what it is given, so that they bear as little as they can; of those that bear too much the one
//! that does most gives way, and the next substep finds out what that leaves to the others. So cloth tears
//! ([`crate::scene::Tear`]): it is cut beforehand along all edges that may, and welded.
//!
//! # Practice
//!
//! Pairs that share vertices are a *cluster*, whatever they are now. Clusters have no vertices in common, and their members
//! are few, so that each is done in one go ([`weld`]). What pairs are is state: it decides bits, and is no function of
//! positions. Two stages: `Seams` adds the forces of open pairs, when all other forces but contact are known; `Weld`
//! follows updates. Both run once for all clusters (`cpu`), on devices with an invocation for each (`gpu`), in explicit
//! steps. Implicit ones have seams in their system, and only `Weld` behind it. Contact takes sewn vertices for one corner, so that what is sewn is not pushed apart.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
#[cfg(test)]
mod tear_tests;
#[cfg(test)]
mod tests;
pub mod weld;

pub use formula::pull;

use crate::math::Vec3;
use crate::scene::{Integrator, World};

/// The share of what a pair aims at that its force reaches in a substep.
pub const GAIN: f64 = 0.5;

/// What a pair of vertices is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// It is pulled together.
    Open = 0,
    /// It moves as one.
    Welded = 1,
    /// Nothing holds it.
    Apart = 2,
}

impl Status {
    /// The status of that number, if there is one.
    pub fn numbered(number: u8) -> Option<Self> {
        [Self::Open, Self::Welded, Self::Apart].into_iter().find(|status| *status as u8 == number)
    }
}

/// How many pairs are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct SeamReport {
    /// Pairs that are pulled together.
    pub open: usize,
    /// Pairs that are welded.
    pub closed: usize,
    /// Pairs that broke or were opened.
    pub broken: usize,
}

impl SeamReport {
    /// Counts pairs.
    pub fn of(pairs: &[u8]) -> Self {
        let count = |status: Status| pairs.iter().filter(|&&pair| pair == status as u8).count();
        let [open, closed, broken] = [Status::Open, Status::Welded, Status::Apart].map(count);
        Self { open, closed, broken }
    }
}

/// The seams of a model.
#[derive(Clone, Debug, Default)]
pub struct Seams {
    /// In the order of the scene.
    pub list: Vec<Sewn>,
    /// Pairs of all seams, seam by seam, in an order that the user's numbering alone decides.
    pub pairs: Vec<Pair>,
    /// Sewn vertices, cluster by cluster.
    pub members: Vec<Member>,
    /// Where the members of each cluster begin, and where the last ones end.
    pub first_member: Vec<u32>,
    /// Where the pairs of each cluster begin in `pairs_of`, and where the last ones end.
    pub first_pair: Vec<u32>,
    /// Numbers of pairs, cluster by cluster.
    pub pairs_of: Vec<u32>,
}

/// What is the same for all pairs of a seam.
#[derive(Clone, Debug, PartialEq)]
pub struct Sewn {
    /// The scene's name for it.
    pub name: String,
    /// The most that pulls a pair together \[N\].
    pub force: f32,
    /// The rate at which gaps close \[1/s\].
    pub rate: f32,
    /// Whether pairs that meet are welded.
    pub welds: bool,
    /// How near a pair has met \[m\].
    pub tolerance: f32,
}

impl Sewn {
    /// Cloth before it tears: nothing pulls, and copies of a vertex, which begin at one place, are welded at once.
    pub fn torn(name: String, tolerance: f32) -> Self {
        Self { name, force: 0.0, rate: 0.0, welds: true, tolerance }
    }
}

/// Two vertices that are sewn together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Its seam.
    pub seam: u32,
    /// Places of the two in [`Seams::members`].
    pub ends: [u32; 2],
    /// Its reduced mass, the masses of vertices being shared by their pairs; 0 where both are locked \[kg\].
    pub mass: f32,
    /// The force at which its weld breaks \[N\]; infinite where it does not.
    pub strength: f32,
}

/// A sewn vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Its number in the model.
    pub vertex: u32,
    /// Its body.
    pub body: u32,
    /// Its mass, 0 if it is locked \[kg\].
    pub mass: f32,
}

impl Seams {
    /// Sewn vertices that hang together, whatever their pairs are now, at most.
    pub const MOST_MEMBERS: usize = 16;

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many clusters there are.
    pub fn cluster_count(&self) -> usize {
        self.first_member.len().saturating_sub(1)
    }

    /// For each of so many vertices of the model, what its cluster is called: its own number where it is not sewn. Nothing
    /// where nothing is sewn.
    pub fn corners(&self, vertex_count: usize) -> Vec<u32> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut corners: Vec<u32> = (0..vertex_count as u32).collect();
        for members in self.first_member.windows(2) {
            let members = &self.members[members[0] as usize..members[1] as usize];
            members.iter().for_each(|m| corners[m.vertex as usize] = members[0].vertex);
        }
        corners
    }

    /// Whether a body is sewn to another one.
    pub fn join_others(&self, body: u32) -> bool {
        let bodies = |pair: &Pair| pair.ends.map(|end| self.members[end as usize].body);
        self.pairs.iter().map(bodies).any(|[a, b]| a != b && (a == body || b == body))
    }

    /// Gives vertices that pairs which are `held` join, directly or not, the name of the first of them.
    pub fn name(&self, corners: &mut [u32], is_held: impl Fn(u32) -> bool) {
        for cluster in 0..self.cluster_count() {
            let range = |bounds: &[u32]| bounds[cluster] as usize..bounds[cluster + 1] as usize;
            let (of, pairs) = (range(&self.first_member), range(&self.first_pair));
            let mut joined = weld::Joined::new(of.len());
            for &pair in self.pairs_of[pairs].iter().filter(|&&pair| is_held(pair)) {
                let ends = self.pairs[pair as usize].ends;
                joined.join(ends.map(|end| end as usize - of.start));
            }
            let members = &self.members[of];
            for (i, member) in members.iter().enumerate() {
                corners[member.vertex as usize] = members[joined.lowest(i)].vertex;
            }
        }
    }

    /// By member: the origin of its body as seen from that of its cluster's first member \[m\].
    pub fn shifts(&self, origins: &[[f64; 3]]) -> Vec<Vec3<f32>> {
        let mut shifts = Vec::with_capacity(self.members.len());
        for bounds in self.first_member.windows(2) {
            let members = &self.members[bounds[0] as usize..bounds[1] as usize];
            let first = origins[members[0].body as usize];
            shifts.extend(members.iter().map(|member| {
                let origin = origins[member.body as usize];
                Vec3::of(std::array::from_fn(|k| origin[k] - first[k]))
            }));
        }
        shifts
    }

    /// What decides how they act, as text, for fingerprints.
    pub fn description(&self) -> String {
        let mut list = self.list.clone();
        list.iter_mut().for_each(|sewn| sewn.name.clear());
        format!("{list:?} {:?} {:?}", self.pairs, self.members)
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.list[..])
            + size_of_val(&self.pairs[..])
            + size_of_val(&self.members[..])
            + 4 * (self.first_member.len() + self.first_pair.len() + self.pairs_of.len())
    }
}

/// What is the same for all seams in a stretch; twin of the struct in formula.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Pace {
    /// [`GAIN`] over a substep's length \[1/s\].
    pub gain: f32,
    /// The inverse of the time in which the last update of a substep changes velocities \[1/s\].
    pub per_update: f32,
}

impl Pace {
    /// That of substeps of length `h` \[s\].
    pub fn new(world: &World, h: f64) -> Self {
        let parts = if world.integrator == Integrator::VelocityVerlet { 2.0 } else { 1.0 };
        Self { gain: (GAIN / h) as f32, per_update: (parts / h) as f32 }
    }
}
