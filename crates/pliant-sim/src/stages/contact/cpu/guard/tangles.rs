//! Surfaces that cross already: nothing can be promised for them.
//!
//! Where a start intersects, planes would keep it that way. So pairs of vertices of triangles that cross are left alone,
//! and rows bring them apart; whoever has come apart is guarded from then on. What crosses follows from where the
//! substep begins. Once nothing does, nothing ever will, so it is not asked again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::View;
use super::near::{Near, make_room};
use crate::contact::crossing::triangles_cross;
use crate::contact::search::{self, Pairs};
use crate::pool::Team;
use crate::simd::Level;
use crate::stages::contact::formula::Kind;
use crate::stages::contact::layout::Layout;
use crate::stages::contact::separation::is_first;

/// What crosses when a substep begins.
pub(super) struct Tangles {
    /// Triangles that are near each other, where any may cross.
    pairs: Pairs,
    /// By vertex of the model: whether a triangle of its own crosses another.
    vertices: Vec<AtomicBool>,
    /// Whether there may be any.
    pub are_possible: bool,
    /// Whether triangles must be searched for.
    pub is_stale: bool,
    /// Pairs of triangles that crossed when the last substep began.
    pub count: u64,
}

impl Tangles {
    pub fn new(layout: &Layout) -> Self {
        Self {
            pairs: Pairs::default(),
            vertices: layout.slot_of.iter().map(|_| AtomicBool::new(false)).collect(),
            are_possible: true,
            is_stale: true,
            count: 0,
        }
    }

    pub fn bytes(&self) -> usize {
        self.pairs.bytes() + self.vertices.len()
    }

    /// Finds all triangles that cross, without rounding.
    pub fn find(
        &mut self,
        with: (&Team, Level),
        view: View<'_>,
        near: &Near,
    ) -> Result<(), String> {
        if !self.are_possible {
            return Ok(());
        }
        if self.is_stale {
            loop {
                let (trees, pairs) = (&near.triangles, &mut self.pairs);
                search::find::<true, 3, 3>(with, trees, trees, pairs);
                if make_room(pairs)? {
                    break;
                }
            }
            self.is_stale = false;
        }
        self.vertices.iter_mut().for_each(|vertex| *vertex.get_mut() = false);
        let count = AtomicU64::new(0);
        let Self { pairs, vertices, .. } = self;
        let (team, _) = with;
        team.each(pairs.chunk_count(), &|chunk| {
            for (first, list) in pairs.chunk(chunk) {
                for &second in list {
                    if let Some(corners) = crossing(view, first, second) {
                        count.fetch_add(1, Ordering::Relaxed);
                        let tangled =
                            |v: &u32| vertices[*v as usize].store(true, Ordering::Relaxed);
                        corners.as_flattened().iter().for_each(tangled);
                    }
                }
            }
        });
        self.count = count.into_inner();
        self.are_possible = self.count > 0;
        Ok(())
    }

    /// Whether nothing is promised for a pair, since both of its primitives are at triangles that cross others.
    pub fn excuse(&self, layout: &Layout, kind: Kind, first: u32, second: u32) -> bool {
        if self.count == 0 {
            return false;
        }
        let corners = layout.corners(kind, first, second);
        let is_tangled = |v: u32| self.vertices[v as usize].load(Ordering::Relaxed);
        [true, false]
            .into_iter()
            .all(|of_first| (0..4).any(|k| is_first(kind, k) == of_first && is_tangled(corners[k])))
    }
}

/// The corners of two triangles, if these cross where the substep began.
fn crossing(view: View<'_>, first: u32, second: u32) -> Option<[[u32; 3]; 2]> {
    let layout = view.layout;
    let bodies = [first, second].map(|t| layout.triangle_body[t as usize]);
    if !layout.may_touch(bodies) {
        return None;
    }
    let corners = [first, second].map(|t| layout.surface.triangles.corners[t as usize]);
    if layout.are_welded(corners) {
        return None;
    }
    let places: [[[f64; 3]; 3]; 2] = std::array::from_fn(|i| {
        corners[i].map(|v| view.in_world(bodies[i], view.began(layout.slot_of[v as usize])))
    });
    triangles_cross(places[0], places[1]).then_some(corners)
}
