//! The web page. Its task is a program of its own, so that the others start without what it needs.

use std::process::{Command, ExitCode};

/// Runs the task with its command-line options.
pub fn run(arguments: &[String]) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let program = ["run", "--package", "xtask-web", "--"];
    match Command::new(cargo).args(program).args(arguments).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => ExitCode::from(status.code().and_then(|c| c.try_into().ok()).unwrap_or(1)),
        Err(e) => {
            eprintln!("cargo does not start: {e}");
            ExitCode::FAILURE
        }
    }
}
