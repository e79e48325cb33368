//! Key paths such as `bodies[0].material.mass` and `bodies."left arm".scale`.

use std::fmt;
use std::ops::Range;

use super::Problem;

/// Longest path that is read: far more steps than any key of a scene has.
const MOST_STEPS: usize = 32;

/// One step down from a table or an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Into a table, or to the array element of that name.
    Key(String),
    /// Into an array.
    Index(usize),
}

/// A step with the bytes of the text it came from.
pub(super) type PlacedStep = (Step, Range<usize>);

/// Reads a path; places are bytes of `text`.
pub(super) fn parse(text: &str) -> Result<Vec<PlacedStep>, Box<Problem>> {
    let fail = |what: String| {
        let help = "a path looks like world.gravity, bodies[0].scale or bodies.bunny.scale";
        Box::new(Problem::new("", what).help(help))
    };
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || steps.is_empty() {
        let start = text.len() - rest.len();
        let (step, length) = match rest.as_bytes().first() {
            Some(b'[') => index(rest)
                .ok_or_else(|| fail(format!("expected a whole number in brackets at {rest:?}")))?,
            _ => key(rest).ok_or_else(|| fail(format!("expected a key at {rest:?}")))?,
        };
        steps.push((step, start..start + length));
        if steps.len() > MOST_STEPS {
            return Err(fail("the path is too long".into()));
        }
        rest = &rest[length..];
        match rest.as_bytes().first() {
            None | Some(b'[') => {}
            Some(b'.') if rest.len() > 1 => rest = &rest[1..],
            _ => return Err(fail(format!("expected `.` or `[` at {rest:?}"))),
        }
    }
    Ok(steps)
}

fn index(text: &str) -> Option<(Step, usize)> {
    let end = text.find(']')?;
    let number = text[1..end].parse().ok()?;
    Some((Step::Index(number), end + 1))
}

fn key(text: &str) -> Option<(Step, usize)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.find('"')?;
        return Some((Step::Key(quoted[..end].to_owned()), end + 2));
    }
    let is_bare = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let end = text.find(|c| !is_bare(c)).unwrap_or(text.len());
    (end > 0).then(|| (Step::Key(text[..end].to_owned()), end))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Key(key) if key.contains(|c: char| !c.is_alphanumeric() && !"_-".contains(c)) => {
                write!(f, "{key:?}")
            }
            Step::Key(key) => f.write_str(key),
            Step::Index(i) => write!(f, "[{i}]"),
        }
    }
}

/// Adds `step` to the text of a path.
pub(super) fn join(path: &str, step: &Step) -> String {
    match step {
        Step::Key(_) if !path.is_empty() => format!("{path}.{step}"),
        _ => format!("{path}{step}"),
    }
}
