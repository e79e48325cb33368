//! The derivatives against finite differences, and the matrix against what it promises.

use super::formula::*;
use super::reference::System;
use crate::math::{Vec3, vec3};
use crate::matrix::*;
use crate::stages::elastic::formula::*;
use crate::stages::elastic::{Elements, VolumeForm};

/// Random numbers that are the same everywhere.
pub(super) struct Dice(pub u64);

impl Dice {
    /// From −1 to 1.
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3<f64> {
        vec3(self.roll(), self.roll(), self.roll())
    }
}

fn axis(n: usize) -> Vec3<f64> {
    let mut v = [0.0; 3];
    v[n] = 1.0;
    v.into()
}

fn assert_equal(a: Matrix<f64>, b: Matrix<f64>, tolerance: f64, what: &str) {
    for r in 0..3 {
        for c in 0..3 {
            assert!((a[r][c] - b[r][c]).abs() <= tolerance, "{what}: {a:?} and {b:?}");
        }
    }
}

/// −∂f/∂x by central differences; column by column.
fn minus_derivative(at: Vec3<f64>, force: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Matrix<f64> {
    let h = 1e-6;
    let columns: [Vec3<f64>; 3] =
        std::array::from_fn(|n| (force(at - axis(n) * h) - force(at + axis(n) * h)) * (0.5 / h));
    let columns = columns.map(|c| c.to_f64());
    std::array::from_fn(|r| std::array::from_fn(|c| columns[c][r]))
}

#[test]
fn a_springs_hessian_is_the_derivative_of_its_force() {
    let mut dice = Dice(1);
    for _ in 0..200 {
        let (l, k, rest) = (dice.vector(), 200.0 + 100.0 * dice.roll(), 0.8);
        if l.length() < 0.1 {
            continue;
        }
        // The force on i falls when i moves away from j, that is, when l shrinks.
        let found = minus_derivative(Vec3::zero(), |x| spring_force(l - x, k, k * rest));
        let exact = spring_hessian(l, k, spring_across(l, k, k * rest));
        assert_equal(found, exact, 2e-4, "spring");
        let [across, excess] = spring_pair(l, k, k * rest, 3.0, 0.5);
        let mut block = outer(l, l, excess);
        (0..3).for_each(|n| block[n][n] += across);
        let d = l * (1.0 / l.length());
        let clamped = spring_hessian(l, k, spring_across(l, k, k * rest).max(0.0));
        let expected = sum(clamped.map(|r| r.map(|c| 0.25 * c)), outer(d, d, 0.5 * 3.0));
        assert_equal(block, expected, 1e-9, "pair");
    }
}

#[test]
fn the_volume_hessian_is_the_derivative_of_the_force() {
    let mut dice = Dice(2);
    for _ in 0..100 {
        let x: [Vec3<f64>; 4] = std::array::from_fn(|_| dice.vector());
        let [a, b] = energy_coefficients(900.0, [1.2 + 0.6 * dice.roll(); 2]);
        let exact = volume_hessian(x, a, b);
        for i in 0..4 {
            for j in 0..4 {
                let found = minus_derivative(x[j], |at| {
                    let mut moved = x;
                    moved[j] = at;
                    volume_forces(moved, a, b, VolumeForm::Energy)[i]
                });
                assert_equal(found, exact[i][j], 1e-3, "volume");
            }
        }
    }
}

/// The 12×12 matrix of a tetrahedron from its pair blocks.
fn of_pairs(x: [Vec3<f64>; 4], a: f64, s: f64) -> [[Matrix<f64>; 4]; 4] {
    let mut blocks = [[[[0.0; 3]; 3]; 4]; 4];
    for order in EDGE_CORNERS {
        let [i, j, ..] = order;
        let pair = volume_pair(order.map(|c| x[c]), a, s);
        let minus = |m: Matrix<f64>| m.map(|r| r.map(|c| -c));
        blocks[i][j] = minus(pair);
        blocks[j][i] = minus(transposed(pair));
        blocks[i][i] = sum(blocks[i][i], pair);
        blocks[j][j] = sum(blocks[j][j], transposed(pair));
    }
    blocks
}

fn quadratic_form(blocks: &[[Matrix<f64>; 4]; 4], p: &[Vec3<f64>; 4]) -> f64 {
    let pairs = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
    pairs.map(|(i, j)| p[i].dot(times(&blocks[i][j], p[j]))).sum()
}

/// A tetrahedron that may be flat, needle-like, tiny or inside out.
fn any_tetrahedron(dice: &mut Dice) -> [Vec3<f64>; 4] {
    let mut x: [Vec3<f64>; 4] = std::array::from_fn(|_| dice.vector());
    match (dice.roll() * 4.0) as i32 {
        -2 => x[3] = (x[0] + x[1] + x[2]) * (1.0 / 3.0),
        -1 => x[2] = x[1] + (x[2] - x[1]) * 1e-4,
        1 => x.iter_mut().for_each(|p| *p = *p * 1e-3),
        2 => x.swap(0, 1),
        _ => {}
    }
    x
}

#[test]
fn the_projected_volume_matrix_is_positive_and_never_below_the_true_one() {
    let mut dice = Dice(3);
    for _ in 0..2000 {
        let x = any_tetrahedron(&mut dice);
        let [a, b] = energy_coefficients(900.0, [1.2 + 0.6 * dice.roll(); 2]);
        let s = a * six_volumes(x) - b;
        let (projected, exact) = (of_pairs(x, a, s), volume_hessian(x, a, b));
        let size: f64 = projected.iter().flatten().flatten().flatten().map(|c| c.abs()).sum();
        for _ in 0..20 {
            let p: [Vec3<f64>; 4] = std::array::from_fn(|_| dice.vector());
            let [of_projected, of_exact] =
                [&projected, &exact].map(|blocks| quadratic_form(blocks, &p));
            assert!(of_projected >= -1e-12 * size, "{of_projected} of {size}");
            assert!(of_projected >= of_exact - 1e-12 * size, "{of_projected} below {of_exact}");
        }
    }
}

#[test]
fn at_rest_the_projected_volume_matrix_is_the_true_one() {
    let mut dice = Dice(4);
    let x: [Vec3<f64>; 4] = std::array::from_fn(|_| dice.vector());
    let [a, b] = energy_coefficients(900.0, [six_volumes(x), six_volumes(x).abs()]);
    let (projected, exact) = (of_pairs(x, a, 0.0), volume_hessian(x, a, b));
    for i in 0..4 {
        for j in 0..4 {
            assert_equal(projected[i][j], exact[i][j], 1e-9, "at rest");
        }
    }
}

/// A few tetrahedra with springs and volumes, in any state.
struct Scrap {
    x: Vec<Vec3<f64>>,
    springs: Vec<[u32; 2]>,
    spring: Vec<[f32; 2]>,
    damping: Vec<f32>,
    volume: Vec<[f32; 2]>,
}

const TETS: [[u32; 4]; 3] = [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]];

