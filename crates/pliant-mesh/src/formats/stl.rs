//! Stereolithography (`.stl`), text and binary.
//!
//! STL lists three corners per triangle and no connections, so corners with equal coordinates become
//! one point. Several solids in a text file become triangle groups.

use std::collections::HashMap;
use std::io::{self, Write};

use super::Input;
use super::surface::{Surface, TriangleGroups, push_fan, warn_dropped_faces, warn_if_empty};
use crate::bytes::{Cursor, Endian};
use crate::geometry::{cross, dot, sub};
use crate::text::{Scanner, show};
use crate::{Mesh, ReadError, Result};

const HEADER: usize = 84;
const FACET: usize = 50;

/// Reads an STL file. Its length tells binary from text: many binary files begin with `solid` too.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let bytes = input.bytes;
    let exact = claimed_facets(bytes)
        .is_some_and(|n| HEADER as u64 + FACET as u64 * n == bytes.len() as u64);
    if !exact && is_text(bytes) { read_text(input) } else { read_binary(input) }
}

fn claimed_facets(bytes: &[u8]) -> Option<u64> {
    let raw = bytes.get(80..HEADER)?;
    Some(u64::from(u32::from_le_bytes(raw.try_into().ok()?)))
}

fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !bytes[..bytes.len().min(4096)].contains(&0)
}

/// Gives equal coordinates the same number.
#[derive(Default)]
struct Weld {
    points: Vec<[f64; 3]>,
    numbers: HashMap<[u64; 3], u32>,
}

impl Weld {
    fn number(&mut self, p: [f64; 3]) -> u32 {
        // Adding zero turns −0 into +0, which are the same place.
        let p = p.map(|x| x + 0.0);
        *self.numbers.entry(p.map(f64::to_bits)).or_insert_with(|| {
            self.points.push(p);
            (self.points.len() - 1) as u32
        })
    }
}

fn read_binary(input: &mut Input<'_>) -> Result<Mesh> {
    let mut cursor = Cursor::new(input.bytes, 0, Endian::Little);
    cursor.take(80, "the header of a binary STL")?;
    let claimed = cursor.u32("the triangle count")? as usize;
    let held = cursor.remaining() / FACET;
    if held < claimed {
        return Err(ReadError::file(format!(
            "the header promises {claimed} triangles, but the file has room for {held}"
        ))
        .help("It was cut off, or is no STL: fetch or export it again"));
    }
    let extra = cursor.remaining() - claimed * FACET;
    if extra > 0 {
        input.warnings.push(format!("ignored {extra} bytes behind the last triangle"));
    }
    let mut weld = Weld::default();
    let mut triangles = Vec::with_capacity(claimed);
    for _ in 0..claimed {
        cursor.take(12, "a facet normal")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            let mut p = [0.0; 3];
            for x in &mut p {
                *x = f64::from(cursor.f32("a coordinate")?);
            }
            *corner = weld.number(p);
        }
        cursor.take(2, "the attribute bytes")?;
        triangles.push(corners);
    }
    let mesh = Mesh { points: weld.points, triangles, ..Mesh::default() };
    warn_if_empty(input.warnings, &mesh);
    Ok(mesh)
}

/// What a text file holds so far.
#[derive(Default)]
struct TextReader {
    weld: Weld,
    triangles: Vec<[u32; 3]>,
    /// Name and first triangle of each solid.
    solids: Vec<(String, usize)>,
    corners: Vec<u32>,
    in_facet: bool,
    in_solid: bool,
    dropped: usize,
}

fn read_text(input: &mut Input<'_>) -> Result<Mesh> {
    let mut scan = Scanner::new(input.bytes);
    let mut reader = TextReader::default();
    while let Some(word) = scan.token() {
        reader.word(word, &mut scan)?;
    }
    if reader.in_facet {
        return Err(scan
            .error("the file ends inside a facet")
            .help("It was probably cut off: fetch or export it again"));
    }
    if reader.in_solid {
        input.warnings.push("the file ends without `endsolid`: it may have been cut off".into());
    }
    Ok(reader.finish(input.warnings))
}

