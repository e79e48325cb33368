// A level of a tree over an array: every workgroup turns one block of it into one value.

#import pliant::block

struct Level {
    /// Elements.
    length: u32,
    /// Blocks of them, the last one perhaps not full.
    blocks: u32,
    padding: vec2<u32>,
}

@group(0) @binding(0) var<uniform> level: Level;
