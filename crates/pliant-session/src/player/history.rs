//! Energies and forces over time.

use std::sync::Arc;

use super::Sample;
use crate::Frame;
use crate::frame::size;

/// Samples that are kept at most. When there are more, all but the latest are thinned out evenly, so
/// that the whole span stays.
pub(super) const MOST_SAMPLES: usize = 4000;

/// The latest, which are not thinned out.
const LATEST: usize = 1000;

/// Samples that stay of the earlier ones.
const EARLIER: usize = 1500;

/// Samples in the order of time.
#[derive(Debug, Default)]
pub(super) struct History {
    samples: Arc<Vec<Sample>>,
}

impl History {
    /// Adds what a frame shows; a sample of the same time is replaced.
    pub fn add(&mut self, sample: Sample) {
        let samples = Arc::make_mut(&mut self.samples);
        if samples.last().is_some_and(|last| last.time == sample.time) {
            samples.pop();
        }
        samples.push(sample);
        if samples.len() > MOST_SAMPLES {
            thin_out(samples);
        }
    }

    /// Forgets what is later than `time` \[s\].
    pub fn forget_after(&mut self, time: f64) {
        if self.samples.last().is_some_and(|last| last.time > time) {
            Arc::make_mut(&mut self.samples).retain(|sample| sample.time <= time);
        }
    }

    /// All samples.
    pub fn samples(&self) -> Arc<Vec<Sample>> {
        self.samples.clone()
    }
}

/// Drops earlier samples wherever that leaves no gap that is too wide.
fn thin_out(samples: &mut Vec<Sample>) {
    let earlier = samples.len() - LATEST;
    // Any two gaps in a row that stay are wider than this together, so that no more than
    // [`EARLIER`] samples do.
    let gap = 2.0 * (samples[earlier].time - samples[0].time) / EARLIER as f64;
    let mut kept = vec![samples[0]];
    for i in 1..earlier {
        if samples[i + 1].time - kept[kept.len() - 1].time > gap {
            kept.push(samples[i]);
        }
    }
    samples.splice(..earlier, kept);
}

impl Sample {
    /// What a frame tells. Forces that it does not have are not a number.
    pub fn of(frame: &Frame) -> Self {
        let energy = &frame.report.energy;
        Self {
            time: frame.report.time,
            kinetic: energy.kinetic,
            elastic: energy.elastic(),
            gravity: energy.gravity,
            max_speed: frame.report.max_speed,
            max_force: frame.forces.iter().copied().reduce(f32::max).map_or(f64::NAN, f64::from),
            touch_force: frame.touch_force,
            collider_force: frame.report.colliders.as_ref().map_or(f64::NAN, |colliders| {
                colliders.on_colliders.iter().map(|f| size(*f)).fold(0.0, f64::max)
            }),
        }
    }
}
