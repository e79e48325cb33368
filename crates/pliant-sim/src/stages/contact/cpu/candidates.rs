//! Which pairs may touch: found by boxes, sorted out by their distance, and kept until somebody has moved.

use std::collections::HashMap;
use std::ops::Range;

use super::drift::{Drift, Samples};
use super::filter::{Positions, Sixteen};
use super::given::AtStart;
use crate::contact::Surface;
use crate::contact::search::{self, CHUNK, Pairs};
use crate::contact::tree::{Apart, Tree};
use crate::math::Vec3;
use crate::model::{BodyKind, Model};
use crate::pool::Team;
use crate::scene::{self, ContactFilter};
use crate::simd::{Lane4, Lanes, Lanes16, Level, Task, run_at};
use crate::stages::contact::Anchor;
use crate::stages::contact::formula::{AHEAD, Kind, nearest};
use crate::stages::contact::surface::{NONE, Neighbourhoods};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::{Run, Slots};

/// Half the thickness of a surface, in typical edges of its body: even all over it, so that what slides along it
/// meets no bumps.
const THICKNESS: f64 = 0.1;

/// How far a vertex may move beside its body until the next search, its skin: as far as it goes in so many substeps,
/// but no less and no more than these parts of its shortest edge. At rest skins are thin, and candidates few.
const SUBSTEPS_AHEAD: f32 = 12.0;
const LEAST_SKIN: f32 = 0.06;
const MOST_SKIN: f32 = 0.2;

/// Rest distances of which surfaces of one body push each other apart: what is that near at rest is so by its
/// shape.
const REST_SHARE: f32 = 0.7;

/// What there is to know of the surfaces, whatever moves.
pub(super) struct Layout {
    pub surface: Surface,
    /// Whether bodies have an inside.
    pub is_solid: Vec<bool>,
    /// The shortest edge at each vertex of the model, which is 0 inside bodies \[m\].
    pub edge: Vec<f32>,
    /// Half the thickness of edges and triangles, by place \[m\].
    edge_radius: Vec<f32>,
    triangle_radius: Vec<f32>,
    vertex_radius: Vec<f32>,
    /// Slots of vertices, edges and triangles, by place.
    vertex_slots: Vec<u32>,
    edge_slots: Vec<[u32; 2]>,
    pub triangle_slots: Vec<[u32; 3]>,
    /// Bodies of vertices, edges and triangles, by their place in the surface.
    pub vertex_body: Vec<u32>,
    pub edge_body: Vec<u32>,
    pub triangle_body: Vec<u32>,
    /// Slots of all vertices of the model, and what the user calls them.
    pub slot_of: Vec<u32>,
    pub vertex_order: Vec<u32>,
    /// What lies round triangles, by place, and round vertices of the model.
    pub neighbourhoods: Neighbourhoods,
    /// The triangles at each edge, by place.
    pub edge_faces: Vec<[u32; 2]>,
    /// How deep behind triangles something counts as gone into their solid, by place; 0 where there is none
    /// \[m\].
    pub depths: Vec<f32>,
    /// By body: some vertices that tell how it moves as a whole, its typical edge \[m\], and its vertices.
    pub samples: Samples,
    pub typical_edge: Vec<f32>,
    pub vertices: Vec<Range<u32>>,
    /// Positions at rest \[m\].
    rest: Vec<[f32; 3]>,
    /// How far beyond a vertex its triangles act \[m\].
    vertex_reach: Vec<f32>,
    /// How many vertices, edges and triangles are those of bodies: behind them come surfaces whose motion is given.
    pub soft_counts: [usize; 3],
    /// The number of the first such surface among bodies, and the friction of each.
    first_given: u32,
    given_friction: Vec<f32>,
    /// By body: whether it touches itself, whom else, and its friction.
    within: Vec<bool>,
    filters: Vec<ContactFilter>,
    friction: Vec<f64>,
}

