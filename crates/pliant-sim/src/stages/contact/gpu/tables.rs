//! The surface as kernels read it: one table of words. Twin of the beginning of surface.wgsl.

use super::setup::{LEVELS, Setup};
use crate::scene::ContactFilter;
use crate::stages::contact::layout::Layout;
use crate::stages::contact::surface::NONE;
use crate::stages::gpu::layout::Layout as Slots;

/// Words of a body in the table: whether it is solid, its origin, what rounding took from that, whether it touches itself,
/// names that it has and names that it ignores, its friction.
const BODY_WORDS: usize = 11;

/// Children of a node.
const WIDTH: usize = 16;

/// The table, and where things are in it.
pub struct Tables {
    pub words: Vec<u32>,
    pub setup: Setup,
    /// Boxes of all levels of both trees.
    pub boxes: usize,
}

impl Tables {
    pub fn new(layout: &Layout, slots: &Slots) -> Self {
        let surface = &layout.surface;
        let (mut words, mut setup) = (Vec::new(), Setup::default());
        let counts = [
            surface.vertices.corners.len(),
            surface.edges.corners.len(),
            surface.triangles.corners.len(),
        ];
        setup.counts[..3].copy_from_slice(&counts.map(|count| count as u32));
        setup.places[0] = words.len() as u32;
        for (&slot, &body) in layout.vertex_slots.iter().zip(&layout.vertex_body) {
            words.extend([slot, body]);
        }
        setup.places[1] = words.len() as u32;
        (0..counts[1]).for_each(|edge| words.extend(edge_words(layout, edge)));
        setup.places[2] = words.len() as u32;
        (0..counts[2]).for_each(|triangle| words.extend(triangle_words(layout, triangle)));
        setup.places[3] = words.len() as u32;
        slots.vertex_of.iter().for_each(|&vertex| words.extend(slot_words(layout, vertex)));
        setup.more[0] = words.len() as u32;
        words.extend(layout.neighbourhoods.around.iter().map(|&v| layout.slot_of[v as usize]));
        setup.more[1] = words.len() as u32;
        // These are told before the first stretch.
        words.extend(layout.is_solid.iter().flat_map(|_| [0; BODY_WORDS]));
        let boxes = levels([counts[2], counts[1]], &mut setup);
        Self { words, setup, boxes }
    }
}

fn edge_words(layout: &Layout, edge: usize) -> [u32; 6] {
    let ([a, b], [one, other]) = (layout.edge_slots[edge], layout.edge_faces[edge]);
    [a, b, layout.edge_body[edge], one, other, layout.edge_radius[edge].to_bits()]
}

fn triangle_words(layout: &Layout, triangle: usize) -> [u32; 10] {
    let [a, b, c] = layout.triangle_slots[triangle];
    let round = &layout.neighbourhoods.triangles[triangle];
    let slot = |v: u32| if v == NONE { NONE } else { layout.slot_of[v as usize] };
    let [p, q, r] = round.opposite.map(slot);
    let radius = layout.triangle_radius[triangle].to_bits();
    let depth = layout.depths[triangle].to_bits();
    [a, b, c, p, q, r, u32::from(round.owns), layout.triangle_body[triangle], radius, depth]
}

/// Of the vertex in a slot; of padding nothing but zeros. What is sewn to it is told later.
fn slot_words(layout: &Layout, vertex: u32) -> [u32; 8] {
    if vertex == NONE {
        return [0; 8];
    }
    let v = vertex as usize;
    let start = layout.neighbourhoods.start[v];
    let [x, y, z] = layout.rest[v].map(f32::to_bits);
    let count = layout.neighbourhoods.start[v + 1] - start;
    [layout.edge[v].to_bits(), layout.radius[v].to_bits(), start, count, x, y, z, 0]
}

/// Lays out the levels of both trees, and tells how many boxes they have. Both have as many levels.
fn levels(mut counts: [usize; 2], setup: &mut Setup) -> usize {
    let mut boxes = 0;
    for level in 0..LEVELS {
        for (tree, count) in counts.into_iter().enumerate() {
            setup.levels[level][2 * tree] = boxes as u32;
            setup.levels[level][2 * tree + 1] = count as u32;
            boxes += count;
        }
        setup.more[2] = level as u32 + 1;
        if counts.iter().all(|&count| count <= WIDTH) {
            break;
        }
        counts = counts.map(|count| count.div_ceil(WIDTH));
    }
    boxes
}

/// What bodies are like and where they are, as words of the table that begin `BODY_WORDS` apart: origins as seen from the middle of all.
pub fn body_words(layout: &Layout, origins: &[[f64; 3]]) -> Vec<u32> {
    let count = origins.len().max(1) as f64;
    let middle: [f64; 3] =
        std::array::from_fn(|k| origins.iter().map(|o| o[k]).sum::<f64>() / count);
    let mut words = Vec::with_capacity(BODY_WORDS * origins.len());
    for (body, origin) in origins.iter().enumerate() {
        let way: [f64; 3] = std::array::from_fn(|k| origin[k] - middle[k]);
        let high = way.map(|way| way as f32);
        let low: [f32; 3] = std::array::from_fn(|k| (way[k] - f64::from(high[k])) as f32);
        words.push(u32::from(layout.is_solid[body]));
        words.extend(high.iter().chain(&low).map(|part| part.to_bits()));
        let ContactFilter { is, ignores } = layout.filters[body];
        let friction = (layout.friction[body] as f32).to_bits();
        words.extend([u32::from(layout.within[body]), is, ignores, friction]);
    }
    words
}
