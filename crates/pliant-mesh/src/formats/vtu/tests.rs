use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::document::Codec;
use crate::bytes::Endian;
use crate::formats::Input;
use crate::source::Memory;
use crate::{DataArray, Mesh, Place, ReadError, Result};

mod collection;
mod malformed;
mod round_trip;

fn read(bytes: &[u8]) -> Result<(Mesh, Vec<String>)> {
    let mut warnings = Vec::new();
    let companions = Memory::default();
    let mut input =
        Input { bytes, name: "test.vtu", companions: &companions, warnings: &mut warnings };
    let mesh = super::read(&mut input)?;
    Ok((mesh, warnings))
}

fn error(bytes: &[u8]) -> ReadError {
    read(bytes).expect_err("must be refused")
}

/// How a fixture stores its numbers.
#[derive(Clone, Copy, Debug)]
struct Form {
    mode: Mode,
    codec: Codec,
    endian: Endian,
    wide: bool,
    /// Bytes per compressed block.
    block: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Ascii,
    Inline,
    AppendedRaw,
    AppendedBase64,
}

const PLAIN: Form =
    Form { mode: Mode::Ascii, codec: Codec::None, endian: Endian::Little, wide: false, block: 40 };

fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for mode in [Mode::Ascii, Mode::Inline, Mode::AppendedRaw, Mode::AppendedBase64] {
        for codec in [Codec::None, Codec::Zlib, Codec::Lz4, Codec::Xz] {
            for endian in [Endian::Little, Endian::Big] {
                for wide in [false, true] {
                    // 32 divides some arrays, so that there is no smaller last block.
                    for block in [32, 40] {
                        forms.push(Form { mode, codec, endian, wide, block });
                    }
                }
            }
        }
    }
    forms
}

/// Writes a file in any form, independently of the crate's own writer.
struct Fixture {
    form: Form,
    xml: String,
    appended: Vec<u8>,
}

impl Fixture {
    fn new(form: Form) -> Self {
        let order = if form.endian == Endian::Big { "BigEndian" } else { "LittleEndian" };
        let header = if form.wide { "UInt64" } else { "UInt32" };
        let compressor = match form.codec {
            Codec::None => "",
            Codec::Zlib => "compressor=\"vtkZLibDataCompressor\"",
            Codec::Lz4 => "compressor=\"vtkLZ4DataCompressor\"",
            Codec::Xz => "compressor=\"vtkLZMADataCompressor\"",
        };
        let xml = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"{order}\" header_type=\"{header}\" {compressor}>\n<UnstructuredGrid>\n"
        );
        Self { form, xml, appended: Vec::new() }
    }

    fn xml(&mut self, xml: &str) {
        self.xml.push_str(xml);
    }

    fn order(&self, mut little: Vec<u8>, width: usize) -> Vec<u8> {
        if self.form.endian == Endian::Big {
            little.chunks_mut(width).for_each(<[u8]>::reverse);
        }
        little
    }

    fn header(&self, values: &[usize]) -> Vec<u8> {
        let width = if self.form.wide { 8 } else { 4 };
        let little = values.iter().flat_map(|&v| (v as u64).to_le_bytes()[..width].to_vec());
        self.order(little.collect(), width)
    }

    /// The header and the data, which VTK pads separately in base64 when compressed.
    fn packed(&self, raw: &[u8]) -> [Vec<u8>; 2] {
        let compress = |block: &[u8]| match self.form.codec {
            Codec::None => unreachable!(),
            Codec::Zlib => {
                let mut e = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
                e.write_all(block).unwrap();
                e.finish().unwrap()
            }
            Codec::Lz4 => lz4_flex::block::compress(block),
            Codec::Xz => {
                let options = lzma_rust2::XzOptions::with_preset(1);
                let mut e = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
                e.write_all(block).unwrap();
                e.finish().unwrap()
            }
        };
        if self.form.codec == Codec::None {
            return [[self.header(&[raw.len()]), raw.to_vec()].concat(), Vec::new()];
        }
        let blocks: Vec<Vec<u8>> = raw.chunks(self.form.block).map(compress).collect();
        let mut header = vec![blocks.len(), self.form.block, raw.len() % self.form.block];
        header.extend(blocks.iter().map(Vec::len));
        [self.header(&header), blocks.concat()]
    }

    fn array(&mut self, kind: &str, width: usize, attributes: &str, text: &str, little: Vec<u8>) {
        let raw = self.order(little, width);
        let parts = self.packed(&raw);
        let base64 = || parts.iter().map(|p| STANDARD.encode(p)).collect::<String>();
        let tag = format!("<DataArray type=\"{kind}\" {attributes}");
        let element = match self.form.mode {
            Mode::Ascii => format!("{tag} format=\"ascii\">\n{text}\n</DataArray>\n"),
            Mode::Inline => format!("{tag} format=\"binary\">\n  {}\n</DataArray>\n", base64()),
            Mode::AppendedRaw | Mode::AppendedBase64 => {
                format!("{tag} format=\"appended\" offset=\"{}\"/>\n", self.appended.len())
            }
        };
        match self.form.mode {
            Mode::AppendedRaw => self.appended.extend(parts.concat()),
            Mode::AppendedBase64 => self.appended.extend(base64().bytes()),
            _ => {}
        }
        self.xml(&element);
    }

    fn finish(mut self) -> Vec<u8> {
        self.xml("</UnstructuredGrid>\n");
        let encoding = match self.form.mode {
            Mode::AppendedRaw => "raw",
            Mode::AppendedBase64 => "base64",
            _ => return format!("{}</VTKFile>\n", self.xml).into_bytes(),
        };
        self.xml(&format!("<AppendedData encoding=\"{encoding}\">\n   _"));
        [self.xml.as_bytes(), &self.appended, b"\n</AppendedData>\n</VTKFile>\n"].concat()
    }
}

