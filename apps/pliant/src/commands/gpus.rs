//! `pliant gpus`: which devices this machine has, and which of them is taken.

use std::process::ExitCode;

use crate::args::GpusArgs;
use crate::console::Console;
use crate::failure::Failure;

#[cfg(feature = "gpu")]
mod devices;

/// Lists the devices.
#[cfg(feature = "gpu")]
pub fn run(args: &GpusArgs, console: &Console) -> Result<ExitCode, Failure> {
    devices::list(args, console)
}

/// Says that there is nothing to look with.
#[cfg(not(feature = "gpu"))]
pub fn run(_: &GpusArgs, console: &Console) -> Result<ExitCode, Failure> {
    console.say(
        "This build of pliant has no GPU support; everything runs on the processor.\n\
         Build it with the feature \"gpu\", which is on unless --no-default-features is given.",
    );
    if console.json {
        let none: [(); 0] = [];
        console.document(&serde_json::json!({ "gpu_support": false, "devices": none }));
    }
    Ok(ExitCode::SUCCESS)
}
