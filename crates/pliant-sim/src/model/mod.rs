//! The compiled scene: plain arrays, immutable while it is stepped.
//!
//! All bodies share the arrays, so one pass steps them all. Vertices, tetrahedra and springs are in
//! *model order*, body after body, chosen for locality; [`Model::vertex_order`] leads back to the
//! user's numbering. Positions are relative to the origin of their body, so that a body keeps its
//! precision wherever it stands in the world.

mod advice;
#[cfg(test)]
mod advice_tests;
mod calibrate;
mod cloth;
#[cfg(test)]
mod cloth_tests;
mod clusters;
mod compile;
mod family;
pub mod fields;
#[cfg(test)]
mod fields_tests;
mod given;
mod given_start;
mod hinges;
mod mass;
mod part;
pub mod partition;
mod pin;
mod select;
mod sew;
pub mod springs;
mod tear;
mod track;

use std::ops::Range;
use std::sync::Arc;

pub use compile::{BuildError, compile, compile_within};
pub use family::{Families, Family};
pub use fields::{Field, FieldOn};
pub use given::Given;
pub use track::Tracked;

use crate::math::Vec3;
use crate::scene::{BodyContact, Contact, ContactFilter, Material, Stiffness};
use crate::stages::bending::Hinge;
use crate::stages::colliders::Colliders;
use crate::stages::elastic::formula::{six_volumes, spring_stiffness};
use crate::stages::elastic::{Elements, VolumeForm};
use crate::stages::pins::Pins;
use crate::stages::seams::Seams;
use crate::stages::shapes::Shapes;
use crate::stages::skin::Skin;
use crate::stages::strain::StrainLimits;
use crate::stages::stress::Share;
use partition::Block;
use pliant_mesh::topology::TET_EDGES;

/// What a body is made of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Tetrahedra with springs along their edges.
    Tets,
    /// A surface of triangles, each edge one spring; or points alone, which are matched with their shape.
    Surface,
}

/// One body of the model.
#[derive(Clone, Debug)]
pub struct BodyModel {
    /// The scene's name for it, numbered when the scene asks for copies.
    pub name: String,
    /// Tetrahedra or a surface.
    pub kind: BodyKind,
    /// Its vertices, in model order and in the user's.
    pub vertices: Range<u32>,
    /// Its tetrahedra, likewise.
    pub tets: Range<u32>,
    /// Its springs.
    pub springs: Range<u32>,
    /// Its surface triangles.
    pub triangles: Range<u32>,
    /// Where its coordinates start \[m\].
    pub origin: [f64; 3],
    /// Diagonal of its bounding box at rest \[m\].
    pub size: f64,
    /// Mean length of its edges at rest \[m\].
    pub edge: f64,
    /// What it is made of.
    pub material: Material,
    /// Modulus of its springs, if their stiffness comes from one \[Pa\].
    pub spring_modulus: f64,
    /// The family that it asks for; without one it is stepped as the world's integrator does.
    pub family: Option<Family>,
    /// What is special about its contact with soft bodies; nothing if it touches none.
    pub contact: Option<BodyContact>,
    /// Which bodies it touches.
    pub contact_filter: ContactFilter,
    /// What its mesh file brought along, numbered as its vertices and tetrahedra are in the user's
    /// order; copies of a body share it.
    pub fields: Arc<[Field]>,
    /// A surface that is shown in its place; copies of a body share it.
    pub skin: Option<Arc<Skin>>,
}