impl Scrap {
    fn new(dice: &mut Dice) -> Self {
        let first = any_tetrahedron(dice);
        let mut x = first.to_vec();
        x.extend([dice.vector(), dice.vector()]);
        let mut springs: Vec<[u32; 2]> = TETS
            .iter()
            .flat_map(|t| EDGE_CORNERS.map(|[i, j, ..]| [t[i].min(t[j]), t[i].max(t[j])]))
            .collect();
        springs.sort_unstable();
        springs.dedup();
        let stiffness = 10f64.powf(4.0 + 3.0 * dice.roll());
        let rest = 1.0 + 0.9 * dice.roll();
        let spring = vec![[stiffness as f32, (stiffness * rest) as f32]; springs.len()];
        let damping = vec![(2.0 + 2.0 * dice.roll()) as f32; springs.len()];
        let coefficients = energy_coefficients(stiffness, [1.2 + 0.6 * dice.roll(); 2]);
        let volume = vec![coefficients.map(|c| c as f32); TETS.len()];
        Self { x, springs, spring, damping, volume }
    }

    fn elements(&self) -> Elements<'_> {
        Elements {
            tets: &TETS,
            volume: &self.volume,
            forms: &[VolumeForm::Energy; 3],
            springs: &self.springs,
            spring: &self.spring,
            damping: Some(&self.damping),
            hinges: &[],
            hinge: &[],
        }
    }
}