impl Layout {
    pub fn new(model: &Model, slots: &Slots, settings: &scene::Contact) -> Self {
        let AtStart { surface: given, rest: given_rest, depths: given_depths } =
            AtStart::new(model);
        let place = |v: usize| {
            let origin = model.bodies[model.body_of_vertex(v as u32)].origin;
            std::array::from_fn(|k| origin[k] + f64::from(model.rest[v][k]))
        };
        let positions: Vec<[f64; 3]> = (0..model.vertex_count()).map(place).collect();
        let has_contact =
            |t: &&[u32; 3]| model.bodies[model.body_of_vertex(t[0])].contact.is_some();
        let touching: Vec<[u32; 3]> = model.triangles.iter().filter(has_contact).copied().collect();
        let soft = Surface::new(&positions, &touching);
        let Surface { vertices, edges, triangles } = &soft;
        let soft_counts = [vertices.corners.len(), edges.corners.len(), triangles.corners.len()];
        let surface = soft.followed_by(given, model.vertex_count() as u32);
        let rest = [&model.rest[..], &given_rest].concat();
        let first_given = model.bodies.len() as u32;
        let body = |v: u32| match model.body_of_vertex(v) as u32 {
            body if body < first_given => body,
            _ => first_given + slots.given.partition_point(|run| run.first_vertex <= v) as u32 - 1,
        };
        let triangles = &surface.triangles.corners;
        let mut faces: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let two = faces.entry([a.min(b), a.max(b)]).or_insert([NONE; 2]);
                let free = usize::from(two[0] != NONE);
                two[free] = t as u32;
            }
        }
        let edge = shortest_edges(&surface, &rest);
        let typical_edge: Vec<f64> = model
            .bodies
            .iter()
            .map(|b| typical(&edge[b.vertices.start as usize..b.vertices.end as usize]))
            .collect();
        let mut radii: Vec<f32> = model
            .bodies
            .iter()
            .zip(&typical_edge)
            .map(|(b, edge)| {
                let own = b.contact.as_ref().and_then(|contact| contact.thickness);
                own.or(settings.thickness).map_or(THICKNESS * edge, |t| 0.5 * t) as f32
            })
            .collect();
        // What is given is no thinner than bodies are, so that those find as much room to be stopped in.
        let thinnest = radii.iter().copied().fold(f32::INFINITY, f32::min);
        radii.extend(model.given.iter().map(|given| thinnest + given.thickness as f32));
        let radius: Vec<f32> = (0..edge.len()).map(|v| radii[body(v as u32) as usize]).collect();
        let least = |corners: &[u32]| {
            corners.iter().map(|&v| radius[v as usize]).fold(f32::INFINITY, f32::min)
        };
        let given_slots = slots.given.iter().flat_map(|run| run.slots.clone());
        let slot_of: Vec<u32> = slots.slot_of.iter().copied().chain(given_slots).collect();
        let slot = |v: u32| slot_of[v as usize];
        let mut depths = depths(model, &triangles[..soft_counts[2]], |c| 2.0 * least(c));
        let soft = model.triangles.len();
        let numbers = &surface.triangles.numbers[soft_counts[2]..];
        depths.extend(numbers.iter().map(|&number| given_depths[number as usize - soft]));
        let mut vertex_reach: Vec<f32> = radius.iter().map(|r| AHEAD as f32 * r).collect();
        for (corners, &depth) in triangles.iter().zip(&depths) {
            for &v in corners {
                vertex_reach[v as usize] = vertex_reach[v as usize].max(depth);
            }
        }
        let solid = model.bodies.iter().map(|b| b.kind == BodyKind::Tets);
        Self {
            is_solid: solid.chain(model.given.iter().map(|given| given.is_solid)).collect(),
            edge_radius: surface.edges.corners.iter().map(|c| least(c)).collect(),
            triangle_radius: triangles.iter().map(|c| least(c)).collect(),
            vertex_radius: surface.vertices.corners.iter().map(|c| least(c)).collect(),
            vertex_slots: surface.vertices.corners.iter().map(|c| slot(c[0])).collect(),
            edge_slots: surface.edges.corners.iter().map(|c| c.map(slot)).collect(),
            triangle_slots: triangles.iter().map(|c| c.map(slot)).collect(),
            depths,
            edge,
            vertex_body: surface.vertices.corners.iter().map(|c| body(c[0])).collect(),
            edge_body: surface.edges.corners.iter().map(|c| body(c[0])).collect(),
            triangle_body: triangles.iter().map(|c| body(c[0])).collect(),
            neighbourhoods: Neighbourhoods::new(slot_of.len(), triangles),
            vertex_order: {
                let given = model.vertex_count() as u32..slot_of.len() as u32;
                model.vertex_order.iter().copied().chain(given).collect()
            },
            slot_of,
            edge_faces: surface
                .edges
                .corners
                .iter()
                .map(|&[a, b]| faces[&[a.min(b), a.max(b)]])
                .collect(),
            surface,
            samples: Samples::new(model, slots),
            // What is given does not drift.
            typical_edge: typical_edge
                .into_iter()
                .map(|edge| edge as f32)
                .chain(model.given.iter().map(|_| 0.0))
                .collect(),
            vertices: model
                .bodies
                .iter()
                .map(|b| b.vertices.clone())
                .chain(
                    slots
                        .given
                        .iter()
                        .map(|run| run.first_vertex..run.first_vertex + run.slots.len() as u32),
                )
                .collect(),
            rest,
            vertex_reach,
            soft_counts,
            first_given,
            given_friction: model.given.iter().map(|given| given.friction as f32).collect(),
            within: (0..first_given).map(|b| model.may_touch(settings, [b, b])).collect(),
            filters: model.bodies.iter().map(|b| b.contact_filter).collect(),
            friction: frictions(model, settings),
        }
    }

    /// Whether the motion of a body is given.
    pub fn is_given(&self, body: u32) -> bool {
        body >= self.first_given
    }

    /// Takes over other coefficients of friction.
    pub fn set_friction(&mut self, friction: Vec<f64>) {
        self.friction = friction;
    }

    /// The coefficient of friction of a pair of bodies: the geometric mean of theirs, so that one without any makes
    /// the pair slippery; that of a collider is its own.
    #[inline]
    pub fn pair_friction(&self, bodies: [u32; 2]) -> f32 {
        if let Some(given) = bodies.into_iter().find_map(|body| body.checked_sub(self.first_given))
        {
            return self.given_friction[given as usize];
        }
        let [a, b] = bodies.map(|body| self.friction[body as usize]);
        (if a == b { a } else { (a * b).sqrt() }) as f32
    }

    /// Whether bodies touch each other, or a body itself. Colliders touch all bodies and no collider.
    pub fn may_touch(&self, bodies: [u32; 2]) -> bool {
        let are_given = bodies.map(|body| self.is_given(body));
        if are_given.contains(&true) {
            return are_given.contains(&false);
        }
        let [a, b] = bodies.map(|body| body as usize);
        if a == b { self.within[a] } else { self.filters[a].lets_touch(self.filters[b]) }
    }

    /// The vertices of a pair.
    pub fn corners(&self, kind: Kind, first: u32, second: u32) -> [u32; 4] {
        let (first, second) = (first as usize, second as usize);
        match kind {
            Kind::VertexTriangle => {
                let [v] = self.surface.vertices.corners[first];
                let [a, b, c] = self.surface.triangles.corners[second];
                [v, a, b, c]
            }
            Kind::EdgeEdge => {
                let [a, b] = self.surface.edges.corners[first];
                let [c, d] = self.surface.edges.corners[second];
                [a, b, c, d]
            }
        }
    }

    /// The bodies of a pair.
    #[inline]
    pub fn bodies(&self, kind: Kind, first: u32, second: u32) -> [u32; 2] {
        let (first, second) = (first as usize, second as usize);
        match kind {
            Kind::VertexTriangle => [self.vertex_body[first], self.triangle_body[second]],
            Kind::EdgeEdge => [self.edge_body[first], self.edge_body[second]],
        }
    }

    /// The slots of a pair's vertices.
    #[inline]
    pub fn slots(&self, kind: Kind, first: u32, second: u32) -> [u32; 4] {
        let (first, second) = (first as usize, second as usize);
        match kind {
            Kind::VertexTriangle => {
                let [a, b, c] = self.triangle_slots[second];
                [self.vertex_slots[first], a, b, c]
            }
            Kind::EdgeEdge => {
                let ([a, b], [c, d]) = (self.edge_slots[first], self.edge_slots[second]);
                [a, b, c, d]
            }
        }
    }

    /// How thick the surfaces of a pair are together \[m\].
    #[inline]
    pub fn thickness(&self, kind: Kind, first: u32, second: u32) -> f32 {
        let (first, second) = (first as usize, second as usize);
        match kind {
            Kind::VertexTriangle => self.vertex_radius[first] + self.triangle_radius[second],
            Kind::EdgeEdge => self.edge_radius[first] + self.edge_radius[second],
        }
    }

    /// From how near two primitives that are so thick together are looked at, on either side of the second \[m\].
    #[inline]
    pub fn reach(&self, kind: Kind, second: u32, thickness: f32) -> f32 {
        let ahead = AHEAD as f32 * thickness;
        match kind {
            Kind::VertexTriangle => ahead.max(self.depths[second as usize]),
            Kind::EdgeEdge => ahead,
        }
    }

    /// From how near two primitives that do not come nearer must be looked at \[m\]: they are too near, or one
    /// has gone into the other's solid.
    #[inline]
    pub fn still_reach(&self, kind: Kind, first: u32, second: u32) -> f32 {
        let thickness = self.thickness(kind, first, second);
        match kind {
            Kind::VertexTriangle => thickness.max(self.depths[second as usize]),
            Kind::EdgeEdge => thickness,
        }
    }

    /// How near two primitives of one body must come before they push, if they do at `thickness` \[m\]: no
    /// nearer than their body's shape has them.
    pub fn thickness_within(&self, kind: Kind, first: u32, second: u32, thickness: f32) -> f32 {
        let rest = self.corners(kind, first, second).map(|v| Vec3::from(self.rest[v as usize]));
        thickness.min(REST_SHARE * nearest(kind, rest).distance())
    }

    /// Leads from anchors to pairs.
    pub fn places(&self) -> Places {
        let user = |v: u32| self.vertex_order[v as usize];
        let triangles = self.surface.triangles.corners.iter().map(|c| c.map(user));
        let edges = self.surface.edges.corners.iter().map(|c| c.map(user));
        let vertices = self.surface.vertices.corners.iter().map(|c| c.map(user));
        Places {
            vertices: vertices.zip(0..).collect(),
            edges: edges.zip(0..).collect(),
            triangles: triangles.zip(0..).collect(),
        }
    }

    pub fn bytes(&self) -> usize {
        let Self { surface, .. } = self;
        16 * surface.vertices.corners.len()
            + 24 * surface.edges.corners.len()
            + 40 * surface.triangles.corners.len()
            + size_of_val(&self.slot_of[..])
            + size_of_val(&self.rest[..])
            + size_of_val(&self.neighbourhoods.around[..])
    }
}

