// As elements.wgsl once something has yielded: a spring then has the energies of its parts in each
// tetrahedron, which no longer return to the same length. Workgroups of springs without tetrahedra come
// first, then those of tetrahedra, then those of the tetrahedra's springs.

#import pliant::energies

/// Where the tetrahedra round each spring begin; one more for the end.
@group(0) @binding(4) var<storage, read> starts: array<u32>;
/// Stiffness [N/m] of the six springs of each tetrahedron.
@group(0) @binding(5) var<storage, read> stiffness: array<f32>;
/// What they return to [m].
@group(0) @binding(6) var<storage, read> lengths: array<f32>;
/// Energy [J] as bits, and inverted tetrahedra, of each workgroup.
@group(0) @binding(7) var<storage, read_write> parts: array<vec2<u32>>;
@group(0) @binding(8) var<uniform> record: MeasureRecord;

@compute @workgroup_size(WORKGROUP)
fn yielded(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = group_index(workgroup, groups);
    let spring_groups = groups_for(record.spring_count);
    let tet_groups = groups_for(record.tet_count);
    if (group < spring_groups) {
        let spring = group * WORKGROUP + local;
        if (spring < record.spring_count && starts[spring] == starts[spring + 1u]) {
            energies[local] = energy_of_spring(springs[spring]);
        }
    } else if (group < spring_groups + tet_groups) {
        let tet = (group - spring_groups) * WORKGROUP + local;
        if (tet < record.tet_count) {
            take_volume(tet, local);
        }
    } else {
        let tet = (group - spring_groups - tet_groups) * WORKGROUP + local;
        if (tet < record.tet_count) {
            energies[local] = energy_of_springs(tet);
        }
    }
    let sum = group_sum(local);
    if (local == 0u && group < spring_groups + 2u * tet_groups) {
        parts[group] = sum;
    }
}

/// Energy of the six springs of a tetrahedron [J].
fn energy_of_springs(tet: u32) -> f32 {
    let at = tets[tet];
    let a = position[at.x].xyz;
    let b = position[at.y].xyz;
    let c = position[at.z].xyz;
    let d = position[at.w].xyz;
    let first = 6u * tet;
    return part(b - a, first) + part(c - a, first + 1u) + part(d - a, first + 2u)
        + part(c - b, first + 3u) + part(d - b, first + 4u) + part(d - c, first + 5u);
}

fn part(l: vec3<f32>, n: u32) -> f32 {
    return spring_energy(l, stiffness[n], lengths[n]);
}
