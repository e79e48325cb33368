//! What the reader makes of sound files.

use crate::formats::Format;
use crate::formats::test_meshes::{read_alone, sample, sample_with_facts};
use crate::{Domain, Mesh};

pub(super) fn read(text: &str) -> (Mesh, Vec<String>) {
    read_alone(Format::Gmsh, text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn samples_match_their_facts() {
    for file in [
        "tet/liver.msh",
        "tet/bar-2523.msh",
        "tet/torus_low_res.msh",
        "tet/cylinder_truth.msh",
        "formats/gmsh_cube_22_ascii.msh",
        "formats/gmsh_cube_22_binary.msh",
        "formats/gmsh_cube_41_ascii.msh",
        "formats/gmsh_cube_41_binary.msh",
        "surface/tshirt.msh",
        "defects/6_tetra_bad.msh",
    ] {
        let Some((_, warnings)) = sample_with_facts(Format::Gmsh, file) else { return };
        assert_eq!(warnings, [""; 0], "{file}");
    }
}

#[test]
fn four_dialects_give_the_same_cube() {
    let cube = |dialect: &str| sample(Format::Gmsh, &format!("formats/gmsh_cube_{dialect}.msh"));
    let Some((first, _)) = cube("22_ascii") else { return };
    assert_eq!(first.tet_array("entity").unwrap().values, [1.0; 24]);
    for dialect in ["22_binary", "41_ascii", "41_binary"] {
        assert_eq!(cube(dialect).unwrap().0, first, "{dialect}");
    }
}

#[test]
fn the_liver_is_the_same_as_its_tetgen_twin() {
    let Some((gmsh, _)) = sample(Format::Gmsh, "tet/liver.msh") else { return };
    let (tetgen, _) = sample(Format::TetGen, "tet/liver.node").unwrap();
    assert_eq!((gmsh.points, gmsh.tets), (tetgen.points, tetgen.tets));
}

#[test]
fn version_1_regions_become_groups() {
    let Some((mesh, _)) = sample(Format::Gmsh, "tet/cylinder_truth.msh") else { return };
    let size = |name, domain| mesh.group(name, domain).map(|g| g.members.len());
    // Counted with awk over the element lines.
    assert_eq!(size("physical_1", Domain::Triangles), Some(70));
    assert_eq!(size("physical_2", Domain::Triangles), Some(564));
    assert_eq!(size("physical_3", Domain::Triangles), Some(72));
    assert_eq!(size("physical_2", Domain::Tets), Some(2524));
    assert_eq!(mesh.groups.len(), 4);
    let Some((shirt, _)) = sample(Format::Gmsh, "surface/tshirt.msh") else { return };
    assert_eq!(shirt.triangles.len(), 4265);
}

const EVERYTHING: &str = "\
$MeshFormat
2.2 0 8
$EndMeshFormat
$Comments
anything $ at all
$EndComments
$PhysicalNames
4
0 9 \"fixed\"
1 8 \"seam\"
2 7 \"skin of it\"
3 6 \"inside\"
$EndPhysicalNames
$Nodes
5
100 0 0 0
7 1 0 0
3 0 1.0D0 0
4 0 0 1
1000000 1 1 1
$EndNodes
$Elements
5
1 15 2 9 1 7
2 1 2 8 1 7 3
3 2 2 -7 4 100 3 7
10 4 2 6 5 100 7 3 4
12 4 3 0 5 1 7 3 4 1000000
$EndElements
$NodeData
1
\"speed\"
1
0.5
3
0
3
5
4 1 2 3
100 4 5 6
7 7 8 9
3 0 0 0
1000000 -1 0 1e-3
$EndNodeData
$ElementData
1
\"stiffness\"
0
3
0
1
3
10 5.5
12 6.5
3 7.5
$EndElementData
";

#[test]
fn tags_names_and_data_arrive() {
    let (mesh, warnings) = read(EVERYTHING);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.triangles, [[0, 2, 1]]);
    assert_eq!(mesh.points[2], [0.0, 1.0, 0.0]);
    let members = |name, domain| mesh.group(name, domain).unwrap().members.clone();
    assert_eq!(members("fixed", Domain::Points), [1]);
    assert_eq!(members("skin of it", Domain::Triangles), [0]);
    assert_eq!(members("inside", Domain::Tets), [0]);
    assert_eq!(mesh.groups.len(), 3, "lines have no groups");
    let speed = mesh.point_array("speed").unwrap();
    assert_eq!(speed.components, 3);
    assert_eq!((speed.tuple(0), speed.tuple(4)), (&[4.0, 5.0, 6.0][..], &[-1.0, 0.0, 1e-3][..]));
    assert_eq!(mesh.tet_array("stiffness").unwrap().values, [5.5, 6.5]);
    assert_eq!(mesh.tet_array("physical").unwrap().values, [6.0, 0.0]);
    assert_eq!(mesh.tet_array("entity").unwrap().values, [5.0, 5.0]);
    let on_triangles: Vec<_> = mesh.triangle_data.iter().map(|a| (&*a.name, a.values[0])).collect();
    assert_eq!(on_triangles, [("stiffness", 7.5), ("physical", 7.0), ("entity", 4.0)]);
}

#[test]
fn values_that_are_missing_are_nan_and_told() {
    let text =
        EVERYTHING.replace("0\n1\n3\n10 5.5\n", "0\n1\n2\n").replace("3\n5\n4 1 2 3\n", "3\n4\n");
    let (mesh, warnings) = read(&text);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("\"speed\" has no values for 1 points"), "{warnings:?}");
    assert!(warnings[1].contains("\"stiffness\" has no values for 1 tetrahedra"), "{warnings:?}");
    assert!(mesh.point_array("speed").unwrap().tuple(3).iter().all(|v| v.is_nan()));
    let stiffness = &mesh.tet_array("stiffness").unwrap().values;
    assert!(stiffness[0].is_nan() && stiffness[1] == 6.5);
}

