//! Keys that are spelt in two ways, and keys that had another name once.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Problem, hints, keys};

/// Other spellings, wherever they stand, and how the keys are written here.
const SPELLINGS: [[&str; 2]; 2] = [["color", "colour"], ["centre", "center"]];

/// Names that keys had before and have now, by the table that they stand in. Old files have them still.
const RENAMED: [(&str, [&str; 2]); 2] =
    [("world", ["friction", "damping"]), ("bodies.material.stiffness", ["hardness", "spring"])];

/// The other spelling of a key that is there in both, and what is wrong.
type Twice = (Range<usize>, Box<Problem>);

/// Names that keys of the table at `place` had before and have now.
fn renamed(place: &str) -> impl Iterator<Item = [&'static str; 2]> {
    RENAMED.into_iter().filter(move |(table, _)| *table == place).map(|(_, names)| names)
}

/// A key as it is written here, in the table at `place`, which is told without the numbers and names of
/// elements: `bodies.material`.
pub(super) fn usual<'k>(key: &'k str, place: &str) -> &'k str {
    let mut names = SPELLINGS.into_iter().chain(renamed(place));
    names.find(|[other, _]| *other == key).map_or(key, |[_, usual]| usual)
}

/// A whole path with its key as it is written here.
pub(super) fn usual_path(path: &str) -> Cow<'_, str> {
    match path.rsplit_once('.') {
        Some((table, key)) if usual(key, table) != key => {
            keys::join(table, usual(key, table)).into()
        }
        _ => path.into(),
    }
}

/// The key of the table at `place` whose old name `word` was probably meant to be: the old name and that
/// of today.
pub(super) fn meant(word: &str, place: &str) -> Option<[&'static str; 2]> {
    let old = hints::closest(word, renamed(place).map(|[old, _]| old))?;
    renamed(place).find(|names| names[0] == old)
}

/// Writes all keys of the table at `place`, and of all in it, as usual.
pub(super) fn unify(value: &mut Spanned<DeValue<'_>>, place: &str) -> Result<(), Twice> {
    match value.get_mut() {
        DeValue::Table(table) => {
            for [other, usual] in SPELLINGS {
                rename(table, [other, usual], || "keep one of them".into())?;
            }
            for [old, new] in renamed(place) {
                rename(table, [old, new], || {
                    format!("keep `{new}`; `{old}` is what it was called before")
                })?;
            }
            table
                .iter_mut()
                .try_for_each(|(key, value)| unify(value, &keys::join(place, key.get_ref())))
        }
        DeValue::Array(array) => array.iter_mut().try_for_each(|value| unify(value, place)),
        _ => Ok(()),
    }
}

fn rename(
    table: &mut DeTable<'_>,
    [other, usual]: [&str; 2],
    remedy: impl Fn() -> String,
) -> Result<(), Twice> {
    let Some((key, value)) = table.remove_entry(other) else { return Ok(()) };
    if table.contains_key(usual) {
        let problem = Problem::new("", format!("`{other}` and `{usual}` are the same key"));
        return Err((key.span(), problem.help(remedy()).into()));
    }
    table.insert(Spanned::new(key.span(), usual.to_owned().into()), value);
    Ok(())
}
