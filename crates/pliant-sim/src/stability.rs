//! The largest timestep at which a simulation stays together.
//!
//! # Theory
//!
//! Near any state the free vertices move as M ẍ = −K x − D ẋ − c M ẋ. An explicit scheme is stable
//! when it is for the stiffest mode, so two numbers are wanted: the largest eigenvalue ω² of M⁻¹K,
//! and the damping δ of that mode. Both come from a few Lanczos iterations (Golub & Van Loan, *Matrix
//! Computations*, ch. 10) on the mass-scaled operators, whose products are central differences of
//! the forces themselves: whatever the forces are, the estimate knows them.
//!
//! For one mode a step is a small linear map. It is found by stepping unit states with the very
//! formulas of the integrators, and its spectral radius by repeated squaring. A timestep counts as
//! stable when the mode's energy at most doubles within 1,000 of its periods. A bisection gives the
//! largest one.
//!
//! # Practice
//!
//! [`stable_timestep`] looks at a running simulator, [`largest_step`] at a single mode, and [`outlook`]
//! says what becomes of a simulator's energy at a given timestep. Explicit Euler, Heun and RK2 have no
//! stable step where nothing damps the motion: what they add to its energy is small at short steps, but
//! never nothing.

use crate::math::Vec3;
use crate::model::{Family, Model};
use crate::scene::{Integrator, World};
use crate::simulator::Simulator;
use crate::stages::elastic::{Elements, forces_reference};
use crate::stages::integrate::formula::Motion;
use crate::stages::integrate::{Coefficients, Phase, plan};

/// Lanczos iterations: the extreme eigenvalue is found to about a percent.
const ITERATIONS: usize = 24;

/// Growth of the logarithm of the amplitude per radian of the mode that doubles its energy in 1,000
/// periods.
const GROWTH_PER_RADIAN: f64 = 0.5 * std::f64::consts::LN_2 / (1000.0 * std::f64::consts::TAU);

/// A step that counts as short beside the fastest rate: what gains energy even there does so at every
/// step worth taking.
const PROBE: f64 = 0.01;

/// Growth of the logarithm of an amplitude per step that may be what [`log_spectral_radius`] misses.
const NOISE: f64 = 1e-10;

/// One mode of vibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Angular frequency \[1/s\].
    pub omega: f64,
    /// Damping rate by the springs, δ in ẍ = −ω² x − δ ẋ \[1/s\].
    pub damping: f64,
}

impl Mode {
    /// The rate at which the mode and the world's damping change anything \[1/s\].
    fn rate(self, mass_damping: f64) -> f64 {
        self.omega.max(self.damping).max(mass_damping)
    }
}

/// What becomes of the energy of a simulation's vibrations at one timestep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The largest stable substep, as of [`stable_timestep`] \[s\].
    pub stable: Option<f64>,
    /// Growth of the logarithm of the energy of a vibration in one substep, of the one that grows
    /// fastest; 0 where none does.
    pub growth: f64,
}

/// What becomes of the vibrations of a simulation in its present state at substeps of `h` \[s\].
pub fn outlook(sim: &Simulator, h: f64) -> Outlook {
    let World { integrator, damping: mass_damping, .. } = *sim.world();
    if integrator == Integrator::ImplicitEuler {
        return Outlook { stable: Some(f64::INFINITY), growth: 0.0 };
    }
    let modes = stiffest_modes(sim.model(), &sim.positions_in_model_order());
    let growth = |mode: &Mode| 2.0 * log_growth(integrator, *mode, mass_damping, h);
    Outlook {
        stable: largest_common_step(integrator, &modes, mass_damping),
        growth: modes.iter().map(growth).fold(0.0, f64::max),
    }
}

/// An integrator that holds at substeps of `h` \[s\] while bodies are near their shapes at rest: verlet,
/// or else implicit Euler, which always does.
pub fn keeper(sim: &Simulator, h: f64) -> Integrator {
    let modes = stiffest_modes(sim.model(), &sim.model().rest);
    match largest_common_step(Integrator::Verlet, &modes, sim.world().damping) {
        Some(limit) if h <= limit => Integrator::Verlet,
        _ => Integrator::ImplicitEuler,
    }
}

