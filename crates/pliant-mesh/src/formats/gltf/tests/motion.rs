//! Animations, skins and morph targets: poses against ones computed by hand.

mod damage;

use super::*;
use crate::formats::Format;
use crate::formats::gltf_write::{self, write_animation};
use crate::motion::{Ending, Motion};

/// A document that grows with its arrays.
struct File {
    document: Value,
    bytes: Vec<u8>,
}

const FLOAT: u64 = 5126;
const U8: u64 = 5121;

impl File {
    /// A file of these nodes, the first of which is the root, and meshes.
    fn new(nodes: Value) -> Self {
        let document = json!({
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
            "animations": [],
        });
        Self { document, bytes: Vec::new() }
    }

    fn push(&mut self, list: &str, entry: Value) -> usize {
        let list = self.document[list].as_array_mut().unwrap();
        list.push(entry);
        list.len() - 1
    }

    /// Adds an accessor of `count` elements of type `shape`; gives its number.
    fn array(&mut self, shape: &str, kind: u64, count: usize, bytes: Vec<u8>) -> usize {
        let offset = self.bytes.len();
        let view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = self.push("bufferViews", view);
        let entry = json!({
            "bufferView": view, "componentType": kind, "count": count, "type": shape,
            "normalized": kind != FLOAT && shape != "JOINTS",
        });
        self.push("accessors", entry)
    }

    fn floats(&mut self, shape: &str, values: &[f32]) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        self.array(shape, FLOAT, values.len() / width, floats(values))
    }

    /// Adds a mesh of one triangle list with these points and other attributes.
    fn mesh(&mut self, points: &[f32], mut attributes: Value, targets: Value) -> usize {
        attributes["POSITION"] = json!(self.floats("VEC3", points));
        let primitive = json!({"attributes": attributes, "targets": targets});
        self.push("meshes", json!({"primitives": [primitive]}))
    }

    /// Adds an animation with one channel.
    fn animation(&mut self, target: Value, times: &[f32], output: usize, interpolation: &str) {
        let input = self.floats("SCALAR", times);
        let name = format!("clip {}", self.document["animations"].as_array().unwrap().len());
        self.push(
            "animations",
            json!({
                "name": name,
                "samplers": [{"input": input, "output": output, "interpolation": interpolation}],
                "channels": [{"sampler": 0, "target": target}],
            }),
        );
    }

    fn text(&self) -> String {
        let mut document = self.document.clone();
        document["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri(&self.bytes)}]);
        document.to_string()
    }

    fn read(&self) -> Result<AnimatedMesh> {
        AnimatedMesh::from_bytes(self.text().as_bytes(), "a.gltf", &Memory::default())
    }

    fn refused(&self, path: &str, value: &Value) -> ReadError {
        let mut file = File { document: self.document.clone(), bytes: self.bytes.clone() };
        let (parent, key) = path.rsplit_once('/').unwrap();
        match file.document.pointer_mut(parent).unwrap() {
            Value::Object(map) => drop(map.insert(key.into(), value.clone())),
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value.clone(),
            _ => panic!("{path}"),
        }
        match file.read() {
            Ok(_) => panic!("{path} = {value} was accepted"),
            Err(e) => e,
        }
    }
}

#[track_caller]
fn assert_near(found: &[[f64; 3]], expected: &[[f64; 3]]) {
    let distance =
        |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
    let furthest = found.iter().zip(expected).map(distance).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && furthest < 1e-6, "{found:?} is not {expected:?}");
}

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Points on glTF's x, y and z axes.
const AXES: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// A triangle below a node that turns by 90° about glTF's y axis, our z axis, within a second.
fn turning(interpolation: &str) -> File {
    let mut file = File::new(json!([
        {"children": [1], "translation": [10, 0, 0]},
        {"mesh": 0, "translation": [0, 5, 0]},
    ]));
    file.mesh(&AXES, json!({}), json!([]));
    let keys = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, HALF, 0.0, HALF]);
    file.animation(json!({"node": 1, "path": "rotation"}), &[1.0, 2.0], keys, interpolation);
    file
}

