//! Values given on the command line instead of in the file: `--set world.damping=0`.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::document::Document;
use super::hints::{self, At};
use super::key_path::{self, PlacedStep, Step};
use super::{Problem, SceneError, keys, spelling};

/// Values that replace those of a scene file before it is read.
///
/// Each is written `path=value`, with a path such as `world.gravity`, `bodies[0].scale` or
/// `bodies.bunny.material.stiffness.young` and a value in TOML; a plain word needs no quotes.
/// What excludes each other (`run.steps` and `run.duration`, `mass.total` and `mass.density`)
/// replaces each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    texts: Vec<String>,
}

/// Keys of which a table has only one.
const EXCLUSIVE: [[&str; 2]; 9] = [
    ["mesh", "shape"],
    ["duration", "steps"],
    ["velocity", "target"],
    ["vertex", "point"],
    ["vertex", "region"],
    ["point", "region"],
    ["velocity", "keyframes"],
    ["spin", "keyframes"],
    ["file", "heights"],
];

/// Tables that hold only one key.
const CHOICES: [&str; 5] = [
    "bodies.material.mass",
    "bodies.material.stiffness",
    "bodies.material.volume",
    "bodies.material.damping",
    "output.every",
];

impl Overrides {
    /// Reads overrides and checks their form; whether the keys exist shows when a scene is read.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, SceneError> {
        let mut overrides = Self::default();
        for text in texts {
            overrides.add(text.as_ref())?;
        }
        Ok(overrides)
    }

    /// Adds one more override; a later one wins.
    pub fn add(&mut self, text: &str) -> Result<(), SceneError> {
        let checked = split(text).and_then(|(path, value)| {
            key_path::parse(path)?;
            parse_value(&text[value..]).map(drop)
        });
        checked.map_err(|problem| Problem { set: Some(text.to_owned()), ..*problem })?;
        self.texts.push(text.to_owned());
        Ok(())
    }

    /// Whether one of them gives a value to the key at `path`, or to a table that holds it.
    pub fn replaces(&self, path: &str) -> bool {
        let holds = |given: &str| {
            let rest = path.strip_prefix(given);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut given = self.texts.iter().filter_map(|text| split(text).ok());
        given.any(|(given, _)| holds(&spelling::usual_path(given)))
    }

    /// The overrides as they were written.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

/// Splits `path=value` into the path and the byte where the value begins.
fn split(text: &str) -> Result<(&str, usize), Box<Problem>> {
    let mut quoted = false;
    let equals = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '=' && !quoted
    });
    let (equals, _) = equals.ok_or_else(|| {
        Problem::new("", "expected `path=value`").help("for example world.gravity=[0,0,-1]")
    })?;
    let value = text[equals + 1..].trim_start();
    Ok((text[..equals].trim_end(), text.len() - value.len()))
}

/// Reads a TOML value, or a plain word as a string.
fn parse_value(text: &str) -> Result<Spanned<DeValue<'_>>, Box<Problem>> {
    let word = text.trim_end();
    DeValue::parse(word).or_else(|e| {
        if word.is_empty() {
            let problem = Problem::new("", "the value is empty");
            return Err(problem.help("use \"\" for an empty text").into());
        }
        if word.starts_with(['[', '{', '"', '\'']) {
            let nowhere = At { path: "", is_override: true };
            let (message, help) = hints::translate(e.message(), nowhere);
            return Err(Problem { help, ..Problem::new("", message) }.into());
        }
        Ok(Spanned::new(0..word.len(), DeValue::String(word.into())))
    })
}

/// Puts all overrides of the document's sources into its tree.
pub(super) fn apply(document: &mut Document<'_>) -> Result<(), Box<Problem>> {
    let sources = document.sources;
    for (start, text) in sources.sets() {
        let mut put = || -> Result<(), Box<Problem>> {
            let (path, value_start) = split(text)?;
            let steps = key_path::parse(path)?
                .into_iter()
                .map(|(step, at)| (step, at.start + start..at.end + start))
                .collect::<Vec<_>>();
            let value = shifted(parse_value(&text[value_start..])?, start + value_start);
            insert(&mut document.root, &steps, value)
        };
        put().map_err(|problem| Problem { set: Some(text.to_owned()), ..*problem })?;
    }
    Ok(())
}

/// The value with all places moved on by `by`.
fn shifted(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let moved = |span: Range<usize>| span.start + by..span.end + by;
    let span = moved(value.span());
    let inner = match value.into_inner() {
        DeValue::Array(array) => {
            DeValue::Array(array.into_iter().map(|v| shifted(v, by)).collect::<DeArray<'_>>())
        }
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(k, v)| (Spanned::new(moved(k.span()), k.into_inner()), shifted(v, by)))
                .collect::<DeTable<'_>>(),
        ),
        other => other,
    };
    Spanned::new(span, inner)
}

