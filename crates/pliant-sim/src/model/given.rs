//! Surfaces whose motion is given: colliders that are meshes.
//!
//! They take part in contact like the surfaces of bodies and are no bodies: nothing moves them but time.

use std::path::Path;
use std::sync::Arc;

use pliant_mesh::formats::gltf::AnimatedMesh;
use pliant_mesh::motion::{Ending, Motion};
use pliant_mesh::series::MeshSeries;
use pliant_mesh::{Mesh, ReadError, topology};

use crate::contact::walls;
use crate::scene::{
    Collider, ColliderMesh, ColliderMotion, ColliderShape, Problem, SceneError, Source,
};

/// A mesh collider, ready to be put somewhere.
#[derive(Clone, Debug)]
pub struct Given {
    /// What it is called.
    pub name: String,
    /// Its place among the colliders of the scene.
    pub collider: usize,
    /// Corners of its triangles; those of a solid are anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Where its vertices are at time 0, in its own coordinates, enlarged \[m\].
    pub points: Vec<[f64; 3]>,
    /// Whether it has an inside, which bodies are kept out of.
    pub is_solid: bool,
    /// By triangle of a solid: how deep behind it something has gone in rather than come from the other side \[m\].
    pub depths: Vec<f64>,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Share of the normal velocity that it gives back.
    pub restitution: f64,
    /// How far its surface stands out to either side \[m\].
    pub thickness: f64,
    /// For its pose; without its shape.
    placed: Collider,
    deformation: Option<Deformation>,
}

/// How the shape of a mesh changes.
#[derive(Clone, Debug)]
struct Deformation {
    motion: AnyMotion,
    ending: Ending,
    /// Enlargement along x, y and z.
    scale: [f64; 3],
    /// The motion's numbers of the vertices.
    numbers: Vec<u32>,
}

/// The motions there are.
#[derive(Clone, Debug)]
enum AnyMotion {
    Series(Arc<MeshSeries>),
    Animation(Arc<AnimatedMesh>),
}

impl AnyMotion {
    fn get(&self) -> &dyn Motion {
        match self {
            Self::Series(series) => &**series,
            Self::Animation(animated) => &**animated,
        }
    }
}

/// A mesh as it was read, and what moves it.
struct Loaded {
    mesh: Mesh,
    motion: Option<AnyMotion>,
    warnings: Vec<String>,
}

impl Given {
    /// Reads the mesh of collider number `i` of a scene, if it has one. How deep walls are is looked at to `depth`
    /// \[m\].
    pub fn load(
        i: usize,
        collider: &Collider,
        depth: f64,
        notes: &mut Vec<String>,
    ) -> Result<Option<Self>, SceneError> {
        let ColliderShape::Mesh(mesh) = &collider.shape else { return Ok(None) };
        let fail = |problem: String| {
            let problem = format!("collider {:?}: {problem}", collider.name);
            SceneError::from(Problem::new(format!("colliders[{i}].mesh"), problem))
        };
        let Loaded { mesh: surface, motion, warnings } =
            read(mesh, collider.motion.as_ref()).map_err(fail)?;
        notes.extend(warnings.iter().map(|w| format!("collider {:?}: {w}", collider.name)));
        let times = motion.as_ref().map_or(vec![0.0], |motion| {
            let [start, end] = motion.get().span();
            vec![0.0, start, 0.5 * (start + end), end]
        });
        let frames = match &motion {
            Some(motion) => times.iter().map(|&time| motion.get().points_at(time)).collect(),
            None => vec![surface.points.clone()],
        };
        let (numbers, triangles) = connected(&surface, &frames).map_err(fail)?;
        let scale = mesh.scale.axes();
        let points = numbers
            .iter()
            .map(|&v| std::array::from_fn(|k| scale[k] * frames[0][v as usize][k]))
            .collect();
        let deformation = motion.map(|motion| Deformation {
            motion,
            ending: if repeats(collider) { Ending::Repeat } else { Ending::Hold },
            scale,
            numbers,
        });
        let placed = Collider { shape: ColliderShape::Plane {}, ..collider.clone() };
        let (name, friction, thickness) =
            (collider.name.clone(), collider.friction, collider.thickness);
        let mut given = Self {
            name,
            collider: i,
            triangles,
            points,
            is_solid: false,
            depths: Vec::new(),
            friction,
            restitution: collider.restitution,
            thickness,
            placed,
            deformation,
        };
        given.find_inside(depth, notes);
        Ok(Some(given))
    }

