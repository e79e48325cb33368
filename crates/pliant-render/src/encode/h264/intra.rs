//! Predicting a block from the samples left of it and above it (H.264, sections 8.3.3 and 8.3.4).

/// The samples around a block, as far as the slice has them.
pub struct Border<const N: usize> {
    /// The row above.
    pub above: Option<[u8; N]>,
    /// The column to the left.
    pub left: Option<[u8; N]>,
    /// The sample above the left column; meaningful where there are both.
    pub corner: u8,
}

/// The ways to predict, in no particular order: the standard numbers them differently for luma and
/// chroma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Every column is the sample above it.
    Vertical,
    /// Every row is the sample left of it.
    Horizontal,
    /// The mean.
    Mean,
    /// A plane fitted to the border.
    Plane,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mean, Self::Vertical, Self::Horizontal, Self::Plane];

    /// The standard's number for luma.
    pub fn luma_number(self) -> u32 {
        match self {
            Self::Vertical => 0,
            Self::Horizontal => 1,
            Self::Mean => 2,
            Self::Plane => 3,
        }
    }

    /// The standard's number for chroma.
    pub fn chroma_number(self) -> u32 {
        match self {
            Self::Mean => 0,
            Self::Horizontal => 1,
            Self::Vertical => 2,
            Self::Plane => 3,
        }
    }
}

impl<const N: usize> Border<N> {
    /// Reads the border of the block at `at` in samples of `stride` per row.
    pub fn read(samples: &[u8], stride: usize, at: usize, has_above: bool, has_left: bool) -> Self {
        Self {
            above: has_above.then(|| std::array::from_fn(|i| samples[at - stride + i])),
            left: has_left.then(|| std::array::from_fn(|i| samples[at + i * stride - 1])),
            corner: if has_above && has_left { samples[at - stride - 1] } else { 0 },
        }
    }

    /// The predicted block of N × N = M samples, or nothing where the border lacks what it needs.
    /// The mean of chroma is taken block by block, that of luma over all.
    pub fn predict<const M: usize>(&self, mode: Mode) -> Option<[u8; M]> {
        Some(match mode {
            Mode::Vertical => {
                let above = self.above?;
                std::array::from_fn(|i| above[i % N])
            }
            Mode::Horizontal => {
                let left = self.left?;
                std::array::from_fn(|i| left[i / N])
            }
            Mode::Mean if N == 16 => [self.mean(0..16, 0..16, true, true); M],
            Mode::Mean => self.quarter_means(),
            Mode::Plane => self.plane()?,
        })
    }

    fn mean(
        &self,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
        use_above: bool,
        use_left: bool,
    ) -> u8 {
        let sum = |line: &[u8]| line.iter().map(|&s| u32::from(s)).sum::<u32>();
        let above = self.above.filter(|_| use_above).map(|a| sum(&a[columns.clone()]));
        let left = self.left.filter(|_| use_left).map(|l| sum(&l[rows.clone()]));
        let n = columns.len() as u32;
        match (above, left) {
            (Some(a), Some(l)) => ((a + l + n) / (2 * n)) as u8,
            (Some(one), None) | (None, Some(one)) => ((one + n / 2) / n) as u8,
            (None, None) => 128,
        }
    }

    /// The two blocks off the diagonal prefer the border they touch.
    fn quarter_means<const M: usize>(&self) -> [u8; M] {
        let (first, second) = (0..N / 2, N / 2..N);
        let (above, left) = (self.above.is_some(), self.left.is_some());
        let quarters = [
            self.mean(first.clone(), first.clone(), true, true),
            self.mean(second.clone(), first.clone(), true, !above),
            self.mean(first, second.clone(), !left, true),
            self.mean(second.clone(), second, true, true),
        ];
        std::array::from_fn(|i| quarters[i / N / (N / 2) * 2 + i % N / (N / 2)])
    }

    fn plane<const M: usize>(&self) -> Option<[u8; M]> {
        let (above, left) = (self.above?, self.left?);
        let slope = |line: &[u8; N]| -> i32 {
            let before = |k: usize| if k == 0 { self.corner } else { line[k - 1] };
            let half = N / 2;
            let sum: i32 = (1..=half)
                .map(|k| k as i32 * (i32::from(line[half - 1 + k]) - i32::from(before(half - k))))
                .sum();
            (if N == 16 { 5 * sum } else { 34 * sum } + 32) >> 6
        };
        let (b, c) = (slope(&above), slope(&left));
        let a = 16 * (i32::from(above[N - 1]) + i32::from(left[N - 1]));
        let middle = N as i32 / 2 - 1;
        Some(std::array::from_fn(|i| {
            let (x, y) = ((i % N) as i32 - middle, (i / N) as i32 - middle);
            ((a + b * x + c * y + 16) >> 5).clamp(0, 255) as u8
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slanted_border_is_continued() {
        let border = Border::<16> {
            above: Some(std::array::from_fn(|i| 64 + 4 * i as u8)),
            left: Some(std::array::from_fn(|i| 62 + 2 * i as u8)),
            corner: 60,
        };
        let block: [u8; 256] = border.predict(Mode::Plane).unwrap();
        for (i, &sample) in block.iter().enumerate() {
            let expected = 66 + 4 * (i % 16) as i32 + 2 * (i / 16) as i32;
            assert!((i32::from(sample) - expected).abs() <= 2, "{i}: {sample} {expected}");
        }
    }

    #[test]
    fn without_a_border_all_is_grey() {
        let border = Border::<8> { above: None, left: None, corner: 0 };
        assert_eq!(border.predict::<64>(Mode::Mean), Some([128; 64]));
        assert_eq!(border.predict::<64>(Mode::Vertical), None);
        let border = Border::<8> { above: Some([10; 8]), left: Some([50; 8]), corner: 0 };
        let block: [u8; 64] = border.predict(Mode::Mean).unwrap();
        assert_eq!([block[0], block[7], block[56], block[63]], [30, 10, 50, 30]);
    }
}
