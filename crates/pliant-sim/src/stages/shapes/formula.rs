//! One cluster of vertices that is matched with its shape at rest; twin of formula.wgsl. Matrices are given by columns.

use crate::math::{Real, Vec3, vec3};

/// A 3×3 matrix, by columns.
pub type Columns<R> = [Vec3<R>; 3];

/// How often a rotation is improved in a substep. It begins where the last one ended, from which a body turns by a few
/// hundredths at most: two steps of Newton's end at the last digits of single precision. What is torn about violently
/// follows over some substeps.
pub const IMPROVEMENTS: usize = 2;

/// What is added to the curvature along each axis, over the largest entry of the matrix: directions in which nothing
/// tells how a cluster is turned, such as the axis of a straight one, leave the turn as it was.
pub const LEAST_CURVATURE: f64 = 1e-4;

/// Between these the determinant of what a cluster takes over for good is restored. Goals follow a deformation of less than
/// the first the less the flatter it is.
pub const RESTORED: [f64; 2] = [0.25, 64.0];

/// How far a vertex may be from its goal, over the radius of its cluster: the nearer it comes to that, the harder it is
/// pulled.
pub const LIMIT: f64 = 0.12;
/// What pulls a vertex at most, in units of a spring that is stretched by that limit and has not become harder.
pub const HARDEST: f64 = 50.0;

/// What pulls the vertices of a cluster, the same for all clusters of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull<R> {
    /// The velocity that a vertex gets for each metre that its goal is away \[1/s\], as long as that is near.
    pub rate: R,
    /// The share β of the deformation that goals follow.
    pub beta: R,
    /// The length of a substep \[s\].
    pub h: R,
}

/// Sums over vertices by mass, with places and velocities seen from one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums<R> {
    /// Σ m x \[kg·m\].
    pub place: Vec3<R>,
    /// Σ m v \[kg·m/s\].
    pub momentum: Vec3<R>,
    /// Σ m x × v \[kg·m²/s\].
    pub angular: Vec3<R>,
    /// Σ m x², … \[kg·m²\].
    pub squares: Vec3<R>,
    /// Σ m yz, … \[kg·m²\].
    pub products: Vec3<R>,
}

/// How vertices move as a whole, seen from where their sums are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidMotion<R> {
    /// Their centre \[m\].
    pub centre: Vec3<R>,
    /// Its velocity \[m/s\].
    pub velocity: Vec3<R>,
    /// Their angular velocity \[1/s\].
    pub spin: Vec3<R>,
}

/// How a cluster yields in a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Creep<R> {
    /// The strain above which it does.
    pub threshold: R,
    /// The share that it takes over of its strain above that.
    pub share: R,
    /// The largest strain that it takes over altogether.
    pub most: R,
}

/// `a v`
pub fn transformed<R: Real>(a: Columns<R>, v: Vec3<R>) -> Vec3<R> {
    a[0] * v.x + a[1] * v.y + a[2] * v.z
}

/// `a b`
pub fn product<R: Real>(a: Columns<R>, b: Columns<R>) -> Columns<R> {
    b.map(|column| transformed(a, column))
}

/// `aᵀ b`
pub fn projected<R: Real>(a: Columns<R>, b: Columns<R>) -> Columns<R> {
    b.map(|column| vec3(a[0].dot(column), a[1].dot(column), a[2].dot(column)))
}

/// `s a + t b`
pub fn mixed<R: Real>(s: R, a: Columns<R>, t: R, b: Columns<R>) -> Columns<R> {
    [a[0] * s + b[0] * t, a[1] * s + b[1] * t, a[2] * s + b[2] * t]
}

/// The determinant of a matrix.
pub fn determinant_of<R: Real>(a: Columns<R>) -> R {
    a[0].dot(a[1].cross(a[2]))
}

/// The inverse of a matrix that has one.
pub fn inverse_of<R: Real>(a: Columns<R>) -> Columns<R> {
    let rows = [a[1].cross(a[2]), a[2].cross(a[0]), a[0].cross(a[1])];
    let scale = R::of(1.0) / a[0].dot(rows[0]);
    [
        vec3(rows[0].x, rows[1].x, rows[2].x) * scale,
        vec3(rows[0].y, rows[1].y, rows[2].y) * scale,
        vec3(rows[0].z, rows[1].z, rows[2].z) * scale,
    ]
}

/// The third root of a number within [`RESTORED`]: Halley's iterations, which come to the last digits from everywhere there.
pub fn cube_root<R: Real>(x: R) -> R {
    let two = R::of(2.0);
    let mut root = (x + two) * R::of(1.0 / 3.0);
    for _ in 0..6 {
        let cube = root * root * root;
        root *= (cube + two * x) / (two * cube + x);
    }
    root
}

/// The solution of a symmetric system with the diagonal (xx, yy, zz) and beside it (yz, xz, xy).
pub fn solved<R: Real>(diagonal: Vec3<R>, beside: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    let matrix = [
        vec3(diagonal.x, beside.z, beside.y),
        vec3(beside.z, diagonal.y, beside.x),
        vec3(beside.y, beside.x, diagonal.z),
    ];
    // The adjugate is symmetric, too.
    let adjugate =
        [matrix[1].cross(matrix[2]), matrix[2].cross(matrix[0]), matrix[0].cross(matrix[1])];
    transformed(adjugate, b) * (R::of(1.0) / matrix[0].dot(adjugate[0]))
}