/// An estimate of the largest stable substep of a simulation in its present state \[s\]; `None` when
/// the integrator has none, infinity when nothing is elastic.
pub fn stable_timestep(sim: &Simulator) -> Option<f64> {
    let modes = stiffest_modes(sim.model(), &sim.positions_in_model_order());
    largest_common_step(sim.world().integrator, &modes, sim.world().damping)
}

/// The largest stable timestep of `integrator` for one mode under mass-proportional `mass_damping`
/// \[1/s\]; `None` when there is none worth the name.
pub fn largest_step(integrator: Integrator, mode: Mode, mass_damping: f64) -> Option<f64> {
    largest_common_step(integrator, &[mode], mass_damping)
}

/// The largest timestep that is stable for all modes. Only steps near the fastest rate of all are
/// looked at: shorter ones are not worth the name, and longer ones fail there.
fn largest_common_step(integrator: Integrator, modes: &[Mode], mass_damping: f64) -> Option<f64> {
    let fastest = modes.iter().map(|m| m.rate(mass_damping)).fold(0.0, f64::max);
    if fastest == 0.0 || integrator == Integrator::ImplicitEuler {
        return Some(f64::INFINITY);
    }
    // Where nothing damps a mode, Heun and RK2 add energy at every step, if slowly at short ones.
    let gains = |m: &Mode| log_growth(integrator, *m, mass_damping, PROBE / fastest) > 0.0;
    if modes.iter().any(gains) {
        return None;
    }
    let limits = modes.iter().map(|&m| limit(integrator, m, mass_damping, fastest));
    limits.into_iter().try_fold(f64::INFINITY, |least, h| h.map(|h| least.min(h)))
}

/// The largest stable timestep for one of several modes, of which `fastest` is the largest rate.
fn limit(integrator: Integrator, mode: Mode, mass_damping: f64, fastest: f64) -> Option<f64> {
    let stable = |h: f64| {
        // Over-damped modes have no period; their own rate takes its place.
        let allowed = GROWTH_PER_RADIAN * h * mode.omega.max(1e-3 * mode.rate(mass_damping));
        log_spectral_radius(step_matrix(integrator, mode, mass_damping, h)) <= allowed + NOISE
    };
    // From far too small to far too large; the first unstable step on a fine ladder, then bisection.
    let mut low = 1e-3 / fastest;
    if !stable(low) {
        return None;
    }
    let mut high = low;
    while stable(high) && high < 100.0 / fastest {
        low = high;
        high *= 1.05;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        *(if stable(middle) { &mut low } else { &mut high }) = middle;
    }
    Some(low)
}

/// Growth of the logarithm of the amplitude of a mode in one step; 0 where it does not grow.
fn log_growth(integrator: Integrator, mode: Mode, mass_damping: f64, h: f64) -> f64 {
    let growth = log_spectral_radius(step_matrix(integrator, mode, mass_damping, h));
    if growth > NOISE { growth } else { 0.0 }
}

/// One step as a linear map of (position, velocity, kept force, kept acceleration).
fn step_matrix(integrator: Integrator, mode: Mode, mass_damping: f64, h: f64) -> [[f64; 4]; 4] {
    let column = |k: usize| {
        let unit = |i: usize| if i == k { 1.0 } else { 0.0 };
        let mut m = Motion { x: unit(0), v: unit(1), ..Motion::default() };
        let mut force = unit(2);
        m.history[0] = unit(3);
        for &phase in plan(integrator) {
            match phase {
                Phase::Forces => force = -mode.omega * mode.omega * m.x - mode.damping * m.v,
                Phase::Update(i) => {
                    Coefficients::new(integrator, i, h, h, mass_damping).apply(&mut m, force)
                }
            }
        }
        [m.x + m.x_compensation, m.v, force, m.history[0]]
    };
    let columns: [[f64; 4]; 4] = std::array::from_fn(column);
    let keeps_memory = integrator == Integrator::Beeman;
    std::array::from_fn(|r| {
        std::array::from_fn(|c| if r == 3 && !keeps_memory { 0.0 } else { columns[c][r] })
    })
}

