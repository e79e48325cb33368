//! A band of macroblocks: chooses how each is predicted, and writes it.
//!
//! Slices know nothing of each other, so that they can be encoded at the same time.

use super::bits::BitWriter;
use super::intra::{Border, Mode};
use super::motion::{Search, Vector, difference, fetch_chroma, fetch_luma};
use super::planes::{Planes, Reference};
use super::residual::{Contexts, Quantisers, Residual, Samples, count};

/// What is remembered of a macroblock for its neighbours and the smoothing of seams.
#[derive(Clone, Default)]
pub struct Macroblock {
    /// Predicted from the picture before.
    pub inter: bool,
    /// Its motion.
    pub vector: Vector,
    /// Coefficients of the luma blocks, row by row.
    pub luma: [u8; 16],
    /// Coefficients of the chroma blocks.
    pub chroma: [[u8; 4]; 2],
}

/// What all slices of a picture share.
pub struct Picture<'a> {
    /// The samples to encode.
    pub source: &'a Planes,
    /// The planes of the picture before, unless this one stands alone.
    pub before: Option<&'a [Reference; 3]>,
    /// Macroblocks per row.
    pub columns: usize,
    /// The quantisation parameter.
    pub qp: i32,
}

/// Codes of patterns for inter blocks, in the order of ascending code number (H.264, table 9-4).
const PATTERNS: [u8; 48] = [
    0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13, 14, 6, 9, 31, 35, 37, 42, 44, 33, 34,
    36, 40, 39, 43, 45, 46, 17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41,
];

/// A slice in the making.
pub struct Slice<'a, 'p> {
    picture: &'a Picture<'a>,
    /// The first row of macroblocks.
    first_row: usize,
    /// The decoder's picture, as far as this slice covers it.
    planes: [&'p mut [u8]; 3],
    blocks: Vec<Macroblock>,
    bits: BitWriter,
    /// Macroblocks left out since the last one written.
    skipped: u32,
    intra: Quantisers,
    inter: Quantisers,
    pattern_codes: [u8; 48],
}

impl<'a, 'p> Slice<'a, 'p> {
    /// A slice that begins at `first_row`, covers as many rows as `planes` hold, and goes on after
    /// the header in `bits`.
    pub fn new(
        picture: &'a Picture<'a>,
        first_row: usize,
        planes: [&'p mut [u8]; 3],
        bits: BitWriter,
    ) -> Self {
        let mut pattern_codes = [0; 48];
        for (code, &pattern) in PATTERNS.iter().enumerate() {
            pattern_codes[usize::from(pattern)] = code as u8;
        }
        Self {
            first_row,
            planes,
            blocks: Vec::new(),
            bits,
            skipped: 0,
            intra: Quantisers::new(picture.qp, true),
            inter: Quantisers::new(picture.qp, false),
            pattern_codes,
            picture,
        }
    }

    /// Encodes all macroblocks; the payload of the packet comes out, and what smoothing needs.
    pub fn run(mut self) -> (Vec<u8>, Vec<Macroblock>) {
        let rows = self.planes[0].len() / (256 * self.picture.columns);
        for row in 0..rows {
            for column in 0..self.picture.columns {
                self.macroblock(column, row);
            }
        }
        if self.skipped > 0 {
            self.bits.unsigned(self.skipped);
        }
        (self.bits.finish(), self.blocks)
    }

    fn macroblock(&mut self, column: usize, row: usize) {
        let wanted = self.wanted(column, row);
        let Some(before) = self.picture.before else {
            let (guess, modes, _) = self.best_intra(&wanted, column, row);
            return self.write_intra(&wanted, &guess, modes, column, row);
        };
        let predicted = self.predicted_vector(column, row);
        let search = self.search(&before[0], &wanted, predicted, column, row);
        let free = self.skip_vector(predicted, column, row);
        if search.allows(free) {
            let guess = self.fetch(before, free, column, row);
            if Residual::new(&wanted, &guess, false, &self.inter).pattern() == 0 {
                return self.skip(&guess, free, column, row);
            }
        }
        let mut starts = vec![predicted, free];
        for (dx, dy) in [(-1, 0), (0, -1), (1, -1)] {
            starts.extend(self.neighbour(column, row, dx, dy).map(|b| b.vector));
        }
        let (vector, cost) = search.run(&starts);
        let (guess, modes, intra_cost) = self.best_intra(&wanted, column, row);
        // An intra block writes more, so it must be clearly better.
        if intra_cost + search.bit * 16 < cost {
            return self.write_intra(&wanted, &guess, modes, column, row);
        }
        let guess = self.fetch(before, vector, column, row);
        self.write_inter(&wanted, &guess, (vector, predicted, free), column, row);
    }

    fn wanted(&self, column: usize, row: usize) -> Samples {
        let [y, cb, cr] = &self.picture.source.0;
        let row = self.first_row + row;
        Samples {
            luma: std::array::from_fn(|i| {
                y.samples[(row * 16 + i / 16) * y.width + column * 16 + i % 16]
            }),
            chroma: [cb, cr].map(|plane| {
                std::array::from_fn(|i| {
                    plane.samples[(row * 8 + i / 8) * plane.width + column * 8 + i % 8]
                })
            }),
        }
    }

    fn search<'s>(
        &self,
        from: &'s Reference,
        wanted: &'s Samples,
        predicted: Vector,
        column: usize,
        row: usize,
    ) -> Search<'s> {
        let luma = &self.picture.source.0[0];
        Search {
            from,
            block: &wanted.luma,
            corner: [column as i32 * 16, (self.first_row + row) as i32 * 16],
            size: [luma.width as i32, luma.height as i32],
            predicted,
            bit: bit_worth(self.picture.qp),
        }
    }

