//! Prefix sums, sorting, sums and selection on a device, against the standard library.

mod compact;
mod reduce;
mod scan;
mod sort;
mod together;

use pliant_gpu::Gpu;
use pliant_gpu::primitives::Bound;

/// Round the sizes of workgroups and blocks, and where two and three levels are needed.
const LENGTHS: [usize; 10] = [0, 1, 255, 256, 257, 2047, 2048, 2049, 100_000, 10_000_000];

/// Marsaglia's xorshift generator, "Xorshift RNGs", with the triple 13, 17, 5.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn numbers(seed: u32, length: usize) -> Vec<u32> {
        let mut random = Self(seed);
        (0..length).map(|_| random.next()).collect()
    }

    /// From −1 to 1, of magnitudes that differ by up to a thousand: sums depend on their order.
    fn floats(seed: u32, length: usize) -> Vec<f32> {
        let scaled = |n: u32| (n as i32 >> 8) as f32 / 8_388_608.0 / [1.0, 1e-3][(n % 2) as usize];
        Self::numbers(seed, length).into_iter().map(|n| scaled(n) * 1e-3).collect()
    }
}

/// Runs primitives one after the other in one submission.
fn run(gpu: &Gpu, bound: &[&Bound]) {
    let mut commands = gpu.commands("test");
    for b in bound {
        b.record(&mut commands);
    }
    commands.submit();
    gpu.wait().unwrap();
}

/// What a call says when it panics, as it must.
fn refusal<T>(call: impl FnOnce() -> T) -> String {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    let panic = caught.err().expect("the call must panic");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}
