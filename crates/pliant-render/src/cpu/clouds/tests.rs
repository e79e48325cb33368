//! Rays against closed forms, chords and brute force.

use std::cell::OnceCell;

use pliant_mesh::shapes::{self, Split};

use super::*;
use crate::camera::Camera;
use crate::cpu::tile::{SAMPLES, TILE};
use crate::math::Vec3d;
use crate::volume::{Iso, Slice, TransferFunction};

mod hostile;
mod scenes;

/// A body with values.
#[derive(Clone, Default)]
pub(super) struct Solid {
    pub positions: Vec<[f32; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub values: Vec<f32>,
    /// Found when it is asked for.
    surface: OnceCell<Vec<[u32; 3]>>,
}

impl Solid {
    pub fn new(mesh: &pliant_mesh::Mesh, value: impl Fn([f32; 3]) -> f32) -> Self {
        let positions: Vec<_> = mesh.points.iter().map(|p| p.map(|c| c as f32)).collect();
        let values = positions.iter().map(|p| value(*p)).collect();
        Self { positions, tets: mesh.tets.clone(), values, surface: OnceCell::new() }
    }

    fn surface(&self) -> &[[u32; 3]] {
        self.surface.get_or_init(|| pliant_mesh::topology::boundary_faces(&self.tets))
    }

    pub fn body(&self) -> Body<'_> {
        Body {
            positions: &self.positions,
            tets: &self.tets,
            values: Values::Vertices(&self.values),
            ..Body::default()
        }
    }
}

pub(super) fn looking(eye: [f64; 3]) -> Camera {
    Camera { eye, target: [0.0; 3], up: [0.0, 0.0, 1.0], field_of_view: 0.6 }
}

/// A look by extinctions alone, in white.
pub(super) fn dense(extinctions: &[(f32, f32)]) -> Look {
    let white = Colour([1.0; 3]);
    Look::new(TransferFunction::new(vec![(0.0, white)], extinctions.to_vec()).unwrap())
}

pub(super) fn view(camera: Camera, look: Look) -> View {
    let black = Colour([0.0; 3]);
    let view = View::new(camera);
    View { background: [black; 2], shadow: false, legend: false, volume: Some(look), ..view }
}

/// What rays find in each pixel, before 8 bits of colour hide the last digits.
pub(super) fn exposed(
    geometry: &Geometry,
    view: &View,
    [width, height]: [u32; 2],
) -> Vec<[f32; 4]> {
    let look = view.volume.as_ref().unwrap();
    let projection = view.camera.projection(geometry.origin, width, height).unwrap();
    let mesh = Mesh::new(&bodies(geometry)).unwrap();
    let table = Table::new(look);
    let clouds = Clouds::new(&mesh, &table, look, geometry, view, &projection);
    let mut film = Film::new();
    let mut light = vec![[1.0, 0.0, 0.0, 0.0]; (width * height) as usize];
    for y in (0..height as usize).step_by(TILE) {
        for x in (0..width as usize).step_by(TILE) {
            film.expose(&clouds, [x, y], &vec![[0.0; SAMPLES]; TILE * TILE]);
            for (pixel, found) in film.light.iter().enumerate().filter(|(p, _)| film.is_lit[*p]) {
                let (x, y) = (x + pixel % TILE, y + pixel / TILE);
                if x < width as usize && y < height as usize {
                    light[y * width as usize + x] = found[0];
                }
            }
        }
    }
    assert_eq!(film.lost, 0, "no ray is lost");
    light
}

/// Where a line crosses the surface of a body, from its start \[m\], in double precision; with 1 where
/// it leaves the body and −1 where it enters.
fn crossings(
    solid: &Solid,
    start: [f64; 3],
    direction: [f64; 3],
) -> impl Iterator<Item = (f64, f64)> {
    let (start, direction) = (Vec3::from(start), Vec3::from(direction));
    solid.surface().iter().filter_map(move |face| {
        let [a, b, c] = face.map(|v| Vec3::from(solid.positions[v as usize]).to_f64() - start);
        let parts = [b.cross(c), c.cross(a), a.cross(b)].map(|n| n.dot(direction));
        let is_met = parts.iter().all(|p| *p >= 0.0) || parts.iter().all(|p| *p <= 0.0);
        let total: f64 = parts.iter().sum();
        let place = (a * parts[0] + b * parts[1] + c * parts[2]) * (1.0 / total);
        // Corners are anticlockwise from outside.
        is_met.then(|| (place.dot(direction), total.signum()))
    })
}

