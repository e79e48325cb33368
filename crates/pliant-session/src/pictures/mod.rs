//! Frames as pictures: what is drawn of a scene, from where, and what its colours mean.
//!
//! Camera and colours are settled once, from the scene, so that all pictures of a run can be compared. A
//! frame that is on the host is drawn by the processor, and one that stayed on a device by that device.

mod arrows;
mod colliders;
#[cfg(feature = "gpu")]
pub mod device;
#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
mod offscreen;
mod pick;
pub mod scale;
pub mod shot;
mod skins;
#[cfg(test)]
mod tests;
mod topology;
pub mod volume;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use pliant_render::{
    Arrow, Band, Bounds, Colouring, Geometry as Drawn, Image, Push, RenderError, RigidSurface,
    Values, View, cpu,
};
use pliant_sim::Simulator;
#[cfg(feature = "gpu")]
use pliant_sim::backend::gpu::shown::Quantity;
use pliant_sim::model::{Field, FieldOn};
use pliant_sim::scene::{Picture, PictureColour, PictureVolume};
use pliant_sim::stages::touch::Touch;

use colliders::Colliders;
pub use pick::Hit;
use skins::Carried;
use topology::{BodyTopology, parts};
use volume::Inside;

use crate::frame::{displacements, start};
use crate::{Fields, Frame};

/// Where things are looked for if there is nothing to see \[m\].
const NOWHERE: Bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };

/// Numbers of a frame that are looked at for a histogram.
const MOST_COUNTED: usize = 200_000;

/// Why there is no picture of a frame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PaintError {
    /// What there is to draw makes no sense.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The device that has the bodies did not draw them.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] pliant_render::gpu::GpuRenderError),
}

/// Draws the frames of a run.
#[derive(Clone, Debug)]
pub struct Painter {
    /// Camera, colours, light; may be changed between pictures.
    pub view: View,
    /// Shared by clones, of which a film has one for every frame.
    bodies: Arc<[BodyTopology]>,
    colliders: Arc<Colliders>,
    /// Where vertices are at the start.
    start: Arc<[[f32; 3]]>,
    /// Names of what mesh files brought along, as the model numbers them.
    #[cfg(feature = "gpu")]
    field_names: Arc<[String]>,
    colour: PictureColour,
    volume: Option<PictureVolume>,
    inside: Inside,
    /// The box round all places where bodies are likely to be \[m\].
    expected: Option<Bounds>,
    /// Where scales of what is measured end that know only the scene.
    tops: [f32; PictureColour::ALL.len()],
    /// Whether what touches is marked.
    shows_contacts: bool,
    /// Whether arrows show the wind.
    shows_wind: bool,
    /// Whether bodies are shown in place of their skins.
    shows_cages: bool,
    /// What renderers keep from picture to picture.
    kept: Arc<Kept>,
    threads: usize,
}

