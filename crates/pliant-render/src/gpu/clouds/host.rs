//! Clouds whose positions and values come from the host.

use pliant_gpu::{Buffer, Gpu};

use super::super::GpuRenderError;
use super::super::renderer::Renderer;
use super::super::resident::{BodyRecord, SLICE};
use super::{Clouds, Source};
use crate::geometry::{Body, Values};
use crate::list::Cloud;
use crate::volume::Look;
use crate::volume::mesh::Mesh;

/// The clouds of a draw list on the device. Kept from frame to frame, since neighbours stay neighbours.
pub(in crate::gpu) struct HostClouds {
    mesh: Mesh,
    clouds: Clouds,
    positions: Buffer<[f32; 4]>,
    values: Buffer<f32>,
    tet_values: Buffer<f32>,
    slices: Buffer<u32>,
    bodies: Buffer<BodyRecord>,
}

impl HostClouds {
    /// Those of a list, with what is kept from the last one.
    pub fn update(
        kept: Option<Self>,
        renderer: &Renderer,
        list: &[Cloud],
        look: &Look,
        origin: [f64; 3],
    ) -> Result<Option<Self>, GpuRenderError> {
        if list.is_empty() {
            return Ok(None);
        }
        let bodies: Vec<Body> = list.iter().map(body).collect();
        let bodies: Vec<&Body> = bodies.iter().collect();
        let mut host = match kept.filter(|kept| kept.mesh.is_of(&bodies)) {
            Some(kept) => kept,
            None => Self::new(renderer.gpu(), &bodies)?,
        };
        host.upload(list);
        let has = |of: fn(&Cloud) -> &Vec<f32>| list.iter().any(|cloud| !of(cloud).is_empty());
        let source = Source {
            positions: host.positions.raw(),
            values: has(|c| &c.values).then(|| host.values.raw()),
            tet_values: has(|c| &c.tet_values).then(|| host.tet_values.raw()),
            slices: host.slices.raw(),
            bodies: host.bodies.raw(),
        };
        host.clouds.update(renderer, look, origin, &source)?;
        Ok(Some(host))
    }

    fn new(gpu: &Gpu, bodies: &[&Body]) -> Result<Self, GpuRenderError> {
        let mesh = Mesh::new(bodies)?;
        let positions: Vec<[f32; 3]> =
            bodies.iter().flat_map(|b| b.positions.iter().copied()).collect();
        let slots = positions.len();
        let clouds = Clouds::new(gpu, &mesh, slots, Some(&positions))?;
        Ok(Self {
            positions: gpu.zeros("positions", slots)?,
            values: gpu.zeros("values", slots)?,
            tet_values: gpu.zeros("tets' values", mesh.tets.len())?,
            // One body without an offset.
            slices: gpu.zeros("slices", slots.div_ceil(SLICE))?,
            bodies: gpu.zeros("bodies", 1)?,
            mesh,
            clouds,
        })
    }

    fn upload(&mut self, list: &[Cloud]) {
        let four = |p: &[f32; 3]| [p[0], p[1], p[2], 0.0];
        let positions: Vec<[f32; 4]> =
            list.iter().flat_map(|c| c.positions.iter().map(four)).collect();
        self.positions.write(0, &positions);
        // What has no value of one kind has one of the other.
        let padded = |values: &[f32], count: usize| {
            let mut values = values.to_vec();
            values.resize(count, f32::NAN);
            values
        };
        let values: Vec<f32> =
            list.iter().flat_map(|c| padded(&c.values, c.positions.len())).collect();
        self.values.write(0, &values);
        let values: Vec<f32> =
            list.iter().flat_map(|c| padded(&c.tet_values, c.tets.len())).collect();
        self.tet_values.write(0, &values);
    }

    pub fn clouds(&self) -> &Clouds {
        &self.clouds
    }
}

fn body(cloud: &Cloud) -> Body<'_> {
    let values = match cloud.values.is_empty() {
        true => Values::Tets(&cloud.tet_values),
        false => Values::Vertices(&cloud.values),
    };
    Body { positions: &cloud.positions, tets: &cloud.tets, values, ..Body::default() }
}