    fn fetch(&self, before: &[Reference; 3], vector: Vector, column: usize, row: usize) -> Samples {
        let (x, y) = (column as i32, (self.first_row + row) as i32);
        Samples {
            luma: fetch_luma(&before[0], [x * 16, y * 16], vector),
            chroma: [1, 2].map(|p| fetch_chroma(&before[p], [x * 8, y * 8], vector)),
        }
    }

    /// A macroblock of this slice that comes earlier.
    fn neighbour(&self, column: usize, row: usize, dx: isize, dy: isize) -> Option<&Macroblock> {
        let column = column.checked_add_signed(dx).filter(|c| *c < self.picture.columns)?;
        let row = row.checked_add_signed(dy)?;
        Some(&self.blocks[row * self.picture.columns + column])
    }

    /// The vector the decoder expects: the median of three neighbours (H.264, section 8.4.1.3).
    fn predicted_vector(&self, column: usize, row: usize) -> Vector {
        let left = self.neighbour(column, row, -1, 0);
        let above = self.neighbour(column, row, 0, -1);
        let aside =
            self.neighbour(column, row, 1, -1).or_else(|| self.neighbour(column, row, -1, -1));
        if above.is_none() && aside.is_none() {
            return left.map_or([0, 0], |b| b.vector);
        }
        let three = [left, above, aside];
        let mut moving = three.iter().flatten().filter(|b| b.inter);
        if let (Some(only), None) = (moving.next(), moving.next()) {
            return only.vector;
        }
        let vectors = three.map(|b| b.map_or([0, 0], |b| b.vector));
        [0, 1].map(|k| {
            let mut three = vectors.map(|v| v[k]);
            three.sort_unstable();
            three[1]
        })
    }

    /// The vector of a macroblock that is left out (H.264, section 8.4.1.1).
    fn skip_vector(&self, predicted: Vector, column: usize, row: usize) -> Vector {
        let still = |b: Option<&Macroblock>| b.is_none_or(|b| b.inter && b.vector == [0, 0]);
        let at_rest =
            still(self.neighbour(column, row, -1, 0)) || still(self.neighbour(column, row, 0, -1));
        if at_rest { [0, 0] } else { predicted }
    }

    /// The best prediction from the same picture, its modes for luma and chroma, and its cost.
    fn best_intra(&self, wanted: &Samples, column: usize, row: usize) -> (Samples, [Mode; 2], u32) {
        let width = self.picture.columns * 16;
        let (up, left) = (row > 0, column > 0);
        let border =
            Border::<16>::read(self.planes[0], width, row * 16 * width + column * 16, up, left);
        let (mut luma, mut cost, mut luma_mode) = ([128; 256], u32::MAX, Mode::Mean);
        for mode in Mode::ALL {
            if let Some(guess) = border.predict::<256>(mode) {
                let sum = difference(&guess, &wanted.luma);
                if sum < cost {
                    (luma, cost, luma_mode) = (guess, sum, mode);
                }
            }
        }
        let at = row * 4 * width + column * 8;
        let borders = [1, 2].map(|p| Border::<8>::read(self.planes[p], width / 2, at, up, left));
        let (mut chroma, mut chroma_cost, mut chroma_mode) = ([[128; 64]; 2], u32::MAX, Mode::Mean);
        for mode in Mode::ALL {
            let guesses = [0, 1].map(|p| borders[p].predict::<64>(mode));
            if let [Some(cb), Some(cr)] = guesses {
                let sum = [(&cb, 0), (&cr, 1)]
                    .into_iter()
                    .flat_map(|(guess, p)| guess.iter().zip(&wanted.chroma[p]))
                    .map(|(&a, &b)| u32::from(a.abs_diff(b)))
                    .sum();
                if sum < chroma_cost {
                    (chroma, chroma_cost, chroma_mode) = ([cb, cr], sum, mode);
                }
            }
        }
        (Samples { luma, chroma }, [luma_mode, chroma_mode], cost)
    }

