//! Forces as whole numbers of 64 bits: what `edge-scatter` adds up.
//!
//! Whole numbers can be added in any order with the same result, so a device may add them as they
//! come. The unit is chosen from the model: 64 times the force that would press its strongest
//! element flat must fit, for as many elements as meet at one vertex.

use crate::model::Model;
use crate::stages::elastic::formula;
use crate::stages::elastic::gpu::Fixed;

use crate::math::Vec3;

/// How many times the force that presses an element flat still fits.
const HEADROOM: f64 = 64.0;

/// The unit of forces for a model in which at most `valence` elements meet at a vertex.
pub fn unit(model: &Model, valence: u32) -> Fixed {
    let springs = model.spring.iter().map(|&[_, k_rest]| f64::from(k_rest.abs()));
    let volumes = (0..model.tets.len()).map(|t| {
        let corners = model.rest_corners(t);
        let b = f64::from(model.volume[t][1]).abs();
        let steepest = formula::six_volumes_gradient(corners).map(Vec3::length);
        // The thesis form (Echtler 2004) has unit normals; its forces are never above the larger of the two.
        b * steepest.into_iter().fold(1.0, f64::max)
    });
    let strongest = springs.chain(volumes).fold(0.0, f64::max);
    let strongest = (HEADROOM * strongest).clamp(f64::from(f32::MIN_POSITIVE), 1e30);
    // Each of `valence` numbers stays below 2^62 / valence.
    let most = 62 - i32::try_from(valence.max(1).next_power_of_two().ilog2()).unwrap_or(31);
    let exponent = most - strongest.log2().ceil() as i32;
    // A power of two, so that scaling does not round; within what a float can hold.
    let exponent = exponent.clamp(-120, 120);
    Fixed {
        units_per_newton: 2f64.powi(exponent) as f32,
        newtons_per_unit: 2f64.powi(-exponent) as f32,
        most: 2f64.powi(most) as f32,
    }
}

/// The whole number nearest to zero beside `units`, at most `most` in size, and whether it had to be
/// cut: formula of `fixed_from` in fixed.wgsl.
pub fn fixed_from(units: f32, most: f32) -> (i64, bool) {
    // Not a number counts as too large.
    let fits = units.abs() <= most;
    let size = if fits { units.abs() } else { most } as i64;
    (if units < 0.0 { -size } else { size }, !fits)
}

/// The value of a whole number, in units: formula of `fixed_to`.
pub fn fixed_to(number: i64) -> f32 {
    let size = number.unsigned_abs();
    let value = (size >> 32) as f32 * 2f32.powi(32) + (size as u32) as f32;
    if number < 0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_there_and_back() {
        let most = 2f32.powi(57);
        for units in [0.0f32, 1.0, -1.0, 123_456.0, -4_294_967_296.0, 3.25e12, -7.5e16, 1.4e17] {
            let (number, cut) = fixed_from(units, most);
            assert!(!cut && fixed_to(number) == units.trunc(), "{units}: {number}");
        }
        assert_eq!(fixed_from(-0.75, most), (0, false));
        assert_eq!(fixed_from(2f32.powi(58), most), (1 << 57, true));
        assert!(fixed_from(f32::NAN, most).1);
    }
}
