//! A simulation drawn from its own arrays on the device, in all ways there are, compared with what the
//! CPU draws from positions on the host.

use pliant_gpu::{Gpu, testing};
use pliant_render::gpu::{
    Offscreen, Resident, ResidentBand, ResidentBody, ResidentMoment, ResidentShape, ResidentValues,
};
use pliant_render::volume::{Iso, Look, Preset};
use pliant_render::{
    Band, Body, Bounds, Camera, Colouring, Cut, DrawList, Geometry, Image, Shading, Values, View,
    cpu,
};
use pliant_sim::backend::gpu::shown::{Quantity, Shown};
use pliant_sim::stages::touch::Touch;
use pliant_sim::{Backend, Scene, Simulator};

use crate::scenes::{Difference, SIZE, compare};

/// Mean difference of 255, as between the two renderers of the same list: positions, and values on
/// smooth scales, are the same to a few roundings.
const MEAN: f64 = 0.2;
/// The same where thousands of balls hide each other.
const MEAN_OF_BALLS: f64 = 0.4;
/// Part of the pixels that may be off by more than 24 of 255: edges that pass a sample by a hair.
const FAR: f64 = 5e-4;

/// A jelly on the floor, a bar that is held at one end, and a cloth above them, far from the world's
/// origin.
const SCENE: &str = r#"
    [world]
    timestep = 0.0005
    damping = 0.5
    box = { size = [4, 4, 4], center = [1000, 0, 2] }
    [[bodies]]
    name = "jelly"
    shape = { kind = "ball", radius = 0.5, cell = 0.1 }
    translate = [999.6, 0, 0.52]
    velocity = [0.5, 0, -2]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 2e4 }
    volume = { modulus = 5e4 }
    [[bodies]]
    name = "bar"
    shape = { kind = "bar", cells = [12, 3, 3], size = [1.2, 0.3, 0.3] }
    translate = [1000.1, -0.6, 0.7]
    locks = [{ half_space = { point = [1000.15, 0, 0], normal = [-1, 0, 0] } }]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 1e5 }
    [[bodies]]
    name = "cloth"
    shape = { kind = "cloth", cells = [14, 14], size = [1.2, 1.2] }
    translate = [999.4, 0.1, 1.3]
    velocity = [0, 0, 1]
    locks = [{ half_space = { point = [0, 0.2, 0], normal = [0, -1, 0] } }]
    [bodies.material]
    mass = { density = 0.3 }
    stiffness = { spring = 30 }
"#;

/// The picture's origin: not that of any body.
const ORIGIN: [f64; 3] = [1000.0, 0.0, 0.0];

struct Stage {
    gpu: Gpu,
    sim: Simulator,
    easel: Easel,
}

/// Nothing where there is no device.
fn stage(test: &str) -> Option<Stage> {
    let gpu = testing::gpu(test)?;
    let scene = Scene::from_toml(SCENE, "simulated").unwrap();
    let mut sim = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
    sim.advance(300).unwrap();
    let easel = Easel::new(&gpu, &sim.show_on_device(Quantity::Nothing).unwrap().unwrap());
    Some(Stage { gpu, sim, easel })
}

/// The bodies as the host has them, numbered from their first vertex.
struct Hosted {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    tets: Vec<[u32; 4]>,
    values: Vec<f32>,
    of_tets: bool,
    locked: Vec<u32>,
}

