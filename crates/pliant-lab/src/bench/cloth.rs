//! Cloths that lie in folds, for timing the search for contacts.
//!
//! A square metre of cloth falls over a ball and onto the floor, or is squeezed into a shrinking ball. The
//! simulation is not Pliant's but the one with which the peers' cloths are made, step by step: small-step
//! position-based dynamics in double precision whose vertices are balls that cannot pass between each
//! other, so that no triangles cross. Draped cloths are those of the peers; crumpled ones begin with
//! other random velocities.

use pliant_mesh::Mesh;
use pliant_mesh::topology::unique_edges;

/// A cloth to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloth {
    /// What to call it.
    pub name: &'static str,
    /// Vertices along each side.
    pub side: usize,
    /// How it is folded.
    pub fold: Fold,
}

/// How a cloth is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Over a ball and the floor.
    Drape,
    /// In a ball that shrinks.
    Crumple,
}

/// All cloths.
pub static CLOTHS: [Cloth; 6] = [
    Cloth { name: "drape20k", side: 101, fold: Fold::Drape },
    Cloth { name: "crumple20k", side: 101, fold: Fold::Crumple },
    Cloth { name: "drape50k", side: 159, fold: Fold::Drape },
    Cloth { name: "crumple50k", side: 159, fold: Fold::Crumple },
    Cloth { name: "drape200k", side: 317, fold: Fold::Drape },
    Cloth { name: "crumple200k", side: 317, fold: Fold::Crumple },
];

/// Time of a frame \[s\], and how many there are.
const FRAME: f64 = 1.0 / 60.0;
const FRAMES: usize = 120;
/// The ball that cloth falls on: radius and height of its middle \[m\].
const BALL: f64 = 0.25;
/// Height that it falls from \[m\].
const DROP: f64 = 0.6;
/// Middle of the ball that it is squeezed in, and the radius at the start and at the end \[m\].
const SQUEEZE: [f64; 3] = [0.0, 0.4, 0.0];
const SQUEEZE_RADII: [f64; 2] = [0.75, 0.2];
const FRICTION: f64 = 0.3;
const GRAVITY: f64 = 9.81;
/// Share of a bending spring that is corrected in a step.
const BENDING: f64 = 0.05;
/// Steps between two searches for neighbours.
const SEARCH_EVERY: usize = 2;
/// Most that a vertex moves in a step, in edges.
const STRIDE: f64 = 0.15;

impl Cloth {
    /// Whether it takes minutes to make.
    pub fn is_large(&self) -> bool {
        self.side > 200
    }

    /// Edge at rest \[m\].
    pub fn edge(&self) -> f64 {
        1.0 / (self.side - 1) as f64
    }

    /// Positions at rest, turned a little so that nothing is symmetric.
    pub fn rest(&self) -> Vec<[f64; 3]> {
        let (sin, cos) = 10f64.to_radians().sin_cos();
        let place = |i: usize| f64::from((i as f64 * self.edge()) as f32) - 0.5;
        (0..self.side * self.side)
            .map(|k| {
                let (x, z) = (place(k % self.side), place(k / self.side));
                [cos * x - sin * z + 0.03, DROP, sin * x + cos * z + 0.02]
            })
            .collect()
    }

    /// Two triangles per square, first all lower ones.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let n = self.side as u32;
        let corners = || (0..n - 1).flat_map(move |row| (0..n - 1).map(move |i| row * n + i));
        let lower = corners().map(|a| [a, a + n, a + 1]);
        lower.chain(corners().map(|a| [a + 1, a + n, a + n + 1])).collect()
    }

    /// Vertices two squares apart.
    fn bending(&self) -> Vec<[u32; 2]> {
        let n = self.side as u32;
        let rows = (0..n).flat_map(move |j| (0..n - 2).map(move |i| [j * n + i, j * n + i + 2]));
        let columns =
            (0..n - 2).flat_map(move |j| (0..n).map(move |i| [j * n + i, (j + 2) * n + i]));
        rows.chain(columns).collect()
    }
}

/// Makes a cloth; the same bits every time.
pub fn make(cloth: &Cloth) -> Mesh {
    let mut folding = Folding::new(cloth);
    let substeps = 20.max((20.0 * cloth.side as f64 / 128.0).ceil() as usize);
    let steps = FRAMES * substeps;
    for step in 0..steps {
        folding.step(step, steps, FRAME / substeps as f64);
    }
    Mesh { points: folding.position, triangles: cloth.triangles(), ..Mesh::default() }
}

/// A pair of vertices and their distance at rest \[m\].
type Spring = ([usize; 2], f64);

