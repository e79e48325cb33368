
// Momentum that bodies miss where there are colliders, which hold vertices in any direction.

#import pliant::implicit

/// The momentum that vertices have not got yet. Matrices are symmetric, by their diagonals and (xy, yz, zx).
struct MomentumDeficit {
    /// Momentum [kg·m/s].
    impulse: vec3<f32>,
    /// How much momentum goes in and out of them [kg·m/s].
    turnover: f32,
    /// What has to be moved [kg].
    inertia: f32,
    /// What resists that [kg].
    resistance: vec3<f32>,
    resistance_rest: vec3<f32>,
    /// The sum of I − P: the directions in which something holds the body.
    held: vec3<f32>,
    held_rest: vec3<f32>,
}

/// The part of the trace below which a direction counts as free: what single precision leaves of a sum over many
/// vertices.
const HARDLY: f32 = 1e-5;

/// Adds a vertex of this inertia [kg] that was given momentum by loads and has found some [kg·m/s], and ends at the
/// velocity `after`.
fn with_momentum(
    so_far: MomentumDeficit, slot: u32, inertia: f32, by_loads: vec3<f32>, found: vec3<f32>, after: vec3<f32>,
) -> MomentumDeficit {
    let diagonal = vectors[place(MASK, slot)].xyz;
    let others = vectors[place(MASK_REST, slot)].xyz;
    let resistance = vectors[place(CONTACT, slot)].w;
    let given = by_loads - free_part(free_of(slot), after - still_at(slot)) * resistance;
    var deficit = so_far;
    deficit.impulse += given - found;
    deficit.turnover += dot(abs(given) + abs(found), vec3(1.0));
    deficit.inertia += inertia;
    deficit.resistance += diagonal * resistance;
    deficit.resistance_rest += others * resistance;
    deficit.held += vec3(1.0) - diagonal;
    deficit.held_rest -= others;
    return deficit;
}

/// The velocity that makes up for what the invocations of a workgroup miss together, where it is worth mentioning
/// [m/s].
fn missing_velocity(own: MomentumDeficit, local: u32) -> vec3<f32> {
    // One after the other, since compilers of software devices take their time for each barrier that they see.
    var sums = array(
        own.impulse.xy, vec2(own.impulse.z, own.turnover), own.resistance.xy, vec2(own.resistance.z, own.inertia),
        own.resistance_rest.xy, vec2(own.resistance_rest.z, own.held.x), own.held.yz, own.held_rest.xy,
        vec2(own.held_rest.z, 0.0),
    );
    for (var n = 0u; n < 9u; n++) {
        sums[n] = sum_of_group(local, sums[n]);
    }
    let freedom =
        null_space(symmetric(vec3(sums[5].y, sums[6]), vec3(sums[7], sums[8].x)));
    let missing = freedom * vec3(sums[0], sums[1].x);
    let most = max(max(abs(missing.x), abs(missing.y)), abs(missing.z));
    if (!(most > MISSED * sums[1].y)) {
        return vec3(0.0);
    }
    let inertia = sums[3].y;
    let resistance = symmetric(vec3(sums[2], sums[3].x), vec3(sums[4], sums[5].x));
    let mass = within(resistance + scalar_matrix(inertia), freedom);
    return freedom * precondition(factors(mass, inertia), missing);
}

/// The matrix with this diagonal and (xy, yz, zx).
fn symmetric(diagonal: vec3<f32>, others: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(
        vec3(diagonal.x, others.x, others.z), vec3(others.x, diagonal.y, others.y),
        vec3(others.z, others.y, diagonal.z),
    );
}

/// The projection on the directions in which a matrix without negative eigenvalues is zero.
fn null_space(matrix: mat3x3<f32>) -> mat3x3<f32> {
    var a = matrix;
    var freedom = scalar_matrix(1.0);
    let least = HARDLY * (a[0].x + a[1].y + a[2].z);
    for (var n = 0u; n < 3u; n++) {
        var k = 0u;
        if (a[1].y >= a[0].x) {
            k = 1u;
        }
        if (a[2].z >= a[k][k]) {
            k = 2u;
        }
        if (!(a[k][k] > least)) {
            break;
        }
        let axis = a[k] / length(a[k]);
        freedom -= outer(axis, axis, 1.0);
        // What is left at right angles to it: (I − n nᵀ) a (I − n nᵀ).
        let of_axis = a * axis;
        a -= outer(of_axis, axis, 1.0) + outer(axis, of_axis, 1.0);
        a += outer(axis, axis, dot(axis, of_axis));
    }
    return freedom;
}

/// P a P + (I − P) trace a: `a` for those directions that a projection leaves, and something that can be inverted for
/// the others.
fn within(a: mat3x3<f32>, freedom: mat3x3<f32>) -> mat3x3<f32> {
    let others = scalar_matrix(1.0) - freedom;
    return freedom * a * freedom + others * (a[0].x + a[1].y + a[2].z);
}
