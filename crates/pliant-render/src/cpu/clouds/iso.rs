//! Surfaces of equal value inside clouds.

use super::Clouds;
use crate::colour::Colour;
use crate::light;
use crate::math::{Vec3f, vec3};
use crate::volume::Look;
use crate::volume::four::Four;
use crate::volume::table::{Table, cover};
use crate::volume::walk::{Place, Ring};

/// A surface of equal value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    /// Its value, as a place in the table.
    pub place: f32,
    colour: Colour,
    opacity: f32,
}

impl Surface {
    /// Those of a look that are seen, the least value first.
    pub fn all(look: &Look, table: &Table) -> Vec<Self> {
        let seen = look.seen_isos().into_iter();
        seen.map(|(iso, colour)| Self {
            place: table.place(iso.value),
            colour,
            opacity: iso.opacity,
        })
        .collect()
    }
}

impl Clouds<'_> {
    /// The surfaces that lie between two values, in the order in which they are met.
    pub(super) fn isos_between(&self, from: f32, to: f32) -> impl Iterator<Item = &Surface> {
        let upwards = to > from;
        let (low, high) = if upwards { (from, to) } else { (to, from) };
        // A value counts as above a surface when it is on it, so that no surface is met twice.
        let start = self.isos.partition_point(|iso| iso.place <= low);
        let end = self.isos.partition_point(|iso| iso.place <= high).max(start);
        let between = &self.isos[start..end];
        (0..between.len()).map(move |i| &between[if upwards { i } else { between.len() - 1 - i }])
    }

    /// Adds an iso-surface inside a tetrahedron, lit by the gradient there.
    pub(super) fn cover_inside(
        &self,
        light: Four,
        iso: &Surface,
        tet: usize,
        place: Place,
    ) -> Four {
        let [a, b, c, d] = self.mesh.tets[tet].corners.map(|v| self.points[v as usize]);
        let [to_b, to_c, to_d] = [b, c, d].map(|p| self.in_space(p) - self.in_space(a));
        let [rise_b, rise_c, rise_d] = [b, c, d].map(|p| p[3] - a[3]);
        // The gradient times six times the volume, whose sign does not matter: surfaces are lit from
        // the side of the eye.
        let gradient =
            to_c.cross(to_d) * rise_b + to_d.cross(to_b) * rise_c + to_b.cross(to_c) * rise_d;
        self.cover_lit(light, iso, gradient, place)
    }

    /// Adds an iso-surface that lies on the face of a ring.
    pub(super) fn cover_face(&self, light: Four, iso: &Surface, ring: &Ring, place: Place) -> Four {
        let [a, b, c] = ring.ids().map(|v| self.in_space(self.points[v as usize]));
        self.cover_lit(light, iso, (b - a).cross(c - a), place)
    }

    /// A vertex in metres along the axes of the picture.
    fn in_space(&self, [x, y, w, _]: [f32; 4]) -> Vec3f {
        vec3(x / self.focal, y / self.focal, w)
    }

    fn cover_lit(&self, before: Four, iso: &Surface, outward: Vec3f, place: Place) -> Four {
        let [right, down, forward] = self.axes;
        let turned = |v: Vec3f| right * v.x + down * v.y + forward * v.z;
        let ray = vec3(place.x / self.focal, place.y / self.focal, 1.0);
        let to_eye = turned(-ray).unit_or(-forward);
        // Very small or large numbers must not end as zero or infinity.
        let most = outward.x.abs().max(outward.y.abs()).max(outward.z.abs());
        let normal = turned(outward * (1.0 / most)).unit_or(to_eye);
        let lit = light::reflected(iso.colour.vec(), normal, to_eye, self.to_light, 1.0);
        cover(before, Colour(lit.into()), iso.opacity)
    }
}
