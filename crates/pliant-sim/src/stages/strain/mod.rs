//! Strain limits: edges that may get longer by so much and no more.
//!
//! # Theory
//!
//! An edge of length L at rest whose ends are d apart has the limit l = (1 + τ) L. With the velocity u of one end as seen
//! from the other, along the edge, it is at its limit or below when a substep of length h ends if
//!
//! > c = u + (|d| − l)/h ≤ 0.
//!
//! Where it is not, an impulse P ≥ 0 pulls both ends together, which changes their velocities by P times the inverse
//! masses. Impulses act along the edge, on one end as on the other: they keep momentum and angular momentum. A locked
//! vertex has the inverse mass 0 and stays where it is. *By velocity* (Vassilev, Spanlang & Chrysanthou 2001, *Fast cloth
//! animation on walking avatars*) that is all, and the next substep goes there. *By position* (Provot 1995, *Deformation
//! constraints in a mass-spring model to describe rigid cloth behavior*) vertices are moved at once by what the change of
//! velocity would move them in a substep, so that c loses its u; without the change of velocity, gravity's would pile up
//! behind the limit.
//!
//! Vassilev et al. only take away velocity that lengthens what is too long already. So hung cloth creeps: sweeps carry
//! an impulse a few edges far, and each substep some length is gained that nothing takes back. With (|d| − l)/h in c it
//! comes back in one substep, as far as the iterations reach.
//!
//! **Iterations.** Impulses of neighbours add up. Jacobi's iterations improve all of them at once,
//! ΔP = c / Σ w n, with the inverse mass w of each end and the number n of limited edges there: by Gershgorin no
//! eigenvalue of what an iteration does is above 1, and none of its modes grows. But a load is carried only by what the
//! iterations of a substep can build up. What is left over of a limit under a load is the less the more they do, and a
//! corner that a whole sheet hangs from needs much: after N such iterations, N times one of them. Chebyshev's
//! semi-iteration (Golub & Varga 1961) does the same work, and has N² times one: ΔP = a c / Σ w n + b ΔP', where ΔP' is the
//! change before, with numbers a and b that make the polynomial of all iterations together small between 0 and 1
//! ([`relaxation`]). Impulses are not below 0 after each of them. (A prototype
//! in double precision, with a σ somewhat closer to 1: a sheet of 50 × 50 squares hung by two corners, steps of 0.5 ms, 8
//! iterations, limit 10 %. It was stretched by up to 21 % with Jacobi's and by 13 % with Chebyshev's; with a fifth of
//! (|d| − l)/h, and Jacobi's, 49 %. What this engine leaves is in `crates/pliant/tests/physics/strain.rs`.) What is left over goes with h², so that shorter steps are worth more than
//! more iterations.
//!
//! # Practice
//!
//! [`formula`] has one edge. An iteration is two passes: `Strain` finds impulses by edge, `Limit` lets each vertex take
//! those of its own edges, in a fixed order. Both follow the update that places the vertices, before anybody looks at
//! positions. Impulses begin at 0 in each substep: nothing is state. Bodies that take implicit steps have no limits.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use crate::scene::{LimitBy, StrainLimit};

/// The limits of a model.
#[derive(Clone, Debug, Default)]
pub struct StrainLimits {
    /// What bodies ask for, each kind once.
    pub kinds: Vec<StrainLimit>,
    /// The edges, sorted by their ends.
    pub edges: Vec<LimitedEdge>,
}

/// An edge that has a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedEdge {
    /// Its ends, the lower number first.
    pub ends: [u32; 2],
    /// Its kind of limit, in [`StrainLimits::kinds`].
    pub kind: u32,
    /// How long it may be \[m\].
    pub limit: f32,
    /// The impulse for each 1 m/s that it gets longer too fast \[kg\].
    pub gain: f32,
}

/// How far limited edges are stretched.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct StrainReport {
    /// The largest part of its length at rest by which an edge is longer.
    pub largest: f64,
    /// By how much more of its length an edge is longer than its limit allows, at most.
    pub beyond: f64,
}

impl StrainReport {
    /// Takes in an edge that is so much longer, and may be `allowed` so much.
    fn take(&mut self, stretch: f64, allowed: f64) {
        self.largest = self.largest.max(stretch);
        self.beyond = self.beyond.max(stretch - allowed);
    }
}

