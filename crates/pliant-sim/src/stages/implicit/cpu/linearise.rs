//! Fills the matrix of a block with the derivatives of its elements at the present positions.

use super::matrix::{BlockMatrix, Volumes};
use crate::math::Vec3;
use crate::matrix::Matrix;
use crate::simd::Lane4;
use crate::stages::bending::PAIRS;
use crate::stages::bending::cpu::BlockHinges;
use crate::stages::bending::formula::{hinge_pair, hinge_slopes};
use crate::stages::elastic::cpu::Layout;
use crate::stages::elastic::cpu::program::{FLIPPED, LANES};
use crate::stages::elastic::formula::{EDGE_CORNERS, spring_pair, volume_pair, volume_terms};

/// As [`BlockMatrix::linearise`].
///
/// # Safety
/// As there.
pub(super) unsafe fn run(
    matrix: &mut BlockMatrix,
    layout: &Layout,
    number: usize,
    h: f32,
    position: *const Lane4,
    diagonal: [*mut Lane4; 2],
) {
    let x = |vertex: u16| {
        // SAFETY: local numbers lie within the block's slots.
        let [x, y, z, _] = unsafe { (*position.add(usize::from(vertex))).0 };
        Vec3::from([x, y, z])
    };
    let first = layout.blocks[number].springs.start;
    let spring = |n: usize, [i, j]: [u16; 2]| {
        let [k, k_rest, damping] = layout.spring(number, first + n as u32);
        let l = x(j) - x(i);
        (l, spring_pair(l, k, k_rest, damping, h))
    };
    let BlockMatrix { coefficient, springs, springless, bending, volumes, tets, .. } = matrix;
    let floats = coefficient.as_mut_ptr().cast::<f32>();
    let set = |place: u32, row: usize, value: f32| {
        // SAFETY: places point into the coefficients, which have as many rows as the kind needs.
        unsafe { *floats.add((place & !FLIPPED) as usize + LANES * row) = value };
    };
    let add = |vertex: u16, own: [f32; 6]| {
        for (array, step) in diagonal.into_iter().zip([&own[..3], &own[3..]]) {
            // SAFETY: as for the positions; the arrays are this call's alone.
            let at = unsafe { &mut (*array.add(usize::from(vertex))).0 };
            (0..3).for_each(|k| at[k] += step[k]);
        }
    };
    let Some(volumes) = volumes else {
        for (n, &(ends, place)) in springs.iter().enumerate() {
            let (l, [across, excess]) = spring(n, ends);
            let across = across + bending.get(n).map_or(0.0, |stiffness| h * h * stiffness);
            let e = l * excess.sqrt();
            let all = [e.x, e.y, e.z, across];
            all.into_iter().enumerate().for_each(|(row, value)| set(place, row, value));
            let squares = [e.x * e.x + across, e.y * e.y + across, e.z * e.z + across];
            let own = [squares[0], squares[1], squares[2], e.x * e.y, e.y * e.z, e.z * e.x];
            ends.into_iter().for_each(|end| add(end, own));
        }
        let of_springless = bending.iter().skip(springs.len());
        for (&(ends, place), stiffness) in springless.iter().zip(of_springless) {
            let across = h * h * stiffness;
            set(place, 3, across);
            ends.into_iter().for_each(|end| add(end, [across, across, across, 0.0, 0.0, 0.0]));
        }
        return;
    };
    volumes.sums.fill([0.0; 9]);
    for (n, &(ends, pair)) in springs.iter().enumerate() {
        let (l, [across, excess]) = spring(n, ends);
        let sum = &mut volumes.sums[pair as usize];
        let l: [f32; 3] = l.into();
        for r in 0..3 {
            let scaled = excess * l[r];
            (0..3).for_each(|c| sum[3 * r + c] += scaled * l[c]);
            sum[4 * r] += across;
        }
    }
    add_volumes(volumes, tets, layout, number, h, x);
    add_hinges(volumes, &layout.blocks[number].hinges, h, x);
    for (&(ends, place), sum) in volumes.pairs.iter().zip(&volumes.sums) {
        let flipped = place & FLIPPED != 0;
        for n in 0..9 {
            set(place, if flipped { n % 3 * 3 + n / 3 } else { n }, sum[n]);
        }
        // What is not symmetric cancels at every vertex.
        let mean = |a: usize, b: usize| 0.5 * (sum[a] + sum[b]);
        let own = [sum[0], sum[4], sum[8], mean(1, 3), mean(5, 7), mean(2, 6)];
        ends.into_iter().for_each(|end| add(end, own));
    }
}

/// Adds what the hinges give to their pairs.
fn add_hinges(volumes: &mut Volumes, hinges: &BlockHinges, h: f32, x: impl Fn(u16) -> Vec3<f32>) {
    let Volumes { hinge_pairs, sums, .. } = volumes;
    let all = hinges.corners.iter().zip(&hinges.hinge).zip(&*hinge_pairs);
    for ((corners, hinge), pairs) in all {
        let slopes = hinge_slopes(corners.map(&x), hinge);
        for ([i, j], &pair) in PAIRS.into_iter().zip(pairs) {
            let step = hinge_pair(hinge, slopes, i, j);
            add_to(&mut sums[(pair & !FLIPPED) as usize], &step, h * h, pair & FLIPPED != 0);
        }
    }
}

/// Adds a block to a sum; one that was computed from its upper end is turned.
fn add_to(sum: &mut [f32; 9], step: &Matrix<f32>, scale: f32, is_flipped: bool) {
    for r in 0..3 {
        for c in 0..3 {
            sum[3 * r + c] += scale * if is_flipped { step[c][r] } else { step[r][c] };
        }
    }
}

/// Adds what the tetrahedra give to their pairs.
fn add_volumes(
    volumes: &mut Volumes,
    tets: &[[u16; 4]],
    layout: &Layout,
    number: usize,
    h: f32,
    x: impl Fn(u16) -> Vec3<f32>,
) {
    let block = &layout.blocks[number];
    let Volumes { tet_pairs, sums, .. } = volumes;
    for ((tet, corners), pairs) in block.tets.clone().zip(tets).zip(&*tet_pairs) {
        let [a, b] = layout.volume(number, tet);
        if a == 0.0 {
            continue;
        }
        let x = corners.map(&x);
        let [a, s] = volume_terms(x, a, b, block.form).map(|c| c * h * h);
        for (order, pair) in EDGE_CORNERS.into_iter().zip(pairs) {
            let step: Matrix<f32> = volume_pair(order.map(|c| x[c]), a, s);
            let sum = &mut sums[(pair & !FLIPPED) as usize];
            let flipped = pair & FLIPPED != 0;
            for r in 0..3 {
                for c in 0..3 {
                    sum[3 * r + c] += if flipped { step[c][r] } else { step[r][c] };
                }
            }
        }
    }
}
