//! Draws a few scenes into PNG files, to look at: `cargo run -p pliant-render --example gallery [folder]`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant_mesh::{Mesh, shapes, topology};
use pliant_render::encode::write_png;
use pliant_render::{
    Band, Body, Bounds, Camera, Colouring, Cut, Geometry, Push, Shading, Values, View, cpu,
};

const SIZE: [u32; 2] = [960, 720];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    bent_bar(&folder)?;
    blobs(&folder)?;
    cloth(&folder)?;
    bunny(&folder)?;
    Ok(())
}

/// A mesh moved into place.
struct Shape {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    tets: Vec<[u32; 4]>,
}

impl Shape {
    fn new(mesh: Mesh, place: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        let triangles = if mesh.tets.is_empty() {
            mesh.triangles
        } else {
            topology::boundary_faces(&mesh.tets)
        };
        let positions = mesh.points.into_iter().map(|p| place(p).map(|c| c as f32)).collect();
        Self { positions, triangles, tets: mesh.tets }
    }

    fn body(&self) -> Body<'_> {
        let (positions, triangles, tets) = (&self.positions, &self.triangles, &self.tets);
        Body { positions, triangles, tets, ..Body::default() }
    }
}

fn draw(path: &Path, scene: &Geometry, view: &View) -> Result<(), Box<dyn Error>> {
    let [width, height] = SIZE;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let picture = cpu::render(scene, view, width, height, threads)?;
    let triangles: usize = scene.bodies.iter().map(|b| b.triangles.len()).sum();
    println!("{}: {triangles} triangles, {:.0?}", path.display(), start.elapsed());
    write_png(path, &picture.image)?;
    Ok(())
}

fn camera(scene: &Geometry, direction: [f64; 3]) -> Camera {
    let nothing = Bounds { min: [-1.0; 3], max: [1.0; 3] };
    Camera::framing(scene.bounds().unwrap_or(nothing), direction, 4.0 / 3.0)
}

/// Held at one end, coloured by stress, with the hand that bends it.
fn bent_bar(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mesh = shapes::bar([40, 8, 8], [4.0, 0.8, 0.8], shapes::Split::Six);
    let stress: Vec<f32> = (mesh.tets.iter())
        .map(|t| {
            let mean = |k: usize| t.iter().map(|&v| mesh.points[v as usize][k]).sum::<f64>() / 4.0;
            (2e4 * (1.0 - mean(0) / 4.0) * (mean(2) / 0.4 - 1.0).abs()) as f32
        })
        .collect();
    let shape = Shape::new(mesh, |[x, y, z]| {
        // A quarter of a circle of radius 8/π about an axis below.
        let (angle, radius) = (x / 4.0, 4.0 + z - 0.4);
        [radius * angle.sin(), y, radius * angle.cos() - 1.9]
    });
    let locked: Vec<u32> = (0..81).collect();
    let last = shape.positions.len() - 1;
    let bands: Vec<Band> = [0, 8, 72, 80]
        .map(|i| shape.positions[last - i])
        .map(|point| Band { point, hand: [point[0] + 0.2, point[1], point[2] - 0.6] })
        .into();
    let body = Body { values: Values::Tets(&stress), locked: &locked, ..shape.body() };
    let world_box = Some(Bounds { min: [-0.5, -1.0, -0.6], max: [4.5, 1.8, 3.0] });
    let scene = Geometry {
        bodies: vec![body],
        world_box,
        ground: Some(-0.6),
        bands: &bands,
        ..Geometry::default()
    };
    let mut view = View::new(camera(&scene, [0.55, -1.0, 0.45]));
    view.colouring = Colouring::Stress { range: [0.0, 2e4] };
    (view.axes, view.world_box) = (true, true);
    draw(&folder.join("bar-stress.png"), &scene, &view)?;
    (view.wireframe, view.shading) = (true, Shading::Flat);
    view.colouring = Colouring::Force { reference: 1.5e4 };
    draw(&folder.join("bar-wire.png"), &scene, &view)
}

