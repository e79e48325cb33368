//! A moment of a simulation as bytes, and back.
//!
//! A checkpoint holds the scene (as TOML), the live parameters and the state in the user's order, so
//! that it does not depend on how a backend lays things out. A fingerprint of the model refuses a
//! mesh that has changed meanwhile, and a checksum refuses a damaged file. All numbers are little
//! endian.

use pliant_mesh::bytes::{Cursor, Endian};

use crate::model::BuildError;
use crate::scene::{Scene, SceneError, World};
use crate::simulator::{Backend, Simulator};
use crate::stages::contact::{Anchor, Kind};
use crate::stages::plasticity::RestShape;
use crate::stages::shapes::ClusterStates;
use crate::stages::touch::{Carry, Drag, Push, Touch};
use crate::state::State;

/// First bytes of every checkpoint: name and version.
const MAGIC: &[u8; 8] = b"PLIANT\x00\x01";

/// A decoded checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The scene with the live parameters of that moment; `None` when it had a mesh made in code and
    /// so cannot be written down.
    pub scene: Option<Scene>,
    /// The live parameters of that moment.
    pub world: World,
    /// Fingerprint of the model.
    pub fingerprint: u64,
    /// Substeps per step at that moment.
    pub substeps: u32,
    /// The state, in the user's order.
    pub state: State,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes are no checkpoint, or one of another version.
    #[error("this is no checkpoint that this version of Pliant can read")]
    Foreign,
    /// The bytes are damaged.
    #[error("the checkpoint is damaged: {0}. Use an earlier one")]
    Damaged(String),
    /// It belongs to another scene or to a mesh that has changed.
    #[error(
        "the checkpoint belongs to another model: scene or mesh files have changed since it was \
         written. Restore them, or start the run anew"
    )]
    OtherModel,
    /// It holds no scene, so the caller must bring one.
    #[error("the checkpoint holds no scene, because its mesh was made in code; give the scene")]
    NoScene,
    /// Its scene no longer compiles.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Writes down a simulation.
pub fn encode(sim: &Simulator) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let restore_point = sim.restore_point();
    let live = Scene { world: restore_point.world.clone(), ..sim.scene().clone() };
    put_text(&mut out, &live.to_toml().unwrap_or_default());
    let world = Scene { world: restore_point.world.clone(), ..Scene::default() };
    put_text(&mut out, &world.to_toml().expect("a world alone can always be written"));
    put_u64(&mut out, sim.model().fingerprint());
    put_u64(&mut out, u64::from(restore_point.substeps));
    put_state(&mut out, &sim.in_users_order(&restore_point.state));
    let sum = xxhash_rust::xxh3::xxh3_64(&out);
    put_u64(&mut out, sum);
    out
}

/// Reads what [`encode`] wrote.
pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    if !bytes.starts_with(MAGIC) {
        return Err(CheckpointError::Foreign);
    }
    let damaged = |what: &str| CheckpointError::Damaged(what.to_owned());
    let body = bytes.len().checked_sub(8).filter(|&n| n >= 8).ok_or_else(|| damaged("cut off"))?;
    let sum = u64::from_le_bytes(bytes[body..].try_into().expect("eight bytes"));
    if xxhash_rust::xxh3::xxh3_64(&bytes[..body]) != sum {
        return Err(damaged("its checksum does not fit"));
    }
    let mut cursor = Cursor::new(&bytes[8..body], 8, Endian::Little);
    read(&mut cursor).map_err(|e| CheckpointError::Damaged(e.problem))?
}

fn read(c: &mut Cursor<'_>) -> pliant_mesh::Result<Result<Checkpoint, CheckpointError>> {
    let scene = get_text(c)?;
    let world = get_text(c)?;
    let (fingerprint, substeps) = (c.u64("fingerprint")?, c.u64("substeps")?);
    let state = get_state(c)?;
    let parse = |text: &str| Scene::from_toml(text, "checkpoint").map_err(BuildError::from);
    Ok((|| {
        let world = parse_world(&world)?;
        let scene = if scene.is_empty() { None } else { Some(parse(&scene)?) };
        let substeps = u32::try_from(substeps).unwrap_or(1).max(1);
        Ok(Checkpoint { scene, world, fingerprint, substeps, state })
    })())
}

/// The world of a scene that may have no bodies.
fn parse_world(text: &str) -> Result<World, CheckpointError> {
    let message = |e: SceneError| e.problems.into_iter().next().map_or("".into(), |p| p.message);
    Scene::world_of(text, "checkpoint").map_err(|e| CheckpointError::Damaged(message(e)))
}

impl Simulator {
    /// Continues from a checkpoint that carries its scene.
    pub fn resume(checkpoint: &Checkpoint, backend: Backend) -> Result<Self, CheckpointError> {
        let scene = checkpoint.scene.clone().ok_or(CheckpointError::NoScene)?;
        let mut sim = Simulator::new(scene, backend)?;
        sim.load(checkpoint)?;
        Ok(sim)
    }

