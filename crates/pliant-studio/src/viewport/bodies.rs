//! Bodies that are drawn from where they are computed, without a copy to the host.

use std::sync::Arc;

use pliant_render::Colouring;
use pliant_render::gpu::{
    GpuRenderError, Renderer, Resident, ResidentBand, ResidentBody, ResidentMoment, ResidentShape,
    ResidentValues,
};
use pliant_sim::backend::gpu::shown::{Quantity, Shown, ShownShape};
use pliant_sim::scene::PictureColour;

use super::screen::Drawing;

/// What a renderer keeps of a simulation on its device.
#[derive(Default)]
pub struct Bodies {
    kept: Option<(Arc<ShownShape>, Resident)>,
    /// The moment that is drawn; nobody writes into its arrays while it is held.
    moment: Option<Shown>,
}

impl Bodies {
    /// What a renderer draws, if something was taken over.
    pub fn resident(&self) -> Option<&Resident> {
        self.kept.as_ref().map(|(_, resident)| resident)
    }

    /// Takes over the moment of a drawing, if it is on the device.
    pub fn take_over(
        &mut self,
        renderer: &Renderer,
        drawing: &Drawing<'_>,
    ) -> Result<(), GpuRenderError> {
        let Some(shown) = drawing.shown else {
            (self.kept, self.moment) = (None, None);
            return Ok(());
        };
        if self.kept.as_ref().is_none_or(|(shape, _)| !Arc::ptr_eq(shape, &shown.shape)) {
            self.kept = Some((shown.shape.clone(), Resident::new(renderer, &shape(&shown.shape))?));
        }
        let Some((_, resident)) = &mut self.kept else { return Ok(()) };
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
        Ok(())
    }
}

fn shape(shape: &ShownShape) -> ResidentShape<'_> {
    ResidentShape {
        slice_bodies: &shape.slice_bodies,
        triangles: &shape.triangles,
        tets: &shape.tets,
        vertices: &shape.vertices,
        locked: &shape.locked,
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

/// What a device has to compute for colours; `fields` are the names of what mesh files brought along.
pub fn quantity(colour: &PictureColour, fields: &[String]) -> Quantity {
    match colour {
        PictureColour::Body | PictureColour::Plain => Quantity::Nothing,
        PictureColour::Force => Quantity::Force,
        PictureColour::Stress => Quantity::Stress,
        PictureColour::Speed => Quantity::Speed,
        PictureColour::Displacement => Quantity::Displacement,
        PictureColour::Field(name) => {
            let number = fields.iter().position(|field| field == name);
            number.map_or(Quantity::Nothing, |number| Quantity::Field(number as u32))
        }
    }
}
