//! What the surface formats share: polygons split into fans, triangles gathered under names, and the
//! surface of a mesh made ready for writing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use crate::{DataArray, Domain, Group, Mesh, topology};

/// Splits the polygon `corners` into triangles that share its first corner; returns how many.
/// Fewer than three corners give none.
pub(super) fn push_fan(triangles: &mut Vec<[u32; 3]>, corners: &[u32]) -> usize {
    let Some((&first, ring)) = corners.split_first() else { return 0 };
    triangles.extend(ring.windows(2).map(|pair| [first, pair[0], pair[1]]));
    ring.len().saturating_sub(1)
}

/// Warns about faces with fewer than three corners, if there were any.
pub(super) fn warn_dropped_faces(warnings: &mut Vec<String>, count: usize) {
    match count {
        0 => {}
        1 => warnings.push("left out 1 face with fewer than 3 corners".into()),
        n => warnings.push(format!("left out {n} faces with fewer than 3 corners")),
    }
}

/// Warns when there is nothing in the mesh.
pub(super) fn warn_if_empty(warnings: &mut Vec<String>, mesh: &Mesh) {
    if mesh.points.is_empty() {
        warnings.push("the file holds no points: the mesh is empty".into());
    } else if mesh.triangles.is_empty() {
        warnings.push("the file holds points but no faces".into());
    }
}

/// Gathers triangles under names, in the order in which the names first get one.
#[derive(Debug, Default)]
pub(super) struct TriangleGroups {
    groups: Vec<Group>,
    by_name: HashMap<String, usize>,
}

impl TriangleGroups {
    /// Adds triangles to the group called `name`. Calls must come in rising order of triangles;
    /// what a group already holds is not added again.
    pub(super) fn add(&mut self, name: &str, triangles: std::ops::Range<usize>) {
        if triangles.is_empty() || name.is_empty() {
            return;
        }
        let at = match self.by_name.get(name) {
            Some(&at) => at,
            None => {
                self.by_name.insert(name.to_owned(), self.groups.len());
                self.groups.push(Group {
                    name: name.to_owned(),
                    domain: Domain::Triangles,
                    members: Vec::new(),
                });
                self.groups.len() - 1
            }
        };
        let members = &mut self.groups[at].members;
        let from = members.last().map_or(0, |&last| last as usize + 1).max(triangles.start);
        members.extend((from..triangles.end).map(|t| t as u32));
    }

    /// The groups, none of them empty.
    pub(super) fn finish(self) -> Vec<Group> {
        self.groups
    }
}

/// The part of a mesh that a surface format can hold.
pub(super) struct Surface<'a> {
    /// The mesh it was taken from.
    mesh: &'a Mesh,
    /// Corners, counted in the surface's own points.
    pub(super) triangles: Cow<'a, [[u32; 3]]>,
    /// Points of the mesh that belong to the surface; `None` when all do.
    kept: Option<Vec<u32>>,
    /// Whether the triangles are those of the mesh, so that its triangle arrays and groups fit.
    pub(super) own_triangles: bool,
}

