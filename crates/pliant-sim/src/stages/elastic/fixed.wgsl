// Forces as whole numbers of 64 bits, in two words; twin of fixed.rs.
//
// Whole numbers can be added in any order with the same result, which floating-point numbers cannot;
// with 64 bits nothing is lost that a 32-bit float can tell.

struct Fixed {
    low: u32,
    high: u32,
    /// Whether the number was too large and is the largest there may be instead.
    saturated: bool,
}

/// The whole number nearest to zero beside `units`, which may be at most `most` in size.
fn fixed_from(units: f32, most: f32) -> Fixed {
    let size = min(abs(units), most);
    let high = u32(size * 0x1p-32f);
    let low = u32(size - f32(high) * 0x1p32f);
    // Not a number counts as too large.
    let saturated = bitcast<u32>(abs(units)) > bitcast<u32>(most);
    if (units < 0.0) {
        return Fixed(~low + 1u, ~high + select(0u, 1u, low == 0u), saturated);
    }
    return Fixed(low, high, saturated);
}

/// The value of a whole number, in units.
fn fixed_to(low: u32, high: u32) -> f32 {
    if ((high >> 31u) == 0u) {
        return f32(high) * 0x1p32f + f32(low);
    }
    // Through its size: otherwise small negative numbers would lose all their digits.
    return -(f32(~high + select(0u, 1u, low == 0u)) * 0x1p32f + f32(~low + 1u));
}
