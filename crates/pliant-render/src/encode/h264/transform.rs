//! The 4×4 integer transform, its quantisation and their inverses (H.264, sections 8.5.6 to 8.5.12).
//!
//! The transform is the one of Malvar, Hallapuro, Karczewicz and Kerofsky, "Low-Complexity Transform
//! and Quantization in H.264/AVC" (section III): whole numbers only, so that encoder and decoder agree
//! to the last bit.

/// Where the k-th coefficient in coding order lies in a 4×4 block stored row by row.
pub const ZIGZAG: [usize; 16] = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15];

/// Multipliers for quantisation by `qp % 6`: for positions even in both directions, odd in both,
/// and the rest.
const QUANTISE: [[i32; 3]; 6] = [
    [13107, 5243, 8066],
    [11916, 4660, 7490],
    [10082, 4194, 6554],
    [9362, 3647, 5825],
    [8192, 3355, 5243],
    [7282, 2893, 4559],
];
/// The decoder's multipliers, in the same order.
const RESTORE: [[i32; 3]; 6] =
    [[10, 16, 13], [11, 18, 14], [13, 20, 16], [14, 23, 18], [16, 25, 20], [18, 29, 23]];

/// The parameter for chroma that goes with one for luma (H.264, table 8-15).
pub fn chroma_qp(qp: i32) -> i32 {
    const FROM_30: [i32; 22] =
        [29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39];
    usize::try_from(qp - 30).map_or(qp, |i| FROM_30[i])
}

/// Quantisation with one parameter.
pub struct Quantiser {
    qp: i32,
    multiply: [i32; 16],
    restore: [i32; 16],
    /// What is added before rounding down: less than a half, as small coefficients cost more bits
    /// than they are worth.
    round: i32,
}

impl Quantiser {
    /// For the parameter `qp`, 0 to 51; predictions from the same picture round more carefully.
    pub fn new(qp: i32, intra: bool) -> Self {
        let class = |i: usize| match (i % 4 % 2, i / 4 % 2) {
            (0, 0) => 0,
            (1, 1) => 1,
            _ => 2,
        };
        let row = (qp % 6) as usize;
        Self {
            qp,
            multiply: std::array::from_fn(|i| QUANTISE[row][class(i)]),
            restore: std::array::from_fn(|i| RESTORE[row][class(i)] << (qp / 6)),
            round: (1 << (15 + qp / 6)) / if intra { 3 } else { 6 },
        }
    }

    /// Quantises the coefficients from `first` in coding order; earlier ones become zero.
    pub fn levels(&self, coefficients: &[i32; 16], first: usize) -> [i16; 16] {
        let shift = 15 + self.qp / 6;
        let mut levels = [0; 16];
        for k in first..16 {
            let i = ZIGZAG[k];
            let c = coefficients[i];
            let level = (c.abs() * self.multiply[i] + self.round) >> shift;
            levels[k] = (level * c.signum()) as i16;
        }
        levels
    }

    /// Quantises one of the sums of first coefficients.
    pub fn dc_level(&self, sum: i32) -> i16 {
        let level = (i64::from(sum.abs()) * i64::from(self.multiply[0])
            + 2 * i64::from(self.round))
            >> (16 + self.qp / 6);
        (level as i32 * sum.signum()) as i16
    }

    /// What a decoder makes of levels.
    pub fn restored(&self, levels: &[i16; 16]) -> [i32; 16] {
        let mut coefficients = [0; 16];
        for k in 0..16 {
            coefficients[ZIGZAG[k]] = i32::from(levels[k]) * self.restore[ZIGZAG[k]];
        }
        coefficients
    }

    /// What a decoder makes of the sixteen sums of a luma block, in coding order: the first
    /// coefficients of its 4×4 blocks, row by row.
    pub fn restored_luma_dc(&self, levels: &[i16; 16]) -> [i32; 16] {
        let mut sums = [0; 16];
        for k in 0..16 {
            sums[ZIGZAG[k]] = i32::from(levels[k]);
        }
        hadamard(&sums).map(|f| (f * self.restore[0] + 2) >> 2)
    }

