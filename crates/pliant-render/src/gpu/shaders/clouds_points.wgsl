// Vertices as rays see them: twin of `points` in the CPU's clouds.

#import render::bodies
#import render::clouds_shared
#import render::frame

/// Coordinates beyond this are taken for missing; twin of `FAR` in the CPU's clouds.
const FAR: f32 = 1e14;

@group(1) @binding(0) var<uniform> cloud: Cloud;
/// By slot: x, y, z relative to the body's origin [m], and something else.
@group(1) @binding(1) var<storage, read> positions: array<vec4<f32>>;
/// By slot, as bits.
@group(1) @binding(2) var<storage, read> values: array<u32>;
/// The body of each slice.
@group(1) @binding(3) var<storage, read> slices: array<u32>;
@group(1) @binding(4) var<storage, read> bodies: array<Body>;
@group(1) @binding(5) var<storage, read_write> points: array<vec4<f32>>;

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
    if (is_finite(place)) {
        let clip = frame.clip * vec4<f32>(place + bodies[slices[slot / SLICE]].offset.xyz, 1.0);
        var p = vec3<f32>(clip.xy * vec2<f32>(0.5, -0.5) * frame.size.xy, clip.w);
        if (all(p == vec3<f32>(0.0))) {
            p.z = -1e-6 * distance;
        }
        if (all(abs(p) < vec3<f32>(FAR))) {
            point = vec4<f32>(p, MISSING);
            // Where only tetrahedra have values, those of vertices are something else.
            if (cloud.modes.x != 2u) {
                point.w = table_place(values[slot], cloud.table);
            }
        }
    }
    points[slot] = point;
}
