//! Wholes: clusters that hang together by common vertices. What they do as a whole is theirs, what moves beside that fades.

use super::formula::{Sums, squares_of};
use super::{Cluster, Member, Shapes};
use crate::math::{Real, Vec3, vec3};

/// The wholes of a model.
#[derive(Clone, Debug, Default)]
pub struct Wholes {
    /// They, sorted by their first vertices.
    pub all: Vec<Whole>,
    /// Their vertices, whole by whole, in ascending order, and what each weighs there \[kg\].
    pub vertices: Vec<(u32, f32)>,
}

/// Clusters that hang together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whole {
    /// The first of its vertices, and how many there are.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// What its clusters do, in [`Shapes::kinds`].
    pub kind: u32,
    /// The inverse of its mass \[1/kg\].
    pub inv_mass: f32,
}

impl Wholes {
    /// Those of clusters with these members, of vertices with these masses \[kg\].
    pub fn new(clusters: &[Cluster], members: &[Member], [mass, inv_mass]: [&[f32]; 2]) -> Self {
        // Each vertex leads to a lower one of its whole, or to itself, if it is the lowest.
        let mut lower: Vec<u32> = (0..mass.len() as u32).collect();
        fn lowest(lower: &mut [u32], mut v: u32) -> u32 {
            while lower[v as usize] != v {
                lower[v as usize] = lower[lower[v as usize] as usize];
                v = lower[v as usize];
            }
            v
        }
        let mut kind_of = vec![u32::MAX; mass.len()];
        for cluster in clusters {
            let own = &members[cluster.first as usize..(cluster.first + cluster.count) as usize];
            for member in own {
                let ends = [own[0].vertex, member.vertex].map(|v| lowest(&mut lower, v));
                lower[ends[0].max(ends[1]) as usize] = ends[0].min(ends[1]);
                kind_of[member.vertex as usize] = cluster.kind;
            }
        }
        let matched = (0..mass.len() as u32).filter(|&v| kind_of[v as usize] != u32::MAX);
        let mut order: Vec<[u32; 2]> = matched.map(|v| [lowest(&mut lower, v), v]).collect();
        order.sort_unstable();
        let mut wholes = Self::default();
        for own in order.chunk_by(|a, b| a[0] == b[0]) {
            let is_free = |v: u32| inv_mass[v as usize] > 0.0;
            let of = |v: u32| f64::from(mass[v as usize]);
            let free: f64 = own.iter().map(|&[_, v]| v).filter(|&v| is_free(v)).map(of).sum();
            // What is locked or led carries the others with it, as it does in clusters.
            let weight = |v: u32| if is_free(v) { of(v) } else { of(v).max(free) };
            let total: f64 = own.iter().map(|&[_, v]| weight(v)).sum();
            wholes.all.push(Whole {
                first: wholes.vertices.len() as u32,
                count: own.len() as u32,
                kind: kind_of[own[0][0] as usize],
                inv_mass: (1.0 / total) as f32,
            });
            wholes.vertices.extend(own.iter().map(|&[_, v]| (v, weight(v) as f32)));
        }
        wholes
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.all[..]) + size_of_val(&self.vertices[..])
    }
}

impl<R: Real> Sums<R> {
    /// Adds a vertex of mass `m` \[kg\] that is at `x` \[m\] with the velocity `v` \[m/s\].
    pub fn add_vertex(&mut self, m: R, x: Vec3<R>, v: Vec3<R>) {
        let [squares, products] = squares_of(x);
        self.place += x * m;
        self.momentum += v * m;
        self.angular += x.cross(v) * m;
        self.squares += squares * m;
        self.products += vec3(products.y, products.z, products.x) * m;
    }

    /// Adds what others have added up.
    pub fn add(&mut self, other: &Self) {
        self.place += other.place;
        self.momentum += other.momentum;
        self.angular += other.angular;
        self.squares += other.squares;
        self.products += other.products;
    }
}

impl Shapes {
    /// Whether anything fades in a substep that does so much.
    pub fn fades(drives: &[super::Drive]) -> bool {
        drives.iter().any(|drive| drive.loss > 0.0)
    }
}
