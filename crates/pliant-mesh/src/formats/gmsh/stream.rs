//! Sections and numbers of a Gmsh file, whether written as text or binary.

use crate::bytes::{Cursor, Endian};
use crate::text::{Scanner, parse_integer, parse_number, show};
use crate::{ReadError, Result};

/// How the numbers of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding {
    Text,
    Binary {
        endian: Endian,
        /// Whether a `size_t` takes eight bytes, not four.
        wide_sizes: bool,
    },
}

/// A file as a row of sections, `$Name` … `$EndName`.
pub(super) struct File<'a> {
    pub scanner: Scanner<'a>,
    pub encoding: Encoding,
}

impl<'a> File<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { scanner: Scanner::new(bytes), encoding: Encoding::Text }
    }

    /// Moves behind the next line that opens a section and gives its name; lines between sections
    /// are comments.
    pub fn next_section(&mut self) -> Option<&'a [u8]> {
        loop {
            let token = self.scanner.token()?;
            self.scanner.next_line();
            if token.starts_with(b"$") {
                return Some(token);
            }
        }
    }

    /// The numbers of the current section.
    pub fn numbers(&self) -> Numbers<'a> {
        match self.encoding {
            Encoding::Text => Numbers::Text(self.scanner.clone()),
            Encoding::Binary { endian, wide_sizes } => {
                let cursor = Cursor::new(self.scanner.rest(), self.scanner.offset(), endian);
                Numbers::Binary { cursor, wide_sizes }
            }
        }
    }

    /// Goes on behind the numbers that were read.
    pub fn resume(&mut self, numbers: Numbers<'a>) {
        match numbers {
            Numbers::Text(scanner) => self.scanner = scanner,
            Numbers::Binary { cursor, .. } => self.scanner.seek(cursor.offset()),
        }
    }

    /// Demands the line that closes the section.
    pub fn end_section(&mut self, end: &str) -> Result<()> {
        let token = self.scanner.expect(end)?;
        if token == end.as_bytes() {
            return Ok(());
        }
        Err(self
            .scanner
            .error(format!("{end} should stand where {} is", show(token)))
            .help("The count at the section's head is wrong, or lines are missing or doubled"))
    }

    /// Leaves out a section of no interest.
    pub fn skip_section(&mut self, name: &[u8]) -> Result<()> {
        let end = [b"$End", &name[1..]].concat();
        let rest = self.scanner.rest();
        let mut from = 0;
        while let Some(dollar) = rest[from..].iter().position(|&b| b == b'$') {
            from += dollar;
            if rest[from..].starts_with(&end) {
                self.scanner.seek(self.scanner.offset() + from + end.len());
                return Ok(());
            }
            from += 1;
        }
        let [name, end] = [show(name), show(&end)];
        Err(self
            .scanner
            .error(format!("section {name} is not closed by {end}"))
            .help(crate::formats::numbers::CUT_OFF))
    }
}

/// The numbers of a section, one after the other.
pub(super) enum Numbers<'a> {
    Text(Scanner<'a>),
    Binary { cursor: Cursor<'a>, wide_sizes: bool },
}

impl<'a> Numbers<'a> {
    /// An error where the last number stands.
    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        match self {
            Numbers::Text(scanner) => scanner.error(problem),
            Numbers::Binary { cursor, .. } => cursor.error(problem),
        }
    }

    /// How many items can still follow: the bound for any capacity taken from a count.
    pub fn capacity(&self, claimed: usize, numbers_per_item: usize) -> usize {
        match self {
            Numbers::Text(scanner) => scanner.capacity(claimed, 2 * numbers_per_item),
            Numbers::Binary { cursor, .. } => cursor.capacity(claimed, 4 * numbers_per_item),
        }
    }

    /// An `int` of the format.
    pub fn int(&mut self, what: &str) -> Result<i64> {
        match self {
            Numbers::Text(scanner) => text_integer(scanner, what),
            Numbers::Binary { cursor, .. } => Ok(cursor.i32(what)?.into()),
        }
    }

    /// A `size_t` of the format.
    pub fn size(&mut self, what: &str) -> Result<i64> {
        let out_of_range = |n: u64| format!("{what} is out of range: {n}");
        match self {
            Numbers::Text(scanner) => text_integer(scanner, what),
            Numbers::Binary { cursor, wide_sizes: false } => Ok(cursor.u32(what)?.into()),
            Numbers::Binary { cursor, wide_sizes: true } => {
                let n = cursor.u64(what)?;
                i64::try_from(n).map_err(|_| cursor.error(out_of_range(n)))
            }
        }
    }

    /// A count: an `int` or `size_t` that is not negative and can be numbered.
    pub fn count(&mut self, what: &str, wide: bool) -> Result<usize> {
        let n = if wide { self.size(what)? } else { self.int(what)? };
        match u32::try_from(n) {
            Ok(n) => Ok(n as usize),
            Err(_) if n < 0 => Err(self.error(format!("{what} is negative: {n}"))),
            Err(_) => Err(self.error(format!("{what} is larger than can be numbered: {n}"))),
        }
    }

    /// A `double`.
    pub fn float(&mut self, what: &str) -> Result<f64> {
        match self {
            Numbers::Text(scanner) => {
                let token = section_token(scanner, what)?;
                parse_number(token)
                    .ok_or_else(|| scanner.error(format!("{what}: {} is no number", show(token))))
            }
            Numbers::Binary { cursor, .. } => cursor.f64(what),
        }
    }

    /// Coordinates, which must be finite.
    pub fn point(&mut self) -> Result<[f64; 3]> {
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = self.float("a coordinate")?;
            if !x.is_finite() {
                return Err(self.error(format!("a coordinate is not finite: {x}")));
            }
        }
        Ok(point)
    }
}

fn text_integer(scanner: &mut Scanner<'_>, what: &str) -> Result<i64> {
    let token = section_token(scanner, what)?;
    parse_integer(token)
        .ok_or_else(|| scanner.error(format!("{what}: {} is no integer", show(token))))
}

/// The next token, which must still belong to the section.
fn section_token<'a>(scanner: &mut Scanner<'a>, what: &str) -> Result<&'a [u8]> {
    let token = scanner.expect(what)?;
    if token.starts_with(b"$") {
        return Err(scanner
            .error(format!(
                "{} stands where {what} should: the section ends too early",
                show(token)
            ))
            .help("The count at the section's head is wrong, or lines are missing"));
    }
    Ok(token)
}
