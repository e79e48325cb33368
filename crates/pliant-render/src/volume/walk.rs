//! From tetrahedron to tetrahedron along a ray.
//!
//! A ray is the line through the eye and a place of the picture, at both sides of the eye. For a
//! vertex at depth w seen at (x, y), and a ray at (px, py), let u = (x − px) w and v = (y − py) w:
//! both are even in space and vanish on the ray. Two vertices a and b turn round the ray to the right
//! where E(a, b) = uₐ v_b − u_b vₐ is positive, and the ray crosses a face where its three edges turn
//! the same way. Their E, divided by their sum, are then the shares of the opposite corners in the
//! place of the crossing, in space and not only in the picture, which gives depth and value.
//!
//! Each face of a tetrahedron asks for three of its six signs. Four players of whom each beats or is
//! beaten by each other have at most two rings of three: if the ray has come in through one face,
//! there is at most one other to leave by. Neighbours see the same signs at the face they share (`f32`
//! products and differences are antisymmetric), so no face can be come to from two sides: a walk
//! never meets itself and ends after as many steps as there are tetrahedra at the latest. That holds
//! whatever the shapes, flat and inverted ones included, and needs no tolerance.
//!
//! Where E is zero, the ray is taken to pass an infinitely small step beside itself (Edelsbrunner and
//! Mücke 1990, "Simulation of simplicity", section 3). A tetrahedron may then have no second ring
//! only by rounding, where a ray grazes several edges at once; such a dead end is left and counted.

use super::four::{Four, Mask};
use super::mesh::{Face, Mesh, NONE, Tet};

/// A vertex as rays see it: x·w and y·w from the middle of the picture \[pixels · m\], w \[m\] and its
/// value as a place in the table.
pub(crate) type Point = [f32; 4];

/// Which corner of a ring is replaced, by the signs of the edges to the new one; 3 is a dead end.
const REPLACED: [u8; 8] = [3, 2, 0, 0, 1, 2, 1, 3];

/// The corners that follow each in a ring.
const AFTER: [u8; 4] = [1, 2, 0, 3];
/// Those that come before each.
const BEFORE: [u8; 4] = [2, 0, 1, 3];

/// Where a ray is in the picture, from its middle \[pixels\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub x: f32,
    pub y: f32,
}

/// Three corners round a ray, on the face by which it enters what `link` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    u: Four,
    v: Four,
    w: Four,
    value: Four,
    /// The E of the edge opposite each corner; none is negative.
    weights: Four,
    /// Vertex numbers; the fourth is none.
    ids: [u32; 4],
    pub link: u32,
}

impl Ring {
    /// The ring on a face of the surface, if the ray enters there.
    pub fn enter(points: &[Point], place: Place, face: &Face) -> Option<Self> {
        let [a, b, c] = face.corners.map(|id| Corner::new(points, place, id));
        let negative = [edge_sign(&b, &c), edge_sign(&c, &a), edge_sign(&a, &b)];
        if negative.contains(&true) {
            return None;
        }
        let three = |of: fn(&Corner) -> f32| Four::from([of(&a), of(&b), of(&c), 0.0]);
        let edge = |a: &Corner, b: &Corner| a.u * b.v - b.u * a.v;
        Some(Self {
            u: three(|c| c.u),
            v: three(|c| c.v),
            w: three(|c| c.w),
            value: three(|c| c.value),
            weights: Four::from([edge(&b, &c), edge(&c, &a), edge(&a, &b), 0.0]),
            ids: [face.corners[0], face.corners[1], face.corners[2], NONE],
            link: face.link,
        })
    }

    /// Walks through the next tetrahedron to the face by which the ray leaves it; `false`, and
    /// nothing else, at a dead end. There must be a next one.
    ///
    /// # Safety
    ///
    /// The ring is one of `mesh`, and `points` has as many entries as `mesh` has vertices.
    #[inline(always)]
    pub unsafe fn step(&mut self, mesh: &Mesh, points: &[Point], place: Place) -> bool {
        debug_assert!(self.tet() < mesh.tets.len());
        // SAFETY: links lead to tetrahedra of the mesh, as `Mesh` has made them.
        let tet = unsafe { mesh.tets.get_unchecked(self.tet()) };
        let id = tet.corners[self.link as usize & 3];
        debug_assert!((id as usize) < points.len());
        // SAFETY: corners are vertices of the mesh, as has been checked.
        let [x, y, w, value] = *unsafe { points.get_unchecked(id as usize) };
        let (u, v) = (x - place.x * w, y - place.y * w);
        let edges = self.u * Four::all(v) - Four::all(u) * self.v;
        let mut signs = edges.signs();
        if edges.zeros() != 0 {
            signs = self.tied_signs(&Corner { u, v, w, value, id });
        }
        let k = usize::from(REPLACED[signs as usize & 7]);
        if k == 3 {
            return false;
        }
        let leaving = self.ids[k & 3];
        let mask = &Mask::ONLY[k & 3];
        // The edge opposite the new corner stays; the other two now lead to it.
        let (after, before) = (AFTER[k & 3] & 3, BEFORE[k & 3] & 3);
        self.weights = self
            .weights
            .replaced(edges.next(), &Mask::ONLY[usize::from(after)])
            .replaced(edges.previous_negated(), &Mask::ONLY[usize::from(before)]);
        self.u = self.u.replaced(Four::all(u), mask);
        self.v = self.v.replaced(Four::all(v), mask);
        self.w = self.w.replaced(Four::all(w), mask);
        self.value = self.value.replaced(Four::all(value), mask);
        self.ids[k & 3] = id;
        self.link = tet.links[tet.corner_of(leaving)];
        true
    }

