//! The force of an open pair; twin of formula.wgsl.

use super::Sewn;
use crate::math::Vec3;

/// The force on the first vertex of an open pair \[N\]: `gap` leads from it to the other one \[m\], which comes apart from it
/// with the velocity `apart` \[m/s\], drawn by the `tension` μ a of the theory ([`super`]) \[N\]; `damping` is its c \[N·s/m\].
pub fn pull(
    sewn: &Sewn,
    gap: Vec3<f32>,
    apart: Vec3<f32>,
    tension: Vec3<f32>,
    damping: f32,
) -> Vec3<f32> {
    let force = (gap * sewn.rate + apart) * damping + tension;
    let strength = force.length();
    if strength > sewn.force { force * (sewn.force / strength) } else { force }
}
