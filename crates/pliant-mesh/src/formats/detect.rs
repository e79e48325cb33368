//! Which format a file is in: its content decides, the extension only where the content could be
//! several things.

use super::{Format, READABLE, off};
use crate::height_map::is_png;
use crate::text::{Scanner, parse_integer, parse_number, show};
use crate::{ReadError, Result};

/// How much of the file is looked at for marks that need not stand at its beginning.
const HEAD: usize = 1 << 16;

/// Finds the format of a file by its content, and by its extension where the content is plain
/// numbers or could be several things.
pub fn detect(bytes: &[u8], name: &str) -> Result<Format> {
    let extension = extension(name);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::file("is empty").help("Fetch or export it again"));
    }
    if let Some(format) = by_magic(bytes) {
        return Ok(format);
    }
    refuse_mfem(bytes)?;
    if is_png(bytes) {
        return Err(ReadError::file("is a picture, not a mesh").help(format!(
            "A height map becomes one with a size: pliant mesh convert heights.png ground.obj --size 10,10 \
             --height 1. {}",
            readable()
        )));
    }
    if bytes.trim_ascii_start().starts_with(b"<") {
        return by_xml(bytes);
    }
    if let Some(format) = by_first_words(bytes, &extension)? {
        return Ok(format);
    }
    // What begins with binary data is none of the formats that are text only, whatever its name.
    let is_text = !bytes[..bytes.len().min(4096)].contains(&0);
    let fits =
        |format: Format| is_text || !matches!(format, Format::Obj | Format::Off | Format::Vega);
    let known = READABLE.iter().find(|(e, format)| *e == extension && fits(*format));
    known.map(|(_, format)| *format).ok_or_else(|| unknown(bytes))
}

/// The format that a name promises, packed or not, whatever the content is.
pub fn by_name(name: &str) -> Option<Format> {
    let extension = extension(name.strip_suffix(".gz").unwrap_or(name));
    READABLE.iter().find(|(e, _)| *e == extension).map(|(_, format)| *format)
}

fn extension(name: &str) -> String {
    name.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase()
}

/// Marks in the first bytes, and the one size that cannot be chance.
fn by_magic(bytes: &[u8]) -> Option<Format> {
    let text = bytes.trim_ascii_start();
    let word_is = |word: &[u8]| {
        text.strip_prefix(word).is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
    };
    if bytes.starts_with(b"glTF") {
        Some(Format::Gltf)
    } else if word_is(b"ply") {
        Some(Format::Ply)
    } else if text.starts_with(b"# vtk DataFile") {
        Some(Format::VtkLegacy)
    } else if text.starts_with(b"xof ") {
        Some(Format::DirectX)
    } else if is_binary_stl(bytes) || word_is(b"solid") {
        Some(Format::Stl)
    } else if text.starts_with(b"{") && contains(text, b"\"asset\"") {
        Some(Format::Gltf)
    } else {
        None
    }
}

/// MFEM's own meshes share their extension with MEDIT's and look nothing like them.
fn refuse_mfem(bytes: &[u8]) -> Result<()> {
    let text = bytes.trim_ascii_start();
    if !text.starts_with(b"MFEM ") {
        return Ok(());
    }
    let first_line = text.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let problem = format!(
        "is a mesh in MFEM's own format ({}), not in MEDIT's, which also ends in .mesh",
        show(first_line.trim_ascii_end())
    );
    Err(ReadError::file(problem).help(
        "MFEM itself writes it as .vtk, which can be read: call Mesh::PrintVTK, or open it in MFEM's \
         mesh-explorer and save it in VTK format",
    ))
}

/// Whether the size is exactly 84 bytes and 50 for each triangle of the count at byte 80. In a text
/// file those four bytes would stand for more triangles than any file holds.
fn is_binary_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    count.is_some_and(|n| bytes.len() as u64 == 84 + 50 * u64::from(n))
}

fn contains(text: &[u8], mark: &[u8]) -> bool {
    text.windows(mark.len()).any(|w| w == mark)
}

