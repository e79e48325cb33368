
// What stops vertices in a world with colliders: they, then the walls of the world box.

#import pliant::colliders
#import pliant::colliders::record
#import pliant::colliders::note

/// Forces of drags and pushes [N]; behind them, twice as long, what colliders and walls gave to vertices in
/// this step [N·s], first that of one of them, then of all others, with its number as the fourth number.
@group(0) @binding(5) var<storage, read_write> touch: array<vec4<f32>>;

@group(0) @binding(11) var<uniform> colliders: Colliders;

/// How often all of them act at most.
const ROUNDS: u32 = 2u;

/// Stops a vertex that came from `start` in this substep.
fn stop(slot: u32, start: vec3<f32>, motion: Motion, body: BodyConstants) -> Motion {
    var m = motion;
    let mass = position[slot].w;
    let begin = array(start, compensation[slot].xyz);
    let origin = colliders.head.w + 2u * body_of(slot);
    let high = bitcast<vec4<f32>>(body_constants[origin]).xyz;
    let low = bitcast<vec4<f32>>(body_constants[origin + 1u]).xyz;
    let per_h = bitcast<f32>(colliders.head.z);
    let at = step.slot_count + slot;
    contact = array(vec4(0.0), vec4(0.0));
    if (colliders.head.y == 0u) {
        contact = array(touch[at], touch[at + step.slot_count]);
    }
    for (var round = 0u; round < ROUNDS; round++) {
        var touches = false;
        for (var k = 0u; k < colliders.head.x; k++) {
            let collider = colliders.list[k];
            let offset = (high - collider.origin_high.xyz) + (low - collider.origin_low.xyz);
            let stopped = collide_with(collider, offset, begin, m, per_h);
            if (stopped.touches) {
                note(f32(k + 1u), (stopped.motion.v - m.v) * mass);
                m = stopped.motion;
                touches = true;
            }
        }
        if (!touches) {
            break;
        }
    }
    if (body.has_walls && (any(m.x < body.walls.low) || any(m.x > body.walls.high))) {
        let before = m.v;
        m = put_back(start, m, body.walls);
        note(WALLS, (m.v - before) * mass);
    }
    touch[at] = contact[0];
    touch[at + step.slot_count] = contact[1];
    return m;
}
