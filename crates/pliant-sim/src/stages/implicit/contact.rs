//! Contact of one vertex with walls inside an implicit step: the readable truth of every backend.
//!
//! # Theory
//!
//! A wall gives a vertex the impulse λ ≥ 0 that keeps it from going through, and none if it leaves by
//! itself. With the forces linearised this is a quadratic problem with bounds, and the components that
//! walls hold are found by a *primal-dual active set* (Hintermüller, Ito & Kunisch 2003): solve with
//! the held components given; let go what a wall would have to pull; take hold of what went through;
//! repeat until nothing changes. Only what a wall really carries is held, so a body that lands is
//! stopped by its lowest vertices and its own elasticity, not pressed flat.
//!
//! Friction is Coulomb's, by the same kind of search (Newton's iterations on its potential μλ|v|): a held
//! vertex *sticks*, its components along the wall given to be at rest, while the impulse that this takes
//! is at most μλ; else it *slides*. Then μλ acts against the direction t of the velocity found last,
//! and a change of direction is resisted by μλ/|v|, the potential's curvature across t. One that would
//! be driven backwards sticks again. Sticking is exact: a body at rest on a slope does not creep.
//!
//! Restitution e asks a vertex that arrives at v for at least −e v, wherever in the step it would have
//! met the wall.

use crate::stages::walls::Walls;

/// The vertex sticks to the walls that hold it.
pub const STICKS: u32 = 64;
/// It slides along them.
pub const SLIDES: u32 = 128;
/// One more change between sticking and sliding.
const FLIP: u32 = 256;
/// After so many changes in a step a vertex that sticks does not slide again.
const MOST_FLIPS: u32 = 5 * FLIP;

/// The part of friction's largest impulse by which it may still change when it counts as found.
const FOUND: f32 = 0.05;
/// The largest curvature of friction's potential, over the mass.
const MOST_CURVATURE: f32 = 1e6;

/// The bits of components that walls hold; those of the upper walls are three places higher.
const HELD: u32 = 7;

/// A vertex of a system, by component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// 1 for components that are free, 0 for those that are given.
    pub mask: [f32; 3],
    /// The unknowns: change of velocity \[m/s\].
    pub delta: [f32; 3],
    /// The impulse of friction, if it slides \[kg·m/s\].
    pub load: [f32; 3],
    /// The root of friction's resistance to a change of direction, times the direction across
    /// \[√kg\]: s sᵀ belongs to the matrix.
    pub across: [f32; 3],
    /// What holds it: a bit for each component, a bit for each if that is the upper wall,
    /// [`STICKS`], [`SLIDES`], and how often it changed between these.
    pub bits: u32,
}

/// Where a step begins, and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The box in the body's coordinates.
    pub walls: &'a Walls<f32>,
    /// Position \[m\].
    pub x: [f32; 3],
    /// Velocity \[m/s\].
    pub v: [f32; 3],
    /// Timestep \[s\].
    pub h: f32,
}

impl Start<'_> {
    /// The velocity at which a wall lets component `k` end the step.
    fn allowed(&self, k: usize, is_upper: bool) -> f32 {
        let [low, high]: [[f32; 3]; 2] = [self.walls.low.into(), self.walls.high.into()];
        let bounce = -self.walls.restitution * self.v[k];
        if is_upper {
            let stop = (high[k] - self.x[k]) / self.h;
            if self.v[k] > 0.0 { stop.min(bounce) } else { stop }
        } else {
            let stop = (low[k] - self.x[k]) / self.h;
            if self.v[k] < 0.0 { stop.max(bounce) } else { stop }
        }
    }

    /// The bits of the wall that component `k` goes through at velocity `v`, if it does, by more than
    /// rounding.
    fn crossed(&self, k: usize, v: f32) -> u32 {
        let [low, high]: [[f32; 3]; 2] = [self.walls.low.into(), self.walls.high.into()];
        let end = self.x[k] + self.h * v;
        let doubt = 2.0 * f32::EPSILON * self.x[k].abs();
        if end < low[k] - doubt {
            1 << k
        } else if end > high[k] + doubt {
            9 << k
        } else {
            0
        }
    }
}

impl Contact {
    fn is_held(&self, k: usize) -> bool {
        self.bits >> k & 1 == 1
    }

    fn is_upper(&self, k: usize) -> bool {
        self.bits >> (k + 3) & 1 == 1
    }

    /// Gives what walls demand of held components; `v` is the velocity to which Δv is added.
    fn give(&mut self, start: &Start<'_>, v: [f32; 3]) {
        let sticks = self.bits & STICKS != 0;
        for k in 0..3 {
            let is_held = self.is_held(k);
            self.mask[k] = if is_held || sticks { 0.0 } else { 1.0 };
            if is_held {
                self.delta[k] = start.allowed(k, self.is_upper(k)) - v[k];
            } else if sticks {
                self.delta[k] = -v[k];
            }
        }
    }

    /// The first guess: what is pressed against a wall, or would go through one by its own motion.
    /// `b` is the right-hand side, `v` the velocity to which Δv is added, `delta` the guess for it.
    pub fn first(start: &Start<'_>, v: [f32; 3], b: [f32; 3], delta: [f32; 3], mass: f32) -> Self {
        let mut contact = Self { mask: [1.0; 3], delta, ..Self::default() };
        let [low, high]: [[f32; 3]; 2] = [start.walls.low.into(), start.walls.high.into()];
        let mut pressure = 0.0;
        for k in 0..3 {
            let touches = (start.x[k] <= low[k], start.x[k] >= high[k]);
            let bits = match touches {
                (true, _) if b[k] < 0.0 && start.v[k] <= 0.0 => 1 << k,
                (_, true) if b[k] > 0.0 && start.v[k] >= 0.0 => 9 << k,
                _ => start.crossed(k, start.v[k]),
            };
            contact.bits |= bits;
            if bits != 0 && (touches.0 || touches.1) {
                pressure += b[k].abs();
            }
        }
        if contact.bits != 0 {
            contact.begin_to_rub(start, v, start.walls.friction * pressure, mass);
        }
        contact.give(start, v);
        contact
    }