/// What renderers keep.
#[derive(Default)]
struct Kept {
    cpu: Mutex<cpu::Renderer>,
    #[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
    device: Mutex<Option<offscreen::DevicePictures>>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

/// The numbers that are shown of a frame.
enum Numbers<'a> {
    /// There are none.
    None,
    /// One for each vertex of the frame.
    Vertices(Cow<'a, [f32]>),
    /// One for each tetrahedron of the frame.
    Tets(Cow<'a, [f32]>),
    /// Those that bodies have in a field of this name.
    Field(&'a str),
}

impl<'a> Numbers<'a> {
    /// Those of one body. Cloth has no tetrahedra, and so no values of them.
    fn of(&'a self, part: &'a BodyTopology) -> Values<'a> {
        match self {
            Numbers::None => Values::None,
            Numbers::Vertices(all) => {
                all.get(part.vertices.clone()).map_or(Values::None, Values::Vertices)
            }
            Numbers::Tets(_) if part.tets.is_empty() => Values::None,
            Numbers::Tets(all) => all.get(part.tets.clone()).map_or(Values::None, Values::Tets),
            Numbers::Field(name) => match part.fields.iter().find(|f| f.name == *name) {
                None => Values::None,
                Some(Field { on: FieldOn::Vertices, values, .. }) => Values::Vertices(values),
                Some(Field { on: FieldOn::Tets, values, .. }) => Values::Tets(values),
            },
        }
    }
}

impl Painter {
    /// A painter for the scene of `sim`, with camera and colours as `picture` says. The camera is
    /// meant for pictures of the shape of `picture.size`.
    pub fn new(sim: &Simulator, picture: &Picture) -> Self {
        let picture = &*volume::with_values(picture, sim.model());
        let camera = shot::camera(sim, picture);
        let view = View { colouring: scale::colouring(sim, picture), ..View::new(camera) };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let around = shot::bounds_to_show(sim).unwrap_or(NOWHERE);
        let colliders = Colliders::new(&sim.scene().colliders, &sim.model().given, around);
        let mut painter = Self {
            view,
            bodies: parts(sim.model()).into(),
            colliders: Arc::new(colliders),
            start: start(sim.model()).into(),
            #[cfg(feature = "gpu")]
            field_names: sim.model().field_names().into_iter().map(str::to_owned).collect(),
            colour: picture.colour.clone(),
            volume: picture.volume.clone(),
            inside: inside(sim),
            expected: shot::expected_bounds(sim),
            tops: scale::tops(sim),
            shows_contacts: picture.contacts,
            shows_wind: picture.wind,
            shows_cages: picture.cages,
            kept: Arc::default(),
            threads,
        };
        painter.look_inside();
        painter
    }

    /// The fields that frames must have.
    pub fn fields(&self) -> Fields {
        Fields {
            motion: matches!(self.colour, PictureColour::Force | PictureColour::Speed),
            stress: self.colour == PictureColour::Stress,
            contact: self.shows_contacts || self.colour == PictureColour::Contact,
        }
    }

    /// What a device must compute so that frames can be drawn there; nothing if they must come to the
    /// host.
    #[cfg(feature = "gpu")]
    pub fn quantity(&self) -> Option<Quantity> {
        if self.shows_contacts {
            return None;
        }
        match &self.colour {
            PictureColour::Body | PictureColour::Plain => Some(Quantity::Nothing),
            PictureColour::Force => Some(Quantity::Force),
            PictureColour::Contact => None,
            PictureColour::Stress => Some(Quantity::Stress),
            PictureColour::Speed => Some(Quantity::Speed),
            PictureColour::Displacement => Some(Quantity::Displacement),
            PictureColour::Field(name) => self.field_number(name).map(Quantity::Field),
        }
    }

    /// The number of a field among [`Model::field_names`] if all bodies have it: those without are grey,
    /// which a device cannot tell from a missing number.
    #[cfg(feature = "gpu")]
    fn field_number(&self, name: &str) -> Option<u32> {
        let has_it = |part: &BodyTopology| part.fields.iter().any(|field| field.name == name);
        let number = self.field_names.iter().position(|field| field == name)?;
        self.bodies.iter().all(has_it).then_some(number as u32)
    }

    /// Sets the range of colours to what there is in `frame`, but for a few outliers; if there is nothing
    /// but rounding, to what suits the scene.
    pub fn fit_range(&mut self, frame: &Frame) {
        let numbers = self.numbers(frame);
        let range = match &numbers {
            Numbers::Field(_) => scale::field_range(self.extent(&numbers)),
            numbers => {
                let values = self.bodies.iter().flat_map(|part| numbers.of(part).as_slice());
                let number = PictureColour::ALL.iter().position(|c| *c == self.colour);
                let usual = number.map_or(1.0, |number| self.tops[number]);
                scale::fitted(&values.copied().collect::<Vec<f32>>(), usual)
            }
        };
        scale::set_range(&mut self.view.colouring, range);
        self.look_inside();
    }

    /// Shows the inside of bodies from now on, or no longer.
    pub fn set_volume(&mut self, volume: Option<PictureVolume>) {
        self.volume = volume;
        self.look_inside();
    }

    /// What is known of the bodies that are looked into.
    pub fn inside(&self) -> Inside {
        self.inside
    }

    /// How many of the numbers that are shown of a frame lie in each of `count` equal parts of the range
    /// of colours. Of very many numbers only some are looked at.
    pub fn histogram(&self, frame: &Frame, count: usize) -> Vec<u32> {
        let mut counts = vec![0; count];
        let Some(scale) = self.view.colouring.scale().filter(|_| count > 0) else { return counts };
        let numbers = self.numbers(frame);
        let values = || self.bodies.iter().map(|part| numbers.of(part).as_slice());
        let stride = (values().map(<[f32]>::len).sum::<usize>() / MOST_COUNTED).max(1);
        for value in values().flatten().step_by(stride).filter(|v| v.is_finite()) {
            let at = (scale.place(*value) * count as f32) as usize;
            counts[at.min(count - 1)] += 1;
        }
        counts
    }

    /// Takes over what the inside looks like, for the present range of values.
    fn look_inside(&mut self) {
        let scale = self.view.colouring.scale();
        let look = |(wish, scale)| self.inside.look(wish, &self.colour, &scale);
        self.view.volume = self.volume.as_ref().zip(scale).map(look);
    }

    /// Draws a frame: where it is, on the host or on a device. A browser lets nobody wait for the latter, and
    /// such a picture has no bodies there.
    pub fn paint(&self, frame: &Frame, [width, height]: [u32; 2]) -> Result<Image, PaintError> {
        #[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
        if let Some(shown) = &frame.shown {
            return self.paint_on_device(frame, shown.arrays.positions.gpu(), [width, height]);
        }
        self.with_geometry(frame, |drawn| {
            let mut renderer = self.kept.cpu.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(renderer.render(drawn, &self.view, width, height, self.threads)?.image)
        })
    }

    /// Draws a frame on the device that has its bodies.
    #[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
    fn paint_on_device(
        &self,
        frame: &Frame,
        gpu: &pliant_gpu::Gpu,
        size: [u32; 2],
    ) -> Result<Image, PaintError> {
        let mut kept = self.kept.device.lock().unwrap_or_else(PoisonError::into_inner);
        let pictures = match kept.take().filter(|pictures| pictures.is_on(gpu)) {
            Some(pictures) => pictures,
            None => offscreen::DevicePictures::new(gpu)?,
        };
        let pictures = kept.insert(pictures);
        Ok(self.with_drawing(frame, |drawing| pictures.paint(drawing, size))?)
    }

    /// Hands what there is in a frame to `draw`, wherever its bodies are.
    #[cfg(feature = "gpu")]
    pub fn with_drawing<R>(
        &self,
        frame: &Frame,
        draw: impl FnOnce(&device::Drawing<'_>) -> R,
    ) -> R {
        let bounds = self.bounds(frame).or(self.expected).unwrap_or(NOWHERE);
        self.with_geometry(frame, |geometry| {
            let (view, shown) = (&self.view, frame.shown.as_ref());
            draw(&device::Drawing { geometry, view, shown, bounds, has_skins: self.shows_skins() })
        })
    }

    /// Hands what there is in a frame to `draw`, for whoever draws it in another way.
    pub fn with_geometry<R>(&self, frame: &Frame, draw: impl FnOnce(&Drawn<'_>) -> R) -> R {
        let (bands, pushes) = touches(frame);
        let (numbers, arrows) = (self.numbers(frame), self.arrows(frame));
        let shapes = self.colliders.shapes_in(frame);
        let skins = self.skins(frame, &numbers);
        let drawn = self.drawn(frame, &numbers, &skins, (&bands, &pushes), &shapes);
        draw(&Drawn { arrows: &arrows, ..drawn })
    }

    /// Marks what touches from now on, or no longer.
    pub fn set_contacts(&mut self, are_shown: bool) {
        self.shows_contacts = are_shown;
    }

    /// Whether arrows show the wind.
    pub fn set_wind(&mut self, is_shown: bool) {
        self.shows_wind = is_shown;
    }

    /// The forces of contact of a frame and the wind, if they are to be seen.
    fn arrows(&self, frame: &Frame) -> Vec<Arrow> {
        let number = PictureColour::ALL.iter().position(|c| *c == PictureColour::Contact);
        let mut arrows = match number.filter(|_| self.shows_contacts) {
            Some(number) => arrows::of(frame, self.tops[number], self.inside.across as f32),
            None => Vec::new(),
        };
        if let Some(wind) = frame.wind.filter(|_| self.shows_wind) {
            arrows.extend(arrows::of_wind(wind, &self.start));
        }
        arrows
    }

    /// Shows something else from now on.
    pub fn set_colouring(&mut self, colour: PictureColour, colouring: Colouring) {
        self.colour = colour;
        self.view.colouring = colouring;
        self.look_inside();
    }

    /// What colours mean.
    pub fn colour(&self) -> &PictureColour {
        &self.colour
    }

    /// The box round all bodies of a frame that are on the host \[m\].
    pub fn bounds(&self, frame: &Frame) -> Option<Bounds> {
        self.drawn(frame, &Numbers::None, &[], (&[], &[]), &[]).bounds()
    }

    /// The box round all that a picture of a frame should show \[m\]: bodies that are on the host, and
    /// colliders that have an end.
    pub fn bounds_to_show(&self, frame: &Frame) -> Option<Bounds> {
        let shapes = self.colliders.shapes_in(frame);
        let obstacles = self.colliders.seen_in(frame, &shapes);
        obstacles.iter().filter_map(|o| o.bounds()).chain(self.bounds(frame)).reduce(Bounds::union)
    }

    /// The numbers that are shown as colours.
    fn numbers<'a>(&'a self, frame: &'a Frame) -> Numbers<'a> {
        let length = |v: &[f32; 3]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        match &self.colour {
            PictureColour::Body | PictureColour::Plain => Numbers::None,
            PictureColour::Force => Numbers::Vertices(Cow::Borrowed(&frame.forces)),
            PictureColour::Contact => {
                Numbers::Vertices(frame.contact_forces.iter().map(length).collect())
            }
            PictureColour::Stress => Numbers::Tets(Cow::Borrowed(&frame.von_mises)),
            PictureColour::Speed => {
                Numbers::Vertices(frame.velocities.iter().map(length).collect())
            }
            PictureColour::Displacement => {
                Numbers::Vertices(displacements(&frame.positions, &self.start).into())
            }
            PictureColour::Field(name) => Numbers::Field(name),
        }
    }

    /// Least and greatest of the numbers that are shown of a frame, if there are any.
    pub fn extent_of(&self, frame: &Frame) -> Option<[f32; 2]> {
        self.extent(&self.numbers(frame))
    }

    /// Least and greatest finite number on all bodies.
    fn extent(&self, numbers: &Numbers<'_>) -> Option<[f32; 2]> {
        let values = self.bodies.iter().flat_map(|part| numbers.of(part).as_slice());
        let finite = values.filter(|v| v.is_finite()).map(|&v| [v, v]);
        finite.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }

    fn drawn<'a>(
        &'a self,
        frame: &'a Frame,
        numbers: &'a Numbers<'a>,
        skins: &'a [Option<Carried>],
        (bands, pushes): (&'a [Band], &'a [Push]),
        shapes: &'a [Option<RigidSurface>],
    ) -> Drawn<'a> {
        let body = |(number, part): (usize, &'a BodyTopology)| {
            part.drawn(frame, numbers, skins.get(number).and_then(Option::as_ref))
        };
        let walls = frame.walls.map(|[min, max]| Bounds { min, max });
        // A frame that stays on a device has no bodies here.
        let is_here = !frame.positions.is_empty();
        let here = if is_here { &self.bodies[..] } else { &[] };
        Drawn {
            origin: [0.0; 3],
            bodies: here.iter().enumerate().map(body).collect(),
            obstacles: self.colliders.seen_in(frame, shapes),
            world_box: walls,
            ground: walls.map(|b| b.min[2]),
            bands,
            pushes,
            arrows: &[],
        }
    }
}

/// What is known of the bodies of a simulation.
fn inside(sim: &Simulator) -> Inside {
    let bodies = sim.model().bodies.iter().filter(|b| !b.tets.is_empty());
    let diagonal = bodies.map(|b| b.size).fold(0.0, f64::max);
    let bounds = shot::start_bounds(sim);
    Inside {
        across: if diagonal > 0.0 { diagonal / 3f64.sqrt() } else { 1.0 },
        middle: bounds.map_or([0.0; 3], |b| b.centre()),
    }
}

/// What hands do in a frame: rubber bands and cylinders.
fn touches(frame: &Frame) -> (Vec<Band>, Vec<Push>) {
    let (mut bands, mut pushes) = (Vec::new(), Vec::new());
    for touch in &frame.touches {
        match touch {
            Touch::Drag(drag) => {
                let goals = drag
                    .offsets
                    .iter()
                    .map(|o| std::array::from_fn(|k| (drag.hand[k] + o[k]) as f32));
                let held = drag.vertices.iter().zip(goals);
                bands.extend(held.filter_map(|(&v, hand)| {
                    Some(Band { point: *frame.positions.get(v as usize)?, hand })
                }));
            }
            Touch::Push(push) => pushes.push(Push {
                origin: push.origin.map(|c| c as f32),
                direction: push.direction.map(|c| c as f32),
                radius: push.radius as f32,
            }),
            // What is held is seen to move.
            Touch::Carry(_) => {}
        }
    }
    (bands, pushes)
}
