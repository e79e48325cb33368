//! Walking the scene and gathering its triangles.

use std::collections::HashMap;

use super::accessor;
use super::buffers::Buffers;
use super::document::{Document, Node, Primitive};
use crate::formats::surface::TriangleGroups;
use crate::{Mesh, ReadError, Result};

/// How many points or triangles a scene may have even if its buffers have fewer bytes: nodes may
/// repeat a mesh, so that a small file could ask for any number of them.
const MAX_REPEATED: usize = 1 << 22;

/// A transform as rows of a 3×4 matrix.
type Transform = [[f64; 4]; 3];

#[cfg(test)]
const IDENTITY: Transform = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// From glTF's y-up world to our z-up one, a quarter turn about x.
const UPRIGHT: Transform = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0]];

/// Gathers the triangles of the default scene.
pub(super) fn read(
    document: &Document,
    buffers: Buffers<'_>,
    warnings: &mut Vec<String>,
) -> Result<Mesh> {
    let mut walk = Walk {
        document,
        buffers,
        mesh: Mesh::default(),
        groups: TriangleGroups::default(),
        positions: HashMap::new(),
        seen: vec![false; document.nodes.len()],
        lines_and_points: 0,
        skinned: 0,
        morphed: 0,
    };
    if document.nodes.is_empty() {
        for index in 0..document.meshes.len() {
            walk.mesh(index, "", &UPRIGHT)?;
        }
    } else {
        walk.nodes(roots(document, warnings)?)?;
    }
    walk.finish(warnings)
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

struct Walk<'a> {
    document: &'a Document,
    buffers: Buffers<'a>,
    mesh: Mesh,
    groups: TriangleGroups,
    /// Accessors already decoded, in the file's own coordinates.
    positions: HashMap<usize, Vec<[f64; 3]>>,
    seen: Vec<bool>,
    lines_and_points: usize,
    skinned: usize,
    morphed: usize,
}