macro_rules! numbers {
    ($file:expr, $kind:expr, $type:ty, $attributes:expr, $values:expr) => {{
        let values: &[$type] = &$values;
        let text = values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        $file.array($kind, size_of::<$type>(), $attributes, &text, bytes);
    }};
}

/// A hexahedron and a triangle below it, with arrays of every type.
fn small(form: Form) -> Vec<u8> {
    let mut f = Fixture::new(form);
    f.xml("<Piece NumberOfPoints=\"9\" NumberOfCells=\"2\">\n<PointData>\n");
    numbers!(f, "Float32", f32, "Name=\"T\"", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, -0.9]);
    numbers!(f, "Int64", i64, "Name=\"id\" NumberOfComponents=\"1\"", [-4, 3, 2, 1, 0, 1, 2, 3, 4]);
    numbers!(f, "UInt8", u8, "Name=\"a&amp;b\" NumberOfComponents=\"2\"", [7u8; 18]);
    f.xml("</PointData>\n<CellData>\n");
    numbers!(f, "Int8", i8, "Name=\"i8\"", [-1, 2]);
    numbers!(f, "Int16", i16, "Name=\"i16\"", [-300, 2]);
    numbers!(f, "UInt16", u16, "Name=\"u16\"", [65535, 2]);
    numbers!(f, "Int32", i32, "Name=\"i32\"", [-70000, 2]);
    numbers!(f, "UInt32", u32, "Name=\"u32\"", [4000000000, 2]);
    numbers!(f, "UInt64", u64, "Name=\"u64\"", [1 << 40, 2]);
    numbers!(f, "Float64", f64, "Name=\"v\" NumberOfComponents=\"3\"", [0.1, 2., 3., 4., 5., 6.]);
    f.xml("</CellData>\n<Points>\n");
    let points: [f64; 27] = [
        0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 0., 0., 1., 1., 0., 1., 1., 1., 1., 0., 1.,
        1., 0.5, 0.5, -1.,
    ];
    numbers!(f, "Float64", f64, "Name=\"Points\" NumberOfComponents=\"3\"", points);
    f.xml("</Points>\n<Cells>\n");
    numbers!(f, "Int32", i32, "Name=\"connectivity\"", [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 8]);
    numbers!(f, "Int64", i64, "Name=\"offsets\"", [8, 11]);
    numbers!(f, "UInt8", u8, "Name=\"types\"", [12, 5]);
    f.xml("</Cells>\n</Piece>\n");
    f.finish()
}

#[test]
fn every_form_holds_the_same() {
    let (mesh, warnings) = read(&small(PLAIN)).unwrap();
    assert_eq!(mesh.points[8], [0.5, 0.5, -1.0]);
    assert_eq!((mesh.tets.len(), &mesh.triangles[..]), (6, &[[0, 1, 8]][..]));
    assert!((mesh.volume() - 1.0).abs() < 1e-12);
    assert_eq!(mesh.point_array("T").unwrap().values[0], f64::from(0.1f32));
    assert_eq!(mesh.point_array("id").unwrap().values[0], -4.0);
    assert_eq!(mesh.point_array("a&b").unwrap().components, 2);
    let first: Vec<f64> = mesh.tet_data.iter().map(|a| a.values[0]).collect();
    let integers = [-1.0, -300.0, 65535.0, -70000.0, 4e9, (1u64 << 40) as f64, 0.1];
    assert_eq!(first, integers);
    assert_eq!(mesh.triangle_data.last().unwrap().values, [4.0, 5.0, 6.0]);
    assert_eq!(warnings, ["1 cells were split into tetrahedra or triangles"]);
    for form in forms() {
        let found = read(&small(form)).unwrap_or_else(|e| panic!("{form:?}: {e}")).0;
        assert!(found == mesh, "{form:?}");
    }
}

