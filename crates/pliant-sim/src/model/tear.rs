//! Cloth that may tear: its mesh is cut along the edges that may, and welded together again until they do.
//!
//! Round a vertex, triangles that hang together by edges which cannot tear share a copy of it. So what runs out in the middle
//! of a cloth has one copy at its end, and a tear stops there. Copies are numbered behind all other points.

use std::collections::BTreeMap;

use pliant_mesh::{Domain, Mesh};

use super::select::select;
use crate::scene::Tear;

/// A mesh that was cut.
pub(super) struct Cut {
    pub mesh: Mesh,
    pub welds: Vec<Weld>,
}

/// Two copies of a vertex, on the two sides of an edge that may tear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weld {
    /// Which of the body's tears it belongs to.
    pub tear: u32,
    pub ends: [u32; 2],
    /// The force at which it breaks \[N\].
    pub strength: f64,
}

/// Cuts a mesh, whose points are `placed` in the world, along all inner edges that may tear.
pub(super) fn cut(mesh: &Mesh, placed: &[[f64; 3]], tears: &[Tear]) -> Result<Cut, String> {
    if !mesh.tets.is_empty() {
        return Err("tears are for surfaces, and the mesh has tetrahedra".into());
    }
    let sides = sides(&mesh.triangles);
    let may_tear = edges_that_may(mesh, placed, tears, &sides)?;
    let mut cut = mesh.clone();
    let mut copies = Copies { corners: mesh.triangles.clone(), origin: Vec::new() };
    copies.part(mesh.points.len(), &sides, &may_tear);
    let mut welds = Vec::new();
    for (&[a, b], &(tear, strength)) in &may_tear {
        let [s, t] = [0, 1].map(|k| sides[&[a, b]][k] as usize);
        for end in [a, b] {
            let corner = |t: usize| {
                let place = mesh.triangles[t].iter().position(|&v| v == end);
                place.map_or(end, |place| copies.corners[t][place])
            };
            let ends = [corner(s), corner(t)];
            if ends[0] != ends[1] {
                welds.push(Weld { tear, ends, strength });
            }
        }
    }
    cut.triangles = copies.corners;
    double(&mut cut, &copies.origin);
    Ok(Cut { mesh: cut, welds })
}

type Edge = [u32; 2];

/// The triangles at each edge.
fn sides(triangles: &[[u32; 3]]) -> BTreeMap<Edge, Vec<u32>> {
    let mut sides: BTreeMap<Edge, Vec<u32>> = BTreeMap::new();
    for (t, &[a, b, c]) in triangles.iter().enumerate() {
        for [u, v] in [[a, b], [b, c], [c, a]] {
            sides.entry([u.min(v), u.max(v)]).or_default().push(t as u32);
        }
    }
    sides
}

/// Edges between two triangles that may tear, with the tear that is weakest there and the force that each end takes
/// \[N\].
fn edges_that_may(
    mesh: &Mesh,
    placed: &[[f64; 3]],
    tears: &[Tear],
    sides: &BTreeMap<Edge, Vec<u32>>,
) -> Result<BTreeMap<Edge, (u32, f64)>, String> {
    let mut may_tear = BTreeMap::new();
    for (number, tear) in tears.iter().enumerate() {
        let chosen = select(&tear.region, mesh, placed)
            .map_err(|problem| format!("tears[{number}]: {problem}"))?;
        let inner = sides.iter().filter(|(_, of)| of.len() == 2);
        let mut any = false;
        for (&[a, b], _) in inner.filter(|([a, b], _)| chosen[*a as usize] && chosen[*b as usize]) {
            let [p, q] = [a, b].map(|v| placed[v as usize]);
            let length = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
            let new = (number as u32, 0.5 * tear.strength * length);
            let weakest = may_tear.entry([a, b]).or_insert(new);
            if new.1 < weakest.1 {
                *weakest = new;
            }
            any = true;
        }
        if !any {
            return Err(format!("tears[{number}]: no inner edge has both ends in its region"));
        }
    }
    Ok(may_tear)
}

/// Which copy of its vertices each triangle has.
struct Copies {
    corners: Vec<[u32; 3]>,
    /// What each copy is one of.
    origin: Vec<u32>,
}

