//! Colours: light, sRGB, colour maps and the colours of bodies.

use crate::math::{Vec3f, vec3};

/// Red, green and blue in linear light, 1 being as bright as a screen goes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Colour(pub [f32; 3]);

impl Colour {
    /// From sRGB components between 0 and 1.
    pub fn from_srgb(srgb: [f32; 3]) -> Self {
        Self(srgb.map(linear_from_srgb))
    }

    /// From sRGB as on web pages, for example `0xe8a87c`.
    pub fn from_hex(rgb: u32) -> Self {
        Self::from_srgb([16, 8, 0].map(|shift| (rgb >> shift & 255) as f32 / 255.0))
    }

    /// Eight bits per component, opaque, in sRGB.
    pub fn to_srgb8(self) -> [u8; 4] {
        let [r, g, b] = self.0.map(|c| (srgb_from_linear(c) * 255.0).round() as u8);
        [r, g, b, 255]
    }

    /// The colour of body number `i`: distinct for the first eight, then again from the start.
    pub fn of_body(i: usize) -> Self {
        Self::from_hex(BODIES[i % BODIES.len()])
    }

    pub(crate) fn vec(self) -> Vec3f {
        self.0.into()
    }
}

/// Gentle, equally light colours of well separated hue.
const BODIES: [u32; 8] =
    [0xd9826b, 0x6b9fd0, 0x8fb572, 0xc9a24f, 0xa887c4, 0x5fb3a8, 0xd184a4, 0x9c9488];

/// Linear light of an sRGB component (IEC 61966-2-1).
pub fn linear_from_srgb(s: f32) -> f32 {
    if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB component of linear light, cut off to 0–1; the inverse of [`linear_from_srgb`].
pub fn srgb_from_linear(l: f32) -> f32 {
    let l = l.clamp(0.0, 1.0);
    if l <= 0.0031308 { l * 12.92 } else { 1.055 * l.powf(1.0 / 2.4) - 0.055 }
}

/// From a number between 0 and 1 to a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Grey at rest, red under full force (Echtler 2004, "Visualisation").
    GreyRed,
    /// Dark violet over green to yellow; even steps look even, also to the colour-blind.
    Viridis,
}

/// What stands for a value that is not a number: in none of the maps.
pub const NO_VALUE: Colour = Colour([0.55, 0.02, 0.50]);

/// Ends of [`ColourMap::GreyRed`] in linear light.
const GREY: Vec3f = vec3(0.50, 0.50, 0.51);
const RED: Vec3f = vec3(0.78, 0.035, 0.025);

/// Entries of a [`Table`].
const TABLE: usize = 256;

impl ColourMap {
    /// The colour of `t`, which is cut off to 0–1; [`NO_VALUE`] if it is not a number.
    pub fn colour(self, t: f32) -> Colour {
        if t.is_nan() {
            return NO_VALUE;
        }
        let t = t.clamp(0.0, 1.0);
        match self {
            ColourMap::GreyRed => Colour(GREY.mix(RED, t).into()),
            ColourMap::Viridis => Colour::from_srgb(viridis(t)),
        }
    }

    /// The same as a table, for quick reading and for textures.
    pub fn table(self) -> Table {
        Table::of(|t| self.colour(t))
    }
}

/// A colour map at 256 even steps.
#[derive(Clone, Debug)]
pub struct Table(pub [Colour; TABLE]);

impl Table {
    /// The colours that `map` has from 0 to 1.
    pub(crate) fn of(map: impl Fn(f32) -> Colour) -> Self {
        Self(std::array::from_fn(|i| map(i as f32 / (TABLE - 1) as f32)))
    }

    /// The colour of `t`, between the two nearest entries.
    pub fn colour(&self, t: f32) -> Colour {
        if t.is_nan() {
            return NO_VALUE;
        }
        let x = t.clamp(0.0, 1.0) * (TABLE - 1) as f32;
        let i = (x as usize).min(TABLE - 2);
        Colour(self.0[i].vec().mix(self.0[i + 1].vec(), x - i as f32).into())
    }
}

/// sRGB of viridis (van der Walt and Smith 2015, matplotlib) by the polynomial of degree six that
/// Matt Zucker fitted to each component ("Viridis colormap polynomials", 2019, public domain);
/// within 0.02 of the original.
fn viridis(t: f32) -> [f32; 3] {
    const COEFFICIENTS: [[f32; 3]; 7] = [
        [0.277_727_33, 0.005_407_344_5, 0.334_099_8],
        [0.105_093_04, 1.404_613_5, 1.384_590_2],
        [-0.330_861_83, 0.214_847_56, 0.095_095_16],
        [-4.634_230_6, -5.799_101, -19.332_441],
        [6.228_27, 14.179_934, 56.690_55],
        [4.776_385, -13.745_145, -65.353_035],
        [-5.435_456, 4.645_852_6, 26.312_435],
    ];
    let horner = |k: usize| COEFFICIENTS.iter().rev().fold(0.0, |sum, c| sum * t + c[k]);
    std::array::from_fn(|k| horner(k).clamp(0.0, 1.0))
}

