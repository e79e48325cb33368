//! Reading text files token by token, with line numbers for errors.

use crate::{Place, ReadError, Result};

/// Walks over the tokens of a text file.
///
/// Works on bytes, so that a stray non-UTF-8 byte in a comment does no harm; tokens shown in errors
/// are converted lossily and cut short. Lines end with `\n`, `\r\n` or a lone `\r`.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    comment: Option<u8>,
}

impl<'a> Scanner<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1, comment: None }
    }

    /// Treats everything from `mark` to the end of the line as a comment.
    pub fn with_comments(bytes: &'a [u8], mark: u8) -> Self {
        Self { comment: Some(mark), ..Self::new(bytes) }
    }

    /// The current line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The current byte offset.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Moves to byte `offset`, which must not lie before the current one.
    pub fn seek(&mut self, offset: usize) {
        let to = offset.min(self.bytes.len());
        while self.at < to {
            self.bump();
        }
    }

    /// Bytes not yet read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// An error at the current line.
    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        ReadError::at(Place::Line(self.line), problem)
    }

    /// How many items of at least `min_bytes` bytes the rest of the file can still hold: the bound
    /// for any capacity taken from a count in the file.
    pub fn capacity(&self, claimed: usize, min_bytes: usize) -> usize {
        claimed.min((self.bytes.len() - self.at) / min_bytes.max(1) + 1)
    }

    fn bump(&mut self) {
        let b = self.bytes[self.at];
        self.at += 1;
        if b == b'\n' || (b == b'\r' && self.bytes.get(self.at) != Some(&b'\n')) {
            self.line += 1;
        }
    }

    fn skip_comment(&mut self) {
        while self.at < self.bytes.len() && !matches!(self.bytes[self.at], b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Skips blanks and comments; stops before a line end unless `lines`.
    fn skip_blank(&mut self, lines: bool) {
        while let Some(&b) = self.bytes.get(self.at) {
            if Some(b) == self.comment {
                self.skip_comment();
            } else if b == b'\n' || b == b'\r' {
                if !lines {
                    return;
                }
                self.bump();
            } else if b.is_ascii_whitespace() || b == 0x0b {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn take_token(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        while let Some(&b) = self.bytes.get(self.at) {
            if b.is_ascii_whitespace() || b == 0x0b || Some(b) == self.comment {
                break;
            }
            self.at += 1;
        }
        (self.at > start).then(|| &self.bytes[start..self.at])
    }

    /// The next token on this or a later line; `None` at the end of the file.
    pub fn token(&mut self) -> Option<&'a [u8]> {
        self.skip_blank(true);
        self.take_token()
    }

    /// The next token on the current line; `None` at its end.
    pub fn token_on_line(&mut self) -> Option<&'a [u8]> {
        self.skip_blank(false);
        self.take_token()
    }

    /// The next token, without taking it.
    pub fn peek(&mut self) -> Option<&'a [u8]> {
        self.skip_blank(true);
        self.clone().take_token()
    }

    /// Whether only blanks and comments are left.
    pub fn at_end(&mut self) -> bool {
        self.skip_blank(true);
        self.at >= self.bytes.len()
    }

    /// The rest of the current line, trimmed, without its comment; moves to the next line.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.at < self.bytes.len() && !matches!(self.bytes[self.at], b'\n' | b'\r') {
            self.at += 1;
        }
        let mut text = &self.bytes[start..self.at];
        if let Some(mark) = self.comment
            && let Some(cut) = text.iter().position(|&b| b == mark)
        {
            text = &text[..cut];
        }
        self.next_line();
        text.trim_ascii()
    }

    /// Moves behind the end of the current line.
    pub fn next_line(&mut self) {
        self.skip_comment();
        if self.bytes.get(self.at) == Some(&b'\r') && self.bytes.get(self.at + 1) == Some(&b'\n') {
            self.at += 1;
        }
        if self.at < self.bytes.len() {
            self.bump();
        }
    }

    /// The next token, which must be there; `what` names it in the error.
    pub fn expect(&mut self, what: &str) -> Result<&'a [u8]> {
        self.token().ok_or_else(|| {
            self.error(format!("the file ends where {what} should stand"))
                .help("It was probably cut off: fetch or export it again")
        })
    }

    /// The next token as a number.
    pub fn number(&mut self, what: &str) -> Result<f64> {
        let t = self.expect(what)?;
        parse_number(t).ok_or_else(|| self.error(format!("{what}: {} is no number", show(t))))
    }

    /// The next token as an integer (`7`, or `7.0` as some writers have it).
    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let t = self.expect(what)?;
        parse_integer(t).ok_or_else(|| self.error(format!("{what}: {} is no integer", show(t))))
    }

    /// The next token as a count or index that is not negative.
    pub fn count(&mut self, what: &str) -> Result<usize> {
        let n = self.integer(what)?;
        usize::try_from(n).map_err(|_| self.error(format!("{what} is negative: {n}")))
    }
}

