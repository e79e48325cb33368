//! Rows of measurements: shown as they come, then given as one JSON document or as a CSV table.

use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use pliant::mesh::write_atomically;
use serde::Serialize;
use serde_json::Value;

use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

/// What a benchmark measures once.
pub trait Row: Serialize {
    /// Columns of the CSV table: keys of the JSON row, with dots to those of an object in it.
    const COLUMNS: &[&str];

    /// What stands above the lines, if this is the first row.
    fn header(&self) -> String;

    /// The row for people.
    fn line(&self) -> String;

    /// Why its figures are not what they should be.
    fn doubt(&self) -> Option<String> {
        None
    }
}

/// Measures the rows one after the other, and gives each as soon as it is there.
pub fn print<R: Row, E: Into<Failure>>(
    rows: impl IntoIterator<Item = Result<R, E>>,
    args: &BenchArgs,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.csv {
        check_writable(path)?;
    }
    let mut measured: Vec<R> = Vec::new();
    for row in rows {
        let row = row.map_err(Into::into)?;
        if measured.is_empty() {
            console.say(row.header());
        }
        console.say(row.line());
        if let Some(doubt) = row.doubt() {
            console.note(doubt);
        }
        measured.push(row);
    }
    if let Some(path) = &args.csv {
        let text = csv(&measured)?;
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        console.note(format!("wrote {}", path.display()));
    }
    if console.json {
        console.document(&measured);
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a file that cannot be written before minutes are spent on measuring for it.
fn check_writable(path: &Path) -> Result<(), Failure> {
    match File::options().append(true).create(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(format!("{} cannot be written: {error}", path.display()))
            .file(path)
            .help("--csv takes a file in a folder that is there")),
    }
}

fn csv<R: Row>(rows: &[R]) -> Result<String, Failure> {
    let mut text = R::COLUMNS.join(",") + "\n";
    for row in rows {
        let row = serde_json::to_value(row)
            .map_err(|error| Failure::new(format!("a row cannot be written: {error}")))?;
        let cells: Vec<String> = R::COLUMNS.iter().map(|column| cell(&row, column)).collect();
        text += &(cells.join(",") + "\n");
    }
    Ok(text)
}

/// What a row has in a column; nothing where it has none.
fn cell(row: &Value, column: &str) -> String {
    match column.split('.').fold(row, |value, key| &value[key]) {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => shortened(number.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// A number with the digits that a measurement can have.
fn shortened(number: f64) -> String {
    format!("{number:.6e}").parse().map_or_else(|_| number.to_string(), |n: f64| n.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_those_of_the_json_row() {
        let row = json!({
            "case": "bar, long", "tets": 5184, "ms": 0.123_456_789, "dy": null,
            "gpu": {"device": "say \"soft\""},
        });
        let columns = ["case", "tets", "ms", "dy", "gpu.device", "gpu.stage", "none.at.all"];
        let cells = columns.map(|column| cell(&row, column));
        assert_eq!(
            cells,
            ["\"bar, long\"", "5184", "0.1234568", "", "\"say \"\"soft\"\"\"", "", ""]
        );
    }
}
