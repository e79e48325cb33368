// Where the vertices of skins are, and what their bodies' vertices have there. One invocation per vertex of a skin, or
// per place without one: they lie behind the slots of all bodies.

#import pliant::grid
#import pliant::step
#import pliant::skin

/// Slots of the corners; NONE where there is no vertex.
@group(0) @binding(0) var<storage, read> corners: array<vec4<u32>>;
/// Weights, and whether a triangle carries it.
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
/// By slot: x, y, z relative to the body's origin [m], and something else.
@group(0) @binding(2) var<storage, read_write> positions: array<vec4<f32>>;
/// By slot, as bits, since some are not numbers.
@group(0) @binding(3) var<storage, read_write> values: array<u32>;

const NOT_A_NUMBER: u32 = 0x7fc00000u;
/// Bits of the exponent, all of which are set in what is no number or infinite.
const EXPONENT: u32 = 0x7f800000u;

fn is_known(bits: u32) -> bool {
    return (bits & EXPONENT) != EXPONENT;
}

@compute @workgroup_size(WORKGROUP)
fn skin(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = thread_index(workgroup, groups, local);
    if (number >= arrayLength(&corners)) {
        return;
    }
    let slots = corners[number];
    if (slots.x == NONE) {
        return;
    }
    let own = arrayLength(&positions) - arrayLength(&corners) + number;
    let weight = weights[number];
    let a = positions[slots.x].xyz;
    let b = positions[slots.y].xyz;
    let c = positions[slots.z].xyz;
    var place = carried(a, b, c, positions[slots.w].xyz, weight.xyz);
    if (weight.w > 0.0) {
        place = carried_above(a, b, c, weight.xyz);
    }
    positions[own] = vec4<f32>(place, 0.0);
    let bits = vec4<u32>(values[slots.x], values[slots.y], values[slots.z], values[slots.w]);
    var value = NOT_A_NUMBER;
    if (is_known(bits.x) && is_known(bits.y) && is_known(bits.z) && is_known(bits.w)) {
        value = bitcast<u32>(carried_value(bitcast<vec4<f32>>(bits), weight.xyz));
    }
    values[own] = value;
}
