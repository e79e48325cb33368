// What all strategies share: the model's arrays, and the forces of one spring or tetrahedron of them.
// Each strategy binds the flags next, then what it alone needs.

#import pliant::grid
#import pliant::step
#import pliant::elastic

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> springs: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> damping: array<f32>;
@group(0) @binding(4) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> volumes: array<vec2<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

/// Whether springs are damped. Implicit steps that linearise once have the damping in their matrix.
override DAMPED: bool = false;

/// Force on the first end of spring `n`; the second gets the opposite.
fn force_of_spring(n: u32) -> vec3<f32> {
    let spring = springs[n];
    let l = position[spring.y].xyz - position[spring.x].xyz;
    let f = spring_force(l, bitcast<f32>(spring.z), bitcast<f32>(spring.w));
    if (DAMPED && (step.implicit.x == 0.0 || step.flags.y != 0u)) {
        let v = velocity[spring.y].xyz - velocity[spring.x].xyz;
        return f + spring_damping_force(l, v, damping[n]);
    }
    return f;
}

/// Forces on the corners of tetrahedron `n`.
fn forces_of_tet(n: u32) -> CornerForces {
    let tet = tets[n];
    let x = array(
        position[tet.x].xyz, position[tet.y].xyz, position[tet.z].xyz, position[tet.w].xyz,
    );
    return volume_forces(x, volumes[n]);
}