/// Tells the kinds of XML apart by the attribute `type` of the `VTKFile` element.
fn by_xml(bytes: &[u8]) -> Result<Format> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let Some((_, tag)) = head.split_once("<VTKFile") else {
        let web = ["<html", "<!doctype html"].iter().any(|m| head.to_ascii_lowercase().contains(m));
        return Err(if web {
            ReadError::file("is a web page, not a mesh")
                .help("The download went wrong: fetch the file itself")
        } else {
            ReadError::file("is XML, but not VTK's").help(readable())
        });
    };
    let tag = tag.split_once('>').map_or(tag, |(inside, _)| inside);
    let after_type = tag
        .match_indices("type")
        .find(|(at, _)| tag[..*at].ends_with(|c: char| c.is_ascii_whitespace()))
        .map(|(at, word)| tag[at + word.len()..].trim_start());
    let quoted = after_type
        .and_then(|rest| rest.strip_prefix('='))
        .map(str::trim_start)
        .and_then(|rest| rest.split(['"', '\'']).nth(1));
    match quoted {
        Some("UnstructuredGrid") => Ok(Format::Vtu),
        Some("Collection") => Err(ReadError::file(
            "lists the frames of a series, and is no mesh itself",
        )
        .help(
            "Give one of the frames, or a time: pliant mesh convert run.pvd frame.vtu --time 0.5",
        )),
        Some(other) => Err(ReadError::file(format!(
            "is a VTK XML file of type {}, not UnstructuredGrid",
            show(other.as_bytes())
        ))
        .help("Save it as an unstructured grid (.vtu), in ParaView for example")),
        None => Err(ReadError::file("is a VTK XML file that does not say its type")
            .help("Its VTKFile element needs type=\"UnstructuredGrid\"")),
    }
}

/// Looks at the first line that is no comment.
fn by_first_words(bytes: &[u8], extension: &str) -> Result<Option<Format>> {
    let mut scanner = Scanner::with_comments(bytes, b'#');
    let Some(first) = scanner.token() else { return Ok(None) };
    let mut line = vec![first];
    while let Some(token) = scanner.token_on_line()
        && line.len() < 6
    {
        line.push(token);
    }
    if line.iter().all(|t| parse_number(t).is_some()) {
        return by_numbers(&line, &mut scanner, extension);
    }
    Ok(by_keyword(first, bytes).or_else(|| is_obj_line(&line).then_some(Format::Obj)))
}

fn by_keyword(first: &[u8], bytes: &[u8]) -> Option<Format> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let gmsh_marks: [&[u8]; 3] = [b"$MeshFormat", b"$NOD", b"$Nodes"];
    let vega: [&[u8]; 6] =
        [b"*VERTICES", b"*ELEMENTS", b"*MATERIAL", b"*REGION", b"*SET", b"*INCLUDE"];
    if first.starts_with(b"$") && gmsh_marks.iter().any(|m| contains(head, m)) {
        Some(Format::Gmsh)
    } else if first.starts_with(b"MeshVersionFormatted") {
        Some(Format::Medit)
    } else if first == b"mesh3d" {
        Some(Format::NetgenVol)
    } else if vega.iter().any(|word| has_prefix_ignoring_case(first, word)) {
        Some(Format::Vega)
    } else if is_off_header(first) {
        Some(Format::Off)
    } else {
        None
    }
}

fn has_prefix_ignoring_case(token: &[u8], word: &[u8]) -> bool {
    token.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word))
}

/// `OFF` with the letters of Geomview's variants before it, in their order, and perhaps a count behind it.
fn is_off_header(token: &[u8]) -> bool {
    let Some((mut rest, _)) = off::first_word(token) else { return false };
    let letters: [&[u8]; 5] = [b"ST", b"C", b"N", b"4", b"n"];
    for letter in letters {
        rest = rest.strip_prefix(letter).unwrap_or(rest);
    }
    rest.is_empty()
}

/// Whether a line begins as OBJ's do. A vertex needs its three numbers, since `v` alone could be
/// anything.
fn is_obj_line(line: &[&[u8]]) -> bool {
    let rest = &line[1..];
    match line[0] {
        b"v" | b"vn" => rest.len() >= 3 && rest[..3].iter().all(|t| parse_number(t).is_some()),
        b"vt" | b"vp" => rest.first().is_some_and(|t| parse_number(t).is_some()),
        b"f" => rest.first().is_some_and(|t| t[0].is_ascii_digit() || t[0] == b'-'),
        b"o" | b"g" | b"s" | b"mtllib" | b"usemtl" => true,
        _ => false,
    }
}

