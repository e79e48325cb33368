// Finds what draws the vertices of clusters back to their shapes; twin of matching.rs. One invocation for each cluster.

#import pliant::grid
#import pliant::step
#import pliant::shapes

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
/// Where members are at rest, seen from the centres of their clusters [m], and what they weigh there [kg].
@group(0) @binding(2) var<storage, read> rest: array<vec4<f32>>;
/// Their slots.
@group(0) @binding(3) var<storage, read> members: array<u32>;
/// Of each cluster two: first member, count, kind and where its matrices begin; radius [m] and 1/mass [1/kg] as bits.
@group(0) @binding(4) var<storage, read> clusters: array<vec4<u32>>;
/// Inverses of moments, see mod.rs.
@group(0) @binding(5) var<storage, read> matrices: array<f32>;
/// Of each kind two: rate, β, the share that is lost beside wholes, h; how it yields, and its mode, as bits.
@group(0) @binding(6) var<storage, read> kinds: array<vec4<f32>>;
/// Rotations of clusters; behind them, where there are any that yield, three columns of what each has taken over.
@group(0) @binding(7) var<storage, read_write> states: array<vec4<f32>>;
/// The impulse that each member gets [kg·m/s].
@group(0) @binding(8) var<storage, read_write> kicks: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read> flags: array<u32>;
@group(0) @binding(10) var<uniform> step: Step;

/// How many clusters there are.
override CLUSTERS: u32 = 0u;

/// What is within so many parts of the size of coordinates is rounding and no pull; of quadratic clusters.
const ROUNDING: f32 = 2.4e-7;
const MORE_ROUNDING: f32 = 2e-6;
/// Modes, and what is added to them where a kind yields.
const RIGID: u32 = 0u;
const LINEAR: u32 = 1u;
const QUADRATIC: u32 = 2u;
const YIELDS: u32 = 4u;

/// The matrix whose columns begin there.
fn matrix_at(at: u32) -> mat3x3<f32> {
    return mat3x3(vector_at(at), vector_at(at + 3u), vector_at(at + 6u));
}

fn vector_at(at: u32) -> vec3<f32> {
    return vec3(matrices[at], matrices[at + 1u], matrices[at + 2u]);
}

/// a + b cᵀ
fn with_product(a: mat3x3<f32>, b: vec3<f32>, c: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(a[0] + b * c.x, a[1] + b * c.y, a[2] + b * c.z);
}

/// Squares and products of a place over the radius, less their means over the cluster.
fn centred_squares(q: vec3<f32>, matrix: u32) -> array<vec3<f32>, 2> {
    let squares = squares_of(q);
    return array(squares[0] - vector_at(matrix + 18u), squares[1] - vector_at(matrix + 21u));
}

