//! How resident bodies look: what shaders are told for a picture.

use super::topology::{Inside, Marks, Outside};
use super::{ResidentBand, ResidentBody, ResidentMoment, ResidentValues};
use crate::colour::{Colour, ColourMap};
use crate::list::lines::{BAND, BAND_WIDTH, HAND_RADIUS, WIRE, WIRE_WIDTH};
use crate::list::surface::{LOCK, LOCK_RADIUS, PLAIN, VERTEX_RADIUS};
use crate::math::Vec3;
use crate::view::{Colouring, Shading, View};

/// Twin of `Body` in bodies.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(in crate::gpu) struct BodyRecord {
    pub offset: [f32; 4],
    pub colour: [f32; 4],
}

/// Twin of `Look` in arrays.wgsl, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(in crate::gpu) struct Look {
    pub cut_point: [f32; 4],
    pub cut_normal: [f32; 4],
    pub scale: [f32; 4],
    pub edge: [f32; 4],
    pub band: [f32; 4],
    pub hand: [f32; 4],
    pub lock: [f32; 4],
    pub vertex: [f32; 4],
    pub modes: [u32; 4],
    pub faces: [u32; 4],
    pub marks: [u32; 4],
    pub counts: [u32; 4],
}

impl Look {
    pub(super) fn new(
        view: &View,
        origin: [f64; 3],
        moment: &ResidentMoment,
        outside: &Outside,
        inside: &Inside,
        marks: &Marks,
    ) -> Self {
        let cut = view.cut.as_ref();
        let cut_point = cut.map_or([0.0; 4], |cut| four(relative(cut.point, origin), 1.0));
        let normal = cut.map_or([0.0; 3], |cut| Vec3::from(cut.normal).to_f32().into());
        let scale = view.colouring.scale();
        let scale = scale.map_or([0.0; 4], |s| {
            let table = if s.map == ColourMap::GreyRed { 0.0 } else { 1.0 };
            [s.range[0], s.range[1], table, 0.0]
        });
        let drawn = |wanted: bool, count: u32| if wanted { count } else { 0 };
        let edges = if cut.is_some() { 3 * inside.faces } else { marks.edges };
        let flat = u32::from(view.shading == Shading::Flat);
        let of_tets = u32::from(matches!(moment.values, ResidentValues::Tets { .. }));
        Self {
            cut_point,
            cut_normal: four(normal, 0.0),
            scale,
            edge: four(Colour::from_hex(WIRE).0, WIRE_WIDTH),
            band: four(Colour::from_hex(BAND).0, BAND_WIDTH),
            hand: four(Colour::from_hex(BAND).0, HAND_RADIUS),
            lock: four(Colour::from_hex(LOCK).0, LOCK_RADIUS),
            vertex: [0.0, 0.0, 0.0, VERTEX_RADIUS],
            modes: [flat, of_tets, 0, 0],
            faces: [outside.starts[0], outside.starts[1], inside.starts[0], inside.starts[1]],
            marks: [2 * marks.edges, 2 * marks.edges + marks.vertices, 0, 0],
            counts: [
                drawn(view.wireframe, edges),
                drawn(view.vertices, marks.vertices),
                drawn(view.locks, marks.locked),
                0,
            ],
        }
    }

    /// How many corners, lines and balls are drawn.
    pub(super) fn amounts(
        &self,
        view: &View,
        bands: usize,
        outside: &Outside,
        inside: &Inside,
    ) -> (u32, u32, u32) {
        let faces = if view.cut.is_some() { inside.faces } else { outside.triangles };
        let bands = if view.touches { bands as u32 } else { 0 };
        let [edges, vertices, locked, _] = self.counts;
        (if view.surface { 3 * faces } else { 0 }, edges + bands, vertices + locked + bands)
    }
}

/// Places and colours of the bodies; `has_tets` says which of them have tetrahedra, `is_cloudy` whether
/// those are looked into and have no surface.
pub(super) fn bodies(
    moment: &ResidentMoment,
    view: &View,
    origin: [f64; 3],
    has_tets: &[bool],
    is_cloudy: bool,
) -> Vec<BodyRecord> {
    let is_scaled = view.colouring.scale().is_some();
    let record = |(number, body): (usize, &ResidentBody)| {
        let Colour(colour) = match view.colouring {
            Colouring::Body => body.colour.unwrap_or_else(|| Colour::of_body(number)),
            _ => Colour::from_hex(PLAIN),
        };
        let has_values = match moment.values {
            ResidentValues::None => false,
            ResidentValues::Vertices(_) => true,
            ResidentValues::Tets { .. } => has_tets[number],
        };
        let by_value = if is_scaled && has_values { 1.0 } else { 0.0 };
        BodyRecord {
            offset: four(
                relative(body.origin, origin),
                if is_cloudy && has_tets[number] { 1.0 } else { 0.0 },
            ),
            colour: four(colour, by_value),
        }
    };
    moment.bodies.iter().enumerate().map(record).collect()
}

/// Hands, and the slots they hold.
pub(super) fn bands(bands: &[ResidentBand], origin: [f64; 3]) -> Vec<[u32; 4]> {
    let record = |band: &ResidentBand| {
        let [x, y, z] = relative(band.hand, origin).map(f32::to_bits);
        [x, y, z, band.slot]
    };
    bands.iter().map(record).collect()
}

fn relative(place: [f64; 3], origin: [f64; 3]) -> [f32; 3] {
    (Vec3::from(place) - Vec3::from(origin)).to_f32().into()
}

fn four([x, y, z]: [f32; 3], w: f32) -> [f32; 4] {
    [x, y, z, w]
}
