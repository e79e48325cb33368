//! Garments: a cape, a skirt in one piece, and skirts and T-shirts as panels to be sewn.
//!
//! They are for a figure that looks along x, with its left side towards y, and z up. Groups of points are the sides
//! of the patterns, by which seams and locks find them; their points are in order along the side.

use std::f64::consts::{PI, TAU};

use super::pattern::{Piece, Side, cut};
use super::{MAX_ELEMENTS, ShapeError, positive};
use crate::Mesh;
use crate::mesh::{Domain, Group};

/// Places of a curved side, many more than cells.
const PLACES: usize = 240;

/// A round cape in the xy plane with a hole of radius `neck` round the origin, `length` wide, open to the front
/// (x) by an angle of `opening` \[°\]. A collar as wide as `clasp` goes all round the neck, so that it stays on. Lengths
/// in \[m\]. Groups: `neck`, `hem`, and of open ones `left-front`, `right-front` and `clasp`.
pub fn cape(
    neck: f64,
    length: f64,
    opening: f64,
    clasp: f64,
    cell: f64,
) -> Result<Mesh, ShapeError> {
    for (what, value) in [
        ("the neck of a cape", neck),
        ("the length of a cape", length),
        ("the clasp of a cape", clasp),
    ] {
        positive(what, value)?;
    }
    if !(0.0..=240.0).contains(&opening) || clasp >= length {
        let problem = "a cape opens by 0 to 240°, and its clasp is narrower than it is long";
        return Err(ShapeError::Impossible { problem });
    }
    let half = 0.5 * opening.to_radians();
    let arc = |name: &str, radius: f64, from: f64, to: f64| {
        let at = |i: usize| {
            let (sin, cos) = (from + (to - from) * i as f64 / PLACES as f64).sin_cos();
            [radius * cos, radius * sin]
        };
        Side { name: name.into(), line: (0..=PLACES).map(at).collect() }
    };
    let straight = |name: &str, angle: f64, radii: [f64; 2]| {
        let line = radii.map(|r| [r * angle.cos(), r * angle.sin()]).into();
        Side { name: name.into(), line }
    };
    let [inner, outer] = [neck + clasp, neck + length];
    let hem = arc("hem", outer, half, TAU - half);
    let outline = if opening == 0.0 {
        vec![hem]
    } else {
        vec![
            straight("right-front", -half, [outer, inner]),
            arc("clasp", inner, -half, half),
            straight("left-front", half, [inner, outer]),
            hem,
        ]
    };
    // Two arcs, since a side has two ends.
    let hole = vec![arc("neck", neck, 0.0, PI), arc("neck", neck, PI, TAU)];
    let piece = cut(&[outline, hole], cell)?;
    let mut mesh = Mesh::default();
    add(&mut mesh, piece, "", |[x, y]| [x, y, 0.0], false);
    Ok(mesh)
}

