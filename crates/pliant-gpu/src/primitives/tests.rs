//! What can be checked without a device.

use std::mem::offset_of;

use super::*;
use crate::validate::{Validated, assert_layout, validate};

fn validated(desc: &KernelDesc<'_>) -> Validated {
    validate(desc).unwrap_or_else(|e| panic!("{}, {}: {e}", desc.module.name, desc.entry))
}

#[test]
fn every_kernel_is_valid_in_a_browser() {
    let all = kernels();
    assert_eq!(all.len(), 6);
    for desc in all {
        validated(&desc);
        assert!(desc.module.source.lines().count() < 150, "{} is long", desc.module.name);
    }
}

#[test]
fn uniforms_look_the_same_on_both_sides() {
    let level = [
        ("length", offset_of!(Level, length)),
        ("blocks", offset_of!(Level, blocks)),
        ("padding", offset_of!(Level, padding)),
    ];
    assert_layout::<Level>(&validated(&scan::SCAN), "Level", &level);
    assert_layout::<sort::Digit>(&validated(&sort::SCATTER), "Digit", &sort::Digit::MEMBERS);
    let selection = [("groups", 0), ("count", 4 * SELECTION_COUNT)];
    let words = validated(&compact::COMPACT);
    assert_layout::<[u32; SELECTION_LENGTH]>(&words, "Selection", &selection);
}

#[test]
fn blocks_have_the_same_size_on_both_sides() {
    let items = format!("const ITEMS: u32 = {}u;", BLOCK / WORKGROUP as usize);
    assert!(BLOCKS.source.contains(&items));
}

#[test]
fn levels_end_with_a_single_block() {
    let lengths = |n| levels(n).collect::<Vec<_>>();
    assert_eq!(lengths(0), [0]);
    assert_eq!(lengths(BLOCK), [BLOCK]);
    assert_eq!(lengths(BLOCK + 1), [BLOCK + 1, 2]);
    assert_eq!(lengths(10_000_000), [10_000_000, 4883, 3]);
}

#[test]
fn lengths_beyond_32_bits_are_refused() {
    assert!(check_capacity("x", 10_000_000).is_ok());
    #[cfg(target_pointer_width = "64")]
    assert!(check_capacity("x", 1 << 32).unwrap_err().to_string().contains("can be numbered"));
}
