// What the kernels that add up energies of elements share.

#import pliant::grid
#import pliant::elastic
#import pliant::measure::record

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> springs: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> volumes: array<vec2<f32>>;

var<workgroup> energies: array<f32, WORKGROUP>;
var<workgroup> inverted: array<u32, WORKGROUP>;

/// Workgroups for this many elements.
fn groups_for(elements: u32) -> u32 {
    return (elements + WORKGROUP - 1u) / WORKGROUP;
}

/// Takes the energy of tetrahedron `tet`, and whether it is inside out.
fn take_volume(tet: u32, local: u32) {
    let corners = tets[tet];
    let x = array(
        position[corners.x].xyz, position[corners.y].xyz, position[corners.z].xyz,
        position[corners.w].xyz,
    );
    energies[local] = volume_energy(x, volumes[tet]);
    inverted[local] = u32(six_volumes(x) <= 0.0);
}

/// Energy as bits, and inverted tetrahedra, of the whole workgroup; for its first invocation.
fn group_sum(local: u32) -> vec2<u32> {
    workgroupBarrier();
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        if (local < reach) {
            energies[local] += energies[local + reach];
            inverted[local] += inverted[local + reach];
        }
        workgroupBarrier();
    }
    return vec2(bitcast<u32>(energies[0]), inverted[0]);
}

/// Energy of a spring that stands for itself [J].
fn energy_of_spring(spring: vec4<u32>) -> f32 {
    let l = position[spring.y].xyz - position[spring.x].xyz;
    let k = bitcast<f32>(spring.z);
    return select(0.0, spring_energy(l, k, bitcast<f32>(spring.w)), k > 0.0);
}