    /// What is at rest along a wall sticks, all else slides.
    fn begin_to_rub(&mut self, start: &Start<'_>, v: [f32; 3], most: f32, mass: f32) {
        if start.walls.friction > 0.0 {
            let v = self.along_walls(v);
            self.bits |= if length(v) > 0.0 { SLIDES } else { STICKS };
            self.slide(v, length(v), most, mass);
        }
    }

    /// Friction of impulse `most` against a velocity along `direction` of size `speed`.
    fn slide(&mut self, direction: [f32; 3], speed: f32, most: f32, mass: f32) {
        (self.load, self.across) = ([0.0; 3], [0.0; 3]);
        let size = length(direction);
        if size == 0.0 {
            return;
        }
        let t = direction.map(|c| c / size);
        self.load = t.map(|c| -most * c);
        // Held by one wall, there is one direction across; by two, there is none.
        if let (1, Some(k)) = ((self.bits & HELD).count_ones(), (0..3).find(|&k| self.is_held(k))) {
            let curvature = (most / speed.max(f32::MIN_POSITIVE)).min(MOST_CURVATURE * mass);
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            (self.across[i], self.across[j]) = (-t[j] * curvature.sqrt(), t[i] * curvature.sqrt());
        }
    }

    /// The components along the walls that hold the vertex.
    fn along_walls(&self, v: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| if self.is_held(k) { 0.0 } else { v[k] })
    }

    /// What holds the vertex once a system is solved; `true` if that is something else than before.
    /// `impulse` is A Δv − b, what it takes to give the components that are given; `slack` is how much of
    /// it means nothing. Walls let go while `may_leave`, and friction changes while `may_rub`.
    pub fn revise(
        &mut self,
        start: &Start<'_>,
        v: [f32; 3],
        impulse: [f32; 3],
        mass: f32,
        slack: f32,
        [may_leave, may_rub]: [bool; 2],
    ) -> bool {
        let before = *self;
        let mut pressure = 0.0;
        for k in 0..3 {
            if self.is_held(k) {
                let push = if self.is_upper(k) { -impulse[k] } else { impulse[k] };
                if push < -slack && may_leave {
                    self.bits &= !(9 << k);
                }
                pressure += push.max(0.0);
            } else if before.mask[k] != 0.0 {
                self.bits |= start.crossed(k, v[k] + self.delta[k]);
            }
        }
        let mut has_news = (before.bits ^ self.bits) & (HELD | HELD << 3) != 0;
        if self.bits & HELD == 0 {
            (self.bits, self.load, self.across) = (0, [0.0; 3], [0.0; 3]);
        } else if before.bits & HELD == 0 {
            self.begin_to_rub(start, v, 0.0, mass);
        } else if start.walls.friction > 0.0 {
            let most = start.walls.friction * pressure;
            has_news |= self.rub(v, impulse, mass, most, slack, may_rub);
        }
        self.give(start, v);
        has_news
    }

    /// Friction of a vertex that walls hold; `most` is the largest impulse that it can have.
    fn rub(
        &mut self,
        v: [f32; 3],
        impulse: [f32; 3],
        mass: f32,
        most: f32,
        slack: f32,
        may_rub: bool,
    ) -> bool {
        let before = *self;
        if self.bits & STICKS != 0 {
            let needed = self.along_walls(impulse);
            let excess = length(needed) - most;
            if excess > slack && self.bits < MOST_FLIPS {
                self.bits = (self.bits ^ (STICKS | SLIDES)) + FLIP;
                // As fast as if it were alone; the next solve knows better.
                self.slide(needed.map(|c| -c), excess / mass, most, mass);
            }
        } else if may_rub {
            let v = self.velocity_along_walls(v);
            if dot(v, self.load) > 0.0 {
                self.bits = (self.bits ^ (STICKS | SLIDES)) + FLIP;
                (self.load, self.across) = ([0.0; 3], [0.0; 3]);
            } else {
                self.slide(v, length(v), most, mass);
            }
        }
        let change = std::array::from_fn(|k| self.load[k] - before.load[k]);
        self.bits != before.bits || length(change) > FOUND * most + slack
    }

    /// The velocity along walls when the step ends, from the one to which Δv is added.
    fn velocity_along_walls(&self, v: [f32; 3]) -> [f32; 3] {
        self.along_walls(std::array::from_fn(|k| v[k] + self.delta[k]))
    }

    /// Whether friction would drive a vertex backwards that ends the step at velocity `v`: then it ends
    /// it at rest along walls.
    pub fn is_stopped(&self, v: [f32; 3]) -> bool {
        dot(self.along_walls(v), self.load) > 0.0
    }

    /// The end of a step: what walls hold is at rest on them, unless it bounces. Gives the wall on which
    /// component `k` rests that would end at velocity `v`.
    pub fn leave(&self, start: &Start<'_>, k: usize, v: f32) -> Option<f32> {
        let [low, high]: [[f32; 3]; 2] = [start.walls.low.into(), start.walls.high.into()];
        let (wall, leaves) = if self.is_upper(k) { (high[k], v < 0.0) } else { (low[k], v > 0.0) };
        (self.is_held(k) && !leaves).then_some(wall)
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: [f32; 3]) -> f32 {
    dot(a, a).sqrt()
}
