//! What a simulator asks of its backend so that nothing is lost with a device. A processor is never
//! lost, so there is nothing to do for it.

use std::time::Duration;

use super::{Engine, Moment, Trouble};

impl Engine {
    /// What went wrong since somebody last looked, if anything did.
    pub fn trouble(&mut self) -> Option<Trouble> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let failure = gpu.take_failure().or_else(|| gpu.gpu().check().err());
                failure.map(Trouble::from)
            }
        }
    }

    /// The last moment that is known to the host; `None` where no moment can be lost.
    pub fn rescued(&self) -> Option<Moment> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Some(gpu.rescued()),
        }
    }

    /// The step of [`Engine::rescued`].
    pub fn rescued_step(&self) -> Option<u64> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Some(gpu.rescued_step()),
        }
    }

    /// Whether states are copied to the host while it runs.
    pub fn is_rescuing(&self) -> bool {
        match self {
            Self::Cpu(_) => false,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.is_rescuing(),
        }
    }

    /// Copies a state to the host this often.
    pub fn set_rescue_interval(&mut self, interval: Option<Duration>) {
        match self {
            Self::Cpu(_) => {
                let _ = interval;
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.set_rescue_interval(interval),
        }
    }

    /// Takes what has arrived; says whether it is time to ask for the next copy.
    pub fn is_rescue_due(&mut self) -> bool {
        match self {
            Self::Cpu(_) => false,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.is_rescue_due(),
        }
    }

    /// Asks for a copy of the present state without waiting for it; `moment` brings what the device
    /// does not know.
    pub fn request_rescue(&mut self, moment: Moment) -> Result<(), Trouble> {
        match self {
            Self::Cpu(_) => {
                let _ = moment;
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Ok(gpu.request_rescue(moment)?),
        }
    }

    /// Forgets copies of states behind `moment`, which is the present: it has gone back in time.
    pub async fn rescue_went_back(&mut self, moment: Moment) -> Result<(), Trouble> {
        match self {
            Self::Cpu(_) => {
                let _ = moment;
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Ok(gpu.rescue_went_back(moment).await?),
        }
    }
}
