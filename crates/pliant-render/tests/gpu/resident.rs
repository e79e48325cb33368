//! Surfaces that are on the device already.

use pliant_gpu::{Buffer, Gpu, testing};
use pliant_render::gpu::{GpuRenderError, Offscreen, Resident, ResidentBody, ResidentBuffers};
use pliant_render::{Camera, Colour, DrawList, Geometry, Image, View, cpu};

use crate::scenes::{Difference, SIZE, Shape, blobs, camera, compare};

/// Arrays as a simulation has them: bodies begin at multiples of 32 slots, positions are relative to
/// a body's own origin.
struct Arrays {
    positions: Buffer<[f32; 4]>,
    normals: Buffer<[f32; 4]>,
    colours: Buffer<[f32; 4]>,
    triangles: Buffer<u32>,
    slice_bodies: Vec<u32>,
    bodies: Vec<ResidentBody>,
}

const ORIGINS: [[f32; 3]; 2] = [[0.25, -0.5, 2.0], [-1.0, 0.5, 0.125]];
const BALLS: [([f32; 3], f32); 2] = [([-0.4, 0.0, 0.5], 0.5), ([0.35, 0.45, 0.35], 0.35)];

impl Arrays {
    /// Smooth balls: the normal of a vertex points from the middle to it. A triangle with a vertex
    /// that is not finite is added, which must not be seen.
    fn new(gpu: &Gpu, shapes: &[Shape]) -> Self {
        let (mut positions, mut normals, mut triangles) = (vec![], vec![], vec![]);
        let (mut slice_bodies, mut bodies) = (vec![], vec![]);
        for (body, shape) in (0u32..).zip(shapes) {
            let first = positions.len() as u32;
            let (centre, radius) = BALLS[body as usize];
            let origin = ORIGINS[body as usize];
            for p in &shape.positions {
                positions.push([p[0] - origin[0], p[1] - origin[1], p[2] - origin[2], 7.0]);
                let out: [f32; 3] = std::array::from_fn(|k| (p[k] - centre[k]) / radius);
                normals.push([out[0], out[1], out[2], 0.0]);
            }
            positions.push([f32::NAN, 0.0, f32::INFINITY, 0.0]);
            let bad = positions.len() as u32 - 1;
            triangles.extend([first, first + 1, bad, bad, first, first + 2]);
            positions.resize(positions.len().next_multiple_of(32), [0.0; 4]);
            normals.resize(positions.len(), [0.0; 4]);
            slice_bodies.resize(positions.len() / 32, body);
            triangles.extend(shape.triangles.iter().flatten().map(|v| first + v));
            bodies.push(ResidentBody { offset: origin, colour: None });
        }
        let colour = |i: usize| Colour::of_body(slice_bodies[i / 32] as usize).0;
        let colours: Vec<_> =
            (0..positions.len()).map(|i| [colour(i)[0], colour(i)[1], colour(i)[2], 0.5]).collect();
        Self {
            positions: gpu.storage("positions", &positions).unwrap(),
            normals: gpu.storage("normals", &normals).unwrap(),
            colours: gpu.storage("colours", &colours).unwrap(),
            triangles: gpu.storage("triangles", &triangles).unwrap(),
            slice_bodies,
            bodies,
        }
    }

    fn buffers(&self) -> ResidentBuffers<'_> {
        ResidentBuffers {
            positions: self.positions.raw(),
            normals: self.normals.raw(),
            colours: self.colours.raw(),
            triangles: self.triangles.raw(),
            triangle_count: self.triangles.len() / 3,
            slice_bodies: &self.slice_bodies,
        }
    }
}

fn draw(offscreen: &mut Offscreen, view: &View, scene: &Geometry, surfaces: &[&Resident]) -> Image {
    let [width, height] = SIZE;
    let projection = view.camera.projection(scene.origin, width, height).unwrap();
    // Everything but the bodies, which are on the device.
    let mut list = DrawList::new(scene, view, &projection).unwrap();
    (list.vertices, list.triangles) = (vec![], vec![]);
    offscreen.render_list(&list, view, scene.origin, surfaces, width, height).unwrap().image
}

#[test]
fn arrays_of_a_simulation_are_drawn_from_where_they_are() {
    let Some(gpu) = testing::gpu("resident") else { return };
    let shapes = blobs();
    let bodies = shapes.iter().map(|s| s.body()).collect();
    let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
    let view = View::new(camera(&scene, [0.3, -1.0, 0.45]));
    let want = cpu::render(&scene, &view, SIZE[0], SIZE[1], 2).unwrap().image;
    let mut offscreen = Offscreen::new(&gpu).unwrap();
    let arrays = Arrays::new(&gpu, &shapes);
    let surface = Resident::new(offscreen.renderer(), &arrays.buffers(), &arrays.bodies).unwrap();
    let got = draw(&mut offscreen, &view, &scene, &[&surface]);
    // Normals come from elsewhere here, so that shades differ a little.
    let Difference { mean, far } = compare("resident", &want, &got);
    assert!(mean <= 0.5 && far <= 2e-3, "{mean} {far}");

    // Moving and colouring a body needs no array to be touched.
    let mut moved = arrays.bodies.clone();
    moved[0].offset[2] += 100.0;
    moved[1].colour = Some(Colour([0.0, 0.0, 1.0]));
    surface.set_bodies(&moved).unwrap();
    let other = draw(&mut offscreen, &view, &scene, &[&surface]);
    let at = |image: &Image, camera: &Camera, p: [f32; 3]| {
        let projection = camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
        let [x, y, _] = projection.pixel(p).unwrap();
        image.at(x as u32, y as u32)
    };
    let [r, _, b, _] = at(&other, &view.camera, [0.35, 0.35, 0.65]);
    assert!(b > 150 && r < 100, "the second ball is blue: {r} {b}");
    let (before, after) =
        (at(&got, &view.camera, BALLS[0].0), at(&other, &view.camera, BALLS[0].0));
    assert!(before != after, "the first ball is gone");
}

#[test]
fn arrays_that_cannot_be_drawn_are_refused() {
    let Some(gpu) = testing::gpu("resident") else { return };
    let arrays = Arrays::new(&gpu, &blobs());
    let offscreen = Offscreen::new(&gpu).unwrap();
    let refused = |arrays: &ResidentBuffers, bodies: &[ResidentBody]| match Resident::new(
        offscreen.renderer(),
        arrays,
        bodies,
    )
    .err()
    {
        Some(GpuRenderError::Resident { array, .. }) => array,
        other => panic!("{other:?}"),
    };
    let uniform = gpu.uniform::<[f32; 4]>("not storage", 9999).unwrap();
    let short = gpu.zeros::<[f32; 4]>("short", 8).unwrap();
    let good = arrays.buffers();
    assert_eq!(refused(&good, &arrays.bodies[..1]), "slices");
    let bad = ResidentBuffers { positions: uniform.raw(), ..good };
    assert_eq!(refused(&bad, &arrays.bodies), "positions");
    let bad = ResidentBuffers { normals: short.raw(), ..good };
    assert_eq!(refused(&bad, &arrays.bodies), "normals");
    let bad = ResidentBuffers { triangle_count: good.triangle_count + 1, ..good };
    assert_eq!(refused(&bad, &arrays.bodies), "triangles");
    let surface = Resident::new(offscreen.renderer(), &good, &arrays.bodies).unwrap();
    assert!(surface.set_bodies(&arrays.bodies[..1]).is_err());
}
