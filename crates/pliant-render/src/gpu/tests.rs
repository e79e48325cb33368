//! What can be checked without a device.

use std::mem::offset_of;

use pliant_gpu::Module;
use pliant_gpu::validate::{assert_layout, validate_module};

use super::clouds::{Node, Params};
use super::resident::{BodyRecord, Look};
use super::shaders::{
    BACKDROP, BALLS, CLOUDS_BOXES, CLOUDS_CAST, CLOUDS_MIX, CLOUDS_POINTS, LIBRARY, LINES, OPAQUE,
    RESIDENT, RESIDENT_BALLS, RESIDENT_LINES, SURFACE,
};
use super::uniforms::Uniforms;
use crate::volume::mesh::Tet;
use crate::volume::table;
use crate::{colour, light, list, shadow};

const SHADERS: [Module; 7] =
    [SURFACE, RESIDENT, RESIDENT_LINES, RESIDENT_BALLS, LINES, BALLS, BACKDROP];

#[test]
fn all_shaders_are_valid() {
    for module in SHADERS {
        let checked = validate_module(LIBRARY, module).unwrap_or_else(|e| panic!("{e}"));
        let at = |name, offset| (name, offset);
        assert_layout::<Uniforms>(
            &checked,
            "Uniforms",
            &[
                at("clip", offset_of!(Uniforms, clip)),
                at("rays", offset_of!(Uniforms, rays)),
                at("eye", offset_of!(Uniforms, eye)),
                at("right", offset_of!(Uniforms, right)),
                at("up", offset_of!(Uniforms, up)),
                at("forward", offset_of!(Uniforms, forward)),
                at("size", offset_of!(Uniforms, size)),
                at("to_light", offset_of!(Uniforms, to_light)),
                at("light_rows", offset_of!(Uniforms, light_rows)),
                at("light_scale", offset_of!(Uniforms, light_scale)),
                at("background", offset_of!(Uniforms, background)),
                at("ground", offset_of!(Uniforms, ground)),
                at("grid", offset_of!(Uniforms, grid)),
            ],
        );
        if [RESIDENT, RESIDENT_LINES, RESIDENT_BALLS].contains(&module) {
            assert_layout::<BodyRecord>(&checked, "Body", &[("offset", 0), ("colour", 16)]);
            assert_layout::<Look>(
                &checked,
                "Look",
                &[
                    at("cut_point", offset_of!(Look, cut_point)),
                    at("cut_normal", offset_of!(Look, cut_normal)),
                    at("scale", offset_of!(Look, scale)),
                    at("edge", offset_of!(Look, edge)),
                    at("band", offset_of!(Look, band)),
                    at("hand", offset_of!(Look, hand)),
                    at("lock", offset_of!(Look, lock)),
                    at("vertex", offset_of!(Look, vertex)),
                    at("modes", offset_of!(Look, modes)),
                    at("faces", offset_of!(Look, faces)),
                    at("marks", offset_of!(Look, marks)),
                    at("counts", offset_of!(Look, counts)),
                ],
            );
        }
    }
    let wrong = Module { name: "wrong", source: "fn f() -> f32 { return 1u; }" };
    assert!(validate_module(&[], wrong).is_err(), "the check sees mistakes");
}

#[test]
fn the_shaders_of_clouds_are_valid() {
    validate_module(LIBRARY, CLOUDS_MIX).unwrap_or_else(|e| panic!("{e}"));
    let casts = OPAQUE.map(|opaque| ([LIBRARY, &[opaque]].concat(), CLOUDS_CAST));
    let others = [CLOUDS_POINTS, CLOUDS_BOXES].map(|module| (LIBRARY.to_vec(), module));
    for (library, module) in casts.into_iter().chain(others) {
        let checked = validate_module(&library, module).unwrap_or_else(|e| panic!("{e}"));
        let at = |name, offset| (name, offset);
        assert_layout::<Params>(
            &checked,
            "Cloud",
            &[
                at("table", offset_of!(Params, table)),
                at("slice_point", offset_of!(Params, slice_point)),
                at("slice_normal", offset_of!(Params, slice_normal)),
                at("modes", offset_of!(Params, modes)),
                at("counts", offset_of!(Params, counts)),
            ],
        );
        if module == CLOUDS_POINTS {
            assert_layout::<BodyRecord>(&checked, "Body", &[("offset", 0), ("colour", 16)]);
        } else {
            let nodes = [
                at("low", offset_of!(Node, low)),
                at("skip", offset_of!(Node, skip)),
                at("high", offset_of!(Node, high)),
                at("faces", offset_of!(Node, faces)),
            ];
            assert_layout::<Node>(&checked, "Node", &nodes);
        }
        if module == CLOUDS_CAST {
            assert_layout::<Tet>(&checked, "Tet", &[("corners", 0), ("links", 16)]);
        }
    }
}

/// The numbers that a constant of a shader is written with.
fn constant(name: &str) -> Vec<f32> {
    let texts = LIBRARY.iter().chain(&SHADERS).chain(&[CLOUDS_CAST]).flat_map(|m| m.source.lines());
    let start = format!("const {name}:");
    let line = texts.filter_map(|l| l.strip_prefix(&start)).next().expect("the constant is there");
    let (_, value) = line.split_once('=').unwrap();
    let inside = value.trim().trim_end_matches(';').trim_start_matches("vec3<f32>");
    inside.trim_matches(['(', ')']).split(',').map(|n| n.trim().parse().unwrap()).collect()
}

#[test]
fn shaders_and_rust_use_the_same_numbers() {
    let numbers: [(&str, &[f32]); 20] = [
        ("KEY", &[light::KEY]),
        ("SKY", &light::SKY),
        ("FLOOR", &light::FLOOR),
        ("GLOSS", &[light::GLOSS]),
        ("SHARPNESS", &[light::SHARPNESS as f32]),
        ("FLOOR_SHADOW", &[light::FLOOR_SHADOW]),
        ("FLOOR_COLOUR", &light::FLOOR_COLOUR),
        ("FLOOR_LINE", &[light::FLOOR_LINE]),
        ("SIZE", &[shadow::SIZE as f32]),
        ("BLUR", &[shadow::BLUR as f32]),
        ("OFFSET", &[shadow::OFFSET]),
        ("LINE_BIAS", &[list::LINE_BIAS]),
        ("BALL_BIAS", &[list::BALL_BIAS]),
        ("CREASE", &[list::normals::CREASE]),
        ("INSIDE", &[list::surface::INSIDE]),
        ("NO_VALUE", &colour::NO_VALUE.0),
        ("STEPS", &[table::STEPS as f32]),
        ("THICK", &[table::THICK]),
        ("OPAQUE", &[table::OPAQUE]),
        ("ALIKE", &[crate::cpu::ALIKE]),
    ];
    for (name, want) in numbers {
        assert_eq!(constant(name), want, "{name}");
    }
    // One look reads all texels of the blur.
    let squares =
        include_str!("shaders/shadow.wgsl").split("const SQUARES: u32 = ").nth(1).unwrap();
    let squares: usize = squares.split('u').next().unwrap().parse().unwrap();
    assert_eq!(2 * squares, shadow::TAPS);
}
