//! Places the springs of a block: in a fan that has both ends at hand, or else in a star.

use super::fans::{Edges, edge_key};
use super::program::{GroupPlan, MAX_STEPS, NONE, slot_spoke};
use crate::simd::SCATTER_ORDER;
use std::collections::VecDeque;

/// A slot of a group is kept if at least this many of its lanes have a spring to compute there.
const WORTH_A_SLOT: usize = 4;

/// Replaces the edges in the slots of `plans` by springs, drops slots with too few, and adds
/// groups of stars for the springs that no fan took.
pub(crate) fn place_springs(
    plans: &mut Vec<GroupPlan>,
    edges: &Edges,
    springs: &[[u16; 2]],
    dummy: u16,
) {
    let mut placed = vec![false; springs.len()];
    let mut spring_at = springs_at_edges(edges, springs);
    fill_fullest_first(plans, &mut spring_at, &mut placed);
    let left: Vec<u32> = (0..springs.len() as u32).filter(|&s| !placed[s as usize]).collect();
    plans.extend(stars(springs, &left, dummy));
}

/// The spring of each edge, or [`NONE`]. Of several springs with the same ends one is found; the
/// others become stars.
fn springs_at_edges(edges: &Edges, springs: &[[u16; 2]]) -> Vec<u32> {
    let mut sorted: Vec<(u32, u32)> =
        springs.iter().zip(0u32..).map(|(&[i, j], s)| (edge_key(i, j), s)).collect();
    sorted.sort_unstable();
    let mut next = sorted.into_iter().peekable();
    let spring_of = |&key: &u32| {
        while next.next_if(|&(k, _)| k < key).is_some() {}
        next.next_if(|&(k, _)| k == key).map_or(NONE, |(_, s)| s)
    };
    edges.keys.iter().map(spring_of).collect()
}

/// Gives springs to slots, always to the slot that can use most lanes.
fn fill_fullest_first(plans: &mut [GroupPlan], spring_at: &mut [u32], placed: &mut [bool]) {
    let usable = |row: &[u32; 16], spring_at: &[u32]| {
        row.iter().filter(|&&e| e != NONE && spring_at[e as usize] != NONE).count()
    };
    let mut buckets: [Vec<(u32, u32)>; 17] = Default::default();
    for (p, plan) in plans.iter().enumerate() {
        for (s, (_, row)) in plan.slots.iter().enumerate() {
            buckets[usable(row, spring_at)].push((p as u32, s as u32));
        }
    }
    for count in (1..=16).rev() {
        for (p, s) in std::mem::take(&mut buckets[count]) {
            let row = &mut plans[p as usize].slots[s as usize].1;
            let now = usable(row, spring_at);
            if now < count {
                buckets[now].push((p, s));
            } else if count >= WORTH_A_SLOT {
                for entry in row.iter_mut().filter(|e| **e != NONE) {
                    *entry = std::mem::replace(&mut spring_at[*entry as usize], NONE);
                }
                row.iter().filter(|&&s| s != NONE).for_each(|&s| placed[s as usize] = true);
                plans[p as usize].slots[s as usize].0 |= KEPT;
            }
        }
    }
    for plan in plans {
        plan.slots.retain(|(bit, _)| bit & KEPT != 0);
        plan.slots.iter_mut().for_each(|(bit, _)| *bit &= !KEPT);
    }
}

/// Marks slots that hold springs already.
const KEPT: u32 = 1 << 31;

/// One vertex and its springs to others.
struct Star {
    centre: u16,
    /// Other end and number of each spring.
    spokes: Vec<(u16, u32)>,
}

/// Groups of stars that contain the springs `left`.
fn stars(springs: &[[u16; 2]], left: &[u32], dummy: u16) -> Vec<GroupPlan> {
    let mut queue: VecDeque<Star> = cover_with_stars(springs, left).into();
    let mut plans = Vec::new();
    while !queue.is_empty() {
        plans.push(star_group(&take_sixteen(&mut queue), dummy));
    }
    plans
}