    fn skip(&mut self, guess: &Samples, vector: Vector, column: usize, row: usize) {
        self.skipped += 1;
        self.store(guess, column, row);
        self.blocks.push(Macroblock { inter: true, vector, ..Macroblock::default() });
    }

    /// `vectors`: the motion, the one expected, and the one of a macroblock left out.
    fn write_inter(
        &mut self,
        wanted: &Samples,
        guess: &Samples,
        (vector, predicted, free): (Vector, Vector, Vector),
        column: usize,
        row: usize,
    ) {
        let residual = Residual::new(wanted, guess, false, &self.inter);
        let pattern = residual.pattern();
        if pattern == 0 && vector == free {
            return self.skip(guess, vector, column, row);
        }
        self.end_skipping();
        self.bits.unsigned(0);
        for k in 0..2 {
            self.bits.signed(i32::from(vector[k] - predicted[k]));
        }
        self.bits.unsigned(self.pattern_codes[pattern as usize].into());
        if pattern != 0 {
            self.bits.signed(0);
        }
        self.push(&residual, Some(vector));
        let contexts = self.contexts(column, row);
        residual.write(&mut self.bits, pattern, &contexts);
        let result = residual.applied(guess, &self.inter);
        self.store(&result, column, row);
    }

    fn write_intra(
        &mut self,
        wanted: &Samples,
        guess: &Samples,
        [luma, chroma]: [Mode; 2],
        column: usize,
        row: usize,
    ) {
        let residual = Residual::new(wanted, guess, true, &self.intra);
        let pattern = residual.pattern();
        let kind = 1 + luma.luma_number() + 4 * (pattern >> 4) + 12 * (pattern & 1);
        if self.picture.before.is_some() {
            self.end_skipping();
            self.bits.unsigned(5 + kind);
        } else {
            self.bits.unsigned(kind);
        }
        self.bits.unsigned(chroma.chroma_number());
        self.bits.signed(0);
        self.push(&residual, None);
        let contexts = self.contexts(column, row);
        residual.write(&mut self.bits, pattern, &contexts);
        let result = residual.applied(guess, &self.intra);
        self.store(&result, column, row);
    }

    fn end_skipping(&mut self) {
        self.bits.unsigned(self.skipped);
        self.skipped = 0;
    }

    fn push(&mut self, residual: &Residual, vector: Option<Vector>) {
        self.blocks.push(Macroblock {
            inter: vector.is_some(),
            vector: vector.unwrap_or_default(),
            luma: std::array::from_fn(|b| count(&residual.luma[b])),
            chroma: [0, 1].map(|p| std::array::from_fn(|b| count(&residual.chroma[p][b]))),
        });
    }

    /// The mean number of coefficients left of and above each block (H.264, section 9.2.1).
    fn contexts(&self, column: usize, row: usize) -> Contexts {
        let here = &self.blocks[row * self.picture.columns + column];
        let left = self.neighbour(column, row, -1, 0);
        let above = self.neighbour(column, row, 0, -1);
        Contexts {
            luma: std::array::from_fn(|b| {
                let a =
                    if b % 4 > 0 { Some(here.luma[b - 1]) } else { left.map(|m| m.luma[b + 3]) };
                let up = if b > 3 { Some(here.luma[b - 4]) } else { above.map(|m| m.luma[b + 12]) };
                expected(a, up)
            }),
            chroma: [0, 1].map(|p| {
                let of = |m: &Macroblock, b: usize| m.chroma[p][b];
                std::array::from_fn(|b| {
                    let a =
                        if b % 2 > 0 { Some(of(here, b - 1)) } else { left.map(|m| of(m, b + 1)) };
                    let up =
                        if b > 1 { Some(of(here, b - 2)) } else { above.map(|m| of(m, b + 2)) };
                    expected(a, up)
                })
            }),
        }
    }

    fn store(&mut self, samples: &Samples, column: usize, row: usize) {
        let width = self.picture.columns * 16;
        for (y, line) in samples.luma.chunks_exact(16).enumerate() {
            self.planes[0][(row * 16 + y) * width + column * 16..][..16].copy_from_slice(line);
        }
        for p in 0..2 {
            for (y, line) in samples.chroma[p].chunks_exact(8).enumerate() {
                let at = (row * 8 + y) * width / 2 + column * 8;
                self.planes[p + 1][at..][..8].copy_from_slice(line);
            }
        }
    }
}

fn expected(left: Option<u8>, above: Option<u8>) -> usize {
    match (left, above) {
        (Some(a), Some(b)) => (usize::from(a) + usize::from(b)).div_ceil(2),
        (Some(one), None) | (None, Some(one)) => one.into(),
        (None, None) => 0,
    }
}

/// What a bit is worth in absolute differences: it doubles with the quantiser's step
/// (Sullivan and Wiegand, "Rate-Distortion Optimization for Video Compression", section on motion).
fn bit_worth(qp: i32) -> u32 {
    (f64::from(qp - 12) / 6.0).exp2().round().max(1.0) as u32
}
