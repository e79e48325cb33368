//! Fixed work blocks: which vertices, tetrahedra and springs are handled together.
//!
//! The blocks depend on the model only, never on the number of threads, so that the order of every
//! sum, and with it every bit of the result, is the same on any machine. A body that is too large
//! for one block is cut by recursive bisection of its elements; small bodies are packed whole.
//! Inside a block elements follow a space-filling curve and vertices follow their first use, so
//! that neighbours in space are neighbours in memory.

use std::ops::Range;

use super::Family;
use crate::stages::elastic::VolumeForm;

/// One body of the input: contiguous ranges of vertices, tetrahedra and springs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyElements {
    /// Its volume force: bodies with another one never share a block with it.
    pub form: VolumeForm,
    /// The family that it asks for: likewise, so that a block is stepped in one way.
    pub family: Option<Family>,
    /// Its vertices.
    pub vertices: Range<u32>,
    /// Its tetrahedra.
    pub tets: Range<u32>,
    /// Its springs.
    pub springs: Range<u32>,
}

impl BodyElements {
    /// Whether blocks may hold parts of both.
    fn mixes_with(&self, other: &Self) -> bool {
        self.form == other.form && self.family == other.family
    }
}

/// One block of work; all ranges are in model order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The vertices it owns.
    pub vertices: Range<u32>,
    /// Its tetrahedra.
    pub tets: Range<u32>,
    /// Its springs.
    pub springs: Range<u32>,
    /// Its hinges.
    pub hinges: Range<u32>,
    /// The bodies with vertices in it.
    pub bodies: Range<u32>,
}

/// The model order and the blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// Model vertex i was input vertex `vertex_order[i]`.
    pub vertex_order: Vec<u32>,
    /// Model tetrahedron i was input tetrahedron `tet_order[i]`.
    pub tet_order: Vec<u32>,
    /// Model spring i was input spring `spring_order[i]`.
    pub spring_order: Vec<u32>,
    /// The blocks; their ranges follow each other without gaps.
    pub blocks: Vec<Block>,
}

/// A block holds at most this many vertices, counting those of its elements that other blocks own.
pub const BLOCK_VERTEX_LIMIT: usize = 28_000;

/// The work a block should hold, in tetrahedra.
const TARGET_WORK: usize = 8_192;
/// A lone body of this much work is already cut in two, for two threads.
const SPLIT_WORK: usize = 2_048;
/// A body up to this much work stays whole if the world has enough others to keep threads busy.
const WHOLE_WORK: usize = 12_288;
/// How many times larger than a body the world must be for that.
const ENOUGH_OTHERS: usize = 8;

/// Orders the elements of all bodies and cuts them into blocks.
///
/// Bodies list their elements in input numbering, one after the other; an element's vertices
/// belong to its own body. Every body's vertices stay one contiguous range in model order, the
/// same range as in the input.
pub fn partition(
    bodies: &[BodyElements],
    rest: &[[f32; 3]],
    tets: &[[u32; 4]],
    springs: &[[u32; 2]],
) -> Partition {
    let input = Input { rest, tets, springs };
    let work: Vec<usize> = bodies.iter().map(work_of).collect();
    let world: usize = work.iter().sum();
    let mut partition = Partition {
        vertex_order: Vec::with_capacity(rest.len()),
        tet_order: Vec::with_capacity(tets.len()),
        spring_order: Vec::with_capacity(springs.len()),
        blocks: Vec::new(),
    };
    let mut first = 0;
    while first < bodies.len() {
        let fits =
            |b: &usize| stays_whole(work[*b], world) && bodies[*b].mixes_with(&bodies[first]);
        let whole = (first..bodies.len()).take_while(fits).count();
        if whole == 0 {
            add_split_body(&mut partition, &input, &bodies[first], first as u32, work[first]);
            first += 1;
        } else {
            let range = first..first + whole;
            add_whole_bodies(&mut partition, &input, bodies, &work, range);
            first += whole;
        }
    }
    partition
}

/// Gives every hinge to the block that owns the first end of its edge, which the hinges are sorted by.
pub fn share_out_hinges(blocks: &mut [Block], hinges: &[[u32; 4]]) {
    let before = |vertex: u32| hinges.partition_point(|hinge| hinge[0] < vertex) as u32;
    for block in blocks {
        block.hinges = before(block.vertices.start)..before(block.vertices.end);
    }
}

