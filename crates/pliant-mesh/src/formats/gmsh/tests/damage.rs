//! Files that must be refused, and with which words.

use crate::Place;
use crate::formats::Format;
use crate::formats::test_meshes::{read_alone, sample_bytes, survives_damage};

const HEAD: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const NODES: &str = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
const HEAD_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const NODES_4: &str =
    "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n";

fn refused(text: &str, line: usize, words: &str) {
    let e = read_alone(Format::Gmsh, text.as_bytes()).expect_err(words);
    assert!(e.problem.contains(words), "{text:?}: {e}");
    assert_eq!(e.place, Place::Line(line), "{text:?}: {e}");
}

#[test]
fn the_two_malformed_samples_are_refused() {
    let Some(bytes) = sample_bytes("defects/malformed_22_missing_node.msh") else { return };
    let e = read_alone(Format::Gmsh, &bytes).unwrap_err();
    assert_eq!(e.place, Place::Line(19));
    assert!(e.problem.starts_with("node 14 of 14: \"$EndNodes\" stands where"), "{e}");
    let bytes = sample_bytes("defects/malformed_41_missing_element.msh").unwrap();
    let e = read_alone(Format::Gmsh, &bytes).unwrap_err();
    assert_eq!(e.place, Place::Line(66));
    assert!(e.problem.starts_with("element 24 of 24: \"$EndElements\" stands where"), "{e}");
}

#[test]
fn damaged_version_2_is_refused_with_place_and_words() {
    let file = |from: &str, to: &str| {
        assert!(NODES.contains(from));
        format!("{HEAD}{}", NODES.replacen(from, to, 1))
    };
    refused(&file("4\n1 0", "5\n1 0"), 10, "node 5 of 5: \"$EndNodes\" stands where a node number");
    refused(&file("4\n1 0", "4000000000\n1 0"), 10, "node 5 of 4000000000: \"$EndNodes\"");
    refused(&file("4\n1 0", "99999999999\n1 0"), 5, "more than can be numbered");
    refused(&file("4\n1 0", "-4\n1 0"), 5, "the number of nodes is negative: -4");
    refused(&file("4\n1 0", "3\n1 0"), 9, "$EndNodes should stand where \"4\" is");
    refused(&file("2 1 0 0", "-2 1 0 0"), 7, "node 2 of 4: the node number -2 is negative");
    refused(&file("2 1 0 0", "1 1 0 0"), 7, "node 2 of 4: node number 1 was given before");
    refused(&file("2 1 0 0", "2 nan 0 0"), 7, "node 2 of 4: a coordinate is not finite: NaN");
    refused(&file("2 1 0 0", "2 one 0 0"), 7, "a coordinate: \"one\" is no number");
    refused(
        &file("1 2 3 4\n$EndE", "1 2 3 9\n$EndE"),
        13,
        "element 1 of 1: refers to node 9, which the file",
    );
    refused(&file("1 2 3 4\n$EndE", "1 2 3 -4\n$EndE"), 13, "refers to node -4, which");
    refused(
        &file("1 2 3 4\n$EndE", "1 2 3\n$EndE"),
        14,
        "\"$EndElements\" stands where a node number",
    );
    refused(&file("1 4 0 1", "1 34 0 1"), 13, "element 1 of 1: element type 34 is not known");
    refused(&file("1 4 0 1", "1 4 -1 1"), 13, "the number of tags is negative: -1");
    refused(&file("1 4 0 1", "1 4 3000000000 1"), 14, "\"$EndElements\" stands where a tag should");
    refused(&file("$EndElements\n", ""), 14, "the file ends where $EndElements should stand");
    refused(
        &format!("{HEAD}$Other\n1 2\n"),
        5,
        "section \"$Other\" is not closed by \"$EndOther\"",
    );
    refused("$MeshFormat\n3.0 0 8\n", 2, "Gmsh version \"3.0\" is not known");
    refused("$MeshFormat\n4.1 7 8\n", 2, "file type 7 is neither 0 nor 1");
    refused("$MeshFormat\n4.1 1 3\n", 2, "numbers of 3 bytes cannot be read");
}

#[test]
fn damaged_version_4_is_refused_with_place_and_words() {
    let elements = "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
    let file = |elements: &str| format!("{HEAD_4}{NODES_4}{elements}");
    assert!(read_alone(Format::Gmsh, file(elements).as_bytes()).is_ok());
    refused(
        &file(&elements.replace("1 1 1 1\n3", "1 2 1 1\n3")),
        19,
        "2 elements are announced, but the blocks hold 1",
    );
    refused(
        &file(&elements.replace("3 1 4 1\n", "5 1 4 1\n")),
        18,
        "an entity cannot have dimension 5",
    );
    refused(
        &file(&elements.replace("3 1 4 1\n", "3 1 77 1\n")),
        18,
        "element type 77 is not known",
    );
    refused(&file(&elements.replace("3 1 4 1\n", "3 1 4 -1\n")), 18, "in a block is negative: -1");
    refused(
        &file(&elements.replace("3 1 4 1\n", "3 1 4 4000000000\n")),
        20,
        "element 2 of 4000000000",
    );
    refused(
        &file(&elements.replace("2 3 4\n$", "2 3 5\n$")),
        19,
        "element 1 of 1: refers to node 5, which",
    );
    let nodes = NODES_4.replace("1 4 1 4\n", "1 4000000000 1 4\n");
    refused(
        &format!("{HEAD_4}{nodes}"),
        14,
        "4000000000 nodes are announced, but the blocks hold 4",
    );
}

#[test]
fn a_file_without_its_sections_is_refused() {
    for (text, words) in [
        ("", "has no section of nodes"),
        (HEAD, "has no section of nodes"),
        ("$NOD\n0\n$ENDNOD\n", "has no section of elements"),
    ] {
        let e = read_alone(Format::Gmsh, text.as_bytes()).unwrap_err();
        assert_eq!(e.place, Place::File);
        assert!(e.problem.contains(words), "{e}");
        assert!(e.help.contains("cut off"), "{e}");
    }
    let elements_first = format!("{HEAD}$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n");
    refused(&elements_first, 6, "refers to node 1, which the file does not hold");
}

#[test]
fn damaged_binaries_name_the_byte() {
    let Some(bytes) = sample_bytes("formats/gmsh_cube_41_binary.msh") else { return };
    let e = read_alone(Format::Gmsh, &bytes[..0x150]).unwrap_err();
    assert!(matches!(e.place, Place::Byte(b) if b < 0x150), "{e}");
    assert!(e.problem.contains("needs 8 bytes, but only"), "{e}");
    let mut broken = bytes;
    broken[0x14] = 9;
    let e = read_alone(Format::Gmsh, &broken).unwrap_err();
    assert_eq!(e.place, Place::Byte(0x14));
    assert!(e.problem.contains("byte order"), "{e}");
}

#[test]
fn damage_never_panics() {
    for file in
        ["gmsh_cube_22_ascii", "gmsh_cube_22_binary", "gmsh_cube_41_ascii", "gmsh_cube_41_binary"]
    {
        let Some(bytes) = sample_bytes(&format!("formats/{file}.msh")) else { return };
        survives_damage(&bytes, |bytes| {
            let _ = read_alone(Format::Gmsh, bytes);
        });
    }
    survives_damage(
        b"$NOD\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$ENDNOD\n$ELM\n1\n1 2 1 1 3 1 2 3\n$ENDELM\n",
        |b| {
            let _ = read_alone(Format::Gmsh, b);
        },
    );
}
