//! Boxes within boxes round the faces of a surface. Which faces are in which box stays the same while
//! bodies deform; where the boxes are is found on the device.

use crate::volume::mesh::{Face, NONE};

/// Faces to a leaf; twin of `LEAF` in clouds_shared.wgsl.
const LEAF: usize = 4;

/// Twin of `Node` in clouds_shared.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(in crate::gpu) struct Node {
    pub low: [f32; 3],
    pub skip: u32,
    pub high: [f32; 3],
    pub faces: u32,
}

/// Nodes in the order in which rays meet them, each before what is inside of it.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// How many levels there are, where each begins and the last one ends, and the nodes of all levels,
    /// the leaves first.
    pub order: Vec<u32>,
    pub leaves: u32,
}

impl Tree {
    /// For this many faces, which are close to each other when their numbers are.
    pub fn new(faces: usize) -> Self {
        let mut nodes = Vec::new();
        let mut levels: Vec<Vec<u32>> = vec![Vec::new()];
        if faces > 0 {
            add(&mut nodes, &mut levels, 0, faces.div_ceil(LEAF));
        }
        let leaves = levels[0].len() as u32;
        let mut order = vec![levels.len() as u32];
        let mut start = 0;
        for level in &levels {
            order.push(start);
            start += level.len() as u32;
        }
        order.push(start);
        order.extend(levels.iter().flatten());
        Self { nodes, order, leaves }
    }
}

/// Adds a node for leaves `from` to `to`; says on which level it is.
fn add(nodes: &mut Vec<Node>, levels: &mut Vec<Vec<u32>>, from: usize, to: usize) -> usize {
    let number = nodes.len();
    let faces = if to - from == 1 { (from * LEAF) as u32 } else { NONE };
    nodes.push(Node { low: [0.0; 3], skip: 0, high: [0.0; 3], faces });
    let level = match to - from {
        1 => 0,
        count => {
            let middle = from + count / 2;
            let first = add(nodes, levels, from, middle);
            1 + add(nodes, levels, middle, to).max(first)
        }
    };
    nodes[number].skip = nodes.len() as u32;
    if levels.len() <= level {
        levels.resize(level + 1, Vec::new());
    }
    levels[level].push(number as u32);
    level
}

/// Faces in an order in which neighbours are close to each other: along a curve through space, or by
/// their numbers where places are not known.
pub(super) fn sorted(faces: &[Face], positions: Option<&[[f32; 3]]>) -> Vec<Face> {
    let mut sorted = faces.to_vec();
    match positions {
        None => sorted.sort_by_key(|face| face.corners.iter().min().copied()),
        Some(positions) => {
            let middle = |face: &Face| -> [f32; 3] {
                let corners = face.corners.map(|v| positions[v as usize]);
                std::array::from_fn(|k| corners.iter().map(|c| c[k]).sum::<f32>() / 3.0)
            };
            let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            for middle in faces.iter().map(middle).filter(|m| m.iter().all(|c| c.is_finite())) {
                for k in 0..3 {
                    (low[k], high[k]) = (low[k].min(middle[k]), high[k].max(middle[k]));
                }
            }
            let size = (0..3).fold(f32::MIN_POSITIVE, |size, k| size.max(high[k] - low[k]));
            sorted.sort_by_cached_key(|face| {
                let middle = middle(face);
                let place = |k: usize| ((middle[k] - low[k]) / size * 1023.0) as u32;
                spread(place(0)) | spread(place(1)) << 1 | spread(place(2)) << 2
            });
        }
    }
    sorted
}

/// Two zeros between the lowest ten bits (Morton 1966, "A computer oriented geodetic data base").
fn spread(bits: u32) -> u32 {
    (0..10).fold(0, |all, bit| all | (bits.min(1023) >> bit & 1) << (3 * bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_is_in_one_leaf_and_every_node_after_those_inside() {
        for faces in [1, 3, 4, 5, 17, 1000] {
            let tree = Tree::new(faces);
            let mut firsts: Vec<u32> =
                tree.nodes.iter().map(|n| n.faces).filter(|&f| f != NONE).collect();
            firsts.sort_unstable();
            let want: Vec<u32> =
                (0..faces.div_ceil(LEAF)).map(|leaf| (leaf * LEAF) as u32).collect();
            assert_eq!(firsts, want, "{faces} faces");
            assert_eq!(tree.leaves as usize, want.len());
            let levels = tree.order[0] as usize;
            let order = &tree.order[levels + 2..];
            assert_eq!(order.len(), tree.nodes.len());
            let mut is_done = vec![false; tree.nodes.len()];
            for &number in order {
                let mut child = number + 1;
                while child < tree.nodes[number as usize].skip {
                    assert!(is_done[child as usize], "{child} before {number}");
                    child = tree.nodes[child as usize].skip;
                }
                is_done[number as usize] = true;
            }
            assert_eq!(order.last(), Some(&0), "the root is last");
        }
        assert_eq!(Tree::new(0).nodes.len(), 0);
    }

    #[test]
    fn bits_are_spread() {
        assert_eq!(spread(0b1011), 0b1_000_001_001);
        assert_eq!(spread(9999), spread(1023));
    }
}
