//! WebGPU, if the browser has it.

use eframe::egui_wgpu::WgpuSetupExisting;
use pliant_gpu::wgpu::{Backends, Instance, InstanceDescriptor, RequestAdapterOptions};
use pliant_gpu::{AdapterSummary, Gpu};

/// Opens the browser's device. It is opened before the canvas is touched: a canvas that was once given to
/// WebGPU cannot be drawn on by WebGL.
pub async fn open() -> Result<WgpuSetupExisting, String> {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::BROWSER_WEBGPU,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await;
    let adapter = adapter.map_err(|_| String::from("no WebGPU in this browser"))?;
    let summary = AdapterSummary::of(&adapter);
    summary.suits().map_err(|reason| format!("this browser's WebGPU will not do: {reason}"))?;
    let opened = adapter.request_device(&Gpu::descriptor(&summary)).await;
    let (device, queue) = opened.map_err(|e| format!("WebGPU gave no device: {e}"))?;
    Ok(WgpuSetupExisting { instance, adapter, device, queue })
}
