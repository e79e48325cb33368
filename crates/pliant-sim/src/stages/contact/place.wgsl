// Notes where everybody is, and how far they may go until the next search. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::contact::setup
#import pliant::contact::surface

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> surface: array<u32>;
/// By slot: where it is, as seen from a common origin, and how far it reaches [m]; behind these where it was in
/// the search, as seen from its body, and how far it may go along each axis [m].
@group(0) @binding(3) var<storage, read_write> placed: array<vec4<f32>>;
/// By slot: candidates that it is a corner of; behind these how many of them are in its list.
@group(0) @binding(4) var<storage, read_write> corner_counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> cursors: array<u32>;
@group(0) @binding(6) var<storage, read> control: array<u32>;
@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<storage, read> body_constants: array<vec4<u32>>;
/// See `Arrays` in arrays.rs.
@group(0) @binding(9) var<storage, read_write> sewn: array<u32>;
@group(0) @binding(10) var<uniform> step: Step;
@group(0) @binding(11) var<uniform> setup: Setup;

/// How far a vertex may move until the next search, its skin: as far as it goes in so many substeps, but no less and
/// no more than these parts of its shortest edge.
override SUBSTEPS_AHEAD: f32 = 4.0;
override LEAST_SKIN: f32 = 0.06;
override MOST_SKIN: f32 = 0.2;
/// Whether anything is sewn.
override SEWN: bool = false;

@compute @workgroup_size(WORKGROUP)
fn place_all(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (control[STALE] == 0u || slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    corner_counts[slot] = 0u;
    cursors[slot] = 0u;
    let at = slot_at(slot);
    if (SEWN) {
        surface[at + 7u] = sewn[slot];
        if (slot == 0u) {
            sewn[step.slot_count] = 0u;
        }
    }
    let edge = number(at);
    if (edge == 0.0) {
        return;
    }
    let ahead = SUBSTEPS_AHEAD * setup.times.x * length(velocity[slot].xyz);
    let skin = setup.times.y * max(min(ahead, MOST_SKIN * edge), LEAST_SKIN * edge);
    let slice = slot / SLICE;
    let body = setup.more.y + BODY_WORDS * body_constants[3u * step.flags.w + slice / 4u][slice % 4u];
    let x = position[slot].xyz;
    let at_common = (x + vector(body + 1u)) + vector(body + 4u);
    placed[slot] = vec4(at_common, AHEAD * number(at + 1u) + skin);
    // Along each axis, so that the way itself is below the skin.
    placed[step.slot_count + slot] = vec4(x, skin / sqrt(3.0));
}
