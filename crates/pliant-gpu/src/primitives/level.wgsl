// A level of a tree over an array: every workgroup turns one block of it into one value.

#import pliant::block

struct Level {
    /// Elements.
    length: u32,
    /// Blocks of them, the last one perhaps not full.
    blocks: u32,
    /// Zero, which no compiler knows.
    zero: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> level: Level;

/// The value as it is, rounded. Compilers may fuse a product and a sum, or change the order of
/// sums; they cannot look through this.
fn rounded(value: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(value) ^ level.zero);
}
