//! The air: wind, drag and lift on every triangle of a surface.
//!
//! # Theory
//!
//! A triangle of area A and unit normal n that moves with u through the air (the mean velocity of its corners less that
//! of the wind) feels, whichever side it turns to the wind, with the density ρ of the air,
//!
//! F = −½ ρ A |u·n| C_D u − ½ ρ A (u·n) C_L (|u| n − (u·n) u / |u|).
//!
//! The first part is drag, against the motion; the second is lift, at right angles to it, largest at 45° and zero where
//! the triangle meets the air with its face or its edge. This is the model of Keckeisen, Kimmerle, Thomaszewski & Wacker
//! 2004 (*Modelling Effects of Wind Fields in Cloth Animations*) for triangles of two sides. Each corner gets a third.
//!
//! *In still air it only takes energy:* the power is F·u = −½ ρ A C_D |u·n| |u|² ≤ 0. So that this holds for
//! explicit steps of any length h, too, the force is limited. With c = ½ ρ A |u·n| C_D and r = c (1 + (C_L/C_D)² sin²), where
//! the sine is that of the angle between u and n, |F|² = c r |u|². If the corners' masses are shared among their
//! triangles such that a triangle has the mass M for itself, the energy changes by no more than the sum of h F·u +
//! h² |F|²/2M, which is not positive if h r ≤ 2 M. Forces are scaled down to h r ≤ M: then the air does not turn round
//! what it brakes, either. Without drag this leaves no lift.
//!
//! *Implicit steps* have no such limit. They take the force at the start of the step and r/3 for the derivative
//! at each corner, in the diagonal of the matrix, which is the exact solution of a body that nothing but drag slows down.
//!
//! # Practice
//!
//! [`formula`] has the force of one triangle. What it adds up to goes where the forces of hands go (`touch`), which all
//! updates, contact and implicit steps add to the others; the stage runs before these, where velocities and positions
//! of all blocks are at hand. A block goes through the triangles of its vertices and a device through those of one
//! vertex, both in the order of the model. The wind is that at the start of a substep.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
mod lanes;
#[cfg(test)]
mod tests;

use crate::math::{Real, Vec3};
use crate::model::{Family, Model};
use crate::scene::{Wind, World};
use crate::step::Advance;
use formula::{Air, air_force};

/// A triangle may count on no less than this part of what a vertex has for all of its triangles.
const LEAST_SHARE: f64 = 1e-6;

/// The air in substep `i` of a stretch, if there is any; with a limit for explicit steps.
pub fn air_in(advance: &Advance<'_>, i: u64, is_limited: bool) -> Option<Air<f32>> {
    let (_, time) = advance.when(i);
    let h = if is_limited { advance.h } else { 0.0 };
    advance.world.wind.as_ref().map(|wind| air_at(wind, time, h))
}

/// The air at a time \[s\], with a limit for explicit steps of length `h` \[s\], or none if that is 0.
fn air_at<R: Real>(wind: &Wind, time: f64, h: f64) -> Air<R> {
    let [drag, lift] = [wind.drag, wind.lift].map(|c| 0.5 * wind.density * c);
    let lift = if drag > 0.0 { lift } else { 0.0 };
    let ratio = if drag > 0.0 { (lift / drag).powi(2) } else { 0.0 };
    let [drag, lift, ratio, h] = [drag, lift, ratio, h].map(R::of);
    Air { wind: Vec3::of(wind.at(time)), drag, lift, ratio, h }
}

/// Size of the force of the air on one vertex at `time` \[s\], where vertices are at `x` \[m\] and move with `v`
/// \[m/s\] \[N\]; without a limit.
pub fn force_on(
    model: &Model,
    wind: &Wind,
    time: f64,
    [x, v]: [&[[f32; 3]]; 2],
    vertex: u32,
) -> f64 {
    let of = |array: &[[f32; 3]], i: u32| Vec3::<f64>::of(array[i as usize].map(f64::from));
    let air = air_at(wind, time, 0.0);
    let mut sum = Vec3::zero();
    for corners in model.triangles.iter().filter(|corners| corners.contains(&vertex)) {
        let found = air_force(corners.map(|c| of(x, c)), corners.map(|c| of(v, c)), 0.0, air);
        sum += found.force * (1.0 / 3.0);
    }
    sum.length()
}

/// Adds the forces of the air at `time` \[s\] to those on all vertices, which are at `x` \[m\] and move with `v` \[m/s\]; of
/// bodies that take explicit steps limited for those of length `h` \[s\].
pub fn add_forces(
    model: &Model,
    world: &World,
    (time, h): (f64, f64),
    [x, v]: [&[[f32; 3]]; 2],
    force: &mut [[f32; 3]],
) {
    let Some(wind) = &world.wind else { return };
    let of = |array: &[[f32; 3]], i: u32| Vec3::<f64>::of(array[i as usize].map(f64::from));
    for (corners, inv_mass) in model.triangles.iter().zip(inverse_masses(model)) {
        let family = model.bodies[model.body_of_vertex(corners[0])].family_in(world);
        let air = air_at(wind, time, if family == Family::Explicit { h } else { 0.0 });
        let [places, velocities] = [x, v].map(|array| corners.map(|c| of(array, c)));
        let found = air_force(places, velocities, f64::from(inv_mass), air);
        let third = (found.force * (1.0 / 3.0)).to_f64();
        for &corner in corners {
            let sum = force[corner as usize].iter_mut().zip(third);
            sum.for_each(|(sum, more)| *sum += more as f32);
        }
    }
}

/// For each triangle of a model, what the air may take for the inverse of its mass \[1/kg\]: its corners' masses are
/// shared among their triangles by area.
pub fn inverse_masses(model: &Model) -> Vec<f32> {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| Vec3::<f64>::of(model.rest[v as usize].map(f64::from)));
        0.5 * (b - a).cross(c - a).length()
    };
    let mut around = vec![0.0; model.vertex_count()];
    for corners in &model.triangles {
        corners.iter().for_each(|&v| around[v as usize] += area(corners));
    }
    let of = |corners: &[u32; 3]| {
        let own = area(corners);
        let at = |&v: &u32| {
            let share = if around[v as usize] > 0.0 { own / around[v as usize] } else { 1.0 };
            f64::from(model.inv_mass[v as usize]) / share.max(LEAST_SHARE)
        };
        (corners.iter().map(at).sum::<f64>() / 9.0) as f32
    };
    model.triangles.iter().map(of).collect()
}
