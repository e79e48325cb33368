// Sewn pairs of vertices, and clusters of them; twin of mod.rs and weld.rs.

/// What a pair is.
const OPEN: u32 = 0u;
const WELDED: u32 = 1u;
const APART: u32 = 2u;

/// Members of a cluster, at most.
const MOST_MEMBERS: u32 = 16u;

/// Sewn vertices that hang together, whatever their pairs are now.
struct Cluster {
    first_member: u32,
    member_count: u32,
    first_pair: u32,
    pair_count: u32,
}

/// A sewn vertex.
struct Member {
    /// The origin of its body as seen from that of its cluster's first member [m].
    shift: vec3<f32>,
    /// 0 if it is locked [kg].
    mass: f32,
    slot: u32,
}

/// Two members of a cluster that are sewn together.
struct SewnPair {
    /// Their numbers in the cluster.
    first: u32,
    second: u32,
    /// Its reduced mass; 0 where both are locked [kg].
    mass: f32,
    /// The force at which its weld breaks [N].
    strength: f32,
    /// The most that pulls it together [N].
    force: f32,
    /// The rate at which its gap closes [1/s].
    rate: f32,
    /// How near it has met; negative where nothing is welded [m].
    tolerance: f32,
    unused: f32,
}

/// Of all seams in a stretch.
struct Pace {
    /// Half of the inverse of a substep's length [1/s].
    gain: f32,
    /// The inverse of the time in which the last update of a substep changes velocities [1/s].
    per_update: f32,
}

/// The force on the first vertex of an open pair [N]: `gap` leads from it to the other one [m], which comes apart from
/// it with the velocity `apart` [m/s], drawn by the `tension` [N]; `damping` is in N·s/m.
fn pull(
    pair: SewnPair,
    gap: vec3<f32>,
    apart: vec3<f32>,
    tension: vec3<f32>,
    damping: f32,
) -> vec3<f32> {
    let sum = (gap * pair.rate + apart) * damping + tension;
    let strength = sqrt(dot(sum, sum));
    return select(sum, sum * (pair.force / strength), strength > pair.force);
}
