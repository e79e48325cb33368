//! Points in a coarse mesh that they are carried along with.
//!
//! A point within a tetrahedron follows its corners by barycentric weights: p = x₀ + Σ wₖ (xₖ − x₀). That
//! repeats any affine motion of the corners exactly. A point outside of all takes the nearest tetrahedron with
//! weights beyond 0 and 1, which goes on with the motion in there. A point at a surface of triangles follows the nearest
//! triangle in its plane, and keeps its height above it.

use crate::box_tree::{BoxTree, Extent};
use crate::geometry::{cross, dot, signed_volume, sub};

/// Six volumes of a tetrahedron over the cube of its longest edge, below which weights in it would magnify every
/// motion; it carries nothing then, unless all are like that.
const SLIVER: f64 = 1e-3;

/// What points are embedded in: numbers of corners.
#[derive(Clone, Copy, Debug)]
pub enum Carrier<'a> {
    /// Tetrahedra.
    Tets(&'a [[u32; 4]]),
    /// Triangles of a surface.
    Triangles(&'a [[u32; 3]]),
}

/// How a point hangs on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The corners; of a triangle, the fourth is the first again.
    pub corners: [u32; 4],
    /// Weights of the second, third and fourth corner; that of the first is what is left of 1. Of a triangle, the
    /// third is the height above it \[m\].
    pub weights: [f64; 3],
    /// Distance from the element, 0 within it \[m\].
    pub distance: f64,
}

/// Anchors of `places` \[m\] in the elements of a mesh with these points \[m\]; nothing if no element can carry anything.
pub fn embed(
    points: &[[f64; 3]],
    carrier: Carrier<'_>,
    places: &[[f64; 3]],
) -> Option<Vec<Anchor>> {
    match carrier {
        Carrier::Tets(tets) => in_tets(points, tets, places),
        Carrier::Triangles(triangles) => on_triangles(points, triangles, places),
    }
}

fn in_tets(points: &[[f64; 3]], tets: &[[u32; 4]], places: &[[f64; 3]]) -> Option<Vec<Anchor>> {
    let corners = |t: u32| tets[t as usize].map(|v| points[v as usize]);
    let all = || 0..tets.len() as u32;
    let mut sound: Vec<u32> = all().filter(|&t| flatness(corners(t)) >= SLIVER).collect();
    if sound.is_empty() {
        sound = all().filter(|&t| flatness(corners(t)) > 0.0).collect();
    }
    let extents: Vec<Extent> = sound.iter().map(|&t| Extent::of(&corners(t))).collect();
    let tree = BoxTree::new(&extents);
    let square = |p, element: u32| square_to_tet(corners(sound[element as usize]), p);
    let mut last = 0;
    let anchor = |&p: &[f64; 3]| {
        // Neighbours follow each other in most meshes.
        let is_in_last = !sound.is_empty() && square(p, last) == 0.0;
        let found = if is_in_last { (last, 0.0) } else { tree.nearest(p, |e| square(p, e))? };
        last = found.0;
        let tet = sound[found.0 as usize];
        Some(Anchor {
            corners: tets[tet as usize],
            weights: weights(corners(tet), p),
            distance: found.1.sqrt(),
        })
    };
    places.iter().map(anchor).collect()
}

fn on_triangles(
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
    places: &[[f64; 3]],
) -> Option<Vec<Anchor>> {
    let corners = |t: u32| triangles[t as usize].map(|v| points[v as usize]);
    let all = 0..triangles.len() as u32;
    let sound: Vec<u32> = all.filter(|&t| normal(corners(t)).is_some()).collect();
    let extents: Vec<Extent> = sound.iter().map(|&t| Extent::of(&corners(t))).collect();
    let tree = BoxTree::new(&extents);
    let anchor = |&p: &[f64; 3]| {
        let square = |e: u32| square_between(p, closest_on_triangle(corners(sound[e as usize]), p));
        let (element, square) = tree.nearest(p, square)?;
        let triangle = sound[element as usize];
        let [a, b, c] = corners(triangle);
        let n = normal([a, b, c])?;
        let height = dot(sub(p, a), n);
        // Its weights in the plane may be beyond the triangle, as those of tetrahedra may.
        let above: [f64; 3] = std::array::from_fn(|k| a[k] + n[k]);
        let [v, w, _] = weights([a, b, c, above], p);
        let [i, j, k] = triangles[triangle as usize];
        Some(Anchor { corners: [i, j, k, i], weights: [v, w, height], distance: square.sqrt() })
    };
    places.iter().map(anchor).collect()
}

/// Six volumes over the cube of the longest edge; 0 if that is nothing.
fn flatness(p: [[f64; 3]; 4]) -> f64 {
    let mut longest: f64 = 0.0;
    for i in 0..4 {
        for j in 0..i {
            longest = longest.max(square_between(p[i], p[j]));
        }
    }
    let flatness = 6.0 * signed_volume(p).abs() / (longest * longest.sqrt());
    if flatness.is_finite() { flatness } else { 0.0 }
}

/// Unit normal of a triangle, if it has an area.
fn normal([a, b, c]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let n = cross(sub(b, a), sub(c, a));
    let length = dot(n, n).sqrt();
    (length > 0.0 && length.is_finite()).then(|| n.map(|x| x / length))
}

/// Weights of the corners but the first, by Cramer's rule.
fn weights([a, b, c, d]: [[f64; 3]; 4], p: [f64; 3]) -> [f64; 3] {
    let [u, v, w, q] = [sub(b, a), sub(c, a), sub(d, a), sub(p, a)];
    let whole = dot(cross(u, v), w);
    [dot(cross(q, v), w), dot(cross(u, q), w), dot(cross(u, v), q)].map(|part| part / whole)
}

/// Square of the distance from a tetrahedron, 0 within it \[m²\].
fn square_to_tet(corners: [[f64; 3]; 4], p: [f64; 3]) -> f64 {
    let rest = weights(corners, p);
    let first = 1.0 - rest[0] - rest[1] - rest[2];
    if first >= 0.0 && rest.iter().all(|w| *w >= 0.0) {
        return 0.0;
    }
    // Only the faces that it is beyond can be the nearest.
    let faces = crate::topology::TET_FACES;
    let beyond = (0..4).filter(|&k| if k == 0 { first < 0.0 } else { rest[k - 1] < 0.0 });
    let square = |k: usize| square_between(p, closest_on_triangle(faces[k].map(|c| corners[c]), p));
    beyond.map(square).fold(f64::INFINITY, f64::min)
}

fn square_between(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = sub(a, b);
    dot(d, d)
}

/// The place of a triangle that is nearest to `p`, by the regions of its corners, edges and face
/// (Ericson, "Real-time collision detection", section 5.1.5).
pub(crate) fn closest_on_triangle([a, b, c]: [[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let along = |from: [f64; 3], way: [f64; 3], part: f64| -> [f64; 3] {
        std::array::from_fn(|k| from[k] + part * way[k])
    };
    let [d1, d2] = [ab, ac].map(|way| dot(way, sub(p, a)));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let [d3, d4] = [ab, ac].map(|way| dot(way, sub(p, b)));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return along(a, ab, d1 / (d1 - d3));
    }
    let [d5, d6] = [ab, ac].map(|way| dot(way, sub(p, c)));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return along(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return along(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    along(along(a, ab, vb / sum), ac, vc / sum)
}

#[cfg(test)]
mod tests;
