//! Light and shadow.

use super::*;

const ALBEDO: f32 = 0.4;

fn grey<'a>(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]]) -> Body<'a> {
    Body { positions, triangles, colour: Some(Colour([ALBEDO; 3])), ..Body::default() }
}

#[test]
fn a_face_under_known_light_has_the_computed_colour() {
    let board = square([0.0; 3], 1.0);
    let scene = scene(vec![grey(&board, &SQUARE)]);
    // The eye at 60° from the normal, the light at 30° on the other side: the halfway vector is at
    // 15° from the normal.
    let (eye, light) = (60f64.to_radians(), 30f32.to_radians());
    let mut view = bare(looking([0.0, -6.0 * eye.sin(), 6.0 * eye.cos()], [0.0; 3]));
    view.light = [0.0, 3.0 * light.sin(), 3.0 * light.cos()];
    for shadow in [false, true] {
        view.shadow = shadow;
        let image = render(&scene, &view, 101, 101, 1).unwrap().image;
        let got = linear(image.at(50, 50));
        let cosine = light.cos();
        let shine = light::GLOSS * 15f32.to_radians().cos().powi(24) * cosine.sqrt();
        for k in 0..3 {
            let want = ALBEDO * (light::SKY[k] + light::KEY * cosine) + shine;
            assert!((got[k] - want).abs() < 4e-3, "{} is not {want}", got[k]);
        }
    }
}

#[test]
fn a_face_away_from_the_light_has_fill_alone() {
    let board = square([0.0; 3], 1.0);
    let scene = scene(vec![grey(&board, &SQUARE)]);
    let mut view = bare(looking([0.0, -3.0, 6.0], [0.0; 3]));
    (view.light, view.shadow) = ([0.0, 0.0, -1.0], true);
    let image = render(&scene, &view, 101, 101, 1).unwrap().image;
    let got = linear(image.at(50, 50));
    assert!((got[0] - ALBEDO * light::SKY[0]).abs() < 2e-3, "{got:?}");
}

/// A board above the floor and another between them, light from straight above.
fn shadows() -> [Image; 2] {
    let (upper, lower) = (square([0.0, 0.0, 2.0], 0.5), square([0.5, 0.0, 1.0], 0.5));
    let bodies = vec![grey(&upper, &SQUARE), grey(&lower, &SQUARE)];
    let scene = Geometry { ground: Some(0.0), ..scene(bodies) };
    let mut view = view_of_shadows();
    [true, false].map(|shadow| {
        view.shadow = shadow;
        render(&scene, &view, 400, 400, 2).unwrap().image
    })
}

fn view_of_shadows() -> View {
    let mut view = View::new(looking([0.0, -14.0, 5.0], [0.0, 0.0, 1.0]));
    (view.light, view.grid) = ([0.0, 0.0, 1.0], false);
    view
}

#[test]
fn shadows_are_where_they_must_be_and_nowhere_else() {
    let [with, without] = shadows();
    let view = view_of_shadows();
    let kept = |p: [f32; 3]| {
        linear(pixel_of(&view, &with, p))[1] / linear(pixel_of(&view, &without, p))[1]
    };
    // On the floor, below either board.
    for x in [-0.4, 0.0, 0.4, 0.9] {
        let kept = kept([x, -0.2, 0.0]);
        assert!((kept - light::FLOOR_SHADOW).abs() < 0.02, "{kept} at x = {x}");
    }
    // The edge is soft, but within a few texels of the map (2.6 m over 768).
    for x in [-0.56, 1.06, -1.5, 2.0] {
        assert!(kept([x, -0.2, 0.0]) > 0.99, "lit at x = {x}");
    }
    // On the lower board: below the upper one, and beside it.
    let fill = light::SKY[1] / (light::SKY[1] + light::KEY);
    let shaded = kept([0.25, 0.0, 1.0]);
    assert!((shaded - fill).abs() < 0.05, "{shaded} is not {fill}");
    assert!(kept([0.75, 0.0, 1.0]) > 0.999, "no shadow of its own");
    assert!(kept([0.0, 0.0, 2.0]) > 0.999 && kept([0.45, 0.45, 2.0]) > 0.999);
}

