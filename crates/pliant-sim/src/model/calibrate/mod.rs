//! Moduli of springs and volumes that give a body the Young's modulus and Poisson's ratio asked for.
//!
//! # Theory
//!
//! Springs of modulus E_s (stiffness E_s Σ volume / length² along an edge: Van Gelder 1998,
//! "Approximate simulation of elastic membranes by triangulated spring meshes") whose directions are
//! spread evenly, in a body that strains evenly, have the Lamé constants λ = μ = ⅖ E_s, Poisson's
//! ratio ¼ that is; volumes of modulus k_v add k_v to λ. So for Young's modulus E and the ratio ν
//!
//! E_s = 1.25 E / (1 + ν),  k_v = E ν / ((1 + ν)(1 − 2ν)) − E / (2 (1 + ν)),
//!
//! with k_v ≥ 0 for ν ≥ ¼ only. Real meshes deviate: their edges prefer directions, and free points
//! move by themselves and make the net softer. By how much depends on the mesh, up to a third.
//!
//! # Practice
//!
//! Hence the body is measured. Its linear system K u = f is solved for an even pull on its surface
//! along each of its main axes (`axes`), and Young's modulus and Poisson's ratio follow from its
//! mean strain; a bar counts along its length, a ball in all directions (`Axis::weight`). The ratio
//! ρ = k_v / E_s is then searched such that Poisson's ratio is the one asked for: 1/(1 − 2ν) is about
//! linear in ρ, so secants get there in two or three rounds. Young's modulus is proportional to E_s at
//! a given ρ. Sums have one order and one thread, so the same mesh gives the same bits.

mod net;
mod solve;
#[cfg(test)]
mod tests;

use crate::math::Vec3;
use crate::stability::jacobi;
use crate::stages::elastic::formula::six_volumes;
use net::{Net, Vector};
use solve::System;

/// Measurements at most.
const ROUNDS: usize = 5;
/// How close Poisson's ratio must get.
const CLOSE: f64 = 0.002;
/// Deviations of Poisson's ratio, and of Young's modulus in parts of it, that are not worth a warning.
const ALLOWED: [f64; 2] = [0.02, 0.05];
/// An axis of less weight is not measured.
const LEAST_WEIGHT: f64 = 0.05;
/// What measuring may find, in parts of the theory for an ideal mesh; anything else is a broken mesh.
const BELIEVABLE: std::ops::Range<f64> = 0.05..20.0;

/// Moduli of the two forces \[Pa\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moduli {
    /// Of the springs.
    pub springs: f64,
    /// Of the volumes.
    pub volume: f64,
}

/// What was found for a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    /// The moduli that come closest.
    pub moduli: Moduli,
    /// Where the body is not as asked for nevertheless.
    pub problem: Option<String>,
}

/// The moduli of an ideal mesh of Young's modulus 1.
fn ideal(poisson: f64) -> Moduli {
    let shear = 0.5 / (1.0 + poisson);
    let volume = poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) - shear;
    Moduli { springs: 2.5 * shear, volume: volume.max(0.0) }
}

/// The moduli for tetrahedra of positive volume. `young` is in \[Pa\], `poisson` from ¼ to below ½.
pub fn calibrate(points: &[[f64; 3]], tets: &[[u32; 4]], young: f64, poisson: f64) -> Calibrated {
    let found = Net::new(points, tets)
        .and_then(|net| search(&net, &axes(points, tets), poisson))
        .filter(|found| BELIEVABLE.contains(&(found.scale / ideal(poisson).springs)));
    let Some(found) = found else {
        let Moduli { springs, volume } = ideal(poisson);
        let problem = "its mesh could not be measured, so it has the moduli of an ideal mesh and may be \
                       far from the Young's modulus and Poisson's ratio asked for; `pliant mesh check` \
                       tells what is wrong with it";
        let moduli = Moduli { springs: young * springs, volume: young * volume };
        return Calibrated { moduli, problem: Some(problem.into()) };
    };
    // Single precision is what they are used in; so no last digit of a library's function decides.
    let rounded = |modulus: f64| f64::from(modulus as f32);
    let springs = rounded(young * found.scale);
    let moduli = Moduli { springs, volume: rounded(young * found.scale * found.rho) };
    Calibrated { moduli, problem: found.problem(poisson) }
}

/// A main axis of a body.
struct Axis {
    direction: Vec3<f64>,
    /// By how much it counts: the squared second moment along it, all together 1.
    weight: f64,
}

