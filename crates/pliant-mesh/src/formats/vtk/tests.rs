use crate::formats::Input;
use crate::source::Memory;
use crate::{DataArray, Mesh, Place, ReadError, Result};

mod malformed;

fn read(bytes: &[u8]) -> Result<(Mesh, Vec<String>)> {
    let mut warnings = Vec::new();
    let companions = Memory::default();
    let mut input =
        Input { bytes, name: "test.vtk", companions: &companions, warnings: &mut warnings };
    let mesh = super::read(&mut input)?;
    Ok((mesh, warnings))
}

fn error(bytes: &[u8]) -> ReadError {
    read(bytes).expect_err("must be refused")
}

/// Bytes of a file with a header, text lines and big-endian numbers.
struct File(Vec<u8>);

impl File {
    fn binary(version: &str, dataset: &str) -> Self {
        File(format!("# vtk DataFile Version {version}\nt\nBINARY\nDATASET {dataset}\n").into())
    }

    fn text(mut self, text: &str) -> Self {
        self.0.extend(text.as_bytes());
        self
    }

    fn floats(mut self, values: &[f32]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
        self.text("\n")
    }

    fn ints(mut self, values: &[i32]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
        self.text("\n")
    }

    fn longs(mut self, values: &[i64]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
        self.text("\n")
    }

    fn bytes(mut self, values: &[u8]) -> Self {
        self.0.extend(values);
        self.text("\n")
    }
}

const CORNERS: [f32; 15] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 1.];

/// One tetrahedron, one triangle and a line, in both layouts, with arrays of every sort.
fn small(version: &str) -> Vec<u8> {
    let file = File::binary(version, "UNSTRUCTURED_GRID")
        .text("FIELD FieldData 1\nTIME 1 1 double\n")
        .longs(&[0])
        .text("POINTS 5 float\n")
        .floats(&CORNERS)
        .text("METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1\n\n");
    let file = if version.starts_with('5') {
        file.text("CELLS 4 9\nOFFSETS vtktypeint64\n")
            .longs(&[0, 2, 6, 9])
            .text("CONNECTIVITY vtktypeint64\n")
            .longs(&[0, 4, 0, 1, 2, 3, 1, 2, 4])
    } else {
        file.text("CELLS 3 12\n").ints(&[2, 0, 4, 4, 0, 1, 2, 3, 3, 1, 2, 4])
    };
    file.text("CELL_TYPES 3\n")
        .ints(&[3, 10, 5])
        .text("CELL_DATA 3\nSCALARS part short 1\nLOOKUP_TABLE default\n")
        .bytes(&[0, 7, 0xff, 0xfe, 1, 0])
        .text("COLOR_SCALARS tint 2\n")
        .bytes(&[1, 2, 3, 4, 5, 255])
        .text("FIELD more 2\nlabel 1 3 string\n")
        .bytes(&[0xc1, b'\n', 0xc0, 0x80, 2, b'h', b'i'])
        .text("flag 1 3 bit\n")
        .bytes(&[0b1010_0000])
        .text("METADATA\nINFORMATION 0\n\nPOINT_DATA 5\nSCALARS T double\nLOOKUP_TABLE hot\n")
        .longs(&[1.5f64, -2.0, 0.0, 4.0, 8.0].map(|x| x.to_bits() as i64))
        .text("LOOKUP_TABLE hot 1\n")
        .bytes(&[255, 0, 0, 255])
        .text("VECTORS u%20v float\n")
        .floats(&CORNERS)
        .text("TENSORS s float\n")
        .floats(&[0.5; 45])
        .text("TEXTURE_COORDINATES uv 2 float\n")
        .floats(&[0.25; 10])
        .0
}

#[test]
fn both_binary_layouts_hold_the_same() {
    let (mesh, warnings) = read(&small("3.0")).unwrap();
    assert_eq!(read(&small("5.1")).unwrap().0, mesh);
    assert_eq!(mesh.points[4], [1.0; 3]);
    assert_eq!((&mesh.tets[..], &mesh.triangles[..]), (&[[0, 1, 2, 3]][..], &[[1, 2, 4]][..]));
    let names =
        |a: &[DataArray]| a.iter().map(|a| (a.name.clone(), a.components)).collect::<Vec<_>>();
    let expected = [("T", 1), ("u v", 3), ("s", 9), ("uv", 2)].map(|(n, c)| (n.to_string(), c));
    assert_eq!(names(&mesh.point_data), expected);
    assert_eq!(mesh.point_data[0].values, [1.5, -2.0, 0.0, 4.0, 8.0]);
    assert_eq!(mesh.point_data[1].tuple(4), [1.0; 3]);
    let cells = |a: &[DataArray]| a.iter().map(|a| a.values.clone()).collect::<Vec<_>>();
    assert_eq!(cells(&mesh.tet_data), [vec![-2.0], vec![3.0, 4.0], vec![0.0]]);
    assert_eq!(cells(&mesh.triangle_data), [vec![256.0], vec![5.0, 255.0], vec![1.0]]);
    let text = warnings.join("\n");
    for part in ["\"TIME\"", "\"label\"", "1 vertices and lines were left out"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn polygon_data_with_strips_counts_cells_in_vtk_s_order() {
    let text = b"# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n\
        0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0\n\
        TRIANGLE_STRIPS 1 5\n4 1 4 2 5\nPOLYGONS 2 9\n4 0 1 2 3\n3 0 1 3\nVERTICES 1 2\n1 0\n\
        CELL_DATA 4\nSCALARS id int\nLOOKUP_TABLE default\n10 20 30 40\n\
        POINT_DATA 6\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\n\
        COLOR_SCALARS c 1\n0 1 0.5 0 0 0.2\n";
    let (mesh, _) = read(text).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 4, 2], [2, 4, 5]]);
    assert_eq!(mesh.triangle_data[0].values, [20.0, 20.0, 30.0, 40.0, 40.0]);
    assert_eq!(mesh.point_array("c").unwrap().values, [0.0, 255.0, 128.0, 0.0, 0.0, 51.0]);
}

#[test]
fn quadratic_cells_keep_their_corners_and_wedges_of_both_turns_are_positive() {
    let mut text = String::from(
        "# vtk DataFile Version 4.2\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n\
         0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 .5 0 0 .5 .5 0 0 .5 0 0 0 .5\n\
         CELLS 3 25\n10 0 1 2 3 6 7 8 9 9 9\n6 0 1 2 3 4 5\n6 0 2 1 3 5 4\nCELL_TYPES 3\n24 13 13\n",
    );
    text.push_str("CELL_DATA 3\nSCALARS a int 1\nLOOKUP_TABLE default\n1 2 3\n");
    text.push_str("SCALARS a int 1\nLOOKUP_TABLE default\n4 5 6\n");
    let (mesh, warnings) = read(text.as_bytes()).unwrap();
    assert_eq!(mesh.tets.len(), 1 + 3 + 3);
    assert!((mesh.volume() - (1.0 / 6.0 + 0.5 + 0.5)).abs() < 1e-12);
    assert_eq!(mesh.tet_array("a").unwrap().values, [1., 2., 2., 2., 3., 3., 3.]);
    assert_eq!(mesh.tet_array("a_2").unwrap().values, [4., 5., 5., 5., 6., 6., 6.]);
    let text = warnings.join("\n");
    assert!(text.contains("1 cells of higher order were reduced to their corners"), "{text}");
    assert!(text.contains("2 cells were split"), "{text}");
    assert!(text.contains("\"a_2\""), "{text}");
}