/// Cholesky's decomposition succeeds only for symmetric positive definite matrices.
fn is_positive_definite(mut m: Vec<Vec<f64>>) -> bool {
    for k in 0..m.len() {
        if m[k][k] <= 0.0 {
            return false;
        }
        let root = m[k][k].sqrt();
        (k..m.len()).for_each(|r| m[r][k] /= root);
        for c in k + 1..m.len() {
            for r in c..m.len() {
                m[r][c] -= m[r][k] * m[c][k];
            }
        }
    }
    true
}

#[test]
fn the_matrix_is_symmetric_and_positive_definite_in_ten_thousand_states() {
    let mut dice = Dice(5);
    for state in 0..10_000 {
        let scrap = Scrap::new(&mut dice);
        let n = scrap.x.len();
        let mass: Vec<f64> = (0..n).map(|_| 1.0 + 0.9 * dice.roll()).collect();
        let h = 10f64.powf(-2.0 + dice.roll());
        let system = System::new(&scrap.elements(), &scrap.x, mass, vec![true; n], h);
        let column = |c: usize| -> Vec<f64> {
            let mut unit = vec![Vec3::zero(); n];
            unit[c / 3] = axis(c % 3);
            system.product(&unit).into_iter().flat_map(|v| v.to_f64()).collect()
        };
        let matrix: Vec<Vec<f64>> = (0..3 * n).map(column).collect();
        let size = matrix.iter().flatten().fold(0.0f64, |s, c| s.max(c.abs()));
        for r in 0..3 * n {
            for c in 0..r {
                let difference = (matrix[r][c] - matrix[c][r]).abs();
                assert!(difference <= 1e-12 * size, "state {state}: {r}, {c}");
            }
        }
        assert!(is_positive_definite(matrix), "state {state}");
    }
}

#[test]
fn conjugate_gradients_find_the_solution() {
    let mut dice = Dice(6);
    let scrap = Scrap::new(&mut dice);
    let n = scrap.x.len();
    let mut free = vec![true; n];
    free[0] = false;
    let system = System::new(&scrap.elements(), &scrap.x, vec![1.0; n], free, 0.01);
    let mut wanted: Vec<Vec3<f64>> = (0..n).map(|_| dice.vector()).collect();
    wanted[0] = Vec3::zero();
    let found = system.solve(&system.product(&wanted), 1e-12, 200);
    assert!(found.residual <= 1e-11 && found.iterations <= 60, "{found:?}");
    for (found, wanted) in found.x.iter().zip(&wanted) {
        assert!((*found - *wanted).length() < 1e-9);
    }
}

#[test]
fn inverses_of_small_matrices_are_inverses() {
    let [d, o] = inverse_symmetric([4.0, 3.0, 5.0], [1.0, -0.5, 0.25]);
    let a = [[4.0, 1.0, 0.25], [1.0, 3.0, -0.5], [0.25, -0.5, 5.0]];
    for n in 0..3 {
        let back = super::reference::precondition(&[d, o], times(&a, axis(n)));
        assert!((back - axis(n)).length() < 1e-12, "{back:?}");
    }
    // Not positive: still something that preconditions.
    assert_eq!(inverse_symmetric([2.0, 2.0, 2.0], [3.0, 0.0, 0.0]), [[0.5; 3], [0.0; 3]]);
    assert_eq!(inverse_symmetric([0.0f32; 3], [0.0; 3]), [[0.0; 3]; 2]);
}
