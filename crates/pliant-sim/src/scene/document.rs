//! A scene file as a tree of values that know where they stand in the text.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Excerpt;
use super::hints::{self, At};
use super::key_path::{self, Step};
use super::{Problem, Scene, spelling};

/// Longest scene file \[bytes\].
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Bytes of a long line that an error shows on either side of the mark.
const EXCERPT_MARGIN: usize = 60;

/// The text of a scene file followed by the overrides, one per line, so that one range of bytes
/// tells both which text a value came from and where in it.
pub(super) struct Sources {
    text: String,
    file_name: String,
    file_length: usize,
    sets: Vec<Range<usize>>,
}

impl Sources {
    pub fn new(file: &str, file_name: &str, sets: &[String]) -> Self {
        let mut text = file.to_owned();
        let sets = sets
            .iter()
            .map(|set| {
                text.push('\n');
                let start = text.len();
                text.push_str(set);
                start..text.len()
            })
            .collect();
        Self { text, file_name: file_name.to_owned(), file_length: file.len(), sets }
    }

    pub fn file(&self) -> &str {
        &self.text[..self.file_length]
    }

    /// The overrides with the place where each begins.
    pub fn sets(&self) -> impl Iterator<Item = (usize, &str)> {
        self.sets.iter().map(|range| (range.start, &self.text[range.clone()]))
    }

    /// The override that `span` is in, if it is not in the file.
    pub fn set_at(&self, span: &Range<usize>) -> Option<&str> {
        let set = self.sets.iter().find(|s| s.start <= span.start && span.start <= s.end)?;
        Some(&self.text[set.clone()])
    }

    /// Adds to `problem` the place of `span`.
    pub fn place(&self, problem: Problem, span: Range<usize>) -> Problem {
        if let Some(set) = self.set_at(&span) {
            return Problem { set: Some(set.to_owned()), ..problem };
        }
        let text = self.file();
        let start = floor_char(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
        let line_end = line_start + text[line_start..line_end].trim_end_matches('\r').len();
        let start = start.min(line_end);
        let end = floor_char(text, span.end).clamp(start, line_end);
        let from = floor_char(text, start.saturating_sub(EXCERPT_MARGIN).max(line_start));
        let to = floor_char(text, end.min(start + EXCERPT_MARGIN) + EXCERPT_MARGIN).min(line_end);
        Problem {
            file: Some(self.file_name.clone()),
            line: Some(text[..start].matches('\n').count() + 1),
            column: Some(text[line_start..start].chars().count() + 1),
            excerpt: Some(Excerpt {
                text: text[from..to].to_owned(),
                mark: start - from..end.min(to) - from,
            }),
            ..problem
        }
    }
}

fn floor_char(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// The tree of a scene file.
pub(super) struct Document<'s> {
    pub sources: &'s Sources,
    pub root: Spanned<DeValue<'s>>,
}

impl<'s> Document<'s> {
    pub fn parse(sources: &'s Sources) -> Result<Self, Box<Problem>> {
        let table = DeTable::parse(sources.file()).map_err(|e| {
            let nowhere = At { path: "", is_override: false };
            let (message, help) = hints::translate(e.message(), nowhere);
            let problem = Problem { help, ..Problem::new("", message) };
            Box::new(sources.place(problem, e.span().unwrap_or_default()))
        })?;
        let span = table.span();
        let mut root = Spanned::new(span, DeValue::Table(table.into_inner()));
        spelling::unify(&mut root, "").map_err(|(span, problem)| sources.place(*problem, span))?;
        Ok(Self { sources, root })
    }

    /// Makes the scene of the tree.
    pub fn scene(&self) -> Result<Scene, Box<Problem>> {
        let mut root = self.root.clone();
        let fail = |span: Range<usize>, message: &str| {
            let path = path_of(&self.root, &span, "").unwrap_or_default();
            let at = At { path: &path, is_override: self.sources.set_at(&span).is_some() };
            let (message, help) = hints::translate(message, at);
            Box::new(self.sources.place(Problem { help, ..Problem::new(path, message) }, span))
        };
        shapes_by_variant(root.get_mut()).map_err(|(span, message)| fail(span, message))?;
        Scene::deserialize(toml::de::ValueDeserializer::from(root))
            .map_err(|e| fail(e.span().unwrap_or_default(), e.message()))
    }