/// ln ρ(A) as the limit of ln ‖A^n‖ / n.
fn log_spectral_radius(mut a: [[f64; 4]; 4]) -> f64 {
    // Scale the variables to one size first, so that the norm settles quickly.
    let mut log_scale = 0.0;
    let mut power = 1.0;
    for _ in 0..40 {
        let norm = a.iter().flatten().fold(0.0f64, |n, x| n.max(x.abs()));
        if norm == 0.0 || !norm.is_finite() {
            return if norm == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        a.iter_mut().flatten().for_each(|x| *x /= norm);
        log_scale += norm.ln() / power;
        let b = a;
        a = std::array::from_fn(|r| {
            std::array::from_fn(|c| (0..4).map(|k| b[r][k] * b[k][c]).sum())
        });
        power *= 2.0;
    }
    log_scale
}

/// The modes that may limit the timestep: the stiffest one; where springs are damped, the Ritz
/// vectors of stiffness and of damping, since a scheme may fail first at a mode that is stiff but
/// hardly damped, or damped but hardly stiff.
pub fn stiffest_modes(model: &Model, x: &[[f32; 3]]) -> Vec<Mode> {
    let Some(operators) = Operators::new(model, x) else {
        return Vec::new();
    };
    let stiff = ritz_pairs(operators.size(), |u| operators.stiffness(u));
    if model.damping.is_none() {
        let top = stiff.iter().map(|r| r.0).fold(0.0, f64::max);
        return vec![Mode { omega: top.sqrt(), damping: 0.0 }];
    }
    let along = |u: &[f64], image: Vec<f64>| dot(u, &image).max(0.0);
    let mut modes: Vec<Mode> = stiff
        .iter()
        .map(|(value, shape)| Mode {
            omega: value.max(0.0).sqrt(),
            damping: along(shape, operators.damping(shape)),
        })
        .collect();
    let damped = ritz_pairs(operators.size(), |u| operators.damping(u));
    modes.extend(damped.iter().map(|(value, shape)| Mode {
        omega: along(shape, operators.stiffness(shape)).sqrt(),
        damping: value.max(0.0),
    }));
    modes
}

/// Mass-scaled stiffness and damping of the free vertices, as products with a vector.
struct Operators<'a> {
    elements: Elements<'a>,
    x: Vec<Vec3<f64>>,
    /// Free vertices with 1/√m.
    free: Vec<(u32, f64)>,
    /// Length of the differences \[m\].
    epsilon: f64,
}

impl<'a> Operators<'a> {
    /// `None` when no vertex is free.
    fn new(model: &'a Model, x: &[[f32; 3]]) -> Option<Self> {
        let free: Vec<(u32, f64)> = (0..model.vertex_count() as u32)
            .filter(|&i| model.inv_mass[i as usize] > 0.0)
            // Implicit steps have no limit.
            .filter(|&i| model.bodies[model.body_of_vertex(i)].family != Some(Family::Implicit))
            .map(|i| (i, f64::from(model.inv_mass[i as usize]).sqrt()))
            .collect();
        let size = model.bodies.iter().map(|b| b.size).fold(f64::INFINITY, f64::min);
        let mean_root = free.iter().map(|f| f.1).sum::<f64>() / free.len().max(1) as f64;
        (!free.is_empty()).then(|| Self {
            elements: model.elements(),
            x: x.iter().map(|p| Vec3::of(p.map(f64::from))).collect(),
            // A unit vector spread over n vertices moves each by about 1/√n.
            epsilon: 1e-4 * size / mean_root,
            free,
        })
    }

    fn size(&self) -> usize {
        3 * self.free.len()
    }

    fn forces(&self, x: &[Vec3<f64>], v: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
        let mut out = vec![Vec3::zero(); x.len()];
        forces_reference(&self.elements, x, v, &mut out);
        out
    }

    /// The vector `u` of mass-scaled coordinates spread over the vertices, times `scale`.
    fn spread(&self, u: &[f64], scale: f64) -> Vec<Vec3<f64>> {
        let mut out = vec![Vec3::zero(); self.x.len()];
        for (k, &(i, root)) in self.free.iter().enumerate() {
            out[i as usize] = Vec3::from([u[3 * k], u[3 * k + 1], u[3 * k + 2]]) * (root * scale);
        }
        out
    }