/// A cloth while it is folded.
struct Folding {
    fold: Fold,
    edge: f64,
    position: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
    /// Where the vertices are going.
    goal: Vec<[f64; 3]>,
    edges: Vec<Spring>,
    bending: Vec<Spring>,
    neighbours: Neighbours,
}

impl Folding {
    fn new(cloth: &Cloth) -> Self {
        let position = cloth.rest();
        let springs = |pairs: Vec<[u32; 2]>| -> Vec<Spring> {
            let spring = |pair: [u32; 2]| {
                let [i, j] = pair.map(|v| v as usize);
                ([i, j], length(minus(position[i], position[j])))
            };
            pairs.into_iter().map(spring).collect()
        };
        Self {
            fold: cloth.fold,
            edge: cloth.edge(),
            edges: springs(unique_edges(&[], &cloth.triangles())),
            bending: springs(cloth.bending()),
            velocity: first_velocities(cloth),
            goal: position.clone(),
            neighbours: Neighbours::new(position.len()),
            position,
        }
    }

    fn step(&mut self, step: usize, steps: usize, timestep: f64) {
        let diameter = 0.95 * self.edge;
        self.fall(timestep);
        if step.is_multiple_of(SEARCH_EVERY) {
            let reach = diameter + 2.0 * SEARCH_EVERY as f64 * STRIDE * self.edge;
            self.neighbours.search(&self.goal, reach);
        }
        // There and back, so that no direction is preferred.
        let count = self.edges.len();
        for k in 0..count {
            let (pair, rest) = self.edges[if step.is_multiple_of(2) { k } else { count - 1 - k }];
            pull(&mut self.goal, pair, rest, 1.0);
        }
        for &(pair, rest) in &self.bending {
            pull(&mut self.goal, pair, rest, BENDING);
        }
        self.keep_apart(diameter);
        let share = (1.25 * step as f64 / steps as f64).min(1.0);
        let [start, end] = SQUEEZE_RADII;
        match self.fold {
            Fold::Crumple => self.squeeze(start + (end - start) * share),
            Fold::Drape => self.hold_up(diameter),
        }
        for ((velocity, position), goal) in
            self.velocity.iter_mut().zip(&mut self.position).zip(&self.goal)
        {
            *velocity = minus(*goal, *position).map(|x| x / timestep);
            *position = *goal;
        }
    }

    /// Where vertices would go if they were alone.
    fn fall(&mut self, timestep: f64) {
        let fastest = STRIDE * self.edge / timestep;
        for ((velocity, position), goal) in
            self.velocity.iter_mut().zip(&self.position).zip(&mut self.goal)
        {
            velocity[1] -= GRAVITY * timestep;
            let speed = length(*velocity);
            let mut factor = 1.0 - timestep;
            if speed * factor > fastest {
                factor = fastest / speed;
            }
            for axis in 0..3 {
                velocity[axis] *= factor;
                goal[axis] = position[axis] + velocity[axis] * timestep;
            }
        }
    }

    /// Pushes vertices apart that are nearer than their diameter; friction takes part of their sliding.
    fn keep_apart(&mut self, diameter: f64) {
        for &[i, j] in &self.neighbours.pairs {
            let between = minus(self.goal[j], self.goal[i]);
            if dot(between, between) >= diameter * diameter {
                continue;
            }
            pull(&mut self.goal, [i, j], diameter, 1.0);
            for axis in 0..3 {
                let (a, b) = (self.position[i][axis], self.position[j][axis]);
                let sliding = (self.goal[j][axis] - b) - (self.goal[i][axis] - a);
                let change = 0.25 * FRICTION * sliding;
                self.goal[i][axis] += change;
                self.goal[j][axis] -= change;
            }
        }
    }

    /// Keeps vertices inside a ball.
    fn squeeze(&mut self, radius: f64) {
        for goal in &mut self.goal {
            let out = minus(*goal, SQUEEZE);
            let distance = length(out);
            if distance > radius {
                *goal = std::array::from_fn(|k| SQUEEZE[k] + out[k] * radius / distance);
            }
        }
    }

    /// Keeps vertices above the floor and outside the ball that lies on it.
    fn hold_up(&mut self, diameter: f64) {
        const MIDDLE: [f64; 3] = [0.0, BALL, 0.0];
        let radius = BALL + 0.5 * diameter;
        for (goal, position) in self.goal.iter_mut().zip(&self.position) {
            let out = minus(*goal, MIDDLE);
            let distance = length(out);
            if distance < radius {
                for axis in 0..3 {
                    goal[axis] = MIDDLE[axis] + out[axis] * radius / distance;
                    goal[axis] -= FRICTION * (goal[axis] - position[axis]);
                }
            }
            if goal[1] < 0.5 * diameter {
                goal[1] = 0.5 * diameter;
                goal[0] -= FRICTION * (goal[0] - position[0]);
                goal[2] -= FRICTION * (goal[2] - position[2]);
            }
        }
    }
}

