use pliant_gpu::primitives::RadixSort;
use pliant_gpu::{Gpu, testing};

use crate::{LENGTHS, Random, run};

/// Sorts with the element's number as payload and compares with the standard library's stable
/// sort, by the low `bits`.
fn check(gpu: &Gpu, sort: &RadixSort, keys: &[u32], length: usize, bits: u32) {
    let numbers: Vec<u32> = (0..keys.len() as u32).collect();
    let sorted_keys = gpu.storage("keys", keys).unwrap();
    let sorted_numbers = gpu.storage("payload", &numbers).unwrap();
    run(gpu, &[&sort.bind(&sorted_keys, &sorted_numbers, length, bits).unwrap()]);
    let mask = ((1u64 << bits) - 1) as u32;
    let mut expected = numbers;
    expected[..length].sort_by_key(|&i| keys[i as usize] & mask);
    let found = sorted_numbers.read().unwrap();
    let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "payload, {length} keys of {bits} bits");
    let found = sorted_keys.read().unwrap();
    let differs = found.iter().zip(&expected).position(|(&key, &i)| key != keys[i as usize]);
    assert_eq!(differs, None, "keys, {length} keys of {bits} bits");
}

#[test]
fn keys_are_sorted_as_the_standard_library_does() {
    let Some(gpu) = testing::gpu("sort") else { return };
    let sort = RadixSort::new(&gpu, 10_000_000).unwrap();
    for length in LENGTHS {
        check(&gpu, &sort, &Random::numbers(3, length), length, 32);
    }
}

#[test]
fn equal_sorted_and_reversed_keys_are_sorted() {
    let Some(gpu) = testing::gpu("sort") else { return };
    let sort = RadixSort::new(&gpu, 100_000).unwrap();
    let ascending: Vec<u32> = (0..100_000).map(|i| i * 40_000).collect();
    let descending: Vec<u32> = ascending.iter().rev().copied().collect();
    for keys in [vec![0; 100_000], vec![u32::MAX; 100_000], ascending, descending] {
        check(&gpu, &sort, &keys, keys.len(), 32);
    }
}

#[test]
fn equal_keys_keep_their_order() {
    let Some(gpu) = testing::gpu("sort") else { return };
    let sort = RadixSort::new(&gpu, 100_000).unwrap();
    // Few values, many of each, in and across blocks.
    for values in [2, 3, 17, 1000] {
        let keys: Vec<u32> = Random::numbers(4, 100_000).iter().map(|n| n % values).collect();
        check(&gpu, &sort, &keys, keys.len(), 32);
    }
}

#[test]
fn only_the_low_bits_count() {
    let Some(gpu) = testing::gpu("sort") else { return };
    let sort = RadixSort::new(&gpu, 20_000).unwrap();
    let keys = Random::numbers(5, 10_000);
    for bits in [0, 1, 3, 4, 7, 8, 20, 31] {
        check(&gpu, &sort, &keys, keys.len(), bits);
    }
}

#[test]
fn a_part_of_an_array_can_be_sorted() {
    let Some(gpu) = testing::gpu("sort") else { return };
    let sort = RadixSort::new(&gpu, 10_000).unwrap();
    let keys = Random::numbers(6, 10_000);
    for length in [0, 1, 2, 2049, 9999] {
        check(&gpu, &sort, &keys, length, 32);
        check(&gpu, &sort, &keys, length, 12);
    }
}
