//! From scene to model: places meshes, computes masses and springs, and puts all in order.

mod dress;
mod place;
mod prepare;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_mesh::topology;
use pliant_mesh::{Mesh, ReadError};

use prepare::Prepared;

use super::advice::advice;
use super::calibrate::calibrate;
use super::cloth;
use super::clusters::clusters;
use super::hinges::{self, Hinges};
use super::part::only_group;
use super::partition::{BodyElements, partition, share_out_hinges};
use super::pin::{Arm, pinned};
use super::select::select;
use super::sew::Sewer;
use super::springs::{tet_edges, triangle_edges};
use super::tear;
use super::track::{Placed, Tracker};
use super::{BodyKind, BodyModel, Family, Field, Given, Model, fields, mass};
use crate::math::Vec3;
use crate::memory::{self, Budget, Shortage};
use crate::scene::{
    Body, ContactFilter, Damping, Mass, Material, Region, Scene, SceneError, ShapeMatching, Source,
    Stiffness, StrainLimit, Volume,
};
use crate::stages::bending::Hinge;
use crate::stages::colliders::Colliders;
use crate::stages::elastic::{VolumeForm, formula};
use crate::stages::pins::{Path as PinPath, Pinned, Pins};
use crate::stages::seams::Seams;
use crate::stages::shapes::{ClusterOf, Shapes};
use crate::stages::strain::{MeshEdge, StrainLimits};

/// Why a scene could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The scene contradicts itself or asks for the impossible.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh file could not be read.
    #[error("body {body:?}: {source}")]
    Mesh {
        /// The body.
        body: String,
        /// What the reader said.
        source: ReadError,
    },
    /// A mesh was read but cannot be simulated.
    #[error("body {body:?}: {problem}")]
    Unsuitable {
        /// The body.
        body: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// More vertices or elements than 32-bit indices can number.
    #[error(
        "the scene has {count} {what}, more than the {limit} that can be numbered; use coarser meshes"
    )]
    TooLarge {
        /// Vertices, tetrahedra or springs.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// It does not fit into memory.
    #[error(transparent)]
    Memory(#[from] Shortage),
    /// The GPU refused.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] pliant_gpu::GpuError),
}

/// Compiles a scene. Mesh files are read here. What does not fit into [available](memory::available)
/// memory is refused.
pub fn compile(scene: &Scene) -> Result<Model, BuildError> {
    compile_within(scene, memory::available())
}

/// Compiles a scene that may take so many bytes, running it included.
pub fn compile_within(scene: &Scene, available: Option<u64>) -> Result<Model, BuildError> {
    if !scene.mannequins.is_empty() {
        scene.validate()?;
        let mut placed = scene.clone();
        placed.place_mannequins();
        return compile_within(&placed, available);
    }
    let ignored = ContactFilter::names(&scene.bodies);
    let mut builder = Builder { ignored, ..Builder::default() };
    builder.notes.extend(scene.validate()?.iter().map(ToString::to_string));
    let mut budget = Budget::new(scene, available)?;
    let mut files = HashMap::new();
    let mut found =
        Found { tracker: Tracker::new(&scene.output.track), sewer: Sewer::new(&scene.seams) };
    for body in &scene.bodies {
        let mesh = builder.mesh_of(body, &body.source, &mut files, &budget)?;
        let (mesh, skin) = builder.dress(body, mesh, &mut files, &budget)?;
        budget.take(body, &mesh)?;
        if let Some(surface) = &skin {
            budget.take_skin(surface)?;
        }
        builder.add(body, &mesh, skin.as_ref(), &mut found)?;
    }
    let Found { tracker, sewer } = found;
    let tracks = tracker.finish()?;
    let colliders = Colliders::new(&scene.colliders)?;
    // What goes in by no more than half an edge in a substep is kept out.
    let depth = builder.bodies.iter().map(|body| 0.5 * body.edge).fold(0.0, f64::max);
    let mut given = Vec::new();
    for (i, collider) in scene.colliders.iter().enumerate() {
        given.extend(Given::load(i, collider, depth, &mut builder.notes)?.map(Arc::new));
    }
    index_limit(
        "vertices",
        given.iter().map(|g| g.points.len()).sum::<usize>() + builder.rest.len(),
    )?;
    let mut model = Model { tracks, colliders, given, ..builder.finish(scene)? };
    let vertex_of = inverse(&model.vertex_order);
    model.seams = sewer.finish(&model.bodies, |v| vertex_of[v as usize], &model.inv_mass)?;
    model.look_at_given();
    Ok(model)
}

/// What looks for vertices while bodies are placed.
struct Found<'s> {
    tracker: Tracker<'s>,
    sewer: Sewer<'s>,
}

