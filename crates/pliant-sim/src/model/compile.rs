//! From scene to model: places meshes, computes masses and springs, and puts all in order.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_mesh::topology;
use pliant_mesh::{Mesh, ReadError};

use super::advice::advice;
use super::calibrate::calibrate;
use super::cloth;
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
    Body, ContactFilter, Damping, Region, Scene, SceneError, Source, Stiffness, StrainLimit, Volume,
};
use crate::stages::bending::Hinge;
use crate::stages::colliders::Colliders;
use crate::stages::elastic::{VolumeForm, formula};
use crate::stages::pins::{Path as PinPath, Pinned, Pins};
use crate::stages::seams::Seams;
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
        let mesh = builder.mesh_of(body, &mut files, &budget)?;
        budget.take(body, &mesh)?;
        builder.add(body, &mesh, &mut found)?;
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
    pins: Pins,
    notes: Vec<String>,
    /// Names that some body does not touch.
    ignored: Vec<String>,
}

/// A body's mesh ready to be placed, shared by its copies.
struct Prepared {
    kind: BodyKind,
    points: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    surface: Vec<[u32; 3]>,
    /// What springs join: the edges of the mesh, of cloth more.
    springs: Vec<[u32; 2]>,
    /// Which of them a limit of strain is about.
    is_limited: Vec<bool>,
    /// Mean length of the edges \[m\], if there are any.
    edge: Option<f64>,
    mass: Vec<f64>,
    locked: Vec<bool>,
    /// What leads each point, if something does.
    pinned: Vec<Option<Arm>>,
    /// Whether a point belongs to an element.
    used: Vec<bool>,
    spring_modulus: f64,
    stiffness: Vec<f64>,
    volume: Volume,
    damping: Vec<f64>,
    /// Which triangles hinge on which edges, and the flexural rigidity \[N·m\].
    hinges: Option<Hinges>,
    fields: Arc<[Field]>,
}