impl Hosted {
    fn of(sim: &mut Simulator, quantity: Quantity) -> Vec<Self> {
        let size = |v: &[f32; 3]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        let values: Vec<f32> = match quantity {
            Quantity::Nothing => vec![],
            Quantity::Force => sim.forces().iter().map(size).collect(),
            Quantity::Speed => sim.velocities().iter().map(size).collect(),
            Quantity::Stress => sim.stress().iter().map(|s| s.von_mises() as f32).collect(),
            Quantity::Displacement | Quantity::Field(_) => unreachable!("drawn as speeds are"),
        };
        let of_tets = quantity == Quantity::Stress;
        let (model, positions) = (sim.model(), sim.positions());
        let user = |v: u32| model.vertex_order[v as usize];
        let mut tets = vec![[0; 4]; model.tets.len()];
        for (t, tet) in model.tets.iter().enumerate() {
            tets[model.tet_order[t] as usize] = tet.map(user);
        }
        let range = |r: &std::ops::Range<u32>| r.start as usize..r.end as usize;
        let body = |body: &pliant_sim::model::BodyModel| {
            let own = |v: u32| v - body.vertices.start;
            let vertices = range(&body.vertices);
            let place = |p: &[f64; 3]| std::array::from_fn(|k| (p[k] - ORIGIN[k]) as f32);
            let which = if of_tets { range(&body.tets) } else { vertices.clone() };
            let is_locked = |v: &u32| model.inv_mass[*v as usize] == 0.0;
            let triangles = &model.triangles[range(&body.triangles)];
            Self {
                positions: positions[vertices].iter().map(place).collect(),
                triangles: triangles.iter().map(|t| t.map(|v| own(user(v)))).collect(),
                tets: tets[range(&body.tets)].iter().map(|t| t.map(own)).collect(),
                values: values.get(which).unwrap_or_default().to_vec(),
                of_tets,
                locked: body.vertices.clone().filter(is_locked).map(|v| own(user(v))).collect(),
            }
        };
        model.bodies.iter().map(body).collect()
    }

    fn body(&self) -> Body<'_> {
        Body {
            positions: &self.positions,
            triangles: &self.triangles,
            tets: &self.tets,
            values: match self.of_tets {
                _ if self.values.is_empty() => Values::None,
                true => Values::Tets(&self.values),
                false => Values::Vertices(&self.values),
            },
            colour: None,
            locked: &self.locked,
        }
    }
}

fn bands(sim: &Simulator) -> Vec<Band> {
    let positions = sim.positions();
    let place = |p: [f64; 3]| std::array::from_fn(|k| (p[k] - ORIGIN[k]) as f32);
    let of = |touch: &Touch| match touch {
        Touch::Push(_) | Touch::Carry(_) => vec![],
        Touch::Drag(drag) => (drag.vertices.iter().zip(&drag.offsets))
            .map(|(&v, o)| Band {
                point: place(positions[v as usize]),
                hand: place(std::array::from_fn(|k| drag.hand[k] + o[k])),
            })
            .collect(),
    };
    sim.touches().iter().flat_map(of).collect()
}

/// Draws from the device. All pictures of a simulation are drawn by the same one.
struct Easel {
    offscreen: Offscreen,
    resident: Resident,
}

impl Easel {
    fn new(gpu: &Gpu, shown: &Shown) -> Self {
        let offscreen = Offscreen::new(gpu).unwrap();
        let shape = ResidentShape {
            slice_bodies: &shown.shape.slice_bodies,
            triangles: &shown.shape.triangles,
            tets: &shown.shape.tets,
            vertices: &shown.shape.vertices,
            locked: &shown.shape.locked,
        };
        let resident = Resident::new(offscreen.renderer(), &shape).unwrap();
        Self { offscreen, resident }
    }

    /// Draws what is shown; `rest` is everything but the bodies.
    fn draw(&mut self, shown: &Shown, rest: &Geometry, bounds: Bounds, view: &View) -> Image {
        let body = |&origin: &[f64; 3]| ResidentBody { origin, colour: None };
        let bodies: Vec<ResidentBody> = shown.origins.iter().map(body).collect();
        let bands: Vec<ResidentBand> =
            shown.held.iter().map(|h| ResidentBand { slot: h.slot, hand: h.goal }).collect();
        let values = shown.arrays.values.raw();
        let tets = shown.arrays.tet_values.raw();
        let moment = ResidentMoment {
            positions: shown.arrays.positions.raw(),
            values: match shown.quantity {
                Quantity::Nothing => ResidentValues::None,
                Quantity::Stress => ResidentValues::Tets { mean: values, tets },
                _ => ResidentValues::Vertices(values),
            },
            bodies: &bodies,
            bands: &bands,
        };
        let Self { offscreen, resident } = self;
        resident.update(offscreen.renderer(), &moment, view, ORIGIN).unwrap();
        let [width, height] = SIZE;
        let projection = view.camera.projection(ORIGIN, width, height).unwrap();
        let list = DrawList::around(rest, view, &projection, bounds).unwrap();
        offscreen.render_list(&list, view, ORIGIN, &[resident], width, height).unwrap().image
    }
}