    /// The same for the four sums of a chroma block.
    pub fn restored_chroma_dc(&self, levels: &[i16; 4]) -> [i32; 4] {
        hadamard2(&levels.map(i32::from)).map(|f| (f * self.restore[0]) >> 1)
    }
}

/// The transform of a 4×4 block.
pub fn forward(block: &[i32; 16]) -> [i32; 16] {
    let line = |[a, b, c, d]: [i32; 4]| {
        let (s, t, u, v) = (a + d, b + c, b - c, a - d);
        [s + t, 2 * v + u, s - t, v - 2 * u]
    };
    both_ways(block, line)
}

/// The decoder's inverse: differences to add to the prediction.
pub fn inverse(coefficients: &[i32; 16]) -> [i32; 16] {
    let line = |[a, b, c, d]: [i32; 4]| {
        let (e, f, g, h) = (a + c, a - c, (b >> 1) - d, b + (d >> 1));
        [e + h, f + g, f - g, e - h]
    };
    both_ways(coefficients, line).map(|x| (x + 32) >> 6)
}

/// The Hadamard transform of the first coefficients of sixteen blocks.
pub fn hadamard(sums: &[i32; 16]) -> [i32; 16] {
    let line =
        |[a, b, c, d]: [i32; 4]| [a + b + c + d, a + b - c - d, a - b - c + d, a - b + c - d];
    both_ways(sums, line)
}

/// The same for four blocks.
pub fn hadamard2(&[a, b, c, d]: &[i32; 4]) -> [i32; 4] {
    [a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d]
}

fn both_ways(block: &[i32; 16], line: impl Fn([i32; 4]) -> [i32; 4]) -> [i32; 16] {
    let mut rows = [0; 16];
    for y in 0..4 {
        let out = line([block[4 * y], block[4 * y + 1], block[4 * y + 2], block[4 * y + 3]]);
        rows[4 * y..4 * y + 4].copy_from_slice(&out);
    }
    let mut result = [0; 16];
    for x in 0..4 {
        let out = line([rows[x], rows[x + 4], rows[x + 8], rows[x + 12]]);
        for y in 0..4 {
            result[4 * y + x] = out[y];
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_survives_transform_and_quantisation_to_half_a_step() {
        let block: [i32; 16] = std::array::from_fn(|i| ((i * 37 + 11) % 101) as i32 - 50);
        // The step of the quantiser doubles every six parameters and is 1 at 4.
        for (qp, bound) in [(4, 2), (16, 4), (28, 14)] {
            let q = Quantiser::new(qp, true);
            let back = inverse(&q.restored(&q.levels(&forward(&block), 0)));
            let worst = (0..16).map(|i| (back[i] - block[i]).abs()).max().unwrap();
            assert!(worst <= bound, "qp {qp}: off by {worst}");
        }
    }

    #[test]
    fn sums_survive_their_own_transform() {
        let q = Quantiser::new(16, true);
        let flat = forward(&[40; 16]);
        let sums = hadamard(&[flat[0]; 16]).map(|s| (s + 1) >> 1);
        let levels: [i16; 16] = std::array::from_fn(|k| q.dc_level(sums[ZIGZAG[k]]));
        let restored = q.restored_luma_dc(&levels);
        let mut coefficients = [0; 16];
        coefficients[0] = restored[7];
        assert!(inverse(&coefficients).iter().all(|d| (d - 40).abs() <= 1));

        let levels = hadamard2(&[flat[0]; 4]).map(|s| q.dc_level(s));
        coefficients[0] = q.restored_chroma_dc(&levels)[2];
        assert!(inverse(&coefficients).iter().all(|d| (d - 40).abs() <= 1));
    }
}
