//! A patch of triangles whose points have from 3 to 12 neighbours.

use std::collections::HashMap;

use pliant_mesh::{Mesh, shapes};

use super::ReproduceError;

/// Fewest and most neighbours of a point.
pub const VALENCES: [u32; 2] = [3, 12];

/// Edges may become this many times as long as the spacing of the points.
const LONGEST: f64 = 3.0;

/// Attempts to turn an edge, per triangle.
const ATTEMPTS: usize = 12;

/// A square of `points` × `points` points, `spacing` \[m\] apart. A regular patch gets its edges
/// turned at random: the edge between two triangles becomes the other diagonal of their quadrangle,
/// wherever that leaves all valences in range.
pub fn patch(points: u32, spacing: f64, seed: u64) -> Result<Mesh, ReproduceError> {
    let cells = points - 1;
    let size = spacing * f64::from(cells);
    let mesh =
        shapes::cloth([cells; 2], [size; 2]).map_err(|e| ReproduceError::Failed(e.to_string()))?;
    let mut turner = Turner::new(mesh, LONGEST * spacing);
    // Two corners of a regular patch have two neighbours only.
    let number = |i: u32, j: u32| i * points + j;
    turner.turn(number(cells - 1, 0), number(cells, 1));
    turner.turn(number(0, cells - 1), number(1, cells));
    let mut random = seed;
    for _ in 0..ATTEMPTS * turner.mesh.triangles.len() {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let corners = turner.mesh.triangles[(random >> 33) as usize % turner.mesh.triangles.len()];
        let k = (random >> 20) as usize % 3;
        turner.turn(corners[k], corners[(k + 1) % 3]);
    }
    let range = [turner.valence.iter().min(), turner.valence.iter().max()];
    if range != [Some(&VALENCES[0]), Some(&VALENCES[1])] {
        return Err(ReproduceError::Failed(format!(
            "the patch has valences {range:?}, not 3 to 12"
        )));
    }
    Ok(turner.mesh)
}

/// A mesh whose edges can be turned.
struct Turner {
    mesh: Mesh,
    /// Triangle to the left of each directed edge.
    left: HashMap<[u32; 2], usize>,
    valence: Vec<u32>,
    longest: f64,
}

impl Turner {
    fn new(mesh: Mesh, longest: f64) -> Self {
        let mut left = HashMap::new();
        for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
            left.extend([[a, b], [b, c], [c, a]].map(|edge| (edge, t)));
        }
        let valence = valences(&mesh);
        Self { mesh, left, valence, longest }
    }

    /// Turns the edge between `a` and `b`, if it may be turned.
    fn turn(&mut self, a: u32, b: u32) {
        let (Some(&left), Some(&right)) = (self.left.get(&[a, b]), self.left.get(&[b, a])) else {
            return;
        };
        let apex = |t: usize| self.mesh.triangles[t].into_iter().find(|&v| v != a && v != b);
        let (Some(c), Some(d)) = (apex(left), apex(right)) else { return };
        let valence = |v: u32| self.valence[v as usize];
        let in_range =
            valence(a).min(valence(b)) > VALENCES[0] && valence(c).max(valence(d)) < VALENCES[1];
        let is_there = self.left.contains_key(&[c, d]) || self.left.contains_key(&[d, c]);
        if !in_range || is_there || self.distance(c, d) > self.longest {
            return;
        }
        self.mesh.triangles[left] = [a, d, c];
        self.mesh.triangles[right] = [d, b, c];
        self.left.remove(&[a, b]);
        self.left.remove(&[b, a]);
        self.left.extend([([a, d], left), ([d, c], left), ([c, a], left)]);
        self.left.extend([([d, b], right), ([b, c], right), ([c, d], right)]);
        for (v, change) in [(a, -1), (b, -1), (c, 1), (d, 1)] {
            let valence = &mut self.valence[v as usize];
            *valence = valence.saturating_add_signed(change);
        }
    }

    fn distance(&self, i: u32, j: u32) -> f64 {
        let (p, q) = (self.mesh.points[i as usize], self.mesh.points[j as usize]);
        (p[0] - q[0]).hypot(p[1] - q[1])
    }
}

/// Neighbours of each point.
pub fn valences(mesh: &Mesh) -> Vec<u32> {
    let mut edges: Vec<[u32; 2]> = mesh
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut count = vec![0; mesh.points.len()];
    edges.iter().flatten().for_each(|&v| count[v as usize] += 1);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valences_reach_from_three_to_twelve_and_no_edge_is_lost() {
        let regular = shapes::cloth([31, 31], [0.31, 0.31]).unwrap();
        let irregular = patch(32, 0.01, 1).unwrap();
        let (before, after) = (valences(&regular), valences(&irregular));
        assert_eq!(after.iter().min(), Some(&3));
        assert_eq!(after.iter().max(), Some(&12));
        // Turning keeps points, triangles and edges: 3 n² − 4 n + 1 for n² points.
        let edges = 3 * 32 * 32 - 4 * 32 + 1;
        assert_eq!(before.iter().sum::<u32>(), 2 * edges);
        assert_eq!(after.iter().sum::<u32>(), 2 * edges);
        assert_eq!(irregular.triangles.len(), 2 * 31 * 31);
        // Every valence in between occurs too.
        assert!((3..=12).all(|v| after.contains(&v)), "{after:?}");
    }
}
