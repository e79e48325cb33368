//! Rotations that fit matrices, compared with singular values in double precision.

use super::formula::{
    Columns, determinant_of, goal_matrix, improved, inverse_of, matrix_of, mixed, product,
    projected, rotation_of, transformed, turned_on,
};
use crate::math::{Vec3, vec3};

/// Numbers without pattern.
pub(super) struct Numbers(pub u64);

impl Numbers {
    /// Between −1 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1 << 30) - 1.0
    }

    pub fn vector(&mut self) -> Vec3<f64> {
        vec3(self.next(), self.next(), self.next())
    }

    fn matrix(&mut self) -> Columns<f64> {
        [self.vector(), self.vector(), self.vector()]
    }

    fn rotation(&mut self) -> Columns<f64> {
        let q = [self.next(), self.next(), self.next(), self.next()];
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        matrix_of(q.map(|c| c / length))
    }
}

fn wide(a: Columns<f32>) -> Columns<f64> {
    a.map(|c| Vec3::of([c.x, c.y, c.z].map(f64::from)))
}

fn narrow(a: Columns<f64>) -> Columns<f32> {
    a.map(|c| Vec3::of(c.to_f64()))
}

fn diagonal(d: [f64; 3]) -> Columns<f64> {
    [vec3(d[0], 0.0, 0.0), vec3(0.0, d[1], 0.0), vec3(0.0, 0.0, d[2])]
}

/// The largest entry of the difference.
fn apart(a: Columns<f64>, b: Columns<f64>) -> f64 {
    mixed(1.0, a, -1.0, b).iter().flat_map(|c| c.to_f64()).fold(0.0, |most, c| most.max(c.abs()))
}

