//! What is known of a cluster's shape at rest, in double precision.

/// Eigenvalues below these parts of the largest are nothing: of places, whose squares they are, and of their squares
/// and products, each over its own size.
const FLAT: f64 = 1e-6;
const ALIKE: f64 = 1e-4;

/// A cluster at rest.
pub struct Moments {
    /// Its mass \[kg\].
    pub mass: f64,
    /// How far a vertex is from the centre at most \[m\].
    pub radius: f64,
    /// Where vertices are, seen from the centre \[m\].
    pub places: Vec<[f64; 3]>,
    /// Its matrices, one after the other; see [`super::Cluster::matrix`].
    pub matrices: Vec<f64>,
}

/// Finds what is to be known of points, each with its mass behind its coordinates: of places alone, or `Some(true)` of
/// their squares, too.
pub fn of(points: &[[f64; 4]], wanted: Option<bool>) -> Moments {
    let mass: f64 = points.iter().map(|p| p[3]).sum();
    let mean = |of: &dyn Fn(usize) -> f64| -> f64 {
        points.iter().enumerate().map(|(n, p)| p[3] * of(n)).sum::<f64>() / mass
    };
    let centre: [f64; 3] = std::array::from_fn(|k| mean(&|n| points[n][k]));
    let places: Vec<[f64; 3]> =
        points.iter().map(|p| std::array::from_fn(|k| p[k] - centre[k])).collect();
    let length = |q: &[f64; 3]| q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let radius = places.iter().map(length).fold(0.0, f64::max);
    let mut matrices = Vec::new();
    if let Some(is_quadratic) = wanted {
        let entry = |i: usize, j: usize| mass * mean(&|n| places[n][i] * places[n][j]);
        let (inverse, nothing) = pseudo_inverse(3, entry, FLAT);
        matrices.extend(inverse);
        matrices.extend(nothing);
        if is_quadratic {
            matrices.extend(quadratic(&places, radius, mass, &mean));
        }
    }
    Moments { mass, radius, places, matrices }
}

/// Finds the mean of something over all points, by mass.
type Mean<'a> = dyn Fn(&dyn Fn(usize) -> f64) -> f64 + 'a;

/// Means of the squares and products of places over the radius, and the inverse of the moments of all nine.
fn quadratic(places: &[[f64; 3]], radius: f64, mass: f64, mean: &Mean<'_>) -> Vec<f64> {
    let per_radius = 1.0 / radius.max(1e-30);
    let nine = |n: usize| {
        let [x, y, z] = places[n].map(|c| c * per_radius);
        [x, y, z, x * x, y * y, z * z, x * y, y * z, z * x]
    };
    let means: [f64; 9] = std::array::from_fn(|k| mean(&|n| nine(n)[k]));
    let moment =
        |i: usize, j: usize| mass * mean(&|n| (nine(n)[i] - means[i]) * (nine(n)[j] - means[j]));
    // Each over its own size, so that thin shapes count as much as thick ones.
    let scale: [f64; 9] = std::array::from_fn(|k| {
        let size = moment(k, k);
        if size > 1e-12 * mass { 1.0 / size.sqrt() } else { 0.0 }
    });
    let (inverse, _) = pseudo_inverse(9, |i, j| scale[i] * moment(i, j) * scale[j], ALIKE);
    let scaled = inverse.iter().enumerate().map(|(n, m)| scale[n / 9] * m * scale[n % 9]);
    means[3..].iter().copied().chain(scaled).collect()
}

/// The inverse of a symmetric matrix in the directions in which it has one, and what leads to the others; by Jacobi's
/// rotations.
fn pseudo_inverse(
    size: usize,
    entry: impl Fn(usize, usize) -> f64,
    least: f64,
) -> (Vec<f64>, Vec<f64>) {
    let at = |i: usize, j: usize| i * size + j;
    let mut a: Vec<f64> = (0..size * size).map(|n| entry(n / size, n % size)).collect();
    let mut v: Vec<f64> =
        (0..size * size).map(|n| f64::from(u8::from(n / size == n % size))).collect();
    for _ in 0..20 {
        for p in 0..size {
            for q in p + 1..size {
                let beside = a[at(p, q)];
                if beside == 0.0 {
                    continue;
                }
                let theta = (a[at(q, q)] - a[at(p, p)]) / (2.0 * beside);
                let sign = if theta < 0.0 { -1.0 } else { 1.0 };
                let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                let turn = |m: &mut Vec<f64>, i: usize, j: usize| {
                    (m[i], m[j]) = (c * m[i] - s * m[j], s * m[i] + c * m[j]);
                };
                for k in 0..size {
                    turn(&mut a, at(k, p), at(k, q));
                }
                for k in 0..size {
                    turn(&mut a, at(p, k), at(q, k));
                    turn(&mut v, at(k, p), at(k, q));
                }
            }
        }
    }
    let largest = (0..size).map(|k| a[at(k, k)]).fold(0.0, f64::max);
    let is_there = |k: usize| a[at(k, k)] > least * largest && largest > 0.0;
    let sum = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let entry = |n: usize| {
            (0..size).map(|k| of(k) * v[at(n / size, k)] * v[at(n % size, k)]).sum::<f64>()
        };
        (0..size * size).map(entry).collect()
    };
    let inverse = sum(&|k| if is_there(k) { 1.0 / a[at(k, k)] } else { 0.0 });
    let nothing = sum(&|k| f64::from(u8::from(!is_there(k))));
    (inverse, nothing)
}

#[test]
fn inverses_leave_out_what_is_not_there() {
    let entry = |i: usize, j: usize| [[4.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1e-9]][i][j];
    let (inverse, nothing) = pseudo_inverse(3, entry, FLAT);
    let wanted = [3.0 / 8.0, -0.25, 0.0, -0.25, 0.5, 0.0, 0.0, 0.0, 0.0];
    assert!(inverse.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{inverse:?}");
    assert!((nothing[8] - 1.0).abs() < 1e-12 && nothing[0].abs() < 1e-12, "{nothing:?}");
}
