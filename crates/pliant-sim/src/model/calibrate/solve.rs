//! Displacements under an even pull, by conjugate gradients.
//!
//! A net of equal stuff that is pulled evenly strains evenly but for what its points do by themselves,
//! and that does not reach far. The even strains are therefore solved for directly, in each iteration
//! (a coarse space of six), and the rest takes a handful of iterations, however large the net is.

use super::net::{Net, Strain, Vector};
use crate::math::Vec3;
use crate::stability::jacobi;

/// Iterations for one solution at most.
const MOST_ITERATIONS: usize = 80;
/// So many iterations together must give no more than `ENOUGH` of the energy to be the last ones.
const WINDOW: usize = 4;
const ENOUGH: f64 = 3e-4;
/// If they still give this part of it in the end, there is no solution.
const TOO_MUCH: f64 = 1e-2;

/// K for one ratio of moduli, ready to be solved with.
pub struct System<'n> {
    net: &'n Net,
    rho: f64,
    inverse_diagonal: Vector,
    /// Inverse of the even stiffness.
    even: [Strain; 6],
}

impl<'n> System<'n> {
    pub fn new(net: &'n Net, rho: f64) -> Self {
        let even = pseudo_inverse(&net.even_stiffness(rho));
        Self { net, rho, inverse_diagonal: net.inverse_diagonal(rho), even }
    }

    /// The mean strain under an even pull of 1 Pa along `axis`; `None` if it cannot be found. `u` is the
    /// guess, and the solution afterwards.
    pub fn pull(&self, axis: Vec3<f64>, u: &mut [Vec3<f64>]) -> Option<Strain> {
        let load: Vec<_> = self.net.areas.iter().map(|a| axis * axis.dot(*a)).collect();
        let mut product = vec![Vec3::zero(); u.len()];
        let residual = |u: &[Vec3<f64>], product: &mut Vector| -> Vector {
            self.net.multiply(self.rho, u, product);
            load.iter().zip(product).map(|(f, p)| *f - *p).collect()
        };
        let evened = self.even_part(&residual(u, &mut product));
        self.displace(u, &evened);
        let mut r = residual(u, &mut product);
        let mut z = self.precondition(&r);
        let mut p = z.clone();
        let mut rz = dot(&r, &z);
        let mut gains = [f64::INFINITY; WINDOW];
        let mut gained = 0.0;
        for iteration in 0..MOST_ITERATIONS {
            self.net.multiply(self.rho, &p, &mut product);
            let curvature = dot(&p, &product);
            if !(rz > 0.0 && curvature > 0.0) {
                gained = 0.0;
                break;
            }
            let alpha = rz / curvature;
            u.iter_mut().zip(&p).for_each(|(u, p)| *u += *p * alpha);
            r.iter_mut().zip(&product).for_each(|(r, q)| *r -= *q * alpha);
            gains[iteration % WINDOW] = alpha * rz;
            gained = gains.iter().sum::<f64>() / dot(&load, u);
            if gained <= ENOUGH {
                break;
            }
            z = self.precondition(&r);
            let last = std::mem::replace(&mut rz, dot(&r, &z));
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = *z + *p * (rz / last));
        }
        let (strain, rest) = (self.net.mean_strain(u), self.even_part(&r));
        (gained <= TOO_MUCH).then(|| std::array::from_fn(|k| strain[k] + rest[k]))
    }

    /// The even strain that balances the forces as far as one can.
    fn even_part(&self, forces: &[Vec3<f64>]) -> Strain {
        let work = self.net.work(forces);
        self.even.map(|row| row.iter().zip(&work).map(|(c, w)| c * w).sum())
    }

    fn displace(&self, u: &mut [Vec3<f64>], strain: &Strain) {
        u.iter_mut().zip(&self.net.points).for_each(|(u, p)| *u += Net::displaced(strain, *p));
    }

    fn precondition(&self, r: &[Vec3<f64>]) -> Vector {
        let scaled =
            |(r, d): (&Vec3<f64>, &Vec3<f64>)| Vec3 { x: r.x * d.x, y: r.y * d.y, z: r.z * d.z };
        let mut z: Vec<_> = r.iter().zip(&self.inverse_diagonal).map(scaled).collect();
        self.displace(&mut z, &self.even_part(r));
        z
    }
}

fn dot(a: &[Vec3<f64>], b: &[Vec3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// The inverse of a symmetric matrix where it has one: flat nets do not resist every strain.
fn pseudo_inverse(matrix: &[Strain; 6]) -> [Strain; 6] {
    let (values, vectors) = jacobi(matrix.iter().map(|row| row.to_vec()).collect());
    let least = 1e-12 * values.iter().copied().fold(0.0, f64::max);
    let mut inverse = [[0.0; 6]; 6];
    for (value, v) in values.iter().zip(&vectors).filter(|(value, _)| **value > least) {
        for (row, a) in inverse.iter_mut().zip(v) {
            row.iter_mut().zip(v).for_each(|(c, b)| *c += a * b / value);
        }
    }
    inverse
}