/// Puts `value` where `steps` lead from `at`, making the tables that are missing on the way.
fn insert<'s>(
    root: &mut Spanned<DeValue<'s>>,
    steps: &[PlacedStep],
    mut value: Spanned<DeValue<'s>>,
) -> Result<(), Box<Problem>> {
    let mut at = root;
    let mut path = String::new();
    // The same without the numbers and names of elements, and with keys as they are written here.
    let mut place = String::new();
    for (n, (step, span)) in steps.iter().enumerate() {
        open_up(at, &place, step);
        let below = key_path::join(&path, step);
        at = match (at.get_mut(), step) {
            (DeValue::Table(table), Step::Key(key)) => {
                let key = spelling::usual(key, &place);
                forget_excluded(table, &place, key);
                place = keys::join(&place, key);
                let name = Spanned::new(span.clone(), key.to_owned().into());
                // The old key would keep its old place, so that messages point into the file.
                let old = table.remove(key);
                let empty = || Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
                table.entry(name).or_insert(old.unwrap_or_else(empty))
            }
            (DeValue::Array(array), Step::Index(i)) => {
                let count = array.len();
                array.as_mut().get_mut(*i).ok_or_else(|| no_element(&path, *i, count))?
            }
            (DeValue::Array(array), Step::Key(name)) => named(array, name, &path)?,
            (_, Step::Index(_)) if n > 0 => return Err(no_array(&path).into()),
            (other, _) => return Err(no_keys(other, &path, step).into()),
        };
        path = below;
    }
    spelling::unify(&mut value, &place).map_err(|(_, problem)| problem)?;
    *at = value;
    Ok(())
}

/// Lets a key be set in what stands at `place` as a short form: `box = [1, 2, 3]`, `volume = "none"`.
fn open_up(at: &mut Spanned<DeValue<'_>>, place: &str, step: &Step) {
    let Step::Key(_) = step else { return };
    let span = at.span();
    let is_choice = CHOICES.contains(&place);
    let (is_box, is_contact) =
        (place == "world.box", ["world.contact", "bodies.contact"].contains(&place));
    match at.get_mut() {
        DeValue::Array(size) if is_box => {
            let size = Spanned::new(span.clone(), DeValue::Array(size.clone()));
            let mut table = DeTable::new();
            table.insert(Spanned::new(span, "size".into()), size);
            *at.get_mut() = DeValue::Table(table);
        }
        DeValue::Boolean(_) | DeValue::String(_) if is_box || is_contact => {
            *at.get_mut() = DeValue::Table(DeTable::new());
        }
        DeValue::String(_) | DeValue::Float(_) | DeValue::Integer(_) if is_choice => {
            *at.get_mut() = DeValue::Table(DeTable::new());
        }
        _ => {}
    }
}

/// Removes from the table at `place` what `key` excludes.
fn forget_excluded(table: &mut DeTable<'_>, place: &str, key: &str) {
    if CHOICES.contains(&place) {
        let kept = table.remove_entry(key);
        table.clear();
        table.extend(kept);
    }
    for [a, b] in EXCLUSIVE {
        if key == a {
            table.remove(b);
        } else if key == b {
            table.remove(a);
        }
    }
}

/// The element of an array of tables that is called `name`.
fn named<'a, 's>(
    array: &'a mut DeArray<'s>,
    name: &str,
    path: &str,
) -> Result<&'a mut Spanned<DeValue<'s>>, Box<Problem>> {
    let names = array.iter().filter_map(name_of).map(str::to_owned).collect::<Vec<_>>();
    let count = array.len();
    if let Some(element) = array.iter_mut().find(|v| name_of(v) == Some(name)) {
        return Ok(element);
    }
    if names.is_empty() {
        return Err(Problem::new(path, format!("`{path}` has no names"))
            .help(format!("use `{path}[0]` to `{path}[{}]`", count.saturating_sub(1)))
            .into());
    }
    let problem = Problem::new(path, format!("nothing in `{path}` is called `{name}`"));
    if keys::keys_in(path).contains(&name) {
        let body = Step::Key(names[0].clone());
        let help = format!("say of which: `{}.{name}`", key_path::join(path, &body));
        return Err(problem.help(help).into());
    }
    let names = names.iter().map(String::as_str).collect::<Vec<_>>();
    Err(problem.help(hints::suggest(name, &names, "there are")).into())
}

/// What a body or a collider is called: its name, or what it gets its name from.
fn name_of<'a>(body: &'a Spanned<DeValue<'_>>) -> Option<&'a str> {
    let body = body.get_ref().as_table()?;
    let text = |key: &str| body.get(key)?.get_ref().as_str();
    let kind = || body.get("shape")?.get_ref().get("kind")?.get_ref().as_str();
    let stem = |mesh| Path::new(mesh).file_stem()?.to_str();
    text("name").or_else(|| text("mesh").and_then(stem)).or_else(kind)
}

fn no_element(path: &str, index: usize, count: usize) -> Problem {
    Problem::new(path, format!("`{path}` has no element {index}"))
        .help(format!("it has {count}, counted from 0"))
}

fn no_array(path: &str) -> Problem {
    Problem::new(path, format!("the file has no array `{path}`"))
        .help("set the whole value instead of one element")
}

fn no_keys(value: &DeValue<'_>, path: &str, step: &Step) -> Problem {
    Problem::new(path, format!("`{path}` is a single {}, so it has no `{step}`", value.type_str()))
        .help(format!("set `{path}` itself"))
}
