//! A copy of the present state on the device, to be drawn from there.
//!
//! A [`Shown`] is one moment, complete and of one time, that never changes: steps go on in other
//! arrays, and the next moment is shown in arrays that nobody holds any more. So one thread can step
//! and show while another one draws, without waiting for each other; the device does both in the order
//! in which they are submitted. Nothing is copied to the host.

pub mod kept;

use std::sync::{Arc, OnceLock};

use pliant_gpu::{Buffer, Gpu, GpuError, Kernel};

use super::GpuBackend;
use crate::model::Model;
use crate::stages::gpu::get_or_build;
use crate::stages::gpu::layout::{Layout, NONE, SLICE};
use crate::stages::measure::MeasureContext;
use crate::stages::measure::gpu::SIZES;
use crate::stages::skin::gpu::{SkinSlots, Skins};
use crate::stages::stress::gpu::Equivalents;
use kept::{FileField, Start};

/// What the values of a [`Shown`] are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantity {
    /// There are none.
    #[default]
    Nothing,
    /// Size of the net force on each vertex, without drags, pushes and walls \[N\].
    Force,
    /// Speed of each vertex \[m/s\].
    Speed,
    /// Equivalent stress of von Mises of each tetrahedron, and at each vertex the plain mean of its
    /// tetrahedra \[Pa\]; not a number at vertices without any.
    Stress,
    /// Distance of each vertex from where it was at the start \[m\].
    Displacement,
    /// The field of mesh files with this number among [`Model::field_names`]; not a number on bodies
    /// without it. Where only tetrahedra have it, vertices have the plain mean of theirs.
    Field(u32),
}

/// What of a model is drawn, by slot. It stays the same while the model runs.
#[derive(Clone, Debug)]
pub struct ShownShape {
    /// The body of each slice of 32 slots.
    pub slice_bodies: Vec<u32>,
    /// Corners of the visible surface, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Corners of the tetrahedra, in model order.
    pub tets: Vec<[u32; 4]>,
    /// Slots that have a vertex; the others are padding.
    pub vertices: Vec<u32>,
    /// Slots of vertices that are held in place.
    pub locked: Vec<u32>,
    /// The slot of each vertex in the user's order.
    pub slot_of_user: Vec<u32>,
    /// What is drawn where skins are shown in place of the bodies that carry them, if there are any.
    pub skinned: Option<Skinned>,
}

/// What is drawn of bodies some of which have skins, by slot.
#[derive(Clone, Debug, Default)]
pub struct Skinned {
    /// Corners of the surfaces that are seen.
    pub triangles: Vec<[u32; 3]>,
    /// Slots of vertices that are seen.
    pub vertices: Vec<u32>,
    /// Those that are held in place, of bodies without a skin.
    pub locked: Vec<u32>,
}