#[test]
fn parts_of_an_array_are_joined_and_time_steps_kept_apart() {
    let data = |step: u32, rows: &str| {
        let count = rows.lines().count();
        format!("$ElementData\n1\n\"s\"\n0\n3\n{step}\n1\n{count}\n{rows}$EndElementData\n")
    };
    let base = &EVERYTHING[..EVERYTHING.find("$NodeData").unwrap()];
    let text = format!(
        "{base}{}{}{}{}",
        data(0, "10 1\n"),
        data(0, "12 2\n"),
        data(4, "10 3\n"),
        data(4, "12 4\n")
    );
    let (mesh, warnings) = read(&text);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(mesh.tet_array("s").unwrap().values, [1.0, 2.0]);
    assert_eq!(mesh.tet_array("s (step 4)").unwrap().values, [3.0, 4.0]);
}

/// A mesh file of version 2.2 over the corners of the unit cube and one point above.
fn cube_file(elements: &str) -> String {
    let mut text = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n");
    let corners =
        ["0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1", ".5 .5 2"];
    for (i, corner) in corners.iter().enumerate() {
        text += &format!("{} {corner}\n", i + 1);
    }
    let count = elements.lines().count();
    text + &format!("$EndNodes\n$Elements\n{count}\n{elements}$EndElements\n")
}

#[test]
fn other_cells_are_split_and_fill_the_same_volume() {
    let (mesh, warnings) = read(&cube_file("1 5 0 1 2 3 4 5 6 7 8\n"));
    assert!((mesh.volume() - 1.0).abs() < 1e-15);
    assert!(warnings[0].starts_with("1 quadrilaterals, hexahedra"), "{warnings:?}");
    let (mesh, _) = read(&cube_file("1 7 2 3 4 5 6 7 8 9\n2 6 0 1 2 3 5 6 7\n3 3 0 1 2 3 4\n"));
    assert!((mesh.volume() - (1.0 / 3.0 + 0.5)).abs() < 1e-15);
    assert_eq!(mesh.triangles.len(), 2);
    // All parts of the pyramid carry its tags; the prism has none.
    let physical = &mesh.tet_array("physical").unwrap().values;
    assert_eq!(physical.iter().filter(|v| **v == 3.0).count(), 2);
    assert_eq!(mesh.group("physical_3", Domain::Tets).unwrap().members.len(), 2);
}

#[test]
fn elements_listed_once_per_group_are_joined() {
    // Gmsh writes versions 1 and 2 like this when groups overlap.
    let text =
        cube_file("1 4 2 7 1 1 2 4 5\n2 4 2 7 1 2 3 4 7\n3 4 2 8 1 1 2 4 5\n4 2 2 7 1 1 2 3\n");
    let (mesh, warnings) = read(&text);
    assert_eq!(mesh.tets, [[0, 1, 3, 4], [1, 2, 3, 6]]);
    assert_eq!(mesh.group("physical_7", Domain::Tets).unwrap().members, [0, 1]);
    assert_eq!(mesh.group("physical_8", Domain::Tets).unwrap().members, [0]);
    assert_eq!(mesh.tet_array("physical").unwrap().values, [7.0, 7.0]);
    assert!(
        warnings[0].starts_with("1 triangles and tetrahedra that are listed again"),
        "{warnings:?}"
    );
    // Twice in the same group is a defect of the mesh, which stays visible.
    let (mesh, warnings) = read(&text.replace("3 4 2 8", "3 4 2 7"));
    assert_eq!((mesh.tets.len(), warnings.len()), (3, 0));
}

