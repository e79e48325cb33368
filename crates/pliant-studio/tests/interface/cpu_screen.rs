//! Without any graphics card: the processor draws, as in browsers without WebGPU.

use eframe::egui::{Color32, Key, Modifiers};
use pliant_studio::{Screen, Source};

use crate::harness::{Harness, number};

fn open(demo: &str) -> (Harness, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::Demo(pliant_scenes::find(demo).unwrap());
    let mut window = Harness::new(source, folder.path());
    window.studio.set_screen(Some(Screen::on_cpu(&window.ctx)), &window.ctx);
    window.studio.set_notice(Some("running on the CPU".into()));
    window.until_open();
    (window, folder)
}

#[test]
fn a_body_is_seen_and_nothing_is_drawn_twice() {
    let (mut window, _folder) = open("hanging-bar");
    window.until("it is drawn", |s| number(&s["pictures_drawn"]) > 2.0);
    window.press(Key::Space, Modifiers::NONE);
    window.until("it stands still", |s| s["playing"] == false);
    let state = window.state();
    let size = [2, 3].map(|i| number(&state["places"]["viewport"][i]).round() as usize);
    // After a moment of calm there is time for a fine picture.
    let start = std::time::Instant::now();
    while start.elapsed().as_secs_f64() < 1.0 {
        window.frame(Vec::new());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let state = window.state();
    assert!(state["picture_trouble"].is_null(), "{}", state["picture_trouble"]);
    let picture = window.picture.clone().expect("a picture");
    assert!(picture.width() <= size[0] && picture.width() >= 96, "{:?}", picture.size);
    // The bar is above or below its centre of mass, depending on how it is bent when it is stopped, and
    // in another colour than the wall behind it.
    let centre = [0, 1, 2].map(|k| number(&state["center_of_mass"][k]));
    let at = window.pixel_of(centre);
    let corner = [0, 1].map(|i| number(&state["places"]["viewport"][i]) as f32);
    let scale = picture.width() as f32 / size[0] as f32;
    let pixel = |x: f32, y: f32| picture[((x * scale) as usize, (y * scale) as usize)];
    let difference = |a: Color32, b: Color32| {
        let channels = a.to_array().into_iter().zip(b.to_array());
        channels.map(|(a, b)| a.abs_diff(b)).max().unwrap()
    };
    let wall = pixel(3.0, 3.0);
    let column =
        (-20..=20).map(|n| (at.y - corner[1] + 4.0 * n as f32).clamp(0.0, size[1] as f32 - 1.0));
    let is_seen = |y: f32| difference(pixel(at.x - corner[0], y), wall) > 40;
    assert!(column.into_iter().any(is_seen), "nothing but {wall:?} round {at:?}");
    // Now that nothing changes nothing is drawn, though the window goes on.
    let drawn = number(&window.state()["pictures_drawn"]);
    let shown = number(&window.state()["pictures"]);
    (0..20).for_each(|_| window.frame(Vec::new()));
    assert_eq!(number(&window.state()["pictures_drawn"]), drawn);
    assert_eq!(number(&window.state()["pictures"]), shown + 20.0);
    window.press(Key::W, Modifiers::NONE);
    assert!(number(&window.state()["pictures_drawn"]) > drawn, "edges were asked for");
}

#[test]
fn it_is_told_in_words() {
    let (mut window, _folder) = open("hanging-bar");
    window.until("it moves", |s| number(&s["time"]) > 0.0);
    let text = window.studio.describe();
    assert!(text.contains("one soft body") && text.contains("playing"), "{text}");
    assert!(text.contains("CPU, 1 thread") && text.ends_with("running on the CPU."), "{text}");
    window.press(Key::Space, Modifiers::NONE);
    window.until("it stands still", |s| s["playing"] == false);
    assert!(window.studio.describe().contains("paused"));
}

#[test]
fn links_carry_scene_parameters_and_camera() {
    let (mut window, _folder) = open("hanging-bar");
    window.until("it is drawn", |s| number(&s["pictures"]) > 0.0);
    window.press(Key::Num6, Modifiers::NONE);
    let viewport = window.place("viewport");
    window.wheel(viewport, 3.0);
    let before =
        window.until("gravity is taken over", |s| number(&s["world"]["gravity"][2]) < -9.82);
    let code = window.studio.share().unwrap();
    let (mut other, _other_folder) = open("jelly");
    other.studio.open_link(&code, &other.ctx);
    let after = other.until("the link is open", |s| s["scene"] == before["scene"]);
    assert_eq!(after["world"]["gravity"], before["world"]["gravity"]);
    for (a, b) in (0..3).map(|k| (&after["camera"]["eye"][k], &before["camera"]["eye"][k])) {
        assert!((number(a) - number(b)).abs() < 1e-3, "{a} is not {b}");
    }
    other.studio.open_link("Abroken", &other.ctx);
    let failure = other.state()["failure"].as_str().unwrap().to_owned();
    assert!(failure.starts_with("the link cannot be opened"), "{failure}");
}

#[test]
fn the_surface_is_saved_for_other_programs() {
    let (mut window, folder) = open("hanging-bar");
    window.until("it is drawn", |s| number(&s["pictures"]) > 0.0);
    window.click("menu file");
    window.click("entry Save as GLB");
    let saved: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    let path = saved[0].as_ref().unwrap().path();
    assert_eq!(path.extension().unwrap(), "glb");
    let loaded = pliant_mesh::load(&path).unwrap();
    assert!(loaded.mesh.triangles.len() > 100, "{}", loaded.mesh.triangles.len());
}

#[test]
fn a_notice_covers_no_button_and_can_be_closed() {
    let (mut window, _folder) = open("hanging-bar");
    window.frame(Vec::new());
    let places = window.state()["places"].clone();
    let rect = |name: &str| [0, 1, 2, 3].map(|i| number(&places[name][i]));
    let are_apart = |a: [f64; 4], b: [f64; 4]| {
        (0..2).any(|k| a[k] + a[k + 2] <= b[k] || b[k] + b[k + 2] <= a[k])
    };
    for name in ["play", "step", "reset", "timeline", "menu file", "help", "messages"] {
        assert!(are_apart(rect("notice"), rect(name)), "it covers {name}");
    }
    window.click("close notice");
    assert!(window.state()["places"]["notice"].is_null());
}
