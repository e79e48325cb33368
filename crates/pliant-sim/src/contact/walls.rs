//! How thick closed surfaces are behind their triangles.

use super::search::{self, Pairs};
use super::surface::Surface;
use super::tree::Tree;
use crate::math::Vec3;
use crate::pool::{Pool, Threads};
use crate::simd::{Lane4, Level};

/// Where it is looked from: weights of the corners of a triangle.
const LOOKS: [[f64; 3]; 4] = [[1.0 / 3.0; 3], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]];

/// For each triangle of a closed surface, whose triangles face outward, half the way through what it encloses, up to
/// `most` \[m\].
pub(crate) fn half_depths(points: &[[f64; 3]], triangles: &[[u32; 3]], most: f64) -> Vec<f64> {
    let surface = Surface::new(points, triangles);
    let ordered = &surface.triangles.corners;
    let at = |v: u32| Vec3::<f64>::of(points[v as usize]);
    let look = |corners: &[u32; 3], [a, b, c]: [f64; 3]| {
        at(corners[0]) * a + at(corners[1]) * b + at(corners[2]) * c
    };
    let origin = at(ordered[0][0]);
    let single = |p: Vec3<f64>, reach: f64| {
        let p = p - origin;
        Lane4([p.x as f32, p.y as f32, p.z as f32, reach as f32])
    };
    let mut placed: Vec<Lane4> = points.iter().map(|&p| single(Vec3::of(p), 0.0)).collect();
    let first = placed.len() as u32;
    for corners in ordered {
        placed.extend(LOOKS.map(|weights| single(look(corners, weights), 2.0 * most)));
    }
    let looks: Vec<[u32; 1]> = (first..placed.len() as u32).map(|v| [v]).collect();
    let (mut eyes, mut faces) = (Tree::new(&looks), Tree::new(ordered));
    let mut pool = Pool::new(Threads::Exactly(1));
    let team = pool.lead();
    eyes.refit(&team, &placed, 0.0);
    faces.refit(&team, &placed, 0.0);
    let mut pairs = Pairs::default();
    loop {
        search::find::<false, 1, 3>((&team, Level::detect()), &eyes, &faces, &mut pairs);
        if pairs.are_complete() {
            break;
        }
        pairs.grow();
    }
    let mut depths = vec![most; triangles.len()];
    for [eye, face] in pairs.iter() {
        let (eye, face) = (eye as usize, face as usize);
        let (corners, weights) = (&ordered[eye / LOOKS.len()], LOOKS[eye % LOOKS.len()]);
        let [a, b, c] = corners.map(at);
        let out = (b - a).cross(c - a);
        let inward = out * (-1.0 / out.length());
        let own = face == eye / LOOKS.len();
        if let Some(way) = hit(look(corners, weights), inward, ordered[face].map(at))
            && !own
        {
            let depth = &mut depths[surface.triangles.numbers[eye / LOOKS.len()] as usize];
            *depth = depth.min(0.5 * way);
        }
    }
    depths
}

/// How far from `eye` a ray in `direction` meets a triangle.
fn hit(eye: Vec3<f64>, direction: Vec3<f64>, [a, b, c]: [Vec3<f64>; 3]) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let p = direction.cross(ac);
    let determinant = ab.dot(p);
    let s = eye - a;
    let q = s.cross(ab);
    let [u, v, way] = [s.dot(p), direction.dot(q), ac.dot(q)].map(|part| part / determinant);
    let is_met = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && way > 0.0;
    is_met.then_some(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{shapes, topology};

    #[test]
    fn plates_are_as_deep_as_they_are_thick_and_balls_deeper_than_asked() {
        let bar = shapes::bar([6, 6, 1], [1.0, 1.0, 0.02], shapes::Split::default());
        let faces = topology::boundary_faces(&bar.tets);
        let depths = half_depths(&bar.points, &faces, 0.05);
        for (t, depth) in faces.iter().zip(depths) {
            let z = t.map(|v| bar.points[v as usize][2]);
            let wanted = if z[0] == z[1] && z[1] == z[2] { 0.01 } else { 0.05 };
            assert!((depth - wanted).abs() < 1e-9, "{t:?}: {depth}");
        }
        let ball = shapes::ball(0.5, 0.2).unwrap();
        let faces = topology::boundary_faces(&ball.tets);
        assert!(half_depths(&ball.points, &faces, 0.1).iter().all(|&depth| depth == 0.1));
    }
}
