//! On a phone: one column, and fingers instead of a mouse.

use std::time::Duration;

use eframe::egui::{Key, Modifiers, PointerButton, Pos2, Rect, Vec2, pos2, vec2};
use serde_json::Value;

use crate::device::on_gpu;
use crate::fingers::Fingers;
use crate::harness::{Harness, number};
use crate::touching::{bar, demo};

const PHONE: [f32; 2] = [390.0, 844.0];

/// A scene in a window of the size of a phone.
fn on_phone((mut window, folder): (Harness, tempfile::TempDir)) -> (Harness, tempfile::TempDir) {
    window.size = PHONE;
    window.frame(vec![]);
    window.press(Key::F, Modifiers::NONE);
    window.frame(vec![]);
    window.frame(vec![]);
    (window, folder)
}

fn middle_of_bodies(window: &Harness) -> Pos2 {
    let state = window.state();
    window.pixel_of([0, 1, 2].map(|k| number(&state["center_of_mass"][k])))
}

fn vector(state: &Value, name: &str) -> [f64; 3] {
    [0, 1, 2].map(|k| number(&state["camera"][name][k]))
}

fn distance(state: &Value) -> f64 {
    let (eye, target) = (vector(state, "eye"), vector(state, "target"));
    (0..3).map(|k| (eye[k] - target[k]).powi(2)).sum::<f64>().sqrt()
}

fn pause(window: &mut Harness) {
    // What is not playing yet would begin to.
    window.until("it plays", |s| s["playing"] == true);
    window.press(Key::Space, Modifiers::NONE);
    window.until("it stands", |s| s["playing"] == false);
}

#[test]
fn a_finger_pulls_a_body_and_a_second_lets_it_go() {
    let (mut window, _folder) = on_phone(bar());
    let before = window.state();
    let at = middle_of_bodies(&window);
    let mut fingers = Fingers::default();
    fingers.put(&mut window, 1, at);
    fingers.shift(&mut window, vec2(0.0, -120.0), 20);
    let held = window.until("the hand holds something", |s| s["touches"] == 1);
    assert_eq!(held["activity"], "dragging");
    let rise = |s: &Value| number(&s["center_of_mass"][2]) - number(&before["center_of_mass"][2]);
    window.until("the bar is pulled up", |s| rise(s) > 0.02);
    fingers.put(&mut window, 2, at + vec2(80.0, 200.0));
    let free = window.until("it is let go", |s| s["touches"] == 0);
    assert_eq!(free["activity"], "fingers");
    fingers.lift(&mut window, 1);
    fingers.shift(&mut window, vec2(60.0, 0.0), 4);
    let last = window.until("it is over", |s| s["activity"] == "none");
    assert_eq!(last["camera"], before["camera"], "neither pulling nor changing fingers moves it");
    fingers.lift(&mut window, 2);
}

/// How far below the middle of the bodies the mouse no longer meets one \[points\].
fn edge(window: &mut Harness, middle: Pos2) -> f32 {
    let mut meets = |offset: f32| {
        let at = middle + vec2(0.0, offset);
        window.drag(at, at + vec2(9.0, 0.0), PointerButton::Primary, 2);
        let state = window.until("it is known", |s| s["activity"] != "reaching");
        window.button(at, PointerButton::Primary, false);
        window.press(Key::F, Modifiers::NONE);
        window.frame(vec![]);
        state["activity"] == "dragging"
    };
    assert!(meets(0.0));
    (1..400).map(|i| 2.0 * i as f32).find(|d| !meets(*d)).expect("the body ends somewhere")
}

fn activity_of_finger(window: &mut Harness, at: Pos2) -> Value {
    let mut fingers = Fingers::default();
    fingers.put(window, 1, at);
    fingers.shift(window, vec2(9.0, 0.0), 3);
    let state = window.until("it is known", |s| s["activity"] != "reaching");
    fingers.lift(window, 1);
    window.press(Key::F, Modifiers::NONE);
    window.frame(vec![]);
    state["activity"].clone()
}

fn check_broad_fingers(window: &mut Harness) {
    pause(window);
    let middle = middle_of_bodies(window);
    let edge = edge(window, middle);
    let below = |d: f32| middle + vec2(0.0, edge + d);
    assert_eq!(activity_of_finger(window, middle), "dragging");
    assert_eq!(activity_of_finger(window, below(8.0)), "dragging");
    assert_eq!(activity_of_finger(window, below(24.0)), "orbiting");
}

#[test]
fn a_finger_need_not_hit_exactly() {
    let (mut window, _folder) = on_phone(bar());
    check_broad_fingers(&mut window);
}