/// The matrix of the rotation that a quaternion of length 1 stands for.
pub fn matrix_of<R: Real>([x, y, z, w]: [R; 4]) -> Columns<R> {
    let (one, two) = (R::of(1.0), R::of(2.0));
    [
        vec3(one - two * (y * y + z * z), two * (x * y + z * w), two * (x * z - y * w)),
        vec3(two * (x * y - z * w), one - two * (x * x + z * z), two * (y * z + x * w)),
        vec3(two * (x * z + y * w), two * (y * z - x * w), one - two * (x * x + y * y)),
    ]
}

/// A quaternion turned on by another one of any length, whose real part stands behind its vector; of length 1.
pub fn turned_on<R: Real>([x, y, z, w]: [R; 4], t: Vec3<R>, turn: R) -> [R; 4] {
    let v = vec3(x, y, z);
    let along = v * turn + t * w + t.cross(v);
    let real = w * turn - t.dot(v);
    let scale = R::of(1.0) / (along.dot(along) + real * real).sqrt();
    [along.x * scale, along.y * scale, along.z * scale, real * scale]
}

/// A rotation that is nearer to the one that fits a matrix best: R of largest tr Rᵀ A. Entries of `a` are 1 at most.
///
/// With M = A Rᵀ the slope of that trace along small turns is the axial vector of M, its curvature −(tr M − sym M).
/// Newton's step leads to where the slope is 0; where the curvature is not downwards everywhere, as beside a saddle, it is
/// shifted until it is, so that the step leads away from there. About one axis the trace is b cos θ + c sin θ and a
/// constant, with the slope c and the curvature −b: the step goes on to where that is largest, so that the trace never
/// gets less. It has no other maximum than the largest of all.
pub fn improved<R: Real>(a: Columns<R>, q: [R; 4]) -> [R; 4] {
    let r = matrix_of(q);
    let row = |k: fn(Vec3<R>) -> R| r[0] * k(a[0]) + r[1] * k(a[1]) + r[2] * k(a[2]);
    let (mx, my, mz) = (row(|c| c.x), row(|c| c.y), row(|c| c.z));
    let slope = vec3(mz.y - my.z, mx.z - mz.x, my.x - mx.y);
    let diagonal = vec3(my.y + mz.z, mx.x + mz.z, mx.x + my.y);
    let beside = vec3(my.z + mz.y, mx.z + mz.x, mx.y + my.x) * R::of(-0.5);
    // Eigenvalues are m + 2 p cos φ with the mean m of the diagonal.
    let m = (diagonal.x + diagonal.y + diagonal.z) * R::of(1.0 / 3.0);
    let own = vec3(diagonal.x - m, diagonal.y - m, diagonal.z - m);
    let p = ((own.dot(own) + R::of(2.0) * beside.dot(beside)) * R::of(1.0 / 6.0)).sqrt();
    let least = m - R::of(2.0) * p;
    let shift = R::of(LEAST_CURVATURE) + (R::of(-2.0) * least).max(R::of(0.0));
    let step = solved(diagonal + vec3(shift, shift, shift), beside, slope);
    let axis = step * (R::of(1.0) / (step.length() + R::of(1e-15)));
    let across = vec3(axis.y * axis.z, axis.x * axis.z, axis.x * axis.y);
    let b = vec3(axis.x * axis.x, axis.y * axis.y, axis.z * axis.z).dot(diagonal)
        + R::of(2.0) * across.dot(beside);
    let c = axis.dot(slope);
    // tan θ/2 = c/(√(b² + c²) + b)
    turned_on(q, axis * c, (b * b + c * c).sqrt() + b + R::of(1e-12))
}

/// The rotation that fits a matrix best, from one that did before; a proper one, whatever the matrix is.
pub fn rotation_of<R: Real>(a: Columns<R>, before: [R; 4], improvements: usize) -> [R; 4] {
    let largest = |v: Vec3<R>| v.x.abs().max(v.y.abs()).max(v.z.abs());
    let size = largest(a[0]).max(largest(a[1])).max(largest(a[2])).max(R::of(1e-37));
    let scaled = a.map(|column| column.map(|entry| entry / size));
    let mut q = before;
    for _ in 0..improvements {
        q = improved(scaled, q);
    }
    q
}

/// The matrix that leads from places at rest to goals: the rotation and, for a share β, the deformation with its volume
/// restored, the way on which the volume changes most. Goals do not follow what is flattened or turned inside out.
pub fn goal_matrix<R: Real>(rotation: Columns<R>, deformation: Columns<R>, beta: R) -> Columns<R> {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let [a, b, c] = deformation;
    // The derivative of the volume.
    let slope = [b.cross(c), c.cross(a), a.cross(b)];
    let volume = a.dot(slope[0]);
    let square = slope[0].dot(slope[0]) + slope[1].dot(slope[1]) + slope[2].dot(slope[2]);
    // That of no deformation is 3: where it is less, the pull is that of a potential.
    let missing = (one - volume) / square.max(R::of(3.0));
    let beta = beta * (volume / R::of(RESTORED[0])).max(zero).min(one);
    mixed(one, mixed(one - beta, rotation, beta, deformation), beta * missing, slope)
}