/// A scene compiled into arrays.
#[derive(Clone, Debug)]
pub struct Model {
    /// The bodies, in the order of the scene.
    pub bodies: Vec<BodyModel>,
    /// Positions at rest, relative to the body's origin \[m\].
    pub rest: Vec<[f32; 3]>,
    /// Velocities at the start \[m/s\].
    pub start_velocity: Vec<[f32; 3]>,
    /// Masses \[kg\].
    pub mass: Vec<f32>,
    /// 1/mass, 0 for locked vertices \[1/kg\].
    pub inv_mass: Vec<f32>,
    /// Corners of the tetrahedra, all with positive volume.
    pub tets: Vec<[u32; 4]>,
    /// Coefficients (a, b) of each tetrahedron's volume force.
    pub volume: Vec<[f32; 2]>,
    /// Which volume force each tetrahedron has.
    pub forms: Vec<VolumeForm>,
    /// End points of the merged springs.
    pub springs: Vec<[u32; 2]>,
    /// Stiffness \[N/m\] and stiffness times rest length \[N\] of each spring.
    pub spring: Vec<[f32; 2]>,
    /// Damping along each spring \[N·s/m\]; absent when no body has any.
    pub damping: Option<Vec<f32>>,
    /// Corners of the hinges: both ends of an edge and the third corners of its two triangles; sorted.
    pub hinges: Vec<[u32; 4]>,
    /// How each hinge resists bending.
    pub hinge: Vec<Hinge<f32>>,
    /// The visible surface, outward oriented.
    pub triangles: Vec<[u32; 3]>,
    /// Fixed work blocks.
    pub blocks: Vec<Block>,
    /// Model vertex `i` is the user's vertex `vertex_order[i]`.
    pub vertex_order: Vec<u32>,
    /// Model tetrahedron `i` is the user's tetrahedron `tet_order[i]`.
    pub tet_order: Vec<u32>,
    /// What stops the vertices, in the order of the scene.
    pub colliders: Colliders,
    /// Surfaces whose motion is given, which bodies touch: colliders that are meshes.
    pub given: Vec<Arc<Given>>,
    /// Vertices that are led along paths.
    pub pins: Pins,
    /// Edges that are sewn together.
    pub seams: Seams,
    /// Edges that may get longer by so much and no more.
    pub limits: StrainLimits,
    /// Clusters of vertices that are drawn back to their shapes.
    pub shapes: Shapes,
    /// What is followed through a run, in the order of the scene.
    pub tracks: Vec<Tracked>,
    /// Notes of the compiler: repairs, reductions, oddities, and what was perhaps not meant so.
    pub notes: Vec<String>,
    /// What its substeps put into a list, if a test wants to see them pause.
    #[cfg(test)]
    pub drill: Option<crate::stages::drill::Drill>,
    /// How thick skins are in which vertices may move until candidates are searched for anew, over what they are
    /// otherwise, if a test wants other ones.
    #[cfg(test)]
    pub skin: f32,
}

impl Model {
    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    /// How thick skins are in which vertices may move until candidates are searched for anew, over what they would
    /// be; 1 outside of tests.
    pub(crate) fn skin(&self) -> f32 {
        #[cfg(test)]
        return self.skin;
        #[cfg(not(test))]
        return 1.0;
    }

    /// Whether a number of what touches is that of a body; behind those come mesh colliders.
    pub fn is_body(&self, number: u32) -> bool {
        (number as usize) < self.bodies.len()
    }

    /// How many colliders there are, meshes included.
    pub fn collider_count(&self) -> usize {
        self.colliders.list.len() + self.given.len()
    }

    /// Whether the surfaces of two bodies touch, or that of one touches itself, in a world with contact.
    pub fn may_touch(&self, contact: &Contact, [a, b]: [u32; 2]) -> bool {
        let [one, other] = [a, b].map(|body| &self.bodies[body as usize]);
        match (&one.contact, &other.contact) {
            (Some(own), Some(_)) if a == b => own.within_body.unwrap_or(contact.within_bodies),
            (Some(_), Some(_)) => one.contact_filter.lets_touch(other.contact_filter),
            _ => false,
        }
    }

    /// The body that has vertex `vertex`.
    pub fn body_of_vertex(&self, vertex: u32) -> usize {
        self.bodies.partition_point(|b| b.vertices.end <= vertex)
    }

    /// The body that has tetrahedron `tet`.
    pub fn body_of_tet(&self, tet: u32) -> usize {
        self.bodies.partition_point(|b| b.tets.end <= tet)
    }

