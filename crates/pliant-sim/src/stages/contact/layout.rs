//! What there is to know of surfaces that may touch, whatever moves: the same on every backend but for the slots
//! of vertices.

use std::collections::HashMap;

use super::Anchor;
use super::formula::{AHEAD, Kind, nearest};
use super::given::AtStart;
use super::surface::{NONE, Neighbourhoods};
use crate::contact::Surface;
use crate::math::Vec3;
use crate::model::{BodyKind, Model};
use crate::scene::{self, ContactFilter};
use crate::stages::cpu::slots::Run;

/// Half the thickness of a surface, in typical edges of its body: even all over it, so that what slides along it
/// meets no bumps.
const THICKNESS: f64 = 0.1;

/// Rest distances of which surfaces of one body push each other apart: what is that near at rest is so by its
/// shape.
const REST_SHARE: f32 = 0.7;

/// What there is to know of the surfaces, whatever moves.
pub(super) struct Layout {
    pub surface: Surface,
    /// Whether bodies have an inside.
    pub is_solid: Vec<bool>,
    /// Half the thickness at each vertex of the model, and its shortest edge, which is 0 inside bodies \[m\].
    pub radius: Vec<f32>,
    pub edge: Vec<f32>,
    /// Half the thickness of edges and triangles, by place \[m\].
    pub edge_radius: Vec<f32>,
    pub triangle_radius: Vec<f32>,
    pub vertex_radius: Vec<f32>,
    /// Slots of vertices, edges and triangles, by place.
    pub vertex_slots: Vec<u32>,
    pub edge_slots: Vec<[u32; 2]>,
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
    /// Positions at rest \[m\].
    pub rest: Vec<[f32; 3]>,
    /// How far round a vertex its primitives act, on whatever acts as far round itself \[m\]; by body, how much farther
    /// they may have to look ahead of what comes nearer.
    pub vertex_reach: Vec<f32>,
    pub most_ahead: Vec<f32>,
    /// See [`Model::skin`].
    pub skin: f32,
    /// How many vertices, edges and triangles are those of bodies: behind them come surfaces whose motion is given.
    pub soft_counts: [usize; 3],
    /// The number of the first such surface among bodies, and the friction and restitution of each.
    first_given: u32,
    given_friction: Vec<f32>,
    given_restitution: Vec<f32>,
    /// By body: whether it touches itself, whom else, and its friction.
    pub within: Vec<bool>,
    pub filters: Vec<ContactFilter>,
    pub friction: Vec<f64>,
    /// By vertex of the model, what it is called among those that it is sewn to now; nothing where nothing is sewn.
    pub sewn: Vec<u32>,
    /// The same among those that it is welded to, so that they are one vertex.
    pub welded: Vec<u32>,
}

impl Layout {
    /// That of a model whose vertices have these slots; `given_runs` are those of surfaces whose motion is given.
    pub fn new(
        model: &Model,
        slots: &[u32],
        given_runs: &[Run],
        settings: &scene::Contact,
    ) -> Self {
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
            _ => first_given + given_runs.partition_point(|run| run.first_vertex <= v) as u32 - 1,
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
        // What is given is no thinner than bodies that touch are, so that those find as much room to be stopped in.
        let thick = radii.iter().copied().filter(|&radius| radius > 0.0);
        let thinnest = thick.reduce(f32::min).unwrap_or(0.0);
        radii.extend(model.given.iter().map(|given| thinnest + given.thickness as f32));
        let radius: Vec<f32> = (0..edge.len()).map(|v| radii[body(v as u32) as usize]).collect();
        let least = |corners: &[u32]| {
            corners.iter().map(|&v| radius[v as usize]).fold(f32::INFINITY, f32::min)
        };
        let given_slots = given_runs.iter().flat_map(|run| run.slots.clone());
        let slot_of: Vec<u32> = slots.iter().copied().chain(given_slots).collect();
        let slot = |v: u32| slot_of[v as usize];
        let mut depths = depths(model, &triangles[..soft_counts[2]], |c| 2.0 * least(c));
        let (_, numbers) = surface.triangles.numbers.split_at(soft_counts[2]);
        depths.extend(numbers.iter().map(|&n| given_depths[n as usize - soft_counts[2]]));
        let mut vertex_reach = radius.clone();
        for (corners, &depth) in triangles.iter().zip(&depths) {
            for &v in corners {
                vertex_reach[v as usize] = vertex_reach[v as usize].max(depth - thinnest);
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
            radius,
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
            rest,
            vertex_reach,
            most_ahead: radii.iter().map(|radius| (AHEAD as f32 - 1.0) * radius).collect(),
            skin: model.skin(),
            soft_counts,
            first_given,
            given_friction: model.given.iter().map(|given| given.friction as f32).collect(),
            given_restitution: model.given.iter().map(|given| given.restitution as f32).collect(),
            within: (0..first_given).map(|b| model.may_touch(settings, [b, b])).collect(),
            filters: model.bodies.iter().map(|b| b.contact_filter).collect(),
            friction: frictions(model, settings),
            sewn: model.seams.corners(model.vertex_count()),
            welded: model.seams.corners(model.vertex_count()),
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

    /// The share of the normal velocity that a pair of bodies gives back: that of a collider is its own, and soft bodies
    /// bounce by their softness alone.
    #[inline]
    pub fn pair_restitution(&self, bodies: [u32; 2]) -> f32 {
        let given = bodies.into_iter().find_map(|body| body.checked_sub(self.first_given));
        given.map_or(0.0, |given| self.given_restitution[given as usize])
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

    /// Whether a pair shares a corner because it is sewn together, or pulled together to be so.
    #[inline]
    pub fn is_sewn(&self, kind: Kind, first: u32, second: u32) -> bool {
        !self.sewn.is_empty() && self.shares_corner(&self.sewn, kind, first, second)
    }

    /// Whether a pair shares a corner because it is welded.
    #[inline]
    pub fn is_welded(&self, kind: Kind, first: u32, second: u32) -> bool {
        !self.welded.is_empty() && self.shares_corner(&self.welded, kind, first, second)
    }

    /// Whether two triangles share a corner because it is welded.
    pub fn are_welded(&self, [one, other]: [[u32; 3]; 2]) -> bool {
        let corner = |v: u32| self.welded.get(v as usize).copied().unwrap_or(v);
        !self.welded.is_empty()
            && one.iter().any(|&a| other.iter().any(|&b| corner(a) == corner(b)))
    }

    fn shares_corner(&self, names: &[u32], kind: Kind, first: u32, second: u32) -> bool {
        let corner = |v: u32| names.get(v as usize).copied().unwrap_or(v);
        let corners = self.corners(kind, first, second).map(corner);
        let (one, other) = corners.split_at(if kind == Kind::VertexTriangle { 1 } else { 2 });
        one.iter().any(|corner| other.contains(corner))
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

/// How many of the four corners belong to the first primitive.
pub(super) fn count_of_first(kind: Kind) -> usize {
    match kind {
        Kind::VertexTriangle => 1,
        Kind::EdgeEdge => 2,
    }
}
