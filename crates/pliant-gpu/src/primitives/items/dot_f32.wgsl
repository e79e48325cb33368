// Sum of products.

#import pliant::level

alias Item = f32;
const NEUTRAL: Item = 0.0;

@group(0) @binding(2) var<storage, read> left: array<f32>;
@group(0) @binding(3) var<storage, read> right: array<f32>;

fn item(i: u32) -> Item {
    return rounded(left[i] * right[i]);
}

fn combine(a: Item, b: Item) -> Item {
    return rounded(a + b);
}
