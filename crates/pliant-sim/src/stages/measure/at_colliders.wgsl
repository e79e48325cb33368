
// What holds vertices in a world with colliders, as `Seen::held` does on processors.

#import pliant::colliders
#import pliant::colliders::record

/// Heights of height maps among other things, see colliders/formula.wgsl.
@group(0) @binding(8) var<storage, read> body_constants: array<vec4<u32>>;

@group(0) @binding(9) var<uniform> colliders: Colliders;

/// How often all of them act.
const ROUNDS: u32 = 2u;

/// What colliders leave of the velocity of a vertex that stays where it is.
fn held(slot: u32, body: u32, v: vec3<f32>) -> vec3<f32> {
    let x = position[slot].xyz;
    let origin = 2u * (record.counts.x + body);
    let high = bounds[origin].xyz;
    let low = bounds[origin + 1u].xyz;
    let per_h = bitcast<f32>(colliders.head.z);
    let begin = array(x, vec3(0.0));
    var now = v;
    for (var round = 0u; round < ROUNDS; round++) {
        for (var k = 0u; k < colliders.head.x; k++) {
            let collider = colliders.list[k];
            let offset = (high - collider.origin_high.xyz) + (low - collider.origin_low.xyz);
            var m: Motion;
            m.x = x;
            m.v = now;
            now = collide_with(collider, offset, begin, m, per_h).motion.v;
        }
    }
    return now;
}
