//! What a user does first: pull, push, look round, change something, stop, step, go back, save.

use eframe::egui::{Key, Modifiers, PointerButton, vec2};
use pliant_sim::scene::{Collider, ColliderShape};
use pliant_studio::Source;
use serde_json::{Value, json};

use crate::harness::{Harness, SURFACE, number};

pub fn demo(name: &str) -> (Harness, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::Demo(pliant_scenes::find(name).unwrap());
    let mut window = Harness::new(source, folder.path());
    window.until_open();
    (window, folder)
}

/// The hanging bar, untouched by any script, and left alone when it comes apart.
pub fn bar() -> (Harness, tempfile::TempDir) {
    bar_with(|_| {})
}

fn bar_with(change: fn(&mut pliant_sim::scene::World)) -> (Harness, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = (pliant_scenes::find("hanging-bar").unwrap().build)();
    scene.actions.clear();
    scene.world.auto_substeps = false;
    change(&mut scene.world);
    let mut window = Harness::new(Source::Scene("bar".into(), Box::new(scene)), folder.path());
    window.until_open();
    (window, folder)
}

#[test]
fn a_body_is_grabbed_where_the_mouse_is_and_follows_it() {
    let (mut window, _folder) = bar();
    window.until("it moves", |s| number(&s["time"]) > 0.05);
    let before = window.state();
    let middle = window.pixel_of([0, 1, 2].map(|k| number(&before["center_of_mass"][k])));
    window.drag(middle, middle + vec2(0.0, -150.0), PointerButton::Primary, 30);
    let held = window.until("the hand holds something", |s| s["touches"] == 1);
    assert_eq!(held["activity"], "dragging");
    let rise = |s: &Value| number(&s["center_of_mass"][2]) - number(&before["center_of_mass"][2]);
    window.until("the bar is pulled up", |s| rise(s) > 0.02);
    window.button(middle + vec2(0.0, -150.0), PointerButton::Primary, false);
    let free = window.until("it is let go", |s| s["touches"] == 0);
    assert_eq!(free["camera"], before["camera"], "pulling does not move the camera");
}

/// A ball beside the hanging bar is dragged against it; a ball that is let go stays, and time brings it back.
#[test]
fn a_collider_is_dragged_and_beside_it_the_camera_moves() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = (pliant_scenes::find("hanging-bar").unwrap().build)();
    scene.actions.clear();
    let middle = |s: &Value| [0, 1, 2].map(|k| number(&s["center_of_mass"][k]));
    let mut window =
        Harness::new(Source::Scene("bar".into(), Box::new(scene.clone())), folder.path());
    let bar = middle(&window.until_open());
    let shape = ColliderShape::Sphere { radius: 0.15, hollow: false };
    let translate = [bar[0], bar[1], bar[2] - 0.38];
    scene.colliders =
        vec![Collider { name: "ball".into(), shape, translate, ..Collider::default() }];
    window.open(Source::Scene("ball".into(), Box::new(scene)));
    let before =
        window.until("the ball is there", |s| s["title"] == "ball" && number(&s["time"]) > 0.02);
    let ball = window.pixel_of(translate);
    window.drag(ball, ball + vec2(0.0, -40.0), PointerButton::Primary, 30);
    let held = window.until("the ball is taken along", |s| {
        s["displaced"][0][2].as_f64().is_some_and(|z| z > 0.03)
    });
    assert_eq!((&held["activity"], &held["touches"]), (&"dragging".into(), &1.into()));
    window.button(ball + vec2(0.0, -40.0), PointerButton::Primary, false);
    let free = window.until("it is let go", |s| s["touches"] == 0);
    assert_eq!(free["camera"], before["camera"], "taking it along does not move the camera");
    let left = number(&free["displaced"][0][2]);
    let step = number(&free["step"]);
    let later = window.until("it goes on", |s| number(&s["step"]) > step + 10.0);
    assert_eq!(number(&later["displaced"][0][2]), left, "it stays where it was left");
    let corner = window.place("viewport") + vec2(-300.0, 200.0);
    window.drag(corner, corner + vec2(80.0, 30.0), PointerButton::Primary, 20);
    window.until("the camera moves", |s| s["activity"] == "orbiting");
    window.drag(corner, corner + vec2(90.0, 30.0), PointerButton::Primary, 10);
    assert_ne!(window.state()["camera"]["eye"], before["camera"]["eye"]);
    window.button(corner, PointerButton::Primary, false);
    window.click("reset");
    window.until("it is back", |s| number(&s["step"]) < step && s["displaced"] == json!([]));
}

