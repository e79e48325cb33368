//! Wavefront OBJ (`.obj`).
//!
//! Points are the file's `v` list as it stands: nothing is split by texture coordinates or normals
//! and nothing unused is dropped. Polygons become fans, `g` and `o` become triangle groups, and
//! colours behind the coordinates become the point array `color`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::Input;
use super::surface::{Surface, TriangleGroups, push_fan, warn_dropped_faces, warn_if_empty};
use crate::text::{parse_integer, parse_number, show};
use crate::{DataArray, Mesh, Place, ReadError, Result};

/// Reads an OBJ file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let mut reader = Reader::default();
    for (line, text) in LogicalLines::new(input.bytes) {
        reader.line = line;
        reader.statement(&text).map_err(|e| ReadError { place: Place::Line(line), ..e })?;
    }
    reader.finish(input.warnings)
}

/// Lines without comments and with continuations (`\` at the end) joined, with the number of their
/// first line.
struct LogicalLines<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> LogicalLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 0 }
    }

    fn raw_line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let (text, rest) = match end {
            None => (self.rest, &[][..]),
            Some(end) => {
                let wide = self.rest[end..].starts_with(b"\r\n");
                (&self.rest[..end], &self.rest[end + 1 + usize::from(wide)..])
            }
        };
        self.rest = rest;
        // A comment cannot be continued: Windows paths in comments often end with a backslash.
        let comment = text.iter().position(|&b| b == b'#').unwrap_or(text.len());
        Some(&text[..comment])
    }
}

impl<'a> Iterator for LogicalLines<'a> {
    type Item = (usize, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.raw_line()?;
        let line = self.line;
        let Some(start) = text.trim_ascii_end().strip_suffix(b"\\") else {
            return Some((line, Cow::Borrowed(text)));
        };
        let mut joined = start.to_vec();
        while let Some(text) = self.raw_line() {
            joined.push(b' ');
            match text.trim_ascii_end().strip_suffix(b"\\") {
                Some(part) => joined.extend_from_slice(part),
                None => {
                    joined.extend_from_slice(text);
                    break;
                }
            }
        }
        Some((line, Cow::Owned(joined)))
    }
}

#[derive(Default)]
struct Reader {
    mesh: Mesh,
    /// Empty until the first coloured point.
    colors: Vec<f64>,
    groups: TriangleGroups,
    object: String,
    group_names: Vec<String>,
    corners: Vec<u32>,
    line: usize,
    /// The largest 0-based point number used so far and its line; points may come after the faces.
    highest: Option<(u32, usize)>,
    dropped_faces: usize,
    odd_numbers: usize,
    free_form: usize,
}

impl Reader {
    fn statement(&mut self, text: &[u8]) -> Result<()> {
        let mut words = words(text);
        match words.next() {
            Some(b"v") => self.point(words),
            Some(b"f" | b"fo") => self.face(words),
            Some(b"g") => {
                self.group_names = words.map(lossy).collect();
                Ok(())
            }
            Some(word @ b"o") => {
                self.object = lossy(text.trim_ascii_start()[word.len()..].trim_ascii());
                Ok(())
            }
            Some(b"curv" | b"curv2" | b"surf") => {
                self.free_form += 1;
                Ok(())
            }
            // Normals, texture coordinates, materials, smoothing, lines: not part of a mesh.
            _ => Ok(()),
        }
    }

