//! What is wrong with a scene, and where.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;

/// Problems shown before the rest is only counted.
const MOST_PROBLEMS: usize = 20;

/// Why a scene cannot be used: every problem that was found, at least one.
///
/// Printing it shows all of them with the marked lines of the file. The fields serve programs.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
pub struct SceneError {
    /// The problems, in the order of the scene. A long list is cut.
    pub problems: Vec<Problem>,
    /// How many more there are.
    pub more: usize,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Problem {
    /// The key it is about, such as `bodies[0].material.mass`; empty for the whole scene.
    pub path: String,
    /// The scene file.
    pub file: Option<String>,
    /// Line in the file, counted from 1.
    pub line: Option<usize>,
    /// Character in the line, counted from 1.
    pub column: Option<usize>,
    /// The override that brought the value in, instead of a line.
    pub set: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do, if the message does not say it.
    pub help: Option<String>,
    /// The line with the marked part, for printing.
    #[serde(skip)]
    pub(super) excerpt: Option<Excerpt>,
}

/// Part of a line of the file, with the marked bytes in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Excerpt {
    pub text: String,
    pub mark: Range<usize>,
}

/// Something that may be a mistake but does not stop a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// The key it is about.
    pub path: String,
    /// What looks odd, and what was perhaps meant.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl Problem {
    /// A problem with the value at the key `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), ..Self::default() }
    }

    /// Adds what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The message with its place, over several lines, with terminal colours if asked for.
    pub fn render(&self, colour: bool) -> String {
        let title = if self.path.is_empty() || self.message.contains(&format!("`{}`", self.path)) {
            self.message.clone()
        } else {
            format!("{} (`{}`)", self.message, self.path)
        };
        let mut report = Group::with_title(Level::ERROR.primary_title(title));
        if let (Some(excerpt), Some(line)) = (&self.excerpt, self.line) {
            let snippet = Snippet::source(&excerpt.text)
                .line_start(line)
                .path(self.file.as_deref())
                .annotation(AnnotationKind::Primary.span(excerpt.mark.clone()));
            report = report.element(snippet);
        } else if let Some(set) = &self.set {
            report = report.element(Origin::path(format!("--set {set}")));
        } else if let Some(file) = &self.file {
            report = report.element(Origin::path(file));
        }
        if let Some(help) = &self.help {
            report = report.element(Level::HELP.message(help));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[report])
    }
}

impl SceneError {
    /// An error of several problems; a long list is cut.
    pub fn new(mut problems: Vec<Problem>) -> Self {
        let more = problems.len().saturating_sub(MOST_PROBLEMS);
        problems.truncate(MOST_PROBLEMS);
        Self { problems, more }
    }

    /// Adds problems, as far as the list may grow.
    pub(super) fn extend(&mut self, problems: Vec<Problem>) {
        let room = MOST_PROBLEMS.saturating_sub(self.problems.len());
        self.more += problems.len().saturating_sub(room);
        self.problems.extend(problems.into_iter().take(room));
    }

    /// The whole text, with terminal colours if asked for.
    pub fn render(&self, colour: bool) -> String {
        let mut text =
            self.problems.iter().map(|p| p.render(colour)).collect::<Vec<_>>().join("\n\n");
        if self.more > 0 {
            text += &format!("\n\nand {} more problems", self.more);
        }
        text
    }
}

impl From<Box<Problem>> for SceneError {
    fn from(problem: Box<Problem>) -> Self {
        Self::from(*problem)
    }
}

impl From<Problem> for SceneError {
    fn from(problem: Problem) -> Self {
        Self::new(vec![problem])
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}
