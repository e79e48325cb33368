//! Random numbers that are the same everywhere.

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", figure 12.
pub struct Random(u64);

impl Random {
    /// The sequence of case `number` of `seed`.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut start = Self(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ number);
        Self(start.next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, 0 when there is none.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A range within `0..length`, most often a short one.
    pub fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let most = if self.below(4) == 0 { length } else { 16.min(length) };
        let end = (start + 1 + self.below(most)).min(length);
        start..end
    }
}
