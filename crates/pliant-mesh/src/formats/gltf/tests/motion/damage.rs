//! What is wrong with animations, skins and morph targets is said with its place.

use super::*;

#[test]
fn damaged_animations_are_refused_with_their_place() {
    let file = turning("LINEAR");
    let count =
        |n: u64| json!({"bufferView": 1, "componentType": FLOAT, "count": n, "type": "VEC4"});
    for (path, value, problem) in [
        ("/animations/0/channels/0/sampler", json!(4), "refers to sampler 4, but there are 1"),
        ("/animations/0/channels/0/target/node", json!(4), "moves node 4, but there are 2"),
        ("/animations/0/channels/0/target/path", json!("scale"), "must be VEC3, not \"VEC4\""),
        ("/animations/0/samplers/0/input", json!(77), "refers to accessor 77, but there are 3"),
        ("/animations/0/samplers/0/output", json!(77), "refers to accessor 77, but there are 3"),
        ("/animations/0/samplers/0/input", json!(1), "must be SCALAR, not \"VEC4\""),
        ("/animations/0/samplers/0/interpolation", json!("CUBIC"), "\"CUBIC\" is unknown"),
        (
            "/animations/0/samplers/0/interpolation",
            json!("CUBICSPLINE"),
            "there are 2 keys of 12 numbers, but 8 numbers",
        ),
        ("/accessors/1", count(1), "there are 2 keys of 4 numbers, but 4 numbers"),
        ("/accessors/1", count(1 << 60), "do not fit the 32 bytes of its buffer view"),
        ("/accessors/2/count", json!(0), "there are no keys"),
        ("/nodes/1/matrix", json!(vec![0; 16]), "whose place is given as a matrix"),
    ] {
        let e = file.refused(path, &value);
        assert!(e.problem.starts_with("animation 0 (\"clip 0\"), channel 0: "), "{e}");
        assert!(e.problem.contains(problem), "{path}: {e}");
    }
    let twice = json!([0, 0].map(|_| file.document["animations"][0]["channels"][0].clone()));
    let e = file.refused("/animations/0/channels", &twice);
    assert!(e.problem.ends_with("channel 1: moves the rotation of node 1 a second time"), "{e}");
    let e = file.refused("/nodes/1/children", &json!([0]));
    assert_eq!(e.problem, "node 0 has two parents or is its own ancestor");
    assert!(file.refused("/animations/0", &json!({"samplers": [{}]})).problem.contains("JSON"));
}

#[test]
fn times_and_values_must_make_sense() {
    for (times, problem) in [
        ([1.0, 1.0], "key 1 is at 1 s, after one at 1 s: the times of keys must rise"),
        ([1.0, 0.5], "key 1 is at 0.5 s, after one at 1 s: the times of keys must rise"),
        ([0.0, f32::NAN], "accessor 3 (times of keys): element 1 is not finite"),
        ([0.0, f32::INFINITY], "accessor 3 (times of keys): element 1 is not finite"),
    ] {
        let mut file = turning("LINEAR");
        let input = file.floats("SCALAR", &times);
        file.document["animations"][0]["samplers"][0]["input"] = json!(input);
        let e = file.read().unwrap_err();
        assert!(e.problem.ends_with(problem), "{e}");
    }
    let mut file = turning("LINEAR");
    let output = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    file.document["animations"][0]["samplers"][0]["output"] = json!(output);
    assert!(file.read().unwrap_err().problem.ends_with("the rotation of key 1 is zero"));
}

#[test]
fn damaged_skins_and_targets_are_refused_with_their_place() {
    let weights = floats(&[1.0, 0.0, 0.0, 0.0].repeat(3));
    let bar = bending(&[([[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], weights, FLOAT)]);
    let short = json!({"bufferView": 0, "componentType": U8, "count": 2, "type": "VEC4"});
    let float = json!({"bufferView": 1, "componentType": FLOAT, "count": 3, "type": "VEC4"});
    for (path, value, problem) in [
        ("/nodes/3/skin", json!(5), "refers to skin 5, but there are 1"),
        ("/skins/0/joints", json!([1]), "node 3: a point follows joint 1, but the skin has 1"),
        ("/skins/0/joints", json!([1, 9]), "skin 0 (\"bones\"): joint 1 is node 9, which is not"),
        ("/skins/0/joints", json!([1, 2, 1]), "there are 3 joints, but 2 inverse bind matrices"),
        ("/accessors/0", short, "mesh 0: primitive 0: JOINTS_0 has 2 elements for 3 points"),
        ("/accessors/0", float, "accessor 0 (JOINTS_0): indices cannot be of type F32"),
        (
            "/meshes/0/primitives/0/attributes",
            json!({"POSITION": 2}),
            "mesh 0: primitive 0: belongs to a skin but has no JOINTS_0",
        ),
        (
            "/meshes/0/primitives/0/attributes",
            json!({"POSITION": 2, "JOINTS_0": 0}),
            "belongs to a skin but has no WEIGHTS_0",
        ),
    ] {
        let e = bar.refused(path, &value);
        assert!(e.problem.contains(problem), "{path}: {e}");
    }
    let negative = floats(&[2.0, -1.0, 0.0, 0.0].repeat(3));
    let e = bending(&[([[0; 4]; 3], negative, FLOAT)]).read().unwrap_err();
    assert!(e.problem.contains("a weight of point 0 is -1"), "{e}");

    let file = morphing();
    let positions = json!({"POSITION": 4});
    let other = json!([
        {"attributes": positions, "targets": [{"POSITION": 0}]},
        {"attributes": positions, "targets": []},
    ]);
    for (path, value, problem) in [
        ("/meshes/0/weights", json!([1]), "mesh 0: there are 1 weights for 2 morph targets"),
        ("/nodes/0/weights", json!([1, 2, 3]), "node 0: there are 3 weights for 2 morph targets"),
        (
            "/accessors/0/count",
            json!(2),
            "mesh 0: primitive 0: POSITION of morph target 0 has 2 elements for 3 points",
        ),
        ("/meshes/0/primitives", other, "primitives 0 and 1 have the same points, but not"),
        ("/accessors/3/sparse/count", json!(1u64 << 40), "do not fit"),
    ] {
        let e = file.refused(path, &value);
        assert!(e.problem.contains(problem), "{path}: {e}");
    }
}

/// Morph targets without bytes of their own may be written down a thousand times in little space.
#[test]
fn a_small_file_cannot_have_any_number_of_numbers() {
    let mut file = morphing();
    let empty = json!({"count": 0, "indices": {"bufferView": 0}, "values": {"bufferView": 0}});
    let array = json!({"componentType": FLOAT, "count": 1 << 18, "type": "VEC3", "sparse": empty});
    let first = file.document["accessors"].as_array().unwrap().len();
    for _ in 0..40 {
        file.push("accessors", array.clone());
    }
    let targets: Vec<Value> = (1..40).map(|k| json!({"POSITION": first + k})).collect();
    file.document["meshes"][0]["primitives"][0] =
        json!({"attributes": {"POSITION": first}, "targets": targets});
    let e = file.read().unwrap_err();
    assert!(e.problem.ends_with("its animations have more than 12582912 numbers"), "{e}");
    // The same one again and again costs nothing.
    let targets: Vec<Value> = (1..40).map(|_| json!({"POSITION": first + 1})).collect();
    file.document["meshes"][0]["primitives"][0]["targets"] = json!(targets);
    assert_eq!(file.read().unwrap().morph_targets(), 39);
}
