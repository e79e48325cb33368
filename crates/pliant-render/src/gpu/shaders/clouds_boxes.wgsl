// Boxes round the faces of surfaces, from the leaves up. One group of threads does all inner nodes,
// since only threads of one group can wait for each other.

#import render::clouds_shared

/// Beyond all pixels and depths.
const EVERYWHERE: f32 = 1e30;
/// Depths are wider by this part, for rounding; and boxes by this many pixels.
const MARGIN: f32 = 1e-5;
const PIXEL: f32 = 1.0;

@group(1) @binding(0) var<uniform> cloud: Cloud;
@group(1) @binding(1) var<storage, read> points: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> faces: array<vec4<u32>>;
/// Where each level of `order` begins, and where the last one ends; then nodes, the leaves first and
/// the root last. The first number is how many levels there are.
@group(1) @binding(3) var<storage, read> order: array<u32>;
@group(1) @binding(4) var<storage, read_write> nodes: array<Node>;

fn leaf_box(index: u32) {
    let first = nodes[index].faces;
    var low = vec3<f32>(EVERYWHERE);
    var high = vec3<f32>(-EVERYWHERE);
    for (var face = first; face < min(first + LEAF, cloud.counts.y); face++) {
        let corners = faces[face];
        let a = points[corners.x];
        let b = points[corners.y];
        let c = points[corners.z];
        let w = vec3<f32>(a.z, b.z, c.z);
        let reach = vec2<f32>(min(min(w.x, w.y), w.z), max(max(w.x, w.y), w.z));
        var face_low = vec3<f32>(-EVERYWHERE);
        var face_high = vec3<f32>(EVERYWHERE);
        // Faces at both sides of the eye may be anywhere in the picture.
        if (reach.x > 0.0 || reach.y < 0.0) {
            let x = vec3<f32>(a.x, b.x, c.x) / w;
            let y = vec3<f32>(a.y, b.y, c.y) / w;
            face_low = vec3<f32>(min(min(x.x, x.y), x.z) - PIXEL, min(min(y.x, y.y), y.z) - PIXEL, 0.0);
            face_high = vec3<f32>(max(max(x.x, x.y), x.z) + PIXEL, max(max(y.x, y.y), y.z) + PIXEL, 0.0);
        }
        face_low.z = reach.x - MARGIN * abs(reach.x);
        face_high.z = reach.y + MARGIN * abs(reach.y);
        low = min(low, face_low);
        high = max(high, face_high);
    }
    nodes[index].low = low;
    nodes[index].high = high;
}

@compute @workgroup_size(256)
fn cloud_leaves(
    @builtin(global_invocation_id) at: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = at.y * groups.x * 256u + at.x;
    if (index < order[2]) {
        leaf_box(order[order[0] + 2u + index]);
    }
}

@compute @workgroup_size(256)
fn cloud_boxes(@builtin(local_invocation_index) thread: u32) {
    let levels = order[0];
    for (var level = 1u; level < levels; level++) {
        for (var at = order[level + 1u] + thread; at < order[level + 2u]; at += 256u) {
            let index = order[levels + 2u + at];
            let end = nodes[index].skip;
            var child = index + 1u;
            var low = nodes[child].low;
            var high = nodes[child].high;
            child = nodes[child].skip;
            while (child < end) {
                low = min(low, nodes[child].low);
                high = max(high, nodes[child].high);
                child = nodes[child].skip;
            }
            nodes[index].low = low;
            nodes[index].high = high;
        }
        storageBarrier();
    }
}
