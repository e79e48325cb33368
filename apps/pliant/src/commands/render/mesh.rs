//! Pictures of mesh files, and of the frames that runs write as VTU.

use pliant::mesh::{DataArray, Mesh, load, topology};
use pliant::render::{Body, Colouring, Geometry, Image, Values, View, cpu};
use pliant::scene::{Picture, PictureCamera, PictureColour};
use pliant::session::pictures::{scale, shot};

use super::{EMPTY, apply, camera_wish, needs_simulation};
use crate::args::RenderArgs;
use crate::failure::Failure;

pub fn draw(args: &RenderArgs) -> Result<Image, Failure> {
    let mesh = load(&args.input)?.mesh;
    let colour = args.colour.unwrap_or_default();
    let values = values(&mesh, colour).ok_or_else(|| needs_simulation(colour, &args.input))?;
    let body = body(&mesh);
    let [width, height] = args.size.unwrap_or(Picture::default().size);
    let camera = camera_wish(args, &PictureCamera::default());
    let picture = Picture { size: [width, height], colour, camera, ..Picture::default() };
    let geometry = Geometry {
        origin: body.origin,
        bodies: vec![Body {
            positions: &body.positions,
            triangles: &body.triangles,
            tets: &mesh.tets,
            values: match colour {
                PictureColour::Body | PictureColour::Plain => Values::None,
                PictureColour::Stress => Values::Tets(&values),
                PictureColour::Force | PictureColour::Speed => Values::Vertices(&values),
            },
            ..Body::default()
        }],
        ..Geometry::default()
    };
    let bounds = geometry.bounds().unwrap_or(EMPTY);
    let mut view = View::new(shot::framing(bounds, &picture));
    view.colouring = colouring(colour, scale::usual_top(&values));
    apply(args, &mut view, bounds);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(cpu::render(&geometry, &view, width, height, threads)?.image)
}

/// A mesh as it is drawn.
struct Shape {
    origin: [f64; 3],
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

fn body(mesh: &Mesh) -> Shape {
    // Far from zero, single precision would show steps.
    let origin = mesh.points.iter().find(|p| p.iter().all(|c| c.is_finite()));
    let origin = origin.copied().unwrap_or_default();
    let relative = |p: &[f64; 3]| std::array::from_fn(|k| (p[k] - origin[k]) as f32);
    let triangles = match mesh.tets.is_empty() {
        true => mesh.triangles.clone(),
        false => topology::boundary_faces(&mesh.tets),
    };
    Shape { origin, positions: mesh.points.iter().map(relative).collect(), triangles }
}

/// The values that colours show, by the names that runs write them under; nothing if there are none.
fn values(mesh: &Mesh, colour: PictureColour) -> Option<Vec<f32>> {
    let lengths = |array: &DataArray| {
        let length = |i: usize| array.tuple(i).iter().map(|c| c * c).sum::<f64>().sqrt() as f32;
        (0..array.tuple_count()).map(length).collect()
    };
    match colour {
        PictureColour::Body | PictureColour::Plain => Some(Vec::new()),
        PictureColour::Force => mesh.point_array("force").map(lengths),
        PictureColour::Speed => mesh.point_array("velocity").map(lengths),
        PictureColour::Stress => mesh.tet_array("von_mises").map(lengths),
    }
}

fn colouring(colour: PictureColour, top: f32) -> Colouring {
    let range = [0.0, top];
    match colour {
        PictureColour::Body => Colouring::Body,
        PictureColour::Plain => Colouring::Plain,
        PictureColour::Force => Colouring::Force { reference: range[1] },
        PictureColour::Stress => Colouring::Stress { range },
        PictureColour::Speed => Colouring::Speed { range },
    }
}
