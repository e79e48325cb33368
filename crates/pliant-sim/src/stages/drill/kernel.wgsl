// Puts entries into a list that may be too short for them. One invocation per entry.

#import pliant::grid
#import pliant::step
#import pliant::pause

/// The room in the list, then what each substep puts into it.
@group(0) @binding(0) var<storage, read> told: array<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> step: Step;

/// The stage's number.
override STAGE: u32 = 0u;

@compute @workgroup_size(WORKGROUP)
fn drill(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    let entries = told[step.substep];
    if (n >= entries || atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    if (n < told[0]) {
        list[n] = step.substep;
    } else {
        pause(STAGE, entries);
    }
}
