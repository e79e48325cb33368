//! The order of primitives in which neighbours in space are neighbours by number.

use super::tree::WIDTH;

/// A primitive while it is being sorted.
#[derive(Clone, Copy)]
struct Item {
    centre: [f32; 3],
    number: u32,
}

/// Numbers of the primitives with these centres, cut in halves across the longest side again and again
/// until leaves are left. All cuts are at multiples of powers of two leaves, so that every node of the
/// tree, whose children follow each other, is one of the pieces.
pub(super) fn by_halves(centres: &[[f32; 3]]) -> Vec<u32> {
    let mut items: Vec<Item> =
        centres.iter().zip(0..).map(|(&centre, number)| Item { centre, number }).collect();
    halve(&mut items, WIDTH * centres.len().div_ceil(WIDTH).next_power_of_two());
    items.iter().map(|item| item.number).collect()
}

fn halve(items: &mut [Item], room: usize) {
    if items.len() <= 1 || room <= 1 {
        return;
    }
    let half = room / 2;
    if half < items.len() && half >= WIDTH {
        let axis = longest_side(items);
        // Ties are broken by number, so the two halves are fully determined.
        items.select_nth_unstable_by(half, |a, b| {
            a.centre[axis].total_cmp(&b.centre[axis]).then(a.number.cmp(&b.number))
        });
    } else if half < WIDTH {
        // Within a leaf the order is the caller's.
        items.sort_unstable_by_key(|item| item.number);
        return;
    }
    let (lower, upper) = items.split_at_mut(half.min(items.len()));
    halve(lower, half);
    halve(upper, half);
}

fn longest_side(items: &[Item]) -> usize {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items {
        for axis in 0..3 {
            low[axis] = low[axis].min(item.centre[axis]);
            high[axis] = high[axis].max(item.centre[axis]);
        }
    }
    let side = |axis: usize| high[axis] - low[axis];
    (0..3).max_by(|&a, &b| side(a).total_cmp(&side(b))).expect("three axes")
}
