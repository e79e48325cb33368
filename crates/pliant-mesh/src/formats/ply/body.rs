//! The numbers behind the header of a PLY file, row by row.

use super::header::{Element, Encoding, Header, Kind, Number};
use crate::bytes::{Cursor, Endian};
use crate::text::Scanner;
use crate::{Place, ReadError, Result};

/// One row of an element.
#[derive(Default)]
pub(super) struct Row {
    /// Values of the scalar properties, in the header's order.
    pub(super) scalars: Vec<f64>,
    /// Values of the list properties, in the header's order.
    pub(super) lists: Vec<Vec<f64>>,
}

enum Source<'a> {
    Text(Scanner<'a>),
    Binary(Cursor<'a>),
}

/// Reads rows in the order in which the header announces them.
pub(super) struct Body<'a> {
    source: Source<'a>,
    /// Lines of the header, which the scanner does not see.
    lines_before: usize,
    /// Rows of the current element that were longer than the header says.
    pub(super) long_rows: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let rest = &bytes[header.body..];
        let source = match header.encoding {
            Encoding::Text => Source::Text(Scanner::new(rest)),
            Encoding::LittleEndian => {
                Source::Binary(Cursor::new(rest, header.body, Endian::Little))
            }
            Encoding::BigEndian => Source::Binary(Cursor::new(rest, header.body, Endian::Big)),
        };
        Self { source, lines_before: header.lines, long_rows: 0 }
    }

    /// An error at the current place.
    pub(super) fn error(&self, problem: String) -> ReadError {
        match &self.source {
            Source::Text(scan) => {
                ReadError::at(Place::Line(scan.line() + self.lines_before), problem)
            }
            Source::Binary(cursor) => cursor.error(problem),
        }
    }

    /// How many rows of `element` the rest of the file can hold.
    pub(super) fn capacity(&self, element: &Element) -> usize {
        match &self.source {
            Source::Text(scan) => scan.capacity(element.count, 2 * element.properties.len()),
            Source::Binary(cursor) => cursor.capacity(element.count, element.least_bytes()),
        }
    }

    /// Reads row `number` of `element`; row 0 restarts the count of long rows.
    pub(super) fn row(&mut self, element: &Element, number: usize, row: &mut Row) -> Result<()> {
        let lines_before = self.lines_before;
        self.long_rows = if number == 0 { 0 } else { self.long_rows };
        self.try_row(element, row).map_err(|e| {
            let problem = format!("{} {number} of {}: {}", element.name, element.count, e.problem);
            let place = match e.place {
                Place::Line(n) => Place::Line(n + lines_before),
                place => place,
            };
            ReadError { problem, place, ..e }
        })
    }

    fn try_row(&mut self, element: &Element, row: &mut Row) -> Result<()> {
        row.scalars.clear();
        let mut list_count = 0;
        for property in &element.properties {
            match property.kind {
                Kind::Scalar(number) => {
                    let value = self.value(number, &property.name)?;
                    row.scalars.push(value);
                }
                Kind::List(length, item) => {
                    if row.lists.len() == list_count {
                        row.lists.push(Vec::new());
                    }
                    let list = &mut row.lists[list_count];
                    list.clear();
                    list_count += 1;
                    let length = self.list_length(length, item, &property.name)?;
                    for _ in 0..length {
                        list.push(self.value(item, &property.name)?);
                    }
                }
            }
        }
        // A row of text ends with its line. Numbers left over mean that the header misses a column.
        if let Source::Text(scan) = &mut self.source
            && scan.token_on_line().is_some()
        {
            scan.rest_of_line();
            self.long_rows += 1;
        }
        Ok(())
    }

    fn list_length(&mut self, length: Number, item: Number, name: &str) -> Result<usize> {
        let n = self.value(length, name)?;
        if !(n >= 0.0 && n.fract() == 0.0) {
            return Err(self.unshifted(format!("the length of the list {name} is {n}")));
        }
        let room = match &self.source {
            Source::Text(scan) => scan.rest().len(),
            Source::Binary(cursor) => cursor.remaining() / item.bytes(),
        };
        if n > room as f64 {
            return Err(self
                .unshifted(format!(
                    "the list {name} is {n} long, which is more than the file holds"
                ))
                .help("The file is damaged or was cut off"));
        }
        Ok(n as usize)
    }

    /// An error whose line the caller still has to shift.
    fn unshifted(&self, problem: String) -> ReadError {
        match &self.source {
            Source::Text(scan) => scan.error(problem),
            Source::Binary(cursor) => cursor.error(problem),
        }
    }

    fn value(&mut self, number: Number, name: &str) -> Result<f64> {
        let cursor = match &mut self.source {
            Source::Text(scan) => return scan.number(name),
            Source::Binary(cursor) => cursor,
        };
        Ok(match number {
            Number::I8 => cursor.i8(name)?.into(),
            Number::U8 => cursor.u8(name)?.into(),
            Number::I16 => cursor.i16(name)?.into(),
            Number::U16 => cursor.u16(name)?.into(),
            Number::I32 => cursor.i32(name)?.into(),
            Number::U32 => cursor.u32(name)?.into(),
            Number::I64 => cursor.i64(name)? as f64,
            Number::U64 => cursor.u64(name)? as f64,
            Number::F32 => cursor.f32(name)?.into(),
            Number::F64 => cursor.f64(name)?,
        })
    }

    /// Passes over all rows of an element that means nothing here.
    pub(super) fn skip(&mut self, element: &Element) -> Result<()> {
        // Rows without properties take no bytes, so their number cannot be trusted as a loop bound.
        if element.properties.is_empty() {
            return Ok(());
        }
        let mut row = Row::default();
        for i in 0..element.count {
            self.row(element, i, &mut row)?;
        }
        Ok(())
    }
}
