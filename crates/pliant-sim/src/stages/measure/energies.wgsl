// What the kernels that add up energies of elements share.

#import pliant::grid
#import pliant::moment

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
    let w = six_volumes(tets[tet]);
    energies[local] = volume_energy(w, volumes[tet]);
    inverted[local] = u32(w <= 0.0);
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

/// ½ k (|l| − L0)² [J].
fn spring_energy(spring: vec4<u32>) -> f32 {
    let l = position[spring.y].xyz - position[spring.x].xyz;
    let k = bitcast<f32>(spring.z);
    let stretch = length(l) - bitcast<f32>(spring.w);
    return select(0.0, 0.5 * k * stretch * stretch, k > 0.0);
}

/// Six times the signed volume [m³].
fn six_volumes(tet: vec4<u32>) -> f32 {
    let x = position[tet.x].xyz;
    return dot(cross(position[tet.y].xyz - x, position[tet.z].xyz - x), position[tet.w].xyz - x);
}

/// ½ a (w − w0)² [J]; a sixth of it for the thesis form, whose hardness is negative.
fn volume_energy(w: f32, volume: vec2<f32>) -> f32 {
    let stretch = w - volume.y;
    let thesis = (bitcast<u32>(volume.x) >> 31u) == 1u;
    return 0.5 * abs(volume.x) * stretch * stretch * select(1.0, 1.0 / 6.0, thesis);
}