#[test]
fn a_finger_need_not_hit_exactly_what_is_only_on_a_device() {
    let Some(window) = on_gpu("a_finger_on_a_device", "hanging-bar") else { return };
    let (mut window, _folder) = on_phone(window);
    window.until("it is drawn from the device", |s| s["on_device"] == true);
    check_broad_fingers(&mut window);
}

#[test]
fn a_finger_that_rests_holds_and_one_that_taps_does_not() {
    let (mut window, _folder) = on_phone(bar());
    let at = middle_of_bodies(&window);
    let mut fingers = Fingers::default();
    fingers.tap(&mut window, at);
    let tapped = window.until("the bar is selected", |s| s["selected"] == "bar");
    assert_eq!(tapped["touches"], 0);
    pause(&mut window);
    let at = middle_of_bodies(&window);
    fingers.put(&mut window, 1, at);
    // Longer than egui's long touch, which ends drags.
    for _ in 0..90 {
        window.frame(vec![]);
    }
    assert_eq!(window.state()["activity"], "dragging");
    fingers.take_away(&mut window);
    window.until("the browser has let go for it", |s| s["activity"] == "none");
    let beside = window.place("viewport") + vec2(-150.0, 280.0);
    fingers.put(&mut window, 2, beside);
    fingers.shift(&mut window, vec2(20.0, 0.0), 3);
    assert_eq!(window.state()["activity"], "orbiting", "the next finger works as ever");
}

#[test]
fn pinching_zooms_and_two_fingers_walk_round() {
    let (mut window, _folder) = on_phone(bar());
    let middle = window.place("viewport");
    let before = window.state();
    let mut fingers = Fingers::default();
    fingers.put(&mut window, 1, middle - vec2(50.0, 0.0));
    fingers.put(&mut window, 2, middle + vec2(50.0, 0.0));
    assert_eq!(window.state()["camera"], before["camera"], "no jump at the beginning");
    for i in 1..=10 {
        let half = vec2(50.0 + 5.0 * i as f32, 0.0);
        fingers.slide(&mut window, &[(1, middle - half), (2, middle + half)]);
    }
    let near = window.state();
    assert!((distance(&near) / distance(&before) - 0.5).abs() < 1e-3, "twice as near");
    assert_eq!(near["touches"], 0, "no body is pulled by fingers that pinch");
    fingers.shift(&mut window, vec2(60.0, 30.0), 6);
    let turned = window.state();
    assert!((distance(&turned) / distance(&near) - 1.0).abs() < 1e-3, "turning is no zooming");
    let shift = (0..3).map(|k| vector(&turned, "target")[k] - vector(&near, "target")[k]);
    assert!(shift.map(f64::abs).fold(0.0, f64::max) < 1e-9 * distance(&near));
    assert_ne!(turned["camera"]["eye"], near["camera"]["eye"]);
    fingers.put(&mut window, 3, middle + vec2(0.0, 120.0));
    assert_eq!(window.state()["camera"], turned["camera"]);
    fingers.shift(&mut window, vec2(-40.0, 0.0), 4);
    let moved = window.state();
    assert_ne!(moved["camera"]["target"], turned["camera"]["target"], "three fingers move it");
    for finger in [1, 3, 2] {
        fingers.lift(&mut window, finger);
    }
    window.frame(vec![]);
    assert_eq!(window.state()["camera"], moved["camera"], "no jump at the end");
    assert_eq!(window.state()["activity"], "none");
}

#[test]
fn fingers_that_began_elsewhere_do_not_move_the_camera() {
    let (mut window, _folder) = on_phone(bar());
    let mut fingers = Fingers::default();
    let (button, picture) = (window.place("parameters"), window.place("viewport"));
    let before = window.state();
    fingers.put(&mut window, 1, button);
    fingers.put(&mut window, 2, picture);
    fingers.shift(&mut window, vec2(-30.0, 40.0), 5);
    assert_eq!(window.state()["camera"], before["camera"]);
}

