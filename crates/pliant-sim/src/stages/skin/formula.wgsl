// What a vertex of a skin has from its four corners: twin of formula.rs.

/// Where it is, if a tetrahedron carries it [m].
fn carried(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32>, weights: vec3<f32>) -> vec3<f32> {
    return a + (b - a) * weights.x + (c - a) * weights.y + (d - a) * weights.z;
}

/// Where it is, if a triangle carries it: in its plane and above it [m].
fn carried_above(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, weights: vec3<f32>) -> vec3<f32> {
    let area = cross(b - a, c - a);
    let size = length(area);
    // A triangle without an area has no side.
    let height = select(0.0, weights.z / size, size > 0.0);
    return a + (b - a) * weights.x + (c - a) * weights.y + area * height;
}

/// A number that vertices have, within those of the corners.
fn carried_value(values: vec4<f32>, weights: vec3<f32>) -> f32 {
    let least = min(min(values.x, values.y), min(values.z, values.w));
    let most = max(max(values.x, values.y), max(values.z, values.w));
    let ways = values.yzw - vec3<f32>(values.x);
    let sum = values.x + ways.x * weights.x + ways.y * weights.y + ways.z * weights.z;
    return min(max(sum, least), most);
}
