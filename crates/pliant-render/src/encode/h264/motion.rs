//! Finding where a block was in the picture before, and fetching it from there
//! (H.264, section 8.4.2.2).

use super::bits::signed_length;
use super::planes::{MARGIN, Reference};

/// A motion in quarters of a luma sample.
pub type Vector = [i16; 2];

/// How far a block may lie beyond the edge: the margin less what interpolation reads around it.
const OUTSIDE: i32 = MARGIN as i32 - 4;

/// The luma block of 16 × 16 samples at `corner`, in samples, moved by `vector`.
pub fn fetch_luma(from: &Reference, corner: [i32; 2], vector: Vector) -> [u8; 256] {
    let [vx, vy] = vector.map(i32::from);
    let at = from.index(corner[0] + (vx >> 2), corner[1] + (vy >> 2));
    let (right, below) = (at + 1, at + from.stride);
    match (vx & 3, vy & 3) {
        (0, 0) => copy(from, at),
        (2, 0) => across(from, at),
        (0, 2) => down(from, at),
        (2, 2) => centre(from, at),
        (x, 0) => mean(&copy(from, if x == 3 { right } else { at }), &across(from, at)),
        (0, y) => mean(&copy(from, if y == 3 { below } else { at }), &down(from, at)),
        (2, y) => mean(&across(from, if y == 3 { below } else { at }), &centre(from, at)),
        (x, 2) => mean(&down(from, if x == 3 { right } else { at }), &centre(from, at)),
        (x, y) => mean(
            &across(from, if y == 3 { below } else { at }),
            &down(from, if x == 3 { right } else { at }),
        ),
    }
}

fn copy(from: &Reference, at: usize) -> [u8; 256] {
    let mut block = [0; 256];
    for (y, row) in block.chunks_exact_mut(16).enumerate() {
        row.copy_from_slice(&from.samples[at + y * from.stride..][..16]);
    }
    block
}

fn mean(a: &[u8; 256], b: &[u8; 256]) -> [u8; 256] {
    std::array::from_fn(|i| ((u16::from(a[i]) + u16::from(b[i]) + 1) >> 1) as u8)
}

/// Half a sample to the right.
fn across(from: &Reference, at: usize) -> [u8; 256] {
    let mut block = [0; 256];
    for (y, row) in block.chunks_exact_mut(16).enumerate() {
        let s = &from.samples[at + y * from.stride - 2..][..21];
        for x in 0..16 {
            let tap = |k: usize| i16::from(s[x + k]);
            row[x] = ((six(tap(0), tap(1), tap(2), tap(3), tap(4), tap(5)) + 16) >> 5).clamp(0, 255)
                as u8;
        }
    }
    block
}

/// Half a sample down.
fn down(from: &Reference, at: usize) -> [u8; 256] {
    let mut block = [0; 256];
    let above = at - 2 * from.stride;
    for (y, row) in block.chunks_exact_mut(16).enumerate() {
        let lines: [&[u8]; 6] =
            std::array::from_fn(|k| &from.samples[above + (y + k) * from.stride..][..16]);
        for x in 0..16 {
            let tap = |k: usize| i16::from(lines[k][x]);
            row[x] = ((six(tap(0), tap(1), tap(2), tap(3), tap(4), tap(5)) + 16) >> 5).clamp(0, 255)
                as u8;
        }
    }
    block
}

/// Half a sample right and down, rounded once at the end.
fn centre(from: &Reference, at: usize) -> [u8; 256] {
    let above = at - 2 * from.stride - 2;
    let mut rows = [[0i16; 16]; 21];
    for (y, row) in rows.iter_mut().enumerate() {
        let s = &from.samples[above + y * from.stride..][..21];
        for x in 0..16 {
            let tap = |k: usize| i16::from(s[x + k]);
            row[x] = six(tap(0), tap(1), tap(2), tap(3), tap(4), tap(5));
        }
    }
    let mut block = [0; 256];
    for (y, out) in block.chunks_exact_mut(16).enumerate() {
        for x in 0..16 {
            let tap = |k: usize| i32::from(rows[y + k][x]);
            let sum = tap(0) - 5 * tap(1) + 20 * tap(2) + 20 * tap(3) - 5 * tap(4) + tap(5);
            out[x] = ((sum + 512) >> 10).clamp(0, 255) as u8;
        }
    }
    block
}

