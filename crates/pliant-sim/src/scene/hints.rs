//! Messages in the words of scene files instead of Rust's.

use std::borrow::Cow;

use super::{Limits, Live, keys, spelling};

/// The entry of `known` that `word` was probably meant to be.
pub(super) fn closest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let length = word.chars().count();
    let allowed = (length / 3).max(1).min(length.saturating_sub(1));
    known
        .into_iter()
        .map(|k| {
            (distance(word, k).min(distance(singular(word).as_ref(), singular(k).as_ref())), k)
        })
        .filter(|(d, _)| *d <= allowed)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// `bodies` as `body`: one and many differ by more letters than mistakes of typing do.
fn singular(word: &str) -> Cow<'_, str> {
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y").into(),
        (None, Some(stem)) => stem.into(),
        (None, None) => word.into(),
    }
}

/// Edits (insert, delete, replace, swap neighbours) that turn one word into the other. Words are
/// compared by their first 64 characters, which bounds the work on hostile input.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|w| w.to_lowercase().chars().take(64).collect::<Vec<_>>());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swapped = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                replaced.min(swapped).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[a.len()][b.len()]
}

/// Says `did you mean` if there is a likely word, and lists them all after `what`.
pub fn suggest(word: &str, known: &[&str], what: &str) -> String {
    let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    match closest(word, known.iter().copied()) {
        Some(k) => format!("did you mean `{k}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}

/// What may stand at keys whose value is one of several forms.
fn forms_of(path: &str) -> Option<&'static str> {
    let key = path.rsplit('.').next()?;
    Some(match key.split('[').next()? {
        "mass" => "write { vertex = kg }, { total = kg } or { density = kg/m³ }",
        "stiffness" => {
            "write { young = Pa } or { spring = N/m }; Poisson's ratio is `volume = { poisson = 0.4 }`"
        }
        "volume" if path.starts_with("bodies") => {
            "write { poisson = 0.4 }, { modulus = Pa }, { thesis = N/m³ } or \"none\""
        }
        "damping" => "write { time = s } or { coefficient = N·s/m }",
        "every" => "write seconds or { steps = 10 }",
        "locks" | "region" => {
            "a region is \"all\", { box = { min = …, max = … } }, { sphere = { center = …, radius = … } }, \
             { half_space = { point = …, normal = … } }, { group = \"name\" }, { flag = \"array\" } \
             or { points = […] }"
        }
        _ => return None,
    })
}

/// Where the value stands that a message is about.
#[derive(Clone, Copy)]
pub(super) struct At<'p> {
    /// Its key, such as `bodies[0].scale`; empty for the whole scene.
    pub path: &'p str,
    /// Whether it comes from an override, in which paths are whole.
    pub is_override: bool,
}

/// Says what may stand instead of the key that `at` leads to, one of `known` or one that belongs
/// elsewhere.
fn suggest_key(word: &str, known: &[&str], at: At<'_>) -> String {
    let table = at.path.strip_suffix(word).map_or("", |table| table.trim_end_matches('.'));
    let elsewhere = keys::paths_from(word, table);
    let is_here = known.iter().any(|k| singular(k) == singular(word));
    if closest(word, known.iter().copied()).is_none()
        && let Some([old, new]) = spelling::meant(word, &keys::without_numbers(table))
    {
        let list = suggest("", known, "known here");
        return format!("did you mean `{new}`, which was called `{old}` before? {list}");
    }
    if is_here || elsewhere.is_empty() {
        return suggest(word, known, "known here");
    }
    let written = |path: &String| match path.strip_prefix(&format!("{table}.")) {
        Some(below) if !at.is_override => format!("`{}`", nested(below)),
        _ => format!("`{path}`"),
    };
    let places = elsewhere.iter().map(written).collect::<Vec<_>>().join(" or ");
    format!("did you mean {places}? {}", suggest("", known, "known here"))
}

/// `mass.density` as it is written in a table: `mass = { density = … }`.
fn nested(path: &str) -> String {
    match path.split_once('.') {
        Some((table, rest)) => format!("{table} = {{ {} }}", nested(rest)),
        None => format!("{path} = …"),
    }
}

/// Turns a message of serde or the TOML parser about the value at `at` into a problem and its remedy.
pub(super) fn translate(message: &str, at: At<'_>) -> (String, Option<String>) {
    let path = at.path;
    let words = backquoted(message);
    if let (true, Some((word, known))) = (message.starts_with("unknown field"), words.split_first())
    {
        return (format!("unknown key `{word}`"), Some(suggest_key(word, known, at)));
    }
    if let (true, Some((word, known))) =
        (message.starts_with("unknown variant"), words.split_first())
    {
        // Of tables with one key, each key is a choice.
        let is_key = path.ends_with(&format!(".{word}"));
        let help =
            if is_key { suggest_key(word, known, at) } else { suggest(word, known, "known here") };
        return (format!("unknown choice `{word}`"), Some(help));
    }
    if let (true, Some(word)) = (message.starts_with("missing field"), words.first()) {
        return (format!("the key `{word}` is missing"), None);
    }
    if let Some(rest) = message.strip_prefix("unexpected keys in table: ") {
        let (unknown, known) = rest.split_once(", available keys: ").unwrap_or((rest, ""));
        let word = unknown.split(", ").next().unwrap_or(unknown);
        let known = known.split(", ").filter(|key| !key.is_empty()).collect::<Vec<_>>();
        if known.is_empty() {
            return (format!("unknown key `{word}`"), Some("there are no other keys here".into()));
        }
        return (format!("unknown key `{word}`"), Some(suggest(word, &known, "known here")));
    }
    if message.starts_with("wanted exactly 1 element") {
        let empty = message.contains("found 0");
        let problem = if empty { "expected one key" } else { "expected only one key" };
        let help = forms_of(path).unwrap_or("the keys exclude each other: keep one of them");
        return (problem.into(), Some(help.into()));
    }
    if message == "wanted string or table" {
        return ("expected a table with one key".into(), forms_of(path).map(Into::into));
    }
    if let Some((found, expected)) = mismatch(message, path) {
        let number = expected == "a number" || expected.starts_with("a whole number");
        let help = (number && found.starts_with("string"))
            .then(|| "write the plain number; its unit is given in docs/scenes.md".into());
        return (format!("expected {expected}, found {found}"), help);
    }
    (message.to_owned(), None)
}

/// What a count may be.
fn range_of(path: &str) -> [u32; 2] {
    match Live::find(path).map(|live| live.limits) {
        Some(Limits::Count(range)) => range,
        _ => [0, u32::MAX],
    }
}

/// The parts of `invalid type: FOUND, expected EXPECTED` in plain words.
fn mismatch(message: &str, path: &str) -> Option<(String, String)> {
    let (found, expected) = if let Some(rest) = message.strip_prefix("invalid length ") {
        let (found, expected) = rest.split_once(", expected ")?;
        (format!("{found} of them"), expected)
    } else {
        let rest = message
            .strip_prefix("invalid type: ")
            .or_else(|| message.strip_prefix("invalid value: "))?;
        // The found string may itself contain the separator.
        let (found, expected) = rest.rsplit_once(", expected ")?;
        (found.to_owned(), expected)
    };
    let found = match found.as_str() {
        "map" => "a table".into(),
        "sequence" => "an array".into(),
        _ => found,
    };
    let expected = match expected {
        "f64" => "a number".into(),
        "u32" => {
            let [least, most] = range_of(path);
            format!("a whole number from {least} to {most}")
        }
        "u64" => "a whole number, 0 or greater".into(),
        "a boolean" => "true or false".into(),
        "an array of length 2" => "two numbers".into(),
        "an array of length 3" => "three numbers".into(),
        "a sequence" => "an array".into(),
        other if other.starts_with("struct ") => "a table".into(),
        other => match other.strip_prefix("enum ") {
            Some(_) => "a table with one key or a name".into(),
            None => other.to_owned(),
        },
    };
    Some((found, expected))
}

/// The words in backquotes.
fn backquoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_words_are_found() {
        let keys = ["gravity", "timestep", "substeps"];
        assert_eq!(closest("gravty", keys), Some("gravity"));
        assert_eq!(closest("timesetp", keys), Some("timestep"));
        assert_eq!(closest("colour", keys), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(closest("a", ["b"]), None, "everything is one edit from a single letter");
        assert_eq!(distance("ab", "ba"), 1);
    }
}
