//! How often a surface goes round a place: what tells inside from outside even where it has holes.
//!
//! The generalised winding number is the sum of the solid angles of all triangles over 4π (Jacobson, Kavan and
//! Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding numbers", 2013): 1 inside of a closed surface,
//! 0 outside, and something between where it is open, without a jump at the hole. Triangles that are far away count
//! together as one dipole (Barill et al., "Fast winding numbers for soups and clouds", 2018, section 4).

use std::f64::consts::TAU;

use crate::box_tree::{BoxTree, Extent};
use crate::geometry::{cross, dot, sub};

/// Triangles count together from so many of their radii on.
const FAR: f64 = 3.0;

/// A surface that can be asked how often it goes round a place.
pub struct Winding {
    tree: BoxTree,
    triangles: Vec<[[f64; 3]; 3]>,
    dipoles: Vec<Dipole>,
}

/// What the triangles of a node are from far away.
#[derive(Clone, Copy)]
struct Dipole {
    /// Sum of the areas, as vectors out of the triangles \[m²\].
    area: [f64; 3],
    /// Where they are, on the mean \[m\].
    middle: [f64; 3],
    /// All of them are within this distance \[m\].
    radius: f64,
}

impl Winding {
    /// Of triangles with finite corners \[m\].
    pub fn new(triangles: Vec<[[f64; 3]; 3]>) -> Self {
        let extents: Vec<Extent> = triangles.iter().map(|t| Extent::of(t)).collect();
        let tree = BoxTree::new(&extents);
        let dipole = |node: &crate::box_tree::Node| {
            let from = node.first as usize;
            let own = &tree.order[from..from + node.count as usize];
            Dipole::new(own.iter().map(|&t| triangles[t as usize]), &node.extent)
        };
        let dipoles = tree.nodes.iter().map(dipole).collect();
        Self { tree, triangles, dipoles }
    }

    /// The winding number at `p`; on the surface itself anything between its two sides.
    pub fn at(&self, p: [f64; 3]) -> f64 {
        let mut sum = 0.0;
        let mut open = Vec::with_capacity(64);
        open.extend((!self.dipoles.is_empty()).then_some(0u32));
        while let Some(number) = open.pop() {
            let (node, dipole) = (&self.tree.nodes[number as usize], self.dipoles[number as usize]);
            let way = sub(dipole.middle, p);
            let square = dot(way, way);
            if square > (FAR * dipole.radius).powi(2) {
                sum += dot(dipole.area, way) / (square * square.sqrt());
            } else if node.second == 0 {
                let from = node.first as usize;
                let own = &self.tree.order[from..from + node.count as usize];
                sum += own.iter().map(|&t| solid_angle(self.triangles[t as usize], p)).sum::<f64>();
            } else {
                open.extend([node.second, number + 1]);
            }
        }
        sum / (2.0 * TAU)
    }
}

impl Dipole {
    fn new(triangles: impl Iterator<Item = [[f64; 3]; 3]>, extent: &Extent) -> Self {
        let (mut area, mut moment, mut total) = ([0.0; 3], [0.0; 3], 0.0);
        for [a, b, c] in triangles {
            let own = cross(sub(b, a), sub(c, a)).map(|x| 0.5 * x);
            let size = dot(own, own).sqrt();
            total += size;
            for k in 0..3 {
                area[k] += own[k];
                moment[k] += size * (a[k] + b[k] + c[k]) / 3.0;
            }
        }
        let box_middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (extent.low[k] + extent.high[k]));
        let middle = if total > 0.0 { moment.map(|m| m / total) } else { box_middle };
        let reach = |k: usize| (middle[k] - extent.low[k]).max(extent.high[k] - middle[k]);
        let radius = (0..3).map(|k| reach(k).powi(2)).sum::<f64>().sqrt();
        Self { area, middle, radius }
    }
}

/// The angle under which a triangle is seen from `p`, positive from behind \[sr\] (Van Oosterom and Strackee, "The
/// solid angle of a plane triangle", 1983, equation 8).
fn solid_angle(triangle: [[f64; 3]; 3], p: [f64; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| sub(corner, p));
    let [la, lb, lc] = [a, b, c].map(|v| dot(v, v).sqrt());
    let above = dot(a, cross(b, c));
    let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    2.0 * above.atan2(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;
    use crate::shapes::{lathe, rounded_box};

    fn corners(mesh: &Mesh) -> Vec<[[f64; 3]; 3]> {
        mesh.triangles.iter().map(|t| t.map(|v| mesh.points[v as usize])).collect()
    }

    /// A ball of radius 1 in many triangles.
    fn ball() -> Vec<[[f64; 3]; 3]> {
        let turn = |i: u32| std::f64::consts::PI * f64::from(i) / 40.0;
        let mut profile = vec![[0.0, -1.0]];
        profile.extend((1..40).map(|i| [turn(i).sin(), -turn(i).cos()]));
        profile.push([0.0, 1.0]);
        corners(&lathe(&profile, 60).unwrap())
    }

    #[test]
    fn closed_surfaces_go_round_their_inside_once() {
        let winding = Winding::new(ball());
        let mut seed = 1u64;
        for _ in 0..2000 {
            let p = [(); 3].map(|()| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                3.0 * ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
            });
            let radius = dot(p, p).sqrt();
            if (radius - 1.0).abs() > 0.02 {
                let want = if radius < 1.0 { 1.0 } else { 0.0 };
                let found = winding.at(p);
                // The dipoles' own error.
                assert!((found - want).abs() < 0.02, "{p:?}: {found}");
            }
        }
    }

    #[test]
    fn holes_and_turned_surfaces_leave_an_inside() {
        let mut open = ball();
        // A tenth of the triangles, here and there.
        let mut number = 0;
        open.retain(|_| {
            number += 1;
            number % 10 != 0
        });
        let winding = Winding::new(open.clone());
        assert!(winding.at([0.1, 0.2, 0.3]) > 0.8 && winding.at([0.0, 0.0, 1.5]).abs() < 0.1);
        let turned = Winding::new(open.into_iter().map(|[a, b, c]| [a, c, b]).collect());
        assert!(turned.at([0.1, 0.2, 0.3]) < -0.8);
        let cube = Winding::new(corners(&rounded_box([2.0; 3], 0.0, 0).unwrap()));
        assert!((cube.at([0.3, -0.2, 0.9]) - 1.0).abs() < 1e-12);
        assert_eq!(Winding::new(Vec::new()).at([0.0; 3]), 0.0);
    }
}
