//! Small deformations at rest: what a compiled body does when it is pulled, sheared or pressed.
//!
//! Everything follows from the forces that the engine's reference formula gives for the coefficients of
//! the compiled model, in double precision; nothing is shared with what chose these coefficients.

use std::cmp::Ordering;

use pliant_mesh::Mesh;
use pliant_mesh::geometry::signed_volume;
use pliant_sim::math::Vec3;
use pliant_sim::model::compile;
use pliant_sim::scene::{Body, Material, Source};
use pliant_sim::stages::elastic::forces_reference;
use pliant_sim::{BuildError, Model, Scene};

type Vector = Vec<Vec3<f64>>;

/// What may be left of the forces, in parts of those at the start.
const TOLERANCE: f64 = 1e-7;
/// Iterations of conjugate gradients at most.
const MOST_ITERATIONS: usize = 20_000;
/// Part of the length that is the middle of a bar, where its grips are not felt.
const MIDDLE: [f64; 2] = [0.3, 0.7];

/// A body that is tested.
pub struct Specimen {
    model: Model,
    rest: Vector,
    /// Outward area of each vertex \[m²\].
    areas: Vector,
    /// Volume that belongs to each vertex \[m³\].
    shares: Vec<f64>,
    volume: f64,
}

/// What a bar shows in tension.
#[derive(Clone, Copy, Debug)]
pub struct Tension {
    /// Force per area and strain \[Pa\].
    pub young: f64,
    /// Mean contraction across over stretch, in the middle.
    pub poisson: f64,
}

impl Specimen {
    pub fn new(mesh: Mesh, material: Material) -> Result<Self, BuildError> {
        let body = Body {
            name: "specimen".into(),
            source: Source::Inline(mesh),
            material,
            ..Body::default()
        };
        let model = compile(&Scene { bodies: vec![body], ..Scene::default() })?;
        let rest: Vector = model.rest.iter().map(|p| Vec3::of(p.map(f64::from))).collect();
        let mut areas = vec![Vec3::zero(); rest.len()];
        let mut shares = vec![0.0; rest.len()];
        for (t, corners) in model.tets.iter().enumerate() {
            let c = model.rest_corners(t);
            for (&v, g) in corners.iter().zip(volume_gradients(c)) {
                areas[v as usize] += g;
                shares[v as usize] += 0.25 * volume(c);
            }
        }
        let volume = shares.iter().sum();
        Ok(Self { model, rest, areas, shares, volume })
    }

    /// What compiling had to say.
    pub fn notes(&self) -> &[String] {
        &self.model.notes
    }

    /// Holds both ends along the longest axis, free to get thinner, and pulls them apart.
    pub fn pull(&self) -> Option<Tension> {
        let (axis, low, high) = self.extent(|a, b| a.total_cmp(&b));
        let length = high - low;
        let at = |x: f64| {
            let near = 1e-6 * length;
            self.rest.iter().map(|p| (p.to_f64()[axis] - x).abs() < near).collect::<Vec<bool>>()
        };
        let (start, end) = (at(low), at(high));
        let unit = unit(axis);
        let is_held = |v: usize| start[v] || end[v];
        let free = |v: usize, f: Vec3<f64>| if is_held(v) { f - unit * unit.dot(f) } else { f };
        // The guess is an even stretch; what is held keeps it.
        let mut u: Vector = self.rest.iter().map(|p| unit * (unit.dot(*p) / length)).collect();
        self.balance(&vec![Vec3::zero(); u.len()], free, &mut u)?;
        let resistance = self.stiffness_times(&u);
        let force: f64 = (0..u.len()).filter(|&v| end[v]).map(|v| unit.dot(resistance[v])).sum();
        let [from, to] = MIDDLE.map(|part| low + part * length);
        let strain = self.mean_gradient(&u, |middle| (from..to).contains(&middle.to_f64()[axis]));
        let across = (strain[0][0] + strain[1][1] + strain[2][2] - strain[axis][axis]) / 2.0;
        let young = force * length * length / self.volume;
        Some(Tension { young, poisson: -across / strain[axis][axis] })
    }

