// The colliders in one substep: twin of the records in gpu.rs.

#import pliant::colliders

struct Colliders {
    /// How many, whether a step begins, 1/h [1/s], where the origins of bodies are in `body_constants`.
    head: vec4<u32>,
    list: array<Placed, 64>,
}
