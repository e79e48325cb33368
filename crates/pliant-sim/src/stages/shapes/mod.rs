//! Shape matching: clusters of vertices that are drawn back to their shape at rest.
//!
//! # Theory
//!
//! After Müller, Heidelberger, Teschner & Gross 2005, *Meshless deformations based on shape matching*. A vertex with the
//! place q at rest, seen from the centre of its cluster, is ahead at x̄ = x + h v when a substep of length h ends, and
//! p = x̄ − c̄ seen from the centre there. With the moments A = Σ m p qᵀ the rotation that fits best is the rotational
//! part R of A ([`formula::rotation_of`]). Goals are g = c̄ + T q, where T is R in *rigid* clusters and
//!
//! > T = β V + (1 − β) R, with the deformation D = A (Σ m q qᵀ)⁻¹ and V = D + λ ∂det D/∂D, λ = (1 − det D)/|∂det D/∂D|²
//!
//! in *linear* ones, see below; in *quadratic* ones q has six more components x², y², z², xy, yz, zx, and T is β D + (1 − β) R
//! with D of three rows and nine columns. Each vertex gets the velocity
//!
//! > u = α_h (g − x̄)/h.
//!
//! **Stiffness.** With the angular frequency ω of a spring that would draw a vertex to its goal, the implicit Euler
//! method has α_h = s/(1 + s) with s = (ω h)². Scenes give the α that would be α_h in a step of 1/60 s; so
//! ω² = α/(1 − α)/(1/60 s)², and what comes of it does not depend on the timestep but for what that method damps. At
//! α = 1 a cluster is rigid in any step. (With a share of the way that is the same in each substep, as published, bodies
//! get stiffer the shorter substeps are.)
//!
//! **Limit.** A spring to the goal of each vertex knows nothing of its neighbours: the few vertices on which a soft body lies
//! would be pushed through those above them. So the spring gets harder: with a way w to the goal that is left at the end of the
//! substep it pulls with ω² w/(1 − w/ℓ), 50 ω² ℓ at most, where ℓ = 0.12 radii of the cluster, about a third of the distance
//! of two vertices in clusters of the usual size. That is the slope of a convex potential, and the way left is the root of a
//! square equation: the step is as implicit as that of a spring of Hooke's, and never gives energy. (A hardness taken from
//! the way before the pull pulls farther than the potential would, and keeps bodies trembling for ever.)
//!
//! **Volume.** Goals of linear clusters restore the volume. The publication has D/∛det D for that, which is as large as the
//! body should be but not near to what it is: what a fall has flattened is blown up sideways, and bounces with ten times the
//! energy that it fell with. V goes the shortest way, which is, to first order, the nearest of all that have the right
//! volume: what draws there is the slope of a potential, as it is with R. λ has 3 for a denominator at least, that of no
//! deformation, and β fades away as det D falls from ¼ to 0: goals must not follow what is turned inside out.
//!
//! **Momentum.** What u has of momentum and of angular momentum is taken out of it: of the mean, and of the spin that fits
//! it. So goals ahead of time brake no turn, and rounding drives nothing.
//! (Positions that are moved to their goals at once, as is usual, brake turns at the rate ω² h: a body that turns at
//! 5 rad/s in steps of 1 ms would lose a quarter in 10 s.) Nothing but velocities is changed: what colliders and contact
//! keep apart stays so.
//!
//! **Several clusters.** A vertex in n of them has an nth of its mass in each, and takes the mean of their u: momenta
//! of clusters are kept one by one. A vertex that is locked or led weighs as much as all that is free in its
//! cluster, so that the others follow it.
//!
//! **Damping.** Clusters that hang together are a *whole*. Of its vertices' velocities a share δ_h = δh/(1 + δh) is lost of
//! what they are beside the rigid motion that has its momentum and its angular momentum. (Within clusters alone it would
//! hardly act where there are many: what moves them against each other leaves each of them in its shape, so that a thin
//! wall of thirty clusters trembles a hundred times longer than one cluster does.)
//!
//! **Regular shapes.** Where all of a cluster lies in a plane, along a line or at a point, moments have no inverse; it is
//! that of the directions in which there is something, and in the others D is R. At rest, goals are where vertices are but
//! for rounding: what is within it is no pull at all, so that what rests does so bit by bit.
//!
//! **Plasticity.** A cluster whose strain ‖RᵀD − 1‖ is above a threshold takes over a share of what is above in each substep,
//! into a matrix P of determinant 1, and has the places P q at rest from then on: A becomes A Pᵀ, D becomes D P⁻¹, and
//! goals c̄ + T P q.
//!
//! # Practice
//!
//! [`formula`] has the matrices, [`matching`] a whole cluster, in any precision. Two passes follow the update that places
//! the vertices: `Shapes` finds u by cluster, and sums over parts of wholes; `Match` lets each vertex lose its share and take
//! the mean of its u, in a fixed order. Rotations, from which the next substep starts, and P are state. Bodies that take
//! implicit steps are refused.

