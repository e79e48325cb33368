//! What a GPU's row says besides: stages, dispatches, bytes.

use pliant_sim::Simulator;

use super::BenchError;

/// What was measured and counted on a GPU.
#[derive(Clone, Debug, serde::Serialize)]
pub struct GpuFigures {
    /// Name of the device.
    pub device: String,
    /// Whether the device is emulated by the processor.
    pub software: bool,
    /// How forces are added up.
    pub accumulation: &'static str,
    /// Kernels per step.
    pub dispatches: u32,
    /// Bytes moved per tetrahedron (or triangle of a surface) and step, every array once per dispatch.
    pub bytes_per_tet_once: f64,
    /// The same with every load and store counted.
    pub bytes_per_tet_by_access: f64,
    /// The stages of a step.
    pub stages: Vec<StageFigures>,
}

/// One stage of a step.
#[derive(Clone, Debug, serde::Serialize)]
pub struct StageFigures {
    /// Its name.
    pub stage: &'static str,
    /// Kernels per step.
    pub dispatches: u32,
    /// Time per step by the device's clock \[ms\]; absent where it has none. Timed kernels do not
    /// overlap, so the stages may take longer than the step.
    pub ms: Option<f64>,
    /// Bytes per step, every array once per dispatch.
    pub bytes_once: u64,
    /// Bytes per step of all loads and stores.
    pub bytes_by_access: u64,
}

/// Nothing where there are no GPUs.
#[cfg(not(feature = "gpu"))]
pub(super) fn figures(
    _: &mut Simulator,
    _: &str,
    _: f64,
) -> Result<Option<GpuFigures>, BenchError> {
    Ok(None)
}

/// Counts and times a step on a GPU; nothing on the CPU.
#[cfg(feature = "gpu")]
pub(super) fn figures(
    sim: &mut Simulator,
    case: &str,
    elements: f64,
) -> Result<Option<GpuFigures>, BenchError> {
    use pliant_sim::backend::gpu::count::{Bytes, StepCount};

    if sim.gpu().is_none() {
        return Ok(None);
    }
    let count = StepCount::new(sim.model(), sim.world());
    let times = stage_times(sim, case)?;
    let of = |stage: &str| times.iter().find(|(name, _)| *name == stage).map(|(_, s)| 1e3 * s);
    let stages = count.stages.iter().map(|s| StageFigures {
        stage: s.stage,
        dispatches: s.dispatches,
        ms: of(s.stage),
        bytes_once: s.once.total(),
        bytes_by_access: s.accesses.total(),
    });
    let per_tet = |bytes: Bytes| bytes.total() as f64 / elements;
    let adapter = sim.gpu().map(|gpu| gpu.gpu().adapter().clone());
    Ok(adapter.map(|adapter| GpuFigures {
        software: adapter.is_software(),
        device: adapter.name,
        accumulation: count.accumulation.name(),
        dispatches: count.dispatches(),
        bytes_per_tet_once: per_tet(count.once()),
        bytes_per_tet_by_access: per_tet(count.accesses()),
        stages: stages.collect(),
    }))
}

/// Seconds per step of each stage; empty where the device has no clock.
#[cfg(feature = "gpu")]
fn stage_times(sim: &mut Simulator, case: &str) -> Result<Vec<(&'static str, f64)>, BenchError> {
    sim.time_stages(true);
    let outcome = sim.advance(32);
    let times = sim.take_stage_times();
    sim.time_stages(false);
    match outcome {
        Ok(()) => Ok(times),
        Err(source) => Err(BenchError::Diverged { case: case.into(), source: Box::new(source) }),
    }
}
