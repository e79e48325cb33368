//! WebGPU, if the browser has it.

use eframe::egui_wgpu::WgpuSetupExisting;
use js_sys::{Function, Promise, Reflect};
use pliant_gpu::wgpu::{Backends, DeviceType, Instance, InstanceDescriptor, RequestAdapterOptions};
use pliant_gpu::{AdapterSummary, Gpu};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// What browsers call devices that the processor plays.
const IN_SOFTWARE: [&str; 4] = ["swiftshader", "llvmpipe", "lavapipe", "warp"];

/// Opens the browser's device, and tells what it is. It is opened before the canvas is touched: a canvas
/// that was once given to WebGPU cannot be drawn on by WebGL.
pub async fn open() -> Result<(WgpuSetupExisting, AdapterSummary), String> {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::BROWSER_WEBGPU,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await;
    let adapter = adapter.map_err(|_| String::from("no WebGPU in this browser"))?;
    let mut summary = AdapterSummary::of(&adapter);
    summary.suits().map_err(|reason| format!("this browser's WebGPU will not do: {reason}"))?;
    if let Ok(name) = maker_and_kind().await {
        if IN_SOFTWARE.iter().any(|software| name.to_lowercase().contains(software)) {
            summary.kind = DeviceType::Cpu;
        }
        if !name.is_empty() {
            summary.name = format!("WebGPU ({name})");
        }
    }
    let opened = adapter.request_device(&Gpu::descriptor(&summary)).await;
    let (device, queue) = opened.map_err(|e| format!("WebGPU gave no device: {e}"))?;
    Ok((WgpuSetupExisting { instance, adapter, device, queue }, summary))
}

/// What the browser tells of the device, such as "nvidia ampere", which wgpu does not pass on.
async fn maker_and_kind() -> Result<String, JsValue> {
    let get = |of: &JsValue, key: &str| Reflect::get(of, &JsValue::from_str(key));
    let gpu = get(&get(&js_sys::global(), "navigator")?, "gpu")?;
    let request: Function = get(&gpu, "requestAdapter")?.dyn_into()?;
    let adapter = JsFuture::from(request.call0(&gpu)?.dyn_into::<Promise>()?).await?;
    let info = get(&adapter, "info")?;
    let words = ["vendor", "architecture"].map(|key| get(&info, key).ok()?.as_string());
    Ok(words.into_iter().flatten().collect::<Vec<_>>().join(" ").trim().to_owned())
}