#[cfg(test)]
mod body_tests;
pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod matching;
mod moments;
#[cfg(test)]
mod rotation_tests;
#[cfg(test)]
mod tests;
mod wholes;

use crate::math::Vec3;
use crate::scene::{ShapeMatching, ShapeMode, ShapeSettings, World};
use formula::{Creep, Pull, rotation_of};
pub use wholes::{Whole, Wholes};

/// The clusters of a model.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// What bodies ask for, each once.
    pub kinds: Vec<ShapeMatching>,
    /// The clusters, sorted by their first vertices.
    pub clusters: Vec<Cluster>,
    /// Their vertices, cluster by cluster, in ascending order.
    pub members: Vec<Member>,
    /// What inverses of moments clusters have, see [`Cluster::matrix`].
    pub matrices: Vec<f32>,
    /// What hangs together.
    pub wholes: Wholes,
}

/// Vertices that are matched together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// The first of its members, and how many there are.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// What it does, in [`Shapes::kinds`].
    pub kind: u32,
    /// Where its matrices begin, by columns: the inverse of Σ m q qᵀ, the directions in which there is nothing, and, of
    /// quadratic ones, the inverse of nine rows and columns, of places over the radius. Rigid ones that do not yield have
    /// none.
    pub matrix: u32,
    /// How far its vertices are from the centre at most \[m\].
    pub radius: f32,
    /// The inverse of its mass \[1/kg\].
    pub inv_mass: f32,
}

/// A vertex of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The vertex.
    pub vertex: u32,
    /// Where it is at rest, seen from the centre of the cluster \[m\].
    pub q: [f32; 3],
    /// What it weighs there \[kg\].
    pub mass: f32,
}

/// What clusters have become.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterStates {
    /// Their rotations, quaternions of length 1.
    pub turns: Vec<[f32; 4]>,
    /// What they have taken over of their deformation, by columns; nothing where none ever yields.
    pub taken: Vec<[f32; 9]>,
}

/// A rotation that turns nothing.
pub const NO_TURN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// What has not yielded.
pub const UNTOUCHED: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Vertices of a body in the model's numbering, and what they do together.
pub struct ClusterOf {
    /// What it does.
    pub kind: u32,
    /// Its vertices.
    pub vertices: Vec<u32>,
}