    /// Finds out whether it is closed, turns its triangles outward if so, and measures its walls.
    fn find_inside(&mut self, depth: f64, notes: &mut Vec<String>) {
        let edges = topology::surface_edges(&self.triangles, None);
        if !(edges.is_closed() && edges.is_closed_manifold()) {
            return;
        }
        if !edges.flipped.is_empty() {
            notes.push(format!(
                "collider {:?}: its surface is closed, but {} edges have triangles that are turned against each \
                 other, so it keeps bodies on either side instead of outside (`pliant mesh repair` turns them)",
                self.name,
                edges.flipped.len()
            ));
            return;
        }
        let volume: f64 = self.triangles.iter().map(|t| self.six_volumes_below(t)).sum();
        if volume < 0.0 {
            self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        self.is_solid = volume != 0.0;
        if self.is_solid {
            self.depths = walls::half_depths(&self.points, &self.triangles, depth);
        }
    }

    /// Six times the volume between a triangle and the first point \[m³\].
    fn six_volumes_below(&self, triangle: &[u32; 3]) -> f64 {
        let origin = self.points[0];
        let [a, b, c] = triangle.map(|v| {
            let p = self.points[v as usize];
            [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]]
        });
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    /// Whether it never moves.
    pub fn is_still(&self) -> bool {
        self.placed.motion.is_none()
    }

    /// Whether its shape changes.
    pub fn deforms(&self) -> bool {
        self.deformation.is_some()
    }

    /// Where a rigid one is; see [`Collider::pose`].
    pub fn pose(&self, time: f64) -> crate::scene::Pose {
        self.placed.pose(time)
    }

    /// Where a rigid one was; see [`Collider::pose_before`].
    pub fn pose_before(&self, time: f64, span: f64) -> crate::scene::Pose {
        self.placed.pose_before(time, span)
    }

    /// Where a rigid one is when a step from `begins` to `ends` \[s\] begins, and when it ends. A motion that begins again in
    /// between has jumped before.
    pub fn poses_in(&self, begins: f64, ends: f64) -> [crate::scene::Pose; 2] {
        let (start, end) = (self.placed.pose(begins), self.placed.pose(ends));
        let before = self.placed.pose_before(ends, ends - begins);
        [if start.is_near(&before) { start } else { before }, end]
    }

    /// The times \[s\] of the motion of one that deforms which show it at `start` and `end` of a step. A motion that
    /// begins again in between jumps, and the jump is no way that anything is dragged along.
    pub fn within_step(&self, [start, end]: [f64; 2]) -> [f64; 2] {
        let Some(Deformation { motion, ending, .. }) = &self.deformation else { return [0.0; 2] };
        let span = motion.get().span();
        let [from, to] = [start, end].map(|time| ending.within(span, time));
        [if from <= to { from } else { (to - (end - start)).max(span[0]) }, to]
    }

    /// Writes where its vertices are in the world at `time` \[s\], for a motion that is played once: see
    /// [`Given::within_step`]. `scratch` is for points of the motion's own.
    pub fn write_points_at(
        &self,
        time: f64,
        scratch: &mut Vec<[f64; 3]>,
        points: &mut Vec<[f64; 3]>,
    ) {
        let pose = self.placed.pose(time);
        points.clear();
        match &self.deformation {
            None => points.extend(self.points.iter().map(|&p| pose.place(p))),
            Some(Deformation { motion, scale, numbers, .. }) => {
                motion.get().write_points_at(time, scratch);
                points.extend(numbers.iter().map(|&v| {
                    let p = scratch[v as usize];
                    pose.place(std::array::from_fn(|k| scale[k] * p[k]))
                }));
            }
        }
    }

    /// Where its vertices are in the world at `time` \[s\].
    pub fn points_at(&self, time: f64) -> Vec<[f64; 3]> {
        let mut points = Vec::new();
        let time = if self.deforms() { self.within_step([time, time])[1] } else { time };
        self.write_points_at(time, &mut Vec::new(), &mut points);
        points
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        let Self { triangles, points, depths, .. } = self;
        size_of_val(&triangles[..]) + size_of_val(&points[..]) + size_of_val(&depths[..])
    }

    /// What decides how it acts, for fingerprints.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        let placed = Collider { name: String::new(), ..self.placed.clone() };
        hash.update(format!("{placed:?}").as_bytes());
        hash.update(bytemuck::cast_slice(&self.points));
        hash.update(bytemuck::cast_slice(&self.triangles));
        if let Some(Deformation { motion, .. }) = &self.deformation {
            let [start, end] = motion.get().span();
            for part in 0..=8 {
                let time = start + (end - start) * f64::from(part) / 8.0;
                hash.update(bytemuck::cast_slice(&motion.get().points_at(time)));
            }
        }
        hash.digest()
    }
}

