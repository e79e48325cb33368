//! What a prediction misses: transformed, quantised, restored as the decoder will, and written.

use super::bits::BitWriter;
use super::cavlc::{Context, write_block};
use super::transform::{Quantiser, ZIGZAG, chroma_qp, forward, hadamard, hadamard2, inverse};

/// Where the 4×4 luma blocks lie, in the order they are written: columns and rows of blocks.
const ORDER: [usize; 16] = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15];

/// The quantisers of a slice.
pub struct Quantisers {
    luma: Quantiser,
    chroma: Quantiser,
}

impl Quantisers {
    /// For one parameter; blocks predicted from the same picture round differently.
    pub fn new(qp: i32, intra: bool) -> Self {
        Self { luma: Quantiser::new(qp, intra), chroma: Quantiser::new(chroma_qp(qp), intra) }
    }
}

/// A prediction of, or the samples of, a macroblock.
#[derive(Clone)]
pub struct Samples {
    /// 16 × 16 samples.
    pub luma: [u8; 256],
    /// Twice 8 × 8 samples.
    pub chroma: [[u8; 64]; 2],
}

/// The levels of a macroblock.
pub struct Residual {
    /// The sums of an intra block's first coefficients.
    pub luma_sums: Option<[i16; 16]>,
    /// Blocks row by row.
    pub luma: [[i16; 16]; 16],
    /// The sums of each chroma plane.
    pub chroma_sums: [[i16; 4]; 2],
    /// Blocks of each chroma plane, row by row.
    pub chroma: [[[i16; 16]; 4]; 2],
}

impl Residual {
    /// The levels that lead from `guess` to `wanted`.
    pub fn new(wanted: &Samples, guess: &Samples, intra: bool, q: &Quantisers) -> Self {
        let mut luma = [[0; 16]; 16];
        let mut sums = [0; 16];
        for (b, levels) in luma.iter_mut().enumerate() {
            let coefficients = forward(&missing::<16>(&wanted.luma, &guess.luma, b));
            sums[b] = coefficients[0];
            *levels = q.luma.levels(&coefficients, usize::from(intra));
        }
        let luma_sums = intra.then(|| {
            let sums = hadamard(&sums).map(|s| (s + 1) >> 1);
            ZIGZAG.map(|i| q.luma.dc_level(sums[i]))
        });
        if !intra {
            drop_specks(&mut luma);
        }
        let mut chroma_sums = [[0; 4]; 2];
        let mut chroma = [[[0; 16]; 4]; 2];
        for plane in 0..2 {
            let mut sums = [0; 4];
            for b in 0..4 {
                let coefficients =
                    forward(&missing::<8>(&wanted.chroma[plane], &guess.chroma[plane], b));
                sums[b] = coefficients[0];
                chroma[plane][b] = q.chroma.levels(&coefficients, 1);
            }
            chroma_sums[plane] = hadamard2(&sums).map(|s| q.chroma.dc_level(s));
        }
        Self { luma_sums, luma, chroma_sums, chroma }
    }

    /// What the decoder makes of `guess` with these levels.
    pub fn applied(&self, guess: &Samples, q: &Quantisers) -> Samples {
        let mut result = guess.clone();
        let sums = self.luma_sums.map(|s| q.luma.restored_luma_dc(&s));
        for (b, levels) in self.luma.iter().enumerate() {
            let mut coefficients = q.luma.restored(levels);
            if let Some(sums) = sums {
                coefficients[0] = sums[b];
            }
            add::<16>(&mut result.luma, b, &coefficients);
        }
        for plane in 0..2 {
            let sums = q.chroma.restored_chroma_dc(&self.chroma_sums[plane]);
            for b in 0..4 {
                let mut coefficients = q.chroma.restored(&self.chroma[plane][b]);
                coefficients[0] = sums[b];
                add::<8>(&mut result.chroma[plane], b, &coefficients);
            }
        }
        result
    }

