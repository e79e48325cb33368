//! Random numbers, and who runs the scenes that are made of them.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that follow from a seed.
pub struct Random(pub u64);

impl Random {
    /// The next number, 0 ≤ x < 1 (Steele, Lea & Flood 2014, *Fast splittable pseudorandom number
    /// generators*).
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// Evenly over the orders of magnitude.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low.ln(), high.ln())).exp()
    }

    pub fn choose<T: Clone>(&mut self, from: &[T]) -> T {
        from[(self.next() * from.len() as f64) as usize].clone()
    }
}

/// How many scenes, and the seed of the first: as the environment says.
pub fn asked(usual: u64) -> (u64, u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    (number("PLIANT_SCENES").unwrap_or(usual), number("PLIANT_SEED").unwrap_or(0))
}

/// What comes of some seeds, in their order, found side by side. A panic is told with its seed.
pub fn all<T: Send>(seeds: Range<u64>, judge: impl Fn(u64) -> T + Sync) -> Vec<(u64, T)> {
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut outcomes: Vec<(u64, T)> = std::thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds.end {
                    return own;
                }
                let outcome = catch_unwind(AssertUnwindSafe(|| judge(seed)));
                own.push((seed, outcome.unwrap_or_else(|_| panic!("seed {seed} panicked"))));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|h| h.join().unwrap()).collect()
    });
    outcomes.sort_by_key(|(seed, _)| *seed);
    outcomes
}