/// Draws the present by both, and compares.
fn check(name: &str, stage: &mut Stage, quantity: Quantity, change: impl Fn(&mut View)) {
    let Stage { gpu, sim, easel } = stage;
    let before = gpu.bytes_read();
    let shown = sim.show_on_device(quantity).unwrap().unwrap();
    assert_eq!(gpu.bytes_read(), before, "{name}: nothing is copied to the host");
    let (hosted, bands) = (Hosted::of(sim, quantity), bands(sim));
    let scene = Geometry {
        origin: ORIGIN,
        bodies: hosted.iter().map(Hosted::body).collect(),
        ground: Some(0.0),
        bands: &bands,
        ..Geometry::default()
    };
    let bounds = scene.bounds().unwrap();
    let mut view = View::new(Camera::framing(bounds, [0.45, -1.0, 0.4], 4.0 / 3.0));
    // Some of the bodies is at either end of the scale, most of them between.
    let values: Vec<f32> = hosted.iter().flat_map(|h| &h.values).copied().collect();
    let top = 2.0 * values.iter().sum::<f32>() / values.len().max(1) as f32;
    view.colouring = match quantity {
        Quantity::Nothing => Colouring::Body,
        Quantity::Force => Colouring::Force { reference: top },
        Quantity::Speed => Colouring::Speed { range: [0.0, top] },
        Quantity::Stress => Colouring::Stress { range: [0.0, top] },
        Quantity::Displacement | Quantity::Field(_) => unreachable!("drawn as speeds are"),
    };
    view.legend = false;
    change(&mut view);
    let want = cpu::render(&scene, &view, SIZE[0], SIZE[1], 2).unwrap().image;
    let rest = Geometry { bodies: vec![], bands: &[], ..scene.clone() };
    let before = gpu.bytes_read();
    let got = easel.draw(&shown, &rest, bounds, &view);
    // And how many rays were lost.
    let besides = if view.volume.is_some() { 8 } else { 0 };
    assert_eq!(gpu.bytes_read(), before + besides, "{name}: only the picture is");
    let first = want.pixels[0];
    assert!(want.pixels.iter().filter(|p| p[0].abs_diff(first[0]) > 20).count() > 500);
    let Difference { mean, far } = compare(&format!("simulated-{name}"), &want, &got);
    let most = if view.vertices { MEAN_OF_BALLS } else { MEAN };
    assert!(mean <= most, "{name}: {mean} of 255 apart in the mean");
    assert!(far <= FAR, "{name}: {far} of the pixels are off");
}

#[test]
fn surfaces_in_all_colours() {
    let Some(mut stage) = stage("simulated") else { return };
    let stage = &mut stage;
    check("bodies", stage, Quantity::Nothing, |_| {});
    check("plain", stage, Quantity::Nothing, |view| view.colouring = Colouring::Plain);
    check("force", stage, Quantity::Force, |_| {});
    check("speed", stage, Quantity::Speed, |_| {});
    check("stress", stage, Quantity::Stress, |_| {});
    check("flat", stage, Quantity::Nothing, |view| view.shading = Shading::Flat);
    check("no-shadow", stage, Quantity::Nothing, |view| view.shadow = false);
}

#[test]
fn edges_vertices_and_locks() {
    let Some(mut stage) = stage("simulated") else { return };
    let stage = &mut stage;
    check("wireframe", stage, Quantity::Speed, |view| view.wireframe = true);
    check("edges-alone", stage, Quantity::Nothing, |view| {
        (view.wireframe, view.surface) = (true, false);
    });
    check("vertices", stage, Quantity::Nothing, |view| view.vertices = true);
    check("vertices-alone", stage, Quantity::Nothing, |view| {
        (view.vertices, view.surface, view.locks) = (true, false, false);
    });
    check("no-locks", stage, Quantity::Nothing, |view| view.locks = false);
}

