//! Targets as windows have them.

use pliant_gpu::wgpu::{
    Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
};
use pliant_gpu::{Gpu, Readback, testing};
use pliant_render::gpu::{Renderer, Scene};
use pliant_render::{Body, DrawList, Geometry, Image, View, cpu};

use crate::scenes::{Difference, Shape, blobs, camera, cloth, compare};

/// A picture in a target of our own, whose rows need no padding.
fn draw(
    gpu: &Gpu,
    renderer: &mut Renderer,
    scene: &mut Scene,
    format: TextureFormat,
    (geometry, view): (&Geometry, &View),
    [width, height]: [u32; 2],
) -> Image {
    let projection = view.camera.projection(geometry.origin, width, height).unwrap();
    let list = DrawList::new(geometry, view, &projection).unwrap();
    scene.update(renderer, &list, view, &projection).unwrap();
    let size = Extent3d { width, height, depth_or_array_layers: 1 };
    let target = gpu.device().create_texture(&TextureDescriptor {
        label: Some("window"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let mut commands = gpu.commands("window");
    let view = target.create_view(&Default::default());
    renderer.draw(commands.encoder(), scene, &[], &view).unwrap();
    let mut readback = Readback::new(gpu, "window", u64::from(4 * width * height)).unwrap();
    readback.copy_texture(&mut commands, &target, size, 4 * width);
    commands.submit();
    readback.request();
    Image { width, height, pixels: readback.wait().unwrap() }
}

#[test]
fn formats_that_do_not_know_srgb_get_it_nevertheless() {
    let Some(gpu) = testing::gpu("window") else { return };
    let shapes = blobs();
    let bodies = shapes.iter().map(Shape::body).collect();
    let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
    let view = View::new(camera(&scene, [0.3, -1.0, 0.45]));
    let size = [256, 192];
    let want = cpu::render(&scene, &view, size[0], size[1], 2).unwrap().image;
    for (samples, mean_bound, far_bound) in [(4, 0.2, 1.5e-3), (1, 0.4, 1e-2)] {
        for format in [TextureFormat::Rgba8Unorm, TextureFormat::Bgra8Unorm] {
            let mut renderer = Renderer::new(&gpu, format, samples).unwrap();
            let mut buffers = Scene::new(&renderer).unwrap();
            let mut got = draw(&gpu, &mut renderer, &mut buffers, format, (&scene, &view), size);
            if format == TextureFormat::Bgra8Unorm {
                got.pixels.iter_mut().for_each(|p| p.swap(0, 2));
            }
            // Edges are smoothed otherwise, or not at all.
            let Difference { mean, far } = compare(&format!("window-{samples}"), &want, &got);
            assert!(mean <= mean_bound && far <= far_bound, "{format:?}: {mean} {far}");
        }
    }
}

#[test]
fn buffers_grow_and_shrink_from_frame_to_frame() {
    let Some(gpu) = testing::gpu("window") else { return };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut renderer = Renderer::new(&gpu, format, 4).unwrap();
    let mut buffers = Scene::new(&renderer).unwrap();
    let sheet = cloth();
    // More bodies than there is room for paints at first, each in a colour of its own.
    let colour = |i: usize| pliant_render::Colour([i as f32 / 40.0, 0.2, 1.0 - i as f32 / 40.0]);
    let parts: Vec<&[[u32; 3]]> = sheet.triangles.chunks(80).collect();
    let strips = |count: usize| Geometry {
        bodies: (parts.iter().take(count).enumerate())
            .map(|(i, triangles)| Body { triangles, colour: Some(colour(i)), ..sheet.body() })
            .collect(),
        ..Geometry::default()
    };
    let view = View::new(camera(&strips(40), [0.3, -1.0, 0.8]));
    for (count, size) in [(2, [128, 96]), (40, [192, 144]), (7, [64, 48]), (40, [128, 96])] {
        let scene = strips(count);
        let want = cpu::render(&scene, &view, size[0], size[1], 2).unwrap().image;
        let got = draw(&gpu, &mut renderer, &mut buffers, format, (&scene, &view), size);
        let Difference { mean, far } = compare("strips", &want, &got);
        assert!(mean <= 0.3 && far <= 2e-3, "{count} strips: {mean} {far}");
    }
}
