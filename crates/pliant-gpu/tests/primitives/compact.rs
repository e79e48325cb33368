use pliant_gpu::primitives::{Compact, SELECTION_COUNT};
use pliant_gpu::{Gpu, WORKGROUP, testing};

use crate::{LENGTHS, Random, run};

fn check(gpu: &Gpu, compact: &Compact, flags: &[u32], length: usize) {
    let buffer = gpu.storage("flags", flags).unwrap();
    let indices = gpu.storage("indices", &vec![u32::MAX; flags.len()]).unwrap();
    let selection = Compact::selection(gpu, "selection").unwrap();
    run(gpu, &[&compact.bind(&buffer, &indices, &selection, length).unwrap()]);
    let expected: Vec<u32> = (0..length as u32).filter(|&i| flags[i as usize] != 0).collect();
    let count = expected.len();
    let found = indices.read().unwrap();
    assert!(found[..count] == expected, "{length} flags");
    assert!(found[count..].iter().all(|&i| i == u32::MAX), "{length} flags: more than {count}");
    let found = selection.read().unwrap();
    assert_eq!(found[SELECTION_COUNT], count as u32);
    assert_eq!(found[..3], [(count as u32).div_ceil(WORKGROUP), 1, 1], "workgroups for {count}");
}

#[test]
fn selected_elements_are_listed_in_order() {
    let Some(gpu) = testing::gpu("compact") else { return };
    let compact = Compact::new(&gpu, 10_000_000).unwrap();
    for length in LENGTHS {
        let numbers = Random::numbers(13, length);
        // Any number but zero is a flag that is set.
        let flags: Vec<u32> = numbers.iter().map(|n| n & (n >> 30).wrapping_sub(1)).collect();
        check(&gpu, &compact, &flags, length);
    }
}

#[test]
fn all_none_one_and_a_part_can_be_selected() {
    let Some(gpu) = testing::gpu("compact") else { return };
    let compact = Compact::new(&gpu, 100_000).unwrap();
    let mut one = vec![0; 100_000];
    one[77_777] = 1 << 31;
    for flags in [vec![0; 100_000], vec![1; 100_000], one] {
        for length in [100_000, 77_777, 77_778, 0] {
            check(&gpu, &compact, &flags, length);
        }
    }
}

#[test]
fn workgroups_beyond_a_row_are_folded() {
    let Some(gpu) = testing::gpu("compact") else { return };
    let length = 65_535 * WORKGROUP as usize + 1;
    let compact = Compact::new(&gpu, length).unwrap();
    let flags = gpu.storage("flags", &vec![1u32; length]).unwrap();
    let indices = gpu.zeros("indices", length).unwrap();
    let selection = Compact::selection(&gpu, "selection").unwrap();
    run(&gpu, &[&compact.bind(&flags, &indices, &selection, length).unwrap()]);
    assert_eq!(selection.read().unwrap(), [32_768, 2, 1, length as u32]);
    assert_eq!(indices.read_range(length - 1..length).unwrap(), [length as u32 - 1]);
}