/// Greedy: always the vertex with most springs left; longest stars first.
fn cover_with_stars(springs: &[[u16; 2]], left: &[u32]) -> Vec<Star> {
    let vertex_count =
        left.iter().flat_map(|&s| springs[s as usize]).max().map_or(0, |v| usize::from(v) + 1);
    let mut start = vec![0u32; vertex_count + 1];
    for &s in left {
        springs[s as usize].into_iter().for_each(|v| start[usize::from(v) + 1] += 1);
    }
    for v in 0..vertex_count {
        start[v + 1] += start[v];
    }
    let mut fill = start.clone();
    let mut at_vertex = vec![0u32; 2 * left.len()];
    for &s in left {
        for v in springs[s as usize] {
            at_vertex[fill[usize::from(v)] as usize] = s;
            fill[usize::from(v)] += 1;
        }
    }
    let mut placed = vec![false; springs.len()];
    let mut buckets: Vec<Vec<u16>> = vec![Vec::new(); MAX_STEPS + 1];
    for v in 0..vertex_count {
        let valence = (start[v + 1] - start[v]) as usize;
        buckets[valence.min(MAX_STEPS)].push(v as u16);
    }
    let mut stars = Vec::new();
    for length in (1..=MAX_STEPS).rev() {
        let first = stars.len();
        let mut n = 0;
        while n < buckets[length].len() {
            let centre = buckets[length][n];
            n += 1;
            let v = usize::from(centre);
            let own = &at_vertex[start[v] as usize..start[v + 1] as usize];
            let free: Vec<u32> =
                own.iter().filter(|&&s| !placed[s as usize]).take(MAX_STEPS).copied().collect();
            if free.len() < length {
                buckets[free.len()].push(centre);
                continue;
            }
            let mut spokes = Vec::with_capacity(free.len());
            for s in free {
                if !std::mem::replace(&mut placed[s as usize], true) {
                    let [i, j] = springs[s as usize];
                    spokes.push((if i == centre { j } else { i }, s));
                }
            }
            stars.push(Star { centre, spokes });
            buckets[length].push(centre);
        }
        stars[first..].sort_by_key(|star| star.centre);
    }
    stars
}

impl Star {
    /// Whether two stars have the same vertex in the same place.
    fn meets(&self, other: &Self) -> bool {
        self.centre == other.centre
            || self.spokes.iter().zip(&other.spokes).any(|(a, b)| a.0 == b.0)
    }
}

/// How far ahead a partner for a lane is searched.
const PARTNER_SEARCH: usize = 24;

/// Fills the lanes of a group so that partners ([`SCATTER_ORDER`]) do not meet.
fn take_sixteen(queue: &mut VecDeque<Star>) -> [Option<Star>; 16] {
    let mut lanes: [Option<Star>; 16] = Default::default();
    for pair in SCATTER_ORDER.chunks_exact(2) {
        let Some(star) = queue.pop_front() else { break };
        let partner = queue.iter().take(PARTNER_SEARCH).position(|other| !star.meets(other));
        lanes[pair[1]] = partner.and_then(|n| queue.remove(n));
        lanes[pair[0]] = Some(star);
    }
    lanes
}

fn star_group(lanes: &[Option<Star>; 16], dummy: u16) -> GroupPlan {
    let length = lanes.iter().flatten().map(|star| star.spokes.len()).max().unwrap_or(1);
    let mut vertices = vec![[dummy; 16]; 1 + length];
    let mut slots: Vec<(u32, [u32; 16])> =
        (0..length).map(|i| (slot_spoke(i), [NONE; 16])).collect();
    for (n, star) in lanes.iter().enumerate() {
        let Some(star) = star else { continue };
        vertices[0][n] = star.centre;
        for (i, &(end, spring)) in star.spokes.iter().enumerate() {
            vertices[1 + i][n] = end;
            slots[i].1[n] = spring;
        }
    }
    GroupPlan { closed: false, axis: false, vertices, tets: Vec::new(), slots }
}