fn repeats(collider: &Collider) -> bool {
    match collider.motion {
        Some(
            ColliderMotion::Series { repeat, .. }
            | ColliderMotion::Animation { repeat, .. }
            | ColliderMotion::Keyframes { repeat, .. },
        ) => repeat,
        Some(ColliderMotion::Steady { .. } | ColliderMotion::Walk(_)) | None => false,
    }
}

/// Reads a mesh and what deforms it; says what is wrong and what to do.
fn read(mesh: &ColliderMesh, motion: Option<&ColliderMotion>) -> Result<Loaded, String> {
    let said = |e: ReadError| e.to_string();
    let still = |mesh: Mesh| Loaded { mesh, motion: None, warnings: Vec::new() };
    Ok(match (&mesh.source, motion) {
        (Source::Mesh { path, .. }, Some(&ColliderMotion::Series { interval, .. })) => {
            let series = MeshSeries::load(path, interval).map_err(said)?;
            let (mesh, warnings) = (series.mesh().clone(), series.warnings().to_vec());
            Loaded { mesh, motion: Some(AnyMotion::Series(Arc::new(series))), warnings }
        }
        (Source::Mesh { path, .. }, Some(ColliderMotion::Animation { animation, .. })) => {
            let animated = animated(path, animation)?;
            let (mesh, warnings) = (animated.mesh().clone(), animated.warnings().to_vec());
            Loaded { mesh, motion: Some(AnyMotion::Animation(Arc::new(animated))), warnings }
        }
        (Source::Mesh { path, .. }, _) => {
            let loaded = pliant_mesh::load(path).map_err(said)?;
            Loaded { warnings: loaded.warnings, ..still(loaded.mesh) }
        }
        (Source::Shape(shape), _) => still(shape.build().map_err(|e| e.to_string())?),
        (Source::Inline(mesh), _) => still(mesh.clone()),
    })
}

fn animated(path: &Path, animation: &str) -> Result<AnimatedMesh, String> {
    let mut animated = AnimatedMesh::load(path).map_err(|e| e.to_string())?;
    if animated.clips().is_empty() {
        return Err(format!(
            "{} has no animation; leave out `motion`, or move it by `keyframes`",
            path.display()
        ));
    }
    animated.choose(animation).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(animated)
}

/// The points that triangles have as corners, and the triangles by numbers of these. Points that coincide in all
/// frames are one, so that surfaces hold together whose files repeat points; triangles without a side are left out.
fn connected(mesh: &Mesh, frames: &[Vec<[f64; 3]>]) -> Result<(Vec<u32>, Vec<[u32; 3]>), String> {
    mesh.check_indices()?;
    for points in frames {
        if let Some(i) = points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            let problem = format!("point {i} of its mesh is {:?}", points[i]);
            return Err(format!("{problem}; mend the file (`pliant mesh check` lists all)"));
        }
    }
    let faces = if mesh.tets.is_empty() {
        mesh.triangles.clone()
    } else {
        topology::boundary_faces(&mesh.tets)
    };
    let first = topology::weld(&frames[0]);
    let stays = |v: u32, w: u32| frames.iter().all(|p| p[v as usize] == p[w as usize]);
    let one = |v: u32| {
        let w = first[v as usize];
        if stays(v, w) { w } else { v }
    };
    let faces: Vec<[u32; 3]> = faces
        .into_iter()
        .map(|t| t.map(one))
        .filter(|&[a, b, c]| a != b && b != c && c != a)
        .collect();
    if faces.is_empty() {
        return Err("its mesh has no triangles that anything could touch; give it a surface".into());
    }
    let mut numbers: Vec<u32> = faces.as_flattened().to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let place = |v: u32| numbers.binary_search(&v).expect("all are there") as u32;
    let triangles = faces.iter().map(|t| t.map(place)).collect();
    Ok((numbers, triangles))
}
