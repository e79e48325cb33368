// Contact of one vertex with walls inside an implicit step; twin of contact.rs. Who imports this binds
// what body_constants.wgsl and vectors.wgsl ask for, and `vectors` to be written.

#import pliant::body_constants
#import pliant::implicit
#import pliant::implicit::vectors

/// The vertex sticks to the walls that hold it.
const STICKS: u32 = 64u;
/// It slides along them.
const SLIDES: u32 = 128u;
/// One more time that it stopped sticking.
const SLIP: u32 = 256u;
/// After so many times in a step it does not stick again.
const MOST_SLIPS: u32 = 2u * SLIP;

/// The part of friction's largest impulse by which it may still change when it counts as found.
const FOUND: f32 = 0.01;
/// The largest resistance of friction, over the inertia of the vertex.
const MOST_RESISTANCE: f32 = 1e6;
/// How much faster or slower than found a vertex may be thought to become.
const MOST_CHANGE: f32 = 8.0;

/// How often walls may let go while a system is solved, and how often friction is found anew.
const MOST_RELEASES: u32 = 6u;
const MOST_FRICTION_UPDATES: u32 = 16u;

/// The bits of components that walls hold; those of the upper walls are three places higher.
const HELD: u32 = 7u;

/// From 1 to the next number.
const ROUNDING: f32 = 1.1920929e-7;

/// A vertex of a system.
struct Contact {
    /// 1 for components that are free, 0 for those that are given.
    mask: vec3<f32>,
    /// The unknowns: change of velocity [m/s].
    delta: vec3<f32>,
    /// Friction's resistance to a velocity along the walls, if it slides [kg].
    resistance: f32,
    /// The resistance in the solve before the last one [kg], and the speed that came of it [m/s].
    before: vec2<f32>,
    /// What holds it.
    bits: u32,
}

/// Where a step begins, and how long it is.
struct Start {
    walls: Walls,
    x: vec3<f32>,
    v: vec3<f32>,
    h: f32,
}

/// The velocity at which a wall lets component `k` end the step.
fn allowed(start: Start, k: u32, is_upper_wall: bool) -> f32 {
    let bounce = -start.walls.restitution * start.v[k];
    // What does not bounce goes on to the wall.
    if (is_upper_wall) {
        let stop = (start.walls.high[k] - start.x[k]) / start.h;
        return select(stop, min(stop, bounce), bounce < 0.0);
    }
    let stop = (start.walls.low[k] - start.x[k]) / start.h;
    return select(stop, max(stop, bounce), bounce > 0.0);
}

/// The bits of the wall that component `k` goes through at velocity `v`, if it does, by more than
/// rounding.
fn crossed(start: Start, k: u32, v: f32) -> u32 {
    let end = start.x[k] + start.h * v;
    let uncertainty = 2.0 * ROUNDING * abs(start.x[k]);
    if (end < start.walls.low[k] - uncertainty) {
        return 1u << k;
    }
    return select(0u, 9u << k, end > start.walls.high[k] + uncertainty);
}

fn is_held(bits: u32, k: u32) -> bool {
    return ((bits >> k) & 1u) == 1u;
}

fn is_upper(bits: u32, k: u32) -> bool {
    return ((bits >> (k + 3u)) & 1u) == 1u;
}

/// Prescribes what walls demand of held components; `v` is the velocity to which Δv is added.
fn prescribe(contact: Contact, start: Start, v: vec3<f32>) -> Contact {
    var c = contact;
    let sticks = (c.bits & STICKS) != 0u;
    for (var k = 0u; k < 3u; k++) {
        let held = is_held(c.bits, k);
        c.mask[k] = select(1.0, 0.0, held || sticks);
        if (held) {
            c.delta[k] = allowed(start, k, is_upper(c.bits, k)) - v[k];
        } else if (sticks) {
            c.delta[k] = -v[k];
        }
    }
    return c;
}

/// The first guess: what is pressed against a wall, or would go through one by its own motion. `b` is
/// the right-hand side, `v` the velocity to which Δv is added, `delta` the guess for it.
fn first_contact(start: Start, v: vec3<f32>, b: vec3<f32>, delta: vec3<f32>, inertia: f32) -> Contact {
    var c = Contact(vec3(1.0), delta, 0.0, vec2(0.0), 0u);
    var pressure = 0.0;
    for (var k = 0u; k < 3u; k++) {
        let at_low = start.x[k] <= start.walls.low[k];
        let at_high = start.x[k] >= start.walls.high[k];
        var bits = 0u;
        if (at_low && b[k] < 0.0 && start.v[k] <= 0.0) {
            bits = 1u << k;
        } else if (at_high && b[k] > 0.0 && start.v[k] >= 0.0) {
            bits = 9u << k;
        } else {
            bits = crossed(start, k, start.v[k]);
        }
        c.bits |= bits;
        if (bits != 0u && (at_low || at_high)) {
            pressure += abs(b[k]);
        }
    }
    if (c.bits != 0u && start.walls.friction > 0.0) {
        let speeds = speeds_along_walls(c, v);
        c = begin_friction(c, speeds, start.walls.friction * pressure, inertia);
    }
    return prescribe(c, start, v);
}

/// What is at rest along a wall sticks; all else slides, as fast as was guessed. Given are its speed along
/// the wall and that guess [m/s].
fn begin_friction(contact: Contact, speeds: vec2<f32>, most: f32, inertia: f32) -> Contact {
    var c = contact;
    if (speeds.x == 0.0) {
        c.bits |= STICKS;
        return c;
    }
    c.bits |= SLIDES;
    return slide(c, max(speeds.y, speeds.x / MOST_CHANGE), most, inertia);
}

