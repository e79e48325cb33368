// Sums over the vertices of each slice, in a tree of fixed order. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::measure::record

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity_now: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> bounds: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> slice_body: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: array<SliceSums>;
@group(0) @binding(5) var<uniform> record: MeasureRecord;

var<workgroup> moments: array<vec4<f32>, WORKGROUP>;
var<workgroup> momenta: array<vec4<f32>, WORKGROUP>;
var<workgroup> angulars: array<vec4<f32>, WORKGROUP>;
var<workgroup> contacts: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn vertices(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot < record.slot_count) {
        take(slot, local);
    }
    workgroupBarrier();
    let lane = local % SLICE;
    for (var reach = SLICE / 2u; reach > 0u; reach /= 2u) {
        if (lane < reach) {
            let other = local + reach;
            moments[local] += moments[other];
            momenta[local] += momenta[other];
            let a = angulars[local];
            let b = angulars[other];
            angulars[local] = vec4(a.xyz + b.xyz, max(a.w, b.w));
            contacts[local] += contacts[other];
        }
        workgroupBarrier();
    }
    if (slot < record.slot_count && lane == 0u) {
        let count = vec4(contacts[local], 0u, 0u, 0u);
        sums[slot / SLICE] = SliceSums(moments[local], momenta[local], angulars[local], count);
    }
}

/// Puts the terms of a vertex into the tree; workgroup memory begins as zero.
fn take(slot: u32, local: u32) {
    let v = velocity_now[slot];
    if (v.w == 0.0) {
        return;
    }
    let mass = position[slot].w;
    let x = position[slot].xyz;
    let speed2 = dot(v.xyz, v.xyz);
    moments[local] = vec4(mass * x, mass);
    momenta[local] = vec4(mass * v.xyz, 0.5 * mass * speed2);
    angulars[local] = vec4(mass * cross(x, v.xyz), speed2);
    if (record.walled != 0u) {
        let body = slice_body[slot / SLICE];
        let outward = on_walls(x, bounds[2u * body].xyz, bounds[2u * body + 1u].xyz);
        contacts[local] = u32(any(outward != vec3(0.0)));
    }
}
