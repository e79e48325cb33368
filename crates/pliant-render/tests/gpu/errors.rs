//! What cannot be drawn is said, not crashed on.

use pliant_gpu::wgpu::TextureFormat;
use pliant_gpu::{GpuError, testing};
use pliant_render::gpu::{GpuRenderError, Offscreen, Renderer, render_offscreen};
use pliant_render::{Body, Geometry, RenderError, View, cpu};

use crate::scenes::{camera, cloth};

#[test]
fn sizes_and_samples_beyond_reason_are_refused() {
    let Some(gpu) = testing::gpu("errors") else { return };
    let shape = cloth();
    let scene = Geometry { bodies: vec![shape.body()], ..Geometry::default() };
    let view = View::new(camera(&scene, [1.0, -1.0, 1.0]));
    let error = render_offscreen(&gpu, &scene, &view, 0, 10).unwrap_err();
    assert_eq!(error, RenderError::Size { width: 0, height: 10 }.into());
    let largest = gpu.limits().max_texture_dimension_2d;
    let error = render_offscreen(&gpu, &scene, &view, largest + 1, 4).unwrap_err();
    let GpuRenderError::Size { width, .. } = &error else { panic!("{error}") };
    assert_eq!(*width, largest + 1);
    assert!(error.to_string().contains(&largest.to_string()), "{error}");
    for samples in [0, 2, 3, 64] {
        let error = Renderer::new(&gpu, TextureFormat::Rgba8UnormSrgb, samples).err();
        assert_eq!(error, Some(GpuRenderError::Samples { samples }));
    }
    // Afterwards all is well.
    assert!(render_offscreen(&gpu, &scene, &view, 40, 30).is_ok());
}

#[test]
fn a_lost_device_is_told() {
    let Some(gpu) = testing::gpu("errors") else { return };
    let shape = cloth();
    let scene = Geometry { bodies: vec![shape.body()], ..Geometry::default() };
    let view = View::new(camera(&scene, [1.0, -1.0, 1.0]));
    let mut offscreen = Offscreen::new(&gpu).unwrap();
    assert!(offscreen.render(&scene, &view, &[], 40, 30).is_ok());
    gpu.destroy();
    for _ in 0..2 {
        let error = offscreen.render(&scene, &view, &[], 40, 30).unwrap_err();
        assert!(matches!(error, GpuRenderError::Gpu(GpuError::Lost { .. })), "{error}");
    }
    assert!(Offscreen::new(&gpu).is_err());
}

#[test]
fn hostile_vertices_do_no_harm() {
    let Some(gpu) = testing::gpu("errors") else { return };
    let mut shape = cloth();
    let view = {
        let scene = Geometry { bodies: vec![shape.body()], ..Geometry::default() };
        View { wireframe: true, vertices: true, ..View::new(camera(&scene, [1.0, -1.0, 1.0])) }
    };
    let mut offscreen = Offscreen::new(&gpu).unwrap();
    shape.positions[100] = [f32::NAN, f32::INFINITY, 0.0];
    for huge in [f32::MAX, -1e30, 1e9, f32::MIN_POSITIVE] {
        shape.positions[50] = [huge, -huge, huge];
        let bodies: Vec<Body> = vec![shape.body()];
        let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
        assert_eq!(offscreen.render(&scene, &view, &[], 80, 60).unwrap().skipped, 1, "{huge}");
    }
    // Nothing at all is a picture, too.
    let nothing = Geometry::default();
    let got = offscreen.render(&nothing, &view, &[], 80, 60).unwrap().image;
    let want = cpu::render(&nothing, &view, 80, 60, 1).unwrap().image;
    let mut pairs = got.pixels.iter().flatten().zip(want.pixels.iter().flatten());
    assert!(pairs.all(|(a, b)| a.abs_diff(*b) <= 1), "the background alone");
}
