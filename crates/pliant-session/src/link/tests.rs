use pliant_sim::scene::{
    ActionKind, Body, Collider, ColliderGround, ColliderShape, LiveValue, Set, Shape, Stiffness,
};
use proptest::prelude::*;

use super::*;

fn cube() -> Scene {
    Scene { bodies: vec![Body { name: "cube".into(), ..Body::default() }], ..Scene::default() }
}

fn code() -> String {
    encode(&cube(), None).unwrap()
}

/// A code as of this version for any text, sound or not.
fn coded(text: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    checked(&encoder.finish().unwrap())
}

fn checked(packed: &[u8]) -> String {
    let bytes = [&checksum(packed)[..], packed].concat();
    format!("{VERSION}{}", URL_SAFE_NO_PAD.encode(bytes))
}

fn message(text: &str) -> String {
    decode(text).unwrap_err().to_string()
}

#[test]
fn every_demo_fits_into_a_link() {
    for named in pliant_scenes::ALL {
        let mut scene = (named.build)();
        let code = encode(&scene, None).unwrap();
        println!("{:<12} {:>5} characters", named.name, code.len());
        let most = match named.name {
            // A hundred bodies of which no two are alike have that many numbers.
            "crowd" => 12_000,
            // Its colours and densities are points of its own, besides two hands.
            "phantom" => 2000,
            _ => 1000,
        };
        assert!(code.len() < most, "{}: {}", named.name, code.len());
        assert!(code.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)));
        let shared = decode(&code).unwrap();
        assert_eq!(shared.camera, shot::placed(&scene.output.picture.camera));
        // Whoever reads a scene places its mannequins.
        scene.place_mannequins();
        assert_eq!(shared.scene, scene);
    }
}

#[test]
fn a_camera_comes_along() {
    let camera = Camera {
        eye: [1.234567891234, -20.5, 3.25],
        target: [0.1, 1.0 / 3.0, -0.7],
        up: [0.1, -0.2, 0.9],
        field_of_view: 0.9,
    };
    let shared = decode(&encode(&cube(), Some(camera)).unwrap()).unwrap();
    let found = shared.camera.unwrap();
    let part = 1e-6 * camera.distance();
    for k in 0..3 {
        assert!((found.eye[k] - camera.eye[k]).abs() < part, "{found:?}");
        assert!((found.target[k] - camera.target[k]).abs() < part, "{found:?}");
        assert!((found.up[k] - camera.up[k]).abs() < 1e-6, "{found:?}");
    }
    assert!((found.field_of_view - 0.9).abs() < 1e-6);
    // The command line takes its pictures from there.
    let pictures = &shared.scene.output.picture;
    let nothing = pliant_render::Bounds { min: [-1.0; 3], max: [1.0; 3] };
    assert_eq!(shot::framing(nothing, pictures), found);
    assert_eq!(decode(&code()).unwrap().camera, None, "none was given");
}

#[test]
fn a_far_away_and_tiny_place_keeps_its_camera() {
    let target = [1e6, -2e6, 3e6];
    let eye = [target[0] + 1e-3, target[1], target[2]];
    let camera = Camera { eye, target, up: [0.0, 0.0, 1.0], field_of_view: 0.6 };
    let found = decode(&encode(&cube(), Some(camera)).unwrap()).unwrap().camera.unwrap();
    assert!((found.eye[0] - eye[0]).abs() < 1e-8 && found.eye[1..] == eye[1..], "{found:?}");
}

#[test]
fn a_camera_that_stands_nowhere_is_refused() {
    let sound = shot::placed(&(pliant_scenes::ALL[0].build)().output.picture.camera).unwrap();
    let mut cameras = [sound; 5];
    cameras[0].eye = cameras[0].target;
    cameras[1].eye[1] = f64::NAN;
    cameras[2].up = [0.0; 3];
    cameras[3].field_of_view = 0.0;
    cameras[4].target[0] = f64::INFINITY;
    for camera in cameras {
        assert_eq!(encode(&cube(), Some(camera)), Err(LinkError::Camera), "{camera:?}");
    }
}