    /// Springs and tetrahedra as the elastic stage takes them.
    pub fn elements(&self) -> Elements<'_> {
        Elements {
            tets: &self.tets,
            volume: &self.volume,
            forms: &self.forms,
            springs: &self.springs,
            spring: &self.spring,
            damping: self.damping.as_deref(),
            hinges: &self.hinges,
            hinge: &self.hinge,
        }
    }

    /// Whether a spring belongs to a surface body.
    pub fn is_surface_spring(&self, spring: u32) -> bool {
        let body = self.bodies.partition_point(|b| b.springs.end <= spring);
        self.bodies[body].kind == BodyKind::Surface
    }

    /// Rest positions of the corners of a tetrahedron, in double precision \[m\].
    pub fn rest_corners(&self, tet: usize) -> [Vec3<f64>; 4] {
        self.tets[tet].map(|v| Vec3::of(self.rest[v as usize].map(f64::from)))
    }

    /// Lengths of the edges of a tetrahedron at rest \[m\].
    pub fn rest_lengths(&self, tet: usize) -> [f64; 6] {
        let c = self.rest_corners(tet);
        TET_EDGES.map(|[a, b]| (c[b] - c[a]).length())
    }

    /// A tetrahedron's own part of the springs along its edges \[N/m\].
    pub fn stiffness_share(&self, tet: usize) -> [f64; 6] {
        let body = &self.bodies[self.body_of_tet(tet as u32)];
        match body.material.stiffness {
            Stiffness::Spring(k) => [k; 6],
            // Cloth has no tetrahedra.
            Stiffness::Cloth(_) => [0.0; 6],
            Stiffness::Young(_) => {
                let weight = body.spring_modulus * (six_volumes(self.rest_corners(tet)) / 6.0);
                self.rest_lengths(tet).map(|l| spring_stiffness(weight, l * l))
            }
        }
    }

    /// A tetrahedron's part of the elastic forces, while nothing has yielded.
    pub fn share(&self, tet: usize) -> Share {
        Share {
            stiffness: self.stiffness_share(tet),
            lengths: self.rest_lengths(tet),
            volume: self.volume[tet].map(f64::from),
            form: self.forms[tet],
        }
    }

    /// A number that changes when anything that matters to the simulation does: a checkpoint made
    /// with another model is refused.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        hash.update(bytemuck::cast_slice(&self.rest));
        hash.update(bytemuck::cast_slice(&self.inv_mass));
        hash.update(bytemuck::cast_slice(&self.tets));
        hash.update(bytemuck::cast_slice(&self.volume));
        hash.update(bytemuck::cast_slice(&self.springs));
        hash.update(bytemuck::cast_slice(&self.spring));
        if let Some(damping) = &self.damping {
            hash.update(bytemuck::cast_slice(damping));
        }
        hash.update(bytemuck::cast_slice(&self.hinges));
        self.hinge.iter().for_each(|hinge| hash.update(bytemuck::cast_slice(&hinge.words())));
        for body in &self.bodies {
            hash.update(bytemuck::cast_slice(&body.origin));
            hash.update(&[body.family.map_or(0, Family::number)]);
            if body.contact != Some(BodyContact::default()) {
                hash.update(format!("{:?} {:?}", body.contact, body.contact_filter).as_bytes());
            }
        }
        if !self.colliders.is_empty() {
            hash.update(self.colliders.description().as_bytes());
            hash.update(bytemuck::cast_slice(&self.colliders.heights));
        }
        if !self.pins.is_empty() {
            hash.update(self.pins.description().as_bytes());
        }
        if !self.seams.is_empty() {
            hash.update(self.seams.description().as_bytes());
        }
        if !self.limits.is_empty() {
            hash.update(bytemuck::cast_slice(&self.limits.words()));
        }
        if !self.shapes.is_empty() {
            hash.update(bytemuck::cast_slice(&self.shapes.words()));
            hash.update(format!("{:?}", self.shapes.kinds).as_bytes());
        }
        for given in &self.given {
            hash.update(&given.fingerprint().to_le_bytes());
        }
        hash.digest()
    }

    /// Bytes held by the arrays.
    pub fn bytes(&self) -> usize {
        let Self {
            bodies, rest, start_velocity, mass, inv_mass, tets, volume, forms, springs, ..
        } = self;
        let Self { spring, damping, triangles, blocks, vertex_order, tet_order, notes: _, .. } =
            self;
        size_of_val(&bodies[..])
            + size_of_val(&rest[..])
            + size_of_val(&start_velocity[..])
            + size_of_val(&mass[..])
            + size_of_val(&inv_mass[..])
            + size_of_val(&tets[..])
            + size_of_val(&volume[..])
            + size_of_val(&forms[..])
            + size_of_val(&springs[..])
            + size_of_val(&spring[..])
            + damping.as_ref().map_or(0, |d| size_of_val(&d[..]))
            + size_of_val(&self.hinges[..])
            + size_of_val(&self.hinge[..])
            + size_of_val(&triangles[..])
            + size_of_val(&blocks[..])
            + size_of_val(&vertex_order[..])
            + size_of_val(&tet_order[..])
            + self.field_bytes()
            + self.skin_bytes()
            + self.colliders.bytes()
            + self.pins.bytes()
            + self.seams.bytes()
            + self.limits.bytes()
            + self.shapes.bytes()
            + self.given.iter().map(|given| given.bytes()).sum::<usize>()
    }

    /// Bytes of the skins, which copies of a body share.
    fn skin_bytes(&self) -> usize {
        let mut last = None;
        let skins = self.bodies.iter().filter_map(|b| b.skin.as_ref());
        let new = skins.filter(|skin| {
            let here = Some(Arc::as_ptr(skin));
            std::mem::replace(&mut last, here) != here
        });
        new.map(|skin| skin.bytes()).sum()
    }

    /// Bytes of the fields, which copies of a body share.
    fn field_bytes(&self) -> usize {
        let mut seen: Vec<*const Field> = Vec::new();
        let fields = self.bodies.iter().map(|b| &b.fields);
        let new = fields.filter(|f| {
            let is_new = seen.last() != Some(&f.as_ptr());
            seen.push(f.as_ptr());
            is_new
        });
        new.flat_map(|f| f.iter()).map(|f| size_of_val(&f.values[..])).sum()
    }
}
