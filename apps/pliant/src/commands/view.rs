//! `pliant view`: the studio, a window in which bodies are looked at, touched and changed.

use std::process::ExitCode;

use crate::args::ViewArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Opens the window and waits until it is closed.
#[cfg(feature = "studio")]
pub fn run(args: ViewArgs, console: &Console) -> Result<ExitCode, Failure> {
    let source = match args.input.as_deref() {
        None => pliant_studio::Source::Demo(&pliant::scenes::ALL[0]),
        Some(input) => source_of(input)?,
    };
    // What cannot be opened at all is told here; the window tells what is wrong inside a file.
    if let pliant_studio::Source::File(path) = &source
        && let Err(error) = std::fs::metadata(path)
    {
        let names: Vec<&str> = pliant::scenes::ALL.iter().map(|s| s.name).collect();
        return Err(Failure::misuse(format!("{}: {error}", path.display()))
            .help(format!("give a scene, a checkpoint, a mesh, or a demo: {}", names.join(", "))));
    }
    window::open(source, &args, console)?;
    Ok(ExitCode::SUCCESS)
}

/// A link, a demo or a file.
#[cfg(feature = "studio")]
fn source_of(input: &std::path::Path) -> Result<pliant_studio::Source, Failure> {
    use pliant_studio::Source;
    if let Some(link) = super::link::link_in(input) {
        let scene = pliant::session::link::decode(link)?.scene;
        let title = if scene.name.is_empty() { "shared scene" } else { &scene.name };
        return Ok(Source::Scene(title.to_owned(), Box::new(scene)));
    }
    Ok(match input.to_str().and_then(pliant::scenes::find) {
        Some(demo) if !input.exists() => Source::Demo(demo),
        _ => Source::File(input.to_owned()),
    })
}

/// There is no window in this build.
#[cfg(not(feature = "studio"))]
pub fn run(_: ViewArgs, _: &Console) -> Result<ExitCode, Failure> {
    Err(Failure::new("this build of pliant has no studio").help(
        "build it with the feature \"studio\", which is on unless --no-default-features is given",
    ))
}

#[cfg(feature = "studio")]
pub mod window {
    use pliant::Backend;
    use pliant_gpu::AdapterChoice;
    use pliant_studio::{Options, Runs, Source, StudioError};

    use super::{Console, Failure, ViewArgs};

    /// Width and height of a new window \[points\].
    const SIZE: [u32; 2] = [1280, 800];

    /// Opens a window; returns when it is closed.
    pub fn open(source: Source, args: &ViewArgs, console: &Console) -> Result<(), Failure> {
        let (runs, adapter) = match args.device.backend()? {
            Backend::Auto => (Runs::Auto, AdapterChoice::any()),
            // What computes is what draws, so that nothing has to be copied.
            Backend::Gpu { adapter } => (Runs::WindowGpu, adapter),
            other => (Runs::On(other), AdapterChoice::any()),
        };
        let size = args.size.unwrap_or(SIZE).map(|n| n as f32);
        let (folder, reports) = (args.out.clone(), console.json);
        Ok(pliant_studio::run(Options { source, runs, adapter, size, folder, reports })?)
    }

    /// Whether there is a display to open a window on, as far as one can tell without trying.
    pub fn has_display() -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY")
    }

    impl From<StudioError> for Failure {
        fn from(error: StudioError) -> Self {
            Self::new(error.to_string()).help(
                "the studio needs a display and a driver for Vulkan, Metal or DirectX 12 (Mesa's \
                 software driver will do); pliant demo and pliant run write pictures without them",
            )
        }
    }
}