#[test]
fn links_are_found_in_what_people_paste() {
    let code = code();
    let (start, end) = code.split_at(code.len() / 2);
    let texts = [
        code.clone(),
        format!("scene={code}"),
        format!("#scene={code}"),
        format!("https://example.org/pliant/#scene={code}"),
        format!("http://127.0.0.1:8080/?backend=cpu#full=1&scene={code}&more=2"),
        format!("  <https://example.org/#scene={start}\r\n\t{end}>.\n"),
        format!("https://example.org/#scene={start}\u{200b}{end}"),
    ];
    for text in texts {
        assert_eq!(decode(&text).map(|s| s.scene), Ok(cube()), "{text}");
    }
    let page = "https://example.org/pliant/#scene=old";
    assert_eq!(address(page, "Anew"), "https://example.org/pliant/#scene=Anew");
    assert_eq!(address("", "Anew"), "#scene=Anew");
    assert!(is_link(&address("", "A")) && is_link(page));
    assert!(!is_link("scene.toml") && !is_link("httpd.toml") && !is_link("Anew"));
}

#[test]
fn each_way_to_go_wrong_has_its_words() {
    assert!(message("  ").contains("there is no link here"));
    assert!(message("#scene=").contains("there is no link here"));
    for address in ["https://example.org/", "https://example.org/#about", "#scene"] {
        assert!(message(address).contains("carries no scene"), "{address}");
    }
    assert!(message("Zabc").contains("begins with 'Z'"));
    let code = code();
    for length in 1..code.len() {
        let error = decode(&code[..length]).unwrap_err();
        assert!(matches!(error, LinkError::Damaged { .. }), "{length}: {error}");
    }
    let text = message(&code[..20]);
    assert!(text.starts_with("the link is damaged or was cut off: copy it again"), "{text}");
    let odd = format!("{}ä{}", &code[..9], &code[10..]);
    assert!(message(&odd).contains("character 10 of the code is 'ä'"), "{}", message(&odd));
    assert!(message(&"A".repeat(MOST_CHARACTERS + 1)).contains("too long for a link"));
    assert!(message(&" ".repeat(2 * MOST_CHARACTERS + 1)).contains("too long for a link"));
    assert!(message(&coded(b"\xff\xfe")).contains("does not hold text"));
    assert!(message(&checked(b"not deflated")).contains("cannot be unpacked"));
    let trailing = [pack("name = 'x'"), b"more".to_vec()].concat();
    assert!(message(&checked(&trailing)).contains("cannot be unpacked"));
    let wrong = message(&coded(b"[world]\ndampign = 1"));
    assert!(wrong.contains("scene in the link") && wrong.contains("`damping`"), "{wrong}");
}

/// It was made when `world.damping` was called `friction` and springs had a `hardness`.
#[test]
fn a_link_that_was_made_before_keys_were_renamed_opens() {
    let old = "Avgxav1VQ0WrDMAx811cEPxeTdAt72pcEPyiNQsUcO1ju1vXrazlJoWCE8enufBdwoea7MSPNMZEBGAa8ZI5BnAPJmHJBW9\
               t2BdkBK5Qd_NC_8v5i8pOdE1fMwC_6mwp-2Fa1xjgxqVQ4fDAZyAmDeMz6MhTxU7OP3hXSxrFLwROjt5J5ngOJOLhimvRWe\
               F_VYN-VK67k4ELeKzZ0p0ZP-SWH6WUr_KiOnZodo6RcPWtKI3zXAtItaHRaVeqsLjWkgyNlee5sD5kX0rWtoNrQ1sYY72_L\
               rT33L_NP9T2Ggyc";
    let Shared { scene, .. } = decode(old).unwrap();
    assert_eq!((scene.world.damping, scene.world.bounds.unwrap().friction), (1.5, 0.25));
    assert_eq!(scene.bodies[0].material.stiffness, Stiffness::Spring(7.0));
    let set = Set { key: "world.damping".into(), value: LiveValue::Number(3.0) };
    assert_eq!(scene.actions[0].kind, ActionKind::Set(set));
}