impl<'a> Surface<'a> {
    /// The triangles of `mesh`, or the boundary of its tetrahedra when it has none. Points inside a
    /// volume are left out; a mesh without tetrahedra keeps every point.
    pub(super) fn of(mesh: &'a Mesh) -> io::Result<Self> {
        mesh.check_indices().map_err(io::Error::other)?;
        let own_triangles = !mesh.triangles.is_empty() || mesh.tets.is_empty();
        let triangles: Cow<'a, [[u32; 3]]> = if own_triangles {
            Cow::Borrowed(&mesh.triangles)
        } else {
            Cow::Owned(topology::boundary_faces(&mesh.tets))
        };
        if mesh.tets.is_empty() {
            return Ok(Self { mesh, triangles, kept: None, own_triangles });
        }
        let (kept, triangles) = compact(mesh.points.len(), &triangles);
        Ok(Self { mesh, triangles: Cow::Owned(triangles), kept: Some(kept), own_triangles })
    }

    /// How many points the surface has.
    pub(super) fn point_count(&self) -> usize {
        self.kept.as_ref().map_or(self.mesh.points.len(), Vec::len)
    }

    /// The number that surface point `i` has in the mesh.
    pub(super) fn source(&self, i: usize) -> usize {
        self.kept.as_ref().map_or(i, |kept| kept[i] as usize)
    }

    /// Coordinates of surface point `i`.
    pub(super) fn point(&self, i: usize) -> [f64; 3] {
        self.mesh.points[self.source(i)]
    }

    /// Point arrays that have a tuple for every point of the mesh.
    pub(super) fn point_arrays(&self) -> impl Iterator<Item = &'a DataArray> {
        let n = self.mesh.points.len();
        self.mesh.point_data.iter().filter(move |a| is_whole(a, n))
    }

    /// Triangle arrays, when the triangles are the mesh's own.
    pub(super) fn triangle_arrays(&self) -> impl Iterator<Item = &'a DataArray> {
        let n = if self.own_triangles { self.mesh.triangles.len() } else { usize::MAX };
        self.mesh.triangle_data.iter().filter(move |a| is_whole(a, n))
    }

    /// Triangle groups, when the triangles are the mesh's own.
    pub(super) fn triangle_groups(&self) -> impl Iterator<Item = &'a Group> {
        let own = self.own_triangles;
        self.mesh.groups.iter().filter(move |g| own && g.domain == Domain::Triangles)
    }

    /// Coordinates of surface point `i` in single precision, or why that cannot be.
    pub(super) fn point_f32(&self, i: usize) -> io::Result<[f32; 3]> {
        let p = self.point(i);
        let single = p.map(|x| x as f32);
        if single.iter().all(|x| x.is_finite()) {
            return Ok(single);
        }
        Err(io::Error::other(format!(
            "point {} at ({}, {}, {}) does not fit single precision numbers",
            self.source(i),
            p[0],
            p[1],
            p[2]
        )))
    }
}

fn is_whole(array: &DataArray, tuples: usize) -> bool {
    array.components > 0
        && array.tuple_count() == tuples
        && array.values.len() == tuples * array.components
}

/// The points that `triangles` use, in rising order, and the triangles counted in them.
pub(super) fn compact(point_count: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut number = vec![u32::MAX; point_count];
    for &corner in triangles.as_flattened() {
        number[corner as usize] = 0;
    }
    let mut kept = Vec::new();
    for (i, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *n = kept.len() as u32;
        kept.push(i as u32);
    }
    let renumbered = triangles.iter().map(|t| t.map(|c| number[c as usize])).collect();
    (kept, renumbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_share_the_first_corner() {
        let mut out = Vec::new();
        assert_eq!(push_fan(&mut out, &[7, 1, 2, 3, 4]), 3);
        assert_eq!(out, [[7, 1, 2], [7, 2, 3], [7, 3, 4]]);
        assert_eq!(
            push_fan(&mut out, &[1, 2]) + push_fan(&mut out, &[1]) + push_fan(&mut out, &[]),
            0
        );
        assert_eq!(out.len(), 3);
    }

    #[test]
    fn groups_hold_each_triangle_once_and_none_is_empty() {
        let mut groups = TriangleGroups::default();
        groups.add("a", 0..2);
        groups.add("b", 2..2);
        groups.add("a", 1..3);
        groups.add("", 3..4);
        let groups = groups.finish();
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].members, [0, 1, 2]);
    }

    #[test]
    fn a_volume_gives_its_boundary_without_inner_points() {
        let mesh = Mesh {
            points: vec![[9.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            tets: vec![[1, 2, 3, 4]],
            ..Mesh::default()
        };
        let surface = Surface::of(&mesh).unwrap();
        assert_eq!((surface.point_count(), surface.triangles.len()), (4, 4));
        assert_eq!(surface.point(1), [1.0, 0.0, 0.0]);
        assert!(surface.triangles.as_flattened().iter().all(|&c| c < 4));
    }
}