#[test]
fn cuts() {
    let Some(mut stage) = stage("simulated") else { return };
    let stage = &mut stage;
    let cut = Cut { point: [999.7, -0.1, 0.5], normal: [0.3, -1.0, 0.2] };
    check("cut", stage, Quantity::Nothing, |view| view.cut = Some(cut));
    check("cut-stress", stage, Quantity::Stress, |view| view.cut = Some(cut));
    check("cut-force", stage, Quantity::Force, |view| view.cut = Some(cut));
    check("cut-wireframe", stage, Quantity::Nothing, |view| {
        (view.cut, view.wireframe, view.shading) = (Some(cut), true, Shading::Flat);
    });
    let across = Cut { point: [1000.0, 0.5, 1.0], normal: [1.0, 0.4, 0.0] };
    check("cut-across", stage, Quantity::Speed, |view| view.cut = Some(across));
}

#[test]
fn the_inside_of_bodies() {
    let Some(mut stage) = stage("simulated") else { return };
    let stage = &mut stage;
    let look = |view: &mut View, quantity: &str| {
        let range = view.colouring.scale().unwrap().range;
        let transfer = Preset::Rainbow.transfer().over(range).across(0.3);
        view.volume = Some(Look { name: quantity.into(), ..Look::new(transfer) });
        // Within the pixels at their edges, the GPU mixes all that is behind clouds first.
        view.locks = false;
    };
    check("clouds-speed", stage, Quantity::Speed, |view| look(view, "speed"));
    check("clouds-stress", stage, Quantity::Stress, |view| look(view, "stress"));
    check("clouds-isos", stage, Quantity::Speed, |view| {
        look(view, "speed");
        let [_, high] = view.colouring.scale().unwrap().range;
        let iso = Iso { value: 0.4 * high, colour: None, opacity: 0.8 };
        view.volume.as_mut().unwrap().isos = vec![iso];
    });
}

#[test]
fn rubber_bands() {
    let Some(mut stage) = stage("simulated") else { return };
    let stage = &mut stage;
    let tip = stage.sim.positions().into_iter().max_by(|a, b| a[0].total_cmp(&b[0])).unwrap();
    assert!(stage.sim.grab(tip, 0.2, 2.0, 20.0) > 1);
    for touch in stage.sim.touches_mut() {
        if let Touch::Drag(drag) = touch {
            drag.cursor = [tip[0] + 0.3, tip[1] - 0.2, tip[2] + 0.5];
        }
    }
    stage.sim.advance(100).unwrap();
    check("bands", stage, Quantity::Stress, |_| {});
    check("no-touches", stage, Quantity::Stress, |view| view.touches = false);
}

#[test]
fn one_thread_draws_while_another_steps() {
    let Some(Stage { mut sim, mut easel, .. }) = stage("simulated") else { return };
    let about = Bounds { min: [998.8, -1.0, 0.0], max: [1001.4, 1.4, 2.2] };
    let view = View::new(Camera::framing(about, [0.45, -1.0, 0.4], 4.0 / 3.0));
    let rest = || Geometry { origin: ORIGIN, ground: Some(0.0), ..Geometry::default() };
    let (give, take) = std::sync::mpsc::channel::<(Shown, Bounds)>();
    let seen = view.clone();
    let painter = std::thread::spawn(move || -> Vec<Image> {
        take.iter().map(|(shown, bounds)| easel.draw(&shown, &rest(), bounds, &seen)).collect()
    });
    let mut frames = Vec::new();
    for _ in 0..6 {
        sim.advance(40).unwrap();
        let shown = sim.show_on_device(Quantity::Speed).unwrap().unwrap();
        let hosted = Hosted::of(&mut sim, Quantity::Nothing);
        let bodies = hosted.iter().map(Hosted::body).collect();
        let scene = Geometry { bodies, ..rest() };
        give.send((shown, scene.bounds().unwrap())).unwrap();
        frames.push(hosted);
    }
    drop(give);
    let pictures = painter.join().unwrap();
    assert_eq!(pictures.len(), frames.len());
    for (hosted, got) in frames.iter().zip(&pictures) {
        let scene = Geometry { bodies: hosted.iter().map(Hosted::body).collect(), ..rest() };
        let want = cpu::render(&scene, &view, SIZE[0], SIZE[1], 2).unwrap().image;
        let Difference { mean, far } = compare("simulated-thread", &want, got);
        assert!(mean <= MEAN && far <= FAR, "{mean} {far}: not the moment that was shown");
    }
    let Difference { far, .. } = compare("simulated-motion", &pictures[0], &pictures[5]);
    assert!(far > 20.0 * FAR, "something moves: {far}");
}
