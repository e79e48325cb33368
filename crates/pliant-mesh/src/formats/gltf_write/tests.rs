use serde_json::Value;

use super::*;
use crate::formats::{Input, gltf};
use crate::source::Memory;

fn document(glb: &[u8]) -> (Value, &[u8]) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..20 + length]).unwrap(), &glb[28 + length..])
}

/// The floats of an accessor.
fn floats(glb: &[u8], accessor: &Value) -> Vec<f32> {
    let (document, bin) = document(glb);
    let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let offset =
        view["byteOffset"].as_u64().unwrap() + accessor["byteOffset"].as_u64().unwrap_or(0);
    let width = if accessor["type"] == "VEC3" { 3 } else { 1 };
    let count = accessor["count"].as_u64().unwrap() as usize * width;
    let raw = &bin[offset as usize..][..4 * count];
    raw.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

const SQUARE: [[u32; 3]; 2] = [[1, 2, 3], [1, 3, 4]];
const REST: [[f32; 3]; 5] =
    [[9.0; 3], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

/// The square at rest, lifted, and turned upright about the x axis.
fn frames() -> Vec<Vec<[f32; 3]>> {
    let lifted = REST.map(|[x, y, z]| [x, y, z + 0.5]);
    let turned = REST.map(|[x, y, z]| [x, -z, y]);
    vec![REST.to_vec(), lifted.to_vec(), turned.to_vec()]
}

fn written(frames: &Vec<Vec<[f32; 3]>>, times: &[f32]) -> io::Result<Vec<u8>> {
    let colors = [[0.5, f32::NAN, 2.0]; 5];
    let animation = Animation {
        name: "sheet",
        triangles: &SQUARE,
        rest: &REST,
        frames,
        times,
        colors: Some(&colors),
    };
    let mut out = Vec::new();
    let size = write_animation(&animation, &mut out)?;
    assert_eq!(size, out.len() as u64);
    assert_eq!(size as u32, u32::from_le_bytes(out[8..12].try_into().unwrap()));
    Ok(out)
}

#[test]
fn frames_become_targets_that_fade_into_each_other() {
    let glb = written(&frames(), &[0.0, 0.25, 1.0]).unwrap();
    let (document, _) = document(&glb);
    let primitive = &document["meshes"][0]["primitives"][0];
    // The first frame is the rest pose and needs no target.
    let targets = primitive["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 2);
    // Lifting along z is lifting along glTF's y.
    assert_eq!(floats(&glb, &targets[0]["POSITION"]), [0.0, 0.5, 0.0].repeat(4));
    assert_eq!(floats(&glb, &targets[0]["NORMAL"]), [0.0; 12]);
    // Turned about x, the normal goes from z (glTF's y) to −y (glTF's z).
    assert_eq!(floats(&glb, &primitive["attributes"]["NORMAL"]), [0.0, 1.0, 0.0].repeat(4));
    assert_eq!(floats(&glb, &targets[1]["NORMAL"]), [0.0, -1.0, 1.0].repeat(4));
    assert_eq!(floats(&glb, &primitive["attributes"]["COLOR_0"]), [0.5, 1.0, 1.0].repeat(4));
    let sampler = &document["animations"][0]["samplers"][0];
    assert_eq!(floats(&glb, &sampler["input"]), [0.0, 0.25, 1.0]);
    assert_eq!(floats(&glb, &sampler["output"]), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let accessor = &document["accessors"][targets[1]["POSITION"].as_u64().unwrap() as usize];
    assert_eq!(accessor["min"], serde_json::json!([0.0, 0.0, 0.0]));
    assert_eq!(accessor["max"], serde_json::json!([0.0, 1.0, 1.0]));
}

#[test]
fn the_reader_gives_the_rest_pose_back() {
    let glb = written(&frames(), &[0.0, 0.25, 1.0]).unwrap();
    let mut warnings = Vec::new();
    let companions = Memory::default();
    let mut input =
        Input { bytes: &glb, name: "a.glb", companions: &companions, warnings: &mut warnings };
    let mesh = gltf::read(&mut input).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.points, REST[1..].iter().map(|p| p.map(f64::from)).collect::<Vec<_>>());
    assert_eq!(warnings, ["read 1 primitives without their morph targets"]);
}

#[test]
fn a_body_that_never_moves_has_no_animation() {
    let still = vec![REST.to_vec(); 3];
    let (document, _) = document(&written(&still, &[0.0, 1.0, 2.0]).unwrap()).clone();
    assert!(document.get("animations").is_none());
    assert!(written(&Vec::new(), &[]).is_ok());
}

#[test]
fn wrong_frames_and_times_are_refused() {
    let mut short = frames();
    short[1].pop();
    let mut broken = frames();
    broken[2][3][1] = f32::NAN;
    for (frames, times, problem) in [
        (frames(), &[0.0, 1.0][..], "there are 3 frames but 2 times"),
        (
            frames(),
            &[0.0, 1.0, 1.0],
            "the time of frame 2 is 1 s after 1 s: times must rise from 0",
        ),
        (
            frames(),
            &[-1.0, 1.0, 2.0],
            "the time of frame 0 is -1 s after -1 s: times must rise from 0",
        ),
        (short, &[0.0, 1.0, 2.0], "frame 1 has 4 points instead of 5"),
        (broken, &[0.0, 1.0, 2.0], "point 3 of frame 2 is not finite"),
    ] {
        assert_eq!(written(&frames, times).unwrap_err().to_string(), problem);
    }
}

#[test]
fn more_than_four_gibibytes_are_refused_before_anything_is_written() {
    struct Endless;
    impl Frames for Endless {
        fn count(&self) -> usize {
            60_000
        }
        fn frame(&self, _: usize) -> io::Result<std::borrow::Cow<'_, [[f32; 3]]>> {
            Ok(std::borrow::Cow::Owned(vec![[1.0; 3]; 3]))
        }
    }
    let times: Vec<f32> = (0..60_000).map(|i| i as f32).collect();
    let animation = Animation {
        name: "long",
        triangles: &[[0, 1, 2]],
        rest: &[[0.0; 3]; 3],
        frames: &Endless,
        times: &times,
        colors: None,
    };
    let mut out = Vec::new();
    let e = write_animation(&animation, &mut out).unwrap_err();
    // 60,000² weights of 4 bytes.
    assert!(e.to_string().starts_with("the file would have 13.4 GiB"), "{e}");
    assert!(out.is_empty());
}

#[test]
fn large_and_small_surfaces_have_the_indices_they_need() {
    for (points, kind) in [(65_535, 5123), (65_536, 5125)] {
        let mesh = Mesh {
            points: (0..points).map(|i| [f64::from(i), 0.0, f64::from(i % 7)]).collect(),
            triangles: vec![[0, 1, points as u32 - 1]],
            ..Mesh::default()
        };
        let mut glb = Vec::new();
        write(&mesh, &mut glb).unwrap();
        assert_eq!(document(&glb).0["accessors"][0]["componentType"], kind);
        assert!(glb.len().is_multiple_of(4));
    }
    let e = write(&Mesh::default(), &mut Vec::new()).unwrap_err();
    assert_eq!(e.to_string(), "there is no triangle to write");
}