impl Skinned {
    fn new(model: &Model, places: &SkinSlots, bodies: &ShownShape) -> Self {
        let mut skinned = Self::default();
        let behind = (SLICE * bodies.slice_bodies.len()) as u32;
        let body_of = |slot: &u32| bodies.slice_bodies[*slot as usize / SLICE] as usize;
        let is_bare = |slot: &u32| model.bodies[body_of(slot)].skin.is_none();
        skinned.vertices.extend(bodies.vertices.iter().copied().filter(is_bare));
        skinned.locked.extend(bodies.locked.iter().copied().filter(is_bare));
        skinned.triangles.extend(bodies.triangles.iter().filter(|t| is_bare(&t[0])));
        for (body, first) in model.bodies.iter().zip(&places.first) {
            let (Some(skin), Some(first)) = (&body.skin, first) else { continue };
            let first = behind + first;
            skinned.vertices.extend(first..first + skin.anchors.len() as u32);
            skinned.triangles.extend(skin.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        skinned
    }
}

impl ShownShape {
    fn new(model: &Model, layout: &Layout) -> Self {
        let slot = |v: u32| layout.slot_of[v as usize];
        let locked = (0u32..).zip(&model.inv_mass).filter(|(_, w)| **w == 0.0);
        let mut slot_of_user = vec![0; model.vertex_count()];
        for (m, &user) in model.vertex_order.iter().enumerate() {
            slot_of_user[user as usize] = layout.slot_of[m];
        }
        let slots = (0u32..).zip(&layout.vertex_of);
        let mut shape = Self {
            slice_bodies: layout.slice_body.clone(),
            triangles: model.triangles.iter().map(|t| t.map(slot)).collect(),
            tets: layout.tets.clone(),
            vertices: slots.filter(|(_, v)| **v != NONE).map(|(slot, _)| slot).collect(),
            locked: locked.map(|(v, _)| slot(v)).collect(),
            slot_of_user,
            skinned: None,
        };
        let places = SkinSlots::new(model);
        if places.count() > 0 {
            shape.skinned = Some(Skinned::new(model, &places, &shape));
            shape.slice_bodies.extend(places.slice_bodies);
        }
        shape
    }
}

/// The arrays of a moment. As long as somebody holds them, they are not written to.
pub struct ShownArrays {
    /// By slot: x, y, z relative to the body's origin \[m\], and the mass \[kg\]; behind all vertices those of skins.
    pub positions: Buffer<[f32; 4]>,
    /// By slot, in the unit of the [`Quantity`].
    pub values: Buffer<f32>,
    /// By tetrahedron, where [`Shown::of_tets`] says so; else without meaning.
    pub tet_values: Buffer<f32>,
}

impl ShownArrays {
    fn new(gpu: &Gpu, slots: usize) -> Result<Self, GpuError> {
        Ok(Self {
            positions: gpu.zeros("shown positions", slots)?,
            values: gpu.zeros("shown values", slots)?,
            tet_values: gpu.zeros("shown tetrahedra", 0)?,
        })
    }

    fn bytes(&self) -> u64 {
        self.positions.bytes() + self.values.bytes() + self.tet_values.bytes()
    }
}

/// A vertex on the rubber band of a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Its slot.
    pub slot: u32,
    /// Where the hand wants it \[m\].
    pub goal: [f64; 3],
}

/// One moment of a simulation on its device, to be drawn from there. Clones are cheap and share it; keep
/// one until what draws from it has been submitted.
#[derive(Clone)]
pub struct Shown {
    /// What is drawn.
    pub shape: Arc<ShownShape>,
    /// Where, and in which colours.
    pub arrays: Arc<ShownArrays>,
    /// What the values are.
    pub quantity: Quantity,
    /// Whether tetrahedra have values of their own.
    pub of_tets: bool,
    /// Origins of the bodies at that moment \[m\].
    pub origins: Arc<[[f64; 3]]>,
    /// Vertices that hands hold.
    pub held: Arc<[Held]>,
    /// Complete steps so far.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
}

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { quantity, step, time, .. } = self;
        write!(f, "Shown {{ {quantity:?}, step {step}, t = {time} s }}")
    }
}

/// What showing needs, once it was asked for.
#[derive(Default)]
pub(super) struct Showing {
    shape: OnceLock<Arc<ShownShape>>,
    sizes: OnceLock<Kernel>,
    equivalents: OnceLock<Equivalents>,
    skins: OnceLock<Skins>,
    start: OnceLock<Start>,
    /// The field that was asked for last.
    field: Option<FileField>,
    /// All arrays that moments were shown in: as many as are held at a time, and one more.
    sets: Vec<Arc<ShownArrays>>,
}

impl Showing {
    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let sets: u64 = self.sets.iter().map(|s| s.bytes()).sum();
        sets + self.equivalents.get().map_or(0, Equivalents::bytes)
            + self.skins.get().map_or(0, Skins::bytes)
            + self.start.get().map_or(0, Start::bytes)
            + self.field.as_ref().map_or(0, FileField::bytes)
    }

    /// Arrays that nobody else holds, with so many slots and room for `tets` values.
    fn free(&mut self, gpu: &Gpu, slots: usize, tets: usize) -> Result<Arc<ShownArrays>, GpuError> {
        let free = self.sets.iter_mut().position(|set| Arc::get_mut(set).is_some());
        let at = match free {
            Some(at) => at,
            None => {
                self.sets.push(Arc::new(ShownArrays::new(gpu, slots)?));
                self.sets.len() - 1
            }
        };
        if let Some(set) = Arc::get_mut(&mut self.sets[at])
            && set.tet_values.len() < tets
        {
            set.tet_values = gpu.zeros("shown tetrahedra", tets)?;
        }
        Ok(Arc::clone(&self.sets[at]))
    }
}

