//! Runs that are continued from a checkpoint.

use std::path::Path;

use pliant::checkpoint::{self, Checkpoint, CheckpointError};
use pliant::mesh::source::read_file;
use pliant::scene::{Overrides, Scene};
use pliant::session::Session;
use pliant::{Backend, Simulator};

use super::super::open::open;
use super::stay_put;
use crate::args::RunArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Keys of a body that changes cannot be told by: what it is called, and where its file lies now.
const NO_CHANGE: [&str; 2] = ["name", "mesh"];
/// Changed keys that are named at most.
const MOST_KEYS: usize = 5;

/// Reads a checkpoint.
pub fn load(path: &Path) -> Result<Checkpoint, Failure> {
    let bytes = read_file(path)?;
    checkpoint::decode(&bytes).map_err(|error| Failure::from(error).file(path))
}

/// The scene of a continued run: bodies, actions and outputs of the file, or of the checkpoint
/// without one; the world as it was at that moment, and overrides on top.
pub fn scene_of(
    checkpoint: &Checkpoint,
    args: &RunArgs,
    overrides: &Overrides,
    console: &Console,
) -> Result<Scene, Failure> {
    let mut scene = match &args.scene {
        Some(path) => {
            let mut scene = open(path, &Overrides::default(), args.skin, console)?;
            if scene.world != checkpoint.world {
                console.note(
                    "the world continues as it was at the checkpoint, which is not quite as the \
                     scene file has it; change it with --set",
                );
            }
            stay_put(&mut scene);
            scene
        }
        None => checkpoint.scene.clone().ok_or(CheckpointError::NoScene)?,
    };
    scene.world = checkpoint.world.clone();
    let text = scene.to_toml()?;
    Ok(Scene::from_toml_with(&text, "checkpoint", overrides)?)
}

/// A session that goes on from the checkpoint, and warnings of what has no effect there.
pub fn session_of(
    scene: Scene,
    checkpoint: &Checkpoint,
    backend: Backend,
) -> Result<(Session, Vec<String>), Failure> {
    let world = scene.world.clone();
    let changes = changes(checkpoint, &scene)?;
    let mut sim = Simulator::new(scene, backend)?;
    sim.load(checkpoint).map_err(|error| match error {
        CheckpointError::OtherModel if !changes.is_empty() => other_bodies(&changes),
        error => error.into(),
    })?;
    sim.set_world(world)?;
    let warning = (!changes.is_empty()).then(|| {
        format!("{} only matters at the start: a continued run goes on without it", named(&changes))
    });
    Ok((Session::of(sim), warning.into_iter().collect()))
}

/// The keys of bodies that are others than when the checkpoint was written.
fn changes(checkpoint: &Checkpoint, scene: &Scene) -> Result<Vec<String>, Failure> {
    let Some(before) = &checkpoint.scene else { return Ok(Vec::new()) };
    let mut keys = before.differing_keys(scene)?;
    let counts = |key: &String| {
        let last = key.rsplit('.').next().unwrap_or(key);
        key.starts_with("bodies") && !NO_CHANGE.contains(&last)
    };
    keys.retain(counts);
    Ok(keys)
}

fn other_bodies(changes: &[String]) -> Failure {
    let problem = format!(
        "a continued run cannot change its bodies, and {} differs from what the checkpoint was made with",
        named(changes)
    );
    Failure::new(problem).help(
        "world, actions, run and output can change; for other bodies start anew without --resume, or open \
         the checkpoint with `pliant view`, where material changes while it moves",
    )
}

fn named(keys: &[String]) -> String {
    let shown: Vec<String> = keys.iter().take(MOST_KEYS).map(|key| format!("`{key}`")).collect();
    let more = if keys.len() > MOST_KEYS { ", …" } else { "" };
    shown.join(", ") + more
}
