// Sums over parts of wholes, of what their vertices do; twin of wholes.rs. A workgroup for each part.

#import pliant::grid
#import pliant::step
#import pliant::shapes

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
/// Slots of vertices, part by part, and what they weigh there [kg], as bits.
@group(0) @binding(2) var<storage, read> vertices: array<vec2<u32>>;
/// First vertex, end, and the slot of the vertex that the others are seen from.
@group(0) @binding(3) var<storage, read> parts: array<vec4<u32>>;
/// Four of each part: place, momentum, angular momentum and squares; products in the fourth numbers.
@group(0) @binding(4) var<storage, read_write> sums: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> flags: array<u32>;
@group(0) @binding(6) var<uniform> step: Step;

var<workgroup> lanes: array<vec4<f32>, WORKGROUP>;

/// The sum of the values of all invocations of the workgroup, for the first of them.
fn sum_of_group(local: u32, value: vec4<f32>) -> vec4<f32> {
    lanes[local] = value;
    workgroupBarrier();
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        if (local < reach) {
            lanes[local] += lanes[local + reach];
        }
        workgroupBarrier();
    }
    let total = lanes[0];
    // Nobody writes the next sum before all have read this one.
    workgroupBarrier();
    return total;
}

@compute @workgroup_size(WORKGROUP)
fn sum_parts(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = group_index(workgroup, groups);
    let count = arrayLength(&parts);
    let part = parts[min(n, count - 1u)];
    let seen_at = position[part.z].xyz;
    let moved = velocity[part.z].xyz;
    var own = Sums();
    for (var at = part.x + local; at < part.y; at += WORKGROUP) {
        let vertex = vertices[at];
        let m = bitcast<f32>(vertex.y);
        let x = position[vertex.x].xyz - seen_at;
        let v = velocity[vertex.x].xyz - moved;
        let both = squares_of(x);
        own.place += x * m;
        own.momentum += v * m;
        own.angular += cross(x, v) * m;
        own.squares += both[0] * m;
        own.products += both[1].yzx * m;
    }
    let place = sum_of_group(local, vec4(own.place, own.products.x));
    let momentum = sum_of_group(local, vec4(own.momentum, own.products.y));
    let angular = sum_of_group(local, vec4(own.angular, own.products.z));
    let squares = sum_of_group(local, vec4(own.squares, 0.0));
    if (local == 0u && n < count && flags[BAD_SUBSTEP] >= step.substep) {
        sums[4u * n] = place;
        sums[4u * n + 1u] = momentum;
        sums[4u * n + 2u] = angular;
        sums[4u * n + 3u] = squares;
    }
}