#[test]
fn any_change_of_one_character_is_noticed() {
    let code = code();
    for place in 1..code.len() {
        let mut changed = code.clone().into_bytes();
        changed[place] = if changed[place] == b'k' { b'Q' } else { b'k' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(matches!(decode(&changed), Err(LinkError::Damaged { .. })), "{place}");
    }
}

#[test]
fn bombs_are_not_unpacked() {
    // Ten megabytes in ten kilobytes, in one piece and in a form that is a scene.
    let bomb = coded(&vec![b'\n'; 10 << 20]);
    assert!(bomb.len() < MOST_CHARACTERS, "{}", bomb.len());
    assert_eq!(decode(&bomb), Err(LinkError::Bomb));
    let mut text = cube().to_short_toml().unwrap();
    text.extend(std::iter::repeat_n('#', MOST_BYTES - text.len()));
    assert_eq!(decode(&coded(text.as_bytes())).map(|s| s.scene), Ok(cube()));
    text.push('#');
    assert_eq!(decode(&coded(text.as_bytes())), Err(LinkError::Bomb));
}

#[test]
fn files_are_neither_sent_nor_opened_nor_written() {
    let mut scene = cube();
    scene.output.folder = Some("/somewhere".into());
    assert_eq!(decode(&encode(&scene, None).unwrap()).unwrap().scene, cube());
    let folder = coded(scene.to_toml().unwrap().as_bytes());
    assert_eq!(decode(&folder).unwrap().scene.output.folder, None);

    scene.bodies[0].source = Source::Mesh { path: "organs/liver.msh".into(), group: None };
    let refused = encode(&scene, None).unwrap_err();
    assert!(refused.to_string().contains("organs/liver.msh"), "{refused}");
    let smuggled = coded(scene.to_toml().unwrap().as_bytes());
    assert_eq!(decode(&smuggled), Err(refused));

    scene.bodies[0].source = Source::Inline(pliant_mesh::Mesh::default());
    assert_eq!(encode(&scene, None), Err(LinkError::Mesh { body: "cube".into() }));

    let mut scene = cube();
    let ground = ColliderGround {
        file: Some("alps.png".into()),
        heights: None,
        size: [1.0, 1.0],
        height: 1.0,
    };
    let shape = ColliderShape::HeightMap(ground);
    scene.colliders = vec![Collider { name: "alps".into(), shape, ..Collider::default() }];
    let refused = encode(&scene, None).unwrap_err();
    assert!(refused.to_string().contains("alps.png"), "{refused}");
}

#[test]
fn scenes_that_do_not_fit_are_refused() {
    let mut scene = cube();
    let mut seed: u64 = 1;
    let mut number = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    scene.bodies = (0..3000)
        .map(|k| {
            let source = Source::Shape(Shape::bar([1; 3], [1.0; 3]));
            let translate = [number(), number(), number()];
            Body { name: format!("b{k}"), source, translate, ..Body::default() }
        })
        .collect();
    let Err(LinkError::SceneTooLarge { characters }) = encode(&scene, None) else {
        panic!("it fits")
    };
    assert!(characters > MOST_CHARACTERS);
}

proptest! {
    #[test]
    fn nothing_that_is_pasted_panics(text in ".{0,300}") {
        let _ = decode(&text);
        let _ = decode(&format!("https://example.org/#scene=A{text}"));
    }

    #[test]
    fn no_bytes_in_a_link_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode(&format!("{VERSION}{}", URL_SAFE_NO_PAD.encode(&bytes)));
        let _ = decode(&checked(&bytes));
        let _ = decode(&coded(&bytes));
    }

    #[test]
    fn any_camera_comes_along_or_is_refused(
        eye in prop::array::uniform3(any::<f64>()),
        target in prop::array::uniform3(-1e3..1e3),
        up in prop::array::uniform3(any::<f64>()),
        field_of_view in -1.0..4.0,
    ) {
        let camera = Camera { eye, target, up, field_of_view };
        if let Ok(code) = encode(&cube(), Some(camera)) {
            let found = decode(&code).unwrap().camera.unwrap();
            let part = 1e-5 * camera.distance();
            for k in 0..3 {
                prop_assert!((found.eye[k] - eye[k]).abs() <= part, "{found:?}");
            }
        }
    }
}