/// The input arrays.
struct Input<'a> {
    rest: &'a [[f32; 3]],
    tets: &'a [[u32; 4]],
    springs: &'a [[u32; 2]],
}

/// A body's share of the work, in tetrahedra. The springs of a tetrahedral mesh (about 1.2 per
/// tetrahedron) are part of its tetrahedra; bodies of few elements count by their vertices, which
/// the storage pads to a multiple of four.
fn work_of(body: &BodyElements) -> usize {
    let extra_springs = body.springs.len().saturating_sub(body.tets.len() * 3 / 2);
    let padded_vertices = body.vertices.len().next_multiple_of(4);
    (body.tets.len() + extra_springs.div_ceil(2)).max(padded_vertices.div_ceil(2))
}

fn stays_whole(work: usize, world: usize) -> bool {
    work < SPLIT_WORK || (work <= WHOLE_WORK && world >= ENOUGH_OTHERS * work)
}

/// An even number of blocks for this much work, or one.
fn block_count(work: usize) -> usize {
    if work < SPLIT_WORK { 1 } else { 2 * work.div_ceil(2 * TARGET_WORK) }
}

/// Packs bodies into blocks without cutting any.
fn add_whole_bodies(
    partition: &mut Partition,
    input: &Input,
    bodies: &[BodyElements],
    work: &[usize],
    range: Range<usize>,
) {
    let total: usize = work[range.clone()].iter().sum();
    let count = block_count(total);
    let mut done = 0;
    let mut open = None;
    for b in range {
        // The block in which the middle of this body's work falls.
        let bin = (2 * done + work[b]) * count / (2 * total).max(1);
        done += work[b];
        let mut cut = cut_body(input, &bodies[b], 1);
        let part = cut.blocks.remove(0);
        if open != Some(bin) {
            open = Some(bin);
            partition.blocks.push(empty_block(partition, b as u32));
        }
        append_orders(partition, &cut);
        let block = partition.blocks.last_mut().expect("a block was opened above");
        block.vertices.end += part.vertices.len() as u32;
        block.tets.end += part.tets.len() as u32;
        block.springs.end += part.springs.len() as u32;
        block.bodies.end = b as u32 + 1;
    }
}

/// Cuts one body into as many blocks as its work asks for, and more if a block would have too many
/// vertices.
fn add_split_body(
    partition: &mut Partition,
    input: &Input,
    body: &BodyElements,
    index: u32,
    work: usize,
) {
    let mut parts = block_count(work);
    let cut = loop {
        let cut = cut_body(input, body, parts);
        if parts >= body.vertices.len() || largest_block(input, body, &cut) <= BLOCK_VERTEX_LIMIT {
            break cut;
        }
        parts *= 2;
    };
    let base = empty_block(partition, index);
    append_orders(partition, &cut);
    partition.blocks.extend(cut.blocks.iter().map(|part| Block {
        vertices: shift(&part.vertices, base.vertices.start),
        tets: shift(&part.tets, base.tets.start),
        springs: shift(&part.springs, base.springs.start),
        hinges: 0..0,
        bodies: index..index + 1,
    }));
}

fn shift(range: &Range<u32>, by: u32) -> Range<u32> {
    range.start + by..range.end + by
}

/// A block without content at the end of the orders so far.
fn empty_block(partition: &Partition, body: u32) -> Block {
    let at = |order: &Vec<u32>| order.len() as u32..order.len() as u32;
    Block {
        vertices: at(&partition.vertex_order),
        tets: at(&partition.tet_order),
        springs: at(&partition.spring_order),
        hinges: 0..0,
        bodies: body..body + 1,
    }
}

fn append_orders(partition: &mut Partition, cut: &Partition) {
    partition.vertex_order.extend_from_slice(&cut.vertex_order);
    partition.tet_order.extend_from_slice(&cut.tet_order);
    partition.spring_order.extend_from_slice(&cut.spring_order);
}