/// The coefficient of friction of each body.
pub(super) fn frictions(model: &Model, settings: &scene::Contact) -> Vec<f64> {
    let own = model.bodies.iter().map(|b| b.contact.as_ref().and_then(|contact| contact.friction));
    own.map(|own| own.unwrap_or(settings.friction)).collect()
}

/// How deep behind the triangles of a model something counts as gone into their solid: `most`, but no deeper
/// than half the tetrahedron there; 0 where there is none \[m\].
fn depths(model: &Model, triangles: &[[u32; 3]], most: impl Fn(&[u32]) -> f32) -> Vec<f32> {
    let sorted = |mut corners: [u32; 3]| {
        corners.sort_unstable();
        corners
    };
    let faces = model
        .tets
        .iter()
        .flat_map(|&[a, b, c, d]| [([b, c, d], a), ([a, c, d], b), ([a, b, d], c), ([a, b, c], d)]);
    let above: HashMap<[u32; 3], u32> = faces.map(|(face, top)| (sorted(face), top)).collect();
    let at = |v: u32| Vec3::<f32>::from(model.rest[v as usize]);
    let depth = |corners: &[u32; 3]| {
        let Some(&top) = above.get(&sorted(*corners)) else { return 0.0 };
        let [a, b, c] = corners.map(at);
        let normal = (b - a).cross(c - a);
        let height = ((at(top) - a).dot(normal) / normal.length()).abs();
        most(corners).min(0.5 * height)
    };
    triangles.iter().map(depth).collect()
}

