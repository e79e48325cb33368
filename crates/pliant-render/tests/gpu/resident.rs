//! Bodies that are on the device already.

use pliant_gpu::{Buffer, Gpu, testing};
use pliant_render::gpu::{
    GpuRenderError, Offscreen, Resident, ResidentBand, ResidentBody, ResidentMoment, ResidentShape,
    ResidentValues,
};
use pliant_render::{
    Camera, Colour, Colouring, DrawList, Geometry, Image, RenderError, Values, View, cpu,
};

use crate::scenes::{Difference, SIZE, Shape, blobs, camera, compare};

/// Arrays as a simulation has them: bodies begin at multiples of 32 slots, positions are relative to
/// a body's own origin.
struct Arrays {
    positions: Buffer<[f32; 4]>,
    values: Buffer<f32>,
    triangles: Vec<[u32; 3]>,
    tets: Vec<[u32; 4]>,
    vertices: Vec<u32>,
    slice_bodies: Vec<u32>,
    bodies: Vec<ResidentBody>,
}

const ORIGINS: [[f64; 3]; 2] = [[0.25, -0.5, 2.0], [-1.0, 0.5, 0.125]];
const CENTRES: [[f32; 3]; 2] = [[-0.4, 0.0, 0.5], [0.35, 0.45, 0.35]];

impl Arrays {
    /// A triangle with a vertex that is not finite is added, which must not be seen.
    fn new(gpu: &Gpu, shapes: &[Shape]) -> Self {
        let (mut positions, mut triangles, mut tets) = (vec![], vec![], vec![]);
        let (mut vertices, mut slice_bodies, mut bodies) = (vec![], vec![], vec![]);
        for (body, shape) in (0u32..).zip(shapes) {
            let first = positions.len() as u32;
            let origin = ORIGINS[body as usize];
            let [x, y, z] = origin.map(|c| c as f32);
            positions.extend(shape.positions.iter().map(|p| [p[0] - x, p[1] - y, p[2] - z, 7.0]));
            vertices.extend(first..positions.len() as u32);
            positions.push([f32::NAN, 0.0, f32::INFINITY, 0.0]);
            let bad = positions.len() as u32 - 1;
            triangles.extend([[first, first + 1, bad], [bad, first, first + 2]]);
            positions.resize(positions.len().next_multiple_of(32), [0.0; 4]);
            slice_bodies.resize(positions.len() / 32, body);
            triangles.extend(shape.triangles.iter().map(|t| t.map(|v| first + v)));
            tets.extend(shape.tets.iter().map(|t| t.map(|v| first + v)));
            bodies.push(ResidentBody { origin, colour: None });
        }
        let values: Vec<f32> = positions.iter().map(|p| p[0]).collect();
        Self {
            positions: gpu.storage("positions", &positions).unwrap(),
            values: gpu.storage("values", &values).unwrap(),
            triangles,
            tets,
            vertices,
            slice_bodies,
            bodies,
        }
    }

    fn shape(&self) -> ResidentShape<'_> {
        ResidentShape {
            slice_bodies: &self.slice_bodies,
            triangles: &self.triangles,
            tets: &self.tets,
            vertices: &self.vertices,
            locked: &[],
        }
    }

    fn moment<'a>(&'a self, bodies: &'a [ResidentBody]) -> ResidentMoment<'a> {
        let positions = self.positions.raw();
        ResidentMoment { positions, values: ResidentValues::None, bodies, bands: &[] }
    }
}

/// Draws everything but the bodies of `scene` as it is, and `bodies` from the device.
fn draw(offscreen: &mut Offscreen, view: &View, scene: &Geometry, bodies: &[&Resident]) -> Image {
    let [width, height] = SIZE;
    let projection = view.camera.projection(scene.origin, width, height).unwrap();
    let rest = Geometry { bodies: vec![], ..scene.clone() };
    let bounds = scene.bounds().unwrap();
    let list = DrawList::around(&rest, view, &projection, bounds).unwrap();
    offscreen.render_list(&list, view, scene.origin, bodies, width, height).unwrap().image
}

#[test]
fn arrays_of_a_simulation_are_drawn_from_where_they_are() -> Result<(), RenderError> {
    let Some(gpu) = testing::gpu("resident") else { return Ok(()) };
    let shapes = blobs();
    let bodies = shapes.iter().map(|s| s.body()).collect();
    let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
    let view = View::new(camera(&scene, [0.3, -1.0, 0.45]));
    let want = cpu::render(&scene, &view, SIZE[0], SIZE[1], 2)?.image;
    let mut offscreen = Offscreen::new(&gpu).unwrap();
    let arrays = Arrays::new(&gpu, &shapes);
    let mut resident = Resident::new(offscreen.renderer(), &arrays.shape()).unwrap();
    let nothing = draw(&mut offscreen, &view, &scene, &[&resident]);
    let moment = arrays.moment(&arrays.bodies);
    resident.update(offscreen.renderer(), &moment, &view, scene.origin).unwrap();
    let got = draw(&mut offscreen, &view, &scene, &[&resident]);
    let Difference { mean, far } = compare("resident", &want, &got);
    assert!(mean <= 0.2 && far <= 5e-4, "{mean} {far}");
    assert!(compare("resident-none", &want, &nothing).far > 0.1, "nothing is there at first");

    // Moving and colouring a body needs no array to be touched.
    let mut moved = arrays.bodies.clone();
    moved[0].origin[2] += 100.0;
    moved[1].colour = Some(Colour([0.0, 0.0, 1.0]));
    let moment = arrays.moment(&moved);
    resident.update(offscreen.renderer(), &moment, &view, scene.origin).unwrap();
    let other = draw(&mut offscreen, &view, &scene, &[&resident]);
    let at = |image: &Image, camera: &Camera, p: [f32; 3]| {
        let projection = camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
        let [x, y, _] = projection.pixel(p).unwrap();
        image.at(x as u32, y as u32)
    };
    let [r, _, b, _] = at(&other, &view.camera, [0.35, 0.35, 0.65]);
    assert!(b > 150 && r < 100, "the second ball is blue: {r} {b}");
    let (before, after) =
        (at(&got, &view.camera, CENTRES[0]), at(&other, &view.camera, CENTRES[0]));
    assert!(before != after, "the first ball is gone");
    Ok(())
}

