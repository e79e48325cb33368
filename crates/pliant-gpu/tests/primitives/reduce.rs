use pliant_gpu::primitives::{Bound, Dot, Reduce, dot_f32, max_f32, rounding_bound, sum_f32};
use pliant_gpu::{Buffer, Gpu, GpuError, testing};

use crate::{LENGTHS, Random, refusal, run};

/// What a primitive leaves in its result.
fn result<T: bytemuck::Pod>(gpu: &Gpu, bind: impl Fn(&Buffer<T>) -> Result<Bound, GpuError>) -> T {
    let result = gpu.zeros::<T>("result", 1).unwrap();
    run(gpu, &[&bind(&result).unwrap()]);
    result.read().unwrap()[0]
}

/// The device's sum lies within the bound of an exact one, and has the bits of the twin's.
fn check_float(found: f32, twin: f32, terms: impl Iterator<Item = f64>, length: usize) {
    // Rounded in f64, ten million terms err by 1e-9 of their magnitudes; the bound is 9e-7 or more.
    let (sum, magnitude) = terms.fold((0.0, 0.0), |(s, m), x| (s + x, m + x.abs()));
    let (error, bound) = ((f64::from(found) - sum).abs(), rounding_bound(length) * magnitude);
    assert!(error <= bound, "{length} terms: off by {error:e}, which may be {bound:e}");
    assert_eq!(found.to_bits(), twin.to_bits(), "{length} terms: {found} and {twin}");
}

#[test]
fn sums_of_floats_have_the_bits_of_their_twin() {
    let Some(gpu) = testing::gpu("reduce") else { return };
    let sum = Reduce::<f32>::sum(&gpu, 10_000_000).unwrap();
    for length in LENGTHS {
        let values = Random::floats(7, length);
        let buffer = gpu.storage("values", &values).unwrap();
        let found = result(&gpu, |r| sum.bind(&buffer, r, length));
        check_float(found, sum_f32(&values), values.iter().map(|&x| x.into()), length);
        let again = result(&gpu, |r| sum.bind(&buffer, r, length));
        assert_eq!(found.to_bits(), again.to_bits(), "{length}");
    }
}

#[test]
fn scalar_products_have_the_bits_of_their_twin() {
    let Some(gpu) = testing::gpu("reduce") else { return };
    let dot = Dot::new(&gpu, 10_000_000).unwrap();
    for length in LENGTHS {
        let (a, b) = (Random::floats(8, length), Random::floats(9, length));
        let [left, right] = [&a, &b].map(|x| gpu.storage("factor", x).unwrap());
        let found = result(&gpu, |r| dot.bind(&left, &right, r, length));
        let products = a.iter().zip(&b).map(|(&x, &y)| f64::from(x) * f64::from(y));
        check_float(found, dot_f32(&a, &b), products, length);
        let again = result(&gpu, |r| dot.bind(&left, &right, r, length));
        assert_eq!(found.to_bits(), again.to_bits(), "{length}");
        let squares = result(&gpu, |r| dot.bind(&left, &left, r, length));
        check_float(squares, dot_f32(&a, &a), a.iter().map(|&x| f64::from(x).powi(2)), length);
    }
}

#[test]
fn products_are_rounded_before_they_are_added() {
    let Some(gpu) = testing::gpu("reduce") else { return };
    let dot = Dot::new(&gpu, 1000).unwrap();
    // (1 + 2⁻¹²)² needs more digits than there are. What is cut off must be gone when the rounded
    // square is taken away again in the same invocation; a fused product would bring it back.
    let x = 1.0 + 1.0 / 4096.0;
    let (mut a, mut b) = (vec![0.0f32; 512], vec![0.0f32; 512]);
    (a[0], b[0], a[256], b[256]) = (-x * x, 1.0, x, x);
    let [left, right] = [&a, &b].map(|v| gpu.storage("factor", v).unwrap());
    assert_eq!(result(&gpu, |r| dot.bind(&left, &right, r, 512)), 0.0);
}

#[test]
fn maxima_of_floats_show_what_is_not_a_number() {
    let Some(gpu) = testing::gpu("reduce") else { return };
    let max = Reduce::<f32>::max(&gpu, 10_000_000).unwrap();
    let of = |values: &[f32]| {
        let buffer = gpu.storage("values", values).unwrap();
        result(&gpu, |r| max.bind(&buffer, r, values.len()))
    };
    for length in LENGTHS {
        let mut values = Random::floats(10, length);
        values.iter_mut().for_each(|x| *x = -x.abs());
        assert_eq!(of(&values).to_bits(), max_f32(&values).to_bits(), "{length}");
        if length > 0 {
            let folded = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(of(&values), folded, "{length}");
        }
    }
    let mut values = Random::floats(11, 5000);
    values[4321] = f32::INFINITY;
    assert_eq!(of(&values), f32::INFINITY);
    for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)] {
        values[1234] = nan;
        assert!(of(&values).is_nan());
    }
    assert_eq!(of(&[]), f32::NEG_INFINITY);
    assert_eq!(of(&[-0.0, 0.0, -0.0]).to_bits(), 0);
    assert_eq!(of(&[f32::from_bits(1), 0.0]).to_bits(), 1, "even of the smallest numbers");
}

#[test]
fn sums_and_maxima_of_whole_numbers_are_exact() {
    let Some(gpu) = testing::gpu("reduce") else { return };
    let sum = Reduce::<u32>::sum(&gpu, 10_000_000).unwrap();
    let max = Reduce::<u32>::max(&gpu, 10_000_000).unwrap();
    for length in LENGTHS {
        let values = Random::numbers(12, length);
        let buffer = gpu.storage("values", &values).unwrap();
        let expected = values.iter().fold(0u32, |s, &x| s.wrapping_add(x));
        assert_eq!(result(&gpu, |r| sum.bind(&buffer, r, length)), expected);
        let expected = values.iter().copied().max().unwrap_or(0);
        assert_eq!(result(&gpu, |r| max.bind(&buffer, r, length)), expected);
        let part = length / 3;
        let expected = values[..part].iter().copied().max().unwrap_or(0);
        assert_eq!(result(&gpu, |r| max.bind(&buffer, r, part)), expected);
    }
}

#[test]
fn a_result_in_its_own_input_is_refused() {
    let Some(gpu) = testing::gpu("reduce") else { return };
    let values = gpu.zeros::<f32>("values", 10).unwrap();
    let sum = Reduce::<f32>::sum(&gpu, 10).unwrap();
    let said = refusal(|| sum.bind(&values, &values, 10));
    assert!(said.contains("are the same buffer"), "{said}");
}
