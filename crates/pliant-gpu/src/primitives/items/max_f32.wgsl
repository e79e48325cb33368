// Largest floating-point number, by its bits: whatever a device does with what is not a number or
// is too small to be normal, it does it to floating-point values only.

alias Item = u32;
/// Minus infinity.
const NEUTRAL: Item = 0xff800000u;
const INFINITY: u32 = 0x7f800000u;
const SIGN: u32 = 0x80000000u;

@group(0) @binding(2) var<storage, read> items: array<u32>;

fn item(i: u32) -> Item {
    return items[i];
}

/// A number that grows as the value does; what is not a number is above all.
fn rank(bits: u32) -> u32 {
    if ((bits & ~SIGN) > INFINITY) {
        return 0xffffffffu;
    }
    return select(bits | SIGN, ~bits, (bits & SIGN) != 0u);
}

fn combine(a: Item, b: Item) -> Item {
    return select(b, a, rank(a) >= rank(b));
}
