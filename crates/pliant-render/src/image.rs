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
}