    fn gather(&self, f: impl Fn(usize) -> Vec3<f64>) -> Vec<f64> {
        self.free.iter().flat_map(|&(i, root)| (f(i as usize) * root).to_f64()).collect()
    }

    fn stiffness(&self, u: &[f64]) -> Vec<f64> {
        let still = vec![Vec3::zero(); self.x.len()];
        let d = self.spread(u, self.epsilon);
        let moved = |sign: f64| -> Vec<Vec3<f64>> {
            let x: Vec<_> = self.x.iter().zip(&d).map(|(&x, &d)| x + d * sign).collect();
            self.forces(&x, &still)
        };
        let (plus, minus) = (moved(1.0), moved(-1.0));
        self.gather(|i| (minus[i] - plus[i]) * (0.5 / self.epsilon))
    }

    fn damping(&self, u: &[f64]) -> Vec<f64> {
        let d = self.spread(u, 1.0);
        let back: Vec<_> = d.iter().map(|&d| -d).collect();
        let (plus, minus) = (self.forces(&self.x, &d), self.forces(&self.x, &back));
        self.gather(|i| (minus[i] - plus[i]) * 0.5)
    }
}

/// Approximate eigenvalues of a symmetric operator with their unit vectors, the extreme ones first
/// to converge: Lanczos with full reorthogonalisation.
fn ritz_pairs(size: usize, apply: impl Fn(&[f64]) -> Vec<f64>) -> Vec<(f64, Vec<f64>)> {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let mut v: Vec<f64> = (0..size).map(|_| noise()).collect();
    normalise(&mut v);
    let (mut basis, mut diagonal, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ITERATIONS.min(size) {
        let mut w = apply(&v);
        diagonal.push(dot(&v, &w));
        basis.push(v);
        for b in &basis {
            let part = dot(b, &w);
            w.iter_mut().zip(b).for_each(|(w, b)| *w -= part * b);
        }
        let norm = normalise(&mut w);
        let scale = diagonal.iter().fold(0.0f64, |m, d: &f64| m.max(d.abs()));
        if norm <= 1e-12 * scale || norm == 0.0 {
            break;
        }
        beside.push(norm);
        v = w;
    }
    let n = diagonal.len();
    let mut small = vec![vec![0.0; n]; n];
    for i in 0..n {
        small[i][i] = diagonal[i];
        if i + 1 < n {
            small[i][i + 1] = beside[i];
            small[i + 1][i] = beside[i];
        }
    }
    let (values, vectors) = jacobi(small);
    let expand = |weights: &[f64]| {
        let mut vector = vec![0.0; size];
        for (b, weight) in basis.iter().zip(weights) {
            vector.iter_mut().zip(b).for_each(|(x, b)| *x += weight * b);
        }
        normalise(&mut vector);
        vector
    };
    (0..n).map(|i| (values[i], expand(&vectors[i]))).collect()
}

/// Eigenvalues and unit eigenvectors of a small symmetric matrix, by Jacobi's rotations.
pub(crate) fn jacobi(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    let scale: f64 = a.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    for _ in 0..60 {
        let mut largest = 0.0f64;
        for p in 0..n {
            for q in p + 1..n {
                largest = largest.max(a[p][q].abs());
                if a[p][q].abs() <= 1e-15 * scale {
                    continue;
                }
                let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[p][k], v[q][k]);
                    (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
        if largest <= 1e-13 * scale {
            break;
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), v)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn normalise(v: &mut [f64]) -> f64 {
    let norm = dot(v, v).sqrt();
    if norm > 0.0 {
        v.iter_mut().for_each(|x| *x /= norm);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undamped_limits_are_the_textbook_ones() {
        let mode = Mode { omega: 50.0, damping: 0.0 };
        let limit = |i| largest_step(i, mode, 0.0).map(|h| h * mode.omega);
        for verlet in [Integrator::Verlet, Integrator::LeapFrog, Integrator::VelocityVerlet] {
            let x = limit(verlet).unwrap();
            assert!((x - 2.0).abs() < 1e-3, "{verlet}: {x}");
        }
        assert!((limit(Integrator::SymplecticEuler).unwrap() - 2.0).abs() < 1e-3);
        assert!((limit(Integrator::Rk4).unwrap() - 8f64.sqrt()).abs() < 0.02);
        for gainer in [Integrator::ExplicitEuler, Integrator::Heun, Integrator::Rk2] {
            assert_eq!(limit(gainer), None, "{gainer}");
        }
    }

    #[test]
    fn damping_gives_the_gainers_a_stable_step() {
        let mode = Mode { omega: 50.0, damping: 0.0 };
        for gainer in [Integrator::ExplicitEuler, Integrator::Heun, Integrator::Rk2] {
            assert!(largest_step(gainer, mode, 5.0).is_some_and(|h| h > 1e-4), "{gainer}");
        }
    }

    #[test]
    fn soft_modes_do_not_forbid_the_steps_of_stiff_ones() {
        // Damping in proportion to stiffness, as springs have it: explicit Euler holds up to its time.
        let mode = |omega: f64| Mode { omega, damping: 1e-3 * omega * omega };
        let modes = [mode(1e-3), mode(1.0), mode(30.0)];
        let h = largest_common_step(Integrator::ExplicitEuler, &modes, 0.0).unwrap();
        assert!((h / 1e-3 - 1.0).abs() < 0.1, "{h}");
    }

    #[test]
    fn growth_is_that_of_the_textbook() {
        // |1 + iωh|² = 1 + ω²h²: the energy of explicit Euler grows by ω²h² per step, that of RK2 by
        // (ωh)⁴/4.
        let mode = Mode { omega: 10.0, damping: 0.0 };
        let growth = |integrator| 2.0 * log_growth(integrator, mode, 0.0, 0.01);
        assert!((growth(Integrator::ExplicitEuler) / 0.01 - 1.0).abs() < 0.01);
        assert!((growth(Integrator::Rk2) / (1e-4 / 4.0) - 1.0).abs() < 0.01);
        assert_eq!(growth(Integrator::Verlet), 0.0);
        assert_eq!(growth(Integrator::Rk4), 0.0);
    }

    #[test]
    fn damping_gives_euler_a_stable_step() {
        // ẍ = −ω² x − c ẋ: explicit Euler is stable up to h = c/ω².
        let mode = Mode { omega: 10.0, damping: 0.0 };
        let h = largest_step(Integrator::ExplicitEuler, mode, 4.0).unwrap();
        assert!((h - 0.04).abs() < 1e-3, "{h}");
        let by_springs = Mode { omega: 10.0, damping: 4.0 };
        let same = largest_step(Integrator::ExplicitEuler, by_springs, 0.0).unwrap();
        assert!((h - same).abs() < 1e-6);
    }

    #[test]
    fn lanczos_finds_the_top_of_a_known_spectrum() {
        // A chain of n unit masses and springs with fixed ends: 2 − 2 cos(π n/(n+1)).
        let n = 40;
        let apply = |u: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|i| {
                    let left = if i > 0 { u[i - 1] } else { 0.0 };
                    let right = if i + 1 < n { u[i + 1] } else { 0.0 };
                    2.0 * u[i] - left - right
                })
                .collect()
        };
        let pairs = ritz_pairs(n, apply);
        let (value, vector) = pairs.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let exact = 2.0 - 2.0 * (std::f64::consts::PI * n as f64 / (n as f64 + 1.0)).cos();
        assert!((value / exact - 1.0).abs() < 0.01, "{value} {exact}");
        assert!((dot(vector, &apply(vector)) / exact - 1.0).abs() < 0.02);
    }

    #[test]
    fn jacobi_diagonalises() {
        let a = vec![vec![2.0, -1.0, 0.5], vec![-1.0, 3.0, 0.25], vec![0.5, 0.25, 1.0]];
        let (values, vectors) = jacobi(a.clone());
        for (value, u) in values.iter().zip(&vectors) {
            for r in 0..3 {
                assert!((dot(&a[r], u) - value * u[r]).abs() < 1e-12);
            }
        }
    }
}
