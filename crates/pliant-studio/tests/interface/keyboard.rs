//! Without a mouse.

use std::collections::BTreeSet;

use eframe::egui::{Key, Modifiers};
use serde_json::Value;

use crate::harness::{Harness, number};
use crate::touching::{bar, demo};

/// Names of the controls that Tab comes to, in turn, until it has been everywhere.
fn reached_by_tab(window: &mut Harness) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    for _ in 0..150 {
        window.press(Key::Tab, Modifiers::NONE);
        let Some(id) = window.ctx.memory(|m| m.focused()) else { continue };
        let Some(response) = window.ctx.read_response(id) else { continue };
        let middle = response.rect.center();
        let state = window.state();
        for (name, place) in state["places"].as_object().unwrap() {
            let at = |i: usize| number(&place[i]) as f32;
            // A slider's place is that of rail and number together.
            let is_inside = (at(0)..=at(0) + at(2)).contains(&middle.x)
                && (at(1)..=at(1) + at(3)).contains(&middle.y);
            if is_inside && at(3) <= response.rect.height() + 8.0 {
                reached.insert(name.clone());
            }
        }
    }
    reached
}

#[test]
fn tab_comes_to_every_control() {
    let (mut window, _folder) = bar();
    window.frame(vec![]);
    let reached = reached_by_tab(&mut window);
    let state = window.state();
    let all: BTreeSet<String> = state["places"].as_object().unwrap().keys().cloned().collect();
    let missed: Vec<_> = all.difference(&reached).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(all.len() > 30 && all.contains("viewport") && all.contains("timeline"));
}

#[test]
fn tab_comes_to_every_control_of_a_phone() {
    let (mut window, _folder) = bar();
    window.size = [390.0, 844.0];
    window.frame(vec![]);
    window.press(Key::P, Modifiers::NONE);
    window.frame(vec![]);
    let reached = reached_by_tab(&mut window);
    for name in ["menu", "play", "reset", "parameters", "tab World", "close drawer", "radius"] {
        assert!(reached.contains(name), "{name}");
    }
}

/// The window of these tests ends when a letter cannot be shown.
#[test]
fn the_list_of_keys_can_be_read() {
    let (mut window, _folder) = bar();
    for size in [[1280.0, 800.0], [390.0, 844.0]] {
        window.size = size;
        window.press(Key::F1, Modifiers::NONE);
        window.frame(vec![]);
        assert_eq!(window.state()["help"], true);
        window.press(Key::F1, Modifiers::NONE);
    }
}

fn vector(state: &Value, name: &str) -> [f64; 3] {
    [0, 1, 2].map(|k| number(&state["camera"][name][k]))
}

fn distance(state: &Value) -> f64 {
    let (eye, target) = (vector(state, "eye"), vector(state, "target"));
    (0..3).map(|k| (eye[k] - target[k]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn arrows_and_signs_move_the_camera() {
    let (mut window, _folder) = bar();
    window.frame(vec![]);
    let before = window.state();
    let mut press = |key, modifiers| {
        window.press(key, modifiers);
        window.state()
    };
    let left = press(Key::ArrowLeft, Modifiers::NONE);
    assert_ne!(left["camera"]["eye"], before["camera"]["eye"]);
    assert_eq!(left["camera"]["target"], before["camera"]["target"]);
    assert!((distance(&left) / distance(&before) - 1.0).abs() < 1e-9);
    let back = press(Key::ArrowRight, Modifiers::NONE);
    let (a, b) = (vector(&back, "eye"), vector(&before, "eye"));
    assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-9 * distance(&before)));
    let up = press(Key::ArrowUp, Modifiers::NONE);
    assert!(vector(&up, "eye")[2] > vector(&back, "eye")[2]);
    let slid = press(Key::ArrowUp, Modifiers::SHIFT);
    assert!(vector(&slid, "target")[2] > vector(&up, "target")[2], "upwards without turning");
    let near = press(Key::Plus, Modifiers::SHIFT);
    assert!(distance(&near) < distance(&slid));
    let far = press(Key::Minus, Modifiers::NONE);
    assert!((distance(&far) / distance(&slid) - 1.0).abs() < 1e-9);
}

/// Presses Tab until a control has the keyboard's attention.
fn tab_to(window: &mut Harness, name: &str) {
    for _ in 0..150 {
        window.press(Key::Tab, Modifiers::NONE);
        let focused = window.ctx.memory(|m| m.focused());
        let Some(response) = focused.and_then(|id| window.ctx.read_response(id)) else { continue };
        if response.rect.center().distance(window.place(name)) < 2.0 {
            return;
        }
    }
    panic!("{name} is not reached");
}

#[test]
fn controls_keep_the_keys_that_work_them_and_leave_the_others() {
    let (mut window, _folder) = demo("jelly");
    window.until("it runs", |s| number(&s["step"]) > 5.0);
    tab_to(&mut window, "reset");
    let camera = window.state()["camera"].clone();
    window.press(Key::Space, Modifiers::NONE);
    assert_eq!(window.state()["playing"], true, "Space presses Reset, it does not pause");
    window.press(Key::M, Modifiers::NONE);
    assert_eq!(window.state()["tool"], "push", "letters do what they always do");
    tab_to(&mut window, "viewport");
    window.press(Key::ArrowLeft, Modifiers::NONE);
    assert_ne!(window.state()["camera"], camera, "arrows belong to the picture there");
    window.press(Key::Space, Modifiers::NONE);
    window.until("Space pauses again", |s| s["playing"] == false);
}

#[test]
fn the_past_can_be_gone_back_to_by_arrows() {
    let (mut window, _folder) = bar();
    window.until("there is a past", |s| number(&s["moments"]) >= 3.0);
    window.press(Key::Space, Modifiers::NONE);
    let late = window.until("it stands", |s| s["playing"] == false);
    tab_to(&mut window, "timeline");
    window.press(Key::ArrowLeft, Modifiers::NONE);
    let step = number(&late["step"]);
    let early = window.until("it is earlier", |s| number(&s["step"]) < step);
    let step = number(&early["step"]);
    window.press(Key::ArrowLeft, Modifiers::NONE);
    window.until("it is earlier still", |s| number(&s["step"]) < step);
    assert_eq!(window.state()["camera"], late["camera"], "the camera has not moved");
}
