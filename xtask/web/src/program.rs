//! Running other programs.

use std::path::Path;
use std::process::{Command, Stdio};

/// Cargo as it runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The Rust compiler that Cargo uses.
pub fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Runs a program, its output shown; an error says how it ended.
pub fn run(command: &mut Command) -> Result<(), String> {
    println!("$ {}", shown(command));
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended with {status}", shown(command))),
        Err(e) => Err(format!("{} does not start: {e}", shown(command))),
    }
}

/// What a program prints; an error says how it ended.
pub fn output(command: &mut Command) -> Result<String, String> {
    match command.stdin(Stdio::null()).stderr(Stdio::inherit()).output() {
        Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into()),
        Ok(out) => Err(format!("{} ended with {}", shown(command), out.status)),
        Err(e) => Err(format!("{} does not start: {e}", shown(command))),
    }
}

/// Whether a program can be started at all.
pub fn exists(name: &str) -> bool {
    let quiet = Command::new(name)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok()
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text += " ";
        text += &argument.to_string_lossy();
    }
    text
}
