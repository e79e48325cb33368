//! How long a look into twisted cubes of tetrahedra takes, for comparison with other programs: the
//! cubes, values, colours and camera are those of VTK's examples of volume rendering as we measure
//! them (bounding sphere in view, azimuth 25°, elevation 20°, view angle 30°, opacity from 0 to 0.3
//! over a distance of 0.05). Everything that a deformed body needs anew is included in the time.
//!
//! ```sh
//! cargo run --release -p pliant-render --example volume_speed -- [threads] [folder for pictures]
//! ```

use std::time::Instant;

use pliant_render::volume::{Look, TransferFunction};
use pliant_render::{Body, Camera, Colour, Geometry, Values, View, cpu};

const SIZE: u32 = 512;

/// Cells along x, y and z.
const CUBES: [(&str, [usize; 3]); 3] =
    [("35k", [18, 18, 18]), ("110k", [26, 26, 27]), ("157k", [30, 30, 29])];

struct Cube {
    positions: Vec<[f32; 3]>,
    tets: Vec<[u32; 4]>,
    values: Vec<f32>,
}

/// Six tetrahedra to a cell round its diagonal, twisted about z, with waves of value.
fn cube([nx, ny, nz]: [usize; 3]) -> Cube {
    let h = 1.0 / ny as f64;
    let mut cube = Cube { positions: vec![], tets: vec![], values: vec![] };
    let number = |i: usize, j: usize, k: usize| ((i * (ny + 1) + j) * (nz + 1) + k) as u32;
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                let [x, y, z] = [i, j, k].map(|c| c as f64 * h - 0.5);
                let (sin, cos) = (1.2 * z).sin_cos();
                cube.positions.push([x * cos - y * sin, x * sin + y * cos, z].map(|c| c as f32));
                let r = (x * x + y * y + z * z).sqrt();
                cube.values.push((0.5 + 0.5 * (25.0 * r).cos() * (-2.0 * r).exp()) as f32);
            }
        }
    }
    const PATHS: [[usize; 2]; 6] = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let corner = |b: usize| number(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2 & 1));
                cube.tets.extend(PATHS.map(|[a, b]| [0, a, b, 7].map(corner)));
            }
        }
    }
    cube
}

/// The whole sphere round the cube is in view, seen from +z, then moved round it.
fn camera(cube: &Cube, azimuth: f64) -> Camera {
    let body = Body { positions: &cube.positions, ..Body::default() };
    let bounds = Geometry { bodies: vec![body], ..Geometry::default() }.bounds().unwrap();
    let (angle, elevation) = (30f64.to_radians(), 20f64.to_radians());
    let distance = bounds.radius() / (angle / 2.0).sin();
    let azimuth = azimuth.to_radians();
    let [cx, cy, cz] = bounds.centre();
    let direction =
        [azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()];
    let eye =
        [cx + distance * direction[0], cy + distance * direction[1], cz + distance * direction[2]];
    Camera { eye, target: [cx, cy, cz], up: [0.0, 1.0, 0.0], field_of_view: angle }
}

fn view(camera: Camera) -> View {
    let black = Colour([0.0; 3]);
    let (blue, white, red) = (Colour([0.0, 0.0, 1.0]), Colour([1.0; 3]), Colour([1.0, 0.0, 0.0]));
    let colours = vec![(0.0, blue), (0.5, white), (1.0, red)];
    // There, an opacity is an extinction per distance.
    let transfer = TransferFunction::new(colours, vec![(0.0, 0.0), (1.0, 0.3 / 0.05)]).unwrap();
    View {
        background: [black; 2],
        shadow: false,
        legend: false,
        volume: Some(Look::new(transfer)),
        ..View::new(camera)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(2);
    let folder = arguments.next();
    for (name, cells) in CUBES {
        let cube = cube(cells);
        let body = Body {
            positions: &cube.positions,
            tets: &cube.tets,
            values: Values::Vertices(&cube.values),
            ..Body::default()
        };
        let geometry = Geometry { bodies: vec![body], ..Geometry::default() };
        let mut renderer = cpu::Renderer::new();
        let start = Instant::now();
        let picture = renderer
            .render(&geometry, &view(camera(&cube, 25.0)), SIZE, SIZE, threads)
            .expect("the picture can be made");
        let first = start.elapsed().as_secs_f64() * 1e3;
        let seen = picture.image.pixels.iter().filter(|p| p[..3] != [0; 3]).count();
        let mut times: Vec<f64> = (0..40)
            .map(|frame| {
                let view = view(camera(&cube, 25.0 + f64::from(frame)));
                let start = Instant::now();
                let picture = renderer.render(&geometry, &view, SIZE, SIZE, threads);
                let time = start.elapsed().as_secs_f64() * 1e3;
                picture.expect("the picture can be made");
                time
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "{name:>5}: {} tets, {threads} threads: best {:.1} ms, median {:.1} ms, first {first:.0} ms, \
             {:.1} % covered, {} lost",
            cube.tets.len(),
            times[0],
            times[times.len() / 2],
            100.0 * seen as f64 / f64::from(SIZE * SIZE),
            picture.lost,
        );
        if let Some(folder) = &folder {
            let path = std::path::Path::new(folder).join(format!("volume_{name}.png"));
            pliant_render::encode::write_png(&path, &picture.image)
                .expect("the file can be written");
        }
    }
}