    /// Depth \[m\] and value of the crossing.
    #[inline(always)]
    pub fn crossing(&self) -> (f32, f32) {
        let mut weights = self.weights;
        let mut sum = weights.sum3();
        if sum <= 0.0 {
            // A face seen exactly edge on.
            (weights, sum) = (Four::all(1.0), 3.0);
        }
        let weights = weights * Four::all(1.0 / sum);
        ((weights * self.w).sum3(), (weights * self.value).sum3())
    }

    /// Whether there is a tetrahedron to walk through.
    #[inline(always)]
    pub fn goes_on(&self) -> bool {
        self.link != NONE
    }

    /// The number of the tetrahedron that comes next.
    #[inline(always)]
    pub fn tet(&self) -> usize {
        self.link as usize >> 2
    }

    /// Numbers of the three vertices.
    pub fn ids(&self) -> [u32; 3] {
        [self.ids[0], self.ids[1], self.ids[2]]
    }

    /// Signs of the edges to a new corner where one of them is zero.
    #[cold]
    fn tied_signs(&self, new: &Corner) -> u32 {
        let [u, v, w, value] = [self.u, self.v, self.w, self.value].map(Four::array);
        (0..3).fold(0, |signs, k| {
            let corner = Corner { u: u[k], v: v[k], w: w[k], value: value[k], id: self.ids[k] };
            signs | u32::from(edge_sign(&corner, new)) << k
        })
    }
}

impl Tet {
    /// Which of its corners a vertex is; the last one if it is none.
    #[inline(always)]
    fn corner_of(&self, id: u32) -> usize {
        // Without branches, which nothing could predict.
        let is = |k: usize| usize::from(self.corners[k] == id);
        3 - 3 * is(0) - 2 * is(1) - is(2)
    }
}

/// A vertex as one ray sees it.
struct Corner {
    u: f32,
    v: f32,
    w: f32,
    value: f32,
    id: u32,
}

impl Corner {
    fn new(points: &[Point], place: Place, id: u32) -> Self {
        let [x, y, w, value] = points[id as usize];
        Self { u: x - place.x * w, v: y - place.y * w, w, value, id }
    }
}

/// Whether E(a, b) is below zero, for a ray moved by ε to the right and by ε² down.
fn edge_sign(a: &Corner, b: &Corner) -> bool {
    let edge = a.u * b.v - b.u * a.v;
    if edge != 0.0 {
        return edge < 0.0;
    }
    let to_first_order = b.w * a.v - a.w * b.v;
    if to_first_order != 0.0 {
        return to_first_order < 0.0;
    }
    let to_second_order = b.u * a.w - a.u * b.w;
    if to_second_order != 0.0 {
        return to_second_order < 0.0;
    }
    // Both are in line with the eye.
    a.id > b.id
}

/// Walks from a face of the surface to the end and calls `visit` with the tetrahedron, and depth and
/// value at both sides of it. `false` if it ended in a dead end.
#[cfg(test)]
pub(crate) fn walk(
    mesh: &Mesh,
    points: &[Point],
    place: Place,
    mut ring: Ring,
    mut visit: impl FnMut(usize, [f32; 2], [f32; 2]),
) -> bool {
    let (mut depth, mut value) = ring.crossing();
    while ring.goes_on() {
        let tet = ring.tet();
        // SAFETY: the test has made all three of one another.
        if !unsafe { ring.step(mesh, points, place) } {
            return false;
        }
        let (next_depth, next_value) = ring.crossing();
        visit(tet, [depth, next_depth], [value, next_value]);
        (depth, value) = (next_depth, next_value);
    }
    true
}
