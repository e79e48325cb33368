//! Masses of vertices.

use crate::scene::Mass;

/// Mass of each vertex \[kg\]. `share` holds the volume \[m³\] or area \[m²\] round each, used or not.
pub fn masses(mass: Mass, share: &[f64], used: &[bool]) -> Vec<f64> {
    let total_share: f64 = share.iter().sum();
    let used_count = used.iter().filter(|&&u| u).count().max(1) as f64;
    let of = |i: usize| match mass {
        Mass::Vertex(m) => m,
        Mass::Density(density) => density * share[i],
        Mass::Total(total) if total_share > 0.0 => total * share[i] / total_share,
        // A body without volume still has the mass that was asked for.
        Mass::Total(total) => total / used_count,
    };
    (0..share.len()).map(|i| if used[i] { of(i) } else { 0.0 }).collect()
}
