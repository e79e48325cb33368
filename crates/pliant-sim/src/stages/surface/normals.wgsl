// Normals: every vertex adds the area vectors of its triangles. One invocation per slot.

#import pliant::grid
#import pliant::step

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Corners (slots) of the triangles, three each.
@group(0) @binding(1) var<storage, read> triangles: array<u32>;
/// Triangles at each vertex.
@group(0) @binding(2) var<storage, read> lists: array<u32>;
/// Unit vectors; null where there is no surface.
@group(0) @binding(3) var<storage, read_write> normals_out: array<vec4<f32>>;

/// Vectors whose components are all below this have no direction [m²].
const NO_AREA: f32 = 1e-30;

@compute @workgroup_size(WORKGROUP)
fn normals(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= arrayLength(&normals_out)) {
        return;
    }
    let slice = slot / SLICE;
    let end = lists[slice + 1u];
    var sum = vec3(0.0);
    for (var at = lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = lists[at];
        if (entry == NONE) {
            break;
        }
        let a = position[triangles[3u * entry]].xyz;
        let b = position[triangles[3u * entry + 1u]].xyz;
        let c = position[triangles[3u * entry + 2u]].xyz;
        sum += cross(b - a, c - a);
    }
    normals_out[slot] = vec4(unit(sum), 0.0);
}

/// The direction of a vector, null for one that has none.
fn unit(n: vec3<f32>) -> vec3<f32> {
    let largest = max(max(abs(n.x), abs(n.y)), abs(n.z));
    if (largest <= NO_AREA) {
        return vec3(0.0);
    }
    // Scaled first: squares of small areas would be zero.
    let scaled = n * (1.0 / largest);
    return scaled * (1.0 / length(scaled));
}