impl Builder {
    fn mesh_of(
        &mut self,
        body: &Body,
        files: &mut HashMap<PathBuf, Mesh>,
        budget: &Budget,
    ) -> Result<Mesh, BuildError> {
        let fail = |problem: String| BuildError::Unsuitable { body: body.name.clone(), problem };
        let mesh = match &body.source {
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
            return Err(fail("the mesh has neither tetrahedra nor triangles".into()));
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

    /// Adds a body and its copies.
    fn add(&mut self, body: &Body, mesh: &Mesh, found: &mut Found<'_>) -> Result<(), BuildError> {
        let cut = match &body.tears[..] {
            [] => None,
            tears => {
                let points: Vec<[f64; 3]> = mesh.points.iter().map(|&p| body.place(p)).collect();
                let fail = |problem| BuildError::Unsuitable { body: body.name.clone(), problem };
                Some(tear::cut(mesh, &points, tears).map_err(fail)?)
            }
        };
        let mesh = cut.as_ref().map_or(mesh, |cut| &cut.mesh);
        let prepared = self.prepare(body, mesh)?;
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

    fn prepare(&mut self, body: &Body, mesh: &Mesh) -> Result<Prepared, BuildError> {
        let points: Vec<[f64; 3]> = mesh.points.iter().map(|&p| body.place(p)).collect();
        let kind = if mesh.tets.is_empty() { BodyKind::Surface } else { BodyKind::Tets };
        let mut tets = mesh.tets.clone();
        let turned = turn_inverted(&points, &mut tets);
        if turned > 0 {
            self.notes
                .push(format!("body {:?}: {turned} inverted tetrahedra turned round", body.name));
        }
        let (spring_modulus, volume) = self.forces_of(body, kind, &points, &tets)?;
        let weight = |content: f64| match body.material.stiffness {
            Stiffness::Spring(k) => k,
            // Still to be divided by the squared length.
            Stiffness::Young(_) => spring_modulus * content,
            // It comes when the whole mesh is known.
            Stiffness::Cloth(_) => 0.0,
        };
        let mut share = vec![0.0; points.len()];
        let mut used = vec![false; points.len()];
        let (mut springs, mut stiffness, surface);
        match kind {
            BodyKind::Tets => {
                let volumes: Vec<f64> = tets.iter().map(|t| tet_volume(&points, t)).collect();
                let found = tet_edges(&tets, points.len());
                stiffness = vec![0.0; found.edges.len()];
                for (t, of) in found.of_element.iter().enumerate() {
                    for &e in of {
                        stiffness[e as usize] += weight(volumes[t]);
                    }
                    for &v in &tets[t] {
                        share[v as usize] += 0.25 * volumes[t];
                        used[v as usize] = true;
                    }
                }
                springs = found.edges;
                surface = topology::boundary_faces(&tets);
            }
            BodyKind::Surface => {
                let found = triangle_edges(&mesh.triangles, points.len());
                stiffness = vec![0.0; found.edges.len()];
                for (t, of) in mesh.triangles.iter().zip(&found.of_element) {
                    let area = triangle_area(&points, t);
                    for &e in of {
                        match body.material.stiffness {
                            // Each edge is one spring, however many triangles it has.
                            Stiffness::Spring(k) => stiffness[e as usize] = k,
                            _ => stiffness[e as usize] += weight(area),
                        }
                    }
                    for &v in t {
                        share[v as usize] += area / 3.0;
                        used[v as usize] = true;
                    }
                }
                springs = found.edges;
                surface = mesh.triangles.clone();
            }
        }
        let edge = mean_length(&points, &springs);
        let mut is_limited = vec![true; springs.len()];
        match &body.material.stiffness {
            Stiffness::Spring(_) => {}
            Stiffness::Young(_) => {
                for (k, &e) in stiffness.iter_mut().zip(&springs) {
                    *k = formula::spring_stiffness(*k, length(&points, e).powi(2));
                }
            }
            Stiffness::Cloth(cloth) => {
                let [from, to] = [[0.0; 3], cloth.warp].map(|p| Vec3::<f64>::from(body.place(p)));
                let found = cloth::springs(&points, &surface, to - from, cloth);
                self.notes.extend(found.note.map(|note| format!("body {:?}: {note}", body.name)));
                (springs, stiffness) = (found.ends, found.stiffness);
                is_limited = found.is_thread;
            }
        }
        let damping = match body.material.damping {
            Damping::Time(time) => stiffness.iter().map(|k| time * k).collect(),
            Damping::Coefficient(kappa) => vec![kappa; springs.len()],
        };
        let unused = used.iter().filter(|&&u| !u).count();
        if unused > 0 {
            self.notes.push(format!(
                "body {:?}: {unused} points belong to no element; they stay where they are",
                body.name
            ));
        }
        let mut locked: Vec<bool> = used.iter().map(|&u| !u).collect();
        self.lock(body, mesh, &points, &mut locked)?;
        let pinned = pinned(&body.pins, mesh, &points, &used)
            .map_err(|problem| BuildError::Unsuitable { body: body.name.clone(), problem })?;
        locked.iter_mut().zip(&pinned).for_each(|(locked, pin)| *locked |= pin.is_some());
        let mass = mass::masses(body.material.mass, &share, &used);
        if let Some(i) = (0..mass.len()).find(|&i| used[i] && !locked[i] && mass[i] <= 0.0) {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem: format!(
                    "point {i} has no mass because its elements have no volume; \
                     give a mass per vertex or mend the mesh"
                ),
            });
        }
        let hinges = match body.material.stiffness {
            Stiffness::Cloth(cloth) if cloth.bending > 0.0 => {
                let found = Hinges::of(&points, &surface, &cloth).map_err(|problem| {
                    BuildError::Unsuitable { body: body.name.clone(), problem }
                })?;
                Some(found)
            }
            _ => None,
        };
        let fields = fields::of_mesh(mesh);
        Ok(Prepared {
            kind,
            points,
            tets,
            surface,
            springs,
            is_limited,
            edge,
            mass,
            locked,
            pinned,
            used,
            spring_modulus,
            stiffness,
            volume,
            damping,
            hinges,
            fields,
        })
    }

    /// Modulus of a body's springs, where it has one, and its volume force.
    fn forces_of(
        &mut self,
        body: &Body,
        kind: BodyKind,
        points: &[[f64; 3]],
        tets: &[[u32; 4]],
    ) -> Result<(f64, Volume), BuildError> {
        let young = match body.material.stiffness {
            Stiffness::Young(modulus) => modulus,
            Stiffness::Spring(_) | Stiffness::Cloth(_) => 0.0,
        };
        if kind == BodyKind::Tets && matches!(body.material.stiffness, Stiffness::Cloth(_)) {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem:
                    "material.stiffness.cloth is for surfaces, and its mesh has tetrahedra; give \
                          `stiffness = { young = Pa }`"
                        .into(),
            });
        }
        let Volume::Poisson(poisson) = body.material.volume else {
            return Ok((young, body.material.volume_force()));
        };
        if kind == BodyKind::Surface {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem: "material.volume.poisson is for bodies of tetrahedra, and its mesh is a \
                          surface; leave out `volume`"
                    .into(),
            });
        }
        let found = calibrate(points, tets, young, poisson);
        self.notes.extend(found.problem.map(|p| format!("body {:?}: {p}", body.name)));
        Ok((found.moduli.springs, Volume::Energy(found.moduli.volume)))
    }

    /// Marks the vertices that the body's lock regions and the mesh's own flags name.
    fn lock(
        &mut self,
        body: &Body,
        mesh: &Mesh,
        points: &[[f64; 3]],
        locked: &mut [bool],
    ) -> Result<(), BuildError> {
        let fail = |problem: String| BuildError::Unsuitable { body: body.name.clone(), problem };
        let flag = (!body.ignore_flags && mesh.point_array("lock").is_some())
            .then(|| Region::Flag("lock".into()));
        for (number, region) in body.locks.iter().chain(&flag).enumerate() {
            let chosen = select(region, mesh, points)
                .map_err(|problem| fail(format!("locks[{number}]: {problem}")))?;
            let mut any_new = false;
            for (locked, chosen) in locked.iter_mut().zip(chosen) {
                any_new |= chosen && !*locked;
                *locked |= chosen;
            }
            if !any_new && region.contains([0.0; 3]).is_some() {
                self.notes.push(format!(
                    "body {:?}: locks[{number}] holds no vertex that was not held already; check its place",
                    body.name
                ));
            }
        }
        Ok(())
    }

    fn place(
        &mut self,
        body: &Body,
        p: &Prepared,
        name: String,
        offset: [f64; 3],
    ) -> Result<(), BuildError> {
        let first = self.rest.len();
        index_limit("vertices", first + p.points.len())?;
        index_limit("tetrahedra", self.tets.len() + p.tets.len())?;
        index_limit("springs", self.springs.len() + p.springs.len())?;
        let shift = |v: u32| v + first as u32;
        // Points without mass belong to no element, and may lie anywhere.
        let used = p.points.iter().zip(&p.mass).filter(|(_, m)| **m > 0.0).map(|(p, _)| p);
        let (origin, size) = middle(used);
        let local =
            |i: usize| -> [f32; 3] { std::array::from_fn(|k| (p.points[i][k] - origin[k]) as f32) };
        let velocity = start_velocity(body, p);
        for i in 0..p.points.len() {
            self.rest.push(local(i));
            self.mass.push(p.mass[i] as f32);
            self.inv_mass.push(if p.locked[i] { 0.0 } else { (1.0 / p.mass[i]) as f32 });
            self.start_velocity.push(if p.locked[i] { [0.0; 3] } else { velocity(i) });
        }
        let (path, number) = (self.pins.paths.len() as u32, self.bodies.len() as u32);
        let origin_of_copy = std::array::from_fn(|k| origin[k] + offset[k]);
        self.pins.paths.extend(body.pins.iter().map(|pin| PinPath {
            motion: pin.motion.clone(),
            body: number,
            origin: origin_of_copy,
        }));
        for (i, arm) in p.pinned.iter().enumerate() {
            let Some(Arm { pin, arm }) = *arm else { continue };
            let (vertex, rest) = (shift(i as u32), local(i));
            let arm = arm.map(|c| c as f32);
            self.pins.vertices.push(Pinned { vertex, path: path + pin, rest, arm });
        }
        let ranges = [self.tets.len(), self.springs.len(), self.triangles.len()];
        self.tets.extend(p.tets.iter().map(|t| t.map(shift)));
        self.add_volumes(p.volume, &name, ranges[0]);
        let limit = body.strain_limit.map(|limit| self.kind_of(limit));
        for (k, &e) in p.springs.iter().enumerate() {
            // Rest lengths come from the rounded coordinates, so that rest is rest.
            let [a, b] = e.map(|v| Vec3::<f64>::of(local(v as usize).map(f64::from)));
            let rest = (b - a).length();
            self.springs.push(e.map(shift));
            self.spring.push([p.stiffness[k] as f32, (p.stiffness[k] * rest) as f32]);
            self.damping.push(p.damping[k] as f32);
            if let Some(kind) = limit.filter(|_| p.is_limited[k]) {
                self.limited.push(MeshEdge { ends: e.map(shift), kind, rest });
            }
        }
        if let Some(hinges) = &p.hinges {
            let at = |v: u32| Vec3::<f64>::of(local(v as usize).map(f64::from));
            let placed = hinges.at(at).map(|(corners, hinge)| (corners.map(shift), hinge));
            self.hinges.extend(placed);
        }
        self.triangles.extend(p.surface.iter().map(|t| t.map(shift)));
        self.bodies.push(BodyModel {
            name,
            kind: p.kind,
            vertices: range(first, self.rest.len()),
            tets: range(ranges[0], self.tets.len()),
            springs: range(ranges[1], self.springs.len()),
            triangles: range(ranges[2], self.triangles.len()),
            origin: origin_of_copy,
            size,
            edge: p.edge.unwrap_or(size),
            material: body.material.clone(),
            spring_modulus: p.spring_modulus,
            family: body.implicit.then_some(Family::Implicit),
            contact: body.contact.clone(),
            contact_filter: ContactFilter::of(body, &self.ignored),
            fields: Arc::clone(&p.fields),
        });
        Ok(())
    }

    /// The number of a kind of limit.
    fn kind_of(&mut self, limit: StrainLimit) -> u32 {
        let kinds = &mut self.limits.kinds;
        let known = kinds.iter().position(|kind| *kind == limit);
        let number = known.unwrap_or_else(|| {
            kinds.push(limit);
            kinds.len() - 1
        });
        number as u32
    }

    /// Everything is stepped in single precision, whose range is smaller than that of the scene.
    fn check_range(&self) -> Result<(), BuildError> {
        let fits = |values: &[f32]| values.iter().all(|v| v.is_finite());
        for b in &self.bodies {
            let range = |r: &Range<u32>| r.start as usize..r.end as usize;
            let (v, s, t) = (range(&b.vertices), range(&b.springs), range(&b.tets));
            let what = if !fits(self.rest[v.clone()].as_flattened()) {
                "its coordinates are"
            } else if !fits(self.start_velocity[v.clone()].as_flattened()) {
                "its velocity is"
            } else if !fits(&self.inv_mass[v.clone()]) || !fits(&self.mass[v.clone()]) {
                "its masses are"
            } else if !fits(self.spring[s].as_flattened()) {
                "the stiffness of its springs is"
            } else if !fits(self.volume[t].as_flattened()) {
                "its volume force is"
            } else if self
                .hinges
                .iter()
                .any(|(c, hinge)| b.vertices.contains(&c[0]) && !hinge.is_finite())
            {
                "its bending stiffness is"
            } else {
                continue;
            };
            return Err(BuildError::Unsuitable {
                body: b.name.clone(),
                problem: format!(
                    "{what} beyond what single precision can hold; use other units, or mend the mesh \
                     if points coincide"
                ),
            });
        }
        Ok(())
    }

    fn add_volumes(&mut self, force: Volume, name: &str, first: usize) {
        let mut slivers = 0usize;
        for t in first..self.tets.len() {
            let c = self.tets[t].map(|v| Vec3::<f64>::of(self.rest[v as usize].map(f64::from)));
            let [rest6, guarded6] = formula::guarded_six_volumes(c);
            let [a, b] = match force {
                Volume::Auto | Volume::Poisson(_) | Volume::None => [0.0; 2],
                Volume::Thesis(stiffness) => formula::thesis_coefficients(stiffness, rest6),
                Volume::Energy(modulus) => {
                    slivers += usize::from(rest6 < guarded6);
                    formula::energy_coefficients(modulus, [rest6, guarded6])
                }
            };
            self.volume.push([a as f32, b as f32]);
            self.forms.push(form_of(force));
        }
        if slivers > 0 {
            self.notes.push(format!(
                "body {name:?}: {slivers} tetrahedra are slivers; their volume force is softened so \
                 that they do not dictate the timestep"
            ));
        }
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
            tracks: Vec::new(),
            notes: self.notes,
            #[cfg(test)]
            drill: None,
            #[cfg(test)]
            skin: 1.0,
        };
        let edges = self.limited.iter().map(|e| MeshEdge { ends: e.ends.map(renumber), ..*e });
        model.limits = StrainLimits::new(self.limits.kinds, edges, &model.inv_mass);
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

