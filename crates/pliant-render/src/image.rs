//! A picture in memory.

/// Rows of pixels from the top, red, green, blue and opacity, eight bits each, in sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width · height` pixels.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Self {
        Self { width, height, pixels: vec![colour; width as usize * height as usize] }
    }

    /// The pixel in column `x` of row `y`.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// Fills the part of a rectangle that is inside the picture, `opacity` of 255.
    pub(crate) fn fill(
        &mut self,
        (x, y): (i64, i64),
        (width, height): (i64, i64),
        colour: [u8; 4],
        opacity: u8,
    ) {
        let inside = |from: i64, length: i64, end: u32| {
            let end = i64::from(end);
            from.clamp(0, end) as usize..from.saturating_add(length).clamp(0, end) as usize
        };
        let columns = inside(x, width, self.width);
        for row in inside(y, height, self.height) {
            let start = row * self.width as usize;
            for pixel in &mut self.pixels[start + columns.start..start + columns.end] {
                for k in 0..3 {
                    let (old, new) = (u32::from(pixel[k]), u32::from(colour[k]));
                    let opacity = u32::from(opacity);
                    pixel[k] = ((old * (255 - opacity) + new * opacity + 127) / 255) as u8;
                }
            }
        }
    }
}
