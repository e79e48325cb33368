//! A window opens, shows bodies, and they can be taken hold of.

use crate::window::{Window, number};

/// Two blocks that lie still, in a world that no script changes.
pub const BLOCKS: &str = r#"name = "two blocks"

[world]
timestep = 0.0005
damping = 1
box = { size = [2, 2, 2] }

[[bodies]]
name = "left"
shape = { kind = "bar", cells = [5, 5, 5], size = [0.4, 0.4, 0.4] }
translate = [-0.5, -0.2, 0.002]
material = { mass = { density = 1000 }, stiffness = { young = 20e3 } }

[[bodies]]
name = "right"
shape = { kind = "bar", cells = [5, 5, 5], size = [0.4, 0.4, 0.4] }
translate = [0.1, -0.2, 0.002]
material = { mass = { density = 1000 }, stiffness = { young = 20e3 } }
"#;

#[test]
fn a_window_shows_the_bodies_in_their_colours() {
    let Some(mut window) = Window::open("jelly", &[]) else { return };
    let view = window.area("viewport");
    let photo = window.photograph_until("jelly", |p| p.hues(view).iter().sum::<f64>() > 0.01);
    let (colours, hues) = (photo.colours(view), photo.hues(view));
    println!("{colours} colours; of each hue {hues:.3?}");
    assert!(colours > 200, "shaded surfaces, floor and shadows have many colours, not {colours}");
    assert!(hues.iter().filter(|&&part| part > 0.002).count() >= 3, "four bodies: {hues:.4?}");
    assert!(window.state()["picture_trouble"].is_null() && window.state()["failure"].is_null());
}

#[test]
fn a_body_follows_the_mouse_that_holds_it() {
    let Some(mut window) = Window::open(BLOCKS, &[]) else { return };
    let view = window.area("viewport");
    let before = window.photograph_until("blocks", |p| p.body(view).is_some());
    let camera = window.state()["camera"].clone();
    let [x, y] = before.body(view).unwrap();
    let from = number(&window.state()["center_of_mass"][2]);
    window.press_at([x, y], "1");
    for i in 1..=8 {
        window.move_to([x, y - 20 * i]);
    }
    window.until("a hand holds something", |s| s["touches"] == 1 && s["activity"] == "dragging");
    let lifted = |s: &serde_json::Value| number(&s["center_of_mass"][2]) - from > 0.02;
    window.until("the body is lifted", lifted);
    let round = [x - 60, y - 60, 120, 120];
    let held = window.photograph_until("dragged", |p| p.difference(&before, round) > 0.02);
    println!("{:.1} % differs", 100.0 * held.difference(&before, round));
    window.let_go("1");
    window.until("it is let go", |s| s["touches"] == 0 && s["activity"] == "none");
    assert_eq!(window.state()["camera"], camera, "pulling does not move the camera");
    window.until("it falls back", |s| !lifted(s));
}

/// A ball that nothing moves by itself, between the two blocks and in the middle of the picture.
const BALL: &str = r#"
[[colliders]]
name = "ball"
shape = { kind = "sphere", radius = 0.09 }
translate = [0, 0, 0.2]

[output.picture.camera]
direction = [0, -1, 0.4]
target = [0, 0, 0.2]
distance = 2
"#;

#[test]
fn a_collider_follows_the_mouse_and_pushes_a_body() {
    let Some(mut window) = Window::open(&format!("{BLOCKS}{BALL}"), &[]) else { return };
    let view = window.area("viewport");
    let before = window.photograph_until("ball", |p| p.hues(view).iter().sum::<f64>() > 0.01);
    let (camera, from) =
        (window.state()["camera"].clone(), number(&window.state()["center_of_mass"][0]));
    let [x, y] = window.place("viewport");
    window.press_at([x, y], "1");
    for i in 1..=8 {
        window.move_to([x + 15 * i, y]);
    }
    window.until("a hand holds something", |s| s["touches"] == 1 && s["activity"] == "dragging");
    let is_there = |s: &serde_json::Value| s["displaced"][0][0].as_f64().is_some_and(|x| x > 0.1);
    window.until("the ball is taken along", is_there);
    window.until("a block is pushed", |s| number(&s["center_of_mass"][0]) - from > 0.01);
    let round = [x - 60, y - 60, 240, 120];
    let held = window.photograph_until("carried", |p| p.difference(&before, round) > 0.02);
    println!("{:.1} % differs", 100.0 * held.difference(&before, round));
    window.let_go("1");
    let free = window.until("it is let go", |s| s["touches"] == 0 && s["activity"] == "none");
    assert!(is_there(free), "it stays where it was left");
    assert_eq!(window.state()["camera"], camera, "taking it along does not move the camera");
}
