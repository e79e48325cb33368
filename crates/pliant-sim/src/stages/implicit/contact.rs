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
//! Friction is Coulomb's. A held vertex *sticks*, its components along the wall given to be at rest, while
//! the impulse that this takes is at most μλ; else it *slides*, and a resistance c = μλ/|v| to its velocity
//! belongs to the matrix, found by solving again. It has the right size once v is found; it acts against
//! the motion in any case, so that friction never gives energy, however early the search ends. The search
//! is short because 1/|v| is nearly linear in c, as for one mass: two solutions tell where both agree,
//! and when nothing but rest does. Sticking is exact: a body at rest on a slope does not creep.
//!
//! Restitution e asks a vertex that arrives at v for at least −e v, wherever in the step it would have
//! met the wall.

use crate::stages::walls::Walls;

/// The vertex sticks to the walls that hold it.
pub const STICKS: u32 = 64;
/// It slides along them.
pub const SLIDES: u32 = 128;
/// One more time that it stopped sticking.
const SLIP: u32 = 256;
/// After so many times in a step it does not stick again.
const MOST_SLIPS: u32 = 2 * SLIP;

/// The part of friction's largest impulse by which it may still change when it counts as found.
const FOUND: f32 = 0.01;
/// The largest resistance of friction, over the inertia of the vertex.
const MOST_RESISTANCE: f32 = 1e6;
/// How much faster or slower than found a vertex may be thought to become.
const MOST_CHANGE: f32 = 8.0;

/// The bits of components that walls hold; those of the upper walls are three places higher.
const HELD: u32 = 7;

