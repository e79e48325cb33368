//! `pliant run`: a scene file from its start, or a checkpoint from where it stands.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant::Simulator;
use pliant::checkpoint::{self, Checkpoint, CheckpointError};
use pliant::mesh::source::read_file;
use pliant::scene::{Every, Overrides, RunPlan, Scene, Source};
use pliant::session::{RunOptions, Session, link};

use super::link::link_in;
use super::simulate::simulate;
use crate::args::RunArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Runs a scene.
pub fn run(args: RunArgs, console: &Console) -> Result<ExitCode, Failure> {
    args.pictures.check_colour()?;
    let checkpoint = args.resume.as_deref().map(load_checkpoint).transpose()?;
    let scene = scene_of(&args, checkpoint.as_ref(), console)?;
    let options = RunOptions {
        plan: scene.run.clone(),
        output: scene.output.clone(),
        folder: scene.output.folder.clone().unwrap_or_default(),
        name: scene.name.clone(),
        is_continued: checkpoint.is_some(),
        ..RunOptions::default()
    };
    say_what_is_missing(&scene, console);
    let session = session_of(scene, checkpoint.as_ref(), &args)?;
    let warnings = args.pictures.warnings(session.simulator(), &options.output, &options.name)?;
    args.device.tell_idle(session.simulator(), console);
    simulate(session, options, warnings, console)
}

fn session_of(
    scene: Scene,
    checkpoint: Option<&Checkpoint>,
    args: &RunArgs,
) -> Result<Session, Failure> {
    let world = scene.world.clone();
    let mut sim = Simulator::new(scene, args.device.backend()?)?;
    if let Some(checkpoint) = checkpoint {
        sim.load(checkpoint)?;
        sim.set_world(world)?;
    }
    Ok(Session::of(sim))
}

/// The scene with everything that the command line says about it, so that a checkpoint of it
/// remembers that too.
fn scene_of(
    args: &RunArgs,
    checkpoint: Option<&Checkpoint>,
    console: &Console,
) -> Result<Scene, Failure> {
    let overrides = Overrides::parse(&args.set)?;
    let mut scene = match (checkpoint, &args.scene) {
        (None, Some(path)) => match link_in(path) {
            Some(link) => {
                let text = link::decode(link)?.scene.to_toml()?;
                Scene::from_toml_with(&text, "link", &overrides)?
            }
            None => Scene::load_with(path, &overrides)?,
        },
        (None, None) => return Err(Failure::new("there is neither a scene nor a checkpoint")),
        (Some(checkpoint), path) => {
            continued_scene(checkpoint, path.as_deref(), &overrides, console)?
        }
    };
    if scene.name.trim().is_empty() {
        let file = args.scene.as_deref().filter(|path| link_in(path).is_none());
        let stem = file.and_then(Path::file_stem);
        scene.name = stem.map_or("scene".into(), |s| s.to_string_lossy().into_owned());
    }
    if let Some(integrator) = args.integrator {
        scene.world.integrator = integrator;
    }
    if let Some(accumulation) = args.device.accumulation()? {
        scene.world.accumulation = accumulation;
    }
    match (args.steps, args.duration) {
        (None, None) => {}
        (steps, duration) => scene.run = RunPlan { steps, duration },
    }
    choose_output(&mut scene, args);
    stay_put(&mut scene);
    Ok(scene)
}

/// The scene of a continued run: bodies, actions and outputs of the file, or of the checkpoint
/// without one; the world as it was at that moment, and overrides on top.
fn continued_scene(
    checkpoint: &Checkpoint,
    path: Option<&Path>,
    overrides: &Overrides,
    console: &Console,
) -> Result<Scene, Failure> {
    let mut scene = match path {
        Some(path) => {
            let scene = match link_in(path) {
                Some(link) => link::decode(link)?.scene,
                None => Scene::load(path)?,
            };
            if scene.world != checkpoint.world {
                console.note(
                    "the world continues as it was at the checkpoint, which is not quite as the \
                     scene file has it; change it with --set",
                );
            }
            stay_put_as(scene)
        }
        None => checkpoint.scene.clone().ok_or(CheckpointError::NoScene)?,
    };
    scene.world = checkpoint.world.clone();
    let text = scene.to_toml()?;
    Ok(Scene::from_toml_with(&text, "checkpoint", overrides)?)
}

fn choose_output(scene: &mut Scene, args: &RunArgs) {
    let default = || Path::new("pliant-out").join(pliant::session::export::file_name(&scene.name));
    let folder = args.out.clone().or_else(|| scene.output.folder.clone()).unwrap_or_else(default);
    let output = &mut scene.output;
    output.folder = Some(folder);
    output.vtu |= args.vtu;
    output.glb |= args.glb;
    output.obj |= args.obj;
    output.ply |= args.ply;
    output.csv |= args.csv;
    args.pictures.apply(output);
    if let Some(seconds) = args.every {
        output.every = Every::Seconds(seconds);
    }
    if args.checkpoint_every.is_some() {
        output.checkpoint_every = args.checkpoint_every;
    }
}

fn stay_put_as(mut scene: Scene) -> Scene {
    stay_put(&mut scene);
    scene
}

/// Makes mesh paths absolute, so that a checkpoint finds them from any folder.
fn stay_put(scene: &mut Scene) {
    for body in &mut scene.bodies {
        if let Source::Mesh { path, .. } = &mut body.source
            && let Ok(absolute) = std::path::absolute(&*path)
        {
            *path = absolute;
        }
    }
}

fn say_what_is_missing(scene: &Scene, console: &Console) {
    let o = &scene.output;
    if !o.has_results() && o.checkpoint_every.is_none() {
        console.note("nothing is written; ask for --gif, --mp4, --png, --glb, --vtu, … (--help)");
    }
    if scene.run == RunPlan::default() {
        console.note("the scene has no end (run.duration, run.steps); Ctrl-C stops it");
    }
}

fn load_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    let bytes = read_file(path)?;
    checkpoint::decode(&bytes).map_err(|error| {
        let path: PathBuf = path.to_owned();
        Failure::from(error).file(&path)
    })
}