impl TextReader {
    fn word(&mut self, word: &[u8], scan: &mut Scanner<'_>) -> Result<()> {
        match &word.to_ascii_lowercase()[..] {
            b"solid" => {
                let name = String::from_utf8_lossy(scan.rest_of_line()).into_owned();
                self.solids.push((name, self.triangles.len()));
                self.in_solid = true;
            }
            b"facet" if !self.in_facet => {
                self.in_facet = true;
                self.corners.clear();
                if scan.peek().is_some_and(|w| w.eq_ignore_ascii_case(b"normal")) {
                    scan.token();
                    for _ in 0..3 {
                        scan.expect("a facet normal")?;
                    }
                }
            }
            b"outer" | b"loop" | b"endloop" if self.in_facet => {}
            b"vertex" if self.in_facet => {
                let mut p = [0.0; 3];
                for (x, what) in p.iter_mut().zip(["a vertex's x", "a vertex's y", "a vertex's z"])
                {
                    *x = scan.number(what)?;
                }
                self.corners.push(self.weld.number(p));
            }
            b"endfacet" if self.in_facet => {
                self.in_facet = false;
                self.dropped += usize::from(push_fan(&mut self.triangles, &self.corners) == 0);
            }
            b"endsolid" if !self.in_facet => {
                scan.rest_of_line();
                self.in_solid = false;
            }
            _ => {
                let wanted =
                    if self.in_facet { "`vertex` or `endfacet`" } else { "`facet` or `endsolid`" };
                return Err(scan
                    .error(format!("found {} where {wanted} should stand", show(word)))
                    .help("The file is damaged, or is no text STL"));
            }
        }
        Ok(())
    }

    fn finish(self, warnings: &mut Vec<String>) -> Mesh {
        let mut groups = TriangleGroups::default();
        let ends = self.solids.iter().skip(1).map(|s| s.1).chain([self.triangles.len()]);
        let mut empty = 0;
        if self.solids.len() > 1 {
            for (i, ((name, start), end)) in self.solids.iter().zip(ends).enumerate() {
                empty += usize::from(*start == end);
                match name.as_str() {
                    "" => groups.add(&format!("solid {}", i + 1), *start..end),
                    name => groups.add(name, *start..end),
                }
            }
        }
        warn_dropped_faces(warnings, self.dropped);
        if empty > 0 {
            warnings.push(format!("{empty} of {} solids are empty", self.solids.len()));
        }
        let mesh = Mesh {
            points: self.weld.points,
            triangles: self.triangles,
            groups: groups.finish(),
            ..Mesh::default()
        };
        warn_if_empty(warnings, &mesh);
        mesh
    }
}

/// Writes the surface of `mesh` as binary STL, in single precision as the format has it.
pub fn write(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let surface = Surface::of(mesh)?;
    let count = u32::try_from(surface.triangles.len())
        .map_err(|_| io::Error::other("an STL holds no more than 2³² triangles"))?;
    let mut header = [0u8; 80];
    let title = b"binary STL written by Pliant";
    header[..title.len()].copy_from_slice(title);
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    for t in surface.triangles.iter() {
        let mut facet = [0u8; FACET];
        let normal = unit_normal(t.map(|c| surface.point(c as usize)));
        let mut rows = vec![normal];
        for &corner in t {
            rows.push(surface.point_f32(corner as usize)?);
        }
        for (slot, x) in facet.chunks_exact_mut(4).zip(rows.as_flattened()) {
            slot.copy_from_slice(&x.to_le_bytes());
        }
        out.write_all(&facet)?;
    }
    Ok(())
}