#[test]
fn a_node_turns_about_its_own_axis() {
    let mesh = turning("LINEAR").read().unwrap();
    let start = [[11.0, 0.0, 5.0], [10.0, 0.0, 6.0], [10.0, -1.0, 5.0]];
    let end = [[10.0, 1.0, 5.0], [10.0, 0.0, 6.0], [11.0, 0.0, 5.0]];
    assert_near(&mesh.points_at(0.0), &start);
    assert_near(&mesh.points_at(1.0), &start);
    assert_near(&mesh.points_at(2.0), &end);
    assert_near(&mesh.points_at(99.0), &end);
    let (s, c) = (30f64.to_radians().sin(), 30f64.to_radians().cos());
    let third = [[10.0 + c, s, 5.0], [10.0, 0.0, 6.0], [10.0 + s, -c, 5.0]];
    assert_near(&mesh.points_at(1.0 + 1.0 / 3.0), &third);
    assert_eq!(mesh.span(), [0.0, 2.0]);
    assert_near(&mesh.points_at(Ending::Repeat.within(mesh.span(), 5.0)), &start);

    let steps = turning("STEP").read().unwrap();
    assert_near(&steps.points_at(1.999), &start);
    assert_near(&steps.points_at(2.0), &end);
}

#[test]
fn the_mesh_is_the_one_that_load_gives() {
    for document in [triangle(), turning("LINEAR").document.clone()] {
        let mut file = File { document, bytes: turning("LINEAR").bytes };
        file.document["animations"] = json!([]);
        let text = match file.document.get("buffers") {
            Some(_) => file.document.to_string(),
            None => file.text(),
        };
        let loaded = parse_with(text.as_bytes(), &Memory::default()).0.unwrap();
        let mesh = AnimatedMesh::from_bytes(text.as_bytes(), "", &Memory::default()).unwrap();
        assert_eq!(*mesh.mesh(), loaded);
        assert_eq!(mesh.points_at(3.0), loaded.points, "nothing moves it");
        assert_eq!(mesh.span(), [0.0, 0.0]);
    }
}

/// Joints of three points, and the bytes and type of their weights.
type Influences = ([[u8; 4]; 3], Vec<u8>, u64);

/// A bar of three points along x from 0 to 2, which bends at a joint in its middle by 90° about glTF's z
/// axis; its skeleton is lifted by 3.
fn bending(sets: &[Influences]) -> File {
    let mut file = File::new(json!([
        {"children": [1, 3]},
        {"children": [2], "translation": [0, 3, 0]},
        {"translation": [1, 0, 0]},
        // Where the mesh is does not matter to its skin.
        {"mesh": 0, "skin": 0, "translation": [7, 7, 7]},
    ]));
    let mut attributes = json!({});
    for (k, (joints, weights, kind)) in sets.iter().enumerate() {
        let joints = file.array("JOINTS", U8, 3, joints.as_flattened().to_vec());
        file.document["accessors"][joints]["type"] = json!("VEC4");
        attributes[format!("JOINTS_{k}")] = json!(joints);
        attributes[format!("WEIGHTS_{k}")] = json!(file.array("VEC4", *kind, 3, weights.clone()));
    }
    file.mesh(&[0.0, 0.0, 0.0, 1.0, 0.2, 0.0, 2.0, 0.0, 0.0], attributes, json!([]));
    let [mut a, mut b] = [[0.0f32; 16]; 2];
    for k in 0..4 {
        (a[5 * k], b[5 * k]) = (1.0, 1.0);
    }
    // Column by column: the bar begins at the first joint, and the second one is 1 further.
    b[12] = -1.0;
    let inverse = file.floats("MAT4", &[a, b].concat());
    file.document["skins"] =
        json!([{"name": "bones", "joints": [1, 2], "inverseBindMatrices": inverse}]);
    let keys = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, HALF, HALF]);
    file.animation(json!({"node": 2, "path": "rotation"}), &[0.0, 1.0], keys, "LINEAR");
    file
}

