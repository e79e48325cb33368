//! One moment of a run, in the user's numbering, and what stays the same between moments.

#[cfg(feature = "gpu")]
use pliant_sim::backend::gpu::shown::{Quantity, Shown};
use std::ops::Range;
use std::sync::Arc;

use pliant_sim::model::{BodyKind, FieldOn, Tracked};
use pliant_sim::stages::contact::Touching;
use pliant_sim::stages::skin::Skin;
use pliant_sim::stages::touch::{Touch, total_force};
use pliant_sim::{Model, Simulator, StepReport, at_once};

/// Which fields a frame has besides positions and report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Velocities and forces of the vertices.
    pub motion: bool,
    /// Stress of the tetrahedra.
    pub stress: bool,
    /// What touches, and the forces of it.
    pub contact: bool,
}

/// One moment of a run. Fields that were not asked for are empty.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Positions in the world \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Velocities \[m/s\].
    pub velocities: Vec<[f32; 3]>,
    /// Size of the net force on each vertex \[N\].
    pub forces: Vec<f32>,
    /// Equivalent stress (von Mises) of each tetrahedron \[Pa\].
    pub von_mises: Vec<f32>,
    /// Force on each vertex of all that touches it \[N\].
    pub contact_forces: Vec<[f32; 3]>,
    /// Surfaces of bodies that push each other.
    pub contacts: Vec<Touching>,
    /// What the scene tracks, in its order; there if velocities and forces are.
    pub tracked: Vec<TrackedMoment>,
    /// Drags and pushes that are going on, and colliders that are carried.
    pub touches: Vec<Touch>,
    /// By collider of the scene: how far hands have carried it \[m\]; nothing where none ever was.
    pub displaced: Vec<[f64; 3]>,
    /// The force of all of them together, without the drags' damping \[N\].
    pub touch_force: f64,
    /// The lowest and the highest corner of the world box, if there is one \[m\].
    pub walls: Option<[[f64; 3]; 2]>,
    /// Velocity of the air, if there is any \[m/s\].
    pub wind: Option<[f64; 3]>,
    /// What is on a device to be drawn; such a frame has no positions and no fields here.
    #[cfg(feature = "gpu")]
    pub shown: Option<Shown>,
    /// Step, time, energies.
    pub report: StepReport,
}

/// Where something is that a scene tracks, and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackedMoment {
    /// Mean of the positions of its vertices \[m\].
    pub position: [f64; 3],
    /// Mean of their velocities \[m/s\].
    pub velocity: [f32; 3],
    /// Sum of the net forces on them \[N\]; of locked vertices, what the locks hold.
    pub force: [f32; 3],
}

impl TrackedMoment {
    /// Adds up the vertices of `track`, in single numbers of double precision.
    fn of(
        track: &Tracked,
        positions: &[[f64; 3]],
        velocities: &[[f32; 3]],
        forces: &[[f32; 3]],
    ) -> Self {
        fn sum<T: Into<f64> + Copy>(vertices: &[u32], of: &[[T; 3]]) -> [f64; 3] {
            std::array::from_fn(|k| vertices.iter().map(|&v| of[v as usize][k].into()).sum())
        }
        let vertices = &track.vertices[..];
        let count = vertices.len().max(1) as f64;
        Self {
            position: sum(vertices, positions).map(|x| x / count),
            velocity: sum(vertices, velocities).map(|v| (v / count) as f32),
            force: sum(vertices, forces).map(|f| f as f32),
        }
    }
}

impl Frame {
    /// Takes a frame from a simulator.
    pub fn capture(sim: &mut Simulator, fields: Fields) -> Self {
        at_once(Self::capture_async(sim, fields))
    }

    /// As [`Frame::capture`], for places where nobody may wait for a device.
    pub async fn capture_async(sim: &mut Simulator, fields: Fields) -> Self {
        sim.mirror_in_browser().await;
        let length = |v: [f32; 3]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        let mut frame = Self::without_bodies(sim).await;
        let positions = sim.positions();
        frame.touch_force = size(total_force(&frame.touches, &positions));
        frame.positions = positions.iter().map(|p| p.map(|c| c as f32)).collect();
        if fields.motion {
            frame.velocities = sim.velocities();
            let forces = sim.forces();
            let moment = |track| TrackedMoment::of(track, &positions, &frame.velocities, &forces);
            frame.tracked = sim.model().tracks.iter().map(moment).collect();
            frame.forces = forces.into_iter().map(length).collect();
        }
        if fields.contact {
            frame.contact_forces = sim.contact_forces_async().await;
            frame.contacts = sim.contacts();
            frame.contacts.retain(Touching::pushes);
        }
        if fields.stress {
            frame.von_mises = sim.stress().iter().map(|s| s.von_mises() as f32).collect();
        }
        frame
    }

    /// Takes a frame that stays on the device of a simulator, with numbers for colours there; nothing
    /// if it runs on no device, or on one that failed.
    #[cfg(feature = "gpu")]
    pub async fn capture_on_device(sim: &mut Simulator, quantity: Quantity) -> Option<Self> {
        let shown = sim.show_on_device(quantity).ok().flatten()?;
        let touch_force = size(sim.touch_force_on_device().await?);
        Some(Self { shown: Some(shown), touch_force, ..Self::without_bodies(sim).await })
    }