    /// Goes to a checkpoint of this scene.
    pub fn load(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if checkpoint.fingerprint != self.model().fingerprint() {
            return Err(CheckpointError::OtherModel);
        }
        checkpoint.state.check(self.model()).map_err(CheckpointError::Damaged)?;
        self.set_world(checkpoint.world.clone()).map_err(BuildError::from)?;
        self.set_substeps(checkpoint.substeps);
        self.set_state(&checkpoint.state);
        Ok(())
    }
}

fn put_u64(out: &mut Vec<u8>, n: u64) {
    out.extend_from_slice(&n.to_le_bytes());
}

fn put_f64s(out: &mut Vec<u8>, values: &[f64]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_u64(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn put_vectors(out: &mut Vec<u8>, vectors: &[[f32; 3]]) {
    put_u64(out, vectors.len() as u64);
    vectors.iter().flatten().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

fn put_state(out: &mut Vec<u8>, state: &State) {
    let State { step, time, h_last, origins, position, position_compensation, velocity, .. } =
        state;
    let State { force, last_acceleration, rest_shapes, anchors, touches, .. } = state;
    let State { displaced, seams, clusters, .. } = state;
    put_u64(out, *step);
    put_f64s(out, &[*time, *h_last]);
    put_u64(out, origins.len() as u64);
    origins.iter().for_each(|o| put_f64s(out, o));
    for array in [position, position_compensation, velocity, force, last_acceleration] {
        put_vectors(out, array);
    }
    put_u64(out, rest_shapes.as_ref().map_or(0, |r| r.len() as u64 + 1));
    for rest in rest_shapes.iter().flatten() {
        rest.lengths.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        out.extend_from_slice(&rest.volume6.to_le_bytes());
    }
    put_u64(out, touches.len() as u64);
    for touch in touches {
        match touch {
            Touch::Push(p) => {
                put_u64(out, 0);
                put_f64s(out, &p.origin);
                put_f64s(out, &p.direction);
                put_f64s(out, &[p.radius, p.force]);
            }
            Touch::Drag(d) => {
                put_u64(out, 1);
                put_f64s(out, &d.hand);
                put_f64s(out, &d.cursor);
                put_f64s(out, &[d.speed, d.stiffness]);
                put_u64(out, d.vertices.len() as u64);
                for (&v, offset) in d.vertices.iter().zip(&d.offsets) {
                    put_u64(out, u64::from(v));
                    put_f64s(out, offset);
                }
            }
            Touch::Carry(c) => {
                put_u64(out, 2);
                put_f64s(out, &c.hand);
                put_f64s(out, &c.cursor);
                put_f64s(out, &[c.speed, f64::from(c.collider)]);
            }
        }
    }
    // What comes last was not always there: it is written only where there is any, and files may end before it.
    let is_there =
        [!anchors.is_empty(), !displaced.is_empty(), !seams.is_empty(), !clusters.turns.is_empty()];
    let is_followed = |from: usize| is_there[from..].contains(&true);
    if is_followed(0) {
        put_anchors(out, anchors);
    }
    if is_followed(1) {
        put_u64(out, displaced.len() as u64);
        displaced.iter().for_each(|way| put_f64s(out, way));
    }
    if is_followed(2) {
        put_u64(out, seams.len() as u64);
        out.extend_from_slice(seams);
    }
    if is_followed(3) {
        put_numbers(out, clusters.turns.as_flattened(), 4);
        put_numbers(out, clusters.taken.as_flattened(), 9);
    }
}

/// Numbers that belong together, so many at a time.
fn put_numbers(out: &mut Vec<u8>, numbers: &[f32], together: usize) {
    put_u64(out, (numbers.len() / together) as u64);
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

fn put_anchors(out: &mut Vec<u8>, anchors: &[Anchor]) {
    put_u64(out, anchors.len() as u64);
    for Anchor { kind, corners, place, push, pull } in anchors {
        out.extend_from_slice(&(*kind as u32).to_le_bytes());
        corners.iter().for_each(|c| out.extend_from_slice(&c.to_le_bytes()));
        place
            .iter()
            .chain([push])
            .chain(pull)
            .for_each(|c| out.extend_from_slice(&c.to_le_bytes()));
    }
}

type Read<T> = pliant_mesh::Result<T>;

fn get_text(c: &mut Cursor<'_>) -> Read<String> {
    let length = c.u64("length of a text")? as usize;
    let bytes = c.take(length, "a text")?;
    String::from_utf8(bytes.to_vec()).map_err(|_| c.error("a text is not UTF-8"))
}

fn get_point(c: &mut Cursor<'_>) -> Read<[f64; 3]> {
    Ok([c.f64("a point")?, c.f64("a point")?, c.f64("a point")?])
}

/// `count` items of at least `bytes` bytes each; never allocates more than the data can hold.
fn get_list<T>(
    c: &mut Cursor<'_>,
    bytes: usize,
    mut item: impl FnMut(&mut Cursor<'_>) -> Read<T>,
) -> Read<Vec<T>> {
    let count = c.u64("the length of a list")? as usize;
    get_items(c, count, bytes, &mut item)
}

fn get_items<T>(
    c: &mut Cursor<'_>,
    count: usize,
    bytes: usize,
    item: &mut impl FnMut(&mut Cursor<'_>) -> Read<T>,
) -> Read<Vec<T>> {
    let mut list = Vec::with_capacity(c.capacity(count, bytes));
    for _ in 0..count {
        list.push(item(c)?);
    }
    Ok(list)
}

fn get_vectors(c: &mut Cursor<'_>) -> Read<Vec<[f32; 3]>> {
    get_list(c, 12, |c| Ok([c.f32("a vector")?, c.f32("a vector")?, c.f32("a vector")?]))
}

fn get_rest(c: &mut Cursor<'_>) -> Read<RestShape<f32>> {
    let mut lengths = [0.0; 6];
    for l in &mut lengths {
        *l = c.f32("a rest length")?;
    }
    Ok(RestShape { lengths, volume6: c.f32("a rest volume")? })
}

fn get_touch(c: &mut Cursor<'_>) -> Read<Touch> {
    let kind = c.u64("the kind of a touch")?;
    let (a, b) = (get_point(c)?, get_point(c)?);
    let (p, q) = (c.f64("a touch")?, c.f64("a touch")?);
    match kind {
        0 => Ok(Touch::Push(Push { origin: a, direction: b, radius: p, force: q })),
        1 => {
            let held = get_list(c, 32, |c| Ok((c.u64("a held vertex")? as u32, get_point(c)?)))?;
            let (vertices, offsets) = held.into_iter().unzip();
            Ok(Touch::Drag(Drag { vertices, offsets, hand: a, cursor: b, speed: p, stiffness: q }))
        }
        2 if q >= 0.0 && q <= f64::from(u32::MAX) => {
            Ok(Touch::Carry(Carry { collider: q as u32, hand: a, cursor: b, speed: p }))
        }
        _ => Err(c.error(format!("a touch of unknown kind {kind}"))),
    }
}

fn get_anchor(c: &mut Cursor<'_>) -> Read<Anchor> {
    let kind = match c.u32("the kind of a contact")? {
        0 => Kind::VertexTriangle,
        1 => Kind::EdgeEdge,
        kind => return Err(c.error(format!("a contact of unknown kind {kind}"))),
    };
    let mut corners = [0; 4];
    for corner in &mut corners {
        *corner = c.u32("a corner of a contact")?;
    }
    let place = [c.f32("where a contact holds")?, c.f32("where a contact holds")?];
    let mut push = || c.f32("how hard a contact pushes");
    Ok(Anchor { kind, corners, place, push: push()?, pull: [push()?, push()?, push()?] })
}

fn get_pair(c: &mut Cursor<'_>) -> Read<u8> {
    Ok(c.take(1, "a pair of a seam")?[0])
}

fn get_numbers<const N: usize>(c: &mut Cursor<'_>) -> Read<[f32; N]> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        *number = c.f32("what a cluster has become")?;
    }
    Ok(numbers)
}

fn get_clusters(c: &mut Cursor<'_>) -> Read<ClusterStates> {
    if c.remaining() == 0 {
        return Ok(ClusterStates::default());
    }
    let turns = get_list(c, 16, get_numbers::<4>)?;
    Ok(ClusterStates { turns, taken: get_list(c, 36, get_numbers::<9>)? })
}

fn get_state(c: &mut Cursor<'_>) -> Read<State> {
    let state = get_state_without_anchors(c)?;
    let anchors = if c.remaining() == 0 { Vec::new() } else { get_list(c, 44, get_anchor)? };
    let displaced = if c.remaining() == 0 { Vec::new() } else { get_list(c, 24, get_point)? };
    let seams = if c.remaining() == 0 { Vec::new() } else { get_list(c, 1, get_pair)? };
    let clusters = get_clusters(c)?;
    Ok(State { anchors, displaced, seams, clusters, ..state })
}

fn get_state_without_anchors(c: &mut Cursor<'_>) -> Read<State> {
    Ok(State {
        step: c.u64("step")?,
        time: c.f64("time")?,
        h_last: c.f64("last timestep")?,
        origins: get_list(c, 24, get_point)?,
        position: get_vectors(c)?,
        position_compensation: get_vectors(c)?,
        velocity: get_vectors(c)?,
        force: get_vectors(c)?,
        last_acceleration: get_vectors(c)?,
        rest_shapes: match c.u64("rest shapes")? {
            0 => None,
            n => Some(get_items(c, n as usize - 1, 28, &mut get_rest)?),
        },
        touches: get_list(c, 72, get_touch)?,
        anchors: Vec::new(),
        displaced: Vec::new(),
        seams: Vec::new(),
        clusters: ClusterStates::default(),
    })
}
