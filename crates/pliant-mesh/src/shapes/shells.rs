//! Closed surfaces with nothing inside, for what is looked at and does not deform.

use super::{ShapeError, positive};
use crate::topology::weld;
use crate::{Mesh, shapes::MAX_ELEMENTS};

/// A profile turned round the z-axis: `profile` has radius and height \[m\] of its points, from the lowest
/// to the highest. Radii are 0 at both ends, so that the surface is closed, and nowhere else. Triangles face outward.
pub fn lathe(profile: &[[f64; 2]], sides: u32) -> Result<Mesh, ShapeError> {
    let [[0.0, bottom], rings @ .., [0.0, top]] = profile else {
        let problem = "a profile begins and ends on the axis";
        return Err(ShapeError::Impossible { problem });
    };
    if sides < 3 || rings.is_empty() {
        let problem = "a turned shape needs a point beside the axis and three sides";
        return Err(ShapeError::Impossible { problem });
    }
    let count = f64::from(sides) * 2.0 * rings.len() as f64;
    if count > MAX_ELEMENTS as f64 {
        return Err(ShapeError::TooLarge { count });
    }
    let mut mesh = Mesh::default();
    mesh.points.push([0.0, 0.0, *bottom]);
    for &[radius, z] in rings {
        positive("the radius of a profile", radius)?;
        mesh.points.extend((0..sides).map(|j| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(j) / f64::from(sides)).sin_cos();
            [radius * cos, radius * sin, z]
        }));
    }
    let last = mesh.points.len() as u32;
    mesh.points.push([0.0, 0.0, *top]);
    let number = |ring: u32, j: u32| 1 + ring * sides + j % sides;
    let highest = rings.len() as u32 - 1;
    for j in 0..sides {
        mesh.triangles.push([0, number(0, j + 1), number(0, j)]);
        for ring in 0..highest {
            let [a, b] = [number(ring, j), number(ring, j + 1)];
            let [d, c] = [number(ring + 1, j), number(ring + 1, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh.triangles.push([last, number(highest, j), number(highest, j + 1)]);
    }
    Ok(mesh)
}

/// All places that are within `rounding` \[m\] of a box of `size` \[m\] round the origin: its edges are
/// quarters of cylinders in so many `steps`, its corners eighths of balls. Without rounding it is the box.
pub fn rounded_box(size: [f64; 3], rounding: f64, steps: u32) -> Result<Mesh, ShapeError> {
    for length in size {
        positive("the size of a box", length)?;
    }
    let steps = if rounding == 0.0 {
        0
    } else {
        positive("the rounding of a box", rounding)?;
        steps.div_ceil(2).max(1)
    };
    let count = 12.0 * (2.0 * f64::from(steps) + 1.0).powi(2);
    if count > MAX_ELEMENTS as f64 {
        return Err(ShapeError::TooLarge { count });
    }
    // A cube blown up to a ball, then cut along its middle planes and pulled apart: across each face, first
    // the half on the lower side and then that on the upper one, each from −1 or to 1.
    let quarter = std::f64::consts::FRAC_PI_4;
    // Exactly 1 at the edge, where two faces must have the same points.
    let along = |i: u32| match i {
        0 => 0.0,
        i if i == steps => 1.0,
        i => (quarter * f64::from(i) / f64::from(steps)).tan(),
    };
    let lower = (0..=steps).rev().map(|i| (-1.0, -along(i)));
    let across: Vec<(f64, f64)> = lower.chain((0..=steps).map(|i| (1.0, along(i)))).collect();
    let n = across.len() as u32;
    let mut mesh = Mesh::default();
    for (axis, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0), (2, -1.0), (2, 1.0)] {
        let first = mesh.points.len() as u32;
        for &(v_side, v) in &across {
            for &(u_side, u) in &across {
                let (mut direction, mut corner) = ([side; 3], [side; 3]);
                (direction[(axis + 1) % 3], corner[(axis + 1) % 3]) = (u, u_side);
                (direction[(axis + 2) % 3], corner[(axis + 2) % 3]) = (v, v_side);
                let [x, y, z] = direction;
                let length = (x * x + y * y + z * z).sqrt();
                mesh.points.push(std::array::from_fn(|k| {
                    0.5 * size[k] * corner[k] + rounding * direction[k] / length
                }));
            }
        }
        for j in 0..n - 1 {
            for i in 0..n - 1 {
                let [a, b] = [first + j * n + i, first + j * n + i + 1];
                let [d, c] = [a + n, b + n];
                let turned = |[p, q, r]: [u32; 3]| if side > 0.0 { [p, q, r] } else { [p, r, q] };
                mesh.triangles.extend([[a, b, c], [a, c, d]].map(turned));
            }
        }
    }
    Ok(merged(mesh))
}

/// The same with coinciding points made one.
fn merged(mesh: Mesh) -> Mesh {
    let representative = weld(&mesh.points);
    let mut numbers = vec![0; mesh.points.len()];
    let mut out = Mesh::default();
    for (i, &of) in representative.iter().enumerate() {
        if of as usize == i {
            numbers[i] = out.points.len() as u32;
            out.points.push(mesh.points[i]);
        } else {
            numbers[i] = numbers[of as usize];
        }
    }
    out.triangles = mesh.triangles.iter().map(|t| t.map(|v| numbers[v as usize])).collect();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::surface_edges;

    fn volume(mesh: &Mesh) -> f64 {
        let corner = |v: u32| mesh.points[v as usize];
        let sum = mesh.triangles.iter().map(|t| {
            let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = t.map(corner);
            ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        });
        sum.sum::<f64>() / 6.0
    }

    fn is_closed(mesh: &Mesh) {
        let edges = surface_edges(&mesh.triangles, None);
        assert!(edges.is_closed_manifold() && edges.flipped.is_empty(), "{edges:?}");
        // Euler: nothing but a sphere, with no point beside it.
        assert_eq!(mesh.points.len() + mesh.triangles.len(), edges.count + 2);
    }

    #[test]
    fn turned_shapes_are_closed_and_face_outward() {
        let cylinder = [[0.0, -1.0], [0.5, -1.0], [0.5, 1.0], [0.0, 1.0]];
        let mesh = lathe(&cylinder, 200).unwrap();
        is_closed(&mesh);
        assert!((volume(&mesh) / (0.5 * std::f64::consts::PI) - 1.0).abs() < 1e-3);
        let tops = [[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]];
        is_closed(&lathe(&tops, 3).unwrap());
        for bad in [&cylinder[1..], &cylinder[..3], &[[0.0, 0.0], [0.0, 1.0]]] {
            assert!(lathe(bad, 8).is_err(), "{bad:?}");
        }
        assert!(lathe(&cylinder, 2).is_err() && lathe(&cylinder, u32::MAX).is_err());
        assert!(lathe(&[[0.0, 0.0], [-1.0, 1.0], [0.0, 2.0]], 8).is_err());
    }

    #[test]
    fn boxes_are_closed_and_face_outward() {
        let sharp = rounded_box([1.0, 2.0, 3.0], 0.0, 8).unwrap();
        is_closed(&sharp);
        assert_eq!((sharp.points.len(), sharp.triangles.len()), (8, 12));
        assert!((volume(&sharp) - 6.0).abs() < 1e-12);
        for steps in [1, 2, 8, 40] {
            let round = rounded_box([1.0, 2.0, 3.0], 0.1, steps).unwrap();
            is_closed(&round);
            for p in &round.points {
                let half = [0.5, 1.0, 1.5];
                let beyond = (0..3).map(|k| (p[k].abs() - half[k]).max(0.0).powi(2)).sum::<f64>();
                assert!((beyond.sqrt() - 0.1).abs() < 1e-12, "{p:?}");
            }
        }
        // Faces, quarters along all edges, and a ball of corners (Steiner 1840).
        let (d, pi) = (0.1f64, std::f64::consts::PI);
        let want = 6.0 + 22.0 * d + pi * 6.0 * d * d + 4.0 / 3.0 * pi * d.powi(3);
        let got = volume(&rounded_box([1.0, 2.0, 3.0], d, 64).unwrap());
        assert!((got / want - 1.0).abs() < 1e-4, "{got} is not {want}");
        assert!(rounded_box([1.0, 0.0, 1.0], 0.1, 4).is_err());
        assert!(rounded_box([1.0; 3], f64::NAN, 4).is_err());
        assert!(rounded_box([1.0; 3], 0.1, u32::MAX).is_err());
    }
}
