// Vertices as rays see them: twin of `points` in the CPU's clouds.

#import render::frame

/// Slots that always belong to the same body.
const SLICE: u32 = 32u;
const MISSING: f32 = 1e35;
const FAR: f32 = 1e14;

struct Body {
    offset: vec4<f32>,
    colour: vec4<f32>,
}

struct Cloud {
    table: vec4<f32>,
    slice_point: vec4<f32>,
    slice_normal: vec4<f32>,
    modes: vec4<u32>,
    counts: vec4<u32>,
}

@group(1) @binding(0) var<uniform> cloud: Cloud;
/// By slot: x, y, z relative to the body's origin [m], and something else.
@group(1) @binding(1) var<storage, read> positions: array<vec4<f32>>;
/// By slot, as bits.
@group(1) @binding(2) var<storage, read> values: array<u32>;
/// The body of each slice.
@group(1) @binding(3) var<storage, read> slices: array<u32>;
@group(1) @binding(4) var<storage, read> bodies: array<Body>;
@group(1) @binding(5) var<storage, read_write> points: array<vec4<f32>>;

fn is_number(p: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(p) & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}

@compute @workgroup_size(256)
fn cloud_points(
    @builtin(global_invocation_id) at: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = at.y * groups.x * 256u + at.x;
    if (slot >= cloud.counts.x) {
        return;
    }
    let place = positions[slot].xyz;
    let distance = frame.eye.w * 1000.0;
    var point = vec4<f32>(0.37 * distance, 0.21 * distance, distance, MISSING);
    if (is_number(place)) {
        let clip = frame.clip * vec4<f32>(place + bodies[slices[slot / SLICE]].offset.xyz, 1.0);
        var p = vec3<f32>(clip.xy * vec2<f32>(0.5, -0.5) * frame.size.xy, clip.w);
        if (all(p == vec3<f32>(0.0))) {
            p.z = -1e-6 * distance;
        }
        if (all(abs(p) < vec3<f32>(FAR))) {
            point = vec4<f32>(p, MISSING);
            // Where only tetrahedra have values, those of vertices are something else.
            let bits = values[slot];
            if (cloud.modes.x != 2u && (bits & 0x7f800000u) != 0x7f800000u) {
                point.w = (bitcast<f32>(bits) - cloud.table.x) * cloud.table.y;
            }
        }
    }
    points[slot] = point;
}
