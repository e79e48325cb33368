//! Against brute force in double precision, against conditions that hold at a minimum, and against exact
//! arithmetic with whole numbers.

mod candidates;
mod closest;
mod crossing;
mod meshes;

/// Random numbers that are the same everywhere.
#[derive(Clone)]
struct Random(u64);

impl Random {
    /// Evenly distributed from 0 to 1.
    fn unit(&mut self) -> f64 {
        // The constants of Knuth's MMIX; the lower bits are poor.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly distributed from −1 to 1, for each axis.
    fn point(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| 2.0 * self.unit() - 1.0)
    }

    /// A whole number below `end`.
    fn below(&mut self, end: usize) -> usize {
        ((self.unit() * end as f64) as usize).min(end - 1)
    }
}