#[inline(always)]
fn six(a: i16, b: i16, c: i16, d: i16, e: i16, f: i16) -> i16 {
    a + f - 5 * (b + e) + 20 * (c + d)
}

/// The chroma block of 8 × 8 samples at `corner`, in chroma samples.
pub fn fetch_chroma(from: &Reference, corner: [i32; 2], vector: Vector) -> [u8; 64] {
    let [vx, vy] = vector.map(i32::from);
    let at = from.index(corner[0] + (vx >> 3), corner[1] + (vy >> 3));
    let (fx, fy) = ((vx & 7) as u16, (vy & 7) as u16);
    let mut block = [0; 64];
    for (y, row) in block.chunks_exact_mut(8).enumerate() {
        let upper = &from.samples[at + y * from.stride..][..9];
        let lower = &from.samples[at + (y + 1) * from.stride..][..9];
        for x in 0..8 {
            let line = |s: &[u8]| (8 - fx) * u16::from(s[x]) + fx * u16::from(s[x + 1]);
            row[x] = (((8 - fy) * line(upper) + fy * line(lower) + 32) >> 6) as u8;
        }
    }
    block
}

/// The sum of absolute differences.
pub fn difference(a: &[u8; 256], b: &[u8; 256]) -> u32 {
    a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum()
}

/// A search in one macroblock.
pub struct Search<'a> {
    /// The picture before.
    pub from: &'a Reference,
    /// The samples to find.
    pub block: &'a [u8; 256],
    /// Where they are now.
    pub corner: [i32; 2],
    /// Width and height of the picture.
    pub size: [i32; 2],
    /// The vector that costs least to write.
    pub predicted: Vector,
    /// What a bit is worth in differences.
    pub bit: u32,
}

impl Search<'_> {
    /// Whether the moved block stays within the margins.
    pub fn allows(&self, vector: Vector) -> bool {
        (0..2).all(|k| {
            let v = i32::from(vector[k]);
            let at = self.corner[k] + (v >> 2);
            at >= -OUTSIDE && at + 16 <= self.size[k] + OUTSIDE && v.abs() < 1600
        })
    }

    /// The best of `starts`, improved in ever smaller steps; with its cost.
    pub fn run(&self, starts: &[Vector]) -> (Vector, u32) {
        let mut best = ([0, 0], self.cost([0, 0]));
        for start in starts {
            let whole = start.map(|v| (v + 2) & !3);
            self.consider(whole, &mut best);
        }
        for (step, rounds) in [(32, 4), (16, 4), (8, 4), (4, 8), (2, 2), (1, 2)] {
            for _ in 0..rounds {
                let [x, y] = best.0;
                for (dx, dy) in [(step, 0), (-step, 0), (0, step), (0, -step)] {
                    self.consider([x + dx, y + dy], &mut best);
                }
                if best.0 == [x, y] {
                    break;
                }
            }
        }
        best
    }

    fn consider(&self, vector: Vector, best: &mut (Vector, u32)) {
        if vector != best.0 && self.allows(vector) {
            let cost = self.cost(vector);
            if cost < best.1 {
                *best = (vector, cost);
            }
        }
    }

    fn cost(&self, vector: Vector) -> u32 {
        let bits: u32 =
            (0..2).map(|k| signed_length(i32::from(vector[k] - self.predicted[k]))).sum();
        let sum = difference(&fetch_luma(self.from, self.corner, vector), self.block);
        sum + self.bit * bits
    }
}