/// A crumpled cloth begins in waves, with some noise.
fn first_velocities(cloth: &Cloth) -> Vec<[f64; 3]> {
    let n = cloth.side;
    if cloth.fold == Fold::Drape {
        return vec![[0.0; 3]; n * n];
    }
    let mut state = 3_u64;
    let mut unit = || {
        // The constants of Knuth's MMIX; the lower bits are poor.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    // Twelve evenly distributed numbers have nearly a normal distribution of deviation 1.
    let mut noise = || 0.05 * ((0..12).map(|_| unit()).sum::<f64>() - 6.0);
    (0..n * n)
        .map(|k| {
            let [x, y, z] = [noise(), noise(), noise()];
            let across = |i: usize, waves: f64| waves * i as f64 / n as f64;
            [x, y + 0.6 * across(k % n, 9.0).sin() * across(k / n, 7.0).cos(), z]
        })
        .collect()
}

/// Vertices that are near each other, found with a hashed grid.
struct Neighbours {
    /// First vertex in each bucket, or none.
    heads: Vec<usize>,
    /// The vertex behind each one in its bucket.
    next: Vec<usize>,
    pairs: Vec<[usize; 2]>,
}

/// No vertex.
const NONE: usize = usize::MAX;

impl Neighbours {
    fn new(vertices: usize) -> Self {
        let buckets = (4 * vertices).next_power_of_two();
        Self { heads: vec![NONE; buckets], next: vec![NONE; vertices], pairs: Vec::new() }
    }

    fn bucket(&self, cell: [i64; 3]) -> usize {
        let hash = (cell[0] * 73_856_093) ^ (cell[1] * 19_349_663) ^ (cell[2] * 83_492_791);
        hash as usize & (self.heads.len() - 1)
    }

    /// All pairs nearer than `reach`.
    fn search(&mut self, position: &[[f64; 3]], reach: f64) {
        self.heads.fill(NONE);
        self.pairs.clear();
        for (i, point) in position.iter().enumerate() {
            let cell = point.map(|x| (x * (1.0 / reach)).floor() as i64);
            let own = self.pairs.len();
            for shift in 0..27 {
                let [a, b, c] = [shift / 9 - 1, shift / 3 % 3 - 1, shift % 3 - 1];
                let mut j = self.heads[self.bucket([cell[0] + a, cell[1] + b, cell[2] + c])];
                while j != NONE {
                    let between = minus(*point, position[j]);
                    // Two of the cells can share a bucket.
                    let is_new = || !self.pairs[own..].contains(&[i, j]);
                    if dot(between, between) < reach * reach && is_new() {
                        self.pairs.push([i, j]);
                    }
                    j = self.next[j];
                }
            }
            let bucket = self.bucket(cell);
            self.next[i] = self.heads[bucket];
            self.heads[bucket] = i;
        }
    }
}

/// Moves two vertices toward their distance at rest, by a share of what is missing.
fn pull(position: &mut [[f64; 3]], [i, j]: [usize; 2], rest: f64, share: f64) {
    let between = minus(position[j], position[i]);
    let distance = length(between);
    if distance > 1e-12 {
        let factor = 0.5 * share * (distance - rest) / distance;
        for axis in 0..3 {
            position[i][axis] += factor * between[axis];
            position[j][axis] -= factor * between[axis];
        }
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some vertices of what the peers' script makes of the same cloth.
    const PEERS: [(usize, [f64; 3]); 5] = [
        (0, [-0.262_847_536_229, 0.274_681_523_682, 0.415_033_024_963]),
        (23, [-0.156_304_378_029, 0.029_697_969_335, -0.253_155_818_547]),
        (287, [0.124_863_086_796, 0.136_921_745_180, -0.296_026_334_117]),
        (300, [0.134_395_763_502, 0.477_213_247_529, -0.061_765_893_987]),
        (575, [0.395_832_397_121, 0.021_754_577_333, -0.427_397_688_319]),
    ];

    #[test]
    fn a_small_drape_is_that_of_the_peers() {
        let cloth = Cloth { name: "drape", side: 24, fold: Fold::Drape };
        let points = make(&cloth).points;
        for (vertex, expected) in PEERS {
            for axis in 0..3 {
                let is = points[vertex][axis];
                assert!((is - expected[axis]).abs() < 1e-6, "{vertex}: {is}, not {expected:?}");
            }
        }
    }
}
