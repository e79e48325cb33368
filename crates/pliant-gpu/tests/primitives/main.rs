//! Prefix sums, sorting and selection on a device, against the standard library.

mod compact;
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