/// The proper rotation that fits a matrix best and its singular values, the last of them with the sign of the
/// determinant: eigenvectors of aᵀa by Jacobi's rotations, then what `a` makes of them.
fn by_singular_values(a: Columns<f64>) -> (Columns<f64>, [f64; 3]) {
    let size = a.iter().flat_map(|c| c.to_f64()).fold(0.0_f64, |most, c| most.max(c.abs()));
    let a = a.map(|c| c * (1.0 / size));
    let mut s = projected(a, a).map(|c| c.to_f64());
    let mut v = diagonal([1.0; 3]).map(|c| c.to_f64());
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if s[p][q] == 0.0 {
                continue;
            }
            let theta = (s[q][q] - s[p][p]) / (2.0 * s[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let sn = t * c;
            for row in 0..3 {
                let [x, y] = [s[row][p], s[row][q]];
                (s[row][p], s[row][q]) = (c * x - sn * y, sn * x + c * y);
            }
            for column in 0..3 {
                let [x, y] = [s[p][column], s[q][column]];
                (s[p][column], s[q][column]) = (c * x - sn * y, sn * x + c * y);
            }
            for row in 0..3 {
                let [x, y] = [v[p][row], v[q][row]];
                (v[p][row], v[q][row]) = (c * x - sn * y, sn * x + c * y);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| s[j][j].total_cmp(&s[i][i]));
    let [v1, v2, _] = order.map(|k| Vec3::<f64>::from(v[k]));
    let v3 = v1.cross(v2);
    let unit = |u: Vec3<f64>| u * (1.0 / u.length().max(1e-300));
    let u1 = unit(transformed(a, v1));
    let along = transformed(a, v2);
    let u2 = unit(along - u1 * u1.dot(along));
    let u3 = u1.cross(u2);
    let values = [transformed(a, v1).length(), u2.dot(along), u3.dot(transformed(a, v3))];
    let transposed = |m: Columns<f64>| projected(m, diagonal([1.0; 3]));
    (product([u1, u2, u3], transposed([v1, v2, v3])), values)
}

fn check_proper(r: Columns<f64>, what: &str) {
    let determinant = determinant_of(r);
    assert!((determinant - 1.0).abs() < 1e-5, "{what}: {determinant}");
    let squared = apart(projected(r, r), diagonal([1.0; 3]));
    assert!(squared < 1e-5, "{what}: {squared}");
}

const COLD: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

#[test]
fn rotations_are_proper_and_those_of_singular_values() {
    let mut numbers = Numbers(3);
    let (mut compared, mut worst) = (0, 0.0_f64);
    for n in 0..1_000_000 {
        let kind = n % 8;
        let plain = match kind {
            // Of full rank, of all sizes.
            0 | 1 => numbers.matrix(),
            // Near to a rotation, as in a body.
            2 => mixed(1.0, numbers.rotation(), 0.2, numbers.matrix()),
            // Mirrored.
            3 => {
                let d = [1.0, 0.9 + 0.1 * numbers.next(), -0.5 + 0.4 * numbers.next()];
                product(product(numbers.rotation(), diagonal(d)), numbers.rotation())
            }
            // Flat, straight and nothing at all.
            4 => {
                product(product(numbers.rotation(), diagonal([1.0, 0.7, 0.0])), numbers.rotation())
            }
            5 => {
                product(product(numbers.rotation(), diagonal([1.0, 0.0, 0.0])), numbers.rotation())
            }
            6 => mixed(
                (1e-4 + numbers.next().abs().powi(4)) * 1e-30,
                numbers.matrix(),
                0.0,
                diagonal([0.0; 3]),
            ),
            _ => mixed(1e30, numbers.matrix(), 0.0, diagonal([0.0; 3])),
        };
        let a = if n == 14 { narrow(diagonal([0.0; 3])) } else { narrow(plain) };
        let found = rotation_of(a, COLD, 400);
        let r = wide(matrix_of(found));
        check_proper(r, &format!("kind {kind}, {a:?}"));
        if n == 14 {
            let same = found.iter().zip(COLD).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(same, "nothing to be seen, nothing to be turned: {found:?}");
            continue;
        }
        let (best, values) = by_singular_values(wide(a));
        let gap = (values[1] + values[2]) / values[0];
        if gap > 0.02 {
            compared += 1;
            let far = apart(r, best);
            worst = worst.max(far * gap.min(1.0));
            assert!(far < 1e-4, "kind {kind}: {far} apart with {values:?}");
        }
    }
    println!("{compared} compared, {worst:e} apart at most over their gap");
    assert!(compared > 800_000, "{compared}");
}

#[test]
fn half_a_turn_is_no_obstacle() {
    for d in [[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -0.9, 0.8], [-1.0, -1.0, -1.0]] {
        // Exactly at a saddle nothing tells where to; a trifle does.
        let a = mixed(1.0, diagonal(d), 1e-6, Numbers(7).matrix());
        let r = wide(matrix_of(rotation_of(narrow(a), COLD, 60)));
        let (best, values) = by_singular_values(a);
        check_proper(r, "half a turn");
        if values[1] + values[2] > 0.02 {
            assert!(apart(r, best) < 1e-4, "{d:?}: {r:?} {best:?}");
        }
    }
}

#[test]
fn rotations_go_on_through_inversion() {
    let mut numbers = Numbers(11);
    for _ in 0..50 {
        let (left, right, axis) = (numbers.rotation(), numbers.rotation(), numbers.vector());
        let mut q = COLD;
        let mut before: Option<Columns<f64>> = None;
        for n in 0..2000 {
            // One axis shrinks, is turned inside out, and the whole turns meanwhile.
            let s = 1.0 - 1.75 * f64::from(n) / 2000.0;
            let about = turned_on([0.0, 0.0, 0.0, 1.0], axis * (0.0005 * f64::from(n)), 1.0);
            let a =
                product(matrix_of(about), product(product(left, diagonal([1.0, 0.9, s])), right));
            q = rotation_of(narrow(a), q, if n == 0 { 40 } else { super::formula::IMPROVEMENTS });
            let r = wide(matrix_of(q));
            check_proper(r, "on the way");
            let (best, values) = by_singular_values(a);
            assert!(apart(r, best) < 1e-3, "{n}: {} with {values:?}", apart(r, best));
            if let Some(before) = before {
                assert!(apart(r, before) < 5e-3, "{n}: a leap of {}", apart(r, before));
            }
            before = Some(r);
        }
        // Beyond what is unique it stays what it is, as far as rounding lets it.
        let there = wide(matrix_of(q));
        let a = product(product(left, diagonal([1.0, 0.9, -0.85])), right);
        let about = turned_on([0.0, 0.0, 0.0, 1.0], axis * 1.0, 1.0);
        let q = improved(narrow(product(matrix_of(about), a)), q);
        assert!(apart(wide(matrix_of(q)), there) < 0.05);
    }
}

#[test]
fn two_improvements_are_enough_for_what_turns_in_a_substep() {
    let mut numbers = Numbers(5);
    for _ in 0..2000 {
        let start = numbers.rotation();
        let q = rotation_of(narrow(start), COLD, 40);
        let stretch = diagonal(std::array::from_fn(|_| 1.0 + 0.2 * numbers.next()));
        let shape = product(product(numbers.rotation(), stretch), diagonal([1.0; 3]));
        let stretched = product(shape, projected(shape, diagonal([1.0; 3])));
        let symmetric = projected(stretched, diagonal([1.0; 3]));
        let turn = turned_on([0.0, 0.0, 0.0, 1.0], numbers.vector() * 0.025, 1.0);
        let a = product(matrix_of(turn), product(start, symmetric));
        let r = wide(matrix_of(rotation_of(narrow(a), q, super::formula::IMPROVEMENTS)));
        let (best, _) = by_singular_values(a);
        assert!(apart(r, best) < 3e-6, "{}", apart(r, best));
    }
}

#[test]
fn inverses_and_volumes_are_right() {
    let mut numbers = Numbers(9);
    for _ in 0..1000 {
        let a = mixed(1.0, numbers.rotation(), 0.3, numbers.matrix());
        assert!(apart(product(a, inverse_of(a)), diagonal([1.0; 3])) < 1e-12);
        // Goals have the right volume to first order, and nothing else of the deformation is changed.
        let volume = determinant_of(a);
        if volume > 0.25 {
            let of_volume = |v: f64| a.map(|column| column * (v / volume).cbrt());
            let mut goal = |v: f64| goal_matrix(numbers.rotation(), of_volume(v), 1.0);
            assert!((determinant_of(goal(1.001)) - 1.0).abs() < 2e-5);
            assert!((determinant_of(goal(0.999)) - 1.0).abs() < 2e-5);
            assert!(apart(goal(1.0), of_volume(1.0)) < 1e-12);
        }
        // What is inside out is drawn back to its shape.
        let r = numbers.rotation();
        assert!(apart(goal_matrix(r, a.map(|c| -c * volume.signum()), 1.0), r) < 1e-12);
    }
}