/// A skirt without seams that hangs down from the xy plane: round the waist at z = 0 and at the hem as long as `around`
/// says, and so long from one to the other \[m\]. It is `depth` times as deep (x) as wide (y). Groups: `waist`, `hem`.
pub fn skirt(around: [f64; 2], length: f64, depth: f64, cell: f64) -> Result<Mesh, ShapeError> {
    let [waist, hem] = around;
    positive("the waist of a skirt", waist)?;
    positive("the hem of a skirt", hem)?;
    positive("the length of a skirt", length)?;
    positive("the depth of a skirt", depth)?;
    positive("the size of cells", cell)?;
    let flare = (hem - waist) / TAU;
    if flare.abs() >= 0.95 * length || depth > 1.0 {
        let problem = "a skirt is longer than it is flared, and not deeper than wide";
        return Err(ShapeError::Impossible { problem });
    }
    let height = (length * length - flare * flare).sqrt();
    let columns = (0.5 * (waist + hem) / cell).round().max(8.0);
    let rows = (length / (0.75_f64.sqrt() * cell)).round().max(1.0);
    let count = 2.0 * columns * rows;
    if count > MAX_ELEMENTS as f64 {
        return Err(ShapeError::TooLarge { count });
    }
    let (columns, rows) = (columns as u32, rows as u32);
    let ellipse = Ellipse::new(depth);
    let mut mesh = Mesh::default();
    for j in 0..=rows {
        let share = f64::from(j) / f64::from(rows);
        let width = (waist + share * (hem - waist)) / ellipse.around;
        for i in 0..columns {
            let shift = if j % 2 == 0 { 0.0 } else { 0.5 };
            let [x, y] = ellipse.at((f64::from(i) + shift) / f64::from(columns));
            mesh.points.push([width * x, width * y, -share * height]);
        }
    }
    let number = |j: u32, i: u32| j * columns + i % columns;
    for j in 0..rows {
        for i in 0..columns {
            let [a, b] = [number(j, i), number(j, i + 1)];
            let [c, d] = [number(j + 1, i), number(j + 1, i + 1)];
            // Outward is counterclockwise as seen from there; rows go down.
            if j % 2 == 0 {
                let before = number(j + 1, i + columns - 1);
                mesh.triangles.extend([[a, c, b], [a, before, c]]);
            } else {
                mesh.triangles.extend([[a, d, b], [a, c, d]]);
            }
        }
    }
    let ring = |name: &str, row: u32| Group {
        name: name.into(),
        domain: Domain::Points,
        members: (row * columns..(row + 1) * columns).collect(),
    };
    mesh.groups = vec![ring("waist", 0), ring("hem", rows)];
    Ok(mesh)
}

/// The panels of a skirt, one before and one behind the yz plane, `gap` \[m\] apart, with the waist at z = 0; `around`
/// and `length` as for [`skirt`]. Groups: `front-left`, `front-right`, `front-waist`, `front-hem`, and so of the back;
/// left sides are sewn to left ones.
pub fn skirt_panels(
    around: [f64; 2],
    length: f64,
    gap: f64,
    cell: f64,
) -> Result<Mesh, ShapeError> {
    let [waist, hem] = around;
    positive("the waist of a skirt", waist)?;
    positive("the hem of a skirt", hem)?;
    positive("the length of a skirt", length)?;
    positive("the gap between panels", gap)?;
    let [top, bottom] = [0.25 * waist, 0.25 * hem];
    let side = |name: &str, a: [f64; 2], b: [f64; 2]| Side { name: name.into(), line: vec![a, b] };
    let piece = cut(
        &[vec![
            side("left", [bottom, -length], [top, 0.0]),
            side("waist", [top, 0.0], [-top, 0.0]),
            side("right", [-top, 0.0], [-bottom, -length]),
            side("hem", [-bottom, -length], [bottom, -length]),
        ]],
        cell,
    )?;
    let mut mesh = Mesh::default();
    for (name, side) in [("front-", 1.0), ("back-", -1.0)] {
        let at = |[y, z]: [f64; 2]| [0.5 * side * gap, y, z];
        add(&mut mesh, piece.clone(), name, at, side < 0.0);
    }
    Ok(mesh)
}

