//! What is left when a device is lost: the last state that was copied to the host.
//!
//! Every few seconds the state is copied to where the host can read it. Nobody waits for that: the
//! copy is recorded behind the substeps that are under way, and looked for after later ones.

use std::time::Duration;

use pliant_gpu::{GpuError, Readback};
use web_time::Instant;

use super::GpuBackend;
use crate::backend::RestorePoint;

/// Real time between two copies.
pub const INTERVAL: Duration = Duration::from_secs(2);

/// The last known state, and the next one on its way.
pub struct Rescue {
    interval: Option<Duration>,
    /// When a state was last asked for or given.
    last: Instant,
    /// What is known. The arrays are in `raw` if that is not empty, else in the state.
    known: RestorePoint,
    raw: Vec<f32>,
    place: Option<Readback>,
    coming: Option<RestorePoint>,
}

impl Rescue {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self {
            interval: Some(INTERVAL),
            last: Instant::now(),
            known: RestorePoint::default(),
            raw: Vec::new(),
            place: None,
            coming: None,
        }
    }

    /// Replaces what is known, and what was on its way.
    pub fn keep(&mut self, restore_point: RestorePoint) {
        (self.known, self.raw, self.last) = (restore_point, Vec::new(), Instant::now());
        if self.coming.take().is_some() {
            // The place is in use until the old state arrives in it.
            self.place = None;
        }
    }

    /// Bytes of the place that states are copied to.
    pub fn bytes(&self) -> u64 {
        self.place.as_ref().map_or(0, Readback::bytes)
    }
}

impl GpuBackend {
    /// Copies the state to the host this often; `None` never does.
    pub fn set_rescue_interval(&mut self, interval: Option<Duration>) {
        self.rescue.interval = interval;
    }

    /// Whether states are copied to the host while it runs.
    pub fn is_rescuing(&self) -> bool {
        self.rescue.interval.is_some()
    }

    /// The last moment that is known to the host.
    pub fn rescued(&self) -> RestorePoint {
        let Rescue { known, raw, .. } = &self.rescue;
        if raw.is_empty() {
            return known.clone();
        }
        let mut restore_point = known.clone();
        restore_point.state.take_arrays(self.copied_state(&known.world, raw));
        restore_point
    }

    /// The step of [`GpuBackend::rescued`].
    pub fn rescued_step(&self) -> u64 {
        self.rescue.known.state.step
    }

    /// Takes the state that has arrived, if one has; says whether it is time to ask for the next.
    pub fn is_rescue_due(&mut self) -> bool {
        if self.rescue.coming.is_some()
            && let Err(e) = self.take_arrived()
        {
            self.fail(e);
        }
        let Rescue { interval, last, coming, .. } = &self.rescue;
        coming.is_none() && interval.is_some_and(|interval| last.elapsed() >= interval)
    }

    fn take_arrived(&mut self) -> Result<(), GpuError> {
        self.gpu.poll()?;
        let Some(place) = &mut self.rescue.place else { return Ok(()) };
        if let Some(raw) = place.take()?
            && let Some(restore_point) = self.rescue.coming.take()
        {
            (self.rescue.known, self.rescue.raw) = (restore_point, raw);
        }
        Ok(())
    }

    /// Asks for a copy of the present state; `moment` brings clock and settings.
    pub fn request_rescue(&mut self, restore_point: RestorePoint) -> Result<(), GpuError> {
        let place = self.rescue.place.take();
        let needed = self.copied_bytes(&restore_point.world);
        let fitting = place.filter(|p| p.bytes() == needed);
        let mut place = match fitting {
            Some(place) => place,
            None => Readback::new(&self.gpu, "copy of the state", needed)?,
        };
        let mut commands = self.gpu.commands("rescue");
        self.copy_state(&mut commands, &place, &restore_point.world);
        commands.submit();
        place.request();
        self.rescue.place = Some(place);
        self.rescue.coming = Some(restore_point);
        self.rescue.last = Instant::now();
        Ok(())
    }

    /// Forgets states behind `moment`, which is the present: the simulation has gone back in time.
    pub async fn rescue_went_back(&mut self, restore_point: RestorePoint) -> Result<(), GpuError> {
        let step = restore_point.state.step;
        if self.rescue.coming.as_ref().is_some_and(|m| m.state.step > step) {
            (self.rescue.coming, self.rescue.place) = (None, None);
        }
        if self.rescued_step() > step {
            // Rare enough to wait for it.
            self.mirror(&restore_point.world).await?;
            let arrays = self.download(&restore_point.world)?;
            let mut restore_point = restore_point;
            restore_point.state.take_arrays(arrays);
            self.rescue.keep(restore_point);
        }
        Ok(())
    }
}
