//! The hinges of a surface: which triangles meet at which edges, and how they resist bending.
//!
//! A sheet of squares that are all cut alike is three times as stiff when it is bent across their diagonals as along
//! them, if each inner edge is one hinge: both triangles at an edge lean to the same side. So squares are found, as they
//! are for springs, and bending along their sides is that of lines of three vertices: then it is the same in all
//! directions.

use std::collections::BTreeMap;

use super::cloth::{SQUARE, STRAIGHT};
use super::springs::{Edges, triangle_edges};
use crate::math::Vec3;
use crate::scene::{BendingForm, Cloth};
use crate::stages::bending::formula::{hinge_angle, hinge_coefficients};
use crate::stages::bending::{Form, Hinge};

/// A surface whose triangles are nowhere turned against each other by more is flat \[rad\].
const FLAT: f64 = 1e-3;

/// The hinges of a body, in the numbering of its mesh.
pub struct Hinges {
    parts: Vec<Part>,
    form: Form,
    /// Flexural rigidity \[N·m\].
    rigidity: f64,
}

impl Hinges {
    /// Finds the hinges of triangles at `points`, their rest shape.
    pub fn of(points: &[[f64; 3]], triangles: &[[u32; 3]], cloth: &Cloth) -> Result<Self, String> {
        let edges = triangle_edges(triangles, points.len());
        let parts = Sheet::new(points, triangles, &edges).parts();
        let at = |v: u32| Vec3::<f64>::from(points[v as usize]);
        let angles = parts.iter().map(|part| hinge_angle(part.corners.map(at)).abs());
        let sharpest = angles.fold(0.0, f64::max);
        let form = match cloth.bending_form {
            BendingForm::Dihedral => Form::Dihedral,
            BendingForm::Auto if sharpest > FLAT => Form::Dihedral,
            BendingForm::Quadratic if sharpest > FLAT => {
                return Err(format!(
                    "`bending_form = \"quadratic\"` is for cloth that is flat at rest, and its triangles are \
                     turned against each other by up to {:.2}°; write `bending_form = \"dihedral\"`, or leave \
                     it out",
                    sharpest.to_degrees()
                ));
            }
            BendingForm::Auto | BendingForm::Quadratic => Form::Quadratic,
        };
        Ok(Self { parts, form, rigidity: cloth.bending })
    }

    /// Hinges and their coefficients, from where the vertices are at rest.
    pub fn at(
        &self,
        rest: impl Fn(u32) -> Vec3<f64>,
    ) -> impl Iterator<Item = ([u32; 4], Hinge<f32>)> {
        self.parts.iter().filter_map(move |&Part { corners, share }| {
            let rigidity = share * self.rigidity;
            let hinge = hinge_coefficients(self.form, rigidity, corners.map(&rest))?;
            Some((corners, hinge.rounded()))
        })
    }
}

/// A hinge in the numbering of the mesh, and its share of the rigidity.
#[derive(Clone, Copy)]
struct Part {
    corners: [u32; 4],
    share: f64,
}

/// The triangles of a mesh by their edges.
struct Sheet<'a> {
    points: &'a [[f64; 3]],
    edges: &'a Edges<3>,
    /// The triangles at each edge, and their corners that it does not have.
    flaps: Vec<Vec<(u32, u32)>>,
    /// Whether an edge is a diagonal of a square.
    is_diagonal: Vec<bool>,
}

impl<'a> Sheet<'a> {
    fn new(points: &'a [[f64; 3]], triangles: &[[u32; 3]], edges: &'a Edges<3>) -> Self {
        let mut flaps: Vec<Vec<(u32, u32)>> = vec![Vec::new(); edges.edges.len()];
        for (t, (of, corners)) in edges.of_element.iter().zip(triangles).enumerate() {
            // Edges are 0–1, 1–2, 2–0.
            for (n, &e) in of.iter().enumerate() {
                flaps[e as usize].push((t as u32, corners[(n + 2) % 3]));
            }
        }
        let mut sheet = Self { points, edges, flaps, is_diagonal: Vec::new() };
        sheet.is_diagonal = (0..edges.edges.len()).map(|e| sheet.halves_a_square(e)).collect();
        sheet
    }

    fn between(&self, a: u32, b: u32) -> Vec3<f64> {
        Vec3::<f64>::from(self.points[b as usize]) - Vec3::from(self.points[a as usize])
    }

