// Each vertex's own block, in factors, and (h² K + h D) v. One invocation per slot. What is free is appended: mask.wgsl
// or projection.wgsl.

#import pliant::grid
#import pliant::body_constants
#import pliant::implicit
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::product

@group(0) @binding(0) var<storage, read> lists: array<u32>;
@group(0) @binding(1) var<storage, read> blocks: array<vec4<f32>>;
/// The fourth number is the mass [kg].
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
/// The fourth number is 1/mass, 0 for locked vertices.
@group(0) @binding(3) var<storage, read> velocity: array<vec4<f32>>;
/// The fourth number is what bands add to the diagonal [kg].
@group(0) @binding(4) var<storage, read> touch: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(5) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<storage, read> search: Search;
@group(0) @binding(8) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(9) var<uniform> step: Step;

/// From 1 to the next number.
const EPSILON: f32 = 1.1920929e-7;

@compute @workgroup_size(WORKGROUP)
fn prepare(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    if (constants_of(slot).family != IMPLICIT) {
        return;
    }
    // Newton's iterations: what was prepared for a system stays until the next residual is asked for, in
    // whatever round the search for its solution goes on.
    if (step.flags.y != 0u && search.phase != FIRST && search.phase != LINE_SEARCH) {
        return;
    }
    let v = velocity[slot];
    let range = neighbours(slot);
    var own = scalar_matrix(0.0);
    var product = vec3(0.0);
    for (var at = range.first; at < range.end; at += SLICE) {
        let entry = lists[at];
        if (entry == NONE) {
            break;
        }
        let block = block_of(entry);
        own += matrix_of(block);
        product += times(block, v.xyz - velocity[lists[at + range.shift]].xyz);
    }
    // Forces are as uncertain as the last digits of positions, times the stiffness.
    let x = position[slot].xyz;
    let uncertainty = EPSILON / (3.0 * step.implicit.x) * (own[0].x + own[1].y + own[2].z);
    let unit = uncertainty * step.implicit.w;
    vectors[place(PRODUCT, slot)] = vec4(product, unit * unit * dot(x, x));
    // Locked vertices and padding have no own block.
    if (v.w == 0.0) {
        vectors[place(OWN, slot)] = vec4(0.0);
        vectors[place(OWN_BELOW, slot)] = vec4(0.0);
        return;
    }
    let mass = position[slot].w;
    var alone = mass * (1.0 + step.implicit.x * step.implicit.y);
    if (step.loading.w != 0.0) {
        alone += touch[slot].w;
    }
    if (step.flags.y != 0u && search.phase != FIRST) {
        // Of Newton's later iterations: friction that was found in the ones before.
        own += resistance_of(slot);
    }
    let f = factors(own + scalar_matrix(alone), alone);
    vectors[place(OWN, slot)] = vec4(f.inverse, alone);
    vectors[place(OWN_BELOW, slot)] = vec4(f.below, mass);
}
