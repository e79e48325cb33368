//! What a ray meets first.

use super::{Numbers, Painter};
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
        let skins = self.skins(frame, &Numbers::None);
        let placed = self.bodies.iter().zip(&skins).enumerate();
        let placed = placed.filter_map(|(body, (part, carried))| {
            frame.positions.get(part.vertices.clone())?;
            let drawn = part.drawn(frame, &Numbers::None, carried.as_ref());
            Some((body, drawn.triangles, drawn.positions))
        });
        let triangles = placed.flat_map(|(body, triangles, positions)| {
            let corners = |t: &[u32; 3]| t.map(|v| positions[v as usize].map(f64::from));
            triangles.iter().map(move |t| (body, corners(t)))
        });
        ray.first_hit(triangles).map(|(t, body)| Hit { body, at: ray.at(t) })
    }
}
