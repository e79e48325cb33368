//! Surfaces whose motion is given have the right of way: whoever stands before one that goes farther in a substep than
//! the two are apart is taken along, as far as needed to stay before it.
//!
//! One pair after the other is looked at, in their order, so that larger lists change nothing: pairs that need nothing
//! do nothing.

use super::near::Near;
use super::tangles::Tangles;
use super::{View, Watched};
use crate::contact::tree::Apart;
use crate::math::Vec3;
use crate::pool::Team;
use crate::stages::contact::cpu::KINDS;
use crate::stages::contact::formula::Kind;
use crate::stages::contact::separation::{Side, gap_along, is_first, leaves_room};

/// The part of the gap that is left before what is taken along.
const KEPT: f64 = 0.25;

/// Takes along what is in the way of a surface, in all chunks `all` of near pairs, and notes the pairs in `taken`;
/// `lists` are room to work in.
pub(super) fn make_way(
    (team, all): (&Team, &[u32]),
    view: View<'_>,
    (near, tangles): (&Near, &Tangles),
    lists: &mut [Vec<Vec<Watched>>; 2],
    taken: &mut Vec<(Kind, [u32; 2])>,
) {
    each_chunk(team, lists, all, &|kind, chunk, list| {
        list.clear();
        for (first, seconds) in near.pairs(kind).chunk(chunk) {
            for &second in seconds {
                let is_in_the_way = view.missing(kind, [first, second]).is_some()
                    && !tangles.excuse(view.layout, kind, first, second);
                if is_in_the_way {
                    list.push(Watched { first, second, fails: false, is_cut: false });
                }
            }
        }
    });
    for (kind, lists) in KINDS.into_iter().zip(lists) {
        for &Watched { first, second, .. } in lists.iter().flatten() {
            let Some(missing) = view.missing(kind, [first, second]) else { continue };
            missing.into_iter().for_each(|(slot, way)| view.take_along(slot, way));
            taken.push((kind, [first, second]));
        }
    }
}

impl View<'_> {
    /// How much farther corners of a pair must go so that a surface whose motion is given does not go through them;
    /// nothing where there is room for it, or they get out of its way by themselves.
    fn missing(&self, kind: Kind, [first, second]: [u32; 2]) -> Option<[(u32, Vec3<f64>); 4]> {
        if !self.layout.bodies(kind, first, second).into_iter().any(|b| self.layout.is_given(b)) {
            return None;
        }
        let pair = self.pair(kind, first, second)?;
        let side = pair.given?;
        let plane = pair.separation();
        let is_given = |k: usize| is_first(kind, k) == (side == Side::First);
        // Away from what comes.
        let away = if side == Side::First { -plane.normal } else { plane.normal };
        let comes = (0..4).filter(|&k| is_given(k)).map(|k| away.dot(pair.way[k]));
        let comes = comes.fold(0.0, f64::max);
        let end: [Vec3<f64>; 4] = std::array::from_fn(|k| pair.start[k] + pair.way[k]);
        let left = gap_along(kind, plane.normal, end);
        if plane.gap <= 0.0
            || leaves_room(comes, plane.gap, pair.most_rounding())
            || left >= KEPT * plane.gap
        {
            return None;
        }
        let front = (0..4).filter(|&k| is_given(k)).map(|k| away.dot(end[k]));
        let front = front.fold(f64::NEG_INFINITY, f64::max);
        Some(std::array::from_fn(|k| {
            let lacks = front + KEPT * plane.gap + pair.rounding[k] - away.dot(end[k]);
            let is_free = !is_given(k) && self.work.velocity(pair.slots[k]).0[3] > 0.0;
            (pair.slots[k], if is_free { away * lacks.max(0.0) } else { Vec3::zero() })
        }))
    }

    /// Lets a vertex go farther \[m\].
    fn take_along(&self, slot: u32, way: Vec3<f64>) {
        if way == Vec3::zero() {
            return;
        }
        let (chunk, at) = (slot as usize / 4, 4 * (slot as usize % 4));
        let way = way.to_f64();
        // SAFETY: the one who leads is alone between two passes, and slots lie within the arrays.
        unsafe {
            let position = &mut (*self.work.arrays.position.add(chunk)).0;
            let to = position[at..at + 3].iter_mut().zip(way);
            to.for_each(|(x, way)| *x = (f64::from(*x) + way) as f32);
            (&mut (*self.work.arrays.compensation.add(chunk)).0)[at..at + 3].fill(0.0);
        }
    }
}

/// Calls `act` with each of these chunks, on all workers; those of edges are numbered after the others.
pub(super) fn each_chunk<T: Send>(
    team: &Team,
    chunks: &mut [Vec<T>; 2],
    numbers: &[u32],
    act: &(dyn Fn(Kind, usize, &mut T) + Sync),
) {
    let count = chunks[0].len();
    let [vertex_triangle, edge_edge] = chunks.each_mut().map(|list| Apart::new(list, 1));
    let each = |at: usize| {
        let number = numbers[at] as usize;
        let (kind, list, number) = match number.checked_sub(count) {
            None => (KINDS[0], &vertex_triangle, number),
            Some(number) => (KINDS[1], &edge_edge, number),
        };
        // SAFETY: the team gives each number to one worker.
        act(kind, number, unsafe { &mut list.get(number)[0] });
    };
    // One chunk is done before others have heard of it.
    if numbers.len() == 1 { each(0) } else { team.each(numbers.len(), &each) }
}