#[test]
fn the_drawer_opens_and_closes() {
    let (mut window, _folder) = on_phone(bar());
    let mut fingers = Fingers::default();
    let mut tap = |window: &mut Harness, name: &str| {
        let at = window.place(name);
        fingers.tap(window, at);
    };
    assert!(window.state()["drawer"].is_null());
    let whole = number(&window.state()["places"]["viewport"][3]);
    tap(&mut window, "parameters");
    assert_eq!(window.state()["drawer"], "Hand");
    let drawer = number(&window.state()["places"]["drawer"][3]);
    assert!(drawer <= 0.56 * f64::from(PHONE[1]), "{drawer} points high");
    assert!(number(&window.state()["places"]["viewport"][3]) > 0.3 * whole);
    tap(&mut window, "tab View");
    assert_eq!(window.state()["drawer"], "View");
    tap(&mut window, "close drawer");
    assert!(window.state()["drawer"].is_null());
    tap(&mut window, "parameters");
    assert_eq!(window.state()["drawer"], "View", "it is remembered");
    tap(&mut window, "viewport");
    assert!(window.state()["drawer"].is_null(), "a touch of the picture closes it");
    window.press(Key::P, Modifiers::NONE);
    assert_eq!(window.state()["drawer"], "View");
    tap(&mut window, "menu");
    assert_eq!(window.state()["drawer"], "Menu");
    tap(&mut window, "demo cloth");
    window.until("the cloth is open", |s| s["scene"] == "cloth" && s["opening"].is_null());
    assert!(window.state()["drawer"].is_null());
    window.size = [844.0, 390.0];
    window.until("it is turned", |s| s["layout"] == "sideways");
    window.size = [1280.0, 800.0];
    window.until("it has the usual window", |s| s["places"]["step"].is_array());
    assert_eq!(window.state()["layout"], "desk");
}

#[test]
fn sliders_in_the_drawer_change_what_they_say() {
    let (mut window, _folder) = on_phone(demo("jelly"));
    let mut fingers = Fingers::default();
    window.press(Key::P, Modifiers::NONE);
    window.frame(vec![]);
    let at = window.place("tab World");
    fingers.tap(&mut window, at);
    let before = number(&window.state()["world"]["gravity"][2]);
    let left = window.state()["places"]["gravity"][0].as_f64().unwrap() as f32;
    let at = pos2(left + 30.0, window.place("gravity").y);
    fingers.put(&mut window, 1, at);
    fingers.shift(&mut window, vec2(40.0, 0.0), 5);
    fingers.lift(&mut window, 1);
    window
        .until("gravity is another", |s| (number(&s["world"]["gravity"][2]) - before).abs() > 1.0);
    window.until("it goes on", |s| s["diverged"].is_null() && number(&s["step"]) > 5.0);
}

#[test]
fn nothing_is_outside_or_below_something_else() {
    for size in [[360.0, 640.0], [390.0, 844.0], [844.0, 390.0], [725.0, 500.0], [800.0, 600.0]] {
        let (mut window, _folder) = bar();
        window.size = size;
        let is_desk = size[0] >= 720.0 && size[1] >= 420.0;
        let state = window.until("it is arranged", |s| (s["layout"] == "desk") == is_desk);
        window.frame(vec![]);
        check_places(&window, "nothing open");
        if state["layout"] == "desk" {
            continue;
        }
        let tabs = ["tab Hand", "tab View", "tab Volume", "volume", "tab World", "tab Bodies"];
        for name in ["menu", "parameters"].into_iter().chain(tabs) {
            window.click(name);
            window.frame(vec![]);
            window.frame(vec![]);
            check_places(&window, name);
        }
    }
}

fn rect_of(place: &Value) -> Rect {
    let [x, y, width, height] = [0, 1, 2, 3].map(|i| number(&place[i]) as f32);
    Rect::from_min_size(pos2(x, y), vec2(width, height))
}

fn check_places(window: &Harness, page: &str) {
    let state = window.state();
    let whole = Rect::from_min_size(Pos2::ZERO, Vec2::from(window.size));
    let is_small = state["layout"] != "desk";
    let shown = state["visible"].as_object().unwrap();
    assert!(shown.len() > 3, "{page}");
    for (i, (name, place)) in shown.iter().enumerate() {
        let (rect, full) = (rect_of(place), rect_of(&state["places"][name]));
        let what = format!("{name} in {:?} with {page}", window.size);
        assert!(whole.expand(0.5).contains_rect(rect), "{what}: {rect} is outside");
        // What is scrolled away is beyond the lower edge, never beyond a side.
        assert!(full.left() >= -0.5 && full.right() <= whole.right() + 0.5, "{what}: {full}");
        assert!(!is_small || full.height() >= 39.9, "{what}: {full} is too low for a finger");
        for (other, place) in shown.iter().take(i) {
            let common = rect.intersect(rect_of(place)).shrink(0.5);
            assert!(!common.is_positive(), "{what}: {rect} covers {other}, {}", rect_of(place));
        }
    }
    let picture = rect_of(&state["places"]["viewport"]);
    assert!(picture.height() > 0.25 * whole.height() && picture.width() > 0.4 * whole.width());
    std::thread::sleep(Duration::from_millis(1));
}
