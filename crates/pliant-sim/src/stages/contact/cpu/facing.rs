//! Which vertices face another body closely enough to matter when bodies look for each other.
//!
//! Boxes of primitives lie along the axes of the world, and those of two round bodies that nearly touch meet in
//! hundreds of places where nothing is near. Along the line from the middle of one body to that of the other, though,
//! all of the second begins at some place, and whatever of the first does not reach that place cannot touch it: of two
//! balls only the caps that face each other are left. This holds for bodies of any shape; for those that lie round each
//! other nothing is gained.

use crate::contact::tree::Apart;
use crate::math::Vec3;
use crate::pool::Team;
use crate::simd::Lane4;
use crate::stages::contact::layout::Layout;

/// The reach of vertices that need not be looked for: boxes round them alone meet nothing.
const NOWHERE: f32 = -1e30;
/// What rounding may do to a place along a line, over the sizes of the coordinates.
const ROUNDING: f32 = 1e-6;

/// Box round a body, with the reach of its vertices \[m\].
#[derive(Clone, Copy, Debug)]
struct Extent {
    low: [f32; 3],
    high: [f32; 3],
}

impl Extent {
    const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    fn meets(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    fn middle(&self) -> Vec3<f32> {
        std::array::from_fn(|k| 0.5 * (self.low[k] + self.high[k])).into()
    }

    /// The largest coordinate of all.
    fn size(&self) -> f32 {
        self.low.iter().chain(&self.high).fold(0.0, |most: f32, c| most.max(c.abs()))
    }
}

/// Whom vertices face.
pub(super) struct Facing {
    /// By body.
    extents: Vec<Extent>,
    /// By vertex of the model: whether it faces a body, and whether it is a corner of a triangle of which one does.
    faces: Vec<bool>,
    is_near: Vec<bool>,
}

impl Facing {
    pub fn new(layout: &Layout) -> Self {
        let vertex_count = layout.slot_of.len();
        Self {
            extents: vec![Extent::EMPTY; layout.vertices.len()],
            faces: vec![false; vertex_count],
            is_near: vec![false; vertex_count],
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.extents[..]) + self.faces.len() + self.is_near.len()
    }

    /// Takes out of a search between bodies what of them faces no other one: such vertices get no reach. `placed` are
    /// the vertices of the model with theirs.
    pub fn turn_away(&mut self, team: &Team, layout: &Layout, placed: &mut [Lane4]) {
        self.measure(team, layout, placed);
        self.look(team, layout, placed);
        // A primitive that reaches a body at one corner is looked for as a whole.
        self.is_near.fill(false);
        for corners in &layout.surface.triangles.corners {
            if corners.iter().any(|&v| self.faces[v as usize]) {
                corners.iter().for_each(|&v| self.is_near[v as usize] = true);
            }
        }
        for (place, is_near) in placed.iter_mut().zip(&self.is_near) {
            if !is_near {
                place.0[3] = NOWHERE;
            }
        }
    }

    fn measure(&mut self, team: &Team, layout: &Layout, placed: &[Lane4]) {
        let extents = Apart::new(&mut self.extents, 1);
        team.each(extents.len(), &|body| {
            let mut extent = Extent::EMPTY;
            for (x, reach) in surface_of(layout, body, placed) {
                let x: [f32; 3] = x.into();
                for k in 0..3 {
                    extent.low[k] = extent.low[k].min(x[k] - reach);
                    extent.high[k] = extent.high[k].max(x[k] + reach);
                }
            }
            // SAFETY: the team gives each number to one worker.
            unsafe { extents.get(body)[0] = extent };
        });
    }

    /// Finds the vertices that face a body which theirs may touch.
    fn look(&mut self, team: &Team, layout: &Layout, placed: &[Lane4]) {
        let Self { extents, faces, .. } = self;
        let (extents, faces) = (&extents[..], Apart::new(faces, 1));
        team.each(extents.len(), &|body| {
            let range = layout.vertices[body].start as usize..layout.vertices[body].end as usize;
            // SAFETY: bodies have vertices of their own, and the team gives each body to one worker.
            let mark = |vertex: usize, to: bool| unsafe { faces.get(vertex)[0] = to };
            range.clone().for_each(|vertex| mark(vertex, false));
            for (other, extent) in extents.iter().enumerate() {
                let may_touch = other != body && layout.may_touch([body as u32, other as u32]);
                if !may_touch || !extents[body].meets(extent) {
                    continue;
                }
                let way = extent.middle() - extents[body].middle();
                let length = way.length();
                // Bodies that lie round each other face each other everywhere.
                let along = if length > 0.0 { way * (1.0 / length) } else { Vec3::zero() };
                let begin = surface_of(layout, other, placed)
                    .map(|(x, reach)| x.dot(along) - reach)
                    .fold(f32::INFINITY, f32::min);
                let begin = begin - ROUNDING * 3.0 * (extents[body].size() + extent.size());
                for vertex in range.clone().filter(|&v| layout.edge[v] != 0.0) {
                    let [x, y, z, reach] = placed[vertex].0;
                    if Vec3::from([x, y, z]).dot(along) + reach >= begin {
                        mark(vertex, true);
                    }
                }
            }
        });
    }
}

/// Where the vertices on the surface of a body are, and how far each reaches.
fn surface_of<'a>(
    layout: &'a Layout,
    body: usize,
    placed: &'a [Lane4],
) -> impl Iterator<Item = (Vec3<f32>, f32)> + 'a {
    let range = layout.vertices[body].start as usize..layout.vertices[body].end as usize;
    range.filter(|&v| layout.edge[v] != 0.0).map(|v| {
        let [x, y, z, reach] = placed[v].0;
        (Vec3::from([x, y, z]), reach)
    })
}
