//! Writing binary glTF 2.0 (`.glb`): a still surface, or a moving one as morph targets.
//!
//! Our z-up world becomes glTF's y-up one: (x, y, z) → (x, z, −y), which the reader undoes. Section
//! numbers refer to the "glTF 2.0 Specification" of the Khronos Group.

mod animation;
mod layout;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use super::surface::Surface;
use crate::Mesh;
use layout::{Glb, Shape};

pub use animation::{Animation, Frames, write_animation};

/// Writes the surface of `mesh` with smooth normals, in single precision as the format has it.
/// Arrays and groups are left out.
pub fn write(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let surface = Surface::of(mesh)?;
    let positions: io::Result<Vec<_>> =
        (0..surface.point_count()).map(|i| surface.point_f32(i).map(upright)).collect();
    let shape = Shape::new("surface", &surface.triangles, positions?, None)?;
    let mut glb = Glb::new(&shape);
    glb.start(out)?;
    glb.write_shape(&shape, out)
}

/// From our z-up world to glTF's y-up one.
fn upright([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, z, -y]
}

/// Unit normals of points: the sum of the normals of their triangles, weighted by area. Points of no
/// triangle get an arbitrary one, since the format wants unit length.
fn smooth_normals(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
    use crate::geometry::{cross, dot, sub};
    let mut sums = vec![[0.0f64; 3]; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|i| positions[i as usize].map(f64::from));
        let n = cross(sub(b, a), sub(c, a));
        for &corner in t {
            let sum = &mut sums[corner as usize];
            *sum = std::array::from_fn(|k| sum[k] + n[k]);
        }
    }
    let unit = |n: [f64; 3]| {
        let length = dot(n, n).sqrt();
        // Squares of tiny numbers vanish: such a normal has no direction worth keeping.
        if length > 1e-150 && length.is_finite() {
            n.map(|x| (x / length) as f32)
        } else {
            [0.0, 1.0, 0.0]
        }
    };
    sums.into_iter().map(unit).collect()
}
