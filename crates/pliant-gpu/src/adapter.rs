//! Which devices there are, and choosing one.

use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor};

use crate::GpuError;

/// The name that asks for any device that is emulated by the processor.
pub const SOFTWARE: &str = "software";

/// Which device to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// Part of the device's name, in any case, or [`SOFTWARE`]; empty takes the best there is.
    pub name: String,
    /// Whether a software device will do. A device asked for by name is taken whatever it is.
    pub software: bool,
}

impl AdapterChoice {
    /// A hardware device, whichever is best.
    pub fn hardware() -> Self {
        Self::default()
    }

    /// The best hardware device, else a software one.
    pub fn any() -> Self {
        Self { software: true, ..Self::default() }
    }

    /// The device with this in its name.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), software: false }
    }

    /// Which of `devices`, the best first, is taken. One that cannot run our kernels is taken only
    /// when no other fits; opening it says what it lacks.
    pub fn pick(&self, devices: &[AdapterSummary]) -> Option<usize> {
        let able = devices.iter().position(|d| self.takes(d) && d.suits().is_ok());
        able.or_else(|| devices.iter().position(|d| self.takes(d)))
    }

    /// Whether it asks for any device that is emulated by the processor.
    fn wants_software(&self) -> bool {
        self.name.eq_ignore_ascii_case(SOFTWARE)
    }

    /// Whether a device fits.
    fn takes(&self, adapter: &AdapterSummary) -> bool {
        if self.wants_software() {
            return adapter.is_software();
        }
        if self.name.is_empty() {
            return self.software || !adapter.is_software();
        }
        adapter.name.to_lowercase().contains(&self.name.to_lowercase())
    }
}

/// A device that this machine has.
#[derive(Clone, Debug)]
pub struct AdapterSummary {
    /// Its name.
    pub name: String,
    /// Its driver, with version.
    pub driver: String,
    /// Vulkan, Metal, DirectX 12 or WebGPU.
    pub api: String,
    /// Discrete, integrated, virtual or software.
    pub kind: DeviceType,
    /// What it can do at most.
    pub limits: wgpu::Limits,
    /// What it can do besides.
    pub features: wgpu::Features,
}

impl AdapterSummary {
    /// What `adapter` is.
    pub fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        // Browsers keep it to themselves.
        let name = if info.name.is_empty() { "WebGPU".into() } else { info.name };
        Self {
            name,
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
            api: format!("{:?}", info.backend),
            kind: info.device_type,
            limits: adapter.limits(),
            features: adapter.features(),
        }
    }

    /// Whether the device is emulated by the processor.
    pub fn is_software(&self) -> bool {
        self.kind == DeviceType::Cpu
    }

    /// "discrete", "integrated", "virtual", "software" or "unknown".
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            DeviceType::DiscreteGpu => "discrete",
            DeviceType::IntegratedGpu => "integrated",
            DeviceType::VirtualGpu => "virtual",
            DeviceType::Cpu => "software",
            DeviceType::Other => "unknown",
        }
    }

    /// Smaller is better: hardware before software, discrete before integrated.
    fn rank(&self) -> u32 {
        match self.kind {
            DeviceType::DiscreteGpu => 0,
            DeviceType::IntegratedGpu => 1,
            DeviceType::VirtualGpu => 2,
            DeviceType::Other => 3,
            DeviceType::Cpu => 4,
        }
    }

    /// Whether the device offers what every kernel of ours needs.
    pub fn suits(&self) -> Result<(), String> {
        let core = wgpu::Limits::default();
        let short = |what: &str, has: u64, needs: u64| match has < needs {
            true => Err(format!("it has {has} {what}, {needs} are needed")),
            false => Ok(()),
        };
        let has = &self.limits;
        let (buffers, invocations) =
            (has.max_storage_buffers_per_shader_stage, has.max_compute_invocations_per_workgroup);
        short("storage buffers per stage", buffers.into(), crate::device::STORAGE_BUFFERS.into())?;
        short("invocations per workgroup", invocations.into(), crate::WORKGROUP.into())?;
        let size = core.max_storage_buffer_binding_size;
        short("bytes per binding", has.max_storage_buffer_binding_size, size)
    }
}

