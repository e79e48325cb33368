// One pass of the sort: which bits of a key count, and how the keys are cut into blocks.

#import pliant::block

/// Values of a digit.
const DIGITS: u32 = 16u;

struct Digit {
    /// Keys.
    length: u32,
    /// Blocks of them, the last one perhaps not full.
    blocks: u32,
    /// Lowest bit of the digit.
    shift: u32,
    /// Bits of the digit, four or fewer.
    width: u32,
}

@group(0) @binding(0) var<uniform> digit: Digit;

fn digit_of(key: u32) -> u32 {
    return extractBits(key, digit.shift, digit.width);
}
