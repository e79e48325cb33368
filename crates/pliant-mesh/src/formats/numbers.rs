//! Numbers as the text formats of volume meshes write them: coordinates, point numbers, and the
//! shortest text that reads back as the same `f64`.

use std::fmt;

use crate::text::{Scanner, parse_number, show};
use crate::{Place, ReadError, Result};

/// Said where a file stops too early or its counts do not fit.
pub(crate) const CUT_OFF: &str = "It was probably cut off: fetch or export it again";

/// Reads one coordinate; infinities and NaN are refused because nothing can be computed with them.
pub(crate) fn coordinate(scanner: &mut Scanner<'_>) -> Result<f64> {
    let token = scanner.expect("a coordinate")?;
    coordinate_from(token).map_err(|problem| scanner.error(problem))
}

/// Reads `x y z`.
pub(crate) fn coordinates(scanner: &mut Scanner<'_>) -> Result<[f64; 3]> {
    Ok([coordinate(scanner)?, coordinate(scanner)?, coordinate(scanner)?])
}

/// One coordinate out of its token.
pub(crate) fn coordinate_from(token: &[u8]) -> Result<f64, String> {
    match parse_number(token) {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) => Err(format!("a coordinate is not finite: {}", show(token))),
        None => Err(format!("a coordinate: {} is no number", show(token))),
    }
}

/// A count taken from a file, refused when indices of 32 bits could not number it.
pub(crate) fn checked_count(scanner: &mut Scanner<'_>, what: &str) -> Result<usize> {
    let n = scanner.count(&format!("the number of {what}"))?;
    if n > u32::MAX as usize {
        return Err(scanner.error(format!("{n} {what} are more than can be numbered (2^32 - 1)")));
    }
    Ok(n)
}

/// Says which item of how many an error is about.
pub(crate) fn in_item(item: &str, index: usize, count: usize, e: ReadError) -> ReadError {
    ReadError { problem: format!("{item} {} of {count}: {}", index + 1, e.problem), ..e }
}

/// Turns the point numbers of a file into indices. Remembers the largest, because some formats list
/// the points behind the elements and the range can only be checked at the end.
#[derive(Debug)]
pub(crate) struct PointNumbers {
    base: i64,
    largest: Option<(u32, usize)>,
}

impl PointNumbers {
    /// Points are counted from `base`.
    pub(crate) fn from_base(base: i64) -> Self {
        Self { base, largest: None }
    }

    /// Reads one point number.
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'_>) -> Result<u32> {
        let number = scanner.integer("a point number")?;
        self.index(number, scanner.line())
    }

    /// The index of point `number`, which stands on `line`.
    pub(crate) fn index(&mut self, number: i64, line: usize) -> Result<u32> {
        let index = number.checked_sub(self.base).and_then(|i| u32::try_from(i).ok());
        let Some(index) = index else {
            return Err(ReadError::at(
                Place::Line(line),
                format!("point number {number}, but points are counted from {}", self.base),
            ));
        };
        if self.largest.is_none_or(|(largest, _)| index > largest) {
            self.largest = Some((index, line));
        }
        Ok(index)
    }

    /// Fails when an element referred to a point behind the last of `count`.
    pub(crate) fn check(&self, count: usize) -> Result<()> {
        match self.largest {
            Some((index, line)) if index as usize >= count => {
                let number = i64::from(index) + self.base;
                Err(ReadError::at(Place::Line(line), out_of_range(number, self.base, count)))
            }
            _ => Ok(()),
        }
    }
}

/// Words for a point number that no point has.
pub(crate) fn out_of_range(number: i64, base: i64, count: usize) -> String {
    if count == 0 {
        return format!("point number {number}, but the file has no points");
    }
    format!(
        "point number {number}, but the points are numbered {base} to {}",
        base - 1 + count as i64
    )
}

/// Shows a number with the fewest digits that read back as the same value, with an exponent where
/// that is shorter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shortest(pub f64);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_text_reads_back_bit_for_bit() {
        for x in
            [0.0, -0.0, 1.0, -7.5, 0.1, 1e-300, 5e-324, f64::MAX, 1e15, 123456789.125, 1.0 / 3.0]
        {
            let text = Shortest(x).to_string();
            assert!(text.len() <= 24, "{text}");
            assert_eq!(parse_number(text.as_bytes()).unwrap().to_bits(), x.to_bits(), "{text}");
        }
        assert_eq!(Shortest(3.0).to_string(), "3");
    }

    #[test]
    fn point_numbers_are_checked_against_a_count_that_comes_later() {
        let mut numbers = PointNumbers::from_base(1);
        let mut s = Scanner::new(b"1 2\n9 4\n0");
        assert_eq!([0; 4].map(|_| numbers.read(&mut s).unwrap()), [0, 1, 8, 3]);
        assert!(numbers.check(9).is_ok());
        let e = numbers.check(8).unwrap_err();
        assert_eq!(e.place, Place::Line(2));
        assert_eq!(e.problem, "point number 9, but the points are numbered 1 to 8");
        let e = numbers.read(&mut s).unwrap_err();
        assert_eq!(e.problem, "point number 0, but points are counted from 1");
        assert_eq!(e.place, Place::Line(3));
    }
}
