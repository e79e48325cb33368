//! `pliant completions`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::console::Console;
use crate::failure::Failure;

/// Prints the completion script of a shell.
pub fn run(shell: Shell, console: &Console) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "pliant", &mut script);
    let script = String::from_utf8_lossy(&script);
    if console.json {
        let document = serde_json::json!({"shell": shell.to_string(), "script": script});
        console.document(&document);
    } else {
        console.raw(&script);
    }
    Ok(ExitCode::SUCCESS)
}
