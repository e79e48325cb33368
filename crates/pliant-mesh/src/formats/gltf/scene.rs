//! Walking the scene and gathering its triangles.

use std::collections::HashMap;

use super::accessor::{self, Use};
use super::buffers::Buffers;
use super::document::{Document, Primitive};
use super::transform::{Local, Transform, UPRIGHT, apply, determinant, multiply};
use crate::formats::surface::TriangleGroups;
use crate::{Mesh, ReadError, Result};

/// How many points or triangles a scene may have even if its buffers have fewer bytes: nodes may
/// repeat a mesh, so that a small file could ask for any number of them.
pub(super) const MAX_REPEATED: usize = 1 << 22;

/// What the default scene shows, and how it came about.
pub(super) struct Scene {
    pub(super) mesh: Mesh,
    /// The nodes of the scene, every one behind its parent.
    pub(super) nodes: Vec<PlacedNode>,
    /// The points of the mesh, in their order.
    pub(super) blocks: Vec<Block>,
    /// How many meshes have a skin, in whose rest pose they are.
    skinned: usize,
    /// How many primitives have morph targets, which are not applied.
    morphed: usize,
}

impl Scene {
    /// What the mesh does not show of the file.
    pub(super) fn warn(&self, warnings: &mut Vec<String>) {
        for (count, what) in [
            (self.skinned, "skinned meshes in their rest pose"),
            (self.morphed, "primitives without their morph targets"),
        ] {
            if count > 0 {
                warnings.push(format!("read {count} {what}"));
            }
        }
    }
}

/// A node of the scene that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedNode {
    /// Its number in the document.
    pub(super) number: usize,
    /// Its parent's place in [`Scene::nodes`].
    pub(super) parent: Option<usize>,
}

/// Points that follow each other and move alike: one accessor of positions, seen through one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Place of the node in [`Scene::nodes`]; files without nodes show their meshes as they are.
    pub(super) node: Option<usize>,
    /// Number of the mesh in the document.
    pub(super) mesh: usize,
    /// The accessor of positions.
    pub(super) positions: usize,
    /// How many points there are.
    pub(super) count: usize,
}

/// Gathers the triangles of the default scene.
pub(super) fn read(
    document: &Document,
    buffers: &mut Buffers<'_>,
    warnings: &mut Vec<String>,
) -> Result<Scene> {
    let mut walk = Walk {
        document,
        buffers,
        mesh: Mesh::default(),
        nodes: Vec::new(),
        blocks: Vec::new(),
        groups: TriangleGroups::default(),
        positions: HashMap::new(),
        seen: vec![false; document.nodes.len()],
        lines_and_points: 0,
        skinned: 0,
        morphed: 0,
    };
    if document.nodes.is_empty() {
        for index in 0..document.meshes.len() {
            walk.mesh(index, None, &UPRIGHT)?;
        }
    } else {
        walk.walk(roots(document, warnings)?)?;
    }
    Ok(walk.finish(warnings))
}

/// The nodes to begin with: those of the default scene, or all that are nobody's children.
fn roots(document: &Document, warnings: &mut Vec<String>) -> Result<Vec<usize>> {
    let count = document.scenes.len();
    if count > 1 {
        warnings.push(format!("read the default scene only: the file has {count}"));
    }
    if count > 0 || document.scene.is_some() {
        let index = document.scene.unwrap_or(0);
        let scene = document.scenes.get(index);
        let missing =
            || ReadError::file(format!("the default scene is {index}, but there are {count}"));
        return Ok(scene.ok_or_else(missing)?.nodes.clone());
    }
    let mut is_child = vec![false; document.nodes.len()];
    for child in document.nodes.iter().flat_map(|n| &n.children) {
        if let Some(flag) = is_child.get_mut(*child) {
            *flag = true;
        }
    }
    Ok((0..is_child.len()).filter(|&n| !is_child[n]).collect())
}

struct Walk<'a, 'b> {
    document: &'a Document,
    buffers: &'a mut Buffers<'b>,
    mesh: Mesh,
    nodes: Vec<PlacedNode>,
    blocks: Vec<Block>,
    groups: TriangleGroups,
    /// Accessors already decoded, in the file's own coordinates.
    positions: HashMap<usize, Vec<[f64; 3]>>,
    seen: Vec<bool>,
    lines_and_points: usize,
    skinned: usize,
    morphed: usize,
}

/// A mesh as a node shows it.
struct Shown<'a> {
    node: Option<usize>,
    mesh: usize,
    transform: &'a Transform,
    /// Accessors of positions that are there already, and where: primitives often share their points.
    bases: HashMap<usize, u32>,
}

impl Walk<'_, '_> {
    fn walk(&mut self, roots: Vec<usize>) -> Result<()> {
        let mut stack: Vec<(usize, Option<usize>, Transform)> =
            roots.into_iter().rev().map(|n| (n, None, UPRIGHT)).collect();
        while let Some((index, parent, outer)) = stack.pop() {
            let count = self.seen.len();
            match self.seen.get_mut(index) {
                None => {
                    return Err(ReadError::file(format!(
                        "refers to node {index}, but there are {count}"
                    )));
                }
                Some(true) => {
                    return Err(ReadError::file(format!(
                        "node {index} has two parents or is its own ancestor"
                    ))
                    .help("The nodes of a glTF scene must form a tree"));
                }
                Some(seen) => *seen = true,
            }
            let node = &self.document.nodes[index];
            let transform = multiply(&outer, &Local::of(node).matrix());
            let place = self.nodes.len();
            self.nodes.push(PlacedNode { number: index, parent });
            if let Some(mesh) = node.mesh {
                self.skinned += usize::from(node.skin.is_some());
                self.mesh(mesh, Some(place), &transform)?;
            }
            stack.extend(node.children.iter().rev().map(|&child| (child, Some(place), transform)));
        }
        Ok(())
    }