#[test]
fn higher_order_is_reduced_with_one_warning() {
    let text = cube_file("1 11 0 1 2 4 5 3 3 3 3 3 3\n2 9 0 1 2 3 4 5 6\n3 8 0 1 2 3\n");
    let (mesh, warnings) = read(&text);
    assert_eq!((mesh.tets, mesh.triangles), (vec![[0, 1, 3, 4]], vec![[0, 1, 2]]));
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("2 elements of higher order were reduced"), "{warnings:?}");
}

#[test]
fn version_4_entities_carry_several_groups_and_parameters() {
    let (mesh, _) = read(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n\
         $PhysicalNames\n2\n3 1 \"a\"\n3 5 \"b\"\n$EndPhysicalNames\n\
         $Entities\n1 1 1 2\n\
         1 0 0 0 1 3\n\
         1 0 0 0 1 1 1 0 2 1 -1\n\
         2 0 0 0 1 1 1 0 1 1\n\
         7 0 0 0 1 1 1 2 1 -5 1 2\n\
         8 0 0 0 1 1 1 0 0\n$EndEntities\n\
         $Nodes\n2 5 1 9\n2 2 1 2\n9\n1\n0 0 0 .1 .2\n1 0 0 .3 .4\n3 7 0 3\n2\n3\n4\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n\
         $Elements\n3 3 1 3\n0 1 15 1\n1 2\n3 7 4 1\n2 9 1 2 3\n3 8 4 1\n3 1 2 3 4\n$EndElements\n",
    );
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.points[1], [1.0, 0.0, 0.0]);
    assert_eq!(mesh.group("a", Domain::Tets).unwrap().members, [0]);
    assert_eq!(mesh.group("b", Domain::Tets).unwrap().members, [0]);
    assert_eq!(mesh.group("physical_3", Domain::Points).unwrap().members, [2]);
    assert_eq!(mesh.tet_array("entity").unwrap().values, [7.0, 8.0]);
}

#[test]
fn pieces_of_partitioned_entities_keep_their_groups() {
    let (mesh, _) = read(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n\
         $Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n\
         $PartitionedEntities\n2\n1\n9 1\n1 0 0 2\n\
         1 3 1 2 1 2 0 0 0 0\n\
         2 3 1 1 1 0 0 0 1 1 1 1 5 0\n\
         3 3 1 1 2 0 0 0 1 1 1 1 5 2 7 -8\n$EndPartitionedEntities\n\
         $Nodes\n1 5 1 5\n3 2 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n\
         $Elements\n2 2 1 2\n3 2 4 1\n1 1 2 3 4\n3 3 4 1\n2 2 3 4 5\n$EndElements\n",
    );
    assert_eq!(mesh.group("physical_5", Domain::Tets).unwrap().members, [0, 1]);
    assert_eq!(mesh.tet_array("entity").unwrap().values, [2.0, 3.0]);
}

