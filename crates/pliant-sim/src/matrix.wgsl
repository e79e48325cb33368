// Small matrices, for the derivatives of forces; twin of matrix.rs.

/// scale a bᵀ
fn outer(a: vec3<f32>, b: vec3<f32>, scale: f32) -> mat3x3<f32> {
    let c = a * scale;
    return mat3x3(c * b.x, c * b.y, c * b.z);
}

/// The matrix of v ↦ a × v, by columns.
fn cross_matrix(a: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(vec3(0.0, a.z, -a.y), vec3(-a.z, 0.0, a.x), vec3(a.y, -a.x, 0.0));
}

/// m I
fn scalar_matrix(m: f32) -> mat3x3<f32> {
    return diagonal_matrix(vec3(m));
}

fn diagonal_matrix(d: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(vec3(d.x, 0.0, 0.0), vec3(0.0, d.y, 0.0), vec3(0.0, 0.0, d.z));
}
