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
//! Friction is Coulomb's: a held vertex *sticks*, its components along the wall given to be at rest,
//! while the impulse along the wall that this takes is at most μλ; else it *slides*, and μλ pulls
//! against its motion. Sticking is exact: a body at rest on a slope does not creep. A vertex that
//! friction would drive backwards sticks for the rest of the step, so the search for the right set
//! comes to an end, and friction never gives energy.
//!
//! Restitution e asks a vertex that arrives at v for at least −e v, wherever in the step it would have
//! met the wall.

use crate::stages::walls::Walls;

/// The vertex sticks to the walls that hold it.
pub const STICKS: u32 = 64;
/// It slides along them.
pub const SLIDES: u32 = 128;
/// It stopped sliding in this step, and will not begin again.
pub const STOPPED: u32 = 256;

/// The part of its impulse by which friction may still change when it counts as found.
const FOUND: f32 = 0.01;

/// The bits of components that walls hold; those of the upper walls are three places higher.
const HELD: u32 = 7;

/// A vertex of a system, by component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// 1 for components that are free, 0 for those that are given.
    pub mask: [f32; 3],
    /// The unknowns: change of velocity \[m/s\].
    pub delta: [f32; 3],
    /// The impulse of sliding friction \[kg·m/s\].
    pub load: [f32; 3],
    /// What holds it: a bit for each component, a bit for each if that is the upper wall,
    /// [`STICKS`], [`SLIDES`], [`STOPPED`].
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
    pub fn first(start: &Start<'_>, v: [f32; 3], b: [f32; 3], delta: [f32; 3]) -> Self {
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
        if contact.bits != 0 && start.walls.friction > 0.0 {
            let speed = contact.along(v);
            if length(speed) > 0.0 {
                contact.bits |= SLIDES;
                contact.load = scaled(speed, -start.walls.friction * pressure / length(speed));
            } else {
                contact.bits |= STICKS;
            }
        }
        contact.give(start, v);
        contact
    }

    /// The components along the walls that hold the vertex.
    fn along(&self, v: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| if self.is_held(k) { 0.0 } else { v[k] })
    }

    /// What holds the vertex once a system is solved; `true` if that is something else than before.
    /// `impulse` is A Δv − b, what it takes to give the components that are given; `slack` is how much of
    /// it means nothing. Walls let go while `may_leave`.
    pub fn revise(
        &mut self,
        start: &Start<'_>,
        v: [f32; 3],
        impulse: [f32; 3],
        slack: f32,
        may_leave: bool,
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
            (self.bits, self.load) = (0, [0.0; 3]);
        } else if start.walls.friction > 0.0 {
            let most = start.walls.friction * pressure;
            has_news |= self.rub(&before, v, impulse, most, slack);
        }
        self.give(start, v);
        has_news
    }

    /// Friction of a vertex that walls hold; `most` is the largest impulse that it can have.
    fn rub(
        &mut self,
        before: &Self,
        v: [f32; 3],
        impulse: [f32; 3],
        most: f32,
        slack: f32,
    ) -> bool {
        if before.bits & HELD == 0 {
            self.bits |= STICKS;
        } else if self.bits & STICKS != 0 {
            let needed = self.along(impulse);
            if self.bits & STOPPED == 0 && length(needed) > most + slack {
                self.bits ^= STICKS | SLIDES;
                self.load = scaled(needed, most / length(needed));
            }
        } else {
            let speed = self.along(std::array::from_fn(|k| v[k] + self.delta[k]));
            let backwards = dot(speed, self.load) > 0.0;
            self.load = scaled(speed, -most / length(speed).max(f32::MIN_POSITIVE));
            if backwards || length(speed) == 0.0 {
                self.bits = self.bits & !SLIDES | STICKS | STOPPED;
                self.load = [0.0; 3];
            }
        }
        let change: [f32; 3] = std::array::from_fn(|k| self.load[k] - before.load[k]);
        self.bits != before.bits || length(change) > FOUND * most + slack
    }

    /// The end of a step: what walls hold is at rest on them, unless it bounces. Gives whether the
    /// component's position is that of the wall, with its velocity.
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

fn scaled(a: [f32; 3], factor: f32) -> [f32; 3] {
    a.map(|c| c * factor)
}
