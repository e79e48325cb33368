//! Pictures as the codec sees them: brightness in full, colour at half the resolution.

use crate::Image;

/// Samples row by row, without gaps.
#[derive(Clone)]
pub struct Plane {
    /// Samples per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `width · height` samples.
    pub samples: Vec<u8>,
}

impl Plane {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, samples: vec![0; width * height] }
    }
}

/// Luma and the two chroma planes of a picture, in whole macroblocks.
#[derive(Clone)]
pub struct Planes(pub [Plane; 3]);

impl Planes {
    /// Black planes for `columns` × `rows` macroblocks of 16 × 16 pixels.
    pub fn new(columns: usize, rows: usize) -> Self {
        let chroma = Plane::new(columns * 8, rows * 8);
        Self([Plane::new(columns * 16, rows * 16), chroma.clone(), chroma])
    }

    /// Converts a picture (ITU-R BT.709, section 3, studio range). Translucent pixels are seen over
    /// black; columns and rows that the picture lacks repeat its last.
    pub fn fill(&mut self, image: &Image) {
        let (width, height) = (image.width as usize, image.height as usize);
        let Self([luma, cb, cr]) = self;
        let mut upper = vec![[0; 3]; luma.width];
        let mut lower = upper.clone();
        for y in (0..luma.height).step_by(2) {
            for (row, y) in [(&mut upper, y), (&mut lower, y + 1)] {
                let source = &image.pixels[y.min(height - 1) * width..][..width];
                for (x, colour) in row.iter_mut().enumerate() {
                    *colour = over_black(source[x.min(width - 1)]);
                }
                let out = &mut luma.samples[y * luma.width..][..luma.width];
                for (sample, &[r, g, b]) in out.iter_mut().zip(row.iter()) {
                    *sample = (16 + ((11966 * r + 40254 * g + 4064 * b + 32768) >> 16)) as u8;
                }
            }
            let start = y / 2 * cb.width;
            for x in 0..cb.width {
                let [r, g, b] = colour_between(&upper, &lower, x);
                let (dcb, dcr) =
                    (28784 * b - 6596 * r - 22188 * g, 28784 * r - 26145 * g - 2639 * b);
                cb.samples[start + x] = (128 + ((dcb + (1 << 18)) >> 19)) as u8;
                cr.samples[start + x] = (128 + ((dcr + (1 << 18)) >> 19)) as u8;
            }
        }
    }
}

fn over_black([r, g, b, opacity]: [u8; 4]) -> [i32; 3] {
    if opacity == 255 {
        return [r, g, b].map(i32::from);
    }
    [r, g, b].map(|c| (i32::from(c) * i32::from(opacity) + 127) / 255)
}

/// Eight times the colour at chroma sample `x`. It lies on the left of its two luma columns and
/// between its rows (H.264, figure 6-1), so the column before counts as much as the one after.
fn colour_between(upper: &[[i32; 3]], lower: &[[i32; 3]], x: usize) -> [i32; 3] {
    let (left, right) = ((2 * x).saturating_sub(1), 2 * x + 1);
    std::array::from_fn(|c| {
        let sum = |i: usize| upper[i][c] + lower[i][c];
        sum(left) + 2 * sum(2 * x) + sum(right)
    })
}

/// Samples that a reference picture has beyond each edge, so that motion may lead outside.
pub const MARGIN: usize = 32;

/// A plane of the picture before, its edge samples repeated all round.
pub struct Reference {
    /// Samples per row, margins included.
    pub stride: usize,
    /// All samples, margins included.
    pub samples: Vec<u8>,
}

impl Reference {
    /// Surrounds a plane.
    pub fn new(plane: &Plane) -> Self {
        let stride = plane.width + 2 * MARGIN;
        let mut samples = Vec::with_capacity(stride * (plane.height + 2 * MARGIN));
        for y in 0..plane.height + 2 * MARGIN {
            let y = y.saturating_sub(MARGIN).min(plane.height - 1);
            let row = &plane.samples[y * plane.width..][..plane.width];
            samples.extend(std::iter::repeat_n(row[0], MARGIN));
            samples.extend_from_slice(row);
            samples.extend(std::iter::repeat_n(row[plane.width - 1], MARGIN));
        }
        Self { stride, samples }
    }

    /// Where the sample in column `x` of row `y` of the plane lies.
    pub fn index(&self, x: i32, y: i32) -> usize {
        let margin = MARGIN as i32;
        (y + margin) as usize * self.stride + (x + margin) as usize
    }
}
