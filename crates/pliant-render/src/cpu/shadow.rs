//! What the light sees: a map of the surfaces nearest to it, read with a soft edge
//! (Reeves, Salesin and Cook 1987, "Rendering Antialiased Shadows with Depth Maps").

use super::parallel;
use crate::list::DrawList;
use crate::math::{Vec3f, vec3};

/// Side of the map \[texels\].
const SIZE: usize = 640;
/// The edge of a shadow is blurred over this many texels to each side.
const BLUR: usize = 3;
/// Texels that one look reads in a row.
const TAPS: usize = 2 * BLUR + 2;
/// Side of the blocks whose least and greatest heights are known.
const BLOCK: usize = 8;
const BLOCKS: usize = SIZE / BLOCK;
/// Rows that a thread draws at a time.
const BAND: usize = 64;
/// How far a place is moved out of its surface before it is looked up, in texels, so that a surface
/// does not shade itself.
const OFFSET: f32 = 2.0;

pub(super) struct ShadowMap {
    /// Across, across and towards the light: unit vectors.
    axes: [Vec3f; 3],
    /// From metres to texels.
    scale: f32,
    /// What lies in the middle of the map.
    centre: Vec3f,
    /// Height towards the light \[m\] of the topmost surface.
    heights: Vec<f32>,
    /// Least and greatest height in each block and its eight neighbours.
    ranges: Vec<[f32; 2]>,
}

impl ShadowMap {
    pub fn new(list: &DrawList, to_light: Vec3f, threads: usize) -> Self {
        let across = if to_light.x.abs() < 0.9 { vec3(1.0, 0.0, 0.0) } else { vec3(0.0, 1.0, 0.0) };
        let u = to_light.cross(across).unit_or(across);
        let axes = [u, to_light.cross(u), to_light];
        let scale = (SIZE as f32 / 2.0 - (BLUR + 2) as f32) / stepped(list.extent.1);
        let mut map = Self {
            axes,
            scale,
            centre: snapped(list.extent.0.into(), axes, 1.0 / scale),
            heights: vec![f32::NEG_INFINITY; SIZE * SIZE],
            ranges: Vec::new(),
        };
        let points: Vec<Vec3f> =
            list.vertices.iter().map(|v| map.place(v.position.into())).collect();
        let mut heights = std::mem::take(&mut map.heights);
        let bands = heights.chunks_mut(SIZE * BAND).enumerate();
        parallel::for_each(threads, bands, |(band, heights)| {
            for triangle in &list.triangles {
                draw(heights, band * BAND, triangle.map(|v| points[v as usize]));
            }
        });
        map.ranges = ranges(&heights);
        map.heights = heights;
        map
    }

    /// Texel coordinates, and the height towards the light.
    fn place(&self, p: Vec3f) -> Vec3f {
        let p = p - self.centre;
        let half = SIZE as f32 / 2.0;
        let [across, down, up] = self.axes;
        vec3(across.dot(p) * self.scale + half, down.dot(p) * self.scale + half, up.dot(p))
    }

    /// The part of the light that reaches a place on a surface whose `normal` faces the eye.
    pub fn visible(&self, position: Vec3f, normal: Vec3f) -> f32 {
        let cosine = normal.dot(self.axes[2]);
        if cosine <= 0.0 {
            return 0.0;
        }
        let texel = 1.0 / self.scale;
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let steep = sine / cosine.max(0.1);
        let lifted = position + normal * (texel * OFFSET * (0.5 + sine));
        self.look(self.place(lifted), texel * (0.5 + 0.5 * steep))
    }

    /// The same for the floor, which shades nothing.
    pub fn visible_on_floor(&self, position: Vec3f) -> f32 {
        self.look(self.place(position), 0.0)
    }