    /// Adds to a problem the place of its key path, or of the longest part of it that the file
    /// has; the rest is defaults.
    pub fn place(&self, problem: Problem) -> Problem {
        let steps = key_path::parse(&problem.path).unwrap_or_default();
        let mut at = &self.root;
        let mut span = None;
        for (step, _) in steps {
            let next = match (&step, at.get_ref()) {
                (Step::Key(key), DeValue::Table(table)) => table.get(key.as_str()),
                (Step::Index(i), DeValue::Array(array)) => array.as_ref().get(*i),
                _ => None,
            };
            let Some(next) = next else { break };
            at = next;
            span = Some(at.span());
        }
        match span {
            Some(span) => self.sources.place(problem, span),
            None => Problem { file: Some(self.sources.file_name.clone()), ..problem },
        }
    }
}

/// Rewrites `shape = { kind = "bar", … }` to the form serde reads with exact places,
/// `shape = { bar = { … } }`, for bodies and for colliders, whose `mesh` may be such a table, too. The error has a
/// place and a message.
fn shapes_by_variant(root: &mut DeValue<'_>) -> Result<(), (Range<usize>, &'static str)> {
    let DeValue::Table(root) = root else { return Ok(()) };
    for array in ["bodies", "colliders"] {
        let Some(DeValue::Array(elements)) = root.get_mut(array).map(Spanned::get_mut) else {
            continue;
        };
        for element in elements.iter_mut() {
            let DeValue::Table(element) = element.get_mut() else { continue };
            for key in ["shape", "mesh"] {
                shape_by_variant(element, key, array == "colliders")?;
            }
            if let Some(DeValue::Table(skin)) = element.get_mut("skin").map(Spanned::get_mut) {
                shape_by_variant(skin, "shape", false)?;
            }
        }
    }
    Ok(())
}

fn shape_by_variant(
    element: &mut DeTable<'_>,
    key: &str,
    is_collider: bool,
) -> Result<(), (Range<usize>, &'static str)> {
    let Some(shape) = element.get_mut(key) else { return Ok(()) };
    let span = shape.span();
    let DeValue::Table(table) = shape.get_mut() else { return Ok(()) };
    let Some(kind) = table.remove("kind") else {
        let variant = table.len() == 1 && table.values().all(|v| v.get_ref().is_table());
        return if variant { Ok(()) } else { Err((span, "missing field `kind`")) };
    };
    let kind_span = kind.span();
    let DeValue::String(kind) = kind.into_inner() else {
        return Err((kind_span, "the kind of a shape is a name such as \"bar\""));
    };
    if is_collider && kind == "mesh" {
        return Err((kind_span, "a mesh is no shape: write `mesh = \"bunny.ply\"` instead"));
    }
    let fields = Spanned::new(span, DeValue::Table(std::mem::take(table)));
    table.insert(Spanned::new(kind_span, kind), fields);
    Ok(())
}

/// The path of the key or value that stands at exactly `span`.
fn path_of(value: &Spanned<DeValue<'_>>, span: &Range<usize>, path: &str) -> Option<String> {
    let inner = match value.get_ref() {
        DeValue::Table(table) => table.iter().find_map(|(key, value)| {
            let below = key_path::join(path, &Step::Key(key.get_ref().to_string()));
            if key.span() == *span { Some(below) } else { path_of(value, span, &below) }
        }),
        DeValue::Array(array) => array
            .iter()
            .enumerate()
            .find_map(|(i, value)| path_of(value, span, &key_path::join(path, &Step::Index(i)))),
        _ => None,
    };
    inner.or_else(|| (value.span() == *span).then(|| path.to_owned()))
}
