//! Whether a triangle touches a box.

use crate::geometry::{cross, dot, sub};

/// Rounding that is let pass, in cells.
const ROUNDING: f64 = 1e-9;

/// Whether a triangle has a point in common with a box, whose sides belong to it and which may be flat: nothing separates them
/// along the box's axes, the triangle's normal or the products of both ones' edges (Akenine-Möller, "Fast 3D triangle-box
/// overlap testing", 2001).
pub(super) fn touches(triangle: &[[f64; 3]; 3], low: [f64; 3], high: [f64; 3]) -> bool {
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let half: [f64; 3] = std::array::from_fn(|k| 0.5 * (high[k] - low[k]));
    let corners = triangle.map(|p| sub(p, middle));
    let separates = |axis: [f64; 3]| {
        let along = corners.map(|p| dot(p, axis));
        let reach: f64 = (0..3).map(|k| half[k] * axis[k].abs()).sum();
        let slack = ROUNDING * axis.iter().map(|c| c.abs()).sum::<f64>();
        let least = along.iter().copied().fold(f64::INFINITY, f64::min);
        let most = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        least > reach + slack || most < -reach - slack
    };
    let unit = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    let [a, b, c] = corners;
    let edges = [sub(b, a), sub(c, b), sub(a, c)];
    !((0..3).any(|k| separates(unit(k)))
        || separates(cross(edges[0], edges[1]))
        || edges.iter().any(|&edge| (0..3).any(|k| separates(cross(unit(k), edge)))))
}