    /// Holds one end and lets the bar bend over its thinner side under an even weight: how many times
    /// as stiff it is as Timoshenko's beam of Young's modulus `young` \[Pa\] and Poisson's ratio
    /// `poisson`.
    pub fn bend(&self, young: f64, poisson: f64) -> Option<f64> {
        let (axis, low, high) = self.extent(|a, b| a.total_cmp(&b));
        let (across, bottom, top) = self.extent(|a, b| b.total_cmp(&a));
        let near = |v: usize, x: f64| (self.rest[v].to_f64()[axis] - x).abs() < 1e-6 * (high - low);
        let down = unit(across);
        let load: Vector = self.shares.iter().map(|&share| down * share).collect();
        let mut u = vec![Vec3::zero(); load.len()];
        let free = |v: usize, f: Vec3<f64>| if near(v, low) { Vec3::zero() } else { f };
        self.balance(&load, free, &mut u)?;
        let tip: Vec<f64> =
            (0..u.len()).filter(|&v| near(v, high)).map(|v| down.dot(u[v])).collect();
        let sag = tip.iter().sum::<f64>() / tip.len() as f64;
        let (length, middle) = (high - low, 0.5 * (bottom + top));
        let second_moment = self.second_moment(across, middle) / length;
        let (area, shear) = (self.volume / length, young / (2.0 + 2.0 * poisson));
        // The weight is 1 N/m³, and 5/6 the part of a section that carries shear.
        let bending = area * length.powi(4) / (8.0 * young * second_moment);
        let shearing = length * length / (2.0 * (5.0 / 6.0) * shear);
        Some((bending + shearing) / sag)
    }

    /// Integral of the squared distance from the plane at `middle` over the volume \[m⁵\].
    fn second_moment(&self, axis: usize, middle: f64) -> f64 {
        let of = |t: usize| {
            let c = self.model.rest_corners(t);
            let arms = c.map(|p| p.to_f64()[axis] - middle);
            let sum: f64 = arms.iter().sum();
            volume(c) * (arms.iter().map(|a| a * a).sum::<f64>() + sum * sum) / 20.0
        };
        (0..self.model.tets.len()).map(of).sum()
    }

    /// Shear modulus: the mean of those in the three planes \[Pa\].
    pub fn shear(&self) -> Option<f64> {
        let mut sum = 0.0;
        for [i, j] in [[0, 1], [0, 2], [1, 2]] {
            let mut stress = [[0.0; 3]; 3];
            (stress[i][j], stress[j][i]) = (1.0, 1.0);
            let strain = self.even_stress(stress)?;
            sum += 1.0 / (strain[i][j] + strain[j][i]);
        }
        Some(sum / 3.0)
    }

    /// Bulk modulus: pressure per change of volume \[Pa\].
    pub fn press(&self) -> Option<f64> {
        let stress = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        let strain = self.even_stress(stress)?;
        Some(1.0 / (strain[0][0] + strain[1][1] + strain[2][2]))
    }

    /// Mean displacement gradient when the surface is under an even stress.
    fn even_stress(&self, stress: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
        let force = |a: &Vec3<f64>| Vec3::of(stress.map(|row| Vec3::from(row).dot(*a)));
        let load: Vector = self.areas.iter().map(force).collect();
        let mut u = vec![Vec3::zero(); load.len()];
        self.balance(&load, |_, f| f, &mut u)?;
        Some(self.mean_gradient(&u, |_| true))
    }

