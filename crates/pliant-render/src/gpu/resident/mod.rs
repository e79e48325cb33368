//! Bodies of simulations whose arrays live on the device.

mod look;
mod topology;

#[cfg(test)]
mod tests;

use pliant_gpu::wgpu::{self, BindGroup, BindGroupDescriptor, BufferUsages};
use pliant_gpu::{Buffer, Gpu};

use super::GpuRenderError;
use super::clouds::{Clouds, Source};
use super::renderer::Renderer;
use super::scene::{entry, fill};
use crate::colour::Colour;
use crate::view::View;
use crate::volume::mesh::Mesh;
pub(super) use look::{BodyRecord, Look};
use topology::{Inside, Marks, Outside};

/// Slots that always belong to the same body; twin of `SLICE` in bodies.wgsl.
pub(super) const SLICE: usize = 32;

/// What of a simulation is drawn; it stays while the simulation runs. Vertices live in slots; 32 of
/// them in a row, a slice, always belong to the same body.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResidentShape<'a> {
    /// The body of each slice.
    pub slice_bodies: &'a [u32],
    /// Slots of the surface's triangles, anticlockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// Slots of the tetrahedra, for cuts; bodies may do without.
    pub tets: &'a [[u32; 4]],
    /// Slots that have a vertex.
    pub vertices: &'a [u32],
    /// Slots of vertices that are held in place.
    pub locked: &'a [u32],
}

/// One moment of a simulation. The buffers are usable as storage and on the renderer's device; they are
/// read when the picture is drawn.
#[derive(Clone, Copy, Debug)]
pub struct ResidentMoment<'a> {
    /// By slot: x, y, z relative to the body's origin \[m\] and something else, as `f32`.
    pub positions: &'a wgpu::Buffer,
    /// Numbers shown as colour, in the unit of the view's colouring.
    pub values: ResidentValues<'a>,
    /// The bodies, in the order of their colours.
    pub bodies: &'a [ResidentBody],
    /// Rubber bands of dragging hands.
    pub bands: &'a [ResidentBand],
}

/// Numbers that belong to bodies, as `f32`; those that are not numbers are shown as missing.
#[derive(Clone, Copy, Debug, Default)]
pub enum ResidentValues<'a> {
    /// There are none.
    #[default]
    None,
    /// One for each slot.
    Vertices(&'a wgpu::Buffer),
    /// One for each tetrahedron, which a cut shows as it is. Bodies without tetrahedra have none.
    Tets {
        /// The mean of those round each slot, which the surface shows.
        mean: &'a wgpu::Buffer,
        /// Of each tetrahedron.
        tets: &'a wgpu::Buffer,
    },
}

/// Where a body is, and how it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidentBody {
    /// What its positions are relative to, in world coordinates \[m\].
    pub origin: [f64; 3],
    /// Own colour, or one from the list of distinct ones.
    pub colour: Option<Colour>,
}

/// A rubber band from a vertex to where a hand wants it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidentBand {
    /// Slot of the vertex.
    pub slot: u32,
    /// Where it is drawn to, in world coordinates \[m\].
    pub hand: [f64; 3],
}

/// Bodies that are drawn from where they are computed, in all ways that a [`View`] knows. Nothing of
/// them comes to the host.
pub struct Resident {
    outside: Outside,
    marks: Marks,
    /// Made when something is cut for the first time.
    inside: Inside,
    look: Buffer<Look>,
    bodies: Buffer<BodyRecord>,
    bands: Buffer<[u32; 4]>,
    /// Made when bodies are looked into for the first time.
    clouds: Option<Clouds>,
    /// Whether they are looked into at present.
    is_cloudy: bool,
    pub(super) frame: Option<DrawnState>,
}

/// What is drawn of the moment that was last taken over.
pub(super) struct DrawnState {
    pub group: BindGroup,
    /// Three for each triangle.
    pub corners: u32,
    pub lines: u32,
    pub balls: u32,
}

impl Resident {
    /// Takes over what stays the same; nothing is drawn before [`Resident::update`].
    pub fn new(renderer: &Renderer, shape: &ResidentShape) -> Result<Self, GpuRenderError> {
        topology::check(shape)?;
        let gpu = renderer.gpu();
        let bodies = shape.slice_bodies.iter().max().map_or(0, |&last| last as usize + 1);
        Ok(Self {
            outside: Outside::new(gpu, shape)?,
            marks: Marks::new(gpu, shape)?,
            inside: Inside::new(gpu, shape)?,
            look: gpu.uniform("look", 1)?,
            bodies: gpu.zeros("drawn bodies", bodies)?,
            bands: gpu.zeros("bands", 8)?,
            clouds: None,
            is_cloudy: false,
            frame: None,
        })
    }

