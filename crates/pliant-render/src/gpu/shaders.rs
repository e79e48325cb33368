//! The shaders' texts, by name.

use pliant_gpu::compose::compose;
use pliant_gpu::wgpu::{ShaderModule, ShaderModuleDescriptor, ShaderSource};
use pliant_gpu::{Gpu, GpuError, Module};

macro_rules! module {
    ($name:literal, $file:literal) => {
        Module { name: $name, source: include_str!(concat!("shaders/", $file, ".wgsl")) }
    };
}

/// What shaders import.
pub(super) const LIBRARY: &[Module] = &[
    module!("render::arrays", "arrays"),
    module!("render::bodies", "bodies"),
    module!("render::clouds", "clouds"),
    module!("render::clouds_iso", "clouds_iso"),
    module!("render::clouds_ray", "clouds_ray"),
    module!("render::clouds_shared", "clouds_shared"),
    module!("render::clouds_slice", "clouds_slice"),
    module!("render::clouds_tree", "clouds_tree"),
    module!("render::disc", "disc"),
    module!("render::frame", "frame"),
    module!("render::light", "light"),
    module!("render::light_frame", "light_frame"),
    module!("render::lit", "lit"),
    module!("render::ribbon", "ribbon"),
    module!("render::sample_at", "sample_at"),
    module!("render::scale", "scale"),
    module!("render::shadow", "shadow"),
    module!("render::shown", "shown"),
];

pub(super) const SURFACE: Module = module!("surface.wgsl", "surface");
pub(super) const RESIDENT: Module = module!("resident.wgsl", "resident");
pub(super) const RESIDENT_LINES: Module = module!("resident_lines.wgsl", "resident_lines");
pub(super) const RESIDENT_BALLS: Module = module!("resident_balls.wgsl", "resident_balls");
pub(super) const LINES: Module = module!("lines.wgsl", "lines");
pub(super) const BALLS: Module = module!("balls.wgsl", "balls");
pub(super) const BACKDROP: Module = module!("backdrop.wgsl", "backdrop");

pub(super) const CLOUDS_POINTS: Module = module!("clouds_points.wgsl", "clouds_points");
pub(super) const CLOUDS_BOXES: Module = module!("clouds_boxes.wgsl", "clouds_boxes");
pub(super) const CLOUDS_CAST: Module = module!("clouds_cast.wgsl", "clouds_cast");
pub(super) const CLOUDS_MIX: Module = module!("clouds_mix.wgsl", "clouds_mix");

/// How the depth of what is opaque is read, with one sample per pixel and with four.
pub(super) const OPAQUE: [Module; 2] =
    [module!("render::opaque", "opaque_sample"), module!("render::opaque", "opaque_samples")];

/// Compiles a module.
pub(super) fn compile(gpu: &Gpu, module: Module) -> Result<ShaderModule, GpuError> {
    compile_with(gpu, &[], module)
}

/// Compiles a module that imports something else besides.
pub(super) fn compile_with(
    gpu: &Gpu,
    besides: &[Module],
    module: Module,
) -> Result<ShaderModule, GpuError> {
    let composed = compose(&[LIBRARY, besides], module)?;
    let compiled = gpu.device().create_shader_module(ShaderModuleDescriptor {
        label: Some(module.name),
        source: ShaderSource::Wgsl(composed.source.into()),
    });
    gpu.check().map_err(|e| match e {
        GpuError::Device { reason } => GpuError::Kernel { label: module.name.into(), reason },
        other => other,
    })?;
    Ok(compiled)
}
