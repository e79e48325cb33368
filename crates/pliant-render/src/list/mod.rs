//! From a scene and a view to plain lists of triangles, lines and balls, which every renderer draws
//! in the same way.

pub(crate) mod cut;
pub(crate) mod lines;
pub(crate) mod normals;
mod obstacles;
pub(crate) mod surface;

#[cfg(test)]
mod tests;

use crate::camera::Projection;
use crate::colour::{Colour, ColourMap};
use crate::error::RenderError;
use crate::geometry::{Body, Bounds, Geometry, Values};
use crate::math::{Vec3, Vec3f};
use crate::view::View;

/// Lines are drawn nearer to the eye by this part of their distance, so that the surface they lie on
/// does not hide them.
pub const LINE_BIAS: f32 = 2e-3;
/// The same for balls.
pub const BALL_BIAS: f32 = 4e-3;

/// A vertex of a surface, as a graphics card would take it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct Vertex {
    /// Relative to the origin \[m\].
    pub position: [f32; 3],
    /// Place on the colour scale, 0 to 1; not a number where there is no value.
    pub value: f32,
    /// Unit vector out of the surface.
    pub normal: [f32; 3],
    /// Which of [`DrawList::paints`].
    pub paint: u32,
}

/// What gives a surface its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// The same everywhere.
    Solid(Colour),
    /// By the vertices' values.
    Map(ColourMap),
}

/// A line of even width, a little nearer to the eye than the surface it lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Both ends, relative to the origin \[m\].
    pub ends: [[f32; 3]; 2],
    /// Not lit.
    pub colour: Colour,
    /// \[pixels\]
    pub width: f32,
    /// Nothing hides it.
    pub in_front: bool,
}

/// A small ball of even size in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct Ball {
    /// Relative to the origin \[m\].
    pub centre: [f32; 3],
    /// \[pixels\]
    pub radius: f32,
    /// Lit like a surface, without shadow.
    pub colour: Colour,
}

/// The floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Relative to the origin \[m\].
    pub height: f32,
    /// Where it is most visible, relative to the origin \[m\].
    pub centre: [f32; 2],
    /// It fades into the background between one and two of these \[m\].
    pub radius: f32,
    /// Distance of the lines on it \[m\]; 0 for none.
    pub grid: f32,
    /// Where two of the lines cross, relative to the origin \[m\].
    pub grid_origin: [f32; 2],
}

/// A body that is looked into; numbers as in [`Body`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// Relative to the origin \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// One for each vertex; empty if tetrahedra have them.
    pub values: Vec<f32>,
    /// One for each tetrahedron; empty if vertices have them.
    pub tet_values: Vec<f32>,
}

impl Cloud {
    fn new(body: &Body) -> Self {
        let (values, tet_values) = match body.values {
            Values::None => (Vec::new(), Vec::new()),
            Values::Vertices(values) => (values.to_vec(), Vec::new()),
            Values::Tets(values) => (Vec::new(), values.to_vec()),
        };
        let (positions, tets) = (body.positions.to_vec(), body.tets.to_vec());
        Self { positions, tets, values, tet_values }
    }
}

/// A short text in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Middle of the text \[pixels\].
    pub at: [f32; 2],
    /// What it says.
    pub text: String,
    /// In which colour.
    pub colour: Colour,
}

/// Everything a renderer draws.
#[derive(Clone, Debug, Default)]
pub struct DrawList {
    /// Vertices of all surfaces; those without a finite position are in no triangle.
    pub vertices: Vec<Vertex>,
    /// Triangles that are seen, from both sides.
    pub triangles: Vec<[u32; 3]>,
    /// How many of them, from the first on, keep no light off.
    pub shadowless: usize,
    /// Triangles that keep light off and are not seen.
    pub casters: Vec<[u32; 3]>,
    /// What [`Vertex::paint`] numbers.
    pub paints: Vec<Paint>,
    /// Lines.
    pub lines: Vec<Line>,
    /// Balls.
    pub balls: Vec<Ball>,
    /// The floor, if it is to be seen.
    pub ground: Option<Ground>,
    /// Bodies that are looked into.
    pub clouds: Vec<Cloud>,
    /// Texts at places of the scene.
    pub labels: Vec<Label>,
    /// Middle \[m\] and radius \[m\] of a ball round all that may lie in shadow, relative to the origin: all
    /// bodies, and obstacles near them.
    pub extent: ([f32; 3], f32),
    /// How many vertices were left out because their position is not finite.
    pub skipped: usize,
}

/// More than this of any kind cannot be numbered with room for lines and balls.
const MAX_COUNT: usize = 1 << 30;