    fn point<'t>(&mut self, mut words: impl Iterator<Item = &'t [u8]>) -> Result<()> {
        let mut p = [0.0; 3];
        for (x, axis) in p.iter_mut().zip(["x", "y", "z"]) {
            let word = words.next().ok_or_else(|| {
                ReadError::file(format!("this point has no {axis}"))
                    .help("A point is `v x y z`; the file may have been cut off here")
            })?;
            *x = self.coordinate(word, axis)?;
        }
        if self.mesh.points.len() >= u32::MAX as usize {
            return Err(ReadError::file("more points than 32-bit numbers can count"));
        }
        let mut extra = [0.0; 4];
        let mut extra_count = 0;
        for word in words.take(4) {
            let Some(x) = parse_number(word) else { break };
            extra[extra_count] = x;
            extra_count += 1;
        }
        // `x y z r g b` and `x y z w r g b` have colours; a lone w weighs curves only.
        let color = match extra_count {
            3 => Some(&extra[..3]),
            4 => Some(&extra[1..]),
            _ => None,
        };
        if color.is_some() || !self.colors.is_empty() {
            self.colors.resize(self.mesh.points.len() * 3, 1.0);
            self.colors.extend_from_slice(color.unwrap_or(&[1.0; 3]));
        }
        self.mesh.points.push(p);
        Ok(())
    }

    fn coordinate(&mut self, word: &[u8], axis: &str) -> Result<f64> {
        if let Some(x) = parse_number(word) {
            return Ok(x);
        }
        // What C's strtod would make of `3.1+e2`: the longest start that is a number.
        let x =
            (1..word.len()).rev().filter(|&n| word[n - 1].is_ascii_digit() || word[n - 1] == b'.');
        let x = x.take(64).find_map(|n| parse_number(&word[..n]));
        self.odd_numbers += 1;
        x.ok_or_else(|| {
            ReadError::file(format!("the point's {axis} is {}, which is no number", show(word)))
        })
    }

    fn face<'t>(&mut self, words: impl Iterator<Item = &'t [u8]>) -> Result<()> {
        self.corners.clear();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        let first = self.mesh.triangles.len();
        let count = push_fan(&mut self.mesh.triangles, &self.corners);
        if count == 0 {
            self.dropped_faces += 1;
            return Ok(());
        }
        let range = first..first + count;
        self.groups.add(&self.object, range.clone());
        for name in &self.group_names {
            self.groups.add(name, range.clone());
        }
        Ok(())
    }

    /// The point number of `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative ones count back from the
    /// newest point.
    fn corner(&mut self, word: &[u8]) -> Result<u32> {
        let index = word.split(|&b| b == b'/').next().unwrap_or_default();
        let n = parse_integer(index).ok_or_else(|| {
            ReadError::file(format!("the face corner {} is no point number", show(word)))
        })?;
        let count = self.mesh.points.len() as i64;
        let corner = match n {
            0 => {
                return Err(ReadError::file("a face corner is 0, but OBJ counts points from 1")
                    .help("Export the file again with 1-based indices"));
            }
            1.. => n - 1,
            _ if -n <= count => count + n,
            _ => {
                return Err(ReadError::file(format!(
                    "the face corner {n} counts back further than the {count} points before it"
                )));
            }
        };
        let corner = u32::try_from(corner)
            .map_err(|_| ReadError::file(format!("the face corner {n} is far beyond any point")))?;
        if self.highest.is_none_or(|(highest, _)| corner > highest) {
            self.highest = Some((corner, self.line));
        }
        Ok(corner)
    }

    fn finish(mut self, warnings: &mut Vec<String>) -> Result<Mesh> {
        let count = self.mesh.points.len();
        if let Some((highest, line)) = self.highest.filter(|h| h.0 as usize >= count) {
            let number = u64::from(highest) + 1;
            let problem = format!("a face uses point {number}, but there are {count} points");
            return Err(ReadError::at(Place::Line(line), problem)
                .help("The file is damaged or was cut off"));
        }
        if !self.colors.is_empty() {
            let values = self.colors;
            self.mesh.point_data.push(DataArray { name: "color".into(), components: 3, values });
        }
        self.mesh.groups = self.groups.finish();
        warn_dropped_faces(warnings, self.dropped_faces);
        if self.odd_numbers > 0 {
            warnings.push(format!(
                "{} coordinates have characters behind the number, which were ignored",
                self.odd_numbers
            ));
        }
        if self.free_form > 0 {
            warnings.push(format!(
                "left out {} free-form curves and surfaces: only polygons are read",
                self.free_form
            ));
        }
        warn_if_empty(warnings, &self.mesh);
        Ok(self.mesh)
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii_whitespace() || *b == 0x0b).filter(|word| !word.is_empty())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes the surface of `mesh` as OBJ, with `color` behind the coordinates and with its triangle
/// groups (blanks in their names become `_`).
pub fn write(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let surface = Surface::of(mesh)?;
    writeln!(out, "# {} points, {} triangles", surface.point_count(), surface.triangles.len())?;
    let color = surface.point_arrays().find(|a| a.name == "color" && a.components == 3);
    for i in 0..surface.point_count() {
        let [x, y, z] = surface.point(i);
        write!(out, "v {x} {y} {z}")?;
        if let Some(color) = color {
            let rgb = color.tuple(surface.source(i));
            write!(out, " {} {} {}", rgb[0], rgb[1], rgb[2])?;
        }
        writeln!(out)?;
    }
    let (changes, names) = group_changes(&surface);
    let mut active = BTreeSet::new();
    for (i, t) in surface.triangles.iter().enumerate() {
        if let Some(changed) = changes.get(&i) {
            for group in changed {
                if !active.remove(group) {
                    active.insert(*group);
                }
            }
            write!(out, "g")?;
            for group in &active {
                write!(out, " {}", names[*group])?;
            }
            writeln!(out)?;
        }
        let [a, b, c] = t.map(|c| u64::from(c) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// The triangles at which groups begin or end, and the names of the groups.
fn group_changes(surface: &Surface<'_>) -> (BTreeMap<usize, Vec<usize>>, Vec<String>) {
    let mut changes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut names = Vec::new();
    for (number, group) in surface.triangle_groups().enumerate() {
        let name = group.name.replace(|c: char| c.is_whitespace() || c == '#' || c == '\\', "_");
        names.push(if name.is_empty() { "_".into() } else { name });
        for run in group.members.chunk_by(|a, b| a + 1 == *b) {
            for edge in [run[0] as usize, run[0] as usize + run.len()] {
                changes.entry(edge).or_default().push(number);
            }
        }
    }
    (changes, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn parse(text: &str) -> (Result<Mesh>, Vec<String>) {
        let mut warnings = Vec::new();
        let companions = Memory::default();
        let mut input = Input {
            bytes: text.as_bytes(),
            name: "a.obj",
            companions: &companions,
            warnings: &mut warnings,
        };
        (read(&mut input), warnings)
    }

    #[test]
    fn corners_of_every_form_and_continued_lines() {
        let text = "v 0 0 0\r\nv 1 0 0 1\r\nv 1 1 0\r\nv 0 1 0 # last\r\n\
                    vt 0 0\r\nvn 0 0 1\r\n# ends with a backslash \\\r\n\
                    f 1 2/1 \\\r\n  3//1 -1/1/1\r\nl 1 2\r\np 1\r\nf 1 2";
        let (mesh, warnings) = parse(text);
        let mesh = mesh.unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.points[1], [1.0, 0.0, 0.0]);
        assert!(mesh.point_data.is_empty());
        assert_eq!(warnings, ["left out 1 face with fewer than 3 corners"]);
    }

    #[test]
    fn groups_from_g_and_o() {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\no left arm\ng a b\nf 1 2 3\ng\nf 1 2 3\ng b\nf 3 2 1\ng none";
        let mesh = parse(text).0.unwrap();
        let members: Vec<_> = mesh.groups.iter().map(|g| (&g.name[..], &g.members[..])).collect();
        assert_eq!(members, [("left arm", &[0, 1, 2][..]), ("a", &[0]), ("b", &[0, 2])]);
    }

    #[test]
    fn colours_may_be_missing_for_some_points() {
        let mesh = parse("v 0 0 0\nv 1 0 0 .5 .25 0\nv 0 1 0 1 .1 .2 .3").0.unwrap();
        let color = mesh.point_array("color").unwrap();
        assert_eq!(color.values, [1.0, 1.0, 1.0, 0.5, 0.25, 0.0, 0.1, 0.2, 0.3]);
    }

    #[test]
    fn points_may_follow_the_faces() {
        assert_eq!(parse("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0").0.unwrap().triangles.len(), 1);
    }

    #[test]
    fn free_form_surfaces_are_told_of() {
        let (mesh, warnings) =
            parse("v 0 0 0\ncstype bezier\nsurf 0 1 0 1 1 2 3\ncurv 0 1 1 2\nend");
        assert!(mesh.unwrap().triangles.is_empty());
        assert_eq!(warnings[0], "left out 2 free-form curves and surfaces: only polygons are read");
    }

    #[test]
    fn errors_name_line_and_problem() {
        for (text, line, problem) in [
            ("v 0 0 0\nf 1 1 0", 2, "a face corner is 0, but OBJ counts points from 1"),
            (
                "v 0 0 0\n\nf 1 1 2\nv 1 1 1 \nf 1 3 1",
                5,
                "a face uses point 3, but there are 2 points",
            ),
            (
                "v 0 0 0\nf -1 -2 -1",
                2,
                "the face corner -2 counts back further than the 1 points before it",
            ),
            ("v 0 0\n", 1, "this point has no z"),
            ("v 0 zero 0\n", 1, "the point's y is \"zero\", which is no number"),
            ("v 0 0 0\nf 1 a/b 1", 2, "the face corner \"a/b\" is no point number"),
            ("f 1 2 99999999999", 1, "the face corner 99999999999 is far beyond any point"),
            ("v 0 0 0\nf 1 2 3 1", 2, "a face uses point 3, but there are 1 points"),
            ("f 1 1 1", 1, "a face uses point 1, but there are 0 points"),
        ] {
            let e = parse(text).0.unwrap_err();
            assert_eq!((e.place, &e.problem[..]), (Place::Line(line), problem), "{text:?}");
        }
    }

    #[test]
    fn groups_survive_writing() {
        let text =
            "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\ng a b\nf 1 2 3\ng\nf 1 2 3\ng b\nf 3 2 1\n";
        let mesh = parse(text).0.unwrap();
        let mut out = Vec::new();
        write(&mesh, &mut out).unwrap();
        assert_eq!(parse(std::str::from_utf8(&out).unwrap()).0.unwrap(), mesh);
    }
}