/// The panels of a T-shirt for a chest so many \[m\] round, one before and one behind the yz plane, `gap` \[m\] apart: where
/// the shoulders meet the neck is at z = 0, the hem `length` below, and sleeves reach `sleeve` beyond the
/// shoulders. Groups: `front-left-shoulder` (along the sleeve, too), `front-left-side` (under the sleeve, too),
/// `front-left-cuff`, the same of the right, `front-neck`, `front-hem`, and so of the back.
pub fn tshirt(
    chest: f64,
    length: f64,
    sleeve: f64,
    gap: f64,
    cell: f64,
) -> Result<Mesh, ShapeError> {
    positive("the chest of a T-shirt", chest)?;
    positive("the length of a T-shirt", length)?;
    positive("the sleeve of a T-shirt", sleeve)?;
    positive("the gap between panels", gap)?;
    // As parts of the chest: half of the neck, shoulders, half of a sleeve round the arm; sleeves slope by 25°.
    let [neck, shoulder, opening] = [0.085, 0.23, 0.19].map(|part| part * chest);
    let (sin, cos) = 25_f64.to_radians().sin_cos();
    let wide = 0.25 * chest;
    let top = (shoulder - neck) / cos + sleeve;
    let end = [neck + top * cos, -top * sin];
    let below = [end[0] - opening * sin, end[1] - opening * cos];
    let back_in = (below[0] - wide) / cos;
    let under = [wide, below[1] + back_in * sin];
    if back_in < 0.02 * chest || length < -under[1] + 0.02 * chest {
        let problem = "a T-shirt reaches beyond its sleeves, and sleeves beyond its sides";
        return Err(ShapeError::Impossible { problem });
    }
    let mut mesh = Mesh::default();
    for (name, side, dip) in [("front-", 1.0, 0.09 * chest), ("back-", -1.0, 0.025 * chest)] {
        let curve = |i: usize| {
            let angle = PI * (1.0 - i as f64 / PLACES as f64);
            [neck * angle.cos(), -dip * angle.sin()]
        };
        let half = |sign: f64, name: &str| {
            let line = |part: &str, points: &[[f64; 2]]| Side {
                name: format!("{name}-{part}"),
                line: points.iter().map(|p| [sign * p[0], p[1]]).collect(),
            };
            let corner = [wide, -length];
            [
                line("shoulder", &[[neck, 0.0], end]),
                line("cuff", &[end, below]),
                line("side", &[below, under]),
                line("side", &[under, corner]),
            ]
        };
        // What is sewn does not come last, where a side ends at the first point of all.
        let mut outline = Vec::from(half(1.0, "left"));
        let hem = vec![[wide, -length], [-wide, -length]];
        outline.push(Side { name: "hem".into(), line: hem });
        outline.extend(half(-1.0, "right").into_iter().rev().map(|mut side| {
            side.line.reverse();
            side
        }));
        outline.push(Side { name: "neck".into(), line: (0..=PLACES).map(curve).collect() });
        let piece = cut(&[outline], cell)?;
        add(&mut mesh, piece, name, |[y, z]| [0.5 * side * gap, y, z], side < 0.0);
    }
    Ok(mesh)
}

/// Adds a piece to a mesh, with names that begin with `prefix`.
fn add(
    mesh: &mut Mesh,
    piece: Piece,
    prefix: &str,
    place: impl Fn([f64; 2]) -> [f64; 3],
    flips: bool,
) {
    let first = mesh.points.len() as u32;
    mesh.points.extend(piece.points.into_iter().map(place));
    let corners = |[a, b, c]: [u32; 3]| if flips { [a, c, b] } else { [a, b, c] };
    mesh.triangles.extend(piece.triangles.into_iter().map(|t| corners(t).map(|v| first + v)));
    for (name, members) in piece.sides {
        let mut members: Vec<u32> = members.into_iter().map(|v| first + v).collect();
        members.sort_unstable();
        members.dedup();
        let name = format!("{prefix}{name}");
        mesh.groups.push(Group { name, domain: Domain::Points, members });
    }
}

/// An ellipse that is 2 wide (y), with places at equal distances along it.
struct Ellipse {
    depth: f64,
    /// From the front on, how far it is to each of many places.
    way: Vec<f64>,
    /// How long it is.
    around: f64,
}

impl Ellipse {
    fn new(depth: f64) -> Self {
        const MANY: usize = 4096;
        let at = |i: usize| {
            let (sin, cos) = (TAU * i as f64 / MANY as f64).sin_cos();
            [depth * cos, sin]
        };
        let mut way = vec![0.0];
        for i in 0..MANY {
            let ([a, b], [c, d]) = (at(i), at(i + 1));
            way.push(way[i] + (c - a).hypot(d - b));
        }
        let around = way[MANY];
        Self { depth, way, around }
    }

