//! A run at a glance: pictures from all of it, side by side.

use pliant_render::Image;
use pliant_render::encode::contact_sheet;

/// Pictures on a sheet.
const PICTURES: usize = 12;
const COLUMNS: usize = 4;
/// Pictures that are kept while the length of the run is not known.
const MOST_KEPT: usize = 4 * PICTURES;
/// Widest picture on a sheet \[pixels\].
const WIDEST: u32 = 400;

/// Pictures of a run, evenly spread however long it gets.
pub struct ContactSheet {
    size: [u32; 2],
    kept: Vec<Image>,
    /// Of so many frames one is kept.
    stride: u64,
    seen: u64,
}

impl ContactSheet {
    /// A sheet of pictures that are drawn smaller than `size`.
    pub fn new([width, height]: [u32; 2]) -> Self {
        let shrunk = width.clamp(1, WIDEST);
        let part = f64::from(shrunk) / f64::from(width.max(1));
        let height = (f64::from(height) * part).round().clamp(1.0, f64::from(4 * WIDEST));
        Self { size: [shrunk, height as u32], kept: Vec::new(), stride: 1, seen: 0 }
    }

    /// Takes a frame, or leaves it out. When there are too many, every second one is given up.
    pub fn add<E>(&mut self, draw: impl FnOnce([u32; 2]) -> Result<Image, E>) -> Result<(), E> {
        let turn = self.seen % self.stride;
        self.seen += 1;
        if turn != 0 {
            return Ok(());
        }
        if self.kept.len() == MOST_KEPT {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
            // The frame that comes now is kept; count on from it.
            self.seen = 1;
        }
        self.kept.push(draw(self.size)?);
        Ok(())
    }

    /// The sheet; nothing when there are no pictures.
    pub fn picture(&self) -> Option<Image> {
        let last = self.kept.len().checked_sub(1)?;
        let count = self.kept.len().min(PICTURES);
        let nth = |i: usize| (i * last).div_ceil((count - 1).max(1));
        let chosen: Vec<Image> = (0..count).map(|i| self.kept[nth(i)].clone()).collect();
        Some(contact_sheet(&chosen, COLUMNS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_spread_over_runs_of_any_length() {
        for count in [1u32, 2, 12, 13, 47, 48, 49, 1000] {
            let mut sheet = ContactSheet::new([960, 720]);
            let colour = |i: u32| [(i >> 8) as u8, i as u8, 0, 255];
            for i in 0..count {
                let draw = |[w, h]: [u32; 2]| Ok::<_, ()>(Image::filled(w, h, colour(i)));
                sheet.add(draw).unwrap();
            }
            let picture = sheet.picture().unwrap();
            let pictures = count.min(12);
            let columns = pictures.min(4);
            assert_eq!(picture.width, columns * 404 - 4, "{count}");
            assert_eq!(picture.height, pictures.div_ceil(4) * 304 - 4, "{count}");
            let shown = |i: u32| {
                let [high, low, ..] = picture.at(i % 4 * 404, i / 4 * 304);
                u32::from(high) * 256 + u32::from(low)
            };
            for i in 0..pictures {
                let ideal = f64::from(i * (count - 1)) / f64::from(pictures.max(2) - 1);
                let off = (f64::from(shown(i)) - ideal).abs();
                assert!(off <= 0.06 * f64::from(count) + 1.0, "{count}: {i} shows {}", shown(i));
            }
        }
        assert!(ContactSheet::new([1, 60_000]).picture().is_none());
    }
}
