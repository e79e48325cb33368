//! `pliant demo`: a built-in scene, simulated and written for looking at.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant::scene::{Output, Picture, RunPlan, suggest};
use pliant::scenes::{self, Named};
use pliant::session::{RunOptions, Session};
use serde_json::json;

use super::place::OneFile;
use super::simulate::simulate;
use crate::args::DemoArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Width and height of pictures \[pixels\]: such that a GIF stays small enough to be sent around.
const SIZE: [u32; 2] = [640, 480];

/// Lists the scenes or runs one of them.
pub fn run(args: DemoArgs, console: &Console) -> Result<ExitCode, Failure> {
    if args.list {
        list(console);
        return Ok(ExitCode::SUCCESS);
    }
    let demo: &'static Named = match &args.name {
        Some(name) => scenes::find(name).ok_or_else(|| unknown(name))?,
        None => &scenes::ALL[0],
    };
    console.note(format!("{}: {}", demo.title, demo.description));
    if wants_window(&args, console) && play(demo, &args, console) {
        return Ok(ExitCode::SUCCESS);
    }
    simulate_demo(demo, &args, console)
}

/// Whether nothing that was asked for needs files or a text.
fn wants_window(args: &DemoArgs, console: &Console) -> bool {
    let asks_for_files = args.out.is_some() || args.steps.is_some() || args.pictures.asks();
    !(args.no_window || asks_for_files || console.json)
}

/// Opens the studio, if that is possible; otherwise says why not.
#[cfg(feature = "studio")]
fn play(demo: &'static Named, args: &DemoArgs, console: &Console) -> bool {
    use super::view::window;
    if !window::has_display() {
        console.note("there is no display for the studio, so pictures and results are written");
        return false;
    }
    let view = crate::args::ViewArgs { device: args.device.clone(), ..Default::default() };
    match window::open(pliant_studio::Source::Demo(demo), &view, console) {
        Ok(()) => true,
        Err(failure) => {
            console.complain(&failure);
            console.note("pictures and results are written instead");
            false
        }
    }
}

/// There is no window in this build.
#[cfg(not(feature = "studio"))]
fn play(_: &'static Named, _: &DemoArgs, _: &Console) -> bool {
    false
}

fn simulate_demo(demo: &Named, args: &DemoArgs, console: &Console) -> Result<ExitCode, Failure> {
    let DemoArgs { device, steps, .. } = args;
    let file = args.out.as_deref().map(OneFile::named).transpose()?.flatten();
    let default = || Path::new("pliant-out").join(demo.name);
    let folder = match &file {
        Some(file) => file.folder.clone(),
        None => args.out.clone().unwrap_or_else(default),
    };
    let mut scene = (demo.build)();
    if steps.is_some() {
        scene.run = RunPlan { steps: *steps, duration: None };
    }
    if let Some(accumulation) = device.accumulation()? {
        scene.world.accumulation = accumulation;
    }
    // Kept in the scene, so that a checkpoint knows what to go on writing.
    scene.output = output(folder.clone(), scene.output.picture, args, file.as_ref())?;
    scene.validate()?;
    let options = RunOptions {
        plan: scene.run.clone(),
        output: scene.output.clone(),
        folder,
        name: file.map_or_else(|| scene.name.clone(), |file| file.name),
        ..RunOptions::default()
    };
    args.pictures.check_colour()?;
    let session = Session::new(scene, device.backend()?)?;
    let warnings = args.pictures.warnings(session.simulator(), &options.output, demo.name)?;
    device.tell_idle(session.simulator(), console);
    simulate(session, options, warnings, console)
}

/// Everything that is good to look at, or the one file that is asked for, in pictures that are quickly drawn, as
/// the scene wants to be seen.
fn output(
    folder: PathBuf,
    picture: Picture,
    args: &DemoArgs,
    file: Option<&OneFile>,
) -> Result<Output, Failure> {
    let all = file.is_none();
    let mut output = Output {
        folder: Some(folder),
        vtu: all,
        glb: all,
        csv: all,
        png: all,
        gif: all,
        picture: Picture { size: SIZE, ..picture },
        ..Output::default()
    };
    args.pictures.apply(&mut output);
    file.map_or(Ok(()), |file| file.ask(&mut output, false))?;
    Ok(output)
}

fn list(console: &Console) {
    if console.json {
        let entry =
            |s: &Named| json!({"name": s.name, "title": s.title, "description": s.description});
        console.document(&scenes::ALL.iter().map(entry).collect::<Vec<_>>());
    } else {
        let line = |s: &Named| format!("{:<14}{}", s.name, s.description);
        console.say(scenes::ALL.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = scenes::ALL.iter().map(|s| s.name).collect();
    Failure::misuse(format!("there is no demo called {name:?}")).help(suggest(
        name,
        &names,
        "there are",
    ))
}