/// The length of a ray inside a body.
pub(super) fn chord(solid: &Solid, start: [f64; 3], direction: [f64; 3]) -> f64 {
    crossings(solid, start, direction).map(|(at, leaves)| leaves * at).sum()
}

fn check_constant(solid: &Solid, camera: Camera, extinction: f32) {
    const SIZE: [u32; 2] = [128, 96];
    let geometry = Geometry { bodies: vec![solid.body()], ..Geometry::default() };
    let view = view(camera, dense(&[(0.0, extinction)]));
    let light = exposed(&geometry, &view, SIZE);
    let projection = view.camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
    let mut seen = 0;
    for (pixel, [through, red, ..]) in light.into_iter().enumerate() {
        let (x, y) = (pixel as u32 % SIZE[0], pixel as u32 / SIZE[0]);
        let (start, direction) = projection.ray(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let want = (-f64::from(extinction) * chord(solid, start, direction)).exp();
        assert!((f64::from(through) - want).abs() < 1e-3, "{through} is not {want} at {x}, {y}");
        assert!((through + red - 1.0).abs() < 1e-4, "white takes and gives the same");
        seen += usize::from(want < 0.999);
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn a_box_of_even_density_takes_what_its_chords_say() {
    let mesh = shapes::bar([5, 3, 4], [1.0, 0.8, 0.9], Split::Six);
    let mut solid = Solid::new(&mesh, |_| 0.3);
    solid.positions.iter_mut().for_each(|p| *p = [p[0] - 0.5, p[1] - 0.4, p[2] - 0.45]);
    check_constant(&solid, looking([2.0, -2.5, 1.2]), 1.7);
    check_constant(&solid, looking([0.0, -2.5, 0.0]), 0.2);
}

#[test]
fn a_ball_of_even_density_takes_what_its_chords_say() {
    let solid = Solid::new(&shapes::ball(0.6, 0.15).unwrap(), |_| -4.0);
    check_constant(&solid, looking([1.3, -2.0, 0.7]), 2.5);
    // The mesh is a ball but for its corners: a ray through the middle is a diameter long.
    let length = chord(&solid, [0.003, -3.0, 0.007], [0.0, 1.0, 0.0]);
    assert!((length - 1.2).abs() < 0.03, "{length}");
}

#[test]
fn a_camera_inside_sees_what_is_before_it() {
    let solid = Solid::new(&shapes::ball(1.0, 0.25).unwrap(), |_| 1.0);
    let geometry = Geometry { bodies: vec![solid.body()], ..Geometry::default() };
    // There is a vertex where the eye is.
    let camera = looking([0.0, -0.5, 0.0]);
    assert!(solid.positions.contains(&[0.0, -0.5, 0.0]));
    let view = view(camera, dense(&[(0.0, 0.8)]));
    let projection = camera.projection([0.0; 3], 40, 30).unwrap();
    for (pixel, [through, ..]) in exposed(&geometry, &view, [40, 30]).into_iter().enumerate() {
        let (start, direction) =
            projection.ray((pixel % 40) as f64 + 0.5, (pixel / 40) as f64 + 0.5);
        // From the near plane, a thousandth of the distance to the target away, to the surface.
        let forward = far_end(&solid, start, direction);
        let want = (-0.8 * (forward - 0.0005)).exp();
        assert!((f64::from(through) - want).abs() < 1e-3, "{through} is not {want}");
    }
}

/// Where a ray leaves a convex body for good \[m\].
fn far_end(solid: &Solid, start: [f64; 3], direction: [f64; 3]) -> f64 {
    crossings(solid, start, direction).map(|(at, _)| at).fold(0.0, f64::max)
}

#[test]
fn a_linear_field_in_one_tetrahedron_has_its_integral() {
    let corners = [[-0.5, -0.4, -0.4], [0.6, -0.3, -0.3], [0.0, 0.6, -0.2], [0.1, 0.0, 0.7]];
    // s = 0.4 + 0.9 x − 0.5 y + 0.7 z.
    let field = |p: Vec3d| 0.4 + 0.9 * p.x - 0.5 * p.y + 0.7 * p.z;
    let values = corners.map(|p: [f32; 3]| field(Vec3::from(p).to_f64()) as f32);
    let solid = Solid {
        positions: corners.to_vec(),
        tets: vec![[0, 1, 2, 3]],
        values: values.to_vec(),
        ..Solid::default()
    };
    let geometry = Geometry { bodies: vec![solid.body()], ..Geometry::default() };
    // τ = 2 + 3 s over all values there are, so that the mean of both ends is exact.
    let view = view(looking([1.0, -2.0, 0.6]), dense(&[(-1.0, -1.0 + 2.0), (2.0, 8.0)]));
    let extinction = |s: f64| 1.0 + (s + 1.0) / 3.0 * 7.0;
    let projection = view.camera.projection([0.0; 3], 80, 60).unwrap();
    let mut seen = 0;
    for (pixel, [through, ..]) in exposed(&geometry, &view, [80, 60]).into_iter().enumerate() {
        let (start, direction) =
            projection.ray((pixel % 80) as f64 + 0.5, (pixel / 80) as f64 + 0.5);
        let length = chord(&solid, start, direction);
        let far = Vec3::from(start) + Vec3::from(direction) * far_end(&solid, start, direction);
        let near = far - Vec3::from(direction) * length;
        let mean = (extinction(field(near)) + extinction(field(far))) / 2.0;
        let want = (-mean * length).exp();
        assert!((f64::from(through) - want).abs() < 1e-3, "{through} is not {want}");
        seen += usize::from(length > 0.1);
    }
    assert!(seen > 200, "{seen}");
}

/// The value at a place, by looking at all tetrahedra.
fn sample(solid: &Solid, place: Vec3d) -> Option<f64> {
    solid.tets.iter().find_map(|tet| {
        let [a, b, c, d] = tet.map(|v| Vec3::from(solid.positions[v as usize]).to_f64());
        let volume = |a: Vec3d, b: Vec3d, c: Vec3d, d: Vec3d| (b - a).cross(c - a).dot(d - a);
        let parts = [
            volume(place, b, c, d),
            volume(a, place, c, d),
            volume(a, b, place, d),
            volume(a, b, c, place),
        ];
        let whole = volume(a, b, c, d);
        let inside = parts.iter().all(|p| p / whole >= 0.0);
        let value = |k: usize| f64::from(solid.values[tet[k] as usize]) * parts[k] / whole;
        inside.then(|| (0..4).map(value).sum())
    })
}

#[test]
fn small_steps_by_brute_force_give_the_same_picture() {
    let mesh = shapes::bar([3, 2, 2], [1.2, 0.8, 0.8], Split::Six);
    let mut solid = Solid::new(&mesh, |[x, y, z]| (5.0 * x).sin() + y * z);
    for p in &mut solid.positions {
        let (sin, cos) = (1.5 * p[0]).sin_cos();
        let [y, z] = [p[1] - 0.4, p[2] - 0.4];
        *p = [p[0] - 0.6, cos * y - sin * z, sin * y + cos * z];
    }
    let colours = [(-0.7, [0.9, 0.1, 0.0]), (0.2, [0.1, 0.9, 0.2]), (0.9, [0.0, 0.2, 1.0])];
    let transfer = TransferFunction::new(
        colours.map(|(v, c)| (v, Colour(c))).to_vec(),
        vec![(-1.0, 0.3), (0.0, 4.0), (0.1, 0.2), (0.5, 0.4), (1.0, 9.0)],
    )
    .unwrap();
    let geometry = Geometry { bodies: vec![solid.body()], ..Geometry::default() };
    let view = view(looking([1.0, -2.2, 0.8]), Look::new(transfer.clone()));
    const SIZE: [u32; 2] = [28, 21];
    let projection = view.camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
    let (mut worst, mut seen) = (0.0f64, 0);
    for (pixel, got) in exposed(&geometry, &view, SIZE).into_iter().enumerate() {
        let (x, y) = (pixel as u32 % SIZE[0], pixel as u32 / SIZE[0]);
        let (start, direction) = projection.ray(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let (mut want, step) = ([1.0, 0.0, 0.0, 0.0], 0.001);
        for i in 0..2500 {
            let z = 1.2 + (f64::from(i) + 0.5) * step;
            let Some(value) = sample(&solid, Vec3::from(start) + Vec3::from(direction) * z) else {
                continue;
            };
            let takes = 1.0 - (-step * f64::from(transfer.extinction(value as f32))).exp();
            let Colour(colour) = transfer.colour(value as f32);
            for k in 0..3 {
                want[k + 1] += want[0] * takes * f64::from(colour[k]);
            }
            want[0] *= 1.0 - takes;
        }
        for k in 0..4 {
            worst = worst.max((f64::from(got[k]) - want[k]).abs());
        }
        seen += usize::from(want[0] < 0.9);
    }
    // What steps of a millimetre leave open, and the colours of segments.
    assert!(worst < 4e-3, "{worst}");
    assert!(seen > 150, "{seen}");
}