/// The velocity that a vertex gets for each metre that its goal is away \[1/s\]. `share` is the square of that way over the
/// square of its limit.
///
/// With a force ω² w/(1 − w/ℓ) the way w that is left at the end of the substep is the root of a square equation, which is
/// taken apart such that no digits are lost where pulls are soft.
pub fn rate_of<R: Real>(pull: Pull<R>, share: R) -> R {
    let (one, two) = (R::of(1.0), R::of(2.0));
    let way = share.sqrt();
    let own = pull.rate * pull.h;
    let other = one - own;
    let ahead = other * way;
    let root = ((one - ahead) * (one - ahead) + R::of(4.0) * own * ahead).sqrt();
    let left = (root + other - ahead).max(R::of(1e-6));
    let hard = (one + (one + other + two * ahead) / left) / (one + ahead + root);
    let most = R::of(HARDEST) / ahead.max(R::of(1e-30));
    pull.rate * hard.min(most)
}

/// The products x², y², z², xy, yz, zx of the coordinates of a place.
pub fn squares_of<R: Real>(q: Vec3<R>) -> [Vec3<R>; 2] {
    [vec3(q.x * q.x, q.y * q.y, q.z * q.z), vec3(q.x * q.y, q.y * q.z, q.z * q.x)]
}

/// The angular velocity that takes the angular momentum `l` away from what has the moments Σ m x², … `squares` and
/// Σ m yz, … `products` about its centre. About an axis that all of it lies on there is none.
pub fn spin_of<R: Real>(squares: Vec3<R>, products: Vec3<R>, l: Vec3<R>) -> Vec3<R> {
    let trace = squares.x + squares.y + squares.z;
    let least = trace * R::of(1e-6) + R::of(1e-37);
    let diagonal = vec3(trace - squares.x, trace - squares.y, trace - squares.z);
    // Over their size, since their third powers are smaller than numbers can be.
    let scale = R::of(1.0) / (trace + R::of(1e-37));
    let shifted = (diagonal + vec3(least, least, least)) * scale;
    solved(shifted, -products * scale, l * scale)
}

/// The rigid motion that has the momentum and the angular momentum of vertices with these sums.
pub fn rigid_motion_of<R: Real>(sums: Sums<R>, inv_mass: R) -> RigidMotion<R> {
    let centre = sums.place * inv_mass;
    let velocity = sums.momentum * inv_mass;
    let (c, p) = (centre, sums.place);
    let squares = sums.squares - vec3(c.x * p.x, c.y * p.y, c.z * p.z);
    let products = sums.products - vec3(c.y * p.z, c.z * p.x, c.x * p.y);
    let spin = spin_of(squares, products, sums.angular - centre.cross(sums.momentum));
    RigidMotion { centre, velocity, spin }
}

/// What a vertex at `x` \[m\] with the velocity `v` \[m/s\] does beside the rigid motion of its whole \[m/s\].
pub fn beside<R: Real>(motion: RigidMotion<R>, x: Vec3<R>, v: Vec3<R>) -> Vec3<R> {
    (v - motion.velocity) - motion.spin.cross(x - motion.centre)
}

/// What a cluster has taken over of its deformation, `taken`, after a substep in which it is deformed by `strained` beside
/// that, turned back: of the strain beyond a threshold a share, with no change of volume, and no more than it may.
pub fn crept<R: Real>(taken: Columns<R>, strained: Columns<R>, creep: Creep<R>) -> Columns<R> {
    let (one, zero) = (R::of(1.0), R::of(0.0));
    let identity = [vec3(one, zero, zero), vec3(zero, one, zero), vec3(zero, zero, one)];
    let square = |a: Columns<R>| a[0].dot(a[0]) + a[1].dot(a[1]) + a[2].dot(a[2]);
    let strain = mixed(one, strained, -one, identity);
    let is_within = square(strain) <= creep.threshold * creep.threshold;
    // Nothing yields for good in a step in which it is turned inside out or flattened.
    if is_within || determinant_of(strained) <= R::of(RESTORED[0]) {
        return taken;
    }
    // Only of what is beyond the threshold, so that nothing leaps where that is passed.
    let share = creep.share * (one - creep.threshold / square(strain).sqrt());
    let next = product(mixed(one, identity, share, strain), taken);
    let volume = determinant_of(next).max(R::of(RESTORED[0])).min(R::of(RESTORED[1]));
    let next = mixed(one / cube_root(volume), next, zero, identity);
    let whole = square(mixed(one, next, -one, identity));
    // Beyond what it may take over nothing more is taken.
    if whole > creep.most * creep.most && whole > square(mixed(one, taken, -one, identity)) {
        return taken;
    }
    next
}
