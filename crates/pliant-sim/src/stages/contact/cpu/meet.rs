//! The primitives of two patches whose boxes meet: what a couple searches among.

use std::cell::RefCell;

use super::couples::Here;
use super::patches::{Motion, Patch};
use crate::contact::tree::{Bounds, Node, WIDTH, splat};
use crate::simd::{Lane4, Lanes, Lanes16, Task, run_at};
use crate::stages::contact::formula::Kind;

thread_local! {
    /// What searches of a worker use again and again.
    pub(super) static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Primitives of two patches, and the pairs of them whose boxes meet.
#[derive(Default)]
pub(super) struct Scratch {
    pub one: Vec<Item>,
    boxes: Vec<Bounds>,
    /// Sixteen to a node: their boxes, and which vertices their corners are, as bits.
    pub other: Vec<Item>,
    nodes: Vec<(Node, [Lanes; 3])>,
    /// Numbers in both lists.
    pub found: Vec<[u32; 2]>,
}

/// A primitive, with as many corners as it has.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub place: u32,
    /// Which vertices they are.
    corners: [u32; 3],
    pub slots: [u32; 3],
    pub x: [Lane4; 3],
    /// Half its thickness, and how deep behind it something counts as gone into its solid \[m\].
    pub radius: f32,
    pub depth: f32,
}

impl Scratch {
    /// Finds the pairs of a vertex of the first patch and a triangle of the second, or of edges, whose boxes are no farther
    /// apart than they reach and `horizon`; says whether there are any.
    pub fn meet(
        &mut self,
        kind: Kind,
        here: Here<'_>,
        [one, other]: [&Patch; 2],
        [p, q]: [u32; 2],
        horizon: f32,
    ) -> bool {
        let Here { patches, origins, level, view } = here;
        let layout = view.layout;
        let motions = [p, q].map(|patch| &patches.motions[patch as usize]);
        // What rounding may do to boxes, too.
        let size = motions.iter().map(|motion| motion.size()).fold(0.0, f32::max);
        let reach = one.reach + other.reach + horizon + 1e-6 * size;
        let Self { one: of_one, boxes, other: of_other, nodes, found } = self;
        let zone = |motion: &Motion| Bounds {
            low: motion.low.map(|c| c - reach),
            high: motion.high.map(|c| c + reach),
        };
        let [zone_of_one, zone_of_other] = motions.map(zone);
        let origin = |patch: &Patch| origins.0[patch.body as usize].0;
        of_one.clear();
        boxes.clear();
        of_other.clear();
        nodes.clear();
        found.clear();
        let seen = |patch| (patches.positions(patch), origin(patch));
        let mut first = |item: Item, bounds: Bounds| {
            of_one.push(item);
            boxes.push(bounds);
        };
        let surface = &layout.surface;
        match kind {
            Kind::VertexTriangle => {
                let list = patches.vertices(one);
                each_in(list, seen(one), &zone_of_other, |place, x, bounds| {
                    let corners = surface.vertices.corners[place];
                    let slots = [layout.vertex_slots[place]];
                    let radius = layout.vertex_radius[place];
                    first(Item::new(place, corners, slots, x, [radius, 0.0]), bounds);
                });
            }
            Kind::EdgeEdge => {
                let list = patches.edges(one);
                each_in(list, seen(one), &zone_of_other, |place, x, bounds| {
                    let corners = surface.edges.corners[place];
                    let slots = layout.edge_slots[place];
                    let radius = layout.edge_radius[place];
                    first(Item::new(place, corners, slots, x, [radius, 0.0]), bounds);
                });
            }
        }
        if of_one.is_empty() {
            return false;
        }
        let mut second = |item: Item, bounds: Bounds| {
            let lane = of_other.len() % WIDTH;
            if lane == 0 {
                nodes.push((Node::EMPTY, Default::default()));
            }
            if let Some((node, corners)) = nodes.last_mut() {
                node.set(lane, bounds);
                for (lanes, corner) in corners.iter_mut().zip(item.corners) {
                    lanes.0[lane] = f32::from_bits(corner);
                }
            }
            of_other.push(item);
        };
        match kind {
            Kind::VertexTriangle => {
                let list = patches.triangles(other);
                each_in(list, seen(other), &zone_of_one, |place, x, bounds| {
                    let corners = surface.triangles.corners[place];
                    let slots = layout.triangle_slots[place];
                    let sizes = [layout.triangle_radius[place], layout.depths[place]];
                    second(Item::new(place, corners, slots, x, sizes), bounds);
                });
            }
            Kind::EdgeEdge => {
                let list = patches.edges(other);
                each_in(list, seen(other), &zone_of_one, |place, x, bounds| {
                    let corners = surface.edges.corners[place];
                    let slots = layout.edge_slots[place];
                    let radius = layout.edge_radius[place];
                    second(Item::new(place, corners, slots, x, [radius, 0.0]), bounds);
                });
            }
        }
        let is_half = kind == Kind::EdgeEdge && p == q;
        let (one, count) = (&**of_one, of_other.len());
        match kind {
            Kind::VertexTriangle => {
                let meet = Meet::<1, 3> { one, boxes, nodes, count, reach, is_half, found };
                // SAFETY: the task asks for nothing, and the level was detected.
                unsafe { run_at(level, meet) };
            }
            Kind::EdgeEdge => {
                let meet = Meet::<2, 2> { one, boxes, nodes, count, reach, is_half, found };
                // SAFETY: as above.
                unsafe { run_at(level, meet) };
            }
        }
        !found.is_empty()
    }
}