impl Shapes {
    /// The clusters of vertices with these places at rest \[m\] and masses \[kg\]. Those that nothing can move are left out.
    pub fn new(
        kinds: Vec<ShapeMatching>,
        mut of: Vec<ClusterOf>,
        rest: &[[f32; 3]],
        [mass, inv_mass]: [&[f32]; 2],
    ) -> Self {
        of.retain(|cluster| cluster.vertices.iter().any(|&v| inv_mass[v as usize] > 0.0));
        of.iter_mut().for_each(|cluster| cluster.vertices.sort_unstable());
        // Some have the same first vertex: they stay in the order in which they came.
        of.sort_by_key(|cluster| cluster.vertices[0]);
        let mut counts = vec![0_u32; rest.len()];
        of.iter().flat_map(|c| &c.vertices).for_each(|&v| counts[v as usize] += 1);
        let mut shapes = Self { kinds, ..Self::default() };
        for ClusterOf { kind, vertices } in of {
            let own = |v: u32| f64::from(mass[v as usize]) / f64::from(counts[v as usize]);
            let is_free = |v: u32| inv_mass[v as usize] > 0.0;
            let free: f64 = vertices.iter().filter(|v| is_free(**v)).map(|&v| own(v)).sum();
            let weight = |v: u32| if is_free(v) { own(v) } else { own(v).max(free) };
            let points: Vec<[f64; 4]> = vertices
                .iter()
                .map(|&v| {
                    let [x, y, z] = rest[v as usize].map(f64::from);
                    [x, y, z, weight(v)]
                })
                .collect();
            let kept = &shapes.kinds[kind as usize];
            let wanted = (kept.mode != ShapeMode::Rigid || kept.plasticity.is_some())
                .then_some(kept.mode == ShapeMode::Quadratic);
            let found = moments::of(&points, wanted);
            let (first, matrix) = (shapes.members.len() as u32, shapes.matrices.len() as u32);
            shapes.matrices.extend(found.matrices.iter().map(|&m| m as f32));
            for (&vertex, (q, point)) in vertices.iter().zip(found.places.iter().zip(&points)) {
                let q = q.map(|c| c as f32);
                shapes.members.push(Member { vertex, q, mass: point[3] as f32 });
            }
            shapes.clusters.push(Cluster {
                first,
                count: vertices.len() as u32,
                kind,
                matrix,
                radius: found.radius as f32,
                inv_mass: (1.0 / found.mass) as f32,
            });
        }
        shapes.wholes = Wholes::new(&shapes.clusters, &shapes.members, [mass, inv_mass]);
        shapes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Whether any of them may yield.
    pub fn yields(&self) -> bool {
        self.kinds.iter().any(|kind| kind.plasticity.is_some())
    }

    /// The members of a cluster.
    pub fn members_of(&self, cluster: &Cluster) -> &[Member] {
        &self.members[cluster.first as usize..(cluster.first + cluster.count) as usize]
    }

    /// What clusters are when nothing has moved yet.
    pub fn start(&self) -> ClusterStates {
        let taken = if self.yields() { self.clusters.len() } else { 0 };
        ClusterStates { turns: vec![NO_TURN; self.clusters.len()], taken: vec![UNTOUCHED; taken] }
    }

    /// What clusters are whose vertices are there \[m\], if nothing else is known of them: turned as they look, with
    /// nothing taken over.
    pub fn start_at(&self, x: &[[f32; 3]]) -> ClusterStates {
        /// Improvements of a rotation at most; of what is not turned, or hardly, the first ones change nothing.
        const MOST: usize = 200;
        let mut states = self.start();
        for (cluster, turn) in self.clusters.iter().zip(&mut states.turns) {
            let members = self.members_of(cluster);
            let at = |m: &Member| Vec3::<f64>::of(x[m.vertex as usize].map(f64::from));
            let mut moments = [Vec3::<f64>::zero(); 3];
            for member in members {
                let ahead = (at(member) - at(&members[0])) * f64::from(member.mass);
                for (column, q) in moments.iter_mut().zip(member.q) {
                    *column += ahead * f64::from(q);
                }
            }
            let mut found = turn.map(f64::from);
            for _ in 0..MOST {
                let before = found;
                found = rotation_of(moments, before, 1);
                let moved = found.iter().zip(before).map(|(a, b)| (a - b).abs());
                if moved.fold(0.0, f64::max) < 1e-8 {
                    break;
                }
            }
            *turn = found.map(|c| c as f32);
        }
        states
    }

    /// What each kind does in a substep of length `h` \[s\] in a world.
    pub fn drives(&self, world: &World, h: f64) -> Vec<Drive> {
        let settings = world.shape_matching.as_ref();
        self.kinds.iter().map(|kind| Drive::new(kind, kind.settings(settings), h)).collect()
    }

    /// What decides how they act besides the settings of worlds, as words, for fingerprints.
    pub fn words(&self) -> Vec<u32> {
        let cluster = |c: &Cluster| [c.first, c.count, c.kind];
        let member = |m: &Member| {
            let [x, y, z] = m.q.map(f32::to_bits);
            [m.vertex, x, y, z, m.mass.to_bits()]
        };
        let clusters = self.clusters.iter().flat_map(cluster);
        clusters.chain(self.members.iter().flat_map(member)).collect()
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.kinds[..])
            + size_of_val(&self.clusters[..])
            + size_of_val(&self.members[..])
            + size_of_val(&self.matrices[..])
            + self.wholes.bytes()
    }
}

/// What clusters of a kind do in a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// What shapes may become of them.
    pub mode: ShapeMode,
    /// What pulls their vertices.
    pub pull: Pull<f64>,
    /// The share that vertices lose of what they do beside the rigid motion of their whole.
    pub loss: f64,
    /// How they yield, if they do.
    pub creep: Option<Creep<f64>>,
}

impl Drive {
    fn new(kind: &ShapeMatching, settings: ShapeSettings, h: f64) -> Self {
        let ShapeSettings { alpha, beta, damping } = settings;
        let [near, far] = [alpha * h * h, (1.0 - alpha) * ShapeSettings::TIME.powi(2)];
        let fading = |rate: f64| rate * h / (1.0 + rate * h);
        Self {
            mode: kind.mode,
            pull: Pull { rate: near / (near + far) / h, beta, h },
            loss: fading(damping),
            creep: kind.plasticity.map(|plasticity| Creep {
                threshold: plasticity.threshold,
                share: fading(plasticity.creep),
                most: plasticity.max,
            }),
        }
    }
}
