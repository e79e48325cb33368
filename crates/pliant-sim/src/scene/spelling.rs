//! Keys that are spelt in two ways.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Problem;

/// Other spellings, and how the keys are written here.
const SPELLINGS: [[&str; 2]; 2] = [["color", "colour"], ["centre", "center"]];

/// A key as it is written here.
pub(super) fn usual(key: &str) -> &str {
    SPELLINGS.iter().find(|[other, _]| *other == key).map_or(key, |[_, usual]| usual)
}

/// Writes all keys below `value` as usual. The error is one that stands there in both ways, with the
/// place of the other spelling.
pub(super) fn unify(
    value: &mut Spanned<DeValue<'_>>,
) -> Result<(), (std::ops::Range<usize>, Problem)> {
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

fn rename(
    table: &mut DeTable<'_>,
    other: &str,
    usual: &str,
) -> Result<(), (std::ops::Range<usize>, Problem)> {
    let Some((key, value)) = table.remove_entry(other) else { return Ok(()) };
    if table.contains_key(usual) {
        let problem = Problem::new("", format!("`{other}` and `{usual}` are the same key"));
        return Err((key.span(), problem.help("keep one of them")));
    }
    table.insert(Spanned::new(key.span(), usual.to_owned().into()), value);
    Ok(())
}