/// The mean of what is not 0.
fn typical(edges: &[f32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for &edge in edges.iter().filter(|&&edge| edge > 0.0) {
        (sum, count) = (sum + f64::from(edge), count + 1);
    }
    sum / f64::from(count.max(1))
}

/// The shortest edge at each vertex at rest; 0 where there is none \[m\].
fn shortest_edges(surface: &Surface, rest: &[[f32; 3]]) -> Vec<f32> {
    let mut shortest = vec![f32::INFINITY; rest.len()];
    for corners in &surface.edges.corners {
        let [a, b] = corners.map(|v| Vec3::from(rest[v as usize]));
        let length = (b - a).length();
        // Ends that coincide tell nothing of how fine a surface is.
        for &v in corners.iter().filter(|_| length > 0.0) {
            shortest[v as usize] = shortest[v as usize].min(length);
        }
    }
    shortest.into_iter().map(|edge| if edge.is_finite() { edge } else { 0.0 }).collect()
}

/// Places of primitives by the user's numbers of their corners.
pub(super) struct Places {
    vertices: HashMap<[u32; 1], u32>,
    edges: HashMap<[u32; 2], u32>,
    triangles: HashMap<[u32; 3], u32>,
}

impl Places {
    /// The pair of an anchor, if there is such a pair.
    pub fn find(&self, anchor: &Anchor) -> Option<[u32; 2]> {
        let [a, b, c, d] = anchor.corners;
        Some(match anchor.kind {
            Kind::VertexTriangle => [*self.vertices.get(&[a])?, *self.triangles.get(&[b, c, d])?],
            Kind::EdgeEdge => [*self.edges.get(&[a, b])?, *self.edges.get(&[c, d])?],
        })
    }
}

/// The pairs that are near, and until when.
pub(super) struct Candidates {
    vertices: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
    /// By vertex of the model: where it is, as seen from a common origin, and how far it reaches \[m\].
    placed: Vec<Lane4>,
    /// By slot: where it was in the search, and how far it may go \[m\].
    searched: Vec<Lanes>,
    /// By body: its origin as seen from a common one, and the sum of its coordinates' sizes \[m\].
    pub origins: Vec<Lane4>,
    /// By vertex of the model: how far it may go beside the drift of its body \[m\].
    skin: Vec<f32>,
    pub drift: Drift,
    vertex_triangle: Pairs,
    edge_edge: Pairs,
    pub is_stale: bool,
    pub searches: u64,
}

impl Candidates {
    pub fn new(layout: &Layout, slot_count: usize) -> Self {
        let Surface { vertices, edges, triangles } = &layout.surface;
        Self {
            vertices: Tree::new(&vertices.corners),
            edges: Tree::new(&edges.corners),
            triangles: Tree::new(&triangles.corners),
            placed: vec![Lane4::default(); layout.slot_of.len()],
            searched: vec![Lanes::default(); slot_count.div_ceil(4)],
            origins: vec![Lane4::default(); layout.is_solid.len()],
            skin: vec![0.0; layout.slot_of.len()],
            drift: Drift::new(layout.is_solid.len()),
            vertex_triangle: Pairs::default(),
            edge_edge: Pairs::default(),
            is_stale: true,
            searches: 0,
        }
    }

    /// How many chunks of candidates there are of each kind.
    pub fn chunk_counts(&self) -> [usize; 2] {
        [self.vertices.len(), self.edges.len()].map(|count| count.div_ceil(CHUNK))
    }

    pub fn pairs(&self, kind: Kind) -> &Pairs {
        match kind {
            Kind::VertexTriangle => &self.vertex_triangle,
            Kind::EdgeEdge => &self.edge_edge,
        }
    }

    pub fn chunk_pairs(&self, kind: Kind, chunk: usize) -> usize {
        self.pairs(kind).chunk_pairs(chunk)
    }

    pub fn counts(&self) -> [usize; 2] {
        [self.vertex_triangle.count(), self.edge_edge.count()]
    }

    pub fn bytes(&self) -> usize {
        let arrays =
            size_of_val(&self.placed[..]) + size_of_val(&self.searched[..]) + self.drift.bytes();
        arrays + size_of_val(&self.skin[..]) + self.vertex_triangle.bytes() + self.edge_edge.bytes()
    }

    /// Whether one of some vertices has moved farther than its skin since the search, beside the drift of its body.
    pub fn have_left<'r>(
        &self,
        level: Level,
        work: &Work,
        mut runs: impl Iterator<Item = &'r Run>,
    ) -> bool {
        runs.any(|run| {
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            let searched = &self.searched[chunks.clone()];
            let drift = self.drift.way[run.body as usize];
            // SAFETY: the runs lie within the arrays, whose positions nobody writes now; the level was
            // detected.
            unsafe {
                let first = work.arrays.position.add(chunks.start);
                let now = std::slice::from_raw_parts(first.cast_const(), chunks.len());
                run_at(level, HasLeft { searched, now, drift })
            }
        })
    }

    /// Finds all pairs that are near enough to touch before a vertex has left its skin.
    pub fn search(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        frames: Frames<'_>,
        h: f64,
        layout: &Layout,
    ) -> Result<(), String> {
        let (team, level) = with;
        self.place(team, work, frames, h, layout);
        self.drift.let_go(layout, &self.placed);
        self.vertices.refit(team, &self.placed, 0.0);
        self.edges.refit(team, &self.placed, 0.0);
        self.triangles.refit(team, &self.placed, 0.0);
        loop {
            let (vertices, triangles) = (&self.vertices, &self.triangles);
            // What is given does not touch what is given.
            let [v, e, t] = layout.soft_counts;
            let found = &mut self.vertex_triangle;
            search::find_but::<false, 1, 3>(with, vertices, triangles, [v, t], found);
            let found = &mut self.edge_edge;
            search::find_but::<true, 2, 2>(with, &self.edges, &self.edges, [e, e], found);
            let is_complete = self.vertex_triangle.are_complete() && self.edge_edge.are_complete();
            if is_complete {
                break;
            }
            let bytes = 6 * self.counts().iter().sum::<usize>() as u64;
            if crate::memory::available().is_some_and(|there| bytes > there) {
                let count = self.counts().iter().sum::<usize>();
                return Err(format!("{count} pairs of surfaces are near each other"));
            }
            self.vertex_triangle.grow();
            self.edge_edge.grow();
        }
        let positions =
            Positions { by_slot: self.searched.as_ptr().cast::<Lane4>(), origins: &self.origins };
        let filter = Filter { layout, positions, margin: &self.drift.margin, level };
        let mut sixteen = Sixteen::EMPTY;
        let test =
            move |pairs: &[[u32; 2]]| filter.keeps(Kind::VertexTriangle, pairs, &mut sixteen);
        self.vertex_triangle.retain(team, test);
        let mut sixteen = Sixteen::EMPTY;
        let test = move |pairs: &[[u32; 2]]| filter.keeps(Kind::EdgeEdge, pairs, &mut sixteen);
        self.edge_edge.retain(team, test);
        self.is_stale = false;
        self.searches += 1;
        Ok(())
    }

    /// Notes where everybody is.
    fn place(&mut self, team: &Team, work: &Work, frames: Frames<'_>, h: f64, layout: &Layout) {
        let origins = frames.origins;
        let count = origins.len().max(1) as f64;
        let middle: [f64; 3] =
            std::array::from_fn(|k| origins.iter().map(|o| o[k]).sum::<f64>() / count);
        for (to, origin) in self.origins.iter_mut().zip(origins) {
            let [x, y, z] = std::array::from_fn(|k| (origin[k] - middle[k]) as f32);
            *to = Lane4([x, y, z, x.abs() + y.abs() + z.abs()]);
        }
        let ahead = SUBSTEPS_AHEAD * h as f32;
        self.drift.begin(work, layout, ahead);
        let Drift { velocity, margin, .. } = &self.drift;
        let (placed, skins) = (Apart::new(&mut self.placed, 1), Apart::new(&mut self.skin, 1));
        let searched = Apart::new(&mut self.searched, 1);
        let place_run = |run: &Run| {
            let body = run.body as usize;
            let origin = origins[body];
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            for chunk in chunks {
                // SAFETY: within the arrays; positions are written by nobody now, and the rest of a run by the one
                // worker who has it.
                let to = unsafe {
                    searched.get(chunk)[0] = *work.arrays.position.add(chunk);
                    &mut searched.get(chunk)[0].0
                };
                to.iter_mut().skip(3).step_by(4).for_each(|skin| *skin = f32::INFINITY);
            }
            for (vertex, slot) in (run.first_vertex as usize..).zip(run.slots.clone()) {
                let edge = layout.edge[vertex];
                if edge == 0.0 {
                    continue;
                }
                let way = ahead * speed_beside(work, slot, velocity[body]);
                let skin = way.min(MOST_SKIN * edge).max(LEAST_SKIN * edge);
                let x = work.position(slot).to_f64();
                let at = |k: usize| (x[k] + (origin[k] - middle[k])) as f32;
                let reach = layout.vertex_reach[vertex] + skin + margin[body];
                // SAFETY: as above; vertices of runs do not overlap either.
                unsafe {
                    placed.get(vertex)[0] = Lane4([at(0), at(1), at(2), reach]);
                    skins.get(vertex)[0] = skin;
                    searched.get(slot as usize / 4)[0].0[4 * (slot as usize % 4) + 3] = skin;
                }
            }
        };
        let slots = work.slots();
        team.each(work.block_count(), &|block| slots.blocks[block].runs.iter().for_each(place_run));
        team.each(slots.given.len(), &|given| place_run(&slots.given[given]));
    }
}

