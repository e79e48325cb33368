//! The table of formats in the README beside the lists that readers and writers go by.

use std::collections::BTreeSet;

use pliant_mesh::formats::{READABLE, WRITABLE};

/// Extensions in backticks.
fn extensions(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).filter_map(|word| word.strip_prefix('.')).collect()
}

#[test]
fn the_readme_lists_what_can_be_read_and_written() {
    let readme = include_str!("../../../README.md");
    let table = readme.split("### Formats").nth(1).expect("there is a table of formats");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| extensions(row[0])).collect();
    let readable: BTreeSet<&str> = READABLE.iter().map(|(extension, _)| *extension).collect();
    assert_eq!(named, readable);
    let writable: BTreeSet<&str> = WRITABLE.iter().copied().collect();
    assert!(writable.is_subset(&readable), "{writable:?}");
    for row in &rows {
        let is_written = !extensions(row[0]).is_disjoint(&writable);
        assert_eq!(!row[2].is_empty(), is_written, "{}", row[0]);
    }
}