/// Tells files of plain numbers apart: TetGen's begin with a count and what each row holds,
/// Netgen's neutral format with a count alone and then three coordinates.
fn by_numbers(
    line: &[&[u8]],
    scanner: &mut Scanner<'_>,
    extension: &str,
) -> Result<Option<Format>> {
    if matches!(extension, "poly" | "smesh" | "face" | "edge" | "neigh") {
        return Err(ReadError::file(format!("is TetGen's .{extension} file, not the mesh itself"))
            .help("Open the .node or .ele file; run TetGen first if there is none"));
    }
    let Some(header) = line.iter().map(|t| parse_integer(t)).collect::<Option<Vec<i64>>>() else {
        return Ok(None);
    };
    Ok(match header[..] {
        [_] => {
            scanner.next_line();
            let first = scanner.token();
            let row = std::iter::from_fn(|| scanner.token_on_line()).take(4);
            let count = row.filter(|t| parse_number(t).is_some()).count();
            (first.is_some_and(|t| parse_number(t).is_some()) && count == 2)
                .then_some(Format::NetgenNeutral)
        }
        [_, 3, ..] if header.len() <= 4 => Some(Format::TetGen),
        [_, 4 | 10, ..] if header.len() <= 3 => Some(Format::TetGen),
        _ => None,
    })
}

fn unknown(bytes: &[u8]) -> ReadError {
    if bytes.starts_with(b"PK\x03\x04") {
        return ReadError::file("is a zip archive").help("Unpack it and open the mesh inside");
    }
    ReadError::file("is in no format that can be read").help(readable())
}

