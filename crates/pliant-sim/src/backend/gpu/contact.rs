//! Contact between bodies: laid out when there is any, and told about when somebody asks.

use pliant_gpu::GpuError;

use super::{GpuBackend, Saved};
use crate::backend::Trouble;
use crate::model::Model;
use crate::scene::World;
use crate::stages::contact::gpu::Contacts;
use crate::stages::contact::{Anchor, ContactReport, Touching};
use crate::step::Stage;

/// Why a substep could not be completed.
pub(super) enum Stalled {
    /// The search of an implicit step needs more cycles.
    Cycles,
    /// Contact needs room for so many pairs, or a search where none was recorded.
    Contact {
        /// 0 for a search.
        wanted: u32,
    },
}

impl Begun {
    /// Whether a stage is the one that could not go on, so many evaluations of contact into its substep.
    pub fn is_at(self, stage: Stage, evaluations: u32) -> bool {
        match self {
            Self::Implicit => stage == Stage::Implicit,
            Self::Contact(evaluation) => stage == Stage::Contact && evaluations == evaluation,
        }
    }
}

/// What of a substep was done before it stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// Everything before its implicit step, and some cycles of that.
    Implicit,
    /// Everything before this evaluation of contact.
    Contact(u32),
}

impl Saved {
    /// Makes room for what contacts hold on to, if there are any.
    pub(super) fn prepare_contact(&mut self, contact: Option<&Contacts>) -> Result<(), GpuError> {
        self.contact = match (contact, self.contact.take()) {
            (None, _) => None,
            (Some(contact), Some(kept)) if contact.fits(&kept) => Some(kept),
            (Some(contact), _) => Some(contact.saved()?),
        };
        Ok(())
    }
}

impl GpuBackend {
    /// Lays out surfaces where they may touch, and forgets them where they may not.
    pub(super) fn prepare_contact(&mut self, model: &Model, world: &World) -> Result<(), GpuError> {
        let Some(settings) = &world.contact else {
            self.contact = None;
            self.anchors = Vec::new();
            return Ok(());
        };
        if self.contact.as_mut().is_some_and(|contact| contact.take(model, settings)) {
            return Ok(());
        }
        let anchors = match &self.contact {
            Some(contact) => contact.anchors()?,
            None => std::mem::take(&mut self.anchors),
        };
        let (gpu, layout, arrays) = (&self.gpu, &self.layout, &self.arrays);
        let mut contact = Contacts::new(gpu, model, layout, arrays, settings)?;
        contact.load(arrays, &anchors)?;
        self.contact = Some(contact);
        Ok(())
    }

    /// Takes over the anchors of a state.
    pub(super) fn load_anchors(&mut self, anchors: &[Anchor]) -> Result<(), GpuError> {
        match &mut self.contact {
            Some(contact) => contact.load(&self.arrays, anchors),
            None => {
                self.anchors = anchors.to_vec();
                Ok(())
            }
        }
    }

    /// The anchors of the present state; waits for the device.
    pub(super) fn download_anchors(&self) -> Result<Vec<Anchor>, GpuError> {
        match &self.contact {
            Some(contact) => contact.anchors(),
            None => Ok(self.anchors.clone()),
        }
    }

    /// Lets a substep that stalled in contact go on, with room for so many pairs; `moves_first` where vertices move
    /// before their forces are known.
    pub(super) fn go_on_with_contact(
        &mut self,
        substep: u64,
        wanted: u32,
        moves_first: bool,
    ) -> Result<Begun, Trouble> {
        let Some(contact) = &mut self.contact else {
            return Err(Trouble::Device("the GPU waits for contact, and there is none".into()));
        };
        let evaluation = contact.stalled_evaluation();
        // Where half a substep is done, nothing but a state of before is to be trusted.
        let refused = |e: GpuError| match moves_first || evaluation > 0 {
            true => Trouble::Device(e.to_string()),
            false => Trouble::NoRoom { substep, reason: e.to_string() },
        };
        contact.make_room(&self.arrays, wanted as usize).map_err(refused)?;
        Ok(Begun::Contact(evaluation))
    }

    /// Lets lists of contacts begin with this much room, which may be too little.
    #[cfg(test)]
    pub(crate) fn begin_with_contact_room(&mut self, room: usize) {
        let contact = self.contact.as_mut().expect("there is contact");
        contact.begin_with_room(&self.arrays, room);
    }

    /// The pairs that are looked at, in the user's numbering.
    #[cfg(test)]
    pub(crate) fn contact_candidates(&self) -> Vec<(crate::contact::ContactKind, [u32; 4])> {
        self.contact.as_ref().expect("there is contact").candidates()
    }

    /// What contact between bodies does, where there is any.
    pub fn contact_report(&self) -> Option<ContactReport> {
        self.contact.as_ref().map(Contacts::report)
    }

    /// Forces of contact between bodies in the last substep, in model order \[N\].
    pub fn forces_between_bodies(&self) -> Result<Option<Vec<[f32; 3]>>, GpuError> {
        let Some(contact) = &self.contact else { return Ok(None) };
        let forces = match self.mirror.as_ref().and_then(|mirror| mirror.contact.as_ref()) {
            Some(rows) => self.in_order(&rows.forces),
            None => self.in_order(&contact.forces()?),
        };
        Ok(Some(forces))
    }

    /// What touched in the last substep.
    pub fn touching(&self, origins: &[[f64; 3]]) -> Result<Vec<Touching>, GpuError> {
        let Some(contact) = &self.contact else { return Ok(Vec::new()) };
        match self.mirror.as_ref().and_then(|mirror| mirror.contact.as_ref()) {
            Some(rows) => Ok(contact.touching(rows, origins)),
            None => Ok(contact.touching(&contact.rows()?, origins)),
        }
    }
}
