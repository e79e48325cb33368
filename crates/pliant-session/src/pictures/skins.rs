//! Skins in pictures: they are shown in place of the bodies that carry them.

use pliant_mesh::Mesh;
use pliant_render::{Body, Values};
use pliant_sim::stages::stress::mean_at_vertices;

use super::topology::BodyTopology;
use super::{Numbers, Painter};
use crate::Frame;

/// What a skin is in a frame.
pub(super) struct Carried {
    positions: Vec<[f32; 3]>,
    /// Nothing where nothing is shown as a colour.
    values: Option<Vec<f32>>,
}

impl Painter {
    /// Shows bodies themselves from now on, or the skins that they carry.
    pub fn set_cages(&mut self, are_shown: bool) {
        self.shows_cages = are_shown;
    }

    /// Whether there is a body with a skin.
    pub fn has_skins(&self) -> bool {
        self.bodies.iter().any(|part| part.skin.is_some())
    }

    /// Whether skins are seen at present: what is cut open, or looked into, are the bodies themselves.
    pub(super) fn shows_skins(&self) -> bool {
        !self.shows_cages && self.view.cut.is_none() && self.view.volume.is_none()
    }

    /// The skins of a frame that are shown, by body.
    pub(super) fn skins(&self, frame: &Frame, numbers: &Numbers<'_>) -> Vec<Option<Carried>> {
        let carried = |part: &BodyTopology| {
            let skin = part.skin.as_ref().filter(|_| self.shows_skins())?;
            let positions =
                skin.positions(frame.positions.get(part.vertices.clone())?, self.threads);
            let values = match numbers.of(part) {
                Values::None => None,
                Values::Vertices(values) => Some(skin.values(values)),
                Values::Tets(values) => {
                    let of_tets: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
                    let count = part.vertices.len();
                    let means = mean_at_vertices(&part.tet_corners, &of_tets, count);
                    let means: Vec<f32> = means.into_iter().map(|v| v as f32).collect();
                    Some(skin.values(&means))
                }
            };
            Some(Carried { positions, values })
        };
        self.bodies.iter().map(carried).collect()
    }

    /// The visible surface of all bodies in a frame, as a mesh.
    pub fn surface(&self, frame: &Frame) -> Mesh {
        let mut mesh = Mesh::default();
        let skins = self.skins(frame, &Numbers::None);
        for (part, carried) in self.bodies.iter().zip(&skins) {
            let first = mesh.points.len() as u32;
            let own = frame.positions.get(part.vertices.clone()).unwrap_or_default();
            // As the user's files have them.
            let (positions, triangles) = match (carried, &part.skin) {
                (Some(carried), Some(skin)) => {
                    (skin.in_users_order(&carried.positions), skin.users_triangles())
                }
                _ => (own.to_vec(), part.triangles.clone()),
            };
            mesh.points.extend(positions.iter().map(|p| p.map(f64::from)));
            mesh.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first)));
        }
        mesh
    }
}

impl BodyTopology {
    /// What is drawn of it: its skin where that is shown.
    pub(super) fn drawn<'a>(
        &'a self,
        frame: &'a Frame,
        numbers: &'a Numbers<'a>,
        carried: Option<&'a Carried>,
    ) -> Body<'a> {
        match (carried, &self.skin) {
            (Some(Carried { positions, values }), Some(skin)) => Body {
                positions,
                triangles: &skin.triangles,
                values: values.as_deref().map_or(Values::None, Values::Vertices),
                ..Body::default()
            },
            _ => Body {
                positions: &frame.positions[self.vertices.clone()],
                triangles: &self.triangles,
                tets: &self.tet_corners,
                values: numbers.of(self),
                colour: None,
                locked: &self.locked,
            },
        }
    }
}
