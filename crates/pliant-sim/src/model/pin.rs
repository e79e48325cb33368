//! Which vertices of a body pins lead.

use pliant_mesh::Mesh;

use super::select::select;
use crate::scene::Pin;

/// What leads a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// The number of the pin among those of its body.
    pub pin: u32,
    /// From what it turns about to the point \[m\].
    pub arm: [f64; 3],
}

/// What leads each point of a body, of several pins the first; `points` are where they are at the start \[m\], of which
/// some are `used` by elements. The error says which pin leads nothing, and why.
pub(super) fn pinned(
    pins: &[Pin],
    mesh: &Mesh,
    points: &[[f64; 3]],
    used: &[bool],
) -> Result<Vec<Option<Arm>>, String> {
    let mut pinned: Vec<Option<Arm>> = vec![None; points.len()];
    for (number, pin) in pins.iter().enumerate() {
        let chosen = select(&pin.region, mesh, points)
            .map_err(|problem| format!("pins[{number}]: {problem}"))?;
        let is_new = |v: &usize| chosen[*v] && used[*v] && pinned[*v].is_none();
        let new: Vec<usize> = (0..points.len()).filter(is_new).collect();
        if new.is_empty() {
            return Err(format!(
                "pins[{number}] holds no vertex that no pin before it holds; check its region"
            ));
        }
        let middle = std::array::from_fn(|k| {
            new.iter().map(|&v| points[v][k]).sum::<f64>() / new.len() as f64
        });
        let about: [f64; 3] = pin.about.unwrap_or(middle);
        for v in new {
            let arm = std::array::from_fn(|k| points[v][k] - about[k]);
            pinned[v] = Some(Arm { pin: number as u32, arm });
        }
    }
    Ok(pinned)
}