/// A token for an error message: quoted, lossy, at most 40 characters.
pub fn show(token: &[u8]) -> String {
    let text = String::from_utf8_lossy(&token[..token.len().min(160)]);
    let cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() || token.len() > 160 {
        format!("{cut:?}…")
    } else {
        format!("{cut:?}")
    }
}

/// Parses a number: everything `f64` accepts, a leading `+`, and Fortran's `D` exponents.
pub fn parse_number(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    text.parse().ok().or_else(|| {
        let fixed = text.replace(['d', 'D'], "e");
        fixed
            .bytes()
            .all(|b| b.is_ascii_digit() || b"+-.e".contains(&b))
            .then(|| fixed.parse().ok())?
    })
}

/// Parses an integer; also one written with a zero fraction.
pub fn parse_integer(token: &[u8]) -> Option<i64> {
    let (negative, digits) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit) {
        let n = digits.iter().fold(0i64, |n, d| n * 10 + i64::from(d - b'0'));
        return Some(if negative { -n } else { n });
    }
    let x = parse_number(token)?;
    (x.fract() == 0.0 && x.abs() < 9e15).then_some(x as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_lines_of_every_kind() {
        let mut s = Scanner::with_comments(b"1 2 # x\r\n\r3\n\n4", b'#');
        assert_eq!(s.token_on_line(), Some(&b"1"[..]));
        assert_eq!(s.token_on_line(), Some(&b"2"[..]));
        assert_eq!(s.token_on_line(), None);
        assert_eq!((s.token(), s.line()), (Some(&b"3"[..]), 3));
        assert_eq!((s.token(), s.line()), (Some(&b"4"[..]), 5));
        assert!(s.at_end());
    }

    #[test]
    fn rest_of_line_drops_the_comment_and_counts() {
        let mut s = Scanner::with_comments(b"a b # c\nd", b'#');
        assert_eq!(s.rest_of_line(), b"a b");
        assert_eq!((s.line(), s.rest_of_line()), (2, &b"d"[..]));
        assert_eq!(s.rest_of_line(), b"");
    }

    #[test]
    fn numbers_in_odd_dress() {
        assert_eq!(parse_number(b"+1"), Some(1.0));
        assert_eq!(parse_number(b"2.e1"), Some(20.0));
        assert_eq!(parse_number(b"1.5D+02"), Some(150.0));
        assert_eq!(parse_number(b"e-003"), None);
        assert_eq!(parse_number(b"dead"), None);
        assert_eq!(parse_integer(b"-12"), Some(-12));
        assert_eq!(parse_integer(b"3.0"), Some(3));
        assert_eq!(parse_integer(b"3.5"), None);
        assert_eq!(parse_integer(b"99999999999999999999"), None);
    }

    #[test]
    fn a_claimed_count_never_allocates_more_than_the_file_can_hold() {
        let s = Scanner::new(b"12345678");
        assert_eq!(s.capacity(usize::MAX, 2), 5);
    }
}
