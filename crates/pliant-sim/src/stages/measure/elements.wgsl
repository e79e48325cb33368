// Energies of springs and volumes, and inverted tetrahedra: one sum per workgroup, in a tree of fixed
// order. Workgroups of springs come first, then those of tetrahedra.

#import pliant::energies

/// Energy [J] as bits, and inverted tetrahedra, of each workgroup.
@group(0) @binding(4) var<storage, read_write> parts: array<vec2<u32>>;
@group(0) @binding(5) var<uniform> record: MeasureRecord;

@compute @workgroup_size(WORKGROUP)
fn elements(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = group_index(workgroup, groups);
    let spring_groups = groups_for(record.spring_count);
    let tet_groups = groups_for(record.tet_count);
    if (group < spring_groups) {
        let spring = group * WORKGROUP + local;
        if (spring < record.spring_count) {
            energies[local] = energy_of_spring(springs[spring]);
        }
    } else {
        let tet = (group - spring_groups) * WORKGROUP + local;
        if (tet < record.tet_count) {
            take_volume(tet, local);
        }
    }
    let sum = group_sum(local);
    // A grid folded into rows may have more workgroups than are wanted.
    if (local == 0u && group < spring_groups + tet_groups) {
        parts[group] = sum;
    }
}