/// Two soft balls pressed together and a ring, on the floor.
fn blobs(folder: &Path) -> Result<(), Box<dyn Error>> {
    let sag = |[x, y, z]: [f64; 3], at: [f64; 2], radius: f64| {
        let flat = (z + radius) / (2.0 * radius);
        let bulge = 1.0 + 0.25 * (1.0 - flat);
        [at[0] + x * bulge, at[1] + y * bulge, (z + radius * 0.8).max(0.0) * 0.95]
    };
    let one = Shape::new(shapes::ball(0.5, 0.07)?, |p| sag(p, [-0.5, 0.0], 0.5));
    let two = Shape::new(shapes::ball(0.4, 0.06)?, |p| sag(p, [0.52, 0.25], 0.4));
    let ring =
        Shape::new(shapes::torus(0.35, 0.12, 0.045)?, |[x, y, z]| [x + 0.35, y - 0.7, z + 0.12]);
    let scene = Geometry {
        bodies: [&one, &two, &ring].map(Shape::body).into(),
        ground: Some(0.0),
        ..Geometry::default()
    };
    let mut view = View::new(camera(&scene, [0.3, -1.0, 0.45]));
    draw(&folder.join("blobs.png"), &scene, &view)?;
    view.vertices = true;
    view.surface = false;
    view.wireframe = true;
    draw(&folder.join("blobs-vertices.png"), &scene, &view)
}

/// A cloth over a ball, and a push from above.
fn cloth(folder: &Path) -> Result<(), Box<dyn Error>> {
    let drape = |[x, y, _]: [f64; 3]| {
        let (x, y) = (x - 1.0, y - 1.0);
        let r = x.hypot(y);
        let (over, hang) = (r.min(0.55), (r - 0.55).max(0.0));
        let angle = y.atan2(x);
        let fold = 1.0 + 0.35 * hang * (6.0 * angle).cos();
        let out = (0.55 * (over / 0.55).sin() + 0.4 * hang) * fold / r.max(1e-9);
        [x * out, y * out, 0.15 + 0.55 * (over / 0.55).cos() - 0.8 * hang + 0.25]
    };
    let sheet = Shape::new(shapes::cloth([120, 120], [2.0, 2.0])?, drape);
    let ball = Shape::new(shapes::ball(0.45, 0.06)?, |[x, y, z]| [x, y, z + 0.45]);
    let speed: Vec<f32> = sheet.positions.iter().map(|p| 1.0 - p[2]).collect();
    let push = [Push { origin: [0.3, 0.1, 2.0], direction: [0.0, 0.0, -1.0], radius: 0.15 }];
    let cloth = Body { values: Values::Vertices(&speed), ..sheet.body() };
    let scene = Geometry {
        bodies: vec![cloth, ball.body()],
        ground: Some(0.0),
        pushes: &push,
        ..Geometry::default()
    };
    let mut view = View::new(camera(&scene, [0.7, -1.0, 0.6]));
    draw(&folder.join("cloth.png"), &scene, &view)?;
    view.colouring = Colouring::Speed { range: [0.0, 1.0] };
    view.camera.orbit(0.4, -0.3);
    draw(&folder.join("cloth-speed.png"), &scene, &view)
}

/// A fine bunny, whole and cut open.
fn bunny(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mesh = shapes::bunny(1.0, 0.022)?;
    let depth: Vec<f32> = mesh.points.iter().map(|p| p[1] as f32).collect();
    let lowest = mesh.points.iter().fold(f64::INFINITY, |low, p| low.min(p[1]));
    let shape = Shape::new(mesh, |[x, y, z]| [x, -z, y - lowest]);
    let body = Body { values: Values::Vertices(&depth), ..shape.body() };
    let scene = Geometry { bodies: vec![body], ground: Some(0.0), ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.6, -1.0, 0.35]));
    draw(&folder.join("bunny.png"), &scene, &view)?;
    view.cut = Some(Cut { point: [0.0, 0.0, 0.0], normal: [0.2, -1.0, 0.0] });
    draw(&folder.join("bunny-cut.png"), &scene, &view)?;
    let range = scene.value_range().unwrap_or([0.0, 1.0]);
    view.colouring = Colouring::Field { range, name: "height".into(), unit: "m".into() };
    draw(&folder.join("bunny-field.png"), &scene, &view)
}
