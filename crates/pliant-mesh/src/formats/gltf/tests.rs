mod motion;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

use super::*;
use crate::source::Memory;

fn parse_with(bytes: &[u8], companions: &Memory) -> (Result<Mesh>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut input = Input { bytes, name: "a.gltf", companions, warnings: &mut warnings };
    (read(&mut input), warnings)
}

fn parse(document: &Value) -> (Result<Mesh>, Vec<String>) {
    parse_with(document.to_string().as_bytes(), &Memory::default())
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes))
}

/// A unit right triangle with 8-bit indices behind its three points.
fn triangle() -> Value {
    let mut bytes = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bytes.extend([2, 0, 1]);
    json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "n"}],
        "meshes": [{"name": "m", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 3},
        ],
        "buffers": [{"byteLength": 39, "uri": uri(&bytes)}],
    })
}

fn edited(path: &str, value: Value) -> Value {
    let mut document = triangle();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match parent {
        Value::Object(map) => drop(map.insert(key.into(), value)),
        Value::Array(list) => list.push(value),
        _ => panic!("{path}"),
    }
    document
}

#[test]
fn a_triangle_stands_up() {
    let (mesh, warnings) = parse(&triangle());
    let mesh = mesh.unwrap();
    assert_eq!(mesh.points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(mesh.triangles, [[2, 0, 1]]);
    let names: Vec<_> = mesh.groups.iter().map(|g| &g.name[..]).collect();
    assert_eq!(names, ["n", "m"]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn buffers_beside_the_file_and_in_a_glb() {
    let mut document = triangle();
    let text = document["buffers"][0]["uri"].as_str().unwrap().to_owned();
    let bytes = BASE64_STANDARD.decode(text.split_once(',').unwrap().1).unwrap();
    let expected = parse(&document).0.unwrap();

    document["buffers"][0]["uri"] = json!("my%20data.bin");
    let companions = Memory([("my data.bin".to_string(), bytes.clone())].into());
    let (mesh, _) = parse_with(format!("\u{feff}{document}").as_bytes(), &companions);
    assert_eq!(mesh.unwrap(), expected);
    assert!(parse(&document).0.unwrap_err().problem.contains("\"my data.bin\" is missing"));

    document["buffers"][0].as_object_mut().unwrap().remove("uri");
    let glb = glb(&document, &bytes);
    assert_eq!(parse_with(&glb, &Memory::default()).0.unwrap(), expected);
    assert_eq!(
        parse(&document).0.unwrap_err().problem,
        "mesh 0, primitive 0: accessor 0 (POSITION): buffer 0 has no data"
    );
    let e = parse_with(&glb[..glb.len() - 4], &Memory::default()).0.unwrap_err();
    assert_eq!(e.place, Place::Byte(8));
}

fn glb(document: &Value, bin: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((28 + json.len() as u32 + bin.len() as u32).to_le_bytes());
    for (kind, data) in [(b"JSON", json), (b"BIN\0", bin)] {
        out.extend((data.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(data);
    }
    out
}

#[test]
fn interleaved_quantised_and_sparse_positions() {
    // Points as 16-bit integers, 8 bytes apart, from byte 2 on.
    let mut bytes = vec![0, 0];
    for p in [[0i16, 0, 0], [32767, 0, 0], [0, -32768, 0]] {
        bytes.extend(p.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([7, 7]);
    }
    bytes.truncate(24);
    // Sparse: element 2 becomes (0, 16383, 32767).
    bytes.extend([2]);
    bytes.extend([0u8; 3]);
    bytes.extend([0i16, 16383, 32767].iter().flat_map(|x| x.to_le_bytes()));
    let mut document = triangle();
    document["extensionsRequired"] = json!(["KHR_mesh_quantization", "KHR_materials_unlit"]);
    document["buffers"] = json!([{"byteLength": bytes.len(), "uri": uri(&bytes)}]);
    document["bufferViews"] = json!([
        {"buffer": 0, "byteLength": 24, "byteStride": 8},
        {"buffer": 0, "byteOffset": 24, "byteLength": 1},
        {"buffer": 0, "byteOffset": 28, "byteLength": 6},
    ]);
    document["accessors"] = json!([{
        "bufferView": 0, "byteOffset": 2, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3",
    }]);
    document["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
    let mesh = parse(&document).0.unwrap();
    assert_eq!(mesh.points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);

    document["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": {"bufferView": 1, "componentType": 5121},
        "values": {"bufferView": 2},
    });
    assert_eq!(parse(&document).0.unwrap().points[2], [0.0, -1.0, 16383.0 / 32767.0]);
    document["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    assert_eq!(parse(&document).0.unwrap().points[1], [0.0; 3]);
    document["accessors"][0]["count"] = json!(4_000_000_000_000_u64);
    let e = parse(&document).0.unwrap_err();
    assert!(e.problem.contains("has 4000000000000 elements but no data"), "{e}");
}

#[test]
fn nodes_form_a_tree_of_transforms() {
    let mut document = triangle();
    document["nodes"] = json!([
        {"children": [1, 2], "translation": [0, 10, 0]},
        {"mesh": 0, "name": "a", "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1]},
        {"mesh": 0, "name": "b", "scale": [-1, 1, 1]},
    ]);
    let mesh = parse(&document).0.unwrap();
    assert_eq!(mesh.points[0], [5.0, 0.0, 10.0]);
    assert_eq!(mesh.points[4], [-1.0, 0.0, 10.0]);
    // The mirrored copy keeps its front.
    assert_eq!(mesh.triangles, [[2, 0, 1], [5, 4, 3]]);
    let members: Vec<_> = mesh.groups.iter().map(|g| (&g.name[..], g.members.len())).collect();
    assert_eq!(members, [("a", 1), ("m", 2), ("b", 1)]);

    document["nodes"][2]["children"] = json!([0]);
    let e = parse(&document).0.unwrap_err();
    assert_eq!(e.problem, "node 0 has two parents or is its own ancestor");
}

#[test]
fn primitives_share_points_and_lines_are_left_out() {
    let mut document = triangle();
    document["meshes"][0]["primitives"] = json!([
        {"attributes": {"POSITION": 0}, "indices": 1},
        {"attributes": {"POSITION": 0}, "mode": 5, "targets": [{"POSITION": 0}]},
        {"attributes": {"POSITION": 0}, "mode": 1},
        {"attributes": {}},
    ]);
    document["nodes"][0]["skin"] = json!(0);
    document["scenes"] = json!([{}, {"nodes": [0]}]);
    document["scene"] = json!(1);
    let (mesh, warnings) = parse(&document);
    let mesh = mesh.unwrap();
    assert_eq!((mesh.points.len(), mesh.triangles.len()), (3, 2));
    assert_eq!(
        warnings,
        [
            "read the default scene only: the file has 2",
            "left out 1 primitives of points or lines",
            "read 1 skinned meshes in their rest pose",
            "read 1 primitives without their morph targets",
        ]
    );
}

#[test]
fn scenes_and_nodes_may_be_missing() {
    let mut document = triangle();
    document.as_object_mut().unwrap().remove("scenes");
    assert_eq!(parse(&document).0.unwrap().triangles.len(), 1);
    document.as_object_mut().unwrap().remove("nodes");
    assert_eq!(parse(&document).0.unwrap().triangles.len(), 1);
    let (mesh, warnings) = parse(&json!({"asset": {"version": "2.1"}}));
    assert!(mesh.unwrap().points.is_empty());
    assert_eq!(warnings, ["the file holds no points: the mesh is empty"]);
}

#[test]
fn a_small_file_cannot_repeat_its_mesh_for_ever() {
    let mut document = triangle();
    document["accessors"][0] = json!({
        "componentType": 5126,
        "count": 1 << 18,
        "type": "VEC3",
        "sparse": {"count": 0, "indices": {"bufferView": 0}, "values": {"bufferView": 0}},
    });
    document["nodes"] = (0..100).map(|_| json!({"mesh": 0})).collect();
    document["scenes"] = json!([{"nodes": (0..100).collect::<Vec<_>>()}]);
    let e = parse(&document).0.unwrap_err();
    assert!(e.problem.ends_with("the scene repeats its meshes to more than 4194304 points"), "{e}");
}

#[test]
fn errors_say_what_is_wrong() {
    for (path, value, problem) in [
        ("/asset/version", json!("1.0"), "is glTF version \"1.0\", and only version 2 can be read"),
        (
            "/extensionsRequired",
            json!(["KHR_draco_mesh_compression"]),
            "requires the glTF extension KHR_draco_mesh_compression, which is not supported",
        ),
        ("/scene", json!(7), "the default scene is 7, but there are 1"),
        ("/nodes/0/mesh", json!(7), "refers to mesh 7, but there are 1"),
        ("/nodes/0/children", json!([9]), "refers to node 9, but there are 1"),
        ("/meshes/0/primitives/0/indices", json!(5), "refers to accessor 5, but there are 2"),
        (
            "/accessors/0/count",
            json!(4),
            "accessor 0 (POSITION): 4 elements from byte 0 on do not fit the 36 bytes of its buffer view",
        ),
        ("/accessors/0/count", json!(u64::MAX), "do not fit the 36 bytes of its buffer view"),
        ("/accessors/0/type", json!("VEC2"), "POSITION must be VEC3, not \"VEC2\""),
        ("/accessors/0/componentType", json!(1), "the component type 1 is unknown"),
        ("/accessors/1/componentType", json!(5120), "indices cannot be of type I8"),
        ("/accessors/0/bufferView", json!(3), "refers to buffer view 3, but there are 2"),
        ("/bufferViews/0/byteStride", json!(8), "elements of 12 bytes cannot lie 8 bytes apart"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "but buffer 0 has 39"),
        ("/bufferViews/0/buffer", json!(1), "refers to buffer 1, but there are 1"),
        ("/buffers/0/byteLength", json!(40), "buffer 0 should have 40 bytes, but has 39"),
        ("/buffers/0/uri", json!("data:;base64,%"), "the base64 data of a buffer is damaged"),
        ("/buffers/0/uri", json!("data:nothing"), "a data URI has no comma before its data"),
        ("/buffers/0/uri", json!("data:text,AA"), "a data URI is not in base64"),
        ("/bufferViews/1/byteOffset", json!(0), "index 2 is 128, but there are 3 points"),
    ] {
        let mut document = edited(path, value.clone());
        if path == "/bufferViews/1/byteOffset" {
            document["bufferViews"][1]["byteOffset"] = json!(12);
            document["bufferViews"][1]["byteLength"] = json!(20);
        }
        let e = parse(&document).0.unwrap_err();
        assert!(e.problem.contains(problem), "{path} = {value}: {e}");
    }
    let e = parse_with(b"{\"asset\": {\n\"version\"", &Memory::default()).0.unwrap_err();
    assert_eq!(e.place, Place::Line(2));
    assert!(e.problem.starts_with("the JSON cannot be understood: "));
}
