//! The shape that all TetGen files share: a header line of counts, then one numbered line per item.

use crate::formats::numbers::{CUT_OFF, checked_count};
use crate::text::{Scanner, parse_integer, parse_number, show};
use crate::{DataArray, ReadError, Result};

/// A TetGen file while its rows are read.
pub(super) struct Table<'a> {
    pub scanner: Scanner<'a>,
    item: &'static str,
    /// Rows the header announces.
    pub rows: usize,
    /// Further counts of the header line.
    pub header: Vec<usize>,
    row: usize,
    long_rows: usize,
}

impl<'a> Table<'a> {
    /// Reads the header line; `item` names what a row holds in errors.
    pub fn open(bytes: &'a [u8], item: &'static str) -> Result<Self> {
        let mut scanner = Scanner::with_comments(bytes, b'#');
        let rows = checked_count(&mut scanner, &format!("{item}s"))?;
        let mut header = Vec::new();
        while let Some(token) = scanner.token_on_line() {
            let count = parse_integer(token).and_then(|n| usize::try_from(n).ok());
            header.push(count.ok_or_else(|| {
                scanner.error(format!("the header should hold counts, not {}", show(token)))
            })?);
            if header.len() > 8 {
                return Err(scanner.error("the header line holds too many numbers"));
            }
        }
        Ok(Self { scanner, item, rows, header, row: 0, long_rows: 0 })
    }

    /// Starts the next row and gives its number as written; `None` behind the last row.
    pub fn next_row(&mut self) -> Result<Option<i64>> {
        if self.row == self.rows {
            return Ok(None);
        }
        self.row += 1;
        match self.scanner.token() {
            Some(token) => parse_integer(token).map(Some).ok_or_else(|| {
                self.error(format!("its number should be an integer, not {}", show(token)))
            }),
            None => Err(self
                .scanner
                .error(format!(
                    "the file ends after {} of {} {}s",
                    self.row - 1,
                    self.rows,
                    self.item
                ))
                .help(CUT_OFF)),
        }
    }

    /// The next token of the row.
    pub fn cell(&mut self, what: &str) -> Result<&'a [u8]> {
        match self.scanner.token_on_line() {
            Some(token) => Ok(token),
            None => Err(self.error(format!("the line ends where {what} should stand"))),
        }
    }

    /// The next token of the row as an integer.
    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let token = self.cell(what)?;
        parse_integer(token)
            .ok_or_else(|| self.error(format!("{what}: {} is no integer", show(token))))
    }

    /// The next token of the row as a number.
    pub fn number(&mut self, what: &str) -> Result<f64> {
        let token = self.cell(what)?;
        parse_number(token)
            .ok_or_else(|| self.error(format!("{what}: {} is no number", show(token))))
    }

    /// Ends the row; more numbers than announced are left out and counted.
    pub fn end_row(&mut self) {
        if self.scanner.token_on_line().is_some() {
            self.long_rows += 1;
            // The line ends the row, so whatever else it holds must not be taken for the next one.
            while self.scanner.token_on_line().is_some() {}
        }
    }

    /// Reports what was left out once all rows are read.
    pub fn finish(&mut self, warnings: &mut Vec<String>) {
        if self.long_rows > 0 {
            warnings.push(format!(
                "{} {} lines hold more numbers than the header announces; the surplus was left out",
                self.long_rows, self.item
            ));
        }
        if !self.scanner.at_end() {
            warnings.push(format!(
                "line {} and what follows stand behind the last of {} {}s and were left out",
                self.scanner.line(),
                self.rows,
                self.item
            ));
        }
    }

    /// An error about the current row.
    pub fn error(&self, problem: impl std::fmt::Display) -> ReadError {
        self.scanner.error(format!("{} {} of {}: {problem}", self.item, self.row, self.rows))
    }
}

/// Turns row after row of `columns` values into one array per column.
pub(super) fn attribute_arrays(values: &[f64], columns: usize) -> Vec<DataArray> {
    if values.is_empty() {
        return Vec::new();
    }
    (0..columns)
        .map(|k| {
            let column = values.iter().skip(k).step_by(columns).copied().collect();
            DataArray::scalar(format!("attribute_{k}"), column)
        })
        .collect()
}
