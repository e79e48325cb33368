//! What all shaders know of the picture.

use crate::camera::Projection;
use crate::list::{DrawList, Ground};
use crate::math::{Vec3f, vec3};
use crate::shadow::ShadowFrame;
use crate::view::View;

/// Twin of the struct in frame.wgsl, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Uniforms {
    pub clip: [[f32; 4]; 4],
    pub rays: [[f32; 4]; 3],
    pub eye: [f32; 4],
    pub right: [f32; 4],
    pub up: [f32; 4],
    pub forward: [f32; 4],
    pub size: [f32; 4],
    pub to_light: [f32; 4],
    pub light_rows: [[f32; 4]; 3],
    pub light_scale: [f32; 4],
    pub background: [[f32; 4]; 2],
    pub ground: [f32; 4],
    pub grid: [f32; 4],
}

/// The shadow map's depth reaches this many radii of the scene to both sides, for positions that have
/// moved on since the extent was measured.
const LIGHT_REACH: f32 = 2.0;

/// Stands where there is no floor; it is not drawn.
const NO_GROUND: Ground =
    Ground { height: 0.0, centre: [0.0; 2], radius: 1.0, grid: 0.0, grid_origin: [0.0; 2] };

impl Uniforms {
    pub fn new(list: &DrawList, view: &View, projection: &Projection) -> Self {
        let to_light = Vec3f::from(view.light).unit_or(vec3(0.0, 0.0, 1.0));
        let light_rows = ShadowFrame::new(list, to_light.into()).rows();
        let [x, y, z, _] = light_rows[0];
        let texels_per_metre = vec3(x, y, z).length();
        let metre = 0.5 / (LIGHT_REACH * list.extent.1);
        let basis = projection.basis();
        let [width, height] = projection.size().map(|s| s as f32);
        let ground = list.ground.unwrap_or(NO_GROUND);
        let [grid_x, grid_y] = ground.grid_origin;
        Self {
            clip: projection.clip_matrix(),
            rays: projection.rays().map(|r| four(r, 0.0)),
            eye: four(projection.eye(), projection.near()),
            right: four(basis.right.to_f32(), 0.0),
            up: four(basis.up.to_f32(), 0.0),
            forward: four(basis.forward.to_f32(), 0.0),
            size: [width, height, 0.0, 0.0],
            to_light: four(to_light, if view.shadow { 1.0 } else { 0.0 }),
            light_rows,
            light_scale: [1.0 / texels_per_metre, metre, 0.0, 0.0],
            background: view.background.map(|c| four(c.vec(), 1.0)),
            ground: [ground.centre[0], ground.centre[1], ground.height, ground.radius],
            grid: [ground.grid, grid_x, grid_y, 0.0],
        }
    }
}

fn four(v: Vec3f, w: f32) -> [f32; 4] {
    [v.x, v.y, v.z, w]
}
