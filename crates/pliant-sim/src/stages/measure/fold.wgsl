// What the kernels that add up the sums of slices and workgroups share.
//
// A sum is kept in two numbers, the second of which holds what rounding took from the first (Knuth,
// "The Art of Computer Programming", volume 2, section 4.2.2, theorem B), so that it does not matter
// how many terms there are.

#import pliant::grid
#import pliant::measure::record

/// Invocations that add up one sum; less than others have, to fit the workgroup's memory.
const LANES: u32 = 64u;

struct Sum {
    high: vec4<f32>,
    low: vec4<f32>,
}

/// The same number; what it is made of is hidden from compilers, which would find nothing lost.
fn hidden(x: vec4<f32>, zero: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) ^ vec4(zero));
}

fn plus(a: Sum, b: Sum, zero: u32) -> Sum {
    let sum = hidden(a.high + b.high, zero);
    let part = hidden(sum - a.high, zero);
    let lost = (a.high - hidden(sum - part, zero)) + (b.high - part);
    return Sum(sum, a.low + b.low + lost);
}
