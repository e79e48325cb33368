//! WebGPU, if the browser has it.

use eframe::egui_wgpu::WgpuSetupExisting;
use pliant_gpu::wgpu::{Backends, DeviceType, Instance, InstanceDescriptor, RequestAdapterOptions};
use pliant_gpu::{AdapterSummary, Gpu};

/// What the page was told of the browser's device, which wgpu does not pass on.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Maker and kind, such as "nvidia ampere"; may be empty.
    pub name: String,
    /// Whether the processor does its work.
    pub is_software: bool,
}

/// Opens the browser's device, and tells what it is. It is opened before the canvas is touched: a canvas
/// that was once given to WebGPU cannot be drawn on by WebGL.
pub async fn open(known: &Known) -> Result<(WgpuSetupExisting, AdapterSummary), String> {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::BROWSER_WEBGPU,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await;
    let adapter = adapter.map_err(|_| String::from("no WebGPU in this browser"))?;
    let mut summary = AdapterSummary::of(&adapter);
    summary.suits().map_err(|reason| format!("this browser's WebGPU will not do: {reason}"))?;
    if known.is_software {
        summary.kind = DeviceType::Cpu;
    }
    if !known.name.is_empty() {
        summary.name = format!("WebGPU ({})", known.name);
    }
    let opened = adapter.request_device(&Gpu::descriptor(&summary)).await;
    let (device, queue) = opened.map_err(|e| format!("WebGPU gave no device: {e}"))?;
    Ok((WgpuSetupExisting { instance, adapter, device, queue }, summary))
}