/// An edge of a mesh, before masses and neighbours count.
#[derive(Clone, Copy, Debug)]
pub struct MeshEdge {
    /// Its ends.
    pub ends: [u32; 2],
    /// Its kind of limit.
    pub kind: u32,
    /// Its length at rest \[m\].
    pub rest: f64,
}

impl StrainLimits {
    /// The limits of edges, in the numbering that vertices with these inverse masses have \[1/kg\]. Edges that nothing
    /// can move, or that have no length, have none.
    pub fn new(
        kinds: Vec<StrainLimit>,
        edges: impl Iterator<Item = MeshEdge>,
        inv_mass: &[f32],
    ) -> Self {
        let weight = |v: u32| f64::from(inv_mass[v as usize]);
        let mut kept: Vec<MeshEdge> =
            edges.filter(|e| e.rest > 0.0 && e.ends.iter().any(|&v| weight(v) > 0.0)).collect();
        kept.iter_mut().for_each(|edge| edge.ends.sort_unstable());
        kept.sort_unstable_by_key(|edge| edge.ends);
        let mut at_vertex = vec![0_u32; inv_mass.len()];
        kept.iter().flat_map(|edge| edge.ends).for_each(|v| at_vertex[v as usize] += 1);
        let limited = |edge: MeshEdge| {
            let limit = (1.0 + kinds[edge.kind as usize].stretch) * edge.rest;
            let of_end = |v: u32| weight(v) * f64::from(at_vertex[v as usize]);
            let gain = 1.0 / edge.ends.map(of_end).iter().sum::<f64>();
            let MeshEdge { ends, kind, .. } = edge;
            LimitedEdge { ends, kind, limit: limit as f32, gain: gain as f32 }
        };
        let edges = kept.into_iter().map(limited).collect();
        Self { kinds, edges }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Iterations of a substep: as many as those who want most.
    pub fn iterations(&self) -> u32 {
        let all = self.kinds.iter().map(|kind| kind.iterations);
        all.max().filter(|_| !self.is_empty()).unwrap_or(0)
    }

    /// The two numbers of each iteration of a kind; those after its last one are 0, and change nothing.
    pub fn relaxation(&self, kind: usize) -> Vec<[f32; 2]> {
        let mut numbers = relaxation(self.kinds[kind].iterations);
        numbers.resize(self.iterations() as usize, [0.0; 2]);
        numbers
    }

    /// How far edges are stretched, from positions in model order.
    pub fn report(&self, x: &[[f32; 3]]) -> StrainReport {
        let mut report = StrainReport::default();
        for edge in &self.edges {
            let [a, b] = edge.ends.map(|v| x[v as usize].map(f64::from));
            let length = (0..3).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt();
            let allowed = self.kinds[edge.kind as usize].stretch;
            let rest = f64::from(edge.limit) / (1.0 + allowed);
            report.take(length / rest - 1.0, allowed);
        }
        report
    }

    /// What decides how they act, as words, for fingerprints.
    pub fn words(&self) -> Vec<u32> {
        let kind = |kind: &StrainLimit| [u32::from(kind.by == LimitBy::Position), kind.iterations];
        let edge = |e: &LimitedEdge| {
            let [a, b] = e.ends;
            [a, b, e.kind, e.limit.to_bits(), e.gain.to_bits()]
        };
        self.kinds.iter().flat_map(kind).chain(self.edges.iter().flat_map(edge)).collect()
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.kinds[..]) + size_of_val(&self.edges[..])
    }
}

/// The numbers a and b of each of so many iterations, see the theory.
///
/// What N iterations leave of a mode with the eigenvalue λ is T_N(σ − (σ + 1) λ)/T_N(σ), with Chebyshev's polynomial T_N:
/// 1 at λ = 0, as steep there as can be for its size further on, and no more than 1/T_N(σ) up to λ = 1. With
/// σ = 1 + 2/N² that is between 0.27 and 0.33 for all N. (In the prototype energy grew by a part in a thousand with one
/// much closer to 1.)
pub fn relaxation(iterations: u32) -> Vec<[f32; 2]> {
    let sigma = 1.0 + 2.0 / f64::from(iterations).powi(2);
    let (mut before, mut now) = (1.0, sigma);
    let mut numbers = vec![[(sigma + 1.0) / sigma, 0.0]];
    for _ in 1..iterations {
        let next = 2.0 * sigma * now - before;
        numbers.push([2.0 * (sigma + 1.0) * now / next, before / next]);
        (before, now) = (now, next);
    }
    numbers.into_iter().map(|pair| pair.map(|number| number as f32)).collect()
}
