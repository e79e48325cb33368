//! The system in its plainest form: pair blocks in a list, products in order. Tests compare the
//! drivers with it, in double precision.

use std::collections::BTreeMap;

use super::formula::inverse_symmetric;
use crate::math::{Real, Vec3};
use crate::matrix::{Matrix, outer, scalar_matrix, sum, times, transposed};
use crate::stages::bending::PAIRS;
use crate::stages::bending::formula::{hinge_pair, hinge_slopes};
use crate::stages::elastic::Elements;
use crate::stages::elastic::formula::{EDGE_CORNERS, spring_pair, volume_pair, volume_terms};

/// A symmetric positive definite system: a mass for each vertex and a block for each pair.
#[derive(Clone, Debug, Default)]
pub struct System<R> {
    /// Diagonal of each vertex \[kg\]; it holds whatever acts on single vertices.
    pub mass: Vec<R>,
    /// Which vertices may move.
    pub is_free: Vec<bool>,
    /// Pairs, lower vertex first, and their blocks \[kg\].
    pub pairs: Vec<([u32; 2], Matrix<R>)>,
}

/// What came out of [`System::solve`].
#[derive(Clone, Debug, PartialEq)]
pub struct Solution<R> {
    /// The unknowns; zero for vertices that may not move.
    pub x: Vec<Vec3<R>>,
    /// Iterations taken.
    pub iterations: u32,
    /// True residual ‖b − A x‖ over ‖b‖.
    pub residual: f64,
}

impl<R: Real> System<R> {
    /// The system of elements at positions `x` \[m\] for timestep `h` \[s\].
    pub fn new(elements: &Elements, x: &[Vec3<R>], mass: Vec<R>, is_free: Vec<bool>, h: R) -> Self {
        let real = |c: f32| R::of(f64::from(c));
        let mut pairs: BTreeMap<[u32; 2], Matrix<R>> = BTreeMap::new();
        let mut add = |i: u32, j: u32, block: Matrix<R>| {
            let block = if i < j { block } else { transposed(block) };
            let at = pairs.entry([i.min(j), i.max(j)]).or_default();
            *at = sum(*at, block);
        };
        for (n, (&[i, j], &[k, k_rest])) in elements.springs.iter().zip(elements.spring).enumerate()
        {
            let damping = elements.damping.map_or(R::of(0.0), |d| real(d[n]));
            let l = x[j as usize] - x[i as usize];
            let [across, excess] = spring_pair(l, real(k), real(k_rest), damping, h);
            let mut block = outer(l, l, excess);
            (0..3).for_each(|c| block[c][c] += across);
            add(i, j, block);
        }
        let volumes = elements.volume.iter().zip(elements.forms);
        for (tet, (&[a, b], &form)) in elements.tets.iter().zip(volumes) {
            let corners = tet.map(|v| x[v as usize]);
            let [a, s] = volume_terms(corners, real(a), real(b), form).map(|c| c * h * h);
            for order in EDGE_CORNERS {
                add(tet[order[0]], tet[order[1]], volume_pair(order.map(|c| corners[c]), a, s));
            }
        }
        for (corners, hinge) in elements.hinges.iter().zip(elements.hinge) {
            let hinge = hinge.widened();
            let slopes = hinge_slopes(corners.map(|v| x[v as usize]), &hinge);
            for [i, j] in PAIRS {
                let block = hinge_pair(&hinge, slopes, i, j).map(|row| row.map(|c| c * h * h));
                add(corners[i], corners[j], block);
            }
        }
        Self { mass, is_free, pairs: pairs.into_iter().collect() }
    }

    /// A p
    pub fn product(&self, p: &[Vec3<R>]) -> Vec<Vec3<R>> {
        let mut y: Vec<Vec3<R>> = p.iter().zip(&self.mass).map(|(&p, &m)| p * m).collect();
        for ([i, j], block) in &self.pairs {
            let (i, j) = (*i as usize, *j as usize);
            let difference = p[i] - p[j];
            y[i] += times(block, difference);
            y[j] -= times(&transposed(*block), difference);
        }
        y
    }

    /// The inverse of each vertex's own block: diagonal, then (xy, yz, zx).
    pub fn preconditioner(&self) -> Vec<[[R; 3]; 2]> {
        let mut own: Vec<Matrix<R>> = self.mass.iter().map(|&m| scalar_matrix(m)).collect();
        for ([i, j], block) in &self.pairs {
            own[*i as usize] = sum(own[*i as usize], *block);
            own[*j as usize] = sum(own[*j as usize], transposed(*block));
        }
        let inverse = |m: Matrix<R>| {
            let mean = |r: usize, c: usize| (m[r][c] + m[c][r]) * R::of(0.5);
            inverse_symmetric([m[0][0], m[1][1], m[2][2]], [mean(0, 1), mean(1, 2), mean(2, 0)])
        };
        own.into_iter().map(inverse).collect()
    }

    /// Solves A x = b by conjugate gradients, preconditioned by the vertices' own blocks, from
    /// x = 0, until the residual is `tolerance` times ‖b‖.
    pub fn solve(&self, b: &[Vec3<R>], tolerance: f64, max_iterations: u32) -> Solution<R> {
        let filtered = |v: Vec<Vec3<R>>| -> Vec<Vec3<R>> {
            v.iter().zip(&self.is_free).map(|(&v, &f)| if f { v } else { Vec3::zero() }).collect()
        };
        let inverse = self.preconditioner();
        let mut r = filtered(b.to_vec());
        let norm = dot(&r, &r).sqrt();
        let mut x = vec![Vec3::zero(); b.len()];
        let mut p = vec![Vec3::zero(); b.len()];
        let (mut rz_last, mut iterations) = (0.0, 0);
        while dot(&r, &r).sqrt() > tolerance * norm && iterations < max_iterations {
            let z = filtered(r.iter().zip(&inverse).map(|(&r, m)| precondition(m, r)).collect());
            let rz = dot(&r, &z);
            let beta = if iterations == 0 { R::of(0.0) } else { R::of(rz / rz_last) };
            p = z.iter().zip(&p).map(|(&z, &p)| z + p * beta).collect();
            let y = filtered(self.product(&p));
            let alpha = R::of(rz / dot(&p, &y));
            for n in 0..x.len() {
                x[n] += p[n] * alpha;
                r[n] -= y[n] * alpha;
            }
            rz_last = rz;
            iterations += 1;
        }
        let ax = self.product(&x);
        let left = filtered(b.iter().zip(ax).map(|(&b, y)| b - y).collect());
        let residual = if norm > 0.0 { dot(&left, &left).sqrt() / norm } else { 0.0 };
        Solution { x, iterations, residual }
    }
}

/// The product of a symmetric matrix, given as by [`inverse_symmetric`], with a vector.
pub fn precondition<R: Real>([d, o]: &[[R; 3]; 2], r: Vec3<R>) -> Vec3<R> {
    Vec3::from([
        d[0] * r.x + o[0] * r.y + o[2] * r.z,
        d[1] * r.y + o[1] * r.z + o[0] * r.x,
        d[2] * r.z + o[2] * r.x + o[1] * r.y,
    ])
}

fn dot<R: Real>(a: &[Vec3<R>], b: &[Vec3<R>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| Vec3::<f64>::of(a.to_f64()).dot(Vec3::of(b.to_f64()))).sum()
}