#[test]
fn a_click_picks_the_body_under_the_mouse() {
    let (mut window, _folder) = bar();
    // Until the picture has the room that panels leave it.
    window.frame(vec![]);
    let before = window.state();
    assert!(before["selected"].is_null() && before["places"]["stiffness 0"].is_array());
    let middle = window.pixel_of([0, 1, 2].map(|k| number(&before["center_of_mass"][k])));
    window.button(middle, PointerButton::Primary, true);
    window.button(middle, PointerButton::Primary, false);
    window.until("the bar is selected", |s| s["selected"] == "bar");
    assert_eq!(window.state()["camera"], before["camera"]);
}

#[test]
fn beside_bodies_the_camera_moves() {
    let (mut window, _folder) = bar();
    let before = window.state();
    let corner = window.place("viewport") + vec2(-300.0, 200.0);
    window.drag(corner, corner + vec2(80.0, 30.0), PointerButton::Primary, 5);
    assert_eq!(window.state()["activity"], "orbiting");
    window.button(corner, PointerButton::Primary, false);
    let turned = window.state();
    assert_ne!(turned["camera"]["eye"], before["camera"]["eye"]);
    assert_eq!(turned["camera"]["target"], before["camera"]["target"]);
    window.wheel(corner, 3.0);
    for _ in 0..30 {
        window.frame(vec![]);
    }
    assert_ne!(window.state()["camera"], turned["camera"]);
    window.press(Key::F, Modifiers::NONE);
    window.frame(vec![]);
    let eye = |s: &Value| [0, 1, 2].map(|k| number(&s["camera"]["eye"][k]));
    let (a, b) = (eye(&window.state()), eye(&before));
    assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-9), "{a:?} {b:?}");
}

#[test]
fn the_clock_obeys() {
    let (mut window, _folder) = demo("jelly");
    window.until("it runs", |s| number(&s["step"]) > 20.0);
    window.press(Key::Space, Modifiers::NONE);
    let still = window.until("it stands", |s| s["playing"] == false);
    let step = number(&still["step"]);
    window.press(Key::S, Modifiers::NONE);
    window.until("one step is done", |s| number(&s["step"]) == step + 1.0);
    window.click("step");
    window.until("another is done", |s| number(&s["step"]) == step + 2.0);
    window.click("reset");
    window.until("it is at the start", |s| number(&s["step"]) == 0.0);
    window.click("play");
    window.until("it runs again", |s| s["playing"] == true && number(&s["step"]) > 5.0);
}

#[test]
fn parameters_change_by_key_and_by_slider_while_it_runs() {
    let (mut window, _folder) = demo("jelly");
    window.until("it runs", |s| number(&s["step"]) > 5.0);
    window.press(Key::Num6, Modifiers::NONE);
    window.until("gravity is stronger", |s| number(&s["world"]["gravity"][2]) < -10.0);
    let slider = window.place("damping");
    let before = number(&window.state()["world"]["damping"]);
    window.drag(slider + vec2(-60.0, 0.0), slider + vec2(-20.0, 0.0), PointerButton::Primary, 6);
    window.button(slider + vec2(-20.0, 0.0), PointerButton::Primary, false);
    window.until("damping is another", |s| number(&s["world"]["damping"]) != before);
    let stiffness = window.state()["stiffness"].clone();
    window.press(Key::Num2, Modifiers::NONE);
    let state = window.until("it goes on", |s| s["stiffness"] != stiffness);
    let step = number(&state["step"]);
    window.until("it goes on", |s| number(&s["step"]) > step + 5.0);
    assert!(window.state()["failure"].is_null() && window.state()["diverged"].is_null());
}