/// What is needed to sort out pairs of which only boxes are known to meet.
#[derive(Clone, Copy)]
struct Filter<'a> {
    layout: &'a Layout,
    /// Those of the search, with skins as fourth numbers.
    positions: Positions<'a>,
    /// See [`Drift::margin`].
    margin: &'a [f32],
    level: Level,
}

impl Filter<'_> {
    /// Which of up to sixteen pairs may come near before the next search, as bits.
    fn keeps(self, kind: Kind, pairs: &[[u32; 2]], sixteen: &mut Sixteen) -> u16 {
        let Self { layout, positions, margin, level } = self;
        let most = |skins: &[f32]| skins.iter().fold(0.0_f32, |a, &b| a.max(b));
        let mut asked = 0;
        for (lane, &[first, second]) in pairs.iter().enumerate() {
            let bodies = layout.bodies(kind, first, second);
            let [a, b] = bodies.map(|body| body as usize);
            asked |= u16::from(layout.may_touch(bodies)) << lane;
            let drift = if a == b { 0.0 } else { margin[a] + margin[b] };
            let thickness = layout.thickness(kind, first, second);
            let reach = layout.reach(kind, second, thickness) + drift;
            let slots = layout.slots(kind, first, second);
            // SAFETY: all slots are in the array, which nobody writes during a search.
            unsafe {
                sixteen.set(lane, kind, slots, bodies, positions, |skins| {
                    let (one, other) = skins.split_at(count_of_first(kind));
                    reach + most(one) + most(other)
                });
            }
        }
        asked & sixteen.near(level, kind, pairs.len())
    }
}