    /// Takes over a moment, to be drawn as `view` wants it in pictures whose coordinates are relative
    /// to `origin` \[m\]. It counts for everything that is submitted afterwards.
    pub fn update(
        &mut self,
        renderer: &Renderer,
        moment: &ResidentMoment,
        view: &View,
        origin: [f64; 3],
    ) -> Result<(), GpuRenderError> {
        self.frame = None;
        self.check(moment)?;
        let gpu = renderer.gpu();
        if view.cut.is_some() {
            self.inside.prepare(gpu, &self.outside)?;
        }
        self.update_clouds(renderer, moment, view, origin)?;
        let bodies = look::bodies(moment, view, origin, &self.inside.bodies, self.is_cloudy);
        self.bodies.write(0, &bodies);
        let bands = look::bands(moment.bands, origin);
        fill(&mut self.bands, &bands)?;
        let look = Look::new(view, origin, moment, &self.outside, &self.inside, &self.marks);
        self.look.write(0, &[look]);
        let (corners, lines, balls) = look.amounts(view, bands.len(), &self.outside, &self.inside);
        let group = self.bind(renderer, moment);
        gpu.check()?;
        self.frame = Some(DrawnState { group, corners, lines, balls });
        Ok(())
    }

    /// Looks into bodies that have tetrahedra, if the view wants it and there are values.
    fn update_clouds(
        &mut self,
        renderer: &Renderer,
        moment: &ResidentMoment,
        view: &View,
        origin: [f64; 3],
    ) -> Result<(), GpuRenderError> {
        let (values, tet_values) = match moment.values {
            ResidentValues::None => (None, None),
            ResidentValues::Vertices(values) => (Some(values), None),
            ResidentValues::Tets { tets, .. } => (None, Some(tets)),
        };
        let has_values = values.is_some() || tet_values.is_some();
        self.is_cloudy = view.volume.is_some() && has_values && self.inside.tet_count > 0;
        let Some(look) = view.volume.as_ref().filter(|_| self.is_cloudy) else { return Ok(()) };
        let clouds = match &mut self.clouds {
            Some(clouds) => clouds,
            empty => {
                let mesh = Mesh::of_tets(&self.inside.corners, self.outside.slots)?;
                empty.insert(Clouds::new(renderer.gpu(), &mesh, self.outside.slots, None)?)
            }
        };
        let source = Source {
            positions: moment.positions,
            values,
            tet_values,
            // It begins with the bodies of slices.
            slices: self.outside.buffer.raw(),
            bodies: self.bodies.raw(),
        };
        clouds.update(renderer, look, origin, &source)
    }

    /// What rays are cast through at present.
    pub(super) fn clouds(&self) -> Option<&Clouds> {
        self.clouds.as_ref().filter(|_| self.is_cloudy && self.frame.is_some())
    }

    fn bind(&self, renderer: &Renderer, moment: &ResidentMoment) -> BindGroup {
        // Where there are no values, something has to be bound nevertheless.
        let nothing = self.marks.buffer.raw();
        let (values, tet_values) = match moment.values {
            ResidentValues::None => (nothing, nothing),
            ResidentValues::Vertices(values) => (values, nothing),
            ResidentValues::Tets { mean, tets } => (mean, tets),
        };
        let buffers = [
            self.look.raw(),
            moment.positions,
            values,
            tet_values,
            self.outside.buffer.raw(),
            self.inside.buffer.raw(),
            self.bodies.raw(),
            self.marks.buffer.raw(),
            self.bands.raw(),
        ];
        let entries: Vec<_> = (0..).zip(buffers).map(|(i, buffer)| entry(i, buffer)).collect();
        renderer.gpu().device().create_bind_group(&BindGroupDescriptor {
            label: Some("resident bodies"),
            layout: &renderer.layouts.resident,
            entries: &entries,
        })
    }

    /// Refuses arrays that are too short or cannot be read by shaders.
    fn check(&self, moment: &ResidentMoment) -> Result<(), GpuRenderError> {
        let fail = |array, problem| Err(GpuRenderError::Resident { array, problem });
        let (slots, tets) = (self.outside.slots as u64, self.inside.tet_count as u64);
        let mut wanted = vec![("positions", moment.positions, 16 * slots)];
        match moment.values {
            ResidentValues::None => {}
            ResidentValues::Vertices(values) => wanted.push(("values", values, 4 * slots)),
            ResidentValues::Tets { mean, tets: of_tets } => {
                wanted.extend([("values", mean, 4 * slots), ("tets' values", of_tets, 4 * tets)]);
            }
        }
        for (array, buffer, bytes) in wanted {
            if !buffer.usage().contains(BufferUsages::STORAGE) {
                let problem = "shaders cannot read it; make it with BufferUsages::STORAGE";
                return fail(array, problem.into());
            } else if buffer.size() < bytes {
                let size = buffer.size();
                return fail(array, format!("it has {size} bytes of the {bytes} that are needed"));
            }
        }
        if moment.bodies.len() != self.bodies.len() {
            let (given, wanted) = (moment.bodies.len(), self.bodies.len());
            return fail("bodies", format!("{given} are given for {wanted}"));
        }
        match moment.bands.iter().find(|band| u64::from(band.slot) >= slots) {
            Some(band) => fail("bands", format!("there is no slot {} of {slots}", band.slot)),
            None => Ok(()),
        }
    }
}

/// A buffer of words that may be of any number.
fn words(gpu: &Gpu, label: &str, words: &[u32]) -> Result<Buffer<u32>, GpuRenderError> {
    Ok(gpu.storage(label, words)?)
}
