//! Heights as plain numbers.

use super::check_counts;
use crate::text::show;
use crate::{Place, ReadError, Result};

/// Columns and values, row by row.
pub(super) fn read(bytes: &[u8]) -> Result<(usize, Vec<f64>)> {
    let (mut columns, mut values) = (0, Vec::new());
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let at = |problem: String| ReadError::at(Place::Line(i + 1), problem);
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let before = values.len();
        let words = line.split(|b| b.is_ascii_whitespace() || matches!(b, b',' | b';'));
        for word in words.filter(|word| !word.is_empty()) {
            values.push(number(word).ok_or_else(|| {
                at(format!("{} is not a height", show(word)))
                    .help("Give a PNG, or the numbers of each row in a line")
            })?);
        }
        let found = values.len() - before;
        if columns == 0 {
            columns = found;
        } else if found != columns {
            return Err(at(format!("the row has {found} heights, but those above have {columns}"))
                .help("All rows must be equally long"));
        }
    }
    check_counts(columns as u64, values.len().checked_div(columns).unwrap_or(0) as u64)?;
    Ok((columns, values))
}

fn number(word: &[u8]) -> Option<f64> {
    str::from_utf8(word).ok()?.parse().ok().filter(|x: &f64| x.is_finite())
}