    /// The axis whose extent comes last in an order, and where the body begins and ends on it \[m\].
    fn extent(&self, order: impl Fn(f64, f64) -> Ordering) -> (usize, f64, f64) {
        let ends = |k: usize| {
            let along = self.rest.iter().map(|p| p.to_f64()[k]);
            (
                k,
                along.clone().fold(f64::INFINITY, f64::min),
                along.fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let all = [ends(0), ends(1), ends(2)];
        all.into_iter().max_by(|a, b| order(a.2 - a.1, b.2 - b.1)).unwrap_or(all[0])
    }

    /// Mean of ∂u_i/∂x_j over the tetrahedra whose middle is wanted.
    fn mean_gradient(&self, u: &Vector, wanted: impl Fn(Vec3<f64>) -> bool) -> [[f64; 3]; 3] {
        let mut sum = [[0.0; 3]; 3];
        let mut all = 0.0;
        for (t, corners) in self.model.tets.iter().enumerate() {
            let c = self.model.rest_corners(t);
            if !wanted((c[0] + c[1] + c[2] + c[3]) * 0.25) {
                continue;
            }
            for (&v, g) in corners.iter().zip(volume_gradients(c)) {
                let (u, g) = (u[v as usize].to_f64(), g.to_f64());
                for i in 0..3 {
                    for j in 0..3 {
                        sum[i][j] += u[i] * g[j];
                    }
                }
            }
            all += volume(c);
        }
        sum.map(|row| row.map(|c| c / all))
    }

    /// Derivative of the engine's forces at rest times displacements, by a difference.
    fn stiffness_times(&self, u: &Vector) -> Vector {
        let largest = u.iter().map(|u| u.length()).fold(f64::MIN_POSITIVE, f64::max);
        let small = 1e-5 * self.model.bodies[0].edge / largest;
        let forces = |by: f64| {
            let x: Vector = self.rest.iter().zip(u).map(|(x, u)| *x + *u * by).collect();
            let mut out = vec![Vec3::zero(); x.len()];
            forces_reference(&self.model.elements(), &x, &x, &mut out);
            out
        };
        let pairs = forces(-small).into_iter().zip(forces(small));
        pairs.map(|(back, forth)| (back - forth) * (0.5 / small)).collect()
    }

    /// Conjugate gradients for `free`(K u) = `free`(load); `None` if they do not get there.
    fn balance(
        &self,
        load: &Vector,
        free: impl Fn(usize, Vec3<f64>) -> Vec3<f64>,
        u: &mut Vector,
    ) -> Option<()> {
        let dot = |a: &Vector, b: &Vector| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let freed =
            |f: Vector| -> Vector { f.into_iter().enumerate().map(|(v, f)| free(v, f)).collect() };
        let held = self.stiffness_times(u);
        let mut r = freed(load.iter().zip(held).map(|(f, k)| *f - k).collect());
        let mut p = r.clone();
        let mut rr = dot(&r, &r);
        let enough = TOLERANCE * TOLERANCE * rr;
        for _ in 0..MOST_ITERATIONS {
            if rr <= enough {
                return Some(());
            }
            let product = freed(self.stiffness_times(&p));
            let alpha = rr / dot(&p, &product);
            u.iter_mut().zip(&p).for_each(|(u, p)| *u += *p * alpha);
            r.iter_mut().zip(&product).for_each(|(r, q)| *r -= *q * alpha);
            let last = std::mem::replace(&mut rr, dot(&r, &r));
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = *r + *p * (rr / last));
        }
        None
    }
}

fn unit(axis: usize) -> Vec3<f64> {
    Vec3::of(std::array::from_fn(|k| f64::from(u8::from(k == axis))))
}

fn volume(c: [Vec3<f64>; 4]) -> f64 {
    signed_volume(c.map(Vec3::to_f64))
}

/// Change of a tetrahedron's volume by displacements of each corner.
fn volume_gradients(c: [Vec3<f64>; 4]) -> [Vec3<f64>; 4] {
    let [a, b, d] = [c[1] - c[0], c[2] - c[0], c[3] - c[0]];
    let [g1, g2, g3] = [b.cross(d), d.cross(a), a.cross(b)].map(|g| g * (1.0 / 6.0));
    [-(g1 + g2 + g3), g1, g2, g3]
}
