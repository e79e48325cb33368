//! What is to be seen on a photograph of the display.

use std::collections::BTreeSet;
use std::path::Path;

use crate::display::SIZE;

/// How far the strongest part of a colour is from the weakest where something is coloured. The ground,
/// the walls and the panels are nearly grey.
const COLOURED: u8 = 45;
/// How far apart two colours are that nobody takes for one.
const DIFFERENT: u32 = 60;

/// Left, top, width and height \[pixels\].
pub type Area = [usize; 4];

/// A photograph.
pub struct Photo {
    pixels: Vec<[u8; 3]>,
}

impl Photo {
    #[track_caller]
    pub fn read(path: &Path) -> Self {
        let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!([info.width as usize, info.height as usize], SIZE);
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        let (pixels, _) = bytes[..info.buffer_size()].as_chunks::<3>();
        Self { pixels: pixels.to_vec() }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * SIZE[0] + x]
    }

    /// How many different colours there are.
    pub fn colours(&self, area: Area) -> usize {
        places(area).map(|[x, y]| self.at(x, y)).collect::<BTreeSet<_>>().len()
    }

    /// The part of an area that is of each hue: red, yellow, green, cyan, blue, purple. What is nearly
    /// grey has none.
    pub fn hues(&self, area: Area) -> [f64; 6] {
        let mut counts = [0.0; 6];
        for hue in places(area).filter_map(|[x, y]| hue(self.at(x, y))) {
            counts[hue] += 1.0 / (area[2] * area[3]) as f64;
        }
        counts
    }

    /// The middle of the largest square that is all of one hue: surely a body.
    pub fn body(&self, area: Area) -> Option<[usize; 2]> {
        let [left, top, width, height] = area;
        // The largest square that ends at each place: one more than the least of its three neighbours.
        let mut sides = vec![0; width * height];
        let mut best = (0, [0, 0]);
        for [x, y] in places([1, 1, width - 1, height - 1]) {
            let hue_at = |x: usize, y: usize| hue(self.at(left + x, top + y));
            if hue_at(x, y).is_none() {
                continue;
            }
            let before = [[x - 1, y], [x, y - 1], [x - 1, y - 1]];
            let is_alike = before.iter().all(|&[i, j]| hue_at(i, j) == hue_at(x, y));
            let side = before.iter().map(|&[i, j]| sides[j * width + i]).min().unwrap_or(0);
            let side = if is_alike { side + 1 } else { 1 };
            sides[y * width + x] = side;
            if side > best.0 {
                best = (side, [left + x - side / 2, top + y - side / 2]);
            }
        }
        (best.0 > 8).then_some(best.1)
    }

    /// The part of an area that looks different on another photograph.
    pub fn difference(&self, other: &Self, area: Area) -> f64 {
        let differs = |&[x, y]: &[usize; 2]| {
            let (a, b) = (self.at(x, y), other.at(x, y));
            (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))).sum::<u32>() > DIFFERENT
        };
        places(area).filter(differs).count() as f64 / (area[2] * area[3]) as f64
    }
}

fn places([left, top, width, height]: Area) -> impl Iterator<Item = [usize; 2]> {
    (top..top + height).flat_map(move |y| (left..left + width).map(move |x| [x, y]))
}

/// The sixth of the circle of colours that a colour belongs to, if it is not grey.
fn hue([r, g, b]: [u8; 3]) -> Option<usize> {
    let (high, low) = (r.max(g).max(b), r.min(g).min(b));
    if high - low < COLOURED {
        return None;
    }
    let [r, g, b] = [r, g, b].map(f64::from);
    let span = f64::from(high - low);
    let sixth = match high {
        h if f64::from(h) == r => (g - b) / span,
        h if f64::from(h) == g => 2.0 + (b - r) / span,
        _ => 4.0 + (r - g) / span,
    };
    Some((sixth + 6.5) as usize % 6)
}

#[test]
fn hues_and_squares_are_found() {
    assert_eq!(hue([200, 20, 30]), Some(0));
    assert_eq!(hue([20, 200, 30]), Some(2));
    assert_eq!(hue([20, 30, 200]), Some(4));
    assert_eq!(hue([120, 130, 140]), None);
    let mut photo = Photo { pixels: vec![[220; 3]; SIZE[0] * SIZE[1]] };
    for [x, y] in places([100, 200, 40, 20]) {
        photo.pixels[y * SIZE[0] + x] = [200, 20, 30];
    }
    let area = [50, 150, 200, 200];
    let [x, y] = photo.body(area).unwrap();
    assert!((109..=130).contains(&x) && (209..=211).contains(&y), "{x} {y}");
    assert_eq!((photo.body([300, 300, 50, 50]), photo.colours(area)), (None, 2));
    assert!((photo.hues(area)[0] - 800.0 / 40_000.0).abs() < 1e-9);
}
