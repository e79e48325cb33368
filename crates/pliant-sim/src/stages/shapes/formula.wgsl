// One cluster of vertices that is matched with its shape at rest; twin of formula.rs.

/// How often a rotation is improved in a substep.
const IMPROVEMENTS: u32 = 2u;
/// What is added to the curvature along each axis.
const LEAST_CURVATURE: f32 = 1e-4;
/// Between these the determinant of what a cluster takes over for good is restored.
const LEAST_RESTORED: f32 = 0.25;
const MOST_RESTORED: f32 = 64.0;

/// How far a vertex may be from its goal, over the radius of its cluster, and how much harder it is pulled there.
const LIMIT: f32 = 0.12;
const HARDEST: f32 = 50.0;

/// What pulls the vertices of a cluster, the same for all clusters of a kind.
struct Pull {
    /// The velocity that a vertex gets for each metre that its goal is away [1/s], as long as that is near.
    rate: f32,
    /// The share β of the deformation that goals follow.
    beta: f32,
    /// The length of a substep [s].
    h: f32,
}

/// Sums over vertices by mass, with places and velocities seen from one of them; see formula.rs.
struct Sums {
    place: vec3<f32>,
    momentum: vec3<f32>,
    angular: vec3<f32>,
    squares: vec3<f32>,
    products: vec3<f32>,
}

/// How vertices move as a whole, seen from where their sums are.
struct RigidMotion {
    centre: vec3<f32>,
    velocity: vec3<f32>,
    spin: vec3<f32>,
}

/// How a cluster yields in a substep.
struct Creep {
    /// The strain above which it does.
    threshold: f32,
    /// The share that it takes over of its strain above that.
    share: f32,
    /// The largest strain that it takes over altogether.
    most: f32,
}

/// The inverse of a matrix that has one.
fn inverse_of(a: mat3x3<f32>) -> mat3x3<f32> {
    let rows = mat3x3(cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1]));
    return transpose(rows) * (1.0 / dot(a[0], rows[0]));
}

/// The third root of a number within the bounds above: Halley's iterations.
fn cube_root(x: f32) -> f32 {
    var root = (x + 2.0) * (1.0 / 3.0);
    for (var n = 0u; n < 6u; n++) {
        let cube = root * root * root;
        root = root * ((cube + 2.0 * x) / (2.0 * cube + x));
    }
    return root;
}

/// The solution of a symmetric system with the diagonal (xx, yy, zz) and beside it (yz, xz, xy).
fn solved(diagonal: vec3<f32>, beside: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    let x = vec3(diagonal.x, beside.z, beside.y);
    let y = vec3(beside.z, diagonal.y, beside.x);
    let z = vec3(beside.y, beside.x, diagonal.z);
    // The adjugate is symmetric, too.
    let adjugate = mat3x3(cross(y, z), cross(z, x), cross(x, y));
    return (adjugate * b) * (1.0 / dot(x, adjugate[0]));
}