fn turn_inverted(points: &[[f64; 3]], tets: &mut [[u32; 4]]) -> usize {
    let mut turned = 0;
    for t in tets {
        if tet_volume(points, t) < 0.0 {
            t.swap(2, 3);
            turned += 1;
        }
    }
    turned
}

fn tet_volume(points: &[[f64; 3]], t: &[u32; 4]) -> f64 {
    pliant_mesh::geometry::signed_volume(t.map(|v| points[v as usize]))
}

fn triangle_area(points: &[[f64; 3]], t: &[u32; 3]) -> f64 {
    let [a, b, c] = t.map(|v| Vec3::<f64>::from(points[v as usize]));
    0.5 * (b - a).cross(c - a).length()
}

fn length(points: &[[f64; 3]], [a, b]: [u32; 2]) -> f64 {
    (Vec3::<f64>::from(points[b as usize]) - Vec3::from(points[a as usize])).length()
}

/// Mean length of the edges; `None` without any.
fn mean_length(points: &[[f64; 3]], edges: &[[u32; 2]]) -> Option<f64> {
    let sum: f64 = edges.iter().map(|&e| length(points, e)).sum();
    (!edges.is_empty()).then(|| sum / edges.len() as f64)
}

/// Centre and diagonal of the bounding box.
fn middle<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> ([f64; 3], f64) {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in points {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    let diagonal: f64 = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum();
    (std::array::from_fn(|k| 0.5 * (low[k] + high[k])), diagonal.sqrt())
}

/// Velocity of each point from the body's velocity and its spin about the centre of mass.
fn start_velocity<'a>(body: &'a Body, p: &'a Prepared) -> impl Fn(usize) -> [f32; 3] + 'a {
    let total: f64 = p.mass.iter().sum();
    let mut center = Vec3::<f64>::zero();
    for (m, &x) in p.mass.iter().zip(&p.points) {
        center += Vec3::from(x) * (m / total.max(f64::MIN_POSITIVE));
    }
    move |i| {
        let arm = Vec3::from(p.points[i]) - center;
        let v = Vec3::from(body.velocity) + Vec3::from(body.spin).cross(arm);
        v.to_f64().map(|c| c as f32)
    }
}

fn index_limit(what: &'static str, count: usize) -> Result<(), BuildError> {
    let limit = u32::MAX as usize / 8;
    if count > limit { Err(BuildError::TooLarge { what, count, limit }) } else { Ok(()) }
}

fn range(from: usize, to: usize) -> Range<u32> {
    from as u32..to as u32
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
