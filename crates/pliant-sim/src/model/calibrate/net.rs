//! The springs and volumes of a body for small displacements.

use super::super::springs::tet_edges;
use crate::math::{Vec3, vec3};
use crate::stages::elastic::formula::{
    guarded_six_volumes, six_volumes_gradient, spring_stiffness,
};

/// Bodies of more tetrahedra are measured on pieces of them.
const MOST_TETS: usize = 65_536;
/// How many pieces.
const PIECES: usize = 4;

/// A spring of a net whose springs have the modulus 1.
struct Spring {
    ends: [u32; 2],
    direction: Vec3<f64>,
    stiffness: f64,
}

/// The volume force of a tetrahedron, of modulus 1.
struct Volume {
    corners: [u32; 4],
    /// Change of its volume by displacements of its corners; that of the first follows from them.
    gradients: [Vec3<f64>; 3],
    stiffness: f64,
}

/// A body, or pieces of it, as a linear system: K = K_springs + ρ K_volumes. Lengths are in units of
/// the body's size, which takes no part in its moduli.
pub struct Net {
    /// Points at rest, about the middle.
    pub points: Vector,
    /// Outward area that belongs to each point: zero inside.
    pub areas: Vector,
    /// Volume of all tetrahedra.
    pub volume: f64,
    springs: Vec<Spring>,
    volumes: Vec<Volume>,
}

/// A vector for each point.
pub type Vector = Vec<Vec3<f64>>;

/// A symmetric strain: xx, yy, zz, yz, xz, xy.
pub type Strain = [f64; 6];

