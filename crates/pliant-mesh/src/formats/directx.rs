//! DirectX `.x` in text form: the meshes of all frames, with their transforms applied.
//!
//! The format's world is left-handed and y-up, with corners in clockwise order seen from outside.
//! Exchanging y and z makes it right-handed and z-up, so that nothing comes out as its mirror image.

use super::Input;
use super::surface::{TriangleGroups, push_fan, warn_dropped_faces, warn_if_empty};
use crate::text::{parse_integer, parse_number, show};
use crate::{Mesh, Place, ReadError, Result};

/// Rows of a 4×4 matrix that multiplies row vectors from the right.
type Matrix = [[f64; 4]; 4];

const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// Reads a text `.x` file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    check_header(input.bytes)?;
    let mut reader = Reader::new(&input.bytes[16..]);
    while let Some(token) = reader.tokens.next()? {
        reader.top(token)?;
    }
    if reader.open.len() > 1 {
        return Err(reader.tokens.error("the file ends inside a frame").help(CUT_OFF));
    }
    Ok(reader.finish(input.warnings))
}

const CUT_OFF: &str = "It was probably cut off: fetch or export it again";

fn check_header(bytes: &[u8]) -> Result<()> {
    let line = |problem: String| ReadError::at(Place::Line(1), problem);
    let Some(header) = bytes.get(..16).filter(|h| h.starts_with(b"xof ")) else {
        return Err(line("a DirectX file begins with `xof `, a version and `txt `".into()));
    };
    match &header[8..12] {
        b"txt " => Ok(()),
        b"bin " | b"tzip" | b"bzip" => Err(line(format!(
            "this is a binary or compressed DirectX file ({}), and only text can be read",
            show(&header[8..12])
        ))
        .help("Export it as text, or as OBJ, PLY or glTF")),
        other => Err(line(format!("the kind of DirectX file {} is unknown", show(other)))),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Open,
    Close,
    Word(&'a [u8]),
}

/// Splits the text; commas and semicolons only separate, and files mix them freely.
struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Tokens<'a> {
    fn error(&self, problem: impl Into<String>) -> ReadError {
        ReadError::at(Place::Line(self.line), problem)
    }

    fn skip_to(&mut self, end: impl Fn(u8) -> bool) {
        while let Some(&b) = self.bytes.get(self.at).filter(|b| !end(**b)) {
            self.line += usize::from(b == b'\n');
            self.at += 1;
        }
    }

    fn next(&mut self) -> Result<Option<Token<'a>>> {
        loop {
            self.skip_to(|b| !(b.is_ascii_whitespace() || b == b';' || b == b',' || b == 0));
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"//") || rest.starts_with(b"#") {
                self.skip_to(|b| b == b'\n');
                continue;
            }
            let start = self.at;
            let Some(&first) = rest.first() else { return Ok(None) };
            self.at += 1;
            match first {
                b'{' => return Ok(Some(Token::Open)),
                b'}' => return Ok(Some(Token::Close)),
                b'"' => {
                    self.skip_to(|b| b == b'"');
                    if self.at == self.bytes.len() {
                        return Err(self.error("the file ends inside a text").help(CUT_OFF));
                    }
                    self.at += 1;
                }
                _ => self.skip_to(|b| b.is_ascii_whitespace() || b";,{}\"#".contains(&b)),
            }
            return Ok(Some(Token::Word(&self.bytes[start..self.at])));
        }
    }

    fn expect(&mut self, what: &str) -> Result<Token<'a>> {
        let end =
            |t: &Self| t.error(format!("the file ends where {what} should stand")).help(CUT_OFF);
        self.next()?.ok_or_else(|| end(self))
    }

    fn word(&mut self, what: &str) -> Result<&'a [u8]> {
        match self.expect(what)? {
            Token::Word(word) => Ok(word),
            Token::Open => Err(self.error(format!("found {{ where {what} should stand"))),
            Token::Close => Err(self.error(format!("found }} where {what} should stand"))),
        }
    }

    fn number(&mut self, what: &str) -> Result<f64> {
        let word = self.word(what)?;
        parse_number(word).ok_or_else(|| self.error(format!("{what}: {} is no number", show(word))))
    }

    fn count(&mut self, what: &str) -> Result<usize> {
        let word = self.word(what)?;
        let count = parse_integer(word).and_then(|n| usize::try_from(n).ok());
        count.ok_or_else(|| self.error(format!("{what}: {} is no count", show(word))))
    }

    /// Skips to the end of a block whose opening brace was read.
    fn skip_block(&mut self) -> Result<()> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.expect("a closing brace")? {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Word(_) => {}
            }
        }
        Ok(())
    }

    /// Reads an optional name and the opening brace of a block.
    fn open_block(&mut self) -> Result<String> {
        let mut name = String::new();
        loop {
            match self.expect("an opening brace")? {
                Token::Open => return Ok(name),
                Token::Word(word) if name.is_empty() => {
                    name = String::from_utf8_lossy(word).into_owned()
                }
                _ => return Err(self.error("an opening brace should stand here")),
            }
        }
    }
}

