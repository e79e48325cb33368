//! Damaged and hostile files: an error with a place, never a panic, a hang or a huge allocation.

use proptest::prelude::*;

use super::*;

const TEXT: &str = "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n\
    POINT_DATA 4\nSCALARS a float 1\nLOOKUP_TABLE default\n1 2 3 4\n";

fn replaced(from: &str, to: &str) -> ReadError {
    assert!(TEXT.contains(from));
    error(TEXT.replace(from, to).as_bytes())
}

#[test]
fn errors_name_the_place_and_the_problem() {
    assert_eq!(read(TEXT.as_bytes()).unwrap().0.tets.len(), 1);
    let cases = [
        ("0 1 0 0 0 1", "0 1 x 0 0 1", Place::Line(6), "the points: \"x\" is no number"),
        ("4 0 1 2 3", "4 0 1 2 -3", Place::Line(8), "has the corner -3"),
        ("4 0 1 2 3", "4 0 1 2 7", Place::File, "cell 0 refers to point 7, but there are 4 points"),
        ("CELLS 1 5\n4", "CELLS 1 5\n5", Place::Line(8), "cell 0 runs over their end"),
        ("POINTS 4", "POINTS 5", Place::Line(7), "the points: \"CELLS\" is no number"),
        ("4 float", "4 quaternion", Place::Line(5), "\"quaternion\" is no type of numbers"),
        (
            "CELL_TYPES 1\n10",
            "CELL_TYPES 1\n12",
            Place::File,
            "is a hexahedron with 4 corners, but needs 8",
        ),
        ("POINT_DATA 4", "POINT_DATA 3", Place::Line(11), "but there are 4 points"),
        ("POINT_DATA 4", "PINT_DATA 4", Place::Line(11), "\"PINT_DATA\" is no keyword"),
        ("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", Place::Line(4), "which is not a mesh"),
        ("ASCII", "ASKII", Place::Line(3), "\"ASKII\" where ASCII or BINARY should stand"),
        ("# vtk", "# vdk", Place::Line(1), "does not begin with"),
        ("CELL_TYPES 1\n10\n", "", Place::File, "has no CELL_TYPES section"),
    ];
    for (from, to, place, problem) in cases {
        let e = replaced(from, to);
        assert!(e.problem.contains(problem), "{e}");
        assert_eq!(e.place, place, "{e}");
    }
}

#[test]
fn binary_files_count_bytes() {
    let bytes = small("3.0");
    let e = error(&bytes[..bytes.len() - 3]);
    assert!(
        e.problem.contains("the array \"uv\" needs 10 numbers, but only 38 bytes are left"),
        "{e}"
    );
    assert_eq!(e.place, Place::Byte(bytes.len() - 41));
    let at = bytes.windows(6).position(|w| w == b"POINTS").unwrap();
    let mut broken = bytes.clone();
    broken[at + 7] = b'x';
    let e = error(&broken);
    assert_eq!(e.place, Place::Byte(at + 8), "{e}");
}

#[test]
fn hostile_sizes_are_refused_before_memory_is_taken() {
    for huge in ["1152921504606846976", "99999999999", "2147483648"] {
        for (from, to) in [
            ("POINTS 4", format!("POINTS {huge}")),
            ("CELLS 1 5", format!("CELLS {huge} {huge}")),
            ("CELLS 1 5", format!("CELLS 1 {huge}")),
            ("CELL_TYPES 1", format!("CELL_TYPES {huge}")),
            ("SCALARS a float 1", format!("SCALARS a float {huge}")),
            ("SCALARS a float 1", format!("FIELD f {huge}\na 1 4 float")),
            ("SCALARS a float 1", format!("FIELD f 1\na {huge} {huge} string")),
        ] {
            replaced(from, &to);
            let binary = TEXT.replace("ASCII", "BINARY").replace(from, &to);
            error(binary.as_bytes());
        }
    }
}

#[test]
fn every_prefix_is_an_error_or_a_whole_mesh() {
    for whole in [TEXT.as_bytes().to_vec(), small("3.0"), small("5.1")] {
        let full = read(&whole).unwrap().0;
        for cut in 0..whole.len() {
            // A text cut within its last number reads as another number: nothing can tell.
            let within_a_number = |b: &[u8]| b.iter().all(u8::is_ascii_digit);
            let harmless = cut > 0 && within_a_number(&whole[cut - 1..=cut]);
            if let Ok((mesh, _)) = read(&whole[..cut])
                && !harmless
            {
                // Cutting between sections leaves a mesh that is whole but for arrays.
                assert_eq!((mesh.points, mesh.tets), (full.points.clone(), full.tets.clone()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn flipped_bytes_never_panic(flips in prop::collection::vec((0..4000usize, any::<u8>()), 1..6), new in any::<bool>()) {
        let mut bytes = small(if new { "5.1" } else { "3.0" });
        for (at, value) in flips {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = read(&bytes);
    }

    #[test]
    fn flipped_text_never_panics(flips in prop::collection::vec((0..4000usize, 32..127u8), 1..6)) {
        let mut bytes = TEXT.as_bytes().to_vec();
        for (at, value) in flips {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = read(&bytes);
    }
}
