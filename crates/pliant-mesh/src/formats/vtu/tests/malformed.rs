//! Damaged and hostile files: an error with a place, never a panic, a hang or a huge allocation.

use std::sync::LazyLock;

use super::*;

fn replaced(form: Form, from: &str, to: &str) -> ReadError {
    let text = String::from_utf8(small(form)).unwrap();
    assert!(text.contains(from), "{text}");
    error(text.replacen(from, to, 1).as_bytes())
}

#[test]
fn errors_name_the_line_and_the_problem() {
    let cases = [
        ("-4 3 2", "-4 x 2", Place::Line(10), "the array \"id\": \"x\" is no number"),
        ("-4 3 2", "-4 2", Place::Line(9), "the array \"id\": holds 8 numbers, but 9 are due"),
        (
            "0 1 2 3 4 5 6 7",
            "0 1 2 3 4 5 6 9",
            Place::Line(4),
            "cell 0 refers to point 9, but the piece has 9",
        ),
        (
            "\n8 11\n",
            "\n8 7\n",
            Place::Line(4),
            "entry 1 of \"offsets\" is 7, less than the one before",
        ),
        (
            "\n8 11\n",
            "\n8 12\n",
            Place::Line(45),
            "the array \"connectivity\": holds 11 numbers, but 12",
        ),
        ("\n12 5\n", "\n12 9\n", Place::File, "cell 1 is a quad with 3 corners, but needs 4"),
        ("\"Int16\"", "\"Int24\"", Place::Line(20), "has the unknown type \"Int24\""),
        (
            "NumberOfCells=\"2\"",
            "NumberOfCells=\"-2\"",
            Place::Line(4),
            "NumberOfCells is \"-2\", which is no count",
        ),
        ("NumberOfCells=\"2\"", "", Place::Line(4), "the piece lacks NumberOfCells"),
        ("Name=\"types\"", "Name=\"kinds\"", Place::Line(4), "the piece has no \"types\" array"),
        (
            "\"LittleEndian\"",
            "\"MiddleEndian\"",
            Place::Line(2),
            "byte_order \"MiddleEndian\" is unknown",
        ),
        (
            "\"UnstructuredGrid\"",
            "\"ImageData\"",
            Place::Line(2),
            "holds the data set \"ImageData\"",
        ),
        ("</PointData>", "</PintData>", Place::Line(15), "the XML is damaged"),
        (
            "<VTKFile",
            "<html><VTKFile",
            Place::Line(2),
            "begins with the element \"html\" instead of VTKFile",
        ),
        ("</VTKFile>", "", Place::Line(58), "the file ends before </VTKFile>"),
    ];
    for (from, to, place, problem) in cases {
        let e = replaced(PLAIN, from, to);
        assert!(e.problem.contains(problem), "{e}");
        assert_eq!(e.place, place, "{e}");
    }
    let inline = Form { mode: Mode::Inline, ..PLAIN };
    let e = replaced(inline, "\"Int16\"", "\"Int32\"");
    assert!(e.problem.contains("the array \"i16\": holds 4 bytes, but 8 are due"), "{e}");
    let appended = Form { mode: Mode::AppendedBase64, ..PLAIN };
    let e = replaced(appended, "offset=\"0\"", "offset=\"999999\"");
    assert!(e.problem.contains("begins at byte 999999 of"), "{e}");
    let zlib = Form { codec: Codec::Zlib, ..inline };
    let e = replaced(zlib, "vtkZLibDataCompressor", "vtkLZMADataCompressor");
    assert!(e.problem.contains("block 0 is damaged"), "{e}");
    let e = replaced(zlib, "vtkZLibDataCompressor", "vtkZstdDataCompressor");
    assert!(e.problem.contains("\"vtkZstdDataCompressor\" is unknown"), "{e}");
}

/// One piece whose points are inline base64 `data`.
fn points_only(codec: &str, points: u64, data: &[u8]) -> Vec<u8> {
    format!(
        "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" compressor=\"{codec}\">\
         <UnstructuredGrid><Piece NumberOfPoints=\"{points}\" NumberOfCells=\"0\"><Points>\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">{}</DataArray>\
         </Points></Piece></UnstructuredGrid></VTKFile>",
        STANDARD.encode(data)
    )
    .into_bytes()
}

#[test]
fn hostile_sizes_are_refused_before_memory_is_taken() {
    let header = |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    for codec in ["", "vtkZLibDataCompressor", "vtkLZ4DataCompressor", "vtkLZMADataCompressor"] {
        for points in [4, 1 << 30, 1 << 40, 1 << 59, u64::MAX] {
            let due = points.wrapping_mul(24);
            for blocks in [
                vec![1 << 60, 32768, 0],
                vec![u64::MAX, u64::MAX, u64::MAX],
                vec![1, due, 0, 8],
                vec![2, due / 2, due / 2, 4, 4],
                vec![due / 24, 24, 0, 1, 1],
                vec![due],
                vec![1, due, 0, u64::MAX],
            ] {
                let e = error(&points_only(codec, points, &header(&blocks)));
                assert!(matches!(e.place, Place::Line(1)), "{e}");
            }
        }
    }
    let e = error(&points_only("vtkZLibDataCompressor", 1 << 30, &header(&[1, 24 << 30, 0, 8])));
    assert!(e.problem.contains("far more memory than a file of this size"), "{e}");
    let e = error(&points_only("vtkZLibDataCompressor", 4, &header(&[1 << 60, 32768, 0])));
    assert!(e.problem.contains("bytes, but 96 are due"), "{e}");
}

