//! `pliant run`: a scene or a mesh from its start, or a checkpoint from where it stands.

mod resume;

use std::path::Path;
use std::process::ExitCode;

use pliant::checkpoint::Checkpoint;
use pliant::scene::{Body, ColliderMesh, ColliderShape, Every, Overrides, RunPlan, Scene, Source};
use pliant::session::{RunOptions, Session};

use super::link::link_in;
use super::open::open;
use super::place::OneFile;
use super::simulate::simulate;
use crate::args::RunArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Runs a scene.
pub fn run(args: RunArgs, console: &Console) -> Result<ExitCode, Failure> {
    args.pictures.check_colour()?;
    let checkpoint = args.resume.as_deref().map(resume::load).transpose()?;
    let file = args.out.as_deref().map(OneFile::named).transpose()?.flatten();
    let mut scene = scene_of(&args, checkpoint.as_ref(), console)?;
    if let Some(file) = &file {
        file.ask(&mut scene.output, checkpoint.is_some())?;
        scene.output.folder = Some(file.folder.clone());
    }
    let options = RunOptions {
        plan: scene.run.clone(),
        output: scene.output.clone(),
        folder: scene.output.folder.clone().unwrap_or_default(),
        name: file.map_or_else(|| scene.name.clone(), |file| file.name),
        is_continued: checkpoint.is_some(),
        ..RunOptions::default()
    };
    say_what_is_missing(&scene, console);
    let backend = args.device.backend()?;
    let (session, mut warnings) = match &checkpoint {
        Some(checkpoint) => resume::session_of(scene, checkpoint, backend)?,
        None => (Session::new(scene, backend)?, Vec::new()),
    };
    warnings.extend(args.pictures.warnings(session.simulator(), &options.output, &options.name)?);
    args.device.tell_idle(session.simulator(), console);
    simulate(session, options, warnings, console)
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
        (None, Some(path)) => open(path, &overrides, args.skin, console)?,
        (None, None) => return Err(Failure::new("there is neither a scene nor a checkpoint")),
        (Some(checkpoint), _) => resume::scene_of(checkpoint, args, &overrides, console)?,
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
    output.contacts |= args.contacts;
    args.pictures.apply(output);
    if let Some(seconds) = args.every {
        output.every = Every::Seconds(seconds);
    }
    if args.checkpoint_every.is_some() {
        output.checkpoint_every = args.checkpoint_every;
    }
}

/// Makes paths of meshes and height maps absolute, so that a checkpoint finds them from any folder.
fn stay_put(scene: &mut Scene) {
    let sources = scene.bodies.iter_mut().flat_map(Body::sources_mut);
    let meshes = sources.filter_map(|source| match source {
        Source::Mesh { path, .. } => Some(path),
        _ => None,
    });
    let grounds = scene.colliders.iter_mut().filter_map(|collider| match &mut collider.shape {
        ColliderShape::HeightMap(ground) => ground.file.as_mut(),
        ColliderShape::Mesh(ColliderMesh { source: Source::Mesh { path, .. }, .. }) => Some(path),
        _ => None,
    });
    for path in meshes.chain(grounds) {
        if let Ok(absolute) = std::path::absolute(&*path) {
            *path = absolute;
        }
    }
}

fn say_what_is_missing(scene: &Scene, console: &Console) {
    let o = &scene.output;
    if !o.has_results() && o.checkpoint_every.is_none() {
        console.note("nothing is written; ask for --gif, --mp4, --png, --glb, --vtu, … (--help)");
    }
    if o.contacts && scene.world.contact.is_none() {
        console.note(
            "--contacts lists nothing: bodies pass through each other (--set world.contact=true)",
        );
    }
    if scene.run == RunPlan::default() {
        console.note("the scene has no end (run.duration, run.steps); Ctrl-C stops it");
    }
}
