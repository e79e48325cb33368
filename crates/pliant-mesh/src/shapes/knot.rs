//! A rope tied to a knot: a surface with more detail than anybody would simulate.

use std::f64::consts::TAU;

use super::{MAX_ELEMENTS, ShapeError, positive};
use crate::Mesh;
use crate::geometry::{cross, dot, sub};

/// Strands of the rope, and how often they wind round it along the whole way.
const STRANDS: f64 = 4.0;
const WINDS: f64 = 15.0;
/// How deep the grooves between strands are, over the radius of the rope.
const GROOVE: f64 = 0.14;

/// A rope of radius `tube` \[m\], laid of four strands, along a trefoil knot round the z-axis that reaches `radius` \[m\]
/// far; a closed surface of triangles with edges of about `cell` \[m\], facing outward.
pub fn knot(radius: f64, tube: f64, cell: f64) -> Result<Mesh, ShapeError> {
    positive("the radius of a knot", radius)?;
    positive("the tube of a knot", tube)?;
    positive("the cell of a knot", cell)?;
    if tube > radius / 5.0 {
        let problem =
            "the tube of a knot must not be thicker than a fifth of its radius, or it meets itself";
        return Err(ShapeError::Impossible { problem });
    }
    // Twice round the axis and three times round the core of a ring of radius 2/3 and a tube of 1/3.
    let place = |t: f64, out: f64| -> [f64; 3] {
        let reach = radius * (2.0 / 3.0 + out / 3.0 * (3.0 * t).cos());
        [reach * (2.0 * t).cos(), reach * (2.0 * t).sin(), radius * out / 3.0 * (3.0 * t).sin()]
    };
    let length: f64 = (0..600)
        .map(|i| {
            let [a, b] = [0.0, 1.0].map(|next| place(TAU * (f64::from(i) + next) / 600.0, 1.0));
            let way = sub(b, a);
            dot(way, way).sqrt()
        })
        .sum();
    let [along, round] = [length, TAU * tube].map(|way| (way / cell).ceil().max(8.0));
    if 2.0 * along * round > MAX_ELEMENTS as f64 {
        return Err(ShapeError::TooLarge { count: 2.0 * along * round });
    }
    let mut mesh = Mesh::default();
    for i in 0..along as u32 {
        let t = TAU * f64::from(i) / along;
        let middle = place(t, 1.0);
        let ahead = unit(sub(place(t + 1e-5, 1.0), place(t - 1e-5, 1.0)));
        // Away from the core of the ring, as far as that is across the rope: it never turns suddenly.
        let away = sub(middle, place(t, 0.0));
        let across: [f64; 3] = std::array::from_fn(|k| away[k] - dot(away, ahead) * ahead[k]);
        let [u, v] = [unit(across), unit(cross(ahead, across))];
        mesh.points.extend((0..round as u32).map(|j| {
            let angle = TAU * f64::from(j) / round;
            let strands = (STRANDS * (angle + WINDS * t)).cos();
            let out = tube * (1.0 - GROOVE * (0.5 - 0.5 * strands));
            let (sin, cos) = angle.sin_cos();
            std::array::from_fn(|k| middle[k] + out * (cos * u[k] + sin * v[k]))
        }));
    }
    let [along, round] = [along as u32, round as u32];
    let number = |i: u32, j: u32| (i % along) * round + j % round;
    for i in 0..along {
        for j in 0..round {
            let [a, b] = [number(i, j), number(i + 1, j)];
            let [d, c] = [number(i, j + 1), number(i + 1, j + 1)];
            mesh.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    Ok(mesh)
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = dot(v, v).sqrt();
    v.map(|c| c / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{components, surface_edges};

    #[test]
    fn knots_are_closed_and_face_outward() {
        let mesh = knot(0.3, 0.05, 0.01).unwrap();
        let edges = surface_edges(&mesh.triangles, None);
        assert!(edges.is_closed_manifold() && edges.flipped.is_empty());
        assert_eq!(mesh.points.len() + mesh.triangles.len(), edges.count, "a tube without ends");
        assert_eq!(components(mesh.points.len(), &[], &mesh.triangles).count, 1);
        let volume: f64 = (mesh.triangles.iter())
            .map(|t| {
                let [a, b, c] = t.map(|v| mesh.points[v as usize]);
                dot(a, cross(b, c)) / 6.0
            })
            .sum();
        // A rope of some three metres, whose mean radius is 7 % less.
        let section = std::f64::consts::PI * (0.05 * 0.93f64).powi(2);
        let length = volume / section;
        assert!((2.8..3.4).contains(&length), "{length} m");
        // It is nowhere inside of itself.
        assert!(crate::cage::is_nearly_closed(&mesh));
        let winding = crate::winding::Winding::new(
            mesh.triangles.iter().map(|t| t.map(|v| mesh.points[v as usize])).collect(),
        );
        for p in mesh.points.iter().step_by(37) {
            let beyond = std::array::from_fn(|k| p[k] * 1.0001);
            assert!(winding.at(beyond) < 1.2, "{p:?}");
        }
        for [radius, tube, cell] in [
            [0.3, 0.1, 0.01],
            [0.3, 0.05, 0.0],
            [-1.0, 0.05, 0.1],
            [1.0, 0.1, 1e-6],
            [1.0, f64::NAN, 0.1],
        ] {
            assert!(knot(radius, tube, cell).is_err(), "{radius} {tube} {cell}");
        }
    }
}