    /// What is small enough to be copied always.
    async fn without_bodies(sim: &mut Simulator) -> Self {
        Self {
            report: sim.report_async().await,
            touches: sim.touches().to_vec(),
            displaced: sim.displacements().to_vec(),
            walls: sim.world().bounds.as_ref().map(|b| b.corners()),
            wind: sim.world().wind.map(|wind| wind.at(sim.time())),
            ..Self::default()
        }
    }
}

pub(crate) fn size(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// Where the vertices of a model are before the first step \[m\].
pub fn start(model: &Model) -> Vec<[f32; 3]> {
    let mut start = vec![[0.0; 3]; model.vertex_count()];
    for body in &model.bodies {
        for v in body.vertices.clone() {
            let rest = model.rest[v as usize];
            let at = |k: usize| (body.origin[k] + f64::from(rest[k])) as f32;
            start[model.vertex_order[v as usize] as usize] = [at(0), at(1), at(2)];
        }
    }
    start
}

/// How far the vertices of a frame are from where they were at the start \[m\].
pub fn displacements(positions: &[[f32; 3]], start: &[[f32; 3]]) -> Vec<f32> {
    let distance =
        |(p, s): (&[f32; 3], &[f32; 3])| (0..3).map(|k| (p[k] - s[k]).powi(2)).sum::<f32>().sqrt();
    positions.iter().zip(start).map(distance).collect()
}

/// What is the same in every frame: elements in the user's numbering, and bodies.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// Corners of the tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// The visible surface of all bodies.
    pub surface: Vec<[u32; 3]>,
    /// The same by body.
    pub surfaces: Vec<BodySurface>,
    /// The part of it that is a body of its own: cloth and other surface bodies.
    pub sheets: Vec<[u32; 3]>,
    /// The body of each vertex.
    pub bodies: Vec<u32>,
    /// Names of the bodies, then of colliders that are meshes: of all that touches.
    pub names: Vec<String>,
    /// Where the vertices are at the start \[m\].
    pub start: Vec<[f32; 3]>,
    /// What mesh files brought along, those on vertices first.
    pub fields: Vec<WholeField>,
}

/// What is seen of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySurface {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its triangles in [`Geometry::surface`].
    pub triangles: Range<usize>,
    /// What is shown in their place.
    pub skin: Option<Arc<Skin>>,
}

/// A field of a mesh file over all bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeField {
    /// As in the file.
    pub name: String,
    /// Whether it has a number for each vertex or for each tetrahedron.
    pub on: FieldOn,
    /// The numbers; not a number on bodies without this field.
    pub values: Vec<f32>,
}

impl WholeField {
    /// All fields of a model. One that some bodies have on vertices and others on tetrahedra is there
    /// twice.
    fn all(model: &Model) -> Vec<Self> {
        let mut fields: Vec<Self> = Vec::new();
        for on in [FieldOn::Vertices, FieldOn::Tets] {
            let first = fields.len();
            for body in &model.bodies {
                let (count, start) = match on {
                    FieldOn::Vertices => (model.vertex_count(), body.vertices.start),
                    FieldOn::Tets => (model.tets.len(), body.tets.start),
                };
                for field in body.fields.iter().filter(|f| f.on == on) {
                    let known = fields[first..].iter().position(|f| f.name == field.name);
                    let at = known.map(|i| first + i).unwrap_or_else(|| {
                        let values = vec![f32::NAN; count];
                        fields.push(Self { name: field.name.clone(), on, values });
                        fields.len() - 1
                    });
                    let place = start as usize..start as usize + field.values.len();
                    fields[at].values[place].copy_from_slice(&field.values);
                }
            }
        }
        fields
    }
}

impl Geometry {
    /// The elements of a model.
    pub fn of(model: &Model) -> Self {
        let user = |v: u32| model.vertex_order[v as usize];
        let mut geometry = Self { bodies: vec![0; model.vertex_count()], ..Self::default() };
        geometry.tets = vec![[0; 4]; model.tets.len()];
        for (t, tet) in model.tets.iter().enumerate() {
            geometry.tets[model.tet_order[t] as usize] = tet.map(user);
        }
        geometry.surface = model.triangles.iter().map(|t| t.map(user)).collect();
        for (i, body) in model.bodies.iter().enumerate() {
            geometry.names.push(body.name.clone());
            for v in body.vertices.clone() {
                geometry.bodies[user(v) as usize] = i as u32;
            }
            let range = |r: &Range<u32>| r.start as usize..r.end as usize;
            if body.kind == BodyKind::Surface {
                geometry.sheets.extend_from_slice(&geometry.surface[range(&body.triangles)]);
            }
            geometry.surfaces.push(BodySurface {
                vertices: range(&body.vertices),
                triangles: range(&body.triangles),
                skin: body.skin.clone(),
            });
        }
        geometry.names.extend(model.given.iter().map(|given| given.name.clone()));
        geometry.start = start(model);
        geometry.fields = WholeField::all(model);
        geometry
    }
}
