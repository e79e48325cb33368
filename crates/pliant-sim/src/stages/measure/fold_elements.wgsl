// Sums over the workgroups of springs, over those of tetrahedra, and over those of the springs of
// tetrahedra that may have yielded, and over those of hinges, in a fixed order. One workgroup for each of the four.

#import pliant::fold

/// Energy [J] as bits, and inverted tetrahedra, of each workgroup.
@group(0) @binding(0) var<storage, read> parts: array<vec2<u32>>;
/// Energy [J] and what rounding took from it, as bits, and inverted tetrahedra.
@group(0) @binding(1) var<storage, read_write> totals: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> record: MeasureRecord;

var<workgroup> energies: array<Sum, LANES>;
var<workgroup> inverted: array<u32, LANES>;

@compute @workgroup_size(LANES)
fn fold_elements(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let kind = group_index(workgroup, groups);
    let springs = (record.spring_count + WORKGROUP - 1u) / WORKGROUP;
    let tets = (record.tet_count + WORKGROUP - 1u) / WORKGROUP;
    if (kind == 0u) {
        take(local, springs, local);
    } else if (kind == 1u) {
        take(springs + local, springs + tets, local);
    } else if (kind == 2u && record.counts.z == 1u) {
        take(springs + tets + local, springs + 2u * tets, local);
    } else if (kind == 3u) {
        let hinges = (record.counts.w + WORKGROUP - 1u) / WORKGROUP;
        take(springs + 2u * tets + local, springs + 2u * tets + hinges, local);
    }
    workgroupBarrier();
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        if (local < reach) {
            energies[local] = plus(energies[local], energies[local + reach], record.counts.y);
            inverted[local] += inverted[local + reach];
        }
        workgroupBarrier();
    }
    if (local == 0u && kind < 4u) {
        let energy = bitcast<vec2<u32>>(vec2(energies[0].high.x, energies[0].low.x));
        totals[kind] = vec4(energy, inverted[0], 0u);
    }
}

/// Adds every 64th workgroup's part, from `first` on, to what this invocation has.
fn take(first: u32, end: u32, local: u32) {
    let none = vec4<f32>(0.0);
    var sum = Sum(none, none);
    for (var part = first; part < end; part += LANES) {
        let energy = bitcast<f32>(parts[part].x);
        sum = plus(sum, Sum(vec4(energy, 0.0, 0.0, 0.0), none), record.counts.y);
        inverted[local] += parts[part].y;
    }
    energies[local] = sum;
}