    fn mesh(&mut self, index: usize, node: Option<usize>, transform: &Transform) -> Result<()> {
        let count = self.document.meshes.len();
        let Some(mesh) = self.document.meshes.get(index) else {
            return Err(ReadError::file(format!("refers to mesh {index}, but there are {count}")));
        };
        let first = self.mesh.triangles.len();
        let mut shown = Shown { node, mesh: index, transform, bases: HashMap::new() };
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(primitive, &mut shown).map_err(|e| ReadError {
                problem: format!("mesh {index}, primitive {number}: {}", e.problem),
                ..e
            })?;
        }
        let range = first..self.mesh.triangles.len();
        let node_name = node.map(|place| &self.document.nodes[self.nodes[place].number].name[..]);
        self.groups.add(node_name.unwrap_or_default(), range.clone());
        self.groups.add(&mesh.name, range);
        Ok(())
    }

    fn primitive(&mut self, primitive: &Primitive, shown: &mut Shown<'_>) -> Result<()> {
        if !primitive.draws_triangles() {
            self.lines_and_points += 1;
            return Ok(());
        }
        // A primitive without positions draws nothing.
        let Some(&accessor) = primitive.attributes.get("POSITION") else { return Ok(()) };
        self.morphed += usize::from(!primitive.targets.is_empty());
        let (base, count) = self.points(accessor, shown)?;
        let corners = match primitive.indices {
            None => (0..count as u32).collect(),
            Some(indices) => self.indices(indices, count)?,
        };
        let mut triangles = assemble(primitive.mode, &corners);
        self.check_total("triangles", self.mesh.triangles.len() + triangles.len())?;
        // A mirroring transform turns the order of corners round (section 3.7.4).
        let mirrored = determinant(shown.transform) < 0.0;
        for t in &mut triangles {
            *t = t.map(|c| c + base);
            if mirrored {
                t.swap(1, 2);
            }
        }
        self.mesh.triangles.append(&mut triangles);
        Ok(())
    }

    /// Adds the transformed points of an accessor; returns the number of the first and how many.
    fn points(&mut self, accessor: usize, shown: &mut Shown<'_>) -> Result<(u32, usize)> {
        if !self.positions.contains_key(&accessor) {
            let points =
                accessor::read(self.document, self.buffers, accessor, Use::Numbers, "POSITION")?;
            self.positions.insert(accessor, points);
        }
        let points = &self.positions[&accessor];
        if let Some(&base) = shown.bases.get(&accessor) {
            return Ok((base, points.len()));
        }
        let base = self.mesh.points.len();
        self.check_total("points", base + points.len())?;
        self.mesh.points.extend(points.iter().map(|p| apply(shown.transform, p)));
        let Shown { node, mesh, .. } = *shown;
        self.blocks.push(Block { node, mesh, positions: accessor, count: points.len() });
        shown.bases.insert(accessor, base as u32);
        Ok((base as u32, points.len()))
    }

    fn indices(&mut self, accessor: usize, point_count: usize) -> Result<Vec<u32>> {
        let raw: Vec<[f64; 1]> =
            accessor::read(self.document, self.buffers, accessor, Use::Indices, "indices")?;
        let number = |(i, [x]): (usize, [f64; 1])| {
            let inside = x >= 0.0 && x < point_count as f64;
            inside.then_some(x as u32).ok_or_else(|| {
                ReadError::file(format!("index {i} is {x}, but there are {point_count} points"))
                    .help("The file is damaged or was cut off")
            })
        };
        raw.into_iter().enumerate().map(number).collect()
    }

    fn check_total(&self, what: &str, total: usize) -> Result<()> {
        let limit = MAX_REPEATED.max(self.buffers.open_bytes());
        if total <= limit {
            return Ok(());
        }
        Err(ReadError::file(format!("the scene repeats its meshes to more than {limit} {what}"))
            .help("Split it, or remove repeated meshes"))
    }

    fn finish(mut self, warnings: &mut Vec<String>) -> Scene {
        if self.lines_and_points > 0 {
            let count = self.lines_and_points;
            warnings.push(format!("left out {count} primitives of points or lines"));
        }
        self.mesh.groups = self.groups.finish();
        Scene {
            mesh: self.mesh,
            nodes: self.nodes,
            blocks: self.blocks,
            skinned: self.skinned,
            morphed: self.morphed,
        }
    }
}

/// Triangles of a list (4), strip (5) or fan (6), section 3.7.2.1.
fn assemble(mode: u64, corners: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        5 => {
            let turned = |(i, w): (usize, &[u32])| match i % 2 {
                0 => [w[0], w[1], w[2]],
                _ => [w[1], w[0], w[2]],
            };
            corners.windows(3).enumerate().map(turned).collect()
        }
        6 => {
            let mut out = Vec::new();
            crate::formats::surface::push_fan(&mut out, corners);
            out
        }
        _ => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_strips_and_fans() {
        assert_eq!(assemble(4, &[0, 1, 2, 3]), [[0, 1, 2]]);
        assert_eq!(assemble(5, &[0, 1, 2, 3]), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(assemble(6, &[0, 1, 2, 3]), [[0, 1, 2], [0, 2, 3]]);
        assert!(assemble(5, &[0, 1]).is_empty());
    }
}
