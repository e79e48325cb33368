//! How long a look into a body takes on the CPU.
//!
//! The cubes, values, colours and camera are those that VTK's volume mappers are timed with: the whole
//! bounding sphere in view, azimuth 25°, elevation 20°, view angle 30°, opacity from 0 to 0.3 over a
//! distance of 0.05. Everything that a deformed body needs anew is in the time.

use std::time::Instant;

use pliant_render::volume::{Look, TransferFunction};
use pliant_render::{Body, Camera, Colour, Geometry, Image, Values, View, cpu};

/// Width and height of the pictures \[pixels\].
pub const SIZE: u32 = 512;

/// Name and cells along x, y and z.
pub const CUBES: [(&str, [usize; 3]); 3] =
    [("vol35k", [18, 18, 18]), ("vol110k", [26, 26, 27]), ("vol156k", [30, 30, 29])];

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct VolumeRow {
    /// Name of the case.
    pub case: String,
    /// Threads at work.
    pub threads: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Median time of a picture \[ms\].
    pub ms_per_frame: f64,
    /// The fastest one \[ms\].
    pub ms_least: f64,
    /// The first one, with neighbours and integrals built \[ms\].
    pub ms_first: f64,
    /// Part of the picture in which the body is seen.
    pub covered: f64,
    /// Rays that lost their way through the mesh.
    pub lost: usize,
}

/// A twisted cube with waves of value.
pub struct Cube {
    /// Vertices \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Six to a cell round its diagonal.
    pub tets: Vec<[u32; 4]>,
    /// One for each vertex, from 0 to 1.
    pub values: Vec<f32>,
}

impl Cube {
    /// A cube of so many cells, twisted about z.
    pub fn new([nx, ny, nz]: [usize; 3]) -> Self {
        let h = 1.0 / ny as f64;
        let mut cube = Self { positions: vec![], tets: vec![], values: vec![] };
        let number = |i: usize, j: usize, k: usize| ((i * (ny + 1) + j) * (nz + 1) + k) as u32;
        let points = (0..=nx).flat_map(|i| {
            (0..=ny).flat_map(move |j| (0..=nz).map(move |k| [i, j, k].map(|c| c as f64 * h - 0.5)))
        });
        for [x, y, z] in points {
            let (sin, cos) = (1.2 * z).sin_cos();
            cube.positions.push([x * cos - y * sin, x * sin + y * cos, z].map(|c| c as f32));
            let r = (x * x + y * y + z * z).sqrt();
            cube.values.push((0.5 + 0.5 * (25.0 * r).cos() * (-2.0 * r).exp()) as f32);
        }
        const PATHS: [[usize; 2]; 6] = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];
        let cells =
            (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
        for [i, j, k] in cells {
            let corner = |b: usize| number(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2 & 1));
            cube.tets.extend(PATHS.map(|[a, b]| [0, a, b, 7].map(corner)));
        }
        cube
    }

    /// The cube as something to draw.
    pub fn geometry(&self) -> Geometry<'_> {
        let body = Body {
            positions: &self.positions,
            tets: &self.tets,
            values: Values::Vertices(&self.values),
            ..Body::default()
        };
        Geometry { bodies: vec![body], ..Geometry::default() }
    }

    /// How it is looked at, turned by so many degrees.
    pub fn view(&self, azimuth: f64) -> View {
        let colours = [(0.0, [0.0, 0.0, 1.0]), (0.5, [1.0; 3]), (1.0, [1.0, 0.0, 0.0])];
        let colours = colours.map(|(value, colour)| (value, Colour(colour))).to_vec();
        // There, an opacity is an extinction per distance.
        let transfer = TransferFunction::new(colours, vec![(0.0, 0.0), (1.0, 0.3 / 0.05)])
            .expect("values rise and are finite");
        View {
            background: [Colour([0.0; 3]); 2],
            shadow: false,
            legend: false,
            volume: Some(Look::new(transfer)),
            ..View::new(self.camera(azimuth))
        }
    }

    /// The whole sphere round the cube is in view, seen from +z, then moved round it.
    fn camera(&self, azimuth: f64) -> Camera {
        let bounds = self.geometry().bounds().expect("a cube has vertices");
        let (angle, elevation) = (30f64.to_radians(), 20f64.to_radians());
        let distance = bounds.radius() / (angle / 2.0).sin();
        let azimuth = azimuth.to_radians();
        let target = bounds.centre();
        let direction =
            [azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()];
        let eye = std::array::from_fn(|k| target[k] + distance * direction[k]);
        Camera { eye, target, up: [0.0, 1.0, 0.0], field_of_view: angle }
    }
}

/// Times pictures of one case, the camera a degree further in each, and returns the first one too.
pub fn run(name: &str, cells: [usize; 3], threads: usize, seconds: f64) -> (VolumeRow, Image) {
    let cube = Cube::new(cells);
    let geometry = cube.geometry();
    let mut renderer = cpu::Renderer::new();
    let mut picture = |azimuth: f64| {
        let (view, start) = (cube.view(azimuth), Instant::now());
        let picture = renderer.render(&geometry, &view, SIZE, SIZE, threads);
        (1e3 * start.elapsed().as_secs_f64(), picture.expect("the cube is sound"))
    };
    let (ms_first, first) = picture(25.0);
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || start.elapsed().as_secs_f64() < seconds {
        times.push(picture(26.0 + times.len() as f64).0);
    }
    times.sort_by(f64::total_cmp);
    let seen = first.image.pixels.iter().filter(|p| p[..3] != [0; 3]).count();
    let row = VolumeRow {
        case: name.into(),
        threads,
        tets: cube.tets.len(),
        ms_per_frame: times[times.len() / 2],
        ms_least: times[0],
        ms_first,
        covered: seen as f64 / f64::from(SIZE * SIZE),
        lost: first.lost,
    };
    (row, first.image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_those_of_the_peers_and_are_seen() {
        let (row, image) = run("small", [6, 6, 6], 1, 0.0);
        assert_eq!((row.tets, row.lost), (6 * 216, 0));
        assert_eq!(image.pixels.len(), (SIZE * SIZE) as usize);
        // VTK sees its cubes of 35,000 to 157,000 tetrahedra in 30.4 to 31.2 % of the same view.
        assert!((row.covered - 0.308).abs() < 0.01, "{}", row.covered);
    }
}
