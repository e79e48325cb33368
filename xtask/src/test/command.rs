//! Running other programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Outcome;

/// The top folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The folder of built programs; this program lies in it.
pub fn built() -> PathBuf {
    let here = std::env::current_exe().ok();
    here.as_deref().and_then(Path::parent).map_or_else(|| root().join("target/debug"), Into::into)
}

/// A folder for what a check writes, empty.
pub fn fresh_folder(name: &str) -> Result<PathBuf, String> {
    let folder = built().join("checks").join(name);
    let describe = |e: std::io::Error| format!("cannot prepare {}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(describe)?;
    }
    std::fs::create_dir_all(&folder).map_err(describe)?;
    Ok(folder)
}

/// A program to run from the top folder, without input.
pub struct Tool {
    command: Command,
    shown: String,
}

impl Tool {
    /// Prepares a program.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(&program);
        command.current_dir(root()).stdin(Stdio::null());
        let name = Path::new(&program).file_name().unwrap_or(program.as_ref());
        Self { command, shown: name.to_string_lossy().into_owned() }
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        for argument in arguments {
            self.shown += " ";
            self.shown += &argument.as_ref().to_string_lossy();
            self.command.arg(argument);
        }
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs elsewhere than in the top folder.
    pub fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it, its output shown; an error says how it ended.
    pub fn run(mut self) -> Result<(), String> {
        println!("$ {}", self.shown);
        match self.command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{} ended with {status}", self.shown)),
            Err(e) => Err(format!("{} does not start: {e}", self.shown)),
        }
    }

    /// Runs it and returns what it prints; an error says how it ended.
    pub fn output(mut self) -> Result<String, String> {
        self.command.stderr(Stdio::inherit());
        match self.command.output() {
            Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into()),
            Ok(out) => Err(format!("{} ended with {}", self.shown, out.status)),
            Err(e) => Err(format!("{} does not start: {e}", self.shown)),
        }
    }

    /// Runs it as a check that looks at `what`.
    pub fn check(self, what: &str) -> Outcome {
        match self.run() {
            Ok(()) => Outcome::Passed(what.into()),
            Err(problem) => Outcome::Failed(problem),
        }
    }

    /// Whether it runs and ends well; its output is not shown.
    pub fn works(mut self) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self.command.status().is_ok_and(|status| status.success())
    }
}