impl Net {
    /// The net of tetrahedra of positive volume, or of pieces of it; `None` if they have no volume.
    pub fn new(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Option<Self> {
        let sample = sample(points, tets);
        let tets = sample.as_deref().unwrap_or(tets);
        let (points, tets) = compact(points, tets)?;
        let corners = |t: &[u32; 4]| t.map(|v| points[v as usize]);
        let found = tet_edges(&tets, points.len());
        let mut around = vec![0.0; found.edges.len()];
        let mut areas = vec![Vec3::zero(); points.len()];
        let mut volumes = Vec::with_capacity(tets.len());
        let mut volume = 0.0;
        for (t, edges) in tets.iter().zip(&found.of_element) {
            let c = corners(t);
            let [rest, guarded] = guarded_six_volumes(c).map(|w| w / 6.0);
            edges.iter().for_each(|&e| around[e as usize] += rest);
            let [_, a, b, d] = six_volumes_gradient(c);
            let gradients = [a, b, d].map(|g| g * (1.0 / 6.0));
            for (&v, &g) in t[1..].iter().zip(&gradients) {
                areas[v as usize] += g;
                areas[t[0] as usize] -= g;
            }
            let stiffness = if guarded > 0.0 { 1.0 / guarded } else { 0.0 };
            volumes.push(Volume { corners: *t, gradients, stiffness });
            volume += rest;
        }
        let springs = found.edges.iter().zip(&around).filter_map(|(&ends, &around)| {
            let [a, b] = ends.map(|v| points[v as usize]);
            let square = (b - a).dot(b - a);
            let direction = (b - a) * (1.0 / square.sqrt());
            let stiffness = spring_stiffness(around, square);
            (square > 0.0).then_some(Spring { ends, direction, stiffness })
        });
        let springs = springs.collect();
        (volume > 0.0).then_some(Self { points, areas, volume, springs, volumes })
    }

    /// Writes K u to `out`.
    pub fn multiply(&self, rho: f64, u: &[Vec3<f64>], out: &mut [Vec3<f64>]) {
        out.fill(Vec3::zero());
        for s in &self.springs {
            let [i, j] = s.ends.map(|v| v as usize);
            let force = s.direction * (s.stiffness * s.direction.dot(u[j] - u[i]));
            out[i] -= force;
            out[j] += force;
        }
        for t in &self.volumes {
            let [i, j, k, l] = t.corners.map(|v| v as usize);
            let [a, b, c] = t.gradients;
            let change = a.dot(u[j] - u[i]) + b.dot(u[k] - u[i]) + c.dot(u[l] - u[i]);
            let pressure = rho * t.stiffness * change;
            let [a, b, c] = [a, b, c].map(|g| g * pressure);
            out[i] -= a + b + c;
            out[j] += a;
            out[k] += b;
            out[l] += c;
        }
    }

    /// One over the diagonal of K, and zero where nothing resists.
    pub fn inverse_diagonal(&self, rho: f64) -> Vector {
        let square = |v: Vec3<f64>| v.map(|c| c * c);
        let mut diagonal = vec![Vec3::zero(); self.points.len()];
        for s in &self.springs {
            s.ends.iter().for_each(|&v| diagonal[v as usize] += square(s.direction) * s.stiffness);
        }
        for t in &self.volumes {
            let [a, b, c] = t.gradients;
            for (&v, g) in t.corners.iter().zip([a + b + c, a, b, c]) {
                diagonal[v as usize] += square(g) * (rho * t.stiffness);
            }
        }
        diagonal.iter_mut().for_each(|d| *d = d.map(|c| if c > 0.0 { 1.0 / c } else { 0.0 }));
        diagonal
    }

    /// K between displacements that strain the whole net evenly: its stiffness if no point could
    /// move by itself, times the volume.
    pub fn even_stiffness(&self, rho: f64) -> [Strain; 6] {
        let mut sum = [[0.0; 6]; 6];
        for s in &self.springs {
            let Vec3 { x, y, z } = s.direction;
            let along = [x * x, y * y, z * z, 2.0 * y * z, 2.0 * x * z, 2.0 * x * y];
            let [a, b] = s.ends.map(|v| self.points[v as usize]);
            let weight = s.stiffness * (b - a).dot(b - a);
            for (row, a) in sum.iter_mut().zip(along) {
                row.iter_mut().zip(along).for_each(|(c, b)| *c += weight * a * b);
            }
        }
        let squares = self.volumes.iter().map(|t| {
            let [i, j, k, l] = t.corners.map(|v| self.points[v as usize]);
            let [a, b, c] = t.gradients;
            let thrice = a.dot(j - i) + b.dot(k - i) + c.dot(l - i);
            t.stiffness * thrice * thrice / 9.0
        });
        let resistance = rho * squares.sum::<f64>();
        for row in &mut sum[..3] {
            row[..3].iter_mut().for_each(|c| *c += resistance);
        }
        sum
    }

    /// The displacement of a point in an even strain.
    pub fn displaced(strain: &Strain, p: Vec3<f64>) -> Vec3<f64> {
        let [xx, yy, zz, yz, xz, xy] = *strain;
        vec3(
            xx * p.x + xy * p.y + xz * p.z,
            xy * p.x + yy * p.y + yz * p.z,
            xz * p.x + yz * p.y + zz * p.z,
        )
    }

    /// Work of forces on displacements by each even strain of size one.
    pub fn work(&self, forces: &[Vec3<f64>]) -> Strain {
        let mut sum = [0.0; 6];
        for (f, p) in forces.iter().zip(&self.points) {
            let parts = [f.x * p.x, f.y * p.y, f.z * p.z];
            let mixed = [f.y * p.z + f.z * p.y, f.x * p.z + f.z * p.x, f.x * p.y + f.y * p.x];
            let parts = parts.into_iter().chain(mixed);
            sum.iter_mut().zip(parts).for_each(|(s, p)| *s += p);
        }
        sum
    }

    /// The mean strain of the net under displacements, in which xy is the mean of ∂u_x/∂y and
    /// ∂u_y/∂x.
    pub fn mean_strain(&self, u: &[Vec3<f64>]) -> Strain {
        let mut sum = [0.0; 6];
        for (u, a) in u.iter().zip(&self.areas) {
            let parts = [u.x * a.x, u.y * a.y, u.z * a.z];
            let mixed = [u.y * a.z + u.z * a.y, u.x * a.z + u.z * a.x, u.x * a.y + u.y * a.x];
            let parts = parts.into_iter().chain(mixed.map(|m| 0.5 * m));
            sum.iter_mut().zip(parts).for_each(|(s, p)| *s += p / self.volume);
        }
        sum
    }
}

/// Of large bodies the tetrahedra nearest to some that are spread over the list.
fn sample(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Option<Vec<[u32; 4]>> {
    if tets.len() <= MOST_TETS {
        return None;
    }
    let middle = |t: &[u32; 4]| {
        let sum = t.iter().fold(Vec3::zero(), |s, &v| s + Vec3::from(points[v as usize]));
        sum * 0.25
    };
    let mut is_taken = vec![false; tets.len()];
    for piece in 0..PIECES {
        let seed = middle(&tets[(2 * piece + 1) * tets.len() / (2 * PIECES)]);
        let mut near: Vec<(f64, u32)> = tets
            .iter()
            .enumerate()
            .map(|(i, t)| ((middle(t) - seed).dot(middle(t) - seed), i as u32))
            .collect();
        // The number decides between equal distances, so that the piece is always the same.
        let count = MOST_TETS / PIECES;
        near.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near[..count].iter().for_each(|&(_, i)| is_taken[i as usize] = true);
    }
    Some(tets.iter().zip(is_taken).filter(|(_, taken)| *taken).map(|(t, _)| *t).collect())
}

/// The points that tetrahedra use, about their middle and in units of their extent; `None` if they
/// are all in one place.
fn compact(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Option<(Vector, Vec<[u32; 4]>)> {
    let mut number = vec![u32::MAX; points.len()];
    let mut used: Vec<[f64; 3]> = Vec::new();
    let tets = tets.iter().map(|t| {
        t.map(|v| {
            let n = &mut number[v as usize];
            if *n == u32::MAX {
                *n = used.len() as u32;
                used.push(points[v as usize]);
            }
            *n
        })
    });
    let tets: Vec<[u32; 4]> = tets.collect();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in &used {
        low = std::array::from_fn(|k| low[k].min(p[k]));
        high = std::array::from_fn(|k| high[k].max(p[k]));
    }
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let center = |k: usize| 0.5 * low[k] + 0.5 * high[k];
    let scaled = |p: &[f64; 3]| Vec3::of(std::array::from_fn(|k| (p[k] - center(k)) / size));
    (size > 0.0 && size.is_finite()).then(|| (used.iter().map(scaled).collect(), tets))
}
