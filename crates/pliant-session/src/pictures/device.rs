//! Frames whose bodies are only on a device: they are drawn there, from the simulation's own buffers, and
//! nothing but the finished picture comes to the host.

use std::sync::Arc;

use pliant_gpu::Gpu;
use pliant_render::gpu::{
    GpuRenderError, Renderer, Resident, ResidentBand, ResidentBody, ResidentMoment, ResidentShape,
    ResidentValues,
};
use pliant_render::{Bounds, Colouring, DrawList, Geometry, Projection, View};
use pliant_sim::backend::gpu::shown::{Quantity, Shown, ShownShape, Skinned};

/// What there is in a frame, for a renderer.
pub struct Drawing<'a> {
    /// What is on the host: everything, or all but the bodies.
    pub geometry: &'a Geometry<'a>,
    /// How it is drawn.
    pub view: &'a View,
    /// Bodies that are on a device.
    pub shown: Option<&'a Shown>,
    /// The box round what is on the device \[m\].
    pub bounds: Bounds,
    /// Whether skins are shown in place of the bodies that carry them.
    pub has_skins: bool,
}

impl Drawing<'_> {
    /// Whether its bodies are where `gpu` cannot draw them from.
    pub fn is_elsewhere(&self, gpu: &Gpu) -> bool {
        self.shown.is_some_and(|s| s.arrays.positions.gpu().device() != gpu.device())
    }

    /// What is drawn of what is on the host.
    fn list(&self, projection: &Projection) -> Result<DrawList, GpuRenderError> {
        let &Drawing { geometry, view, shown, bounds, .. } = self;
        Ok(match shown {
            Some(_) => DrawList::around(geometry, view, projection, bounds)?,
            None => DrawList::new(geometry, view, projection)?,
        })
    }
}

/// Bodies of a simulation, as a renderer has them.
struct Kept {
    shape: Arc<ShownShape>,
    has_skins: bool,
    resident: Resident,
}

/// What a renderer keeps of a simulation on its device.
#[derive(Default)]
pub struct DeviceBodies {
    kept: Option<Kept>,
    /// The moment that is drawn; nobody writes into its arrays while it is held.
    moment: Option<Shown>,
}

impl DeviceBodies {
    /// What a renderer draws, if something was taken over.
    pub fn resident(&self) -> Option<&Resident> {
        self.kept.as_ref().map(|kept| &kept.resident)
    }

    /// Takes over the bodies of a drawing, if they are on the renderer's device, and lists the rest.
    pub fn take_over(
        &mut self,
        renderer: &Renderer,
        drawing: &Drawing<'_>,
        projection: &Projection,
    ) -> Result<DrawList, GpuRenderError> {
        let list = drawing.list(projection)?;
        let Some(shown) = drawing.shown else {
            (self.kept, self.moment) = (None, None);
            return Ok(list);
        };
        let has_skins = drawing.has_skins;
        let is_same =
            |kept: &Kept| Arc::ptr_eq(&kept.shape, &shown.shape) && kept.has_skins == has_skins;
        if !self.kept.as_ref().is_some_and(is_same) {
            let resident = Resident::new(renderer, &shape(&shown.shape, has_skins))?;
            self.kept = Some(Kept { shape: shown.shape.clone(), has_skins, resident });
        }
        let Some(Kept { resident, .. }) = &mut self.kept else { return Ok(list) };
        let bodies: Vec<ResidentBody> =
            shown.origins.iter().map(|&origin| ResidentBody { origin, colour: None }).collect();
        let bands: Vec<ResidentBand> =
            shown.held.iter().map(|h| ResidentBand { slot: h.slot, hand: h.goal }).collect();
        let moment = ResidentMoment {
            positions: shown.arrays.positions.raw(),
            values: values(shown, &drawing.view.colouring),
            bodies: &bodies,
            bands: &bands,
        };
        resident.update(renderer, &moment, drawing.view, drawing.geometry.origin)?;
        self.moment = Some(shown.clone());
        Ok(list)
    }
}

fn shape(shape: &ShownShape, has_skins: bool) -> ResidentShape<'_> {
    let bodies = ResidentShape {
        slice_bodies: &shape.slice_bodies,
        triangles: &shape.triangles,
        tets: &shape.tets,
        vertices: &shape.vertices,
        locked: &shape.locked,
    };
    match shape.skinned.as_ref().filter(|_| has_skins) {
        None => bodies,
        Some(Skinned { triangles, vertices, locked }) => {
            ResidentShape { triangles, vertices, locked, ..bodies }
        }
    }
}

/// The numbers for colours. Just after another colouring was chosen they are still of the one before,
/// and then there are none.
fn values<'a>(shown: &'a Shown, colouring: &Colouring) -> ResidentValues<'a> {
    let (values, tets) = (shown.arrays.values.raw(), shown.arrays.tet_values.raw());
    match (shown.quantity, colouring) {
        (Quantity::Force, Colouring::Force { .. }) | (Quantity::Speed, Colouring::Speed { .. }) => {
            ResidentValues::Vertices(values)
        }
        (Quantity::Stress, Colouring::Stress { .. }) => ResidentValues::Tets { mean: values, tets },
        // Of fields, there is no telling: for a moment another one may be shown.
        (Quantity::Displacement | Quantity::Field(_), Colouring::Field { .. }) => {
            match shown.of_tets {
                true => ResidentValues::Tets { mean: values, tets },
                false => ResidentValues::Vertices(values),
            }
        }
        _ => ResidentValues::None,
    }
}