/// A frame, or the world as number 0.
struct FrameNode {
    parent: usize,
    matrix: Matrix,
    name: String,
}

/// A mesh as the file has it, before the transforms of its frames are known.
struct PlacedMesh {
    frame: usize,
    name: String,
    points: std::ops::Range<usize>,
    triangles: std::ops::Range<usize>,
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    mesh: Mesh,
    frames: Vec<FrameNode>,
    /// Frames whose closing brace is still to come; the world is always open.
    open: Vec<usize>,
    parts: Vec<PlacedMesh>,
    dropped: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            tokens: Tokens { bytes, at: 0, line: 1 },
            mesh: Mesh::default(),
            frames: vec![FrameNode { parent: 0, matrix: IDENTITY, name: String::new() }],
            open: vec![0],
            parts: Vec::new(),
            dropped: 0,
        }
    }

    fn frame(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    /// Handles a token outside meshes.
    fn top(&mut self, token: Token<'a>) -> Result<()> {
        match token {
            Token::Close if self.open.len() > 1 => drop(self.open.pop()),
            Token::Close => return Err(self.tokens.error("found } without its {")),
            // A reference to another object.
            Token::Open => self.tokens.skip_block()?,
            Token::Word(b"Frame") => {
                let name = self.tokens.open_block()?;
                self.open.push(self.frames.len());
                let parent = self.open[self.open.len() - 2];
                self.frames.push(FrameNode { parent, matrix: IDENTITY, name });
            }
            Token::Word(b"FrameTransformMatrix") => {
                self.tokens.open_block()?;
                let mut matrix = IDENTITY;
                for x in matrix.as_flattened_mut() {
                    *x = self.tokens.number("a number of a frame's matrix")?;
                }
                self.tokens.skip_block()?;
                let frame = self.frame();
                self.frames[frame].matrix = matrix;
            }
            Token::Word(b"Mesh") => {
                let name = self.tokens.open_block()?;
                self.mesh(name)?;
                self.tokens.skip_block()?;
            }
            // Templates, materials, animations: whatever it is, its block says where it ends.
            Token::Word(_) => {
                self.tokens.open_block()?;
                self.tokens.skip_block()?;
            }
        }
        Ok(())
    }

    fn mesh(&mut self, name: String) -> Result<()> {
        let (base, first) = (self.mesh.points.len(), self.mesh.triangles.len());
        let count = self.tokens.count("a mesh's point count")?;
        for _ in 0..count {
            let mut p = [0.0; 3];
            for x in &mut p {
                *x = self.tokens.number("a coordinate")?;
            }
            self.mesh.points.push(p);
        }
        if self.mesh.points.len() > u32::MAX as usize {
            return Err(self.tokens.error("more points than 32-bit numbers can count"));
        }
        let mut corners = Vec::new();
        for face in 0..self.tokens.count("a mesh's face count")? {
            corners.clear();
            for _ in 0..self.tokens.count("a face's corner count")? {
                let corner = self.tokens.count("a face corner")?;
                if corner >= count {
                    return Err(self.tokens.error(format!(
                        "face {face} uses point {corner}, but its mesh has {count} points"
                    )));
                }
                corners.push((base + corner) as u32);
            }
            // The other hand's world has the other order of corners.
            if let Some(ring) = corners.get_mut(1..) {
                ring.reverse();
            }
            self.dropped += usize::from(push_fan(&mut self.mesh.triangles, &corners) == 0);
        }
        self.parts.push(PlacedMesh {
            frame: self.frame(),
            name,
            points: base..self.mesh.points.len(),
            triangles: first..self.mesh.triangles.len(),
        });
        Ok(())
    }

    fn finish(mut self, warnings: &mut Vec<String>) -> Mesh {
        // Parents come before their children.
        let mut world: Vec<Matrix> = Vec::with_capacity(self.frames.len());
        for (i, frame) in self.frames.iter().enumerate() {
            let matrix =
                if i == 0 { frame.matrix } else { multiply(&frame.matrix, &world[frame.parent]) };
            world.push(matrix);
        }
        let mut groups = TriangleGroups::default();
        for part in &self.parts {
            for p in &mut self.mesh.points[part.points.clone()] {
                let [x, y, z] = apply(&world[part.frame], *p);
                *p = [x, z, y];
            }
            groups.add(&self.frames[part.frame].name, part.triangles.clone());
            groups.add(&part.name, part.triangles.clone());
        }
        self.mesh.groups = groups.finish();
        warn_dropped_faces(warnings, self.dropped);
        warn_if_empty(warnings, &self.mesh);
        self.mesh
    }
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..4).map(|k| a[r][k] * b[k][c]).sum()))
}