    /// The place that is this share of the way round.
    fn at(&self, share: f64) -> [f64; 2] {
        let left = share.rem_euclid(1.0) * self.around;
        let next = self.way.partition_point(|way| *way <= left).clamp(1, self.way.len() - 1);
        let [a, b] = [self.way[next - 1], self.way[next]];
        let steps = (next - 1) as f64 + (left - a) / (b - a);
        let (sin, cos) = (TAU * steps / (self.way.len() - 1) as f64).sin_cos();
        [self.depth * cos, sin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::surface_edges;

    /// Least angle of all triangles \[°\].
    fn least_angle(mesh: &Mesh) -> f64 {
        let corner = |v: u32| mesh.points[v as usize];
        let angles = mesh.triangles.iter().flat_map(|t| {
            (0..3).map(move |k| {
                let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]].map(corner);
                let [p, q]: [[f64; 3]; 2] = [b, c].map(|to| std::array::from_fn(|k| to[k] - a[k]));
                let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
                (dot(p, q) / (dot(p, p) * dot(q, q)).sqrt()).acos().to_degrees()
            })
        });
        angles.fold(180.0, f64::min)
    }

    fn area(mesh: &Mesh) -> f64 {
        let corner = |v: u32| mesh.points[v as usize];
        let sum = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(corner);
            let [p, q]: [[f64; 3]; 2] = [b, c].map(|to| std::array::from_fn(|k| to[k] - a[k]));
            let n =
                [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
            0.5 * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt()
        });
        sum.sum()
    }

    /// One or more sheets with borders: nothing but them is open, all faces the same way, and every point is used.
    fn is_sheet(mesh: &Mesh, euler: i64) {
        let edges = surface_edges(&mesh.triangles, None);
        assert!(edges.flipped.is_empty() && edges.non_manifold.is_empty(), "{edges:?}");
        let count = mesh.points.len() as i64 - edges.count as i64 + mesh.triangles.len() as i64;
        assert_eq!(count, euler);
        let used: std::collections::HashSet<u32> =
            mesh.triangles.iter().flatten().copied().collect();
        assert_eq!(used.len(), mesh.points.len());
    }

    fn group<'m>(mesh: &'m Mesh, name: &str) -> &'m [u32] {
        &mesh.group(name, Domain::Points).unwrap_or_else(|| panic!("{name}")).members
    }

    fn near(value: f64, want: f64, tolerance: f64) {
        assert!((value / want - 1.0).abs() < tolerance, "{value} is not {want}");
    }

    #[test]
    fn capes_are_rings_with_an_opening() {
        for (opening, cell) in [(0.0, 0.06), (60.0, 0.04), (90.0, 0.0135), (200.0, 0.05)] {
            let cape = cape(0.08, 0.8, opening, 0.08, cell).unwrap();
            is_sheet(&cape, 0);
            assert!(least_angle(&cape) > 22.0, "{opening}: {}", least_angle(&cape));
            let share = 1.0 - opening / 360.0;
            let [r0, r1, r2] = [0.08_f64, 0.16, 0.88].map(|r| PI * r * r);
            near(area(&cape), share * (r2 - r1) + r1 - r0, 0.01);
            for &v in group(&cape, "hem") {
                let [x, y, z] = cape.points[v as usize];
                assert!((x.hypot(y) - 0.88).abs() < 2e-4 && z == 0.0);
            }
            assert_eq!(cape.groups.len(), if opening > 0.0 { 5 } else { 2 });
        }
        assert!(cape(0.08, 0.8, 60.0, 0.9, 0.05).is_err());
        assert!(cape(-0.08, 0.8, 60.0, 0.1, 0.05).is_err());
        assert!(cape(0.08, 0.8, 300.0, 0.1, 0.05).is_err());
        assert!(cape(0.08, 0.8, 60.0, 0.1, f64::NAN).is_err());
        assert!(cape(0.08, 0.8, 60.0, 0.1, 1e-9).is_err(), "too many cells");
    }

    #[test]
    fn skirts_are_as_wide_as_asked() {
        let skirt = skirt([0.8, 1.8], 0.6, 0.65, 0.03).unwrap();
        is_sheet(&skirt, 0);
        assert!(least_angle(&skirt) > 22.0, "{}", least_angle(&skirt));
        near(area(&skirt), 0.5 * (0.8 + 1.8) * 0.6, 0.02);
        let around = |name: &str| {
            let ring = group(&skirt, name);
            let place = |i: usize| skirt.points[ring[i % ring.len()] as usize];
            let step = |i: usize| {
                (0..3).map(|k| (place(i + 1)[k] - place(i)[k]).powi(2)).sum::<f64>().sqrt()
            };
            (0..ring.len()).map(step).sum::<f64>()
        };
        near(around("waist"), 0.8, 2e-3);
        near(around("hem"), 1.8, 2e-3);
        // Triangles face outward.
        let [a, b, c] = skirt.triangles[0].map(|v| skirt.points[v as usize]);
        let normal_x = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
        assert!(normal_x * a[0] > 0.0);
        assert!(super::skirt([0.8, 9.0], 0.6, 0.65, 0.03).is_err());
        assert!(super::skirt([0.8, 1.8], 0.6, 2.0, 0.03).is_err());
        assert!(super::skirt([0.0, 1.8], 0.6, 0.65, 0.03).is_err());
    }

    #[test]
    fn panels_fit_each_other_along_their_seams() {
        let skirt = skirt_panels([0.8, 1.6], 0.6, 0.4, 0.04).unwrap();
        near(area(&skirt), 0.5 * (0.8 + 1.6) * 0.6, 1e-9);
        let shirt = tshirt(1.0, 0.65, 0.2, 0.4, 0.03).unwrap();
        let seams = ["left-shoulder", "right-shoulder", "left-side", "right-side"];
        for (mesh, seams) in [(&skirt, &["left", "right"][..]), (&shirt, &seams)] {
            is_sheet(mesh, 2);
            assert!(least_angle(mesh) > 22.0, "{}", least_angle(mesh));
            for seam in seams {
                let [front, back] =
                    ["front", "back"].map(|panel| group(mesh, &format!("{panel}-{seam}")));
                assert!(front.len() > 8 && front.len() == back.len());
                for (a, b) in front.iter().zip(back) {
                    let [a, b] = [a, b].map(|v| mesh.points[*v as usize]);
                    assert!((a[1] - b[1]).abs() < 1e-12 && (a[2] - b[2]).abs() < 1e-12, "{seam}");
                    assert!((a[0] - 0.2).abs() < 1e-12 && (b[0] + 0.2).abs() < 1e-12);
                    assert_eq!(seam.contains("left"), a[1] > 0.0, "{seam}");
                }
            }
        }
        // The front is cut lower at the neck.
        let lowest = |name: &str| {
            group(&shirt, name).iter().map(|v| shirt.points[*v as usize][2]).fold(0.0, f64::min)
        };
        assert!(lowest("front-neck") < -0.085 && lowest("back-neck") > -0.03);
        assert!(tshirt(1.0, 0.1, 0.2, 0.4, 0.03).is_err());
        assert!(tshirt(1.0, 0.65, 0.0, 0.4, 0.03).is_err());
        assert!(skirt_panels([0.8, 1.6], 0.6, -1.0, 0.04).is_err());
    }

    #[test]
    fn mirrored_sides_of_panels_have_their_points_in_one_order() {
        let shirt = tshirt(0.9, 0.6, 0.15, 0.4, 0.04).unwrap();
        for (name, forward) in [("front-left-side", true), ("front-right-side", false)] {
            let heights: Vec<f64> =
                group(&shirt, name).iter().map(|v| shirt.points[*v as usize][2]).collect();
            let [first, last] = [heights[0], heights[heights.len() - 1]];
            assert_eq!(first > last, forward, "{name}: {first} to {last}");
        }
    }
}