@compute @workgroup_size(WORKGROUP)
fn shapes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= CLUSTERS || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let cluster = clusters[2u * n];
    let begin = cluster.x;
    let end = cluster.x + cluster.y;
    let matrix = cluster.w;
    let sizes = bitcast<vec4<f32>>(clusters[2u * n + 1u]);
    let radius = sizes.x;
    let inv_mass = sizes.y;
    let numbers = kinds[2u * cluster.z];
    let pull = Pull(numbers.x, numbers.y, numbers.w);
    let other = kinds[2u * cluster.z + 1u];
    let mode = bitcast<u32>(other.w) & 3u;
    let yields = (bitcast<u32>(other.w) & YIELDS) != 0u;
    let per_radius = 1.0 / max(radius, 1e-30);

    let first_x = position[members[begin]].xyz;
    let first_v = velocity[members[begin]].xyz;
    var centre = vec3(0.0);
    var drift = vec3(0.0);
    var moments = mat3x3<f32>();
    var squares = mat3x3<f32>();
    var products = mat3x3<f32>();
    for (var i = begin; i < end; i++) {
        let slot = members[i];
        let q = rest[i];
        let x = position[slot].xyz - first_x;
        let v = velocity[slot].xyz - first_v;
        centre += x * q.w;
        drift += v * q.w;
        let ahead = (x + v * pull.h) * q.w;
        moments = with_product(moments, ahead, q.xyz);
        if (mode == QUADRATIC) {
            let bent = centred_squares(q.xyz * per_radius, matrix);
            squares = with_product(squares, ahead, bent[0]);
            products = with_product(products, ahead, bent[1]);
        }
    }
    centre *= inv_mass;
    drift *= inv_mass;
    let centre_ahead = centre + drift * pull.h;

    // What leads from places at rest to goals.
    var taken = mat3x3(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    var seen = moments;
    let own = CLUSTERS + 3u * n;
    if (yields) {
        taken = mat3x3(states[own].xyz, states[own + 1u].xyz, states[own + 2u].xyz);
        seen = moments * transpose(taken);
    }
    let turn = rotation_of(seen, states[n], IMPROVEMENTS);
    states[n] = turn;
    let rotation = matrix_of(turn);
    var linear = rotation;
    if (mode != RIGID || yields) {
        let unseen = rotation * (taken * matrix_at(matrix + 9u));
        var deformation = moments * matrix_at(matrix) + unseen;
        if (yields) {
            deformation = deformation * inverse_of(taken);
        }
        if (mode == LINEAR) {
            linear = goal_matrix(rotation, deformation, pull.beta);
        }
        if (yields) {
            linear = linear * taken;
            let strained = transpose(rotation) * deformation;
            let strain = (strained + transpose(strained)) * 0.5;
            let next = crept(taken, strain, Creep(other.x, other.y, other.z));
            states[own] = vec4(next[0], 0.0);
            states[own + 1u] = vec4(next[1], 0.0);
            states[own + 2u] = vec4(next[2], 0.0);
        }
    }
    if (mode == QUADRATIC) {
        let all = array(
            moments[0] * per_radius, moments[1] * per_radius, moments[2] * per_radius,
            squares[0], squares[1], squares[2],
            products[0], products[1], products[2],
        );
        var bent = array<vec3<f32>, 9>();
        for (var j = 0u; j < 9u; j++) {
            var sum = vec3(0.0);
            for (var i = 0u; i < 9u; i++) {
                sum += all[i] * matrices[matrix + 24u + 9u * i + j];
            }
            bent[j] = sum * pull.beta;
        }
        linear = linear * (1.0 - pull.beta) + mat3x3(bent[0], bent[1], bent[2]) * per_radius;
        squares = mat3x3(bent[3], bent[4], bent[5]);
        products = mat3x3(bent[6], bent[7], bent[8]);
    }

    var most = 0.0;
    for (var i = begin; i < end; i++) {
        let slot = members[i];
        let q = rest[i].xyz;
        let x = position[slot].xyz - first_x;
        let v = velocity[slot].xyz - first_v;
        var goal = linear * q;
        if (mode == QUADRATIC) {
            let bent = centred_squares(q * per_radius, matrix);
            goal += squares * bent[0] + products * bent[1];
        }
        let way = goal + (centre_ahead - (x + v * pull.h));
        most = max(most, dot(way, way));
        kicks[i] = vec4(way, 0.0);
    }
    let size = abs(first_x);
    let digits = select(ROUNDING, MORE_ROUNDING, mode == QUADRATIC);
    let rounding = (max(max(size.x, size.y), size.z) + radius) * digits;
    let is_pulled = most > rounding * rounding;
    let limit = radius * LIMIT + 1e-15;
    let per_limit2 = 1.0 / (limit * limit);

    var sum = vec3(0.0);
    var angular = vec3(0.0);
    var along = vec3(0.0);
    var across = vec3(0.0);
    for (var i = begin; i < end; i++) {
        let m = rest[i].w;
        let arm = position[members[i]].xyz - first_x - centre;
        let way = kicks[i].xyz;
        let kick = way * select(0.0, rate_of(pull, dot(way, way) * per_limit2), is_pulled);
        kicks[i] = vec4(kick, 0.0);
        sum += kick * m;
        angular += cross(arm, kick) * m;
        let both = squares_of(arm);
        along += both[0] * m;
        across += both[1].yzx * m;
    }
    let mean = sum * inv_mass;
    let spin = spin_of(along, across, angular);
    for (var i = begin; i < end; i++) {
        let arm = position[members[i]].xyz - first_x - centre;
        let kick = kicks[i].xyz - mean - cross(spin, arm);
        kicks[i] = vec4(kick * rest[i].w, 0.0);
    }
}
