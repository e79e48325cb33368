//! The map of the surfaces nearest to the light.

use super::parallel;
use crate::list::DrawList;
use crate::math::Vec3f;
use crate::shadow::{BLUR, SIZE, ShadowFrame, TAPS, weights};

/// Side of the blocks whose least and greatest heights are known.
const BLOCK: usize = 8;
const BLOCKS: usize = SIZE / BLOCK;
/// Rows that a thread draws at a time.
const BAND: usize = 64;

pub(super) struct ShadowMap {
    frame: ShadowFrame,
    /// Height towards the light \[m\] of the topmost surface.
    heights: Vec<f32>,
    /// Least and greatest height in each block and its eight neighbours.
    ranges: Vec<[f32; 2]>,
}

impl ShadowMap {
    pub fn new(list: &DrawList, to_light: Vec3f, threads: usize) -> Self {
        let frame = ShadowFrame::new(list, to_light.into());
        let points: Vec<Vec3f> =
            list.vertices.iter().map(|v| frame.place(v.position.into())).collect();
        let mut heights = vec![f32::NEG_INFINITY; SIZE * SIZE];
        let bands = heights.chunks_mut(SIZE * BAND).enumerate();
        parallel::for_each(threads, bands, |(band, heights)| {
            for triangle in list.light_stoppers() {
                draw(heights, band * BAND, triangle.map(|v| points[v as usize]));
            }
        });
        Self { frame, ranges: ranges(&heights), heights }
    }

    /// The part of the light that reaches a place on a surface whose `normal` faces the eye.
    pub fn visible(&self, position: Vec3f, normal: Vec3f) -> f32 {
        self.frame.place_on_surface(position, normal).map_or(0.0, |at| self.look(at))
    }

    /// The same for the floor, which shades nothing.
    pub fn visible_on_floor(&self, position: Vec3f) -> f32 {
        self.look(self.frame.place(position))
    }

    /// The weighted part of the texels round `at` that are not above it.
    fn look(&self, at: Vec3f) -> f32 {
        let (x, y) = (at.x - 0.5, at.y - 0.5);
        let edge = (BLUR + 1) as f32;
        let end = SIZE as f32 - edge - 1.0;
        if !(x >= edge && y >= edge && x < end && y < end) {
            return 1.0;
        }
        let height = at.z;
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