    fn halves_a_square(&self, edge: usize) -> bool {
        let [i, j] = self.edges.edges[edge];
        let angle = |at: u32| {
            let [l, r] = [self.between(at, i), self.between(at, j)];
            l.cross(r).length().atan2(l.dot(r))
        };
        matches!(self.flaps[edge][..], [(_, a), (_, b)] if a != b && angle(a) + angle(b) > SQUARE)
    }

    /// What lies beyond the two ends of an edge in the square that a triangle at it is one half of: squares may be cut
    /// along either diagonal.
    fn beyond(&self, edge: usize, (triangle, third): (u32, u32)) -> Option<[u32; 2]> {
        let is_diagonal = |e: &&u32| self.is_diagonal[**e as usize];
        let mut diagonals = self.edges.of_element[triangle as usize].iter().filter(is_diagonal);
        let (Some(&diagonal), None) = (diagonals.next(), diagonals.next()) else { return None };
        if diagonal as usize == edge {
            return None;
        }
        let (_, fourth) = *self.flaps[diagonal as usize].iter().find(|flap| flap.0 != triangle)?;
        let is_at_diagonal = |v: u32| self.edges.edges[diagonal as usize].contains(&v);
        // The end of the edge that the diagonal does not meet has the third corner beside it.
        let ends = self.edges.edges[edge];
        Some(ends.map(|end| if is_at_diagonal(end) { fourth } else { third }))
    }

    /// Along the threads of squares bending is that of straight lines through three vertices, whichever diagonals the
    /// squares are cut along.
    fn lines(&self, edge: usize) -> Option<[Part; 2]> {
        let [one, other] = self.flaps[edge][..] else { return None };
        let [above, below] = [self.beyond(edge, one)?, self.beyond(edge, other)?];
        let ends = self.edges.edges[edge];
        let is_straight = |n: usize| {
            let [l, r] = [above[n], below[n]].map(|v| self.between(ends[n], v));
            l.dot(r) < STRAIGHT * l.length() * r.length()
        };
        let part =
            |n: usize| Part { corners: [ends[n], ends[1 - n], above[n], below[n]], share: 0.5 };
        (is_straight(0) && is_straight(1)).then(|| [part(0), part(1)])
    }

    /// The share of a diagonal of a square: where sides are lines, only the twist is left to it, which it measures
    /// with the square of its length instead of the area of a rectangle.
    fn share_of_diagonal(&self, edge: usize, corners: [u32; 4]) -> f64 {
        let sides = self.flaps[edge].iter().flat_map(|flap| self.edges.of_element[flap.0 as usize]);
        let mut sides = sides.map(|e| e as usize).filter(|&e| e != edge);
        if !sides.all(|side| self.flaps[side].len() == 1 || self.lines(side).is_some()) {
            return 1.0;
        }
        let [i, j, a, b] = corners;
        let e = self.between(i, j);
        let area = |third: u32| 0.5 * e.cross(self.between(i, third)).length();
        2.0 * ((area(a) + area(b)) / e.dot(e)).powi(2)
    }

    /// All hinges. Where more than two triangles have an edge, each is hinged to the next.
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut on_lines: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        for (edge, &[i, j]) in self.edges.edges.iter().enumerate() {
            if let Some(lines) = self.lines(edge) {
                for line in lines {
                    let [end, _, a, b] = line.corners;
                    // Two edges meet where the line crosses theirs.
                    let at = on_lines.entry([end, a.min(b), a.max(b)]).or_insert(parts.len());
                    match parts.get_mut(*at) {
                        Some(Part { share, .. }) => *share += line.share,
                        None => parts.push(line),
                    }
                }
                continue;
            }
            for flaps in self.flaps[edge].windows(2).filter(|w| w[0].1 != w[1].1) {
                let corners = [i, j, flaps[0].1, flaps[1].1];
                let share = match self.is_diagonal[edge] {
                    true => self.share_of_diagonal(edge, corners),
                    false => 1.0,
                };
                parts.push(Part { corners, share });
            }
        }
        parts
    }
}

/// Hinges in the numbering of the model, sorted by the lower end of their edges, and their coefficients.
pub fn in_order(
    hinges: &[([u32; 4], Hinge<f32>)],
    renumber: impl Fn(u32) -> u32,
) -> (Vec<[u32; 4]>, Vec<Hinge<f32>>) {
    let mut sorted: Vec<([u32; 4], Hinge<f32>)> =
        hinges.iter().map(|&(corners, hinge)| (corners.map(&renumber), hinge)).collect();
    sorted.sort_by_key(|(corners, _)| *corners);
    sorted.into_iter().unzip()
}
