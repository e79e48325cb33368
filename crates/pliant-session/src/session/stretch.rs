//! Watches over limits of strain that are not kept.

use pliant_sim::StepReport;

/// What may be left over of a limit, as a part of the length at rest, before it is said.
const HARMLESS: f64 = 0.01;

/// Whether it was said already.
#[derive(Default)]
pub(super) struct StretchWatch {
    is_told: bool,
}

impl StretchWatch {
    /// Begins anew: the simulation was changed by hand.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Looks at a report; returns what is to be said, once.
    pub fn look(&mut self, report: &StepReport) -> Option<String> {
        let strain = report.strain.filter(|strain| strain.beyond > HARMLESS)?;
        if std::mem::replace(&mut self.is_told, true) {
            return None;
        }
        let [largest, beyond] = [strain.largest, strain.beyond].map(|part| 100.0 * part);
        Some(format!(
            "at t = {:.3} s an edge is stretched by {largest:.1} %, and one is {beyond:.1} % of its length beyond \
             its strain_limit: steps are too long for what pulls at it. Take more world.substeps, of which half as \
             long ones leave a quarter of it, or more strain_limit.iterations",
            report.time
        ))
    }
}
