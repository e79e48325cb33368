//! Geomview's Object File Format (`.off`) in text form: `OFF` with any of the prefixes `ST`, `C` and
//! `N` for texture coordinates, colours and normals per point. The counts stand on the next line, on the
//! same line, or directly behind the word, as ModelNet has them.

use super::Input;
use super::surface::{push_fan, warn_dropped_faces, warn_if_empty};
use crate::text::{Scanner, parse_integer, parse_number, show};
use crate::{DataArray, Mesh, ReadError, Result};

/// What messages call the first number.
const POINT_COUNT: &str = "the point count";

/// Which numbers follow a point's coordinates, as the file's first word says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Header {
    texture: bool,
    color: bool,
    normal: bool,
}

/// Reads an OFF file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let mut scan = Scanner::with_comments(input.bytes, b'#');
    let (header, point_count) = header(&mut scan)?;
    let face_count = scan.count("the face count")?;
    // The edge count means nothing, and some writers leave it out.
    scan.token_on_line();
    if point_count > u32::MAX as usize {
        return Err(
            scan.error(format!("{point_count} points are more than 32-bit numbers can count"))
        );
    }
    let mut mesh = Mesh::default();
    points(&mut scan, header, point_count, &mut mesh)?;
    let dropped = faces(&mut scan, face_count, &mut mesh)?;
    warn_dropped_faces(input.warnings, dropped);
    warn_if_empty(input.warnings, &mesh);
    Ok(mesh)
}

/// The first word of a file taken apart: the letters before `OFF`, and the digits of a point count that
/// follows without a space. Nothing if it is another word.
pub(super) fn first_word(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (keyword, digits) = word.split_at(word.len() - digits);
    Some((keyword.strip_suffix(b"OFF")?, digits))
}

/// What stands before the points, up to their count.
fn header(scan: &mut Scanner<'_>) -> Result<(Header, usize)> {
    let first = scan.peek().ok_or_else(|| ReadError::file("the file is empty"))?;
    let mut header = Header::default();
    // The keyword may be missing: then the counts come first.
    if first.iter().all(u8::is_ascii_digit) {
        return Ok((header, scan.count(POINT_COUNT)?));
    }
    let word = scan.expect("the keyword OFF")?;
    let Some((mut prefix, digits)) = first_word(word) else {
        return Err(scan.error(format!("the file begins with {} instead of OFF", show(word))));
    };
    for (flag, text) in
        [(&mut header.texture, &b"ST"[..]), (&mut header.color, b"C"), (&mut header.normal, b"N")]
    {
        if let Some(rest) = prefix.strip_prefix(text) {
            (*flag, prefix) = (true, rest);
        }
    }
    if !prefix.is_empty() {
        return Err(scan
            .error(format!("{} has points that are not three-dimensional", show(word)))
            .help("Export it as plain OFF"));
    }
    if scan.clone().token_on_line().is_some_and(|w| w.eq_ignore_ascii_case(b"BINARY")) {
        return Err(scan
            .error("binary OFF is not supported")
            .help("Export it as text OFF, PLY or OBJ"));
    }
    if digits.is_empty() {
        return Ok((header, scan.count(POINT_COUNT)?));
    }
    let count = parse_integer(digits).and_then(|n| usize::try_from(n).ok());
    let count =
        count.ok_or_else(|| scan.error(format!("{POINT_COUNT}: {} is too large", show(digits))))?;
    Ok((header, count))
}

fn numbers<const N: usize>(scan: &mut Scanner<'_>, what: &str, into: &mut Vec<f64>) -> Result<()> {
    for _ in 0..N {
        into.push(scan.number(what)?);
    }
    Ok(())
}

/// The numbers on the rest of the line.
fn numbers_on_line(scan: &mut Scanner<'_>, what: &str) -> Result<Vec<f64>> {
    let mut out = Vec::new();
    while let Some(word) = scan.token_on_line() {
        out.push(
            parse_number(word)
                .ok_or_else(|| scan.error(format!("{what}: {} is no number", show(word))))?,
        );
    }
    Ok(out)
}

fn points(scan: &mut Scanner<'_>, header: Header, count: usize, mesh: &mut Mesh) -> Result<()> {
    mesh.points.reserve(scan.capacity(count, 6));
    let (mut normals, mut colors, mut texture) = (Vec::new(), Vec::new(), Vec::new());
    let mut color_size = None;
    for i in 0..count {
        let mut p = [0.0; 3];
        for x in &mut p {
            *x = scan.number("a coordinate")?;
        }
        mesh.points.push(p);
        if header.normal {
            numbers::<3>(scan, "a normal", &mut normals)?;
        }
        if header.color {
            let mut extra = numbers_on_line(scan, "a colour")?;
            let size = extra.len().saturating_sub(if header.texture { 2 } else { 0 });
            if *color_size.get_or_insert(size) != size || !(3..=4).contains(&size) {
                return Err(scan.error(format!("point {i} has {size} colour numbers")).help(
                    "Every point needs red, green and blue, and alpha where the others have it",
                ));
            }
            texture.extend(extra.drain(size..));
            colors.append(&mut extra);
        } else if header.texture {
            numbers::<2>(scan, "a texture coordinate", &mut texture)?;
        }
    }
    let arrays = [
        ("normal", 3, normals),
        ("color", color_size.unwrap_or(3), colors),
        ("texcoord", 2, texture),
    ];
    for (name, components, values) in arrays.into_iter().filter(|a| !a.2.is_empty()) {
        mesh.point_data.push(DataArray { name: name.into(), components, values });
    }
    Ok(())
}

