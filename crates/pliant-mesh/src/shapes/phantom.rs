//! A block with something inside to look at.

use super::{ShapeError, Split, try_bar};
use crate::{DataArray, Mesh};

/// A part of a head: where its middle is and how far it reaches, for a block from −1 to 1, and its density.
type Inclusion = ([f64; 3], [f64; 3], f64);

/// From the outside to the inside: each replaces what is there already. It looks along −y. (After the
/// idea of Shepp and Logan 1974, "The Fourier reconstruction of a head section", with parts that a
/// mesh of a few thousand points can show.)
const INCLUSIONS: [Inclusion; 10] = [
    // Skin, with a nose.
    ([0.0, 0.04, 0.0], [0.74, 0.84, 0.88], 60.0),
    ([0.0, -0.84, -0.1], [0.15, 0.15, 0.22], 60.0),
    // Skull.
    ([0.0, 0.05, 0.06], [0.64, 0.73, 0.76], 180.0),
    // Brain, in two halves that a gap divides, and two hollows in it.
    ([0.0, 0.05, 0.1], [0.5, 0.59, 0.6], 120.0),
    ([-0.2, 0.05, 0.16], [0.1, 0.32, 0.16], 0.0),
    ([0.2, 0.05, 0.16], [0.1, 0.32, 0.16], 0.0),
    // Eyes, and the way of breath below them.
    ([-0.28, -0.58, -0.08], [0.15, 0.15, 0.14], 250.0),
    ([0.28, -0.58, -0.08], [0.15, 0.15, 0.14], 250.0),
    ([0.0, -0.5, -0.5], [0.26, 0.3, 0.09], 0.0),
    ([0.0, 0.0, -0.75], [0.1, 0.12, 0.3], 0.0),
];

/// Width of the border between two parts, as part of their size.
const BORDER: f64 = 0.16;

/// A block of `cells` cube cells from the origin to `size` \[m\] with a head in it: an array `density` on its
/// points, from 0 in the jelly round it over 120 in its brain and 180 in its bones to 250 in its eyes.
pub fn phantom(cells: [u32; 3], size: [f64; 3]) -> Result<Mesh, ShapeError> {
    let mut mesh = try_bar(cells, size, Split::Five)?;
    let densities = mesh.points.iter().map(|p| {
        let place = std::array::from_fn(|k| 2.0 * p[k] / size[k] - 1.0);
        density(place)
    });
    mesh.point_data = vec![DataArray::scalar("density", densities.collect())];
    Ok(mesh)
}

/// The density at a place in the block from −1 to 1.
fn density(place: [f64; 3]) -> f64 {
    INCLUSIONS.iter().fold(0.0, |below, (middle, reach, density)| {
        let square = |k: usize| ((place[k] - middle[k]) / reach[k]).powi(2);
        let distance = (square(0) + square(1) + square(2)).sqrt();
        let share = ((1.0 - distance) / BORDER + 0.5).clamp(0.0, 1.0);
        below + share * (density - below)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_where_they_belong() {
        assert_eq!(density([1.0, 1.0, 1.0]), 0.0, "jelly in the corners");
        assert_eq!(density([0.0, 0.05, 0.4]), 120.0, "brain");
        assert_eq!(density([0.2, 0.05, 0.16]), 0.0, "a hollow in it");
        assert_eq!(density([-0.28, -0.58, -0.08]), 250.0, "an eye");
        assert!((density([0.57, 0.05, 0.06]) - 180.0).abs() < 15.0, "the skull");
        let mesh = phantom([20, 24, 22], [0.2, 0.24, 0.22]).unwrap();
        let values = &mesh.point_array("density").unwrap().values;
        assert_eq!(values.len(), mesh.points.len());
        let shown = |d: f64| values.iter().filter(|v| (*v - d).abs() < 10.0).count();
        for (part, least) in [(0.0, 3000), (60.0, 250), (120.0, 500), (180.0, 250), (250.0, 8)] {
            assert!(shown(part) > least, "{} points of density {part}", shown(part));
        }
        assert!(phantom([0, 1, 1], [1.0; 3]).is_err());
    }
}
