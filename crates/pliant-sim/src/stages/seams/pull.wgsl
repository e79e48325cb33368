// Adds the forces of open pairs. One invocation for each cluster.

#import pliant::grid
#import pliant::step
#import pliant::seams

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> force: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(4) var<storage, read> members: array<Member>;
@group(0) @binding(5) var<storage, read> pairs: array<SewnPair>;
/// What each pair is.
@group(0) @binding(6) var<storage, read> statuses: array<u32>;
@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<uniform> step: Step;
@group(0) @binding(9) var<uniform> pace: Pace;

/// How many clusters there are.
override CLUSTERS: u32 = 0u;

@compute @workgroup_size(WORKGROUP)
fn seams(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= CLUSTERS || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let cluster = clusters[n];
    let end = cluster.first_pair + cluster.pair_count;
    for (var p = cluster.first_pair; p < end; p++) {
        let pair = pairs[p];
        if (pair.mass == 0.0 || statuses[p] != OPEN) {
            continue;
        }
        let a = members[cluster.first_member + pair.first];
        let b = members[cluster.first_member + pair.second];
        let one = a.slot;
        let other = b.slot;
        let gap = (position[other].xyz - position[one].xyz) + (b.shift - a.shift);
        let apart = velocity[other].xyz - velocity[one].xyz;
        let tension = (acceleration(b) - acceleration(a)) * pair.mass;
        let sum = pull(pair, gap, apart, tension, pair.mass * pace.gain);
        force[one] = vec4(force[one].xyz + sum, 0.0);
        force[other] = vec4(force[other].xyz - sum, 0.0);
    }
}

/// What all forces so far give to a vertex [m/s²].
fn acceleration(of_member: Member) -> vec3<f32> {
    let inverse = select(0.0, 1.0 / of_member.mass, of_member.mass > 0.0);
    return force[of_member.slot].xyz * inverse;
}
