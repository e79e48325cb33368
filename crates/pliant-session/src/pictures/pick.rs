//! What a ray meets first.

use super::Painter;
use crate::Frame;
use crate::player::Ray;

impl Painter {
    /// Where `ray` first meets the surface of a body in `frame` \[m\].
    pub fn pick(&self, frame: &Frame, ray: Ray) -> Option<[f64; 3]> {
        let mut nearest: Option<f64> = None;
        for part in &self.bodies {
            let Some(positions) = frame.positions.get(part.vertices.clone()) else { continue };
            for triangle in &part.triangles {
                let corners = triangle.map(|v| positions[v as usize].map(f64::from));
                let hit = ray.hit(corners);
                nearest = match (nearest, hit) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        nearest.map(|t| ray.at(t))
    }
}
