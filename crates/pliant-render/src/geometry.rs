//! What there is to draw. The caller fills it from a simulation, a file or a generated shape.

use crate::colour::Colour;
use crate::error::RenderError;
use crate::obstacle::Obstacle;

/// Everything there is. Coordinates in `f32` are relative to [`Geometry::origin`], so that scenes far
/// from zero keep their digits.
#[derive(Clone, Debug, Default)]
pub struct Geometry<'a> {
    /// Common origin of all `f32` coordinates, in world coordinates \[m\].
    pub origin: [f64; 3],
    /// The bodies, in the order of their colours.
    pub bodies: Vec<Body<'a>>,
    /// Rigid things beside them.
    pub obstacles: Vec<Obstacle<'a>>,
    /// The walls, in world coordinates \[m\].
    pub world_box: Option<Bounds>,
    /// Height of the floor, in world coordinates \[m\].
    pub ground: Option<f64>,
    /// Rubber bands of dragging hands.
    pub bands: &'a [Band],
    /// Cylinders in which a push acts.
    pub pushes: &'a [Push],
    /// Forces, which nothing hides.
    pub arrows: &'a [Arrow],
}

/// One body. Slices may be empty; what is not there is not drawn.
#[derive(Clone, Debug, Default)]
pub struct Body<'a> {
    /// Vertices, relative to the origin \[m\].
    pub positions: &'a [[f32; 3]],
    /// Surface triangles, anticlockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// Tetrahedra, for the cut view.
    pub tets: &'a [[u32; 4]],
    /// Numbers shown as colour, in the unit of the colouring.
    pub values: Values<'a>,
    /// Own colour, or one from the list of distinct ones.
    pub colour: Option<Colour>,
    /// Vertices that are held in place.
    pub locked: &'a [u32],
}

impl Body<'_> {
    /// Whether it has what is needed to look into it: tetrahedra, and values.
    pub fn has_inside(&self) -> bool {
        !self.tets.is_empty() && !matches!(self.values, Values::None)
    }
}

/// Numbers that belong to a body.
#[derive(Clone, Copy, Debug, Default)]
pub enum Values<'a> {
    /// There are none.
    #[default]
    None,
    /// One for each vertex.
    Vertices(&'a [f32]),
    /// One for each tetrahedron. The surface shows the mean of those round a vertex, a cut shows each
    /// as it is.
    Tets(&'a [f32]),
}

impl<'a> Values<'a> {
    /// The numbers, whatever they belong to.
    pub fn as_slice(&self) -> &'a [f32] {
        match *self {
            Values::None => &[],
            Values::Vertices(v) | Values::Tets(v) => v,
        }
    }
}

/// A rubber band from a grabbed point to where the hand wants it, relative to the origin \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The grabbed point.
    pub point: [f32; 3],
    /// Where it is drawn to.
    pub hand: [f32; 3],
}

/// The cylinder of a push, endless along its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// A point on the axis, relative to the origin \[m\].
    pub origin: [f32; 3],
    /// Where the force points; of any length.
    pub direction: [f32; 3],
    /// \[m\]
    pub radius: f32,
}

/// An arrow, relative to the origin \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Where it begins.
    pub tail: [f32; 3],
    /// Where it points to, with a ball there.
    pub tip: [f32; 3],
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates \[m\].
    pub min: [f64; 3],
    /// Greatest coordinates \[m\].
    pub max: [f64; 3],
}

impl Bounds {
    /// The least box round all finite points; nothing if there are none.
    pub fn of(points: impl IntoIterator<Item = [f64; 3]>) -> Option<Self> {
        let finite = points.into_iter().filter(|p| p.iter().all(|c| c.is_finite()));
        finite.map(|p| Self { min: p, max: p }).reduce(Self::union)
    }

    /// The least box round both.
    pub fn union(self, other: Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].min(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].max(other.max[k])),
        }
    }

    /// The middle \[m\].
    pub fn centre(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.min[k] / 2.0 + self.max[k] / 2.0)
    }

    /// Half the diagonal \[m\].
    pub fn radius(&self) -> f64 {
        let square = |k: usize| (self.max[k] - self.min[k]).powi(2);
        (square(0) + square(1) + square(2)).sqrt() / 2.0
    }

    /// The eight corners; bit `k` of the number says whether coordinate `k` is the greatest.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        let of =
            |corner: usize, k: usize| if corner >> k & 1 == 1 { self.max[k] } else { self.min[k] };
        std::array::from_fn(|corner| std::array::from_fn(|k| of(corner, k)))
    }
}

impl Geometry<'_> {
    /// The box round all finite vertices of bodies, in world coordinates \[m\]; nothing if there are none.
    pub fn bounds(&self) -> Option<Bounds> {
        let points = self.bodies.iter().flat_map(|b| b.positions);
        Bounds::of(points.map(|p| std::array::from_fn(|k| self.origin[k] + f64::from(p[k]))))
    }

    /// Least and greatest of all finite values, for the range of a colouring.
    pub fn value_range(&self) -> Option<[f32; 2]> {
        let values = self.bodies.iter().flat_map(|b| b.values.as_slice());
        values.filter(|v| v.is_finite()).fold(None, |range: Option<[f32; 2]>, &v| {
            let [low, high] = range.unwrap_or([v, v]);
            Some([low.min(v), high.max(v)])
        })
    }

    /// Refuses vertex numbers that do not exist and arrays of the wrong length.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        for (number, body) in self.bodies.iter().enumerate() {
            let count = body.positions.len();
            check_indices(number, count, "triangle", body.triangles.iter().map(|t| &t[..]))?;
            check_indices(number, count, "tetrahedron", body.tets.iter().map(|t| &t[..]))?;
            check_indices(number, count, "lock", body.locked.iter().map(std::slice::from_ref))?;
            let (got, want, of) = match body.values {
                Values::None => continue,
                Values::Vertices(v) => (v.len(), count, "vertices"),
                Values::Tets(v) => (v.len(), body.tets.len(), "tetrahedra"),
            };
            if got != want {
                return Err(RenderError::Values { body: number, got, want, of });
            }
        }
        Ok(())
    }
}

/// Refuses numbers of vertices that do not exist.
pub(crate) fn check_indices<'a>(
    body: usize,
    count: usize,
    kind: &'static str,
    elements: impl Iterator<Item = &'a [u32]>,
) -> Result<(), RenderError> {
    for (element, vertices) in elements.enumerate() {
        if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= count) {
            return Err(RenderError::Index { body, kind, element, vertex, count });
        }
    }
    Ok(())
}
