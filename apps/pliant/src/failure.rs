//! Why a command ended without doing what it was asked for.

use std::any::Any;
use std::path::Path;

use pliant::BuildError;
use pliant::checkpoint::CheckpointError;
use pliant::mesh::{Place, ReadError, WriteError};
use pliant::scene::SceneError;
use pliant::session::RunError;
use pliant::session::export::ExportError;
use pliant::session::link::LinkError;
use serde_json::{Map, Value, json};

/// Exit code of commands that were understood but failed.
const FAILED: u8 = 1;
/// Exit code of command lines that make no sense.
const USAGE: u8 = 2;
/// Exit code of mistakes in the program itself.
const BUG: u8 = 101;

/// A failed command: what to print and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// Exit code, never 0.
    pub code: u8,
    message: String,
    help: Option<String>,
    /// What programs may want to know besides: file, line, …
    details: Vec<(&'static str, Value)>,
    /// Printed as it is instead of the message, when it has a form of its own.
    rendered: Option<Box<[String; 2]>>,
}

impl Failure {
    /// A command that was understood but failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            code: FAILED,
            message: message.into(),
            help: None,
            details: Vec::new(),
            rendered: None,
        }
    }

    /// A command line that asks for something that does not exist.
    pub fn misuse(message: impl Into<String>) -> Self {
        Self { code: USAGE, ..Self::new(message) }
    }

    /// Adds what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds something that programs may want to know.
    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.details.push((key, value.into()));
        self
    }

    /// Adds the file it is about.
    pub fn file(self, path: &Path) -> Self {
        self.with("file", path.display().to_string())
    }

    /// A command line that makes no sense, as the argument parser says it.
    pub fn usage(error: &clap::Error, color: bool) -> Self {
        let text = error.render().to_string();
        let shown = if color { error.render().ansi().to_string() } else { text.clone() };
        let message = text.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        let rest = text.lines().skip(1).collect::<Vec<_>>().join("\n").trim().to_owned();
        Self {
            code: USAGE,
            message,
            help: (!rest.is_empty()).then_some(rest),
            details: Vec::new(),
            rendered: Some(Box::new([text, shown])),
        }
    }

    /// A mistake in the program itself.
    pub fn from_panic(panic: &(dyn Any + Send)) -> Self {
        let said = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        let said = said.unwrap_or_else(|| "no message".into());
        Self {
            code: BUG,
            ..Self::new(format!("this is a mistake in pliant itself: {said}")).help(
                "please report it with the command and its files; RUST_BACKTRACE=1 shows where",
            )
        }
    }

    /// The failure for programs.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("message".into(), json!(self.message));
        object.insert("help".into(), json!(self.help));
        object.extend(self.details.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        Value::Object(object)
    }

    /// The failure for people, over one or more lines.
    pub fn render(&self, color: bool) -> String {
        if let Some([plain, colored]) = self.rendered.as_deref() {
            return if color { colored.clone() } else { plain.clone() };
        }
        let paint = |code: &str, text: &str| match color {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        };
        let mut text = format!("{}: {}", paint("1;31", "error"), self.message);
        if let Some(help) = &self.help {
            text += &format!("\n {} {}", paint("1;36", "help:"), help);
        }
        text
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let bare = ReadError { help: String::new(), ..error.clone() };
        let mut failure = Self::new(bare.to_string());
        if !error.help.is_empty() {
            failure = failure.help(error.help);
        }
        if let Some(path) = &error.path {
            failure = failure.file(path);
        }
        if let Some(format) = error.format {
            failure = failure.with("format", format.to_string());
        }
        match error.place {
            Place::File => failure,
            Place::Line(line) => failure.with("line", line),
            Place::Byte(byte) => failure.with("byte", byte),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let failure = Self::new(error.to_string());
        match &error {
            WriteError::Io { path, .. } | WriteError::UnknownExtension { path, .. } => {
                failure.file(path)
            }
            WriteError::Unsuitable { format, .. } => failure.with("format", format.to_string()),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        let mut failure = Self::new("the scene cannot be used");
        if let Some(first) = error.problems.first() {
            failure.message = first.message.clone();
            failure.help = first.help.clone();
            let text = |t: &Option<String>| t.as_ref().map(|t| Value::from(t.as_str()));
            let number = |n: Option<usize>| n.map(Value::from);
            let places = [
                ("file", text(&first.file)),
                ("line", number(first.line)),
                ("column", number(first.column)),
                ("set", text(&first.set)),
            ];
            let known = places.into_iter().filter_map(|(key, value)| Some((key, value?)));
            failure.details.extend(known);
        }
        failure.rendered = Some(Box::new([error.render(false), error.render(true)]));
        failure.with("problems", json!(error.problems))
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Scene(error) => error.into(),
            BuildError::Mesh { body, source } => {
                let mut failure = Self::from(source);
                failure.message = format!("body {body:?}: {}", failure.message);
                failure.with("body", body)
            }
            #[cfg(feature = "gpu")]
            BuildError::Gpu(error) => error.into(),
            BuildError::Memory(shortage) => Self::new(shortage.to_string())
                .with("needed_bytes", shortage.needed)
                .with("available_bytes", shortage.available),
            BuildError::Unsuitable { body, problem } => {
                Self::new(format!("body {body:?}: {problem}")).with("body", body)
            }
            error => Self::new(error.to_string()),
        }
    }
}

#[cfg(feature = "gpu")]
impl From<pliant_gpu::GpuError> for Failure {
    fn from(error: pliant_gpu::GpuError) -> Self {
        Self::new(error.to_string()).help(
            "pliant gpus lists the devices; --adapter NAME takes one by part of its name, --adapter \
             software one, emulated by the processor; --backend cpu goes without",
        )
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        match error {
            CheckpointError::Build(error) => error.into(),
            error => Self::new(error.to_string()),
        }
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Scene(error) | LinkError::Unwritable(error) => error.into(),
            LinkError::MeshFile { ref path, .. }
            | LinkError::ColliderFile { ref path, .. }
            | LinkError::HeightMapFile { ref path, .. } => Self::new(error.to_string()).file(path),
            error => Self::new(error.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let text = error.to_string();
        let RunError::Write { step, source } = error;
        let failure = match source {
            ExportError::Write(source) => Self::from(source),
            other => Self::new(other.to_string()),
        };
        let mut failure = failure.with("step", step);
        failure.message = text;
        failure.help("check that the folder can be written and has room, or choose another: --out")
    }
}