/// Everything in the user's order, before partitioning.
#[derive(Default)]
struct Builder {
    bodies: Vec<BodyModel>,
    rest: Vec<[f32; 3]>,
    start_velocity: Vec<[f32; 3]>,
    mass: Vec<f32>,
    inv_mass: Vec<f32>,
    tets: Vec<[u32; 4]>,
    volume: Vec<[f32; 2]>,
    forms: Vec<VolumeForm>,
    springs: Vec<[u32; 2]>,
    spring: Vec<[f32; 2]>,
    damping: Vec<f32>,
    hinges: Vec<([u32; 4], Hinge<f32>)>,
    triangles: Vec<[u32; 3]>,
    limits: StrainLimits,
    limited: Vec<MeshEdge>,
    shape_kinds: Vec<ShapeMatching>,
    clusters: Vec<ClusterOf>,
    pins: Pins,
    notes: Vec<String>,
    /// Names that some body does not touch.
    ignored: Vec<String>,
}

impl Builder {
    fn mesh_of(
        &mut self,
        body: &Body,
        source: &Source,
        files: &mut HashMap<PathBuf, Mesh>,
        budget: &Budget,
    ) -> Result<Mesh, BuildError> {
        let fail = |problem: String| BuildError::Unsuitable { body: body.name.clone(), problem };
        let mesh = match source {
            Source::Inline(mesh) => mesh.clone(),
            Source::Shape(shape) => shape.build()?,
            Source::Mesh { path, group } => {
                let mesh = match files.get(path) {
                    Some(mesh) => mesh.clone(),
                    None => {
                        budget.read(path)?;
                        let mesh = self.read(body, path)?;
                        files.insert(path.clone(), mesh.clone());
                        mesh
                    }
                };
                match group {
                    Some(group) => only_group(&mesh, group).map_err(fail)?,
                    None => mesh,
                }
            }
        };
        mesh.check_indices().map_err(fail)?;
        if mesh.tets.is_empty() && mesh.triangles.is_empty() {
            let problem = "the mesh has neither tetrahedra nor triangles";
            match body.shape_matching {
                None => {
                    return Err(fail(format!(
                        "{problem}; give `shape_matching`, which holds points together without any"
                    )));
                }
                Some(_) if mesh.points.is_empty() => {
                    return Err(fail(format!("{problem} nor points")));
                }
                Some(_) => {}
            }
        }
        if let Some(i) = mesh.points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return Err(fail(format!(
                "point {i} of the mesh is {:?}; mend the file (`pliant mesh check` lists all)",
                mesh.points[i]
            )));
        }
        Ok(mesh)
    }

    fn read(&mut self, body: &Body, path: &Path) -> Result<Mesh, BuildError> {
        let loaded = pliant_mesh::load(path)
            .map_err(|source| BuildError::Mesh { body: body.name.clone(), source })?;
        self.notes.extend(loaded.warnings.iter().map(|w| format!("{}: {w}", path.display())));
        Ok(loaded.mesh)
    }

    /// Adds a body and its copies, with the surface that they carry.
    fn add(
        &mut self,
        body: &Body,
        mesh: &Mesh,
        skin: Option<&Mesh>,
        found: &mut Found<'_>,
    ) -> Result<(), BuildError> {
        let cut = match &body.tears[..] {
            [] => None,
            tears => {
                let points: Vec<[f64; 3]> = mesh.points.iter().map(|&p| body.place(p)).collect();
                let fail = |problem| BuildError::Unsuitable { body: body.name.clone(), problem };
                Some(tear::cut(mesh, &points, tears).map_err(fail)?)
            }
        };
        let mesh = cut.as_ref().map_or(mesh, |cut| &cut.mesh);
        let mut prepared = self.prepare(body, mesh)?;
        prepared.skin = skin.map(|skin| self.embed(body, &prepared, skin)).transpose()?;
        let offsets = body.offsets();
        for (copy, &offset) in offsets.iter().enumerate() {
            let name = match offsets.len() {
                1 => body.name.clone(),
                _ => format!("{}-{}", body.name, copy + 1),
            };
            let Prepared { points, used, .. } = &prepared;
            let first = self.rest.len() as u32;
            let placed = Placed { name: &name, first, mesh, points, offset, used };
            found.tracker.look(&placed);
            found.sewer.look(&placed);
            if let Some(cut) = &cut {
                found.sewer.weld(&placed, &cut.welds);
            }
            self.place(body, &prepared, name, offset)?;
        }
        Ok(())
    }

    fn finish(self, scene: &Scene) -> Result<Model, BuildError> {
        self.check_range()?;
        fields::check_shown(&self.bodies, scene)?;
        if self.bodies.is_empty() {
            return Err(BuildError::Unsuitable {
                body: scene.name.clone(),
                problem: "the scene has no body; add a [[bodies]] table".into(),
            });
        }
        let ranges: Vec<BodyElements> = self
            .bodies
            .iter()
            .map(|b| BodyElements {
                form: form_of(b.material.volume),
                family: b.family,
                vertices: b.vertices.clone(),
                tets: b.tets.clone(),
                springs: b.springs.clone(),
            })
            .collect();
        let mut parts = partition(&ranges, &self.rest, &self.tets, &self.springs);
        let vertex_of = inverse(&parts.vertex_order);
        let renumber = |v: u32| vertex_of[v as usize];
        let (hinges, hinge) = hinges::in_order(&self.hinges, renumber);
        share_out_hinges(&mut parts.blocks, &hinges);
        let damped = self.damping.iter().any(|&d| d != 0.0);
        let mut model = Model {
            rest: pick(&self.rest, &parts.vertex_order),
            start_velocity: pick(&self.start_velocity, &parts.vertex_order),
            mass: pick(&self.mass, &parts.vertex_order),
            inv_mass: pick(&self.inv_mass, &parts.vertex_order),
            tets: parts.tet_order.iter().map(|&t| self.tets[t as usize].map(renumber)).collect(),
            volume: pick(&self.volume, &parts.tet_order),
            forms: pick(&self.forms, &parts.tet_order),
            springs: parts
                .spring_order
                .iter()
                .map(|&s| self.springs[s as usize].map(renumber))
                .collect(),
            spring: pick(&self.spring, &parts.spring_order),
            damping: damped.then(|| pick(&self.damping, &parts.spring_order)),
            hinges,
            hinge,
            triangles: self.triangles.iter().map(|t| t.map(renumber)).collect(),
            bodies: self.bodies,
            blocks: parts.blocks,
            vertex_order: parts.vertex_order,
            tet_order: parts.tet_order,
            colliders: Colliders::default(),
            given: Vec::new(),
            pins: Pins {
                paths: self.pins.paths,
                vertices: {
                    let renumbered = |p: &Pinned| Pinned { vertex: renumber(p.vertex), ..*p };
                    let mut vertices: Vec<_> = self.pins.vertices.iter().map(renumbered).collect();
                    vertices.sort_unstable_by_key(|pinned| pinned.vertex);
                    vertices
                },
            },
            seams: Seams::default(),
            limits: StrainLimits::default(),
            shapes: Shapes::default(),
            tracks: Vec::new(),
            notes: self.notes,
            #[cfg(test)]
            drill: None,
            #[cfg(test)]
            skin: 1.0,
        };
        let edges = self.limited.iter().map(|e| MeshEdge { ends: e.ends.map(renumber), ..*e });
        model.limits = StrainLimits::new(self.limits.kinds, edges, &model.inv_mass);
        let renumbered = |c: ClusterOf| ClusterOf {
            vertices: c.vertices.iter().map(|&v| renumber(v)).collect(),
            ..c
        };
        let clusters = self.clusters.into_iter().map(renumbered).collect();
        let masses = [&model.mass[..], &model.inv_mass];
        model.shapes = Shapes::new(self.shape_kinds, clusters, &model.rest, masses);
        model.notes.extend(advice(&model, scene));
        Ok(model)
    }
}

fn form_of(force: Volume) -> VolumeForm {
    match force {
        Volume::Thesis(_) => VolumeForm::Thesis,
        Volume::Auto | Volume::Energy(_) | Volume::Poisson(_) | Volume::None => VolumeForm::Energy,
    }
}

fn index_limit(what: &'static str, count: usize) -> Result<(), BuildError> {
    let limit = u32::MAX as usize / 8;
    if count > limit { Err(BuildError::TooLarge { what, count, limit }) } else { Ok(()) }
}

pub(super) fn pick<T: Copy>(from: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&i| from[i as usize]).collect()
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        inverse[old as usize] = new as u32;
    }
    inverse
}
