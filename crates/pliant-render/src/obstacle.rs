//! Rigid things beside the bodies: what they look like is prepared once, and each picture only moves it.

use crate::error::RenderError;
use crate::geometry::{Body, Bounds, check_indices};
use crate::list::surface::{Face, add_surface};
use crate::list::{DrawList, Vertex};
use crate::view::Shading;

/// The surface of a rigid thing in its own coordinates, smooth with creases as those of bodies are.
///
/// It has one side: that to which its triangles are turned. From behind nobody sees it, and light passes
/// through. So a vessel, whose triangles face inward, hides nothing of what is in it, and a floor nothing
/// of what lies on it.
#[derive(Clone, Debug, Default)]
pub struct RigidSurface {
    /// With paint 0, or 1 for the darker shade.
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) triangles: Vec<[u32; 3]>,
    bounds: Option<Bounds>,
}

impl RigidSurface {
    /// From vertices \[m\] and triangles, anticlockwise seen from the side that is seen.
    /// Errors call it body 0.
    pub fn new(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Self, RenderError> {
        let corners = triangles.iter().map(|t| &t[..]);
        check_indices(0, positions.len(), "triangle", corners)?;
        let body = Body { positions, triangles, ..Body::default() };
        let faces: Vec<Face> =
            triangles.iter().map(|&corners| Face { corners, inside: None }).collect();
        let mut list = DrawList::default();
        add_surface(&mut list, &body, &faces, &None, Shading::Smooth, [0, 0]);
        let DrawList { vertices, triangles, .. } = list;
        Ok(Self {
            vertices,
            triangles,
            bounds: Bounds::of(positions.iter().map(|p| p.map(f64::from))),
        })
    }

    /// Gives the triangles with these numbers a slightly darker shade, which shows how a large surface
    /// moves. They share no vertex with the others.
    pub fn darken(&mut self, triangles: impl IntoIterator<Item = usize>) {
        for v in triangles.into_iter().filter_map(|t| self.triangles.get(t)).flatten() {
            self.vertices[*v as usize].paint = 1;
        }
    }

    /// The box round it in its own coordinates \[m\]; nothing if it is empty.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }
}

/// A rigid thing where it is.
#[derive(Clone, Copy, Debug)]
pub struct Obstacle<'a> {
    /// What it looks like.
    pub surface: &'a RigidSurface,
    /// How it is turned: a rotation matrix, by rows.
    pub rotation: [[f64; 3]; 3],
    /// Where its origin is, in world coordinates \[m\].
    pub translation: [f64; 3],
    /// Whether it stands for something that goes on for ever: then it is no part of what a picture must
    /// show.
    pub is_endless: bool,
}

impl Obstacle<'_> {
    /// A box round it, in world coordinates \[m\]; nothing if it is empty or endless.
    pub fn bounds(&self) -> Option<Bounds> {
        let own = self.surface.bounds.filter(|_| !self.is_endless)?;
        Bounds::of(own.corners().into_iter().map(|corner| self.place(corner)))
    }

    /// Where a point of its own coordinates is in the world \[m\].
    fn place(&self, p: [f64; 3]) -> [f64; 3] {
        let turned = self.rotation.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
        std::array::from_fn(|k| turned[k] + self.translation[k])
    }

    /// Vertices in the world, relative to `origin`.
    pub(crate) fn vertices(&self, origin: [f64; 3]) -> impl Iterator<Item = Vertex> {
        let rows = self.rotation.map(|row| row.map(|c| c as f32));
        let shift: [f64; 3] = std::array::from_fn(|k| self.translation[k] - origin[k]);
        let shift = shift.map(|c| c as f32);
        let turned = move |p: [f32; 3]| rows.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2]);
        self.surface.vertices.iter().map(move |vertex| {
            let at = turned(vertex.position);
            let position = std::array::from_fn(|k| at[k] + shift[k]);
            Vertex { position, normal: turned(vertex.normal), ..*vertex }
        })
    }
}