#[test]
fn nodes_with_parameters_of_version_2_are_read() {
    let (mesh, _) = read(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n4\n1 0 0 0 0 9\n2 1 0 0 1 23 0.5\n\
         3 0 1 0 2 9 0.7 0.2\n4 0 0 1 3 3\n$EndParametricNodes\n\
         $Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
    );
    assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn version_4_0_is_read() {
    let (mesh, _) = read(
        "$MeshFormat\n4 0 8\n$EndMeshFormat\n\
         $Entities\n1 0 0 1\n1 0 0 0 0 0 0 0\n7 0 0 0 1 1 1 1 5 0\n$EndEntities\n\
         $Nodes\n1 4\n7 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n\
         $Elements\n1 1\n7 3 4 1\n1 1 2 3 9\n$EndElements\n",
    );
    assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
    assert_eq!(mesh.group("physical_5", Domain::Tets).unwrap().members, [0]);
}

/// Builds binary files in either byte order.
struct Binary {
    bytes: Vec<u8>,
    big: bool,
}

impl Binary {
    fn put<const N: usize>(&mut self, little: [u8; N]) {
        let mut bytes = little;
        if self.big {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self
    }

    fn ints(&mut self, values: &[i32]) -> &mut Self {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
        self
    }

    fn sizes(&mut self, values: &[u64], wide: bool) -> &mut Self {
        for v in values {
            if wide { self.put(v.to_le_bytes()) } else { self.put((*v as u32).to_le_bytes()) }
        }
        self
    }

    fn floats(&mut self, values: &[f64]) -> &mut Self {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
        self
    }
}

/// The mesh of [`EVERYTHING`] without its points and lines, in binary.
fn binary_22(big: bool) -> Vec<u8> {
    let mut b = Binary { bytes: Vec::new(), big };
    b.text("$MeshFormat\n2.2 1 8\n").ints(&[1]).text("\n$EndMeshFormat\n$Nodes\n5\n");
    for (n, p) in [
        (100, [0.0, 0.0, 0.0]),
        (7, [1.0, 0.0, 0.0]),
        (3, [0.0, 1.0, 0.0]),
        (4, [0.0, 0.0, 1.0]),
        (1_000_000, [1.0, 1.0, 1.0]),
    ] {
        b.ints(&[n]).floats(&p);
    }
    b.text("\n$EndNodes\n$Elements\n3\n");
    b.ints(&[2, 1, 2, 3, 7, 4, 100, 3, 7]);
    b.ints(&[4, 2, 2, 10, 6, 5, 100, 7, 3, 4, 12, 0, 5, 7, 3, 4, 1_000_000]);
    b.text("\n$EndElements\n$ElementData\n1\n\"stiffness\"\n0\n3\n0\n1\n3\n");
    for (n, v) in [(10, 5.5), (12, 6.5), (3, 7.5)] {
        b.ints(&[n]).floats(&[v]);
    }
    b.text("\n$EndElementData\n");
    b.bytes
}

fn binary_41(big: bool, wide: bool) -> Vec<u8> {
    let mut b = Binary { bytes: Vec::new(), big };
    b.text(if wide { "$MeshFormat\n4.1 1 8\n" } else { "$MeshFormat\n4.1 1 4\n" }).ints(&[1]);
    b.text("\n$EndMeshFormat\n$Entities\n").sizes(&[0, 0, 1, 1], wide);
    b.ints(&[4]).floats(&[0.0; 6]).sizes(&[1], wide).ints(&[7]).sizes(&[0], wide);
    b.ints(&[5]).floats(&[0.0; 6]).sizes(&[1], wide).ints(&[6]).sizes(&[1], wide).ints(&[4]);
    b.text("\n$EndEntities\n$Nodes\n").sizes(&[1, 4, 3, 100], wide).ints(&[3, 5, 0]);
    b.sizes(&[4, 100, 7, 3, 4], wide);
    b.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    b.text("\n$EndNodes\n$Elements\n").sizes(&[2, 2, 3, 10], wide);
    b.ints(&[2, 4, 2]).sizes(&[1, 3, 100, 3, 7], wide);
    b.ints(&[3, 5, 4]).sizes(&[1, 10, 100, 7, 3, 4], wide).text("\n$EndElements\n");
    b.bytes
}

#[test]
fn binary_in_both_byte_orders() {
    let (text, _) = read(EVERYTHING);
    for big in [false, true] {
        let (mesh, warnings) = read_alone(Format::Gmsh, &binary_22(big)).unwrap();
        assert_eq!(warnings, [""; 0]);
        assert_eq!((&mesh.points, &mesh.tets), (&text.points, &text.tets));
        assert_eq!((&mesh.tet_data, &mesh.triangle_data), (&text.tet_data, &text.triangle_data));
        for wide in [false, true] {
            let (mesh, _) = read_alone(Format::Gmsh, &binary_41(big, wide)).unwrap();
            assert_eq!((mesh.points.len(), &mesh.tets), (4, &vec![[0, 1, 2, 3]]));
            assert_eq!(mesh.triangles, [[0, 2, 1]]);
            assert_eq!(mesh.group("physical_7", Domain::Triangles).unwrap().members, [0]);
            assert_eq!(mesh.tet_array("physical").unwrap().values, [6.0]);
        }
    }
}

#[test]
fn damaged_binaries_never_panic() {
    use crate::formats::test_meshes::survives_damage;
    for bytes in [binary_22(true), binary_41(false, true), EVERYTHING.as_bytes().to_vec()] {
        survives_damage(&bytes, |bytes| {
            let _ = read_alone(Format::Gmsh, bytes);
        });
    }
}
