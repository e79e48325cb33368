//! Where the light looks: what every renderer needs to draw and read the same shadow map, with a soft
//! edge (Reeves, Salesin and Cook 1987, "Rendering Antialiased Shadows with Depth Maps").

use crate::list::DrawList;
use crate::math::{Vec3f, vec3};

/// Side of the map \[texels\].
pub const SIZE: usize = 640;
/// The edge of a shadow is blurred over this many texels to each side.
pub const BLUR: usize = 3;
/// Texels that one look reads in a row.
pub const TAPS: usize = 2 * BLUR + 2;
/// How far a place is moved out of its surface before it is looked up, in texels, so that a surface
/// does not shade itself.
pub const OFFSET: f32 = 2.0;

/// From places to texels of the map.
#[derive(Clone, Copy, Debug)]
pub struct ShadowFrame {
    /// Across, across and towards the light: unit vectors.
    axes: [Vec3f; 3],
    /// From metres to texels.
    scale: f32,
    /// What lies in the middle of the map.
    centre: Vec3f,
}

impl ShadowFrame {
    /// A map that holds all bodies of `list`, seen from the direction `to_light`.
    pub fn new(list: &DrawList, to_light: [f32; 3]) -> Self {
        let to_light = Vec3f::from(to_light).unit_or(vec3(0.0, 0.0, 1.0));
        let across = if to_light.x.abs() < 0.9 { vec3(1.0, 0.0, 0.0) } else { vec3(0.0, 1.0, 0.0) };
        let u = to_light.cross(across).unit_or(across);
        let axes = [u, to_light.cross(u), to_light];
        let scale = (SIZE as f32 / 2.0 - (BLUR + 2) as f32) / stepped(list.extent.1);
        let centre = snapped(list.extent.0.into(), axes, 1.0 / scale);
        Self { axes, scale, centre }
    }

    /// Rows that give, for (x, y, z, 1), both texel coordinates and the height towards the light \[m\];
    /// the map keeps the greatest height.
    pub fn rows(&self) -> [[f32; 4]; 3] {
        let half = SIZE as f32 / 2.0;
        let [across, down, up] = self.axes;
        let row =
            |axis: Vec3f, constant: f32| [axis.x, axis.y, axis.z, constant - axis.dot(self.centre)];
        [row(across * self.scale, half), row(down * self.scale, half), row(up, 0.0)]
    }

    /// Texel coordinates, and the height towards the light.
    pub(crate) fn place(&self, p: Vec3f) -> Vec3f {
        let p = p - self.centre;
        let half = SIZE as f32 / 2.0;
        let [across, down, up] = self.axes;
        vec3(across.dot(p) * self.scale + half, down.dot(p) * self.scale + half, up.dot(p))
    }

    /// The same for a place on a surface whose `normal` faces the eye, lifted so far that the surface
    /// does not shade itself; nothing where it is turned away from the light.
    pub(crate) fn place_on_surface(&self, position: Vec3f, normal: Vec3f) -> Option<Vec3f> {
        let cosine = normal.dot(self.axes[2]);
        if cosine <= 0.0 {
            return None;
        }
        let texel = 1.0 / self.scale;
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let steep = sine / cosine.max(0.1);
        let mut at = self.place(position + normal * (texel * OFFSET * (0.5 + sine)));
        at.z += texel * (0.5 + 0.5 * steep);
        Some(at)
    }
}

/// The next of a few sizes, so that texels keep theirs from frame to frame while bodies move.
fn stepped(radius: f32) -> f32 {
    let larger = 2f32.powf((radius.log2() * 4.0).ceil() / 4.0);
    // One more texel makes room for what snapping shifts.
    if larger.is_finite() && larger >= radius { larger * 1.01 } else { radius }
}

/// The place moved across to a whole number of texels, so that they stay where they are while bodies
/// move.
fn snapped(place: Vec3f, [across, down, up]: [Vec3f; 3], texel: f32) -> Vec3f {
    let whole = |axis: Vec3f| (place.dot(axis) / texel).round() * texel;
    across * whole(across) + down * whole(down) + up * place.dot(up)
}

/// A tent over the texels of a row, for a place that is `part` of the way to the next texel. They add
/// up to one.
pub(crate) fn weights(part: f32) -> [f32; TAPS] {
    const PER_TEXEL: f32 = 1.0 / (BLUR + 1) as f32;
    let mut weights = [0.0; TAPS];
    for (i, weight) in weights.iter_mut().enumerate() {
        let away = (i as f32 - BLUR as f32 - part).abs();
        *weight = (1.0 - away * PER_TEXEL).max(0.0) * PER_TEXEL;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one() {
        for part in [0.0, 0.25, 0.5, 0.999] {
            let sum: f32 = weights(part).iter().sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }

    #[test]
    fn sizes_go_in_steps_and_are_never_too_small() {
        let mut sizes = Vec::new();
        for i in 0..1000 {
            let radius = 0.5 + i as f32 * 0.01;
            let size = stepped(radius);
            assert!(size > radius && size < 1.21 * radius, "{size} for {radius}");
            sizes.push(size);
        }
        sizes.dedup();
        assert!(sizes.len() < 25, "{} sizes", sizes.len());
        for odd in [f32::MIN_POSITIVE, f32::MAX] {
            assert!(stepped(odd) >= odd, "{odd}");
        }
    }

    #[test]
    fn small_motions_keep_the_texels_in_place() {
        let axes = [vec3(0.6, 0.0, 0.8), vec3(0.0, 1.0, 0.0), vec3(-0.8, 0.0, 0.6)];
        for shift in [0.0, 0.013, 0.4, 3.7] {
            let place = snapped(vec3(1.0 + shift, 2.0 - shift, 0.5), axes, 0.1);
            for axis in &axes[..2] {
                let texels = place.dot(*axis) / 0.1;
                assert!((texels - texels.round()).abs() < 1e-3, "{texels}");
            }
            let moved = place - vec3(1.0 + shift, 2.0 - shift, 0.5);
            assert!(moved.length() < 0.0708, "at most half a texel each way");
        }
    }

    #[test]
    fn rows_say_the_same_as_places() {
        let list = DrawList { extent: ([1.0, -2.0, 0.5], 1.7), ..DrawList::default() };
        let frame = ShadowFrame::new(&list, [1.0, -2.0, 3.0]);
        for p in [[0.0, 0.0, 0.0], [1.5, -1.0, 0.7]] {
            let place: [f32; 3] = frame.place(p.into()).into();
            for (row, want) in frame.rows().into_iter().zip(place) {
                let got = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
                assert!((got - want).abs() < 1e-3, "{got} is not {want}");
            }
        }
        // What is in the middle of the bodies is in the middle of the map.
        let middle = frame.place(list.extent.0.into());
        assert!((middle.x - 320.0).abs() <= 0.51 && (middle.y - 320.0).abs() <= 0.51);
    }
}
