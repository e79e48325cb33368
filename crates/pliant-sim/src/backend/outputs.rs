//! Outputs that a device computes by itself. Where there is none, or it cannot, or everything is on the
//! host already, the answer is `None` and the simulator computes them there.

use super::Engine;
use crate::model::Model;
use crate::stages::measure::{Elements, Moment, Sums};
use crate::stages::stress::Stress;

#[cfg_attr(not(feature = "gpu"), allow(unused_variables))]
impl Engine {
    /// Sums about the world's origin, for a report.
    pub async fn measured(
        &mut self,
        model: &Model,
        moment: &Moment<'_>,
    ) -> Option<(Sums, Elements)> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) if gpu.is_mirrored() => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let answer = gpu.measure(model, moment).await;
                gpu.answered(answer)
            }
        }
    }

    /// Velocities at the time of the positions, in model order \[m/s\].
    pub fn velocities_now(&mut self, moment: &Moment<'_>) -> Option<Vec<[f32; 3]>> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) if gpu.is_mirrored() => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let answer = gpu.velocities_now(moment);
                gpu.answered(answer)
            }
        }
    }

    /// Net forces without touches and walls, in model order \[N\].
    pub fn net_forces(&mut self, moment: &Moment<'_>) -> Option<Vec<[f32; 3]>> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) if gpu.is_mirrored() => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let answer = gpu.net_forces(moment);
                gpu.answered(answer)
            }
        }
    }

    /// Stress of each tetrahedron in model order, while nothing has yielded.
    pub fn stress(&self, model: &Model) -> Option<Vec<Stress>> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) if gpu.is_mirrored() => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let answer = gpu.stress(model);
                gpu.answered(answer)
            }
        }
    }

    /// Unit normals in model order; null where there is no surface.
    pub fn normals(&self, model: &Model) -> Option<Vec<[f32; 3]>> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) if gpu.is_mirrored() => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let answer = gpu.normals(model);
                gpu.answered(answer)
            }
        }
    }

    /// Colours by force in model order.
    pub fn colours(
        &mut self,
        model: &Model,
        moment: &Moment<'_>,
        reference: f64,
    ) -> Option<Vec<[f32; 4]>> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) if gpu.is_mirrored() => None,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let answer = gpu.colours(model, moment, reference);
                gpu.answered(answer)
            }
        }
    }
}