/// The matrix of the rotation that a quaternion of length 1 stands for.
fn matrix_of(q: vec4<f32>) -> mat3x3<f32> {
    let x = q.x;
    let y = q.y;
    let z = q.z;
    let w = q.w;
    return mat3x3(
        vec3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
        vec3(2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
        vec3(2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
    );
}

/// A quaternion turned on by another one of any length, whose real part stands behind its vector; of length 1.
fn turned_on(q: vec4<f32>, t: vec3<f32>, turn: f32) -> vec4<f32> {
    let along = q.xyz * turn + t * q.w + cross(t, q.xyz);
    let real = q.w * turn - dot(t, q.xyz);
    return vec4(along, real) * (1.0 / sqrt(dot(along, along) + real * real));
}

/// A rotation that is nearer to the one that fits a matrix best, see formula.rs. Entries of `a` are 1 at most.
fn improved(a: mat3x3<f32>, q: vec4<f32>) -> vec4<f32> {
    let r = matrix_of(q);
    let mx = r[0] * a[0].x + r[1] * a[1].x + r[2] * a[2].x;
    let my = r[0] * a[0].y + r[1] * a[1].y + r[2] * a[2].y;
    let mz = r[0] * a[0].z + r[1] * a[1].z + r[2] * a[2].z;
    let slope = vec3(mz.y - my.z, mx.z - mz.x, my.x - mx.y);
    let diagonal = vec3(my.y + mz.z, mx.x + mz.z, mx.x + my.y);
    let beside = vec3(my.z + mz.y, mx.z + mz.x, mx.y + my.x) * -0.5;
    // Eigenvalues are m + 2 p cos φ with the mean m of the diagonal.
    let m = (diagonal.x + diagonal.y + diagonal.z) * (1.0 / 3.0);
    let own = diagonal - vec3(m);
    let p = sqrt((dot(own, own) + 2.0 * dot(beside, beside)) * (1.0 / 6.0));
    let least = m - 2.0 * p;
    let shift = LEAST_CURVATURE + max(-2.0 * least, 0.0);
    let way = solved(diagonal + vec3(shift), beside, slope);
    let axis = way * (1.0 / (sqrt(dot(way, way)) + 1e-15));
    let across = vec3(axis.y * axis.z, axis.x * axis.z, axis.x * axis.y);
    let b = dot(axis * axis, diagonal) + 2.0 * dot(across, beside);
    let c = dot(axis, slope);
    // tan θ/2 = c/(√(b² + c²) + b)
    return turned_on(q, axis * c, sqrt(b * b + c * c) + b + 1e-12);
}

/// The rotation that fits a matrix best, from one that did before; a proper one, whatever the matrix is.
fn rotation_of(a: mat3x3<f32>, before: vec4<f32>, improvements: u32) -> vec4<f32> {
    let rows = max(max(abs(a[0]), abs(a[1])), abs(a[2]));
    let size = max(max(max(rows.x, rows.y), rows.z), 1e-37);
    let scaled = mat3x3(a[0] / size, a[1] / size, a[2] / size);
    var q = before;
    for (var n = 0u; n < improvements; n++) {
        q = improved(scaled, q);
    }
    return q;
}

/// The matrix that leads from places at rest to goals: the rotation and, for a share β, the deformation with its volume
/// restored, see formula.rs.
fn goal_matrix(rotation: mat3x3<f32>, deformation: mat3x3<f32>, beta: f32) -> mat3x3<f32> {
    let a = deformation[0];
    let b = deformation[1];
    let c = deformation[2];
    let slope = mat3x3<f32>(cross(b, c), cross(c, a), cross(a, b));
    let volume = dot(a, slope[0]);
    let square = dot(slope[0], slope[0]) + dot(slope[1], slope[1]) + dot(slope[2], slope[2]);
    let missing = (1.0 - volume) / max(square, 3.0);
    let share = beta * clamp(volume / LEAST_RESTORED, 0.0, 1.0);
    return rotation * (1.0 - share) + deformation * share + slope * (share * missing);
}

/// The velocity that a vertex gets for each metre that its goal is away [1/s], see formula.rs.
fn rate_of(pull: Pull, share: f32) -> f32 {
    let way = sqrt(share);
    let own = pull.rate * pull.h;
    let other = 1.0 - own;
    let ahead = other * way;
    let root = sqrt((1.0 - ahead) * (1.0 - ahead) + 4.0 * own * ahead);
    let left = max(root + other - ahead, 1e-6);
    let hard = (1.0 + (1.0 + other + 2.0 * ahead) / left) / (1.0 + ahead + root);
    return pull.rate * min(hard, HARDEST / max(ahead, 1e-30));
}

/// The products x², y², z², xy, yz, zx of the coordinates of a place.
fn squares_of(q: vec3<f32>) -> array<vec3<f32>, 2> {
    return array(q * q, q * q.yzx);
}

/// The angular velocity that takes the angular momentum `l` away, see formula.rs.
fn spin_of(squares: vec3<f32>, products: vec3<f32>, l: vec3<f32>) -> vec3<f32> {
    let trace = squares.x + squares.y + squares.z;
    let least = trace * 1e-6 + 1e-37;
    let diagonal = vec3(trace) - squares;
    let scale = 1.0 / (trace + 1e-37);
    let shifted = (diagonal + vec3(least)) * scale;
    return solved(shifted, -products * scale, l * scale);
}

/// The rigid motion that has the momentum and the angular momentum of vertices with these sums.
fn rigid_motion_of(sums: Sums, inv_mass: f32) -> RigidMotion {
    let centre = sums.place * inv_mass;
    let velocity = sums.momentum * inv_mass;
    let squares = sums.squares - centre * sums.place;
    let products = sums.products - centre.yzx * sums.place.zxy;
    let spin = spin_of(squares, products, sums.angular - cross(centre, sums.momentum));
    return RigidMotion(centre, velocity, spin);
}

/// What a vertex does beside the rigid motion of its whole, see formula.rs.
fn beside(motion: RigidMotion, x: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    return (v - motion.velocity) - cross(motion.spin, x - motion.centre);
}

/// What a cluster has taken over of its deformation after a substep, see formula.rs.
fn crept(taken: mat3x3<f32>, strained: mat3x3<f32>, creep: Creep) -> mat3x3<f32> {
    let identity = mat3x3(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    let strain = strained - identity;
    let is_within = square_of(strain) <= creep.threshold * creep.threshold;
    if (is_within || determinant(strained) <= LEAST_RESTORED) {
        return taken;
    }
    let share = creep.share * (1.0 - creep.threshold / sqrt(square_of(strain)));
    let grown = (identity + strain * share) * taken;
    let volume = clamp(determinant(grown), LEAST_RESTORED, MOST_RESTORED);
    let next = grown * (1.0 / cube_root(volume));
    let whole = square_of(next - identity);
    if (whole > creep.most * creep.most && whole > square_of(taken - identity)) {
        return taken;
    }
    return next;
}

fn square_of(a: mat3x3<f32>) -> f32 {
    return dot(a[0], a[0]) + dot(a[1], a[1]) + dot(a[2], a[2]);
}
