//! Shapes to draw, and the comparison of two pictures.

use std::path::Path;

use pliant_mesh::{Mesh, shapes, topology};
use pliant_render::encode::write_png;
use pliant_render::{Body, Camera, Geometry, Image};

pub const SIZE: [u32; 2] = [320, 240];

/// A mesh moved into place.
pub struct Shape {
    pub positions: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
}

impl Shape {
    pub fn new(mesh: Mesh, place: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        let triangles = match mesh.tets.is_empty() {
            true => mesh.triangles,
            false => topology::boundary_faces(&mesh.tets),
        };
        let positions = mesh.points.into_iter().map(|p| place(p).map(|c| c as f32)).collect();
        Self { positions, triangles, tets: mesh.tets }
    }

    pub fn body(&self) -> Body<'_> {
        let (positions, triangles, tets) = (&self.positions, &self.triangles, &self.tets);
        Body { positions, triangles, tets, ..Body::default() }
    }
}

/// A bar bent to part of a circle.
pub fn bar() -> Shape {
    let mesh = shapes::bar([20, 4, 4], [4.0, 0.8, 0.8], shapes::Split::Six);
    Shape::new(mesh, |[x, y, z]| {
        let (angle, radius) = (x / 4.0, 4.0 + z - 0.4);
        [radius * angle.sin(), y, radius * angle.cos() - 1.9]
    })
}

/// Two balls on the floor, one in the shadow of the other.
pub fn blobs() -> [Shape; 2] {
    let ball = |radius: f64, at: [f64; 2]| {
        let mesh = shapes::ball(radius, radius / 6.0).unwrap();
        Shape::new(mesh, |[x, y, z]| [x + at[0], y + at[1], z + radius])
    };
    [ball(0.5, [-0.4, 0.0]), ball(0.35, [0.35, 0.45])]
}

/// A cloth in waves.
pub fn cloth() -> Shape {
    let wave = |x: f64, y: f64| 0.6 + 0.15 * (5.0 * x).sin() * (4.0 * y).cos();
    Shape::new(shapes::cloth([40, 40], [2.0, 2.0]).unwrap(), |[x, y, _]| [x, y, wave(x, y)])
}

pub fn camera(scene: &Geometry, direction: [f64; 3]) -> Camera {
    Camera::framing(scene.bounds().unwrap(), direction, 4.0 / 3.0)
}

/// How far two pictures are apart.
#[derive(Debug)]
pub struct Difference {
    /// Mean over all pixels and components, of 255.
    pub mean: f64,
    /// Part of the pixels where some component differs by more than 24 of 255.
    pub far: f64,
}

/// Compares two pictures, and leaves both and their difference (eight times enhanced) in the target
/// folder to be looked at.
pub fn compare(name: &str, cpu: &Image, gpu: &Image) -> Difference {
    assert_eq!((cpu.width, cpu.height), (gpu.width, gpu.height));
    let mut difference = Image::filled(cpu.width, cpu.height, [0, 0, 0, 255]);
    let (mut sum, mut far) = (0u64, 0u64);
    for ((a, b), out) in cpu.pixels.iter().zip(&gpu.pixels).zip(&mut difference.pixels) {
        let apart: [u8; 3] = std::array::from_fn(|k| a[k].abs_diff(b[k]));
        sum += apart.iter().map(|&d| u64::from(d)).sum::<u64>();
        far += u64::from(apart.iter().any(|&d| d > 24));
        assert_eq!(b[3], 255, "{name}: pictures are opaque");
        out[..3].copy_from_slice(&apart.map(|d| d.saturating_mul(8)));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (kind, image) in [("cpu", cpu), ("gpu", gpu), ("difference", &difference)] {
        write_png(&folder.join(format!("{name}-{kind}.png")), image).unwrap();
    }
    let pixels = cpu.pixels.len() as f64;
    let difference = Difference { mean: sum as f64 / pixels / 3.0, far: far as f64 / pixels };
    println!("{name}: {difference:?}, pictures in {}", folder.display());
    difference
}