    /// Which parts have levels at all: a bit for each quarter of luma, then 16 for chroma sums or
    /// 32 for all of chroma (H.264, section 7.4.5, coded_block_pattern).
    pub fn pattern(&self) -> u32 {
        let mut pattern = 0;
        for (b, levels) in self.luma.iter().enumerate() {
            if levels.iter().any(|&l| l != 0) {
                pattern |= 1 << quarter(b);
            }
        }
        if self.luma_sums.is_some() && pattern != 0 {
            pattern = 15;
        }
        if self.chroma.iter().flatten().flatten().any(|&l| l != 0) {
            pattern |= 32;
        } else if self.chroma_sums.iter().flatten().any(|&l| l != 0) {
            pattern |= 16;
        }
        pattern
    }

    /// Writes all levels; `contexts` knows how many coefficients the neighbours have.
    pub fn write(&self, bits: &mut BitWriter, pattern: u32, contexts: &Contexts) {
        if let Some(sums) = &self.luma_sums {
            write_block(bits, sums, Context::Neighbours(contexts.luma[0]));
        }
        let first = usize::from(self.luma_sums.is_some());
        for b in ORDER {
            if pattern >> quarter(b) & 1 == 1 {
                let context = Context::Neighbours(contexts.luma[b]);
                write_block(bits, &self.luma[b][first..], context);
            }
        }
        if pattern & 48 != 0 {
            for sums in &self.chroma_sums {
                write_block(bits, sums, Context::ChromaSums);
            }
        }
        if pattern & 32 != 0 {
            for plane in 0..2 {
                for b in 0..4 {
                    let context = Context::Neighbours(contexts.chroma[plane][b]);
                    write_block(bits, &self.chroma[plane][b][1..], context);
                }
            }
        }
    }
}

/// Expected numbers of coefficients, from neighbouring blocks.
pub struct Contexts {
    /// For the blocks of luma, row by row.
    pub luma: [usize; 16],
    /// For the blocks of each chroma plane.
    pub chroma: [[usize; 4]; 2],
}

/// How many of the levels are not zero.
pub fn count(levels: &[i16; 16]) -> u8 {
    levels.iter().filter(|&&l| l != 0).count() as u8
}

fn quarter(block: usize) -> usize {
    block / 8 * 2 + block % 4 / 2
}

/// Empties quarters that hold nothing but a few lone ones: they cost more than they show.
fn drop_specks(luma: &mut [[i16; 16]; 16]) {
    for q in 0..4 {
        let corner = q / 2 * 8 + q % 2 * 2;
        let members = [corner, corner + 1, corner + 4, corner + 5];
        let lone = |b: usize| {
            let ones = luma[b].iter().filter(|l| l.abs() == 1).count();
            let early = luma[b][..3].iter().any(|&l| l != 0);
            if ones == usize::from(count(&luma[b])) && !early { ones } else { 16 }
        };
        if members.iter().map(|&b| lone(b)).sum::<usize>() <= 2 {
            for b in members {
                luma[b] = [0; 16];
            }
        }
    }
}

fn corner_of<const N: usize>(block: usize) -> usize {
    let per_row = N / 4;
    block / per_row * 4 * N + block % per_row * 4
}

fn missing<const N: usize>(wanted: &[u8], guess: &[u8], block: usize) -> [i32; 16] {
    let corner = corner_of::<N>(block);
    std::array::from_fn(|i| {
        let at = corner + i / 4 * N + i % 4;
        i32::from(wanted[at]) - i32::from(guess[at])
    })
}

fn add<const N: usize>(samples: &mut [u8], block: usize, coefficients: &[i32; 16]) {
    if *coefficients == [0; 16] {
        return;
    }
    let corner = corner_of::<N>(block);
    for (i, change) in inverse(coefficients).into_iter().enumerate() {
        let sample = &mut samples[corner + i / 4 * N + i % 4];
        *sample = (i32::from(*sample) + change).clamp(0, 255) as u8;
    }
}