#[test]
fn a_ball_does_not_speckle_itself() {
    let (positions, triangles) = sphere([0.0; 3], 1.0, 40);
    let scene = scene(vec![grey(&positions, &triangles)]);
    let mut view = bare(looking([0.0, -8.0, 0.0], [0.0; 3]));
    view.light = [0.3, -0.8, 0.6];
    let [plain, shadowed] = [false, true].map(|shadow| {
        view.shadow = shadow;
        render(&scene, &view, 300, 300, 1).unwrap().image
    });
    // Its own shadow begins where light only grazes, so nothing changes by more than a trace.
    let most = plain
        .pixels
        .iter()
        .zip(&shadowed.pixels)
        .fold(0.0, |most: f32, (a, b)| most.max((linear(*a)[0] - linear(*b)[0]).abs()));
    assert!(most < 0.04, "{most}");
}

#[test]
fn the_floor_is_seen_from_above_only() {
    let board = square([0.0, 0.0, 1.0], 0.3);
    let scene = Geometry { ground: Some(0.0), ..scene(vec![grey(&board, &SQUARE)]) };
    let mut view = View::new(looking([0.0, -6.0, 4.0], [0.0, 0.0, 0.0]));
    let plain = View { ground: false, ..view.clone() };
    let draw = |view: &View| render(&scene, view, 120, 120, 1).unwrap().image;
    assert!(draw(&view) != draw(&plain));
    view.camera = looking([0.0, -6.0, -4.0], [0.0, 0.0, 0.0]);
    let plain = View { ground: false, ..view.clone() };
    assert!(draw(&view) == draw(&plain));
}

#[test]
fn the_floor_hides_what_is_below_it() {
    let board = square([0.0, 0.0, -0.5], 0.3);
    let scene = Geometry { ground: Some(0.0), ..scene(vec![black(&board, &SQUARE)]) };
    let view = View::new(looking([0.0, -6.0, 4.0], [0.0, 0.0, -0.5]));
    let image = render(&scene, &view, 120, 120, 1).unwrap().image;
    assert!(linear(image.at(60, 60))[0] > 0.3);
}

/// How far the pictures of two scenes are from each other: pixels that differ visibly.
fn differing(a: &Image, b: &Image) -> usize {
    let far = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).any(|k| a[k].abs_diff(b[k]) > 8);
    a.pixels.iter().zip(&b.pixels).filter(far).count()
}

#[test]
fn the_origin_does_not_show() {
    let draw = |origin: [f64; 3]| {
        let (mut positions, triangles) = sphere([0.2, 0.1, 0.8], 0.5, 20);
        for p in &mut positions {
            *p = std::array::from_fn(|k| (f64::from(p[k]) - origin[k]) as f32);
        }
        let scene =
            Geometry { origin, ground: Some(0.0), ..scene(vec![grey(&positions, &triangles)]) };
        let view = View { axes: true, ..View::new(looking([1.0, -5.0, 3.0], [0.0, 0.0, 0.5])) };
        render(&scene, &view, 240, 180, 1).unwrap().image
    };
    let here = draw([0.0; 3]);
    for origin in [[0.3, -0.7, 0.11], [-17.3, 40.2, 5.0]] {
        // Rounding moves single samples at outlines.
        assert!(differing(&here, &draw(origin)) < 20, "{origin:?}");
    }
}

#[test]
fn the_floor_stays_while_bodies_move() {
    let view = View::new(looking([0.0, -9.0, 5.0], [0.0; 3]));
    let draw = |x: f32, size: f32| {
        let board = square([x, 0.0, 0.5], size);
        let scene = Geometry { ground: Some(0.0), ..scene(vec![grey(&board, &SQUARE)]) };
        render(&scene, &view, 300, 200, 1).unwrap().image
    };
    let (one, other) = (draw(-0.5, 0.2), draw(0.4, 0.6));
    // Above and below the boards and their shadows, nothing changes.
    for y in (0..60).chain(140..200) {
        for x in 0..300 {
            assert_eq!(one.at(x, y), other.at(x, y), "at {x}, {y}");
        }
    }
    assert!(one != other);
}