/// How fast the vertex in a slot is beside its body \[m/s\].
fn speed_beside(work: &Work, slot: u32, body: [f32; 3]) -> f32 {
    let [x, y, z, _] = work.velocity(slot).0;
    let [x, y, z] = [x - body[0], y - body[1], z - body[2]];
    (x * x + y * y + z * z).sqrt()
}

/// How many of the four corners belong to the first primitive.
pub(super) fn count_of_first(kind: Kind) -> usize {
    match kind {
        Kind::VertexTriangle => 1,
        Kind::EdgeEdge => 2,
    }
}

/// The coordinates of bodies.
#[derive(Clone, Copy)]
pub(super) struct Frames<'a> {
    pub origins: &'a [[f64; 3]],
}

impl Frames<'_> {
    /// Where the corners of a pair are, as seen from the origin of the first body \[m\].
    #[inline]
    pub fn positions(
        self,
        kind: Kind,
        slots: [u32; 4],
        bodies: [u32; 2],
        work: &Work,
    ) -> [Vec3<f32>; 4] {
        let mut x = slots.map(|slot| work.position(slot));
        if bodies[0] != bodies[1] {
            let shift = self.shift(bodies);
            x[count_of_first(kind)..].iter_mut().for_each(|x| *x = shifted(*x, shift));
        }
        x
    }

    /// From the origin of the first body to that of the second, and what rounding took from that \[m\].
    #[inline]
    pub fn shift(self, bodies: [u32; 2]) -> [Vec3<f32>; 2] {
        let [a, b] = bodies.map(|body| self.origins[body as usize]);
        let way: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let high = way.map(|s| s as f32);
        let low: [f32; 3] = std::array::from_fn(|k| (way[k] - f64::from(high[k])) as f32);
        [high.into(), low.into()]
    }
}

/// A position in the coordinates of another body.
#[inline]
pub(super) fn shifted(x: Vec3<f32>, [high, low]: [Vec3<f32>; 2]) -> Vec3<f32> {
    (x + high) + low
}

/// Whether positions have left those of the search.
struct HasLeft<'a> {
    searched: &'a [Lanes],
    now: &'a [Lanes],
    drift: [f32; 3],
}

impl Task for HasLeft<'_> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> bool {
        let [x, y, z] = self.drift;
        let drift = S::load(&Lanes(std::array::from_fn(|i| [x, y, z, 0.0][i % 4])));
        self.searched.iter().zip(self.now).any(|(then, now)| {
            let then = S::load(then);
            let way = S::load(now).sub(then).sub(drift).with_fourth_of(S::zero());
            let skin = then.broadcast_fourth();
            squared_length(way).any_outside(S::zero(), skin.mul(skin))
        })
    }
}

/// Of four vertices in sixteen lanes: x² + y² + z² in the first three lanes of each, and 0 in the fourth.
#[inline(always)]
pub(super) fn squared_length<S: Lanes16>(v: S) -> S {
    let square = v.mul(v);
    let next = square.turned();
    square.add(next).add(next.turned()).with_fourth_of(S::zero())
}