#[test]
fn pieces_become_one_mesh_and_no_array_is_lost() {
    let mut f = Fixture::new(PLAIN);
    for (piece, extra) in [(0, false), (1, true)] {
        f.xml("<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<PointData>\n");
        numbers!(f, "Int32", i32, "Name=\"p\"", [piece; 4]);
        numbers!(f, "Int32", i32, "Name=\"p\"", [piece + 10; 4]);
        f.xml("</PointData>\n<CellData>\n");
        if extra {
            numbers!(f, "Int32", i32, "Name=\"late\"", [5]);
        }
        f.xml("</CellData>\n<Points>\n");
        numbers!(
            f,
            "Float32",
            f32,
            "NumberOfComponents=\"3\"",
            [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]
        );
        f.xml("</Points>\n<Cells>\n");
        numbers!(f, "Int32", i32, "Name=\"connectivity\"", [0, 1, 2, 3]);
        numbers!(f, "Int32", i32, "Name=\"offsets\"", [4]);
        numbers!(f, "UInt8", u8, "Name=\"types\"", [10]);
        f.xml("</Cells>\n</Piece>\n");
    }
    let (mesh, warnings) = read(&f.finish()).unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(mesh.point_array("p").unwrap().values, [0., 0., 0., 0., 1., 1., 1., 1.]);
    assert_eq!(mesh.point_array("p_2").unwrap().values, [10., 10., 10., 10., 11., 11., 11., 11.]);
    let late = &mesh.tet_array("late").unwrap().values;
    assert!(late[0].is_nan() && late[1] == 5.0);
    assert!(warnings.iter().any(|w| w.contains("\"p_2\"")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("some pieces lack arrays")), "{warnings:?}");
}

/// A cube as polyhedron, in the layout of VTK 9.4 and the one before.
fn polyhedron(new: bool) -> Vec<u8> {
    let mut f = Fixture::new(PLAIN);
    f.xml("<Piece NumberOfPoints=\"8\" NumberOfCells=\"2\">\n<Points>\n");
    let points: Vec<f32> =
        (0..8).flat_map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|x| x as f32)).collect();
    numbers!(f, "Float32", f32, "NumberOfComponents=\"3\"", points);
    f.xml("</Points>\n<Cells>\n");
    numbers!(f, "Int32", i32, "Name=\"connectivity\"", [0, 1, 0, 1, 2, 3, 4, 5, 6, 7]);
    numbers!(f, "Int32", i32, "Name=\"offsets\"", [2, 10]);
    numbers!(f, "UInt8", u8, "Name=\"types\"", [3, 42]);
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    if new {
        numbers!(f, "Int32", i32, "Name=\"face_connectivity\"", faces.concat());
        numbers!(f, "Int32", i32, "Name=\"face_offsets\"", [4, 8, 12, 16, 20, 24]);
        numbers!(f, "Int32", i32, "Name=\"polyhedron_to_faces\"", [0, 1, 2, 3, 4, 5]);
        numbers!(f, "Int32", i32, "Name=\"polyhedron_offsets\"", [0, 6]);
    } else {
        let stream = faces.iter().flat_map(|f| [4, f[0], f[1], f[2], f[3]]);
        let stream: Vec<i32> = std::iter::once(6).chain(stream).collect();
        numbers!(f, "Int32", i32, "Name=\"faces\"", stream);
        numbers!(f, "Int32", i32, "Name=\"faceoffsets\"", [-1, 31]);
    }
    f.xml("</Cells>\n</Piece>\n");
    f.finish()
}

#[test]
fn polyhedra_of_both_layouts() {
    for new in [false, true] {
        let (mesh, _) = read(&polyhedron(new)).unwrap();
        assert!((mesh.volume() - 1.0).abs() < 1e-12);
        assert_eq!(mesh.tets.len(), 6);
    }
}

#[test]
fn information_keys_text_arrays_and_field_data_do_no_harm() {
    let plain = String::from_utf8(small(PLAIN)).unwrap();
    let dressed = plain
        .replace(
            "<UnstructuredGrid>",
            "<UnstructuredGrid><FieldData><DataArray type=\"Float64\" \
            Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">3</DataArray></FieldData>",
        )
        .replace(
            "<CellData>",
            "<CellData><Array type=\"String\" Name=\"label\" format=\"ascii\">97 0</Array>",
        )
        .replace(
            "</DataArray>\n</Points>",
            "<InformationKey name=\"L2\" length=\"1\"><Value index=\"0\">7\
            </Value></InformationKey></DataArray>\n</Points>",
        );
    let (mesh, warnings) = read(dressed.as_bytes()).unwrap();
    assert!(mesh == read(plain.as_bytes()).unwrap().0);
    assert!(warnings.iter().any(|w| w.contains("\"TimeValue\"")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("text array \"label\"")), "{warnings:?}");
}