/// Says what can be read.
fn readable() -> String {
    let extensions: Vec<String> = READABLE.iter().map(|(e, _)| format!(".{e}")).collect();
    format!("Readable are {} and each of them packed as .gz", extensions.join(", "))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::source::gunzip;

    fn found(bytes: &[u8], name: &str) -> Format {
        detect(bytes, name).unwrap_or_else(|e| panic!("{}: {e}", show(bytes)))
    }

    #[test]
    fn content_decides_whatever_the_name_says() {
        let cases: &[(&[u8], Format)] = &[
            (b"$MeshFormat\n4.1 0 8\n", Format::Gmsh),
            (b"$Comments\nhello\n$EndComments\n$MeshFormat\n2.2 0 8", Format::Gmsh),
            (b"$NOD\r\n3\r\n", Format::Gmsh),
            (b"\n# made by x\nMeshVersionFormatted 2\n", Format::Medit),
            (b"MeshVersionFormatted\n1\n", Format::Medit),
            (b"# Generated by NETGEN\nmesh3d\ndimension\n3\n", Format::NetgenVol),
            (b"4\n 0 0 0\n 1 0 0\n", Format::NetgenNeutral),
            (b"# vtk DataFile Version 3.0\nx\nASCII\n", Format::VtkLegacy),
            (
                b"<?xml version='1.0'?>\n<VTKFile version=\"1\" type = 'UnstructuredGrid'>",
                Format::Vtu,
            ),
            (b"# Vega\n\n*VERTICES\n4 3 0 0\n", Format::Vega),
            (b"*include other.veg\n", Format::Vega),
            (b"\xef\xbb\xbfv 0 0 0\n", Format::Obj),
            (b"# c\nmtllib a b.mtl\n", Format::Obj),
            (b"g\nv 1 2 3", Format::Obj),
            (b"solid\n", Format::Stl),
            (b"solid thing with a name\nfacet", Format::Stl),
            (b"ply\r\nformat", Format::Ply),
            (b"OFF\n3 1 0", Format::Off),
            (b"# x\nSTCN4OFF BINARY\n", Format::Off),
            (b"nOFF 3\n", Format::Off),
            (b"OFF 8 6 12\n", Format::Off),
            (b"OFF8 6 12\n", Format::Off),
            (b"STCOFF8 6 12\n", Format::Off),
            (b"glTF\x02\0\0\0", Format::Gltf),
            (b" {\"nodes\": [], \"asset\": {\"version\": \"2.0\"}}", Format::Gltf),
            (b"xof 0303txt 0032", Format::DirectX),
            (b"# nodes\n 5 3 1 0\n1 0 0 0 7", Format::TetGen),
            (b"2 4 0\n1 1 2 3 4\n", Format::TetGen),
            (b"2  10  1\n", Format::TetGen),
        ];
        for (bytes, format) in cases {
            for name in ["", "file", "file.wrong", "file.obj", "file.node", "file.STL"] {
                assert_eq!(found(bytes, name), *format, "{} as {name:?}", show(bytes));
            }
        }
    }

    #[test]
    fn a_binary_stl_is_known_by_its_size_even_if_it_says_solid() {
        for header in [&b"solid not text"[..], b"", b"v 1 2 3"] {
            let mut bytes = header.to_vec();
            bytes.resize(80, 0);
            bytes.extend(2u32.to_le_bytes());
            bytes.resize(84 + 100, 7);
            assert_eq!(found(&bytes, "x.obj"), Format::Stl);
        }
    }

    #[test]
    fn the_extension_helps_where_the_content_does_not() {
        assert_eq!(found(b"# only a comment\n", "empty.OBJ"), Format::Obj);
        assert_eq!(found(b"garbage", "a.b.msh"), Format::Gmsh);
        assert_eq!(found(b"7 2 0 0\n", "flat.node"), Format::TetGen);
        assert_eq!(by_name("a.toml.MESH"), Some(Format::Medit));
        assert_eq!(
            (by_name("b.stl.gz"), by_name("mesh"), by_name("c.toml")),
            (Some(Format::Stl), None, None)
        );
    }

    #[test]
    fn errors_say_what_to_do() {
        let error = |bytes: &[u8], name: &str| detect(bytes, name).unwrap_err().to_string();
        assert!(error(b"", "a.obj").contains("is empty"));
        assert!(error(b" \r\n\t", "").contains("is empty"));
        assert!(error(b"garbage", "").contains(".node, .ele, .msh"));
        assert!(error(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a.obj").contains(".node, .ele, .msh"));
        assert!(error(b"1.5 2 3\n", "cloud.xyz").contains(".node, .ele, .msh"));
        assert!(error(b"<VTKFile type=\"PolyData\">", "a.vtu").contains("\"PolyData\""));
        assert!(error(b"<VTKFile type=\"Collection\">", "a.pvd").contains("lists the frames"));
        assert!(error(b"\x89PNG\r\n\x1a\n....", "a.obj").contains("--size"));
        assert!(error(b"<VTKFile>", "a.vtu").contains("does not say its type"));
        assert!(error(b"<!DOCTYPE HTML><html>", "a.obj").contains("web page"));
        assert!(error(b"<svg>", "a.obj").contains("not VTK's"));
        assert!(error(b"28 3 0 1\n", "a.poly").contains("Open the .node"));
        for first in ["MFEM mesh v1.0", "MFEM NC mesh v1.0", "MFEM INLINE mesh v1.0"] {
            let text = format!("{first}\r\n\r\ndimension\r\n3\r\n");
            let said = error(text.as_bytes(), "beam.mesh");
            for word in [&format!("{first:?}"), "MEDIT", "PrintVTK", ".vtk"] {
                assert!(said.contains(word), "{said}");
            }
        }
        assert!(error(b"PK\x03\x04...", "a.3mf").contains("Unpack"));
    }

    #[test]
    fn real_files_are_found_under_any_name() {
        let data = std::env::var_os("PLIANT_DATA").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
            PathBuf::from,
        );
        let mut checked = 0;
        for folder in ["tet", "surface", "formats", "volume", "defects"] {
            let Ok(files) = std::fs::read_dir(data.join(folder)) else {
                eprintln!("skipped: no folder {folder} in {} (set PLIANT_DATA)", data.display());
                continue;
            };
            for path in files.map(|f| f.unwrap().path()) {
                let file = path.file_name().unwrap().to_str().unwrap();
                let name = file.trim_end_matches(".gz");
                let extension = name.rsplit_once('.').unwrap().1.to_ascii_lowercase();
                let expected = match &*extension {
                    "mesh" if name.contains("neutral") => Format::NetgenNeutral,
                    "bin" | "raw" | "mhd" | "poly" | "face" => continue,
                    e => READABLE.iter().find(|(known, _)| *known == e).expect(name).1,
                };
                let mut bytes = std::fs::read(&path).unwrap();
                if file.ends_with(".gz") {
                    bytes = gunzip(&bytes).unwrap();
                }
                assert_eq!(found(&bytes, name), expected, "{name}");
                // Nothing but a comment: only the name can tell.
                if name != "empty.obj" {
                    assert_eq!(found(&bytes, "thing"), expected, "{name} without extension");
                    assert_eq!(found(&bytes, "thing.vtu"), expected, "{name} as .vtu");
                }
                checked += 1;
            }
        }
        assert!(checked == 0 || checked > 60, "only {checked} files");
    }
}
