use pliant_gpu::primitives::Scan;
use pliant_gpu::{Gpu, testing};

use crate::{LENGTHS, Random, refusal, run};

/// Prefix sums and total of the first `length` numbers, checked; what is beyond is left alone.
fn check(gpu: &Gpu, scan: &Scan, numbers: &[u32], length: usize) {
    let input = gpu.storage("input", numbers).unwrap();
    let output = gpu.storage("output", &vec![7u32; numbers.len()]).unwrap();
    let total = gpu.storage("total", &[7u32]).unwrap();
    run(gpu, &[&scan.bind(&input, &output, &total, length).unwrap()]);
    let mut sum = 0u32;
    let found = output.read().unwrap();
    for (i, (&found, &n)) in found.iter().zip(numbers).enumerate() {
        assert_eq!(found, if i < length { sum } else { 7 }, "element {i} of {length}");
        sum = sum.wrapping_add(if i < length { n } else { 0 });
    }
    assert_eq!(total.read().unwrap(), [sum], "total of {length}");
}

#[test]
fn prefix_sums_are_those_of_a_loop() {
    let Some(gpu) = testing::gpu("scan") else { return };
    let scan = Scan::new(&gpu, 10_000_000).unwrap();
    for length in LENGTHS {
        check(&gpu, &scan, &Random::numbers(1, length), length);
    }
    check(&gpu, &scan, &vec![1; 100_000], 100_000);
    check(&gpu, &scan, &vec![0; 5000], 5000);
}

#[test]
fn a_part_of_an_array_can_be_scanned() {
    let Some(gpu) = testing::gpu("scan") else { return };
    let scan = Scan::new(&gpu, 50_000).unwrap();
    let numbers = Random::numbers(2, 50_000);
    for length in [0, 1, 300, 2048, 4097, 49_999] {
        check(&gpu, &scan, &numbers, length);
    }
}

#[test]
fn lengths_and_buffers_that_do_not_fit_are_refused() {
    let Some(gpu) = testing::gpu("scan") else { return };
    let scan = Scan::new(&gpu, 10).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|label| gpu.zeros::<u32>(label, 11).unwrap());
    let short = gpu.zeros::<u32>("short", 9).unwrap();
    let said = refusal(|| scan.bind(&a, &b, &c, 11));
    assert!(said.contains("11 elements are wanted and 10 allowed"), "{said}");
    let said = refusal(|| scan.bind(&a, &short, &c, 10));
    assert!(said.contains("short: 10 elements are wanted and it has 9"), "{said}");
    let said = refusal(|| scan.bind(&a, &a, &c, 10));
    assert!(said.contains("a and a are the same buffer"), "{said}");
}

#[test]
fn memory_is_given_back_with_the_last_user() {
    let Some(gpu) = testing::gpu("scan") else { return };
    let [a, b, c] = ["a", "b", "c"].map(|label| gpu.zeros::<u32>(label, 5000).unwrap());
    let before = gpu.memory_used();
    let scan = Scan::new(&gpu, 5000).unwrap();
    let bound = scan.bind(&a, &b, &c, 5000).unwrap();
    let both = gpu.memory_used();
    drop(scan);
    assert_eq!(gpu.memory_used(), both, "what is bound still needs the scratch memory");
    run(&gpu, &[&bound]);
    drop(bound);
    assert_eq!(gpu.memory_used(), before);
}
