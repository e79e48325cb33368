//! Stress of each tetrahedron, as output.
//!
//! The virial of the forces that a tetrahedron exerts on its corners, σ = −(1/V) Σ xₖ ⊗ Fₖ, over its
//! share of the springs and its volume force. For the springs that is (1/V) Σ k (l − r)/l · l ⊗ l,
//! for the energy form of the volume force the pressure k_v (V − V₀)/V₀ on the diagonal. Tension is
//! positive.
//!
//! On a device the same is computed in `f32` by `kernel.wgsl`, and only the result is copied back.
//! For pictures nothing is: `mises.wgsl` makes one number of each stress, and `means.wgsl` takes their
//! plain mean at each vertex, as [`mean_at_vertices`] does.

#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(all(test, feature = "gpu"))]
mod gpu_tests;

use pliant_mesh::topology::TET_EDGES;

use crate::math::{Real, Vec3};
use crate::stages::elastic::VolumeForm;
use crate::stages::elastic::formula::{six_volumes, spring_tension, volume_forces};
use crate::stages::plasticity::formula::{RestShape, volume_coefficients};

/// Rounding of a stress on a device, relative to Σ k l²·6/|w| + a·w0² · 6/|w| (what the parts would
/// give at full stretch) and to the condition L³/|w| of the volume w that everything is divided by:
/// some sixteen operations, each good to 2⁻²⁴, on differences of coordinates that are as good.
pub const TOLERANCE: f64 = 16.0 / (1u64 << 24) as f64;

/// A symmetric tensor: xx, yy, zz, yz, zx, xy \[Pa\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stress(pub [f64; 6]);

impl Stress {
    /// Mean of the diagonal: positive under tension \[Pa\].
    pub fn mean(self) -> f64 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }

    /// The equivalent stress of von Mises: what shear remains when the mean is taken out \[Pa\].
    pub fn von_mises(self) -> f64 {
        let [xx, yy, zz, yz, zx, xy] = self.0;
        let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
        (0.5 * normal + 3.0 * (yz * yz + zx * zx + xy * xy)).sqrt()
    }

    fn add_product(&mut self, a: [f64; 3], b: [f64; 3]) {
        for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1)].into_iter().enumerate()
        {
            self.0[k] += 0.5 * (a[i] * b[j] + a[j] * b[i]);
        }
    }
}

/// A tetrahedron's part of the elastic forces.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Stiffness of its six springs \[N/m\].
    pub stiffness: [f64; 6],
    /// Their rest lengths \[m\].
    pub lengths: [f64; 6],
    /// Coefficients (a, b) of its volume force.
    pub volume: [f64; 2],
    /// Which volume force it is.
    pub form: VolumeForm,
}

impl Share {
    /// The share once plasticity has changed what the tetrahedron returns to.
    pub fn after_yielding(self, rest: &RestShape<f32>) -> Self {
        Self {
            lengths: rest.lengths.map(f64::from),
            volume: volume_coefficients(self.volume, f64::from(rest.volume6)),
            ..self
        }
    }
}

/// Stress of a tetrahedron with the given corners; zero when it is flat.
pub fn stress(corners: [Vec3<f64>; 4], share: &Share) -> Stress {
    let volume6 = six_volumes(corners);
    let mut sigma = Stress::default();
    if volume6.abs() <= f64::MIN_POSITIVE {
        return sigma;
    }
    for (k, [a, b]) in TET_EDGES.into_iter().enumerate() {
        let l = corners[b] - corners[a];
        let tension = spring_tension(l, share.stiffness[k], share.lengths[k]);
        sigma.add_product((l * tension).into(), l.into());
    }
    let [a, b] = share.volume;
    for (corner, force) in corners.into_iter().zip(volume_forces(corners, a, b, share.form)) {
        sigma.add_product((corner - corners[0]).into(), (-force).into());
    }
    let inverse = 6.0 / volume6.abs();
    Stress(sigma.0.map(|s| s.to_f64() * inverse))
}

/// Mean at each of `count` vertices of what its tetrahedra have, all counting alike; not a number
/// where there is none.
pub fn mean_at_vertices(tets: &[[u32; 4]], of_tets: &[f64], count: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0u32); count];
    for (&tet, value) in tets.iter().zip(of_tets) {
        for v in tet {
            let (sum, uses) = &mut sums[v as usize];
            *sum += value;
            *uses += 1;
        }
    }
    sums.into_iter().map(|(sum, uses)| sum / f64::from(uses)).collect()
}

#[cfg(test)]
mod tests;
