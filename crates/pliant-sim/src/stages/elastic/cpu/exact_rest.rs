//! Adjusts coefficients such that forces at rest are exactly zero.
//!
//! Coefficients come rounded, and the kernel rounds again: at rest its forces would be about the
//! last digit of k·L0 instead of zero, and an undamped body would tremble. So once a program is
//! written, its springs and volumes are computed at the rest positions with the kernel's own
//! operations, and stiffness k (of `k − k·L0/|l|`) and rest value w0 (of `a·(w − w0)`) are set to
//! what makes them vanish. Both change by less than a hundred-thousandth; coefficients that mean
//! another rest state than the given one are left alone.

use super::program::{Group, LANES, Program};
use crate::simd::{Lane4, Lanes};
use crate::stages::elastic::formula::TINY;

/// Largest change, relative to what is changed.
const NEAR: f32 = 1e-5;

/// Adjusts the coefficients of `program` to the rest positions of its block; `fused` is whether
/// the kernel will multiply and add in one rounding.
pub(super) fn make_rest_exact(program: &mut Program, rest: &[Lane4], fused: bool) {
    let Program { groups, index, coefficient, damped } = program;
    let arithmetic = Arithmetic { fused };
    let (mut index, mut rows) = (&index[..], &mut coefficient[..]);
    for group in groups {
        let vertices =
            usize::from(group.steps) + 2 + usize::from(group.axis) - usize::from(group.closed);
        let springs = group.slots.count_ones() as usize;
        let tets = if group.axis { usize::from(group.steps) } else { 0 };
        let count = springs * (2 + usize::from(*damped)) + 2 * tets;
        let (own_index, other_index) = index.split_at(LANES * vertices);
        let (own_rows, other_rows) = std::mem::take(&mut rows).split_at_mut(count);
        for lane in 0..LANES {
            let corner = |row: usize| {
                let [x, y, z, _] = rest[usize::from(own_index[LANES * row + lane]) / 2].0;
                [x, y, z]
            };
            let mut walk = Walk { arithmetic, rows: own_rows, lane, row: 0, damped: *damped };
            walk.group(*group, corner);
            debug_assert_eq!(walk.row, count, "the walk reads what was written");
        }
        (index, rows) = (other_index, other_rows);
    }
}

/// One lane of a group, read in the order of the kernel.
struct Walk<'a> {
    arithmetic: Arithmetic,
    rows: &'a mut [Lanes],
    lane: usize,
    row: usize,
    damped: bool,
}

impl Walk<'_> {
    fn group(&mut self, group: Group, corner: impl Fn(usize) -> [f32; 3]) {
        let a = corner(0);
        let first_ring = 1 + usize::from(group.axis);
        let axis = if group.axis { sub(corner(1), a) } else { [0.0; 3] };
        let e = |i: usize| sub(corner(first_ring + i), a);
        let has = |bit: u32| group.slots >> bit & 1 != 0;
        if has(super::program::SLOT_AXIS) {
            self.spring(axis);
        }
        let steps = usize::from(group.steps);
        let ring_count = steps + 1 - usize::from(group.closed);
        let enter = |walk: &mut Self, i: usize| {
            let bit = super::program::slot_spoke(i);
            if has(bit) {
                walk.spring(e(i));
            }
            if group.axis && has(bit + 1) {
                walk.spring(sub(e(i), axis));
            }
        };
        enter(self, 0);
        for step in 0..steps {
            let next = (step + 1) % ring_count;
            if step + 1 < ring_count {
                enter(self, step + 1);
            }
            if has(super::program::slot_rim(step)) {
                self.spring(sub(e(next), e(step)));
            }
            if group.axis {
                self.volume(axis, self.arithmetic.cross(e(step), e(next)));
            }
        }
    }

    fn spring(&mut self, l: [f32; 3]) {
        let length = self.arithmetic.dot(l, l).max(TINY as f32).sqrt();
        let (k, k_rest) = (self.rows[self.row].0[self.lane], self.rows[self.row + 1].0[self.lane]);
        let exact = k_rest / length;
        if (exact - k).abs() <= NEAR * k {
            self.rows[self.row].0[self.lane] = exact;
        }
        self.row += 2 + usize::from(self.damped);
    }

    fn volume(&mut self, axis: [f32; 3], d: [f32; 3]) {
        let w = self.arithmetic.dot(axis, d);
        // The volume of a sliver is a small difference of large products.
        let size = (self.arithmetic.dot(axis, axis) * self.arithmetic.dot(d, d)).sqrt();
        let rest = &mut self.rows[self.row + 1].0[self.lane];
        if (w - *rest).abs() <= NEAR * size {
            *rest = w;
        }
        self.row += 2;
    }
}

/// The kernel's operations on single numbers.
#[derive(Clone, Copy)]
struct Arithmetic {
    fused: bool,
}

impl Arithmetic {
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        if self.fused { a.mul_add(b, c) } else { a * b + c }
    }

    fn dot(self, a: [f32; 3], b: [f32; 3]) -> f32 {
        self.mul_add(a[2], b[2], self.mul_add(a[1], b[1], a[0] * b[0]))
    }

    fn cross(self, a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
        [
            self.mul_add(a[1], b[2], -(a[2] * b[1])),
            self.mul_add(a[2], b[0], -(a[0] * b[2])),
            self.mul_add(a[0], b[1], -(a[1] * b[0])),
        ]
    }
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
