//! Round bars and pipes: a triangulated cross-section drawn out in layers.

use std::f64::consts::TAU;

use super::{ShapeError, check_cells, positive};
use crate::Mesh;
use crate::geometry::signed_volume;

/// A cylinder of `radius` and `length` \[m\] along x, from the origin, in cells of about `cell`
/// \[m\]. Ends are flat; the radius is that of the corners.
pub fn cylinder(radius: f64, length: f64, cell: f64) -> Result<Mesh, ShapeError> {
    positive("the radius", radius)?;
    let rings = count(radius, cell)?;
    let layers = count(length, cell)?;
    check_cells(&[rings, rings, layers], 9.0)?;
    // Ring r has 6r points, so that all triangles are nearly equilateral.
    let mut points = vec![[0.0, 0.0]];
    for r in 1..=rings {
        let distance = radius * f64::from(r) / f64::from(rings);
        points.extend((0..6 * r).map(|i| polar(distance, i, 6 * r)));
    }
    let start = |r: u32| if r == 0 { 0 } else { 1 + 3 * r * (r - 1) };
    let mut triangles = Vec::new();
    for r in 1..=rings {
        for sector in 0..6 {
            let outer = |i: u32| start(r) + (sector * r + i) % (6 * r);
            let inner = |i: u32| {
                if r == 1 { 0 } else { start(r - 1) + (sector * (r - 1) + i) % (6 * (r - 1)) }
            };
            for i in 0..r {
                triangles.push([inner(i), outer(i), outer(i + 1)]);
                if i + 1 < r {
                    triangles.push([inner(i), outer(i + 1), inner(i + 1)]);
                }
            }
        }
    }
    Ok(extrude(&points, &triangles, layers, length))
}

/// A pipe (or a ring, when short) between the radii `inner` and `outer`, `length` long along x from
/// the origin \[m\], in cells of about `cell` \[m\]. Radii are those of the corners.
pub fn tube(inner: f64, outer: f64, length: f64, cell: f64) -> Result<Mesh, ShapeError> {
    positive("the inner radius", inner)?;
    positive("the outer radius", outer)?;
    if inner >= outer {
        let problem = "the inner radius of a tube must be smaller than the outer one";
        return Err(ShapeError::Impossible { problem });
    }
    let around = count(TAU * 0.5 * (inner + outer), cell)?.max(8);
    let rings = count(outer - inner, cell)?;
    let layers = count(length, cell)?;
    check_cells(&[around, rings, layers], 6.0)?;
    let mut points = Vec::new();
    for r in 0..=rings {
        let distance = inner + (outer - inner) * f64::from(r) / f64::from(rings);
        points.extend((0..around).map(|i| polar(distance, i, around)));
    }
    let mut triangles = Vec::new();
    for r in 0..rings {
        for i in 0..around {
            let number = |r: u32, i: u32| r * around + i % around;
            let [a, b, c, d] =
                [number(r, i), number(r + 1, i), number(r + 1, i + 1), number(r, i + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Ok(extrude(&points, &triangles, layers, length))
}

/// How many cells of about `cell` make up `length`.
fn count(length: f64, cell: f64) -> Result<u32, ShapeError> {
    positive("the cell size", cell)?;
    let count = (positive("the length", length)? / cell).round().max(1.0);
    if count >= f64::from(1 << 26) { Err(ShapeError::TooLarge { count }) } else { Ok(count as u32) }
}

fn polar(radius: f64, step: u32, steps: u32) -> [f64; 2] {
    let (sin, cos) = (TAU * f64::from(step) / f64::from(steps)).sin_cos();
    [radius * cos, radius * sin]
}

/// Draws a section in the yz-plane out along x. Each prism is cut by vertex number, so that
/// neighbours agree on the diagonals (Dompierre et al., "How to subdivide pyramids, prisms and
/// hexahedra into tetrahedra", section 3).
fn extrude(section: &[[f64; 2]], triangles: &[[u32; 3]], layers: u32, length: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for layer in 0..=layers {
        let x = length * f64::from(layer) / f64::from(layers);
        mesh.points.extend(section.iter().map(|[y, z]| [x, *y, *z]));
    }
    let stride = section.len() as u32;
    for layer in 0..layers {
        for triangle in triangles {
            let mut low = triangle.map(|v| v + layer * stride);
            low.sort_unstable();
            let [a, b, c] = low;
            let [d, e, f] = low.map(|v| v + stride);
            for mut tet in [[a, b, c, f], [a, b, f, e], [a, e, f, d]] {
                if signed_volume(tet.map(|v| mesh.points[v as usize])) < 0.0 {
                    tet.swap(2, 3);
                }
                mesh.tets.push(tet);
            }
        }
    }
    mesh
}
