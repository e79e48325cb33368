// An iteration of strain limits: twin of the struct in gpu.rs.

/// What is the same for all edges.
struct Iteration {
    /// Its number in a substep, from 0, and how many there are.
    number: u32,
    count: u32,
    /// Length of a substep [s], and its inverse [1/s].
    h: f32,
    per_h: f32,
}