    /// The weighted part of the texels round `at` that are not above it.
    fn look(&self, at: Vec3f, bias: f32) -> f32 {
        let (x, y) = (at.x - 0.5, at.y - 0.5);
        let edge = (BLUR + 1) as f32;
        let end = SIZE as f32 - edge - 1.0;
        if !(x >= edge && y >= edge && x < end && y < end) {
            return 1.0;
        }
        let height = at.z + bias;
        let [least, greatest] = self.ranges[y as usize / BLOCK * BLOCKS + x as usize / BLOCK];
        if greatest <= height {
            return 1.0;
        } else if least > height {
            return 0.0;
        }
        let (wx, wy) = (weights(x - (x as usize) as f32), weights(y - (y as usize) as f32));
        let (left, top) = (x as usize - BLUR, y as usize - BLUR);
        // Column by column in step, so that the compiler can take a row at once.
        let mut columns = [0.0; TAPS];
        for (row, wy) in wy.into_iter().enumerate() {
            let start = (top + row) * SIZE + left;
            let texels = &self.heights[start..start + TAPS];
            for i in 0..TAPS {
                columns[i] += if texels[i] <= height { wy } else { 0.0 };
            }
        }
        (0..TAPS).fold(0.0, |lit, i| lit + columns[i] * wx[i])
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
fn weights(part: f32) -> [f32; TAPS] {
    const PER_TEXEL: f32 = 1.0 / (BLUR + 1) as f32;
    let mut weights = [0.0; TAPS];
    for (i, weight) in weights.iter_mut().enumerate() {
        let away = (i as f32 - BLUR as f32 - part).abs();
        *weight = (1.0 - away * PER_TEXEL).max(0.0) * PER_TEXEL;
    }
    weights
}

/// Raises the texels of a band, which begins at row `first`, to the height of a triangle.
fn draw(heights: &mut [f32], first: usize, [a, b, c]: [Vec3f; 3]) {
    let rows = heights.len() / SIZE;
    let low = a.y.min(b.y).min(c.y);
    let high = a.y.max(b.y).max(c.y);
    if !(high >= first as f32 && low <= (first + rows) as f32) {
        return;
    }
    let (ab, ac) = (b - a, c - a);
    let area = ab.x * ac.y - ab.y * ac.x;
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let slope_x = (ab.z * ac.y - ac.z * ab.y) / area;
    let slope_y = (ac.z * ab.x - ab.z * ac.x) / area;
    let (least, greatest) = (a.z.min(b.z).min(c.z), a.z.max(b.z).max(c.z));
    // The first texel whose middle is not before `x`.
    let texel = |x: f32| (x - 0.5).ceil().max(0.0) as usize;
    for row in texel(low).max(first)..texel(high).min(first + rows) {
        let y = row as f32 + 0.5;
        let Some([left, right]) = span([a, b, c], y) else { continue };
        let texels = &mut heights[(row - first) * SIZE..][..SIZE];
        for x in texel(left)..texel(right).min(SIZE) {
            let h = a.z + (x as f32 + 0.5 - a.x) * slope_x + (y - a.y) * slope_y;
            texels[x] = texels[x].max(h.max(least).min(greatest));
        }
    }
}

/// Where a row enters and leaves a triangle.
fn span(corners: [Vec3f; 3], y: f32) -> Option<[f32; 2]> {
    let mut span: Option<[f32; 2]> = None;
    for i in 0..3 {
        let (mut a, mut b) = (corners[i], corners[(i + 1) % 3]);
        if (a.y <= y) == (b.y <= y) {
            continue;
        }
        // Always from the lower end, so that neighbours meet at the same place.
        if a.y > b.y {
            std::mem::swap(&mut a, &mut b);
        }
        let x = a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
        let [left, right] = span.unwrap_or([x, x]);
        span = Some([left.min(x), right.max(x)]);
    }
    span
}

fn ranges(heights: &[f32]) -> Vec<[f32; 2]> {
    let mut own = vec![[f32::INFINITY, f32::NEG_INFINITY]; BLOCKS * BLOCKS];
    for (i, &h) in heights.iter().enumerate() {
        let [least, greatest] = &mut own[i / SIZE / BLOCK * BLOCKS + i % SIZE / BLOCK];
        (*least, *greatest) = (least.min(h), greatest.max(h));
    }
    let around = |i: usize| i.saturating_sub(1)..(i + 2).min(BLOCKS);
    let merged = |block: usize| {
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        for row in around(block / BLOCKS) {
            for column in around(block % BLOCKS) {
                let [least, greatest] = own[row * BLOCKS + column];
                range = [range[0].min(least), range[1].max(greatest)];
            }
        }
        range
    };
    (0..BLOCKS * BLOCKS).map(merged).collect()
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
}