/// A vertex of a system, by component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// 1 for components that are free, 0 for those that are prescribed.
    pub mask: [f32; 3],
    /// The unknowns: change of velocity \[m/s\].
    pub delta: [f32; 3],
    /// Friction's resistance to a velocity along the walls, if it slides \[kg\].
    pub resistance: f32,
    /// The resistance in the solve before the last one \[kg\], and the speed that came of it \[m/s\].
    pub before: [f32; 2],
    /// What holds it: a bit for each component, a bit for each if that is the upper wall,
    /// [`STICKS`], [`SLIDES`], and how often it stopped sticking.
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
        // What does not bounce goes on to the wall.
        if is_upper {
            let stop = (high[k] - self.x[k]) / self.h;
            if bounce < 0.0 { stop.min(bounce) } else { stop }
        } else {
            let stop = (low[k] - self.x[k]) / self.h;
            if bounce > 0.0 { stop.max(bounce) } else { stop }
        }
    }

    /// The bits of the wall that component `k` goes through at velocity `v`, if it does, by more than
    /// rounding.
    fn crossed(&self, k: usize, v: f32) -> u32 {
        let [low, high]: [[f32; 3]; 2] = [self.walls.low.into(), self.walls.high.into()];
        let end = self.x[k] + self.h * v;
        let uncertainty = 2.0 * f32::EPSILON * self.x[k].abs();
        if end < low[k] - uncertainty {
            1 << k
        } else if end > high[k] + uncertainty {
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

    /// Prescribes what walls demand of held components; `v` is the velocity to which Δv is added.
    fn prescribe(&mut self, start: &Start<'_>, v: [f32; 3]) {
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
    /// `b` is the right-hand side, `v` the velocity to which Δv is added, `delta` the guess for it;
    /// `inertia` \[kg\] is what a change of its velocity has against it while its neighbours keep theirs.
    pub fn first_contact(
        start: &Start<'_>,
        v: [f32; 3],
        b: [f32; 3],
        delta: [f32; 3],
        inertia: f32,
    ) -> Self {
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
            let speeds = contact.speeds_along_walls(v);
            contact.begin_friction(speeds, start.walls.friction * pressure, inertia);
        }
        contact.prescribe(start, v);
        contact
    }

    /// What is at rest along a wall sticks; all else slides, as fast as was guessed. Given are its speed along
    /// the wall and that guess \[m/s\].
    pub(crate) fn begin_friction(&mut self, [speed, guess]: [f32; 2], most: f32, inertia: f32) {
        if speed == 0.0 {
            self.bits |= STICKS;
        } else {
            self.bits |= SLIDES;
            self.slide(guess.max(speed / MOST_CHANGE), most, inertia);
        }
    }

    /// Friction of impulse `most` against a velocity of size `speed`.
    fn slide(&mut self, speed: f32, most: f32, inertia: f32) {
        let least = most / (MOST_RESISTANCE * inertia);
        self.resistance = if most > 0.0 { most / speed.max(least) } else { 0.0 };
    }

    /// The velocity when the step ends, from the one to which Δv is added.
    fn after(&self, v: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| v[k] + self.delta[k])
    }

    /// The components along the walls that hold the vertex.
    fn along_walls(&self, v: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| if self.is_held(k) { 0.0 } else { v[k] })
    }

    /// How fast it is along them at the velocity `v`, and when the step ends.
    fn speeds_along_walls(&self, v: [f32; 3]) -> [f32; 2] {
        [v, self.after(v)].map(|v| length(self.along_walls(v)))
    }

    /// What holds the vertex once a system is solved; `true` if that is something else than before.
    /// `impulse` is A Δv − b, the impulse that it takes to prescribe components; `slack` is how much of
    /// it means nothing. Walls let go while `may_leave`, and friction changes while `may_change_friction`.
    pub fn revise(
        &mut self,
        start: &Start<'_>,
        v: [f32; 3],
        impulse: [f32; 3],
        inertia: f32,
        slack: f32,
        [may_leave, may_change_friction]: [bool; 2],
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
        let mut has_changed = (before.bits ^ self.bits) & (HELD | HELD << 3) != 0;
        if self.bits & HELD == 0 {
            (self.bits, self.resistance, self.before) = (0, 0.0, [0.0; 2]);
        } else if start.walls.friction > 0.0 && before.bits & HELD == 0 {
            self.begin_friction(self.speeds_along_walls(v), 0.0, inertia);
        } else if start.walls.friction > 0.0 {
            let [most, pull] = [start.walls.friction * pressure, length(self.along_walls(impulse))];
            let [_, speed] = self.speeds_along_walls(v);
            has_changed |=
                self.update_friction(speed, pull, inertia, most, slack, may_change_friction);
        }
        self.prescribe(start, v);
        has_changed
    }

    /// Friction of a vertex that is held and moves along what holds it at `speed`; `pull` is the impulse that it
    /// takes to let it stick, `most` the largest that there can be. Returns whether something has changed.
    pub(crate) fn update_friction(
        &mut self,
        speed: f32,
        pull: f32,
        inertia: f32,
        most: f32,
        slack: f32,
        may_change_friction: bool,
    ) -> bool {
        let before = *self;
        if self.bits & STICKS != 0 {
            let excess = pull - most;
            if excess <= slack {
                return false;
            }
            self.bits = (self.bits ^ (STICKS | SLIDES)) + SLIP;
            // As fast as if nothing else moved: friction is too large rather than too small, should the
            // search end here. The next solve knows better.
            self.slide(excess / inertia, most, inertia);
            self.before = [0.0; 2];
            return true;
        }
        if !may_change_friction {
            return false;
        }
        let wanted = Self::speed_with(self.resistance, self.before, speed, most);
        if wanted <= 0.0 && self.bits < MOST_SLIPS {
            self.bits ^= STICKS | SLIDES;
            self.resistance = 0.0;
            return true;
        }
        let wanted = wanted.max(speed / MOST_CHANGE).min(speed * MOST_CHANGE);
        self.slide(wanted, most, inertia);
        self.before = [before.resistance, speed];
        let change = (self.resistance - before.resistance).abs() * speed;
        change > FOUND * most + slack
    }

    /// The speed of what slides with friction of impulse `most`, if `speed` came of `resistance`, and of the resistance
    /// before, the speed that is in `before` with it; not positive if that brings it to rest.
    pub(crate) fn speed_with(resistance: f32, before: [f32; 2], speed: f32, most: f32) -> f32 {
        let [last, other] = before;
        let (more, slower) = (resistance - last, 1.0 / speed - 1.0 / other);
        // 1/speed = (mass + resistance)/impulse, of a mass and an impulse that nobody knows.
        let slope = slower / more;
        let free = 1.0 / speed - slope * resistance;
        let wanted = (1.0 - slope * most) / free;
        let is_known = other > 0.0 && slope > 0.0 && free > 0.0 && wanted.is_finite();
        if is_known { wanted } else { speed }
    }

    /// The end of a step: what walls hold is at rest on them, unless it bounces. Returns the wall on which
    /// component `k` rests that would end at velocity `v`.
    pub fn rests(&self, start: &Start<'_>, k: usize, v: f32) -> Option<f32> {
        let [low, high]: [[f32; 3]; 2] = [start.walls.low.into(), start.walls.high.into()];
        let (wall, leaves) = if self.is_upper(k) { (high[k], v < 0.0) } else { (low[k], v > 0.0) };
        (self.is_held(k) && !leaves).then_some(wall)
    }
}

fn length([x, y, z]: [f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