#[test]
fn a_bar_of_two_bones_bends_by_a_right_angle() {
    let weights = floats(&[1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    // Joints without a weight may have any number.
    let joints = [[0, 9, 9, 9], [0, 1, 0, 0], [1, 0, 0, 0]];
    let bar = bending(&[(joints, weights, FLOAT)]).read().unwrap();
    assert_near(&bar.points_at(0.0), &[[0.0, 0.0, 3.0], [1.0, 0.0, 3.2], [2.0, 0.0, 3.0]]);
    // The middle point is at (1, 0.2) for one bone and at (0.8, 0) for the other.
    assert_near(&bar.points_at(1.0), &[[0.0, 0.0, 3.0], [0.9, 0.0, 3.1], [1.0, 0.0, 4.0]]);
    assert_eq!(bar.skins().collect::<Vec<_>>(), [("bones", 2)]);
    assert!(bar.warnings().is_empty(), "{:?}", bar.warnings());
}

#[test]
fn weights_may_be_bytes_in_two_sets_and_need_not_sum_to_one() {
    let first = ([[0; 4], [0; 4], [1; 4]], vec![255, 0, 0, 0, 51, 0, 0, 0, 51, 0, 0, 0], U8);
    let second = ([[0; 4], [1; 4], [1; 4]], vec![0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0, 204], U8);
    let mut file = bending(&[first, second]);
    assert_near(
        &file.read().unwrap().points_at(1.0),
        &[[0.0, 0.0, 3.0], [0.9, 0.0, 3.1], [1.0, 0.0, 4.0]],
    );
    // Without weights a point follows the joint that it names first.
    let weights = file.document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].clone();
    file.document["meshes"][0]["primitives"][0]["attributes"] = json!({
        "POSITION": file.document["meshes"][0]["primitives"][0]["attributes"]["POSITION"],
        "JOINTS_0": file.document["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"],
        "WEIGHTS_0": weights,
    });
    let view = file.document["accessors"][weights.as_u64().unwrap() as usize]["bufferView"].clone();
    let start = file.document["bufferViews"][view.as_u64().unwrap() as usize]["byteOffset"].clone();
    file.bytes[start.as_u64().unwrap() as usize + 8] = 0;
    let bar = file.read().unwrap();
    assert_near(&bar.points_at(1.0)[2..], &[[1.0, 0.0, 4.0]]);
    assert_eq!(bar.warnings(), ["1 points of skins have no weights and follow one joint"]);
}

/// Two morph targets, lifting by 1 and pushing along x by 1; the second one is sparse.
fn morphing() -> File {
    let mut file = File::new(json!([{"mesh": 0}]));
    let lift = file.floats("VEC3", &[0.0, 1.0, 0.0].repeat(3));
    let values = file.floats("VEC3", &[1.0, 0.0, 0.0]);
    let place = file.array("SCALAR", U8, 1, vec![1]);
    let view = |file: &File, i: usize| file.document["accessors"][i]["bufferView"].clone();
    let sparse = json!({
        "componentType": FLOAT, "count": 3, "type": "VEC3",
        "sparse": {
            "count": 1,
            "indices": {"bufferView": view(&file, place), "componentType": U8},
            "values": {"bufferView": view(&file, values)},
        },
    });
    let push = file.push("accessors", sparse);
    file.mesh(&AXES, json!({}), json!([{"POSITION": lift}, {"POSITION": push, "NORMAL": lift}]));
    file
}

fn axes_with(lift: f64, push: f64) -> [[f64; 3]; 3] {
    [[1.0, 0.0, lift], [push, 0.0, 1.0 + lift], [0.0, -1.0, lift]]
}

#[test]
fn weights_come_from_animation_node_and_mesh_in_this_order() {
    let mut file = morphing();
    assert_near(&file.read().unwrap().points_at(0.0), &axes_with(0.0, 0.0));
    file.document["meshes"][0]["weights"] = json!([0.5, 0.25]);
    assert_near(&file.read().unwrap().points_at(0.0), &axes_with(0.5, 0.25));
    file.document["nodes"][0]["weights"] = json!([2, 0]);
    assert_near(&file.read().unwrap().points_at(0.0), &axes_with(2.0, 0.0));
    let keys = file.array("SCALAR", U8, 4, vec![0, 255, 255, 0]);
    file.animation(json!({"node": 0, "path": "weights"}), &[0.0, 4.0], keys, "LINEAR");
    let mesh = file.read().unwrap();
    assert_near(&mesh.points_at(1.0), &axes_with(0.25, 0.75));
    assert_eq!(mesh.morph_targets(), 2);
    // Tangents of zero: a smooth step, 5/32 at a quarter.
    let zero = [0.0; 2];
    let spline = [zero, [0.0, 1.0], zero, zero, [1.0, 0.0], zero].concat();
    let keys = file.floats("SCALAR", &spline);
    file.animation(json!({"node": 0, "path": "weights"}), &[0.0, 4.0], keys, "CUBICSPLINE");
    let mut mesh = file.read().unwrap();
    mesh.choose("clip 1").unwrap();
    assert_near(&mesh.points_at(1.0), &axes_with(0.15625, 0.84375));
}

#[test]
fn animations_are_chosen_by_name_or_number() {
    let mut file = turning("LINEAR");
    let keys = file.floats("VEC3", &[2.0, 2.0, 2.0]);
    file.animation(json!({"node": 1, "path": "scale"}), &[0.5], keys, "LINEAR");
    file.push("animations", json!({"name": "0", "channels": []}));
    let mut mesh = file.read().unwrap();
    let list: Vec<_> =
        mesh.clips().iter().map(|c| (c.name(), c.duration(), c.channels())).collect();
    assert_eq!(list, [("clip 0", 2.0, 1), ("clip 1", 0.5, 1), ("0", 0.0, 0)]);
    mesh.choose("1").unwrap();
    assert_near(&mesh.points_at(0.0)[..1], &[[12.0, 0.0, 5.0]]);
    mesh.choose("0").unwrap();
    assert_eq!(mesh.chosen().unwrap().channels(), 0, "names go first");
    let e = mesh.choose("run").unwrap_err();
    assert_eq!(e.problem, "has no animation \"run\"");
    assert_eq!(e.help, "It has 0 \"clip 0\", 1 \"clip 1\", 2 \"0\"");
    assert!(mesh.choose("3").is_err());
}

/// What our own writer writes comes back, frame by frame and between frames.
#[test]
fn a_written_animation_gives_every_frame_back() {
    let rest = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 1.0, -0.25], [1.5, 1.0, 2.0f32]];
    let times = [0.0, 0.1, 0.25, 1.0, 1.5];
    let wave = |t: f32| rest.map(|[x, y, z]| [x + t * y, y - 0.3 * t * t, z + (3.0 * t * x).sin()]);
    let frames: Vec<Vec<[f32; 3]>> = times.iter().map(|&t| wave(t).to_vec()).collect();
    let animation = gltf_write::Animation {
        name: "wave",
        triangles: &[[0, 1, 2], [1, 3, 2]],
        rest: &rest,
        frames: &frames,
        times: &times,
        colors: None,
    };
    let mut glb = Vec::new();
    write_animation(&animation, &mut glb).unwrap();
    let mesh = AnimatedMesh::from_bytes(&glb, "a.glb", &Memory::default()).unwrap();
    let f64s = |frame: &[[f32; 3]]| frame.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>();
    for (time, frame) in times.iter().zip(&frames) {
        assert_near(&mesh.points_at(f64::from(*time)), &f64s(frame));
    }
    let [before, after] = [f64s(&frames[3]), f64s(&frames[4])];
    let middle: Vec<[f64; 3]> = before
        .iter()
        .zip(&after)
        .map(|(a, b)| std::array::from_fn(|k| 0.5 * (a[k] + b[k])))
        .collect();
    assert_near(&mesh.points_at(1.25), &middle);
    assert_eq!(mesh.chosen().unwrap().name(), "wave");
    assert_eq!(mesh.morph_targets(), 4, "the first frame is the rest pose");
}

#[test]
fn channels_that_move_nothing_are_left_out_and_told() {
    let mut file = turning("LINEAR");
    file.document["scenes"] = json!([{"nodes": [1]}]);
    file.document["animations"][0]["channels"] = json!([
        {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
        {"sampler": 0, "target": {"path": "pointer"}},
        {"sampler": 0, "target": {"node": 1, "path": "pointer"}},
        {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
    ]);
    let mesh = file.read().unwrap();
    assert_eq!(mesh.warnings(), ["left out 3 channels that move nothing that is shown"]);
    assert_eq!(mesh.clips()[0].channels(), 1);
}

#[test]
fn other_formats_hold_no_animations() {
    let e = AnimatedMesh::from_bytes(b"v 0 0 0\n", "a.obj", &Memory::default()).unwrap_err();
    assert_eq!((e.problem.as_str(), e.format), ("holds no animations", Some(Format::Obj)));
}