/// Reads the faces; returns how many had fewer than three corners.
fn faces(scan: &mut Scanner<'_>, count: usize, mesh: &mut Mesh) -> Result<usize> {
    let mut dropped = 0;
    let mut corners = Vec::new();
    let mut colors = Vec::new();
    let mut color_size = None;
    for face in 0..count {
        corners.clear();
        for _ in 0..scan.count("the corner count of a face")? {
            let corner = scan.count("a face corner")?;
            if corner >= mesh.points.len() {
                let points = mesh.points.len();
                return Err(scan.error(format!(
                    "face {face} uses point {corner}, but there are {points} points"
                )));
            }
            corners.push(corner as u32);
        }
        let made = push_fan(&mut mesh.triangles, &corners);
        dropped += usize::from(made == 0);
        let color = numbers_on_line(scan, "a face colour")?;
        // Colours count as an array only when every face has one of the same kind.
        if *color_size.get_or_insert(color.len()) != color.len() {
            color_size = Some(0);
        }
        if matches!(color_size, Some(3 | 4)) {
            (0..made).for_each(|_| colors.extend_from_slice(&color));
        }
    }
    if let Some(components @ (3 | 4)) = color_size
        && !colors.is_empty()
    {
        mesh.triangle_data.push(DataArray { name: "color".into(), components, values: colors });
    }
    Ok(dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::source::Memory;

    fn parse(text: &str) -> (Result<Mesh>, Vec<String>) {
        let mut warnings = Vec::new();
        let companions = Memory::default();
        let mut input = Input {
            bytes: text.as_bytes(),
            name: "a.off",
            companions: &companions,
            warnings: &mut warnings,
        };
        (read(&mut input), warnings)
    }

    #[test]
    fn counts_beside_the_keyword_polygons_and_face_colours() {
        let text = "OFF 4 3 0 # square\n0 0 0\n\n1 0 0\r\n1 1 0\n# gap\n0 1 0\n4 0 1 2 3 0.5 0.25 1\n2 0 1 0 0 0\n3 0 1 2 1 1 1";
        let (mesh, warnings) = parse(text);
        let mesh = mesh.unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(mesh.triangle_data[0].values, [0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(warnings, ["left out 1 face with fewer than 3 corners"]);
    }

    #[test]
    fn the_counts_may_stand_wherever_writers_put_them() {
        let rest = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        for start in ["OFF\n3 1 0\n", "OFF 3 1 0\n", "OFF3 1 0\n", "OFF3 1\n", "OFF3\n1 0\n"] {
            let mesh =
                parse(&format!("{start}{rest}")).0.unwrap_or_else(|e| panic!("{start}: {e}"));
            assert_eq!((mesh.points.len(), &mesh.triangles[..]), (3, &[[0, 1, 2]][..]), "{start}");
        }
        let colored = parse("COFF1 0 0\n0 0 0 255 255 255\n").0.unwrap();
        assert_eq!(colored.point_data[0].name, "color");
    }

    #[test]
    fn every_prefix_has_its_columns() {
        for (word, row) in [
            ("", "0 0 0"),
            ("OFF", "0 0 0"),
            ("NOFF", "0 0 0 0 0 1"),
            ("COFF", "0 0 0 1 1 1 1"),
            ("COFF", "0 0 0 255 255 255"),
            ("STOFF", "0 0 0 .5 .5"),
            ("STCNOFF", "0 0 0 0 0 1 1 1 1 .5 .5"),
        ] {
            let mesh = parse(&format!("{word}\n3 1\n{row}\n{row}\n{row}\n3 0 1 2 7\n")).0.unwrap();
            assert_eq!((mesh.points.len(), mesh.triangles.len()), (3, 1), "{word}");
            let columns: usize = mesh.point_data.iter().map(|a| a.components).sum();
            assert_eq!(3 + columns, row.split(' ').count(), "{word}");
        }
    }

    #[test]
    fn errors_name_line_and_problem() {
        for (text, line, problem) in [
            ("OFF BINARY\n", 1, "binary OFF is not supported"),
            ("4OFF\n1 1 1\n", 1, "\"4OFF\" has points that are not three-dimensional"),
            ("4OFF1 1 1\n", 1, "\"4OFF1\" has points that are not three-dimensional"),
            (
                "OFF99999999999999999999 1 0\n",
                1,
                "the point count: \"99999999999999999999\" is too large",
            ),
            ("OFF3.5 1 0\n", 1, "the file begins with \"OFF3.5\" instead of OFF"),
            ("PLY\n", 1, "the file begins with \"PLY\" instead of OFF"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 1", 4, "face 0 uses point 1, but there are 1 points"),
            ("OFF\n1 1 0\n0 0 0\n3 0 -1 0", 4, "a face corner is negative: -1"),
            ("OFF\n99999999 1 0\n0 0 0\n", 4, "the file ends where a coordinate should stand"),
            ("COFF\n1 0 0\n0 0 0 1 1\n", 3, "point 0 has 2 colour numbers"),
        ] {
            let e = parse(text).0.unwrap_err();
            assert_eq!((e.place, &e.problem[..]), (Place::Line(line), problem), "{text:?}");
        }
        assert_eq!(parse("").0.unwrap_err().problem, "the file is empty");
    }
}