#[test]
fn a_block_that_unpacks_to_more_than_it_claims_is_stopped() {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
    encoder.write_all(&vec![0; 10 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    let header =
        [1, 96, 0, bomb.len() as u64].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let e = error(&points_only("vtkZLibDataCompressor", 4, &[header, bomb].concat()));
    assert!(e.problem.contains("block 0 unpacks to more than the 96 bytes it claims"), "{e}");
}

#[test]
fn an_xz_dictionary_of_four_gigabytes_is_refused() {
    let options = lzma_rust2::XzOptions::with_preset(0);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(&[0; 96]).unwrap();
    let mut data = encoder.finish().unwrap();
    // Block header at byte 12: size, flags, LZMA2 (0x21), its property size, the dictionary size.
    assert_eq!(data[14..16], [0x21, 1]);
    data[16] = 40;
    let crc = crc32(&data[12..20]).to_le_bytes();
    data[20..24].copy_from_slice(&crc);
    let header =
        [1, 96, 0, data.len() as u64].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let e = error(&points_only("vtkLZMADataCompressor", 4, &[header, data].concat()));
    assert!(e.problem.contains("block 0 is damaged: needed memory too big"), "{e}");
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn bombs_of_xml_are_refused() {
    let entities = "<?xml version=\"1.0\"?>\n<!DOCTYPE b [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<VTKFile/>";
    let e = error(entities.as_bytes());
    assert!(e.place == Place::Line(2) || e.place == Place::Line(1), "{e}");
    assert!(e.problem.contains("DOCTYPE"), "{e}");
    let e = replaced(PLAIN, "-4 3 2", "-4 &b; 2");
    assert!(e.problem.contains("an entity stands where numbers should"), "{e}");
    let e = replaced(PLAIN, "Name=\"T\"", "Name=\"&b;\"");
    assert!(e.problem.contains("attribute \"Name\""), "{e}");
    let deep = format!("<VTKFile type=\"UnstructuredGrid\">{}", "<a>".repeat(100_000));
    let e = error(deep.as_bytes());
    assert!(e.problem.contains("nested more than 64 deep"), "{e}");
}

#[test]
fn many_arrays_that_share_appended_data_are_bounded() {
    let data = STANDARD.encode([&(8u64 << 13).to_le_bytes()[..], &vec![0; 8 << 13]].concat());
    let tag = "<DataArray type=\"Float64\" Name=\"a\" format=\"appended\" offset=\"0\"/>\n";
    let file = format!(
        "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\"><UnstructuredGrid>\
         <Piece NumberOfPoints=\"{}\" NumberOfCells=\"0\"><Points>{}</Points><PointData>{}</PointData>\
         </Piece></UnstructuredGrid><AppendedData encoding=\"base64\">_{data}</AppendedData></VTKFile>",
        1 << 13,
        "",
        tag.repeat(5_000)
    );
    // Without points the file is wrong anyway; the arrays alone would take 330 MB and their base64 as much again.
    assert!(error(file.as_bytes()).problem.contains("no Points array"));
    let with_points = file
        .replace(
            "<Points>",
            "<Points><DataArray type=\"Float64\" format=\"ascii\" \
        NumberOfComponents=\"3\">",
        )
        .replace("</Points>", &format!("{}</DataArray></Points>", "0 0 0 ".repeat(1 << 13)));
    let e = error(with_points.as_bytes());
    assert!(e.problem.contains("far more memory than a file of this size"), "{e}");
}

#[test]
fn every_prefix_is_an_error_or_a_whole_mesh() {
    let mut whole_forms = 0;
    for form in
        forms().into_iter().filter(|f| f.block == 40 && f.endian == Endian::Little && !f.wide)
    {
        let whole = small(form);
        let full = read(&whole).unwrap().0;
        for cut in 0..whole.len() {
            if let Ok((mesh, _)) = read(&whole[..cut]) {
                // Only what follows the last number may be missing.
                assert!(mesh == full, "{form:?} {cut}");
                assert!(whole.len() - cut < 40, "{form:?} {cut}");
            }
        }
        whole_forms += 1;
    }
    assert_eq!(whole_forms, 16);
}

/// Files to damage, made once: packing takes longer than reading.
static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let polyhedra = [false, true].map(polyhedron);
    forms().into_iter().map(small).chain(polyhedra).collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn flipped_bytes_never_panic(
        flips in prop::collection::vec((0..10_000usize, any::<u8>()), 1..6),
        sample in 0..130usize,
    ) {
        let mut bytes = SAMPLES[sample].clone();
        for (at, value) in flips {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = read(&bytes);
    }
}
