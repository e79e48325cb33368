//! One cluster of sewn vertices: which of them move as one, and where.

use super::{Member, Seams};
use crate::math::Vec3;

/// A sewn vertex while a cluster is welded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moving {
    /// Position as seen from the origin of the first member's body \[m\].
    pub x: Vec3<f32>,
    /// What rounding took from it \[m\].
    pub compensation: Vec3<f32>,
    /// Velocity \[m/s\].
    pub v: Vec3<f32>,
    /// Mass, 0 if it is locked \[kg\].
    pub mass: f32,
}

/// Of each member of a cluster the lowest number among those that it is joined to.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    lowest: [u8; Seams::MOST_MEMBERS],
    count: usize,
}

impl Joined {
    /// So many members, each for itself.
    pub fn new(count: usize) -> Self {
        Self { lowest: std::array::from_fn(|i| i as u8), count }
    }

    /// Joins two members, and all that are joined to them.
    pub fn join(&mut self, [a, b]: [usize; 2]) {
        let [one, other] = [self.lowest[a], self.lowest[b]];
        let (low, high) = (one.min(other), one.max(other));
        let joined = self.lowest[..self.count].iter_mut();
        joined.filter(|lowest| **lowest == high).for_each(|lowest| *lowest = low);
    }

    /// The lowest number among those that a member is joined to.
    pub fn lowest(&self, member: usize) -> usize {
        usize::from(self.lowest[member])
    }
}

/// The members of a cluster, and which of them are joined.
pub struct Cluster {
    /// By number.
    pub members: [Moving; Seams::MOST_MEMBERS],
    joined: Joined,
    count: usize,
}

impl Cluster {
    /// Some members, each for itself.
    pub fn new(members: &[Member], moving: impl Fn(usize, &Member) -> Moving) -> Self {
        let mut all = [Moving::default(); Seams::MOST_MEMBERS];
        for (i, (place, member)) in all.iter_mut().zip(members).enumerate() {
            *place = moving(i, member);
        }
        Self { members: all, joined: Joined::new(members.len()), count: members.len() }
    }

    /// Joins two members, and all that are joined to them.
    pub fn join(&mut self, ends: [usize; 2]) {
        self.joined.join(ends);
    }

    /// Lets joined members move as one; returns how much momentum each was given \[kg·m/s\].
    pub fn unite(&mut self) -> [Vec3<f32>; Seams::MOST_MEMBERS] {
        let mut given = [Vec3::zero(); Seams::MOST_MEMBERS];
        for lowest in 0..self.count {
            let is_one = |i: &usize| self.joined.lowest(*i) == lowest;
            if (0..self.count).filter(is_one).count() < 2 {
                continue;
            }
            let goal = self.mean((0..self.count).filter(is_one), lowest);
            for i in (0..self.count).filter(|i| self.joined.lowest(*i) == lowest) {
                let member = &mut self.members[i];
                if member.mass > 0.0 {
                    given[i] = (goal.v - member.v) * member.mass;
                    *member = Moving { mass: member.mass, ..goal };
                }
            }
        }
        given
    }

    /// A number for each member whose differences are what welds transmit, so that together they give each what it was
    /// `given` and as little as they can: with L the graph of the welds, L φ = `given`. A row of welds has just one
    /// answer; of a ring none carries more than it must. What is locked takes whatever comes.
    pub fn potentials(
        &self,
        welds: impl Iterator<Item = [usize; 2]>,
        given: &[Vec3<f32>; Seams::MOST_MEMBERS],
    ) -> [Vec3<f32>; Seams::MOST_MEMBERS] {
        let mut matrix = [[0.0_f32; Seams::MOST_MEMBERS]; Seams::MOST_MEMBERS];
        let mut potential = *given;
        for [a, b] in welds {
            for (i, j) in [(a, b), (b, a)] {
                matrix[i][i] += 1.0;
                matrix[i][j] -= 1.0;
            }
        }
        let mut is_held = [false; Seams::MOST_MEMBERS];
        for i in 0..self.count {
            // One of those that are joined is held, the first or whatever is locked.
            let lowest = self.joined.lowest(i);
            let of = (0..self.count).filter(|&j| self.joined.lowest(j) == lowest);
            let has_locked = of.clone().any(|j| self.members[j].mass == 0.0);
            is_held[i] = if has_locked { self.members[i].mass == 0.0 } else { lowest == i };
        }
        for i in (0..self.count).filter(|&i| is_held[i]) {
            (matrix[i], potential[i]) = ([0.0; Seams::MOST_MEMBERS], Vec3::zero());
            matrix[i][i] = 1.0;
        }
        // What is left is positive definite: no rows have to be exchanged.
        for k in 0..self.count {
            for i in k + 1..self.count {
                let factor = matrix[i][k] / matrix[k][k];
                if factor != 0.0 {
                    for j in k..self.count {
                        matrix[i][j] -= factor * matrix[k][j];
                    }
                    potential[i] -= potential[k] * factor;
                }
            }
        }
        for k in (0..self.count).rev() {
            for j in k + 1..self.count {
                potential[k] -= potential[j] * matrix[k][j];
            }
            potential[k] = potential[k] * (1.0 / matrix[k][k]);
        }
        potential
    }

    /// What some members are together: where the first locked one is, or their mean, as seen from one of them, so that
    /// what is together stays there bit by bit.
    fn mean(&self, joined: impl Iterator<Item = usize> + Clone, from: usize) -> Moving {
        if let Some(locked) = joined.clone().find(|&i| self.members[i].mass == 0.0) {
            return self.members[locked];
        }
        let first = self.members[from];
        let mut sum = Moving::default();
        for Moving { x, compensation, v, mass } in joined.map(|i| self.members[i]) {
            sum.x += (x - first.x) * mass;
            sum.compensation += (compensation - first.compensation) * mass;
            sum.v += (v - first.v) * mass;
            sum.mass += mass;
        }
        let part = 1.0 / sum.mass;
        Moving {
            x: first.x + sum.x * part,
            compensation: first.compensation + sum.compensation * part,
            v: first.v + sum.v * part,
            mass: sum.mass,
        }
    }
}