/// [`Colour::to_srgb8`] by comparison with tabled limits: the same result without powers.
pub(crate) struct Encoder {
    /// The least linear light of each level.
    limits: [f32; 256],
    /// A level that is reached at the beginning of each of even steps of light.
    guess: Vec<u8>,
}

/// Steps of [`Encoder::guess`]: at most a few levels lie within one.
const STEPS: usize = 4096;

impl Encoder {
    pub fn new() -> Self {
        let limits: [f32; 256] = std::array::from_fn(|i| {
            if i == 0 { f32::NEG_INFINITY } else { linear_from_srgb((i as f32 - 0.5) / 255.0) }
        });
        let level = |l: f32| limits.partition_point(|&limit| limit <= l) - 1;
        let guess = (0..=STEPS).map(|i| level(i as f32 / STEPS as f32) as u8).collect();
        Self { limits, guess }
    }

    pub fn encode(&self, colour: Colour) -> [u8; 4] {
        let [r, g, b] = colour.0;
        [self.level(r), self.level(g), self.level(b), 255]
    }

    #[inline]
    fn level(&self, light: f32) -> u8 {
        let light = light.clamp(0.0, 1.0);
        let mut level = self.guess[(light * STEPS as f32) as usize];
        while level < 255 && self.limits[usize::from(level) + 1] <= light {
            level += 1;
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_goes_there_and_back() {
        for i in 0..=255u32 {
            let colour = Colour::from_hex(i << 16 | (255 - i) << 8 | (i / 2));
            assert_eq!(colour.to_srgb8(), [i as u8, 255 - i as u8, (i / 2) as u8, 255]);
        }
        // Half of the light is 188 of 255, a well-known pair.
        assert_eq!(Colour([0.5; 3]).to_srgb8()[0], 188);
    }

    #[test]
    fn the_encoder_agrees_with_the_formula() {
        let encoder = Encoder::new();
        for i in -10..100_010 {
            let colour = Colour([i as f32 / 1e5, 0.0, 1.0]);
            let (a, b) = (encoder.encode(colour), colour.to_srgb8());
            // Exactly at a limit, rounding may fall to either side.
            let s = srgb_from_linear(colour.0[0]) * 255.0;
            assert!(a == b || (s.fract() - 0.5).abs() < 1e-3, "{i}: {a:?} is not {b:?}");
        }
        assert_eq!(encoder.encode(Colour([f32::NAN; 3]))[3], 255);
    }

    #[test]
    fn viridis_has_its_published_colours() {
        // matplotlib's _viridis_data at 0, 127 and 255.
        let published =
            [(0.0, [68, 1, 84]), (127.0 / 255.0, [33, 144, 141]), (1.0, [253, 231, 37])];
        for (t, want) in published {
            let got = ColourMap::Viridis.colour(t).to_srgb8();
            for k in 0..3 {
                assert!(got[k].abs_diff(want[k]) <= 6, "{t}: {got:?} is not {want:?}");
            }
        }
    }

    #[test]
    fn viridis_gets_steadily_lighter() {
        let luminance = |t: f32| {
            let [r, g, b] = ColourMap::Viridis.colour(t).0;
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for i in 0..100 {
            assert!(luminance((i + 1) as f32 / 100.0) > luminance(i as f32 / 100.0), "at {i} %");
        }
    }

    #[test]
    fn force_goes_from_grey_to_red_and_stays() {
        let [r, g, b] = ColourMap::GreyRed.colour(0.0).0;
        assert!((r - g).abs() < 0.02 && (g - b).abs() < 0.02);
        let [r, g, b] = ColourMap::GreyRed.colour(1.0).0;
        assert!(r > 10.0 * g && r > 10.0 * b);
        assert_eq!(ColourMap::GreyRed.colour(7.0), ColourMap::GreyRed.colour(1.0));
    }

    #[test]
    fn a_table_is_its_map() {
        let table = ColourMap::Viridis.table();
        for i in 0..=1000 {
            let t = i as f32 / 1000.0;
            let (a, b) = (table.colour(t), ColourMap::Viridis.colour(t));
            assert!((a.vec() - b.vec()).length() < 2e-3, "{t}");
        }
        assert_eq!(table.colour(f32::NAN), NO_VALUE);
    }

    #[test]
    fn bodies_differ() {
        for i in 0..8 {
            for j in 0..i {
                let apart = (Colour::of_body(i).vec() - Colour::of_body(j).vec()).length();
                assert!(apart > 0.1, "{i} and {j}: {apart}");
            }
        }
    }
}