#[test]
fn what_comes_apart_is_stopped_and_mended_by_a_click() {
    let (mut window, _folder) = bar_with(|world| world.timestep = 0.02);
    let state = window.until("it came apart", |s| !s["diverged"].is_null());
    assert_eq!(state["playing"], false);
    window.until("the offer is shown", |s| s["places"]["take timestep"].is_array());
    window.click("take timestep");
    // In steps so short that a second would take most of a minute.
    window.until("it goes on", |s| s["diverged"].is_null() && number(&s["time"]) > 0.3);
    assert!(window.state()["diverged"].is_null());
}

#[test]
fn the_past_can_be_gone_back_to() {
    let (mut window, _folder) = bar();
    window.until("there is a past", |s| number(&s["moments"]) >= 3.0);
    window.press(Key::Space, Modifiers::NONE);
    let late = window.until("it stands", |s| s["playing"] == false);
    let bar = window.place("timeline");
    let left = number(&late["places"]["timeline"][0]) as f32 + 8.0;
    window.drag(bar, eframe::egui::pos2(left, bar.y), PointerButton::Primary, 3);
    window.button(eframe::egui::pos2(left, bar.y), PointerButton::Primary, false);
    window.until("it is at the start", |s| number(&s["step"]) == 0.0);
}

#[test]
fn demos_films_pictures_scenes_and_checkpoints() {
    let (mut window, folder) = demo("jelly");
    window.click("menu demos");
    window.click("demo cloth");
    window.until("the cloth is open", |s| s["scene"] == "cloth" && s["opening"].is_null());
    window.press(Key::R, Modifiers::COMMAND);
    window.until("some frames are taken", |s| number(&s["film_frames"]) >= 4.0);
    window.press(Key::R, Modifiers::COMMAND);
    window.until("the film is complete", |s| s["recording"] == false && s["film_busy"] == false);
    window.press(Key::P, Modifiers::COMMAND);
    window.press(Key::S, Modifiers::COMMAND);
    window.click("menu file");
    window.click("entry Save checkpoint");
    window.click("menu file");
    window.click("entry Save surface (OBJ)");
    let file = |name: &str| folder.path().join(name);
    window.until("the checkpoint is there", |_| file("cloth.pliant").exists());
    let film = std::fs::read(file("cloth.mp4")).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
    assert!(std::fs::read(file("cloth.png")).unwrap().starts_with(b"\x89PNG"));
    let scene = pliant_sim::Scene::load(file("cloth.toml")).unwrap();
    assert_eq!(scene.name, "cloth");
    assert!(pliant_mesh::load(file("cloth.obj")).unwrap().mesh.triangles.len() > 1000);
    window.drop_file(&file("cloth.pliant"));
    let back = window.until("the checkpoint is open", |s| s["title"] == "cloth.pliant");
    assert!(number(&back["time"]) > 0.0);
}

#[test]
fn dropped_files_that_do_not_fit_say_why() {
    let (mut window, folder) = demo("jelly");
    // Closed, and flat: there is no inside that could be filled.
    let path = folder.path().join("leaf.off");
    std::fs::write(&path, "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n").unwrap();
    window.drop_file(&path);
    let state = window.until("it is refused", |s| !s["failure"].is_null());
    let why = state["failure"].as_str().unwrap();
    assert!(why.contains("leaf.off") && why.contains("no tetrahedra"), "{why}");
    assert_eq!(state["scene"], "jelly", "what was open stays");
    window.until("the offer is shown", |s| s["places"]["open instead"].is_array());
    window.click("open instead");
    window.until("the skin is open", |s| s["title"] == "leaf.off");
    // What has an inside is filled with a cage, which can be shown.
    let path = folder.path().join("shell.off");
    std::fs::write(&path, SURFACE).unwrap();
    window.drop_file(&path);
    window.until("the shell is open", |s| s["title"] == "shell.off" && s["opening"].is_null());
    window.until("its cage can be shown", |s| s["places"]["show cages"].is_array());
    std::fs::write(folder.path().join("bad.toml"), "[world]\ngravty = 3\n").unwrap();
    window.drop_file(&folder.path().join("bad.toml"));
    let state = window.until("it is refused", |s| !s["failure"].is_null());
    assert!(state["failure"].as_str().unwrap().contains("gravty"));
    window.until("it can be dismissed", |s| s["places"]["dismiss"].is_array());
    window.click("dismiss");
    window.until("it is gone", |s| s["failure"].is_null());
}