/// Friction of impulse `most` against a velocity of size `speed`.
fn slide(contact: Contact, speed: f32, most: f32, inertia: f32) -> Contact {
    var c = contact;
    c.resistance = 0.0;
    if (most > 0.0) {
        c.resistance = most / max(speed, most / (MOST_RESISTANCE * inertia));
    }
    return c;
}

/// The components along the walls that hold the vertex.
fn along_walls(bits: u32, v: vec3<f32>) -> vec3<f32> {
    let held = vec3(is_held(bits, 0u), is_held(bits, 1u), is_held(bits, 2u));
    return select(v, vec3(0.0), held);
}

/// How fast it is along them at the velocity `v`, and when the step ends.
fn speeds_along_walls(c: Contact, v: vec3<f32>) -> vec2<f32> {
    return vec2(length(along_walls(c.bits, v)), length(along_walls(c.bits, v + c.delta)));
}

struct Revised {
    contact: Contact,
    has_changed: bool,
}

/// What holds the vertex once a system is solved, and whether that is something else than before.
/// `impulse` is A Δv − b, the impulse that it takes to prescribe components; `slack` is how much of it
/// means nothing. Walls let go while `may_leave`, and friction changes while `may_change_friction`.
fn revise(
    before: Contact, start: Start, v: vec3<f32>, impulse: vec3<f32>, inertia: f32, slack: f32,
    may_leave: bool, may_change_friction: bool,
) -> Revised {
    var c = before;
    var pressure = 0.0;
    for (var k = 0u; k < 3u; k++) {
        if (is_held(before.bits, k)) {
            let push = select(impulse[k], -impulse[k], is_upper(before.bits, k));
            if (push < -slack && may_leave) {
                c.bits &= ~(9u << k);
            }
            pressure += max(push, 0.0);
        } else if (before.mask[k] != 0.0) {
            c.bits |= crossed(start, k, v[k] + c.delta[k]);
        }
    }
    var has_changed = ((before.bits ^ c.bits) & (HELD | (HELD << 3u))) != 0u;
    if ((c.bits & HELD) == 0u) {
        c.bits = 0u;
        c.resistance = 0.0;
        c.before = vec2(0.0);
    } else if (start.walls.friction > 0.0 && (before.bits & HELD) == 0u) {
        c = begin_friction(c, speeds_along_walls(c, v), 0.0, inertia);
    } else if (start.walls.friction > 0.0) {
        let most = start.walls.friction * pressure;
        let pull = length(along_walls(c.bits, impulse));
        let speed = speeds_along_walls(c, v).y;
        let friction = update_friction(c, speed, pull, inertia, most, slack, may_change_friction);
        c = friction.contact;
        has_changed = has_changed || friction.has_changed;
    }
    return Revised(prescribe(c, start, v), has_changed);
}

/// Friction of a vertex that is held and moves along what holds it at `speed`; `pull` is the impulse that it
/// takes to let it stick, `most` the largest that there can be.
fn update_friction(
    before: Contact, speed: f32, pull: f32, inertia: f32, most: f32, slack: f32, may_change_friction: bool,
) -> Revised {
    var c = before;
    if ((c.bits & STICKS) != 0u) {
        let excess = pull - most;
        if (excess <= slack) {
            return Revised(c, false);
        }
        c.bits = (c.bits ^ (STICKS | SLIDES)) + SLIP;
        // As fast as if nothing else moved: friction is too large rather than too small, should the
        // search end here. The next solve knows better.
        c = slide(c, excess / inertia, most, inertia);
        c.before = vec2(0.0);
        return Revised(c, true);
    }
    if (!may_change_friction) {
        return Revised(c, false);
    }
    var wanted = speed_with(c, speed, most);
    if (wanted <= 0.0 && c.bits < MOST_SLIPS) {
        c.bits ^= STICKS | SLIDES;
        c.resistance = 0.0;
        return Revised(c, true);
    }
    wanted = min(max(wanted, speed / MOST_CHANGE), speed * MOST_CHANGE);
    c = slide(c, wanted, most, inertia);
    c.before = vec2(before.resistance, speed);
    let change = abs(c.resistance - before.resistance) * speed;
    return Revised(c, change > FOUND * most + slack);
}

/// The speed of a sliding vertex with friction of impulse `most`, if `speed` came of the present
/// resistance; not positive if that brings it to rest.
fn speed_with(c: Contact, speed: f32, most: f32) -> f32 {
    let more = c.resistance - c.before.x;
    if (c.before.y <= 0.0 || speed <= 0.0 || more == 0.0) {
        return speed;
    }
    // 1/speed = (mass + resistance)/impulse, of a mass and an impulse that nobody knows.
    let slope = (1.0 / speed - 1.0 / c.before.y) / more;
    let free = 1.0 / speed - slope * c.resistance;
    if (slope <= 0.0 || free <= 0.0) {
        return speed;
    }
    return (1.0 - slope * most) / free;
}

/// The end of a step: whether component `k`, which would end at velocity `v`, rests on a wall.
fn rests(bits: u32, k: u32, v: f32) -> bool {
    let leaves = select(v > 0.0, v < 0.0, is_upper(bits, k));
    return is_held(bits, k) && !leaves;
}

/// The vertex in a slot as it is kept.
fn load_contact(slot: u32) -> Contact {
    let kept = vectors[place(CONTACT, slot)];
    return Contact(
        vectors[place(MASK, slot)].xyz, vectors[place(DELTA, slot)].xyz, kept.w, kept.yz, u32(kept.x),
    );
}