impl Copies {
    /// Gives each part of the triangles round a vertex, between edges that may tear, a copy of it; the first keeps the
    /// vertex.
    fn part(
        &mut self,
        point_count: usize,
        sides: &BTreeMap<Edge, Vec<u32>>,
        may_tear: &BTreeMap<Edge, (u32, f64)>,
    ) {
        let mut round: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        may_tear.keys().flatten().for_each(|&v| {
            round.entry(v).or_default();
        });
        for (t, corners) in self.corners.iter().enumerate() {
            for v in corners {
                if let Some(fan) = round.get_mut(v) {
                    fan.push(t as u32);
                }
            }
        }
        let triangles = self.corners.clone();
        for (&v, fan) in &round {
            // The lowest triangle that each hangs together with.
            let mut part: BTreeMap<u32, u32> = fan.iter().map(|&t| (t, t)).collect();
            loop {
                let before = part.clone();
                for &t in fan {
                    for &other in triangles[t as usize].iter().filter(|&&w| w != v) {
                        let edge = [v.min(other), v.max(other)];
                        if may_tear.contains_key(&edge) {
                            continue;
                        }
                        let low = sides[&edge].iter().map(|s| part[s]).min().unwrap_or(t);
                        sides[&edge].iter().for_each(|s| {
                            part.insert(*s, low);
                        });
                    }
                }
                if part == before {
                    break;
                }
            }
            let mut copy_of: BTreeMap<u32, u32> = BTreeMap::from([(part[&fan[0]], v)]);
            for t in fan {
                let copy = *copy_of.entry(part[t]).or_insert_with(|| {
                    self.origin.push(v);
                    (point_count + self.origin.len() - 1) as u32
                });
                let corners = &mut self.corners[*t as usize];
                corners.iter_mut().filter(|corner| **corner == v).for_each(|corner| *corner = copy);
            }
        }
    }
}

/// Adds copies of points to a mesh, with their data, and to the groups that they are in.
fn double(mesh: &mut Mesh, origin: &[u32]) {
    let first = mesh.points.len() as u32;
    for &v in origin {
        mesh.points.push(mesh.points[v as usize]);
        for array in &mut mesh.point_data {
            let tuple = array.tuple(v as usize).to_vec();
            array.values.extend(tuple);
        }
    }
    for group in mesh.groups.iter_mut().filter(|group| group.domain == Domain::Points) {
        let copies = (first..).zip(origin).filter(|(_, v)| group.members.contains(v));
        let copies: Vec<u32> = copies.map(|(copy, _)| copy).collect();
        group.members.extend(copies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Region;

    /// A sheet of 4 by 4 squares of a metre.
    fn sheet() -> Mesh {
        pliant_mesh::shapes::cloth([4, 4], [4.0, 4.0]).unwrap()
    }

    fn torn(points: &[u32]) -> Cut {
        let mesh = sheet();
        let tear = Tear { region: Region::Points(points.into()), strength: 6.0 };
        cut(&mesh, &mesh.points, &[tear]).unwrap()
    }

    /// The vertex at a place of the sheet.
    fn at(mesh: &Mesh, x: f64, y: f64) -> u32 {
        mesh.points.iter().position(|p| p[0] == x && p[1] == y).unwrap() as u32
    }

    #[test]
    fn a_line_across_parts_a_sheet_in_two() {
        let mesh = sheet();
        let line: Vec<u32> = (0..5).map(|y| at(&mesh, 2.0, f64::from(y))).collect();
        let Cut { mesh: cut, welds } = torn(&line);
        assert_eq!(cut.points.len(), mesh.points.len() + 5);
        // Four edges with two ends each.
        assert_eq!(welds.len(), 8);
        assert!(welds.iter().all(|weld| weld.strength == 3.0));
        for (t, corners) in cut.triangles.iter().enumerate() {
            let is_left = mesh.triangles[t].iter().any(|&v| mesh.points[v as usize][0] < 2.0);
            for other in &cut.triangles {
                let shares = corners.iter().any(|v| other.contains(v));
                let o = cut.triangles.iter().position(|x| x == other).unwrap();
                let is_other_left =
                    mesh.triangles[o].iter().any(|&v| mesh.points[v as usize][0] < 2.0);
                assert!(!shares || is_left == is_other_left, "{corners:?} {other:?}");
            }
        }
        for weld in &welds {
            let [a, b] = weld.ends.map(|v| cut.points[v as usize]);
            assert_eq!(a, b);
        }
    }

    #[test]
    fn a_line_that_ends_inside_has_one_vertex_at_its_end() {
        let mesh = sheet();
        let line: Vec<u32> = (0..3).map(|y| at(&mesh, 2.0, f64::from(y))).collect();
        let Cut { mesh: cut, welds } = torn(&line);
        assert_eq!((cut.points.len() - mesh.points.len(), welds.len()), (2, 3));
        let end = at(&mesh, 2.0, 2.0);
        assert!(welds.iter().all(|weld| !weld.ends.contains(&end)));
    }

    #[test]
    fn everywhere_each_triangle_is_for_itself() {
        let mesh = sheet();
        let all: Vec<u32> = (0..mesh.points.len() as u32).collect();
        let Cut { mesh: cut, .. } = torn(&all);
        assert_eq!(cut.points.len(), 3 * cut.triangles.len());
    }

    #[test]
    fn where_there_is_nothing_to_tear_it_is_told() {
        let mesh = sheet();
        let tear = Tear { region: Region::Points(vec![0]), strength: 1.0 };
        let problem = cut(&mesh, &mesh.points, &[tear]).err().unwrap();
        assert!(problem.contains("tears[0]"), "{problem}");
    }
}
