// Energies of bending: one sum per workgroup, in a tree of fixed order, behind those of springs and tetrahedra.

#import pliant::grid
#import pliant::bending
#import pliant::measure::record

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Corners (slots) of each hinge.
@group(0) @binding(1) var<storage, read> hinges: array<vec4<u32>>;
/// How it resists, in two vectors.
@group(0) @binding(2) var<storage, read> hinge: array<vec4<f32>>;
/// Energy [J] as bits, and nothing, of each workgroup.
@group(0) @binding(3) var<storage, read_write> parts: array<vec2<u32>>;
@group(0) @binding(4) var<uniform> record: MeasureRecord;

var<workgroup> energies: array<f32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn measure_hinges(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = group_index(workgroup, groups);
    let n = group * WORKGROUP + local;
    if (n < record.counts.w) {
        let corners = hinges[n];
        let x = array(
            position[corners.x].xyz, position[corners.y].xyz, position[corners.z].xyz,
            position[corners.w].xyz,
        );
        energies[local] = hinge_energy(x, hinge_of(hinge[2u * n], hinge[2u * n + 1u]));
    }
    workgroupBarrier();
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        if (local < reach) {
            energies[local] += energies[local + reach];
        }
        workgroupBarrier();
    }
    // A grid folded into rows may have more workgroups than are wanted.
    if (local == 0u && group * WORKGROUP < record.counts.w) {
        let springs = (record.spring_count + WORKGROUP - 1u) / WORKGROUP;
        let tets = (record.tet_count + WORKGROUP - 1u) / WORKGROUP;
        parts[springs + 2u * tets + group] = vec2(bitcast<u32>(energies[0]), 0u);
    }
}
