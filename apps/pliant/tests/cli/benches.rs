//! Tables of `pliant bench`; what the figures mean is tested where they are measured.

use crate::support::Place;

/// The rows of a CSV file, as pairs of column and cell.
fn rows(text: &str) -> Vec<Vec<(String, String)>> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let cells = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), columns.len(), "{line}");
        columns.iter().zip(cells).map(|(a, b)| ((*a).to_owned(), b.to_owned())).collect()
    };
    lines.map(cells).collect()
}

#[test]
fn rows_are_written_as_csv_as_they_are_given_as_json() {
    let place = Place::new();
    for kind in [&[][..], &["--implicit"]] {
        let mut args = vec!["bench", "bar5k", "--threads", "1", "--steps", "1", "--json"];
        args.extend(kind);
        args.extend(["--csv", "rows.csv"]);
        let json = place.pliant(&args).exits(0).json();
        let rows = rows(&place.read("rows.csv"));
        assert_eq!((rows.len(), json.as_array().unwrap().len()), (1, 1));
        for (column, cell) in &rows[0] {
            let value = column.split('.').fold(&json[0], |value, key| &value[key]);
            match value.as_f64() {
                Some(number) => {
                    let kept: f64 = cell.parse().unwrap();
                    assert!((kept - number).abs() <= 1e-6 * number.abs(), "{column}: {cell}");
                }
                None => assert_eq!(cell, value.as_str().unwrap_or_default(), "{column}"),
            }
        }
        // A processor has all of them but those of a GPU; the peak of memory is Linux's.
        let empty = rows[0].iter().filter(|(_, cell)| cell.is_empty());
        let is_excused = |column: &str| column.starts_with("gpu.") || column.starts_with("peak");
        assert!(empty.clone().all(|(column, _)| is_excused(column)), "{rows:?}");
    }
}

#[test]
fn a_table_that_cannot_be_written_is_refused_before_anything_is_timed() {
    let place = Place::new();
    let args = ["bench", "bar5k", "--steps", "1", "--csv", "nowhere/rows.csv"];
    let said = place.pliant(&args).exits(1).complains(&["nowhere/rows.csv", "--csv"]);
    assert!(!said.to_string().contains("Mtets/s"), "{said}");
}
