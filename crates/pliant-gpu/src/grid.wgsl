// Which element an invocation works on, however large the grid is.
//
// A dispatch has at most 65,535 workgroups along an axis; longer ones are folded into rows.
//
// Every entry point takes the three numbers as parameters of its own. One struct for all of them would
// be shorter, but naga finds `num_workgroups` in HLSL only where the entry point itself names it: on
// Direct3D a struct handed on to a function here would hold another number, and nobody would be told.

/// Invocations per workgroup.
const WORKGROUP: u32 = 256u;

/// Number of this invocation in a grid of `groups` workgroups.
fn thread_index(workgroup: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return group_index(workgroup, groups) * WORKGROUP + local;
}

/// Number of this workgroup.
fn group_index(workgroup: vec3<u32>, groups: vec3<u32>) -> u32 {
    return workgroup.x + workgroup.y * groups.x;
}