/// The main axes of a body, without those that hardly count.
fn axes(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Vec<Axis> {
    let corners_of = |t: &[u32; 4]| t.map(|v| Vec3::<f64>::from(points[v as usize]));
    let weighed = || tets.iter().map(corners_of).map(|c| (six_volumes(c).abs(), c));
    let sum_of = |c: [Vec3<f64>; 4]| c[0] + c[1] + c[2] + c[3];
    let total: f64 = weighed().map(|(m, _)| m).sum();
    let middle = weighed().fold(Vec3::zero(), |sum, (m, c)| sum + sum_of(c) * (0.25 * m / total));
    let mut moments = vec![vec![0.0; 3]; 3];
    for (m, c) in weighed() {
        // Second moments of a solid tetrahedron are those of its corners and of their sum, over 20.
        let arms = c.map(|p| p - middle);
        for arm in arms.into_iter().chain([sum_of(arms)]).map(Vec3::to_f64) {
            for (row, a) in moments.iter_mut().zip(arm) {
                row.iter_mut().zip(arm).for_each(|(sum, b)| *sum += 0.05 * m / total * a * b);
            }
        }
    }
    let (values, vectors) = jacobi(moments);
    let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let squares: Vec<f64> = values.iter().map(|v| (v / largest) * (v / largest)).collect();
    let all = squares.iter().sum::<f64>();
    let kept = squares.iter().zip(&vectors).filter(|(s, _)| **s >= LEAST_WEIGHT * all);
    let sum = kept.clone().map(|(s, _)| s).sum::<f64>();
    kept.map(|(s, v)| Axis { direction: Vec3::of([v[0], v[1], v[2]]), weight: s / sum }).collect()
}

/// What a body with springs of modulus 1 shows.
struct Measured {
    young: f64,
    poisson: f64,
    /// Smallest and largest Young's modulus along an axis.
    range: [f64; 2],
}

/// What a body must have for Young's modulus 1.
struct Found {
    /// Modulus of the springs.
    scale: f64,
    /// That of the volumes, in parts of it.
    rho: f64,
    /// What it shows then.
    poisson: f64,
    range: [f64; 2],
}

fn measure(net: &Net, axes: &[Axis], rho: f64, guesses: &mut [Vector]) -> Option<Measured> {
    let system = System::new(net, rho);
    let (mut along, mut across, mut range) = (0.0, 0.0, [f64::INFINITY, 0.0f64]);
    for (axis, u) in axes.iter().zip(guesses) {
        let n = axis.direction;
        let strain = system.pull(n, u)?;
        let stretch = n.dot(Net::displaced(&strain, n));
        let widening = 0.5 * (strain[0] + strain[1] + strain[2] - stretch);
        along += axis.weight * stretch;
        across += axis.weight * widening;
        range = [range[0].min(1.0 / stretch), range[1].max(1.0 / stretch)];
    }
    let measured = Measured { young: 1.0 / along, poisson: -across / along, range };
    let is_sound = along > 0.0 && measured.young.is_finite() && measured.poisson.is_finite();
    is_sound.then_some(measured)
}

/// Looks for the ratio of the moduli that gives Poisson's ratio.
fn search(net: &Net, axes: &[Axis], poisson: f64) -> Option<Found> {
    // Meshes that prefer directions may even show more than ½ along one.
    let linear = |poisson: f64| 1.0 / (1.0 - 2.0 * poisson.min(0.499));
    let mut guesses = vec![vec![Vec3::zero(); net.points.len()]; axes.len()];
    let start = ideal(poisson);
    let mut rho = start.volume / start.springs;
    let mut last: Option<[f64; 2]> = None;
    let mut best: Option<Found> = None;
    for _ in 0..ROUNDS {
        let Measured { young, poisson: reached, range } = measure(net, axes, rho, &mut guesses)?;
        let off = |p: f64| (p - poisson).abs();
        if best.as_ref().is_none_or(|b| off(reached) < off(b.poisson)) {
            let range = range.map(|e| e / young);
            best = Some(Found { scale: 1.0 / young, rho, poisson: reached, range });
        }
        if off(reached) < CLOSE || (rho == 0.0 && reached > poisson) {
            break;
        }
        let value = linear(reached);
        // An ideal mesh has 2.5.
        let slope = last.map_or(2.5, |[r, v]| (value - v) / (rho - r));
        last = Some([rho, value]);
        let next = rho + (linear(poisson) - value) / if slope > 0.1 { slope } else { 2.5 };
        rho = next.max(0.0);
    }
    best
}

impl Found {
    fn problem(&self, asked: f64) -> Option<String> {
        let [ratio, modulus] = ALLOWED;
        let [low, high] = self.range;
        if (self.poisson - asked).abs() > ratio {
            let reached = self.poisson;
            let remedy =
                if reached > asked { "ask for more" } else { "use a mesh of better shape" };
            return Some(format!(
                "it gets Poisson's ratio {reached:.3} instead of {asked}, the closest that its mesh \
                 can have; {remedy}"
            ));
        }
        (low < 1.0 - modulus || high > 1.0 + modulus).then(|| {
            format!(
                "its Young's modulus is {low:.2} to {high:.2} times the one asked for, depending on \
                 the direction, because its mesh is coarse or prefers some; a finer one, or one of \
                 cells as long as wide, comes closer"
            )
        })
    }
}