/// The largest number of vertices, owned or not, that a block of a cut body refers to.
fn largest_block(input: &Input, body: &BodyElements, cut: &Partition) -> usize {
    let first = body.vertices.start;
    let mut last_block = vec![u32::MAX; body.vertices.len()];
    let mut largest = 0;
    for (b, block) in cut.blocks.iter().enumerate() {
        let mut count = 0;
        let mut visit = |v: u32| {
            let seen = &mut last_block[(v - first) as usize];
            count += usize::from(*seen != b as u32);
            *seen = b as u32;
        };
        indices(&block.vertices).for_each(|i| visit(cut.vertex_order[i]));
        for i in indices(&block.tets) {
            input.tets[cut.tet_order[i] as usize].into_iter().for_each(&mut visit);
        }
        for i in indices(&block.springs) {
            input.springs[cut.spring_order[i] as usize].into_iter().for_each(&mut visit);
        }
        largest = largest.max(count);
    }
    largest
}

fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Orders one body and cuts it into exactly `parts` blocks. The orders hold input numbers; the
/// ranges of the blocks count from the start of the body.
fn cut_body(input: &Input, body: &BodyElements, parts: usize) -> Partition {
    let (elements, ends) = order_elements(input, body, parts);
    let owners = assign_vertices(input, body, &elements, &ends);
    let spring_block = assign_springs(input, body, &elements, &ends, &owners);

    let is_tet = |e: &&u32| **e < body.tets.end - body.tets.start;
    let tet_order: Vec<u32> = elements.iter().filter(is_tet).map(|e| e + body.tets.start).collect();
    let (spring_order, spring_ends) = sort_springs(body, &spring_block, parts);
    let mut blocks = Vec::with_capacity(parts);
    let (mut from, mut tet, mut vertex, mut spring) = (0, 0, 0, 0);
    for (part, &end) in ends.iter().enumerate() {
        let tets = elements[from..end].iter().filter(is_tet).count() as u32;
        blocks.push(Block {
            vertices: vertex..owners.ends[part],
            tets: tet..tet + tets,
            springs: spring..spring_ends[part],
            hinges: 0..0,
            bodies: 0..1,
        });
        (from, tet, vertex, spring) = (end, tet + tets, owners.ends[part], spring_ends[part]);
    }
    Partition { vertex_order: owners.order, tet_order, spring_order, blocks }
}

/// The body's elements in block order, and where each block ends in that list.
///
/// An element is a tetrahedron (its number within the body) or, above the tetrahedra, a spring
/// with an end that is in no tetrahedron. The other springs follow the tetrahedra.
fn order_elements(input: &Input, body: &BodyElements, parts: usize) -> (Vec<u32>, Vec<usize>) {
    let first = body.vertices.start;
    let tet_count = body.tets.end - body.tets.start;
    let tets = &input.tets[indices(&body.tets)];
    let springs = &input.springs[indices(&body.springs)];
    let mut in_tet = vec![false; body.vertices.len()];
    for v in tets.iter().flatten() {
        in_tet[(v - first) as usize] = true;
    }
    let mut elements: Vec<u32> = (0..tet_count).collect();
    elements.extend((0u32..).zip(springs).filter_map(|(s, ends)| {
        ends.iter().any(|&v| !in_tet[(v - first) as usize]).then_some(tet_count + s)
    }));
    drop(in_tet);

    let centre = |e: u32| match tets.get(e as usize) {
        Some(tet) => mean(&tet.map(|v| input.rest[v as usize])),
        None => mean(&springs[(e - tet_count) as usize].map(|v| input.rest[v as usize])),
    };
    let mut items: Vec<Item> =
        elements.iter().map(|&element| Item { centre: centre(element), element }).collect();
    let curve = Curve::over(&items);
    let mut ends = Vec::with_capacity(parts);
    bisect(&mut items, parts, 0, &mut ends);
    let mut from = 0;
    let mut keys: Vec<u64> = Vec::new();
    for &end in &ends {
        keys.clear();
        keys.extend(items[from..end].iter().map(|item| curve.key(item)));
        keys.sort_unstable();
        for (element, key) in elements[from..end].iter_mut().zip(&keys) {
            *element = *key as u32;
        }
        from = end;
    }
    (elements, ends)
}

/// An element with its centre.
#[derive(Clone, Copy)]
struct Item {
    centre: [f32; 3],
    element: u32,
}

fn mean<const N: usize>(points: &[[f32; 3]; N]) -> [f32; 3] {
    std::array::from_fn(|axis| points.iter().map(|p| p[axis]).sum::<f32>() / N as f32)
}