impl GpuBackend {
    /// Copies the present positions, and computes the values of `quantity`, into arrays that stay as
    /// they are, and tells whether tetrahedra have values of their own: one submission, nothing comes to the host. The state must be known to be good, as it
    /// is whenever [`GpuBackend::advance`] is not under way.
    pub fn show(
        &mut self,
        model: &Model,
        context: &MeasureContext<'_>,
        quantity: Quantity,
    ) -> Result<(Arc<ShownShape>, Arc<ShownArrays>, bool), GpuError> {
        let shown = self.record_shown(model, context, quantity);
        if let Err(e) = &shown {
            self.note_failure(e);
        }
        shown
    }

    fn record_shown(
        &mut self,
        model: &Model,
        context: &MeasureContext<'_>,
        quantity: Quantity,
    ) -> Result<(Arc<ShownShape>, Arc<ShownArrays>, bool), GpuError> {
        self.gpu.check()?;
        self.take_field(model, quantity)?;
        let tets = match (quantity, &self.outputs.showing.field) {
            (Quantity::Stress, _) => self.sizes.tets,
            (Quantity::Field(_), Some(field)) => field.tets(),
            _ => 0,
        };
        let make = || Ok(Arc::new(ShownShape::new(model, &self.layout)));
        let shape = Arc::clone(get_or_build(&self.outputs.showing.shape, make)?);
        let slots = SLICE * shape.slice_bodies.len();
        let set = self.outputs.showing.free(&self.gpu, slots, tets)?;
        let showing = &self.outputs.showing;
        let skins = match &shape.skinned {
            None => None,
            Some(_) => Some(get_or_build(&showing.skins, || {
                let places = SkinSlots::new(model);
                Skins::new(&self.gpu, model, &places, &shape.slot_of_user, self.sizes.slots)
            })?),
        };
        // Kernels know their arrays' ends by their lengths, so that they do not write behind bodies.
        let values = skins.map_or(&set.values, |skins| &skins.of_bodies);
        let mut commands = self.gpu.commands("show");
        commands.copy(&self.arrays.position, &set.positions, self.sizes.slots);
        match quantity {
            Quantity::Nothing => {}
            Quantity::Force | Quantity::Speed => {
                let is_force = quantity == Quantity::Force;
                let forces = is_force || context.lag() > 0.0;
                let measure = self.record_present(&mut commands, context, forces)?;
                let vectors = if is_force { measure.net_force() } else { measure.velocity_now() };
                let kernel = get_or_build(&showing.sizes, || Kernel::new(&self.gpu, &SIZES))?;
                let group = kernel.bind(&self.gpu, &[vectors.into(), values.into()]);
                commands.run(kernel, &group, &[], values.len());
            }
            Quantity::Stress => {
                let make = || Equivalents::new(&self.gpu, &self.layout);
                let equivalents = get_or_build(&showing.equivalents, make)?;
                let stress = self.stress_buffers(model)?;
                let lengths = self.yielding.as_ref().map(|y| &y.lengths);
                stress.record(&self.gpu, &mut commands, &self.arrays, lengths);
                let tet_values = &set.tet_values;
                equivalents.record(&self.gpu, &mut commands, stress.buffer(), tet_values, values);
            }
            Quantity::Displacement => {
                let make = || Start::new(&self.gpu, model, &self.layout);
                let start = get_or_build(&showing.start, make)?;
                start.record(
                    &self.gpu,
                    &mut commands,
                    model,
                    context.origins,
                    &set.positions,
                    values,
                );
            }
            Quantity::Field(_) => {
                showing.field.iter().for_each(|field| field.record(&mut commands, &set, values));
            }
        }
        if let Some(skins) = skins {
            skins.record(&self.gpu, &mut commands, &set.positions, &set.values);
        }
        commands.submit();
        self.gpu.check()?;
        Ok((shape, set, tets > 0))
    }

    /// Puts a field on the device, unless it is there.
    fn take_field(&mut self, model: &Model, quantity: Quantity) -> Result<(), GpuError> {
        let Quantity::Field(number) = quantity else { return Ok(()) };
        let showing = &mut self.outputs.showing;
        if showing.field.as_ref().is_none_or(|f| f.number != number) {
            // The old one makes room first.
            showing.field = None;
            showing.field = Some(FileField::new(&self.gpu, model, &self.layout, number)?);
        }
        Ok(())
    }
}
