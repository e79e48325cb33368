// Sum of whole numbers, modulo 2^32.

alias Item = u32;
const NEUTRAL: Item = 0u;

@group(0) @binding(2) var<storage, read> items: array<u32>;

fn item(i: u32) -> Item {
    return items[i];
}

fn combine(a: Item, b: Item) -> Item {
    return a + b;
}
