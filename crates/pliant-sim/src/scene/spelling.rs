//! Keys that are spelt in two ways.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Problem;

/// Other spellings, and how the keys are written here.
const SPELLINGS: [[&str; 2]; 2] = [["color", "colour"], ["centre", "center"]];

/// The other spelling of a key that is there in both, and what is wrong.
type Twice = (Range<usize>, Box<Problem>);

/// A key as it is written here.
pub(super) fn usual(key: &str) -> &str {
    SPELLINGS.iter().find(|[other, _]| *other == key).map_or(key, |[_, usual]| usual)
}

/// Writes all keys below `value` as usual.
pub(super) fn unify(value: &mut Spanned<DeValue<'_>>) -> Result<(), Twice> {
    match value.get_mut() {
        DeValue::Table(table) => {
            for [other, usual] in SPELLINGS {
                rename(table, other, usual)?;
            }
            table.iter_mut().try_for_each(|(_, value)| unify(value))
        }
        DeValue::Array(array) => array.iter_mut().try_for_each(unify),
        _ => Ok(()),
    }
}

fn rename(table: &mut DeTable<'_>, other: &str, usual: &str) -> Result<(), Twice> {
    let Some((key, value)) = table.remove_entry(other) else { return Ok(()) };
    if table.contains_key(usual) {
        let problem = Problem::new("", format!("`{other}` and `{usual}` are the same key"));
        return Err((key.span(), problem.help("keep one of them").into()));
    }
    table.insert(Spanned::new(key.span(), usual.to_owned().into()), value);
    Ok(())
}
