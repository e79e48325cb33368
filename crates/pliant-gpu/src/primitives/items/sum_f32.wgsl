// Sum of floating-point numbers.

#import pliant::level

alias Item = f32;
const NEUTRAL: Item = 0.0;

@group(0) @binding(2) var<storage, read> items: array<f32>;

fn item(i: u32) -> Item {
    return items[i];
}

fn combine(a: Item, b: Item) -> Item {
    return rounded(a + b);
}
