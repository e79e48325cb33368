//! Frames as pictures: what is drawn of a scene, from where, and what its colours mean.
//!
//! Camera and colours are settled once, from the scene, so that all pictures of a run can be compared.

mod pick;
pub mod scale;
pub mod shot;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use pliant_mesh::Mesh;
use pliant_render::{
    Band, Body, Bounds, Colouring, Geometry as Drawn, Image, Push, RenderError, Values, View, cpu,
};
use pliant_sim::scene::{Picture, PictureColour};
use pliant_sim::stages::touch::Touch;
use pliant_sim::{Model, Simulator};

pub use pick::Hit;

use crate::{Fields, Frame};

/// Draws the frames of a run.
#[derive(Clone, Debug)]
pub struct Painter {
    /// Camera, colours, light; may be changed between pictures.
    pub view: View,
    /// Shared by clones, of which a film has one for every frame.
    bodies: Arc<[Part]>,
    colour: PictureColour,
    threads: usize,
}

/// What is the same in all frames of a body, numbered from its first vertex.
#[derive(Clone, Debug)]
struct Part {
    vertices: Range<usize>,
    tets: Range<usize>,
    tet_corners: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
    locked: Vec<u32>,
}

impl Painter {
    /// A painter for the scene of `sim`, with camera and colours as `picture` says. The camera is
    /// meant for pictures of the shape of `picture.size`.
    pub fn new(sim: &Simulator, picture: &Picture) -> Self {
        let camera = shot::camera(sim, picture);
        let view = View { colouring: scale::colouring(sim, picture), ..View::new(camera) };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { view, bodies: parts(sim.model()).into(), colour: picture.colour, threads }
    }

    /// The fields that frames must have.
    pub fn fields(&self) -> Fields {
        Fields {
            motion: matches!(self.colour, PictureColour::Force | PictureColour::Speed),
            stress: self.colour == PictureColour::Stress,
        }
    }

    /// Sets the range of colours to what there is in `frame`, but for a few outliers.
    pub fn fit_range(&mut self, frame: &Frame) {
        let top = scale::usual_top(&self.values(frame));
        scale::set_range(&mut self.view.colouring, [0.0, top]);
    }

    /// Draws a frame.
    pub fn paint(&self, frame: &Frame, [width, height]: [u32; 2]) -> Result<Image, RenderError> {
        self.with_geometry(frame, |drawn| {
            Ok(cpu::render(drawn, &self.view, width, height, self.threads)?.image)
        })
    }

    /// Gives what there is in a frame to `draw`, for whoever draws it in another way.
    pub fn with_geometry<R>(&self, frame: &Frame, draw: impl FnOnce(&Drawn<'_>) -> R) -> R {
        let (bands, pushes) = touches(frame);
        let values = self.values(frame);
        draw(&self.drawn(frame, &values, &bands, &pushes))
    }

    /// Shows something else from now on.
    pub fn set_colouring(&mut self, colour: PictureColour, colouring: Colouring) {
        self.colour = colour;
        self.view.colouring = colouring;
    }

    /// What colours mean.
    pub fn colour(&self) -> PictureColour {
        self.colour
    }

    /// The box round all bodies of a frame \[m\].
    pub fn bounds(&self, frame: &Frame) -> Option<Bounds> {
        self.drawn(frame, &[], &[], &[]).bounds()
    }

    /// The numbers that are shown as colours: one for each vertex or tetrahedron, or none.
    fn values(&self, frame: &Frame) -> Vec<f32> {
        let length = |v: &[f32; 3]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        match self.colour {
            PictureColour::Body | PictureColour::Plain => Vec::new(),
            PictureColour::Force => frame.forces.clone(),
            PictureColour::Stress => frame.von_mises.clone(),
            PictureColour::Speed => frame.velocities.iter().map(length).collect(),
        }
    }

    /// The visible surface of all bodies in a frame, as a mesh.
    pub fn surface(&self, frame: &Frame) -> Mesh {
        let mut mesh = Mesh::default();
        for part in self.bodies.iter() {
            let first = mesh.points.len() as u32;
            let positions = frame.positions.get(part.vertices.clone()).unwrap_or_default();
            mesh.points.extend(positions.iter().map(|p| p.map(f64::from)));
            mesh.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        mesh
    }

    fn drawn<'a>(
        &'a self,
        frame: &'a Frame,
        values: &'a [f32],
        bands: &'a [Band],
        pushes: &'a [Push],
    ) -> Drawn<'a> {
        let is_stress = matches!(self.view.colouring, Colouring::Stress { .. });
        let body = |part: &'a Part| Body {
            positions: &frame.positions[part.vertices.clone()],
            triangles: &part.triangles,
            tets: &part.tet_corners,
            values: match is_stress {
                // Cloth has no tetrahedra, and so no stress.
                true if part.tets.is_empty() => Values::None,
                true => values.get(part.tets.clone()).map_or(Values::None, Values::Tets),
                false => values.get(part.vertices.clone()).map_or(Values::None, Values::Vertices),
            },
            colour: None,
            locked: &part.locked,
        };
        let walls = frame.walls.map(|[min, max]| Bounds { min, max });
        // A frame that stays on a device has no bodies here.
        let is_here = !frame.positions.is_empty();
        let here = if is_here { &self.bodies[..] } else { &[] };
        Drawn {
            origin: [0.0; 3],
            bodies: here.iter().map(body).collect(),
            world_box: walls,
            ground: walls.map(|b| b.min[2]),
            bands,
            pushes,
        }
    }
}

/// The bodies of a model. Each has its vertices and tetrahedra in one piece, in any numbering.
fn parts(model: &Model) -> Vec<Part> {
    let user = |v: u32| model.vertex_order[v as usize];
    let mut tets = vec![[0; 4]; model.tets.len()];
    for (t, tet) in model.tets.iter().enumerate() {
        tets[model.tet_order[t] as usize] = tet.map(user);
    }
    let range = |r: &Range<u32>| r.start as usize..r.end as usize;
    let part = |body: &pliant_sim::model::BodyModel| {
        let own = |v: u32| v - body.vertices.start;
        let is_locked = |v: &u32| model.inv_mass[*v as usize] == 0.0;
        let triangles = &model.triangles[range(&body.triangles)];
        Part {
            vertices: range(&body.vertices),
            tets: range(&body.tets),
            tet_corners: tets[range(&body.tets)].iter().map(|t| t.map(own)).collect(),
            triangles: triangles.iter().map(|t| t.map(|v| own(user(v)))).collect(),
            locked: body.vertices.clone().filter(is_locked).map(|v| own(user(v))).collect(),
        }
    };
    model.bodies.iter().map(part).collect()
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
        }
    }
    (bands, pushes)
}