fn apply(m: &Matrix, p: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|c| p[0] * m[0][c] + p[1] * m[1][c] + p[2] * m[2][c] + m[3][c])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn parse(text: &str) -> (Result<Mesh>, Vec<String>) {
        let mut warnings = Vec::new();
        let companions = Memory::default();
        let bytes = text.as_bytes();
        let mut input =
            Input { bytes, name: "a.x", companions: &companions, warnings: &mut warnings };
        (read(&mut input), warnings)
    }

    const HEAD: &str = "xof 0303txt 0032\n";
    const TRIANGLE: &str = "3; 0;0;0;, 1,0;0; 0;1;0;;\n 1; 3;0,1,2;;";

    #[test]
    fn frames_move_what_they_hold_even_when_their_matrix_comes_last() {
        let text = format!(
            "{HEAD}template Mesh {{ <guid> DWORD n; array Vector v[n]; [...] }} // Mesh {{\n\
             Header {{ 1;0;1; }}\n# comment {{\n\
             Frame outer {{ Frame inner {{ Mesh one {{ {TRIANGLE} MeshNormals {{ 0; 0; }} }} \
             FrameTransformMatrix {{ 2,0,0,0, 0,2,0,0, 0,0,2,0, 1,0,0,1;; }} {{ reference }} }}\n\
             FrameTransformMatrix {{ 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,10,0,1;; }} }}\n\
             Material {{ TextureFilename {{ \"a}}{{b.png\"; }} }}\nMesh {{ {TRIANGLE} }}"
        );
        let (mesh, warnings) = parse(&text);
        let mesh = mesh.unwrap();
        assert_eq!(mesh.points[..3], [[1.0, 0.0, 10.0], [3.0, 0.0, 10.0], [1.0, 0.0, 12.0]]);
        assert_eq!(mesh.points[3..], [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(mesh.triangles, [[0, 2, 1], [3, 5, 4]]);
        let names: Vec<_> = mesh.groups.iter().map(|g| (&g.name[..], &g.members[..])).collect();
        assert_eq!(names, [("inner", &[0][..]), ("one", &[0])]);
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn polygons_are_turned_round_and_split() {
        let (mesh, warnings) =
            parse(&format!("{HEAD}Mesh{{4;0;0;0;1;0;0;1;1;0;0;1;0;2;4;0;1;2;3;2;0;1;}}"));
        assert_eq!(mesh.unwrap().triangles, [[0, 3, 2], [0, 2, 1]]);
        assert_eq!(warnings, ["left out 1 face with fewer than 3 corners"]);
    }

    #[test]
    fn errors_name_line_and_problem() {
        for (text, line, problem) in [
            (
                "xof 0302bin 0032".to_string(),
                1,
                "this is a binary or compressed DirectX file (\"bin \"), and only text can be read",
            ),
            (
                "xof 0302tzip0032".into(),
                1,
                "this is a binary or compressed DirectX file (\"tzip\"), and only text can be read",
            ),
            ("xof 0302rtf 0032".into(), 1, "the kind of DirectX file \"rtf \" is unknown"),
            ("solid".into(), 1, "a DirectX file begins with `xof `, a version and `txt `"),
            (format!("{HEAD}Mesh {{\n1; 0;0;x;"), 3, "a coordinate: \"x\" is no number"),
            (
                format!("{HEAD}Mesh {{\n9999999999;\n0;0;0;"),
                4,
                "the file ends where a coordinate should stand",
            ),
            (
                format!("{HEAD}Mesh {{ 1;0;0;0;\n1;3;0,0,1;"),
                3,
                "face 0 uses point 1, but its mesh has 1 points",
            ),
            (format!("{HEAD}Mesh {{ -1;"), 2, "a mesh's point count: \"-1\" is no count"),
            (format!("{HEAD}Mesh {{ }}"), 2, "found } where a mesh's point count should stand"),
            (format!("{HEAD}Frame a {{\n"), 3, "the file ends inside a frame"),
            (format!("{HEAD}}}"), 2, "found } without its {"),
            (format!("{HEAD}A b c {{}}"), 2, "an opening brace should stand here"),
            (format!("{HEAD}A {{ \"b"), 2, "the file ends inside a text"),
        ] {
            let e = parse(&text).0.unwrap_err();
            assert_eq!((e.place, &e.problem[..]), (Place::Line(line), problem), "{text}");
        }
    }
}