/// The devices of this machine, the best first.
pub async fn list() -> Vec<AdapterSummary> {
    enumerate().await.into_iter().map(|(_, summary)| summary).collect()
}

/// The devices of this machine, the best first; waits for the answer.
#[cfg(not(target_arch = "wasm32"))]
pub fn list_blocking() -> Vec<AdapterSummary> {
    pollster::block_on(list())
}

async fn enumerate() -> Vec<(wgpu::Adapter, AdapterSummary)> {
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    let mut found: Vec<_> = instance
        .enumerate_adapters(Backends::all())
        .await
        .into_iter()
        .map(|a| {
            let summary = AdapterSummary::of(&a);
            (a, summary)
        })
        .collect();
    found.sort_by_key(|(_, s)| s.rank());
    found
}

/// The best device that fits `choice`.
pub(crate) async fn choose(
    choice: &AdapterChoice,
) -> Result<(wgpu::Adapter, AdapterSummary), GpuError> {
    let (mut adapters, mut summaries): (Vec<_>, Vec<_>) = enumerate().await.into_iter().unzip();
    let names: Vec<String> =
        summaries.iter().map(|s| format!("{} ({})", s.name, s.kind_name())).collect();
    match choice.pick(&summaries) {
        Some(i) => Ok((adapters.swap_remove(i), summaries.swap_remove(i))),
        None => Err(GpuError::NoAdapter {
            wanted: match (choice.name.is_empty(), choice.software) {
                _ if choice.wants_software() => " in software".into(),
                (false, _) => format!(" whose name contains {:?}", choice.name),
                (true, false) => " in hardware".into(),
                (true, true) => String::new(),
            },
            found: match names.is_empty() {
                true => "this machine has no Vulkan, Metal or DirectX 12 driver that works".into(),
                false => format!("there is {}", names.join(", ")),
            },
            advice: match names.is_empty() {
                true => "Install a driver, or use the CPU",
                false => "Ask for one of these by name, or use the CPU",
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(name: &str, kind: DeviceType) -> AdapterSummary {
        AdapterSummary {
            name: name.into(),
            driver: String::new(),
            api: "Vulkan".into(),
            kind,
            limits: wgpu::Limits::default(),
            features: wgpu::Features::empty(),
        }
    }

    #[test]
    fn software_is_taken_only_when_asked_for() {
        let card = summary("Radeon Pro", DeviceType::DiscreteGpu);
        let soft = summary("llvmpipe (LLVM 15)", DeviceType::Cpu);
        assert!(AdapterChoice::hardware().takes(&card) && !AdapterChoice::hardware().takes(&soft));
        assert!(AdapterChoice::any().takes(&soft));
        assert!(AdapterChoice::named("LLVMpipe").takes(&soft));
        assert!(!AdapterChoice::named("geforce").takes(&card));
    }

    #[test]
    fn a_device_that_cannot_run_our_kernels_is_the_last_choice() {
        let mut old = summary("old card", DeviceType::DiscreteGpu);
        old.limits.max_storage_buffers_per_shader_stage = 4;
        let mut chip = summary("chip", DeviceType::IntegratedGpu);
        chip.limits.max_storage_buffers_per_shader_stage = 10;
        let devices = [old, chip, summary("llvmpipe", DeviceType::Cpu)];
        assert_eq!(AdapterChoice::hardware().pick(&devices), Some(1));
        assert_eq!(AdapterChoice::hardware().pick(&devices[..1]), Some(0));
        assert_eq!(AdapterChoice::named("old").pick(&devices), Some(0));
        assert_eq!(AdapterChoice::hardware().pick(&devices[2..]), None);
        assert_eq!(AdapterChoice::named("LLVM").pick(&devices), Some(2));
        assert_eq!(AdapterChoice::named("Software").pick(&devices), Some(2));
        assert_eq!(AdapterChoice::named("software").pick(&devices[..2]), None);
    }

    #[test]
    fn a_device_with_less_than_webgpu_promises_is_told_apart() {
        let mut card = summary("old", DeviceType::IntegratedGpu);
        card.limits.max_storage_buffers_per_shader_stage = 10;
        assert_eq!(card.suits(), Ok(()));
        card.limits.max_storage_buffers_per_shader_stage = 4;
        assert!(card.suits().unwrap_err().contains("4 storage buffers"));
    }
}