/// Lower corner and largest axis of the centres' bounding box, with its extent.
fn bounds(items: &[Item]) -> ([f32; 3], [f32; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items {
        for axis in 0..3 {
            low[axis] = low[axis].min(item.centre[axis]);
            high[axis] = high[axis].max(item.centre[axis]);
        }
    }
    (low, high)
}

/// Splits the items into `parts` parts of equal size, each time across the longest side, and
/// notes the end of each.
fn bisect(items: &mut [Item], parts: usize, offset: usize, ends: &mut Vec<usize>) {
    if parts == 1 {
        ends.push(offset + items.len());
        return;
    }
    let lower_parts = parts / 2;
    let middle = items.len() * lower_parts / parts;
    let (low, high) = bounds(items);
    let axis = (0..3).max_by(|&a, &b| (high[a] - low[a]).total_cmp(&(high[b] - low[b])));
    let axis = axis.expect("three axes");
    if middle < items.len() {
        // Ties are broken by number, so the two halves are fully determined.
        items.select_nth_unstable_by(middle, |a, b| {
            a.centre[axis].total_cmp(&b.centre[axis]).then(a.element.cmp(&b.element))
        });
    }
    let (lower, upper) = items.split_at_mut(middle);
    bisect(lower, lower_parts, offset, ends);
    bisect(upper, parts - lower_parts, offset + middle, ends);
}

/// A Morton curve through the box of the centres, ten bits per axis.
struct Curve {
    low: [f32; 3],
    scale: f32,
}

impl Curve {
    fn over(items: &[Item]) -> Self {
        let (low, high) = bounds(items);
        let extent = (0..3).map(|a| high[a] - low[a]).fold(0.0, f32::max);
        Self { low, scale: if extent > 0.0 { 1023.0 / extent } else { 0.0 } }
    }

    /// Place on the curve, then the element's number.
    fn key(&self, item: &Item) -> u64 {
        let mut key = 0;
        for axis in 0..3 {
            let cell = ((item.centre[axis] - self.low[axis]) * self.scale) as u32 & 1023;
            key |= spread(u64::from(cell)) << axis;
        }
        key << 32 | u64::from(item.element)
    }
}

/// Puts two zero bits between the ten low bits.
fn spread(x: u64) -> u64 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Who owns the vertices of a body.
struct Owners {
    /// Input numbers in model order.
    order: Vec<u32>,
    /// Where each block's vertices end in `order`.
    ends: Vec<u32>,
    /// Owner of each vertex, counted from the body's first.
    block: Vec<u32>,
    /// Vertices whose elements lie in more than one block.
    shared: Vec<bool>,
}

/// Gives each vertex to the lowest block that uses it, in order of first use; vertices without
/// elements are dealt out evenly.
fn assign_vertices(input: &Input, body: &BodyElements, elements: &[u32], ends: &[usize]) -> Owners {
    let first = body.vertices.start;
    let count = body.vertices.len();
    let mut owners = Owners {
        order: Vec::with_capacity(count),
        ends: Vec::with_capacity(ends.len()),
        block: vec![u32::MAX; count],
        shared: vec![false; count],
    };
    for_each_element(input, body, elements, ends, |_, vertices| {
        for &v in vertices {
            owners.block[(v - first) as usize] = 0;
        }
    });
    let lonely: Vec<u32> =
        body.vertices.clone().filter(|v| owners.block[(v - first) as usize] == u32::MAX).collect();
    owners.block.fill(u32::MAX);

    let finish = |owners: &mut Owners| {
        let part = owners.ends.len();
        let share = part * lonely.len() / ends.len()..(part + 1) * lonely.len() / ends.len();
        for &v in &lonely[share] {
            owners.block[(v - first) as usize] = part as u32;
            owners.order.push(v);
        }
        owners.ends.push(owners.order.len() as u32);
    };
    for_each_element(input, body, elements, ends, |part, vertices| {
        while owners.ends.len() < part {
            finish(&mut owners);
        }
        for &v in vertices {
            let local = (v - first) as usize;
            if owners.block[local] == u32::MAX {
                owners.block[local] = part as u32;
                owners.order.push(v);
            } else if owners.block[local] != part as u32 {
                owners.shared[local] = true;
            }
        }
    });
    while owners.ends.len() < ends.len() {
        finish(&mut owners);
    }
    owners
}

/// Calls `visit(block, vertices)` for all elements in order.
fn for_each_element(
    input: &Input,
    body: &BodyElements,
    elements: &[u32],
    ends: &[usize],
    mut visit: impl FnMut(usize, &[u32]),
) {
    let tets = &input.tets[indices(&body.tets)];
    let springs = &input.springs[indices(&body.springs)];
    let mut from = 0;
    for (part, &end) in ends.iter().enumerate() {
        for &e in &elements[from..end] {
            match tets.get(e as usize) {
                Some(tet) => visit(part, tet),
                None => visit(part, &springs[e as usize - tets.len()]),
            }
        }
        from = end;
    }
}

/// The block of each spring of the body.
///
/// A spring that is an element has its block already. Otherwise both ends are in tetrahedra: the
/// spring goes to the lowest block with a tetrahedron that has this edge, where it can be computed
/// along with the tetrahedron.
fn assign_springs(
    input: &Input,
    body: &BodyElements,
    elements: &[u32],
    ends: &[usize],
    owners: &Owners,
) -> Vec<u32> {
    let first = body.vertices.start;
    let tet_count = body.tets.end - body.tets.start;
    let springs = &input.springs[indices(&body.springs)];
    let mut block = vec![u32::MAX; springs.len()];
    let mut from = 0;
    for (part, &end) in ends.iter().enumerate() {
        for &e in elements[from..end].iter().filter(|&&e| e >= tet_count) {
            block[(e - tet_count) as usize] = part as u32;
        }
        from = end;
    }
    let mut undecided = Vec::new();
    for (s, &ends) in springs.iter().enumerate() {
        if block[s] != u32::MAX {
            continue;
        }
        // All elements of an end that is not shared are in one block.
        let [i, j] = ends.map(|v| (v - first) as usize);
        match (owners.shared[i], owners.shared[j]) {
            (false, false) if owners.block[i] != owners.block[j] => {}
            (false, _) => block[s] = owners.block[i],
            (_, false) => block[s] = owners.block[j],
            _ => undecided.push((ends[0].min(ends[1]), ends[0].max(ends[1]), s as u32)),
        }
    }
    undecided.sort_unstable();
    for_each_element(input, body, elements, ends, |part, vertices| {
        let shared = |v: u32| owners.shared[(v - first) as usize];
        for (n, &v) in vertices.iter().enumerate().filter(|&(_, &v)| shared(v)) {
            for &u in vertices[n + 1..].iter().filter(|&&u| shared(u)) {
                let edge = (v.min(u), v.max(u));
                let at = undecided.partition_point(|&(a, b, _)| (a, b) < edge);
                for &(_, _, s) in undecided[at..].iter().take_while(|e| (e.0, e.1) == edge) {
                    block[s as usize] = block[s as usize].min(part as u32);
                }
            }
        }
    });
    if block.contains(&u32::MAX) {
        assign_loose_springs(springs, first, owners, &mut block);
    }
    block
}

/// Springs across tetrahedra go to the owner of the end with fewer springs, so that a vertex with
/// very many springs does not fill one block.
fn assign_loose_springs(springs: &[[u32; 2]], first: u32, owners: &Owners, block: &mut [u32]) {
    let mut valence = vec![0u32; owners.block.len()];
    for end in springs.iter().flatten() {
        valence[(end - first) as usize] += 1;
    }
    for (spring, block) in springs.iter().zip(block).filter(|(_, block)| **block == u32::MAX) {
        let [i, j] = spring.map(|v| (v - first) as usize);
        *block = owners.block[if valence[i] <= valence[j] { i } else { j }];
    }
}

/// Springs by block, and where each block ends.
fn sort_springs(body: &BodyElements, block: &[u32], parts: usize) -> (Vec<u32>, Vec<u32>) {
    let mut next = vec![0u32; parts + 1];
    for &b in block {
        next[b as usize + 1] += 1;
    }
    for part in 0..parts {
        next[part + 1] += next[part];
    }
    let ends = next[1..].to_vec();
    let mut order = vec![0; block.len()];
    for (spring, &b) in body.springs.clone().zip(block) {
        order[next[b as usize] as usize] = spring;
        next[b as usize] += 1;
    }
    (order, ends)
}

#[cfg(test)]
#[path = "partition_tests.rs"]
mod tests;