#[test]
fn a_view_of_values_without_values_is_plain() {
    let Some(gpu) = testing::gpu("resident") else { return };
    let shapes = blobs();
    let bodies = shapes.iter().map(|s| s.body()).collect();
    let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.3, -1.0, 0.45]));
    view.colouring = Colouring::Speed { range: [0.0, 1.0] };
    let want = cpu::render(&scene, &view, SIZE[0], SIZE[1], 2).unwrap().image;
    let mut offscreen = Offscreen::new(&gpu).unwrap();
    let arrays = Arrays::new(&gpu, &shapes);
    let mut resident = Resident::new(offscreen.renderer(), &arrays.shape()).unwrap();
    let mut moment = arrays.moment(&arrays.bodies);
    resident.update(offscreen.renderer(), &moment, &view, scene.origin).unwrap();
    let got = draw(&mut offscreen, &view, &scene, &[&resident]);
    let Difference { mean, far } = compare("resident-plain", &want, &got);
    assert!(mean <= 0.2 && far <= 5e-4, "{mean} {far}");
    // A scale without extent has everything at its lower end.
    view.colouring = Colouring::Speed { range: [1.0, 1.0] };
    moment.values = ResidentValues::Vertices(arrays.values.raw());
    resident.update(offscreen.renderer(), &moment, &view, scene.origin).unwrap();
    let got = draw(&mut offscreen, &view, &scene, &[&resident]);
    let zeros: Vec<Vec<f32>> = shapes.iter().map(|s| vec![0.0; s.positions.len()]).collect();
    let mut scene = scene.clone();
    for (body, values) in scene.bodies.iter_mut().zip(&zeros) {
        body.values = Values::Vertices(values);
    }
    let want = cpu::render(&scene, &view, SIZE[0], SIZE[1], 2).unwrap().image;
    let Difference { mean, far } = compare("resident-extent", &want, &got);
    assert!(mean <= 0.2 && far <= 5e-4, "{mean} {far}");
}

#[test]
fn arrays_that_cannot_be_drawn_are_refused() {
    let Some(gpu) = testing::gpu("resident") else { return };
    let arrays = Arrays::new(&gpu, &blobs());
    let offscreen = Offscreen::new(&gpu).unwrap();
    let renderer = offscreen.renderer();
    let camera = Camera::framing(
        pliant_render::Bounds { min: [0.0; 3], max: [1.0; 3] },
        [1.0, -1.0, 1.0],
        1.0,
    );
    let view = View::new(camera);
    let mut resident = Resident::new(renderer, &arrays.shape()).unwrap();
    let mut refused =
        |moment: &ResidentMoment| match resident.update(renderer, moment, &view, [0.0; 3]).err() {
            Some(GpuRenderError::Resident { array, .. }) => array,
            other => panic!("{other:?}"),
        };
    let uniform = gpu.uniform::<[f32; 4]>("not storage", 9999).unwrap();
    let short = gpu.zeros::<[f32; 4]>("short", 8).unwrap();
    let good = arrays.moment(&arrays.bodies);
    assert_eq!(refused(&ResidentMoment { bodies: &arrays.bodies[..1], ..good }), "bodies");
    assert_eq!(refused(&ResidentMoment { positions: uniform.raw(), ..good }), "positions");
    assert_eq!(refused(&ResidentMoment { positions: short.raw(), ..good }), "positions");
    let values = ResidentValues::Vertices(short.raw());
    assert_eq!(refused(&ResidentMoment { values, ..good }), "values");
    let values = ResidentValues::Tets { mean: arrays.values.raw(), tets: short.raw() };
    assert_eq!(refused(&ResidentMoment { values, ..good }), "tets' values");
    let bands = [ResidentBand { slot: 99_999, hand: [0.0; 3] }];
    assert_eq!(refused(&ResidentMoment { bands: &bands, ..good }), "bands");
    resident.update(renderer, &good, &view, [0.0; 3]).unwrap();
    let bad = ResidentShape { triangles: &[[0, 1, 99_999]], ..arrays.shape() };
    assert!(Resident::new(renderer, &bad).is_err());
}