impl Walk<'_> {
    fn nodes(&mut self, roots: Vec<usize>) -> Result<()> {
        let mut stack: Vec<(usize, Transform)> =
            roots.into_iter().rev().map(|n| (n, UPRIGHT)).collect();
        while let Some((index, parent)) = stack.pop() {
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
            let transform = multiply(&parent, &local(node));
            if let Some(mesh) = node.mesh {
                self.skinned += usize::from(node.skin.is_some());
                self.mesh(mesh, &node.name, &transform)?;
            }
            stack.extend(node.children.iter().rev().map(|&child| (child, transform)));
        }
        Ok(())
    }

    fn mesh(&mut self, index: usize, node_name: &str, transform: &Transform) -> Result<()> {
        let count = self.document.meshes.len();
        let Some(mesh) = self.document.meshes.get(index) else {
            return Err(ReadError::file(format!("refers to mesh {index}, but there are {count}")));
        };
        let first = self.mesh.triangles.len();
        // Primitives of a mesh often share their points.
        let mut bases = HashMap::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(primitive, transform, &mut bases).map_err(|e| ReadError {
                problem: format!("mesh {index}, primitive {number}: {}", e.problem),
                ..e
            })?;
        }
        let range = first..self.mesh.triangles.len();
        self.groups.add(node_name, range.clone());
        self.groups.add(&mesh.name, range);
        Ok(())
    }

    fn primitive(
        &mut self,
        primitive: &Primitive,
        transform: &Transform,
        bases: &mut HashMap<usize, u32>,
    ) -> Result<()> {
        if !matches!(primitive.mode, 4..=6) {
            self.lines_and_points += 1;
            return Ok(());
        }
        // A primitive without positions draws nothing.
        let Some(&accessor) = primitive.attributes.get("POSITION") else { return Ok(()) };
        self.morphed += usize::from(!primitive.targets.is_empty());
        let (base, count) = self.points(accessor, transform, bases)?;
        let corners = match primitive.indices {
            None => (0..count as u32).collect(),
            Some(indices) => self.indices(indices, count)?,
        };
        let mut triangles = assemble(primitive.mode, &corners);
        self.check_total("triangles", self.mesh.triangles.len() + triangles.len())?;
        // A mirroring transform turns the order of corners round (section 3.7.4).
        let mirrored = determinant(transform) < 0.0;
        for t in &mut triangles {
            *t = t.map(|c| c + base);
            if mirrored {
                t.swap(1, 2);
            }
        }
        self.mesh.triangles.append(&mut triangles);
        Ok(())
    }

    /// Adds the transformed points of an accessor; gives the number of the first and how many.
    fn points(
        &mut self,
        accessor: usize,
        transform: &Transform,
        bases: &mut HashMap<usize, u32>,
    ) -> Result<(u32, usize)> {
        if !self.positions.contains_key(&accessor) {
            let points = accessor::read(self.document, &mut self.buffers, accessor, "POSITION")?;
            self.positions.insert(accessor, points);
        }
        let points = &self.positions[&accessor];
        if let Some(&base) = bases.get(&accessor) {
            return Ok((base, points.len()));
        }
        let base = self.mesh.points.len();
        self.check_total("points", base + points.len())?;
        self.mesh.points.extend(points.iter().map(|p| apply(transform, p)));
        bases.insert(accessor, base as u32);
        Ok((base as u32, points.len()))
    }

    fn indices(&mut self, accessor: usize, point_count: usize) -> Result<Vec<u32>> {
        let raw: Vec<[f64; 1]> =
            accessor::read(self.document, &mut self.buffers, accessor, "indices")?;
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

    fn finish(mut self, warnings: &mut Vec<String>) -> Result<Mesh> {
        for (count, what) in [
            (self.lines_and_points, "left out {} primitives of points or lines"),
            (self.skinned, "read {} skinned meshes in their rest pose"),
            (self.morphed, "read {} primitives without their morph targets"),
        ] {
            if count > 0 {
                warnings.push(what.replace("{}", &count.to_string()));
            }
        }
        self.mesh.groups = self.groups.finish();
        Ok(self.mesh)
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

/// The node's own transform: its matrix, or translation · rotation · scale (section 3.5.3).
fn local(node: &Node) -> Transform {
    if let Some(m) = &node.matrix {
        // Column by column in the file.
        return std::array::from_fn(|r| std::array::from_fn(|c| m[4 * c + r]));
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let rotation = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let scale = node.scale.unwrap_or([1.0; 3]);
    let translation = node.translation.unwrap_or_default();
    std::array::from_fn(|r| {
        let [a, b, c] = rotation[r];
        [a * scale[0], b * scale[1], c * scale[2], translation[r]]
    })
}

fn multiply(a: &Transform, b: &Transform) -> Transform {
    std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            let sum: f64 = (0..3).map(|k| a[r][k] * b[k][c]).sum();
            if c == 3 { sum + a[r][3] } else { sum }
        })
    })
}

fn apply(t: &Transform, p: &[f64; 3]) -> [f64; 3] {
    t.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
}

fn determinant(t: &Transform) -> f64 {
    let [a, b, c] = t.map(|row| [row[0], row[1], row[2]]);
    crate::geometry::dot(crate::geometry::cross(a, b), c)
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

    #[test]
    fn transforms_compose_from_the_outside_in() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let node = Node {
            translation: Some([1.0, 2.0, 3.0]),
            rotation: Some([0.0, 0.0, half, half]),
            scale: Some([2.0, 3.0, 4.0]),
            ..Node::default()
        };
        // Scaled to (2, 0, 0), turned to (0, 2, 0), moved to (1, 4, 3), stood up to (1, -3, 4).
        let p = apply(&multiply(&UPRIGHT, &local(&node)), &[1.0, 0.0, 0.0]);
        let close = (0..3).all(|k| (p[k] - [1.0, -3.0, 4.0][k]).abs() < 1e-12);
        assert!(close, "{p:?}");
        assert_eq!(apply(&multiply(&IDENTITY, &UPRIGHT), &[1.0, 2.0, 3.0]), [1.0, -3.0, 2.0]);
        assert_eq!(determinant(&UPRIGHT), 1.0);
    }
}