impl DrawList {
    /// Triangles that keep light off.
    pub(crate) fn light_stoppers(&self) -> impl Iterator<Item = &[u32; 3]> {
        self.triangles[self.shadowless..].iter().chain(&self.casters)
    }

    /// What `view` shows of `geometry`, in the picture that `projection` leads to.
    pub fn new(
        geometry: &Geometry,
        view: &View,
        projection: &Projection,
    ) -> Result<Self, RenderError> {
        let mut list = Self::without_clouds(geometry, view, projection)?;
        if view.volume.is_some() {
            let seen = geometry.bodies.iter().filter(|body| body.has_inside());
            list.clouds = seen.map(Cloud::new).collect();
        }
        Ok(list)
    }

    /// The same without copies of the bodies that are looked into.
    pub(crate) fn without_clouds(
        geometry: &Geometry,
        view: &View,
        projection: &Projection,
    ) -> Result<Self, RenderError> {
        Self::of(geometry, view, projection, geometry.bounds())
    }

    /// The same for bodies that are drawn from elsewhere, such as
    /// the resident ones of a graphics card, and are within `bounds` \[m\]: there shadows are
    /// looked for, and pushes shown.
    pub fn around(
        geometry: &Geometry,
        view: &View,
        projection: &Projection,
        bounds: Bounds,
    ) -> Result<Self, RenderError> {
        Self::of(geometry, view, projection, Some(bounds))
    }

    fn of(
        geometry: &Geometry,
        view: &View,
        projection: &Projection,
        bounds: Option<Bounds>,
    ) -> Result<Self, RenderError> {
        geometry.check()?;
        view.volume.as_ref().map_or(Ok(()), |look| look.check())?;
        let mut list = Self { extent: extent(geometry.origin, bounds), ..Self::default() };
        let pixel = pixel(projection.size()[1] as f32);
        obstacles::add(&mut list, geometry, view, projection);
        surface::add_bodies(&mut list, geometry, view, pixel);
        lines::add(&mut list, geometry, view, projection, pixel);
        list.extent = extent(geometry.origin, obstacles::shadowed(geometry, bounds));
        list.ground =
            geometry.ground.filter(|_| view.ground).and_then(|h| ground(geometry, view, h));
        let triangles = list.triangles.len() + list.casters.len();
        let counts = [list.vertices.len(), triangles, list.lines.len(), list.balls.len()];
        if counts.iter().any(|&n| n > MAX_COUNT) { Err(RenderError::TooMuch) } else { Ok(list) }
    }
}

/// Widths are chosen for a picture of 720 rows and grow with it.
fn pixel(rows: f32) -> f32 {
    (rows / 720.0).max(0.75)
}

fn extent(origin: [f64; 3], bounds: Option<Bounds>) -> ([f32; 3], f32) {
    let Some(bounds) = bounds else { return ([0.0; 3], 1.0) };
    let centre = Vec3::from(bounds.centre()) - Vec3::from(origin);
    let radius = bounds.radius() as f32;
    (centre.to_f32().into(), if radius > 0.0 && radius.is_finite() { radius } else { 1.0 })
}

/// The floor round what the camera looks at. It depends on no body, so that it stays as it is while
/// they move.
fn ground(geometry: &Geometry, view: &View, height: f64) -> Option<Ground> {
    let reach = view.camera.distance();
    let spacing = f64::from(round_below((reach / 6.0) as f32));
    let centre = |k: usize| view.camera.target[k] - geometry.origin[k];
    let ground = Ground {
        height: (height - geometry.origin[2]) as f32,
        centre: [centre(0) as f32, centre(1) as f32],
        radius: reach as f32,
        grid: if view.grid { spacing as f32 } else { 0.0 },
        // Lines lie at multiples of their distance in the world, whatever the origin.
        grid_origin: [0, 1].map(|k| -geometry.origin[k].rem_euclid(spacing) as f32),
    };
    let finite = ground.height.is_finite() && ground.grid_origin.iter().all(|c| c.is_finite());
    finite.then_some(ground)
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above `x`.
pub(crate) fn round_below(x: f32) -> f32 {
    let power = 10f32.powf(x.log10().floor());
    [5.0, 2.0, 1.0].map(|m| m * power).into_iter().find(|&r| r <= x * 1.0001).unwrap_or(power)
}

/// Whether all of these vertices can be drawn.
fn drawable(positions: &[[f32; 3]], vertices: &[u32]) -> bool {
    vertices.iter().all(|&v| Vec3f::from(positions[v as usize]).is_finite())
}
