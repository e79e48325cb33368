//! Files that a `.veg` takes in with `*INCLUDE`, often the `.node` and `.ele` of TetGen.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::source::Companions;
use crate::{Place, ReadError, Result};

/// More files than any mesh is spread over; stops files that include themselves.
const MAX_INCLUDES: usize = 64;

/// A text put together from several files.
pub(super) struct Source<'a> {
    pub text: Cow<'a, [u8]>,
    pieces: Vec<Piece>,
    files: usize,
}

/// Lines that come from one file.
struct Piece {
    /// First line in the whole text, from 1.
    line: usize,
    /// The file, `None` for the one that was opened.
    file: Option<String>,
    /// First line in that file, from 1.
    line_in_file: usize,
}

/// Replaces `*INCLUDE name` by the text of that file.
pub(super) fn expand<'a>(bytes: &'a [u8], companions: &dyn Companions) -> Result<Source<'a>> {
    if !bytes.split(|&b| b == b'\n').any(|line| included(line).is_some()) {
        return Ok(Source { text: Cow::Borrowed(bytes), pieces: Vec::new(), files: 0 });
    }
    let mut source = Source { text: Cow::Owned(Vec::new()), pieces: Vec::new(), files: 0 };
    let mut line = 1;
    source.append(bytes, None, companions, &mut line)?;
    Ok(source)
}

impl Source<'_> {
    /// Appends a file; `line` counts the lines of the whole text.
    fn append(
        &mut self,
        bytes: &[u8],
        file: Option<&str>,
        companions: &dyn Companions,
        line: &mut usize,
    ) -> Result<()> {
        let mut fresh = true;
        for (i, text) in bytes.split(|&b| b == b'\n').enumerate() {
            if fresh {
                let file = file.map(str::to_owned);
                self.pieces.push(Piece { line: *line, file, line_in_file: i + 1 });
                fresh = false;
            }
            let Some(name) = included(text) else {
                self.text.to_mut().extend_from_slice(text);
                self.text.to_mut().push(b'\n');
                *line += 1;
                continue;
            };
            let fail = |problem: String| ReadError {
                path: file.map(PathBuf::from),
                ..ReadError::at(Place::Line(i + 1), problem)
            };
            self.files += 1;
            if self.files > MAX_INCLUDES {
                let problem = format!("more than {MAX_INCLUDES} files are included");
                return Err(fail(problem).help("A file must not include itself"));
            }
            let name = String::from_utf8_lossy(name).into_owned();
            let bytes = companions
                .open(&name)
                .map_err(|e| fail(format!("*INCLUDE {name:?}: {}", e.problem)))?;
            self.append(&bytes, Some(&name), companions, line)?;
            fresh = true;
        }
        Ok(())
    }

    /// Moves an error from its line in the whole text to the file and line it came from.
    pub fn place(&self, e: ReadError) -> ReadError {
        let Place::Line(line) = e.place else { return e };
        match self.pieces.iter().rev().find(|p| p.line <= line) {
            None => e,
            Some(piece) => ReadError {
                place: Place::Line(piece.line_in_file + line - piece.line),
                path: piece.file.as_ref().map(PathBuf::from),
                ..e
            },
        }
    }
}

/// The file name of an `*INCLUDE` line.
fn included(line: &[u8]) -> Option<&[u8]> {
    let line = line.split(|&b| b == b'#').next()?.trim_ascii();
    let (keyword, name) = line.split_at_checked(8)?;
    let blank = name.first().is_none_or(u8::is_ascii_whitespace);
    (keyword.eq_ignore_ascii_case(b"*INCLUDE") && blank).then(|| name.trim_ascii())
}