/// Unit normal of a triangle; zero when it has no area, as the format's own convention has it.
fn unit_normal([a, b, c]: [[f64; 3]; 3]) -> [f32; 3] {
    let n = cross(sub(b, a), sub(c, a));
    let length = dot(n, n).sqrt();
    if length > 0.0 && length.is_finite() { n.map(|x| (x / length) as f32) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::source::Memory;

    fn parse(bytes: &[u8]) -> (Result<Mesh>, Vec<String>) {
        let mut warnings = Vec::new();
        let companions = Memory::default();
        let mut input =
            Input { bytes, name: "a.stl", companions: &companions, warnings: &mut warnings };
        (read(&mut input), warnings)
    }

    fn binary(header: &[u8], facets: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend((facets.len() as u32).to_le_bytes());
        for facet in facets {
            bytes.extend([0; 12]);
            bytes.extend(facet.iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0xff, 0x7f]);
        }
        bytes
    }

    const TWO: [[f32; 9]; 2] = [
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        [1.0, -0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    ];

    #[test]
    fn a_binary_file_may_begin_with_solid() {
        let mesh = parse(&binary(b"solid facet", &TWO)).0.unwrap();
        assert_eq!((mesh.points.len(), mesh.triangles.len()), (4, 2));
        assert_eq!(mesh.triangles[1], [1, 3, 2]);
    }

    #[test]
    fn a_binary_file_cut_off_or_too_long() {
        let mut bytes = binary(b"x", &TWO);
        let e = parse(&bytes[..150]).0.unwrap_err();
        assert_eq!(e.problem, "the header promises 2 triangles, but the file has room for 1");
        bytes.extend([1, 2, 3]);
        let (mesh, warnings) = parse(&bytes);
        assert_eq!(mesh.unwrap().triangles.len(), 2);
        assert_eq!(warnings, ["ignored 3 bytes behind the last triangle"]);
        bytes[80..84].fill(0xff);
        assert!(parse(&bytes).0.unwrap_err().problem.contains("promises 4294967295 triangles"));
    }

    #[test]
    fn solids_without_names_in_odd_dress() {
        let text = b"SOLID\n FACET NORMAL nan 0 0 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 1 0 \
                     VERTEX -1 0 0 ENDLOOP ENDFACET\nENDSOLID\r\nsolid b c\nfacet outer loop vertex 0 0 0 \
                     vertex 1 0 0 vertex -0 1e0 -0 endloop endfacet\nendsolid b";
        let (mesh, warnings) = parse(text);
        let mesh = mesh.unwrap();
        assert_eq!((mesh.points.len(), mesh.triangles.len()), (4, 3));
        let members: Vec<_> = mesh.groups.iter().map(|g| (&g.name[..], &g.members[..])).collect();
        assert_eq!(members, [("solid 1", &[0, 1][..]), ("b c", &[2])]);
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn text_errors_name_the_line() {
        let head = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n";
        for (tail, line, problem) in [
            ("vertex 0 x 0", 5, "a vertex's y: \"x\" is no number"),
            ("vertex 0", 5, "the file ends where a vertex's y should stand"),
            ("endsolid", 5, "found \"endsolid\" where `vertex` or `endfacet` should stand"),
            (
                "endloop\nendfacet\nvertex",
                7,
                "found \"vertex\" where `facet` or `endsolid` should stand",
            ),
            ("vertex 1 0 0", 5, "the file ends inside a facet"),
        ] {
            let e = parse(format!("{head}{tail}").as_bytes()).0.unwrap_err();
            assert_eq!((e.place, &e.problem[..]), (Place::Line(line), problem));
        }
        assert_eq!(
            parse(b"solid a\n").1[0],
            "the file ends without `endsolid`: it may have been cut off"
        );
    }

    #[test]
    fn written_normals_point_outwards_and_numbers_must_fit() {
        let mut mesh = Mesh {
            points: vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        let mut out = Vec::new();
        write(&mesh, &mut out).unwrap();
        assert_eq!(out.len(), 134);
        assert_eq!(out[84..96], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f]);
        mesh.points[1][0] = 1e300;
        let e = write(&mesh, &mut Vec::new()).unwrap_err();
        assert!(e.to_string().starts_with("point 1 at (1"), "{e}");
    }
}