impl Item {
    #[inline]
    fn new<const N: usize>(
        place: usize,
        corners: [u32; N],
        slots: [u32; N],
        x: [Lane4; N],
        [radius, depth]: [f32; 2],
    ) -> Self {
        // What is missing is like the last one.
        let all = |of: [u32; N]| std::array::from_fn(|k| of[k.min(N - 1)]);
        let x = std::array::from_fn(|k| x[k.min(N - 1)]);
        Self { place: place as u32, corners: all(corners), slots: all(slots), x, radius, depth }
    }
}

/// Calls `act` with the primitives of a patch whose boxes, as seen from a common origin, meet a zone.
#[inline]
fn each_in<const N: usize>(
    list: &[(u32, [u16; N])],
    (at, origin): (&[Lane4], [f32; 4]),
    zone: &Bounds,
    mut act: impl FnMut(usize, [Lane4; N], Bounds),
) {
    for &(place, corners) in list {
        let x = corners.map(|corner| at[usize::from(corner)]);
        let (mut low, mut high) = (x[0].0, x[0].0);
        for Lane4(x) in &x[1..] {
            low = std::array::from_fn(|k| if x[k] < low[k] { x[k] } else { low[k] });
            high = std::array::from_fn(|k| if x[k] > high[k] { x[k] } else { high[k] });
        }
        let bounds = Bounds {
            low: std::array::from_fn(|k| low[k] + origin[k]),
            high: std::array::from_fn(|k| high[k] + origin[k]),
        };
        let meets = |k: usize| (bounds.low[k] <= zone.high[k]) & (bounds.high[k] >= zone.low[k]);
        if meets(0) & meets(1) & meets(2) {
            act(place as usize, x, bounds);
        }
    }
}

/// Finds which primitives of A corners have boxes that, made larger by `reach`, meet those of which others of B corners, with
/// none in common; behind themselves only, if this `is_half` of the pairs.
struct Meet<'a, const A: usize, const B: usize> {
    one: &'a [Item],
    boxes: &'a [Bounds],
    nodes: &'a [(Node, [Lanes; 3])],
    /// How many are in the nodes.
    count: usize,
    reach: f32,
    is_half: bool,
    found: &'a mut Vec<[u32; 2]>,
}

impl<const A: usize, const B: usize> Task for Meet<'_, A, B> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        for (i, (item, bounds)) in self.one.iter().zip(self.boxes).enumerate() {
            let larger = Bounds {
                low: bounds.low.map(|c| c - self.reach),
                high: bounds.high.map(|c| c + self.reach),
            };
            let (low, high) = splat::<S>(&larger);
            let from = if self.is_half { (i + 1) / WIDTH } else { 0 };
            for (n, (node, corners)) in self.nodes.iter().enumerate().skip(from) {
                let mut met = S::bits(node.meets::<S>(low, high));
                if self.is_half && n == from {
                    met &= u16::MAX << ((i + 1) % WIDTH);
                }
                if met == 0 {
                    continue;
                }
                let mut shared = S::zero().same_bits(S::splat(1.0));
                for &own in &item.corners[..A] {
                    let own = S::splat(f32::from_bits(own));
                    for other in &corners[..B] {
                        shared = S::either(shared, S::load(other).same_bits(own));
                    }
                }
                met &= !S::bits(shared);
                while met != 0 {
                    let j = n * WIDTH + met.trailing_zeros() as usize;
                    met &= met - 1;
                    // Infinite boxes meet what is behind the last one.
                    if j < self.count {
                        self.found.push([i as u32, j as u32]);
                    }
                }
            }
        }
    }
}
