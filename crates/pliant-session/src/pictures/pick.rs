//! What a ray meets first.

use super::Painter;
use crate::Frame;
use crate::player::Ray;

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The body, in the order of the model.
    pub body: usize,
    /// The place \[m\].
    pub at: [f64; 3],
}

impl Painter {
    /// Where `ray` first meets the surface of a body in `frame`.
    pub fn pick(&self, frame: &Frame, ray: Ray) -> Option<Hit> {
        let mut nearest: Option<(f64, usize)> = None;
        for (body, part) in self.bodies.iter().enumerate() {
            let Some(positions) = frame.positions.get(part.vertices.clone()) else { continue };
            for triangle in &part.triangles {
                let corners = triangle.map(|v| positions[v as usize].map(f64::from));
                if let Some(t) = ray.hit(corners)
                    && nearest.is_none_or(|(best, _)| t < best)
                {
                    nearest = Some((t, body));
                }
            }
        }
        nearest.map(|(t, body)| Hit { body, at: ray.at(t) })
    }
}
