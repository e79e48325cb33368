//! Looking into bodies: what is chosen, drawn, dragged and saved.

use eframe::egui::{Key, Modifiers, PointerButton, pos2, vec2};
use pliant_mesh::{DataArray, formats, shapes};
use pliant_sim::Scene;
use pliant_studio::{Runs, Screen, Source};
use serde_json::Value;

use crate::device::screen;
use crate::harness::{Harness, number};

/// A block with two fields, as a scene file.
fn scene_in(folder: &tempfile::TempDir, more: &str) -> Source {
    let mut mesh = shapes::bar([4; 3], [0.4; 3], shapes::Split::Six);
    let depth = |p: &[f64; 3]| 100.0 * p.iter().map(|c| (c - 0.2).powi(2)).sum::<f64>().sqrt();
    let depths = mesh.points.iter().map(depth).collect();
    mesh.point_data.push(DataArray::scalar("depth", depths));
    mesh.tet_data.push(DataArray::scalar("region", vec![3.0; mesh.tets.len()]));
    formats::save(&mesh, &folder.path().join("block.vtu")).unwrap();
    let text = format!(
        "[world]\ntimestep = 0.0005\n[[bodies]]\nmesh = 'block.vtu'\n\
         material = {{ mass = {{ density = 1000 }}, stiffness = {{ young = 20e3 }} }}\n{more}"
    );
    let path = folder.path().join("block.toml");
    std::fs::write(&path, text).unwrap();
    Source::File(path)
}

fn open(more: &str) -> (Harness, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Harness::new(scene_in(&folder, more), folder.path());
    window.size = [1280.0, 1600.0];
    window.studio.set_screen(Some(Screen::on_cpu(&window.ctx)), &window.ctx);
    window.until_open();
    window.frame(vec![]);
    (window, folder)
}

fn saved(window: &mut Harness, folder: &tempfile::TempDir) -> Scene {
    window.press(Key::S, Modifiers::COMMAND);
    let is_saved = |s: &Value| s["messages"][0]["text"].as_str().unwrap().contains("was saved");
    let state = window.until("it is saved", is_saved);
    let text = state["messages"][0]["text"].as_str().unwrap().to_owned();
    let path = text.split(" as ").last().unwrap();
    assert!(path.starts_with(folder.path().to_str().unwrap()), "{path}");
    Scene::load(path).unwrap()
}

#[test]
fn the_inside_is_shown_chosen_and_saved() {
    let (mut window, folder) = open("");
    assert!(window.state()["volume"].is_null());
    let before = window.until("it is drawn", |s| number(&s["pictures_drawn"]) > 1.0);
    window.click("volume");
    let state = window.state();
    assert_eq!(state["colour"], "depth", "the first field of the file");
    assert_eq!(state["volume"]["quality"], "normal");
    window.until("it is drawn anew", |s| s["pictures_drawn"] != before["pictures_drawn"]);
    for name in ["volume of stress", "volume of displacement", "volume of field:region"] {
        window.click(name);
    }
    assert_eq!(window.state()["colour"], "region");
    window.click("volume of field:depth");
    window.click("transfer skin-and-bone");
    window.click("quality fine");
    window.click("add iso");
    window.click("add iso");
    window.click("remove iso 0");
    window.click("slice");
    let state = window.state();
    assert_eq!((&state["volume"]["isos"], &state["volume"]["slice"]), (&1.into(), &0.5.into()));
    assert!(state["picture_trouble"].is_null(), "{}", state["picture_trouble"]);

    let scene = saved(&mut window, &folder);
    let picture = &scene.output.picture;
    let volume = picture.volume.as_ref().expect("it is in the file");
    assert_eq!(picture.colour.to_string(), "field:depth");
    let [low, high] = picture.range.unwrap();
    assert!(low == 0.0 && (high - 34.64).abs() < 0.01, "0.2 √3 m from the middle: {high}");
    assert_eq!((volume.iso.len(), volume.quality.name()), (1, "fine"));
    assert!((volume.iso[0].value - 17.32).abs() < 0.01);
    let slice = volume.slice.unwrap();
    assert!(slice.clears && slice.normal == [0.0, -1.0, 0.0], "{slice:?}");

    // Without values there is nothing to look into.
    window.click("colour plain");
    assert!(window.state()["volume"].is_null());
    assert!(saved(&mut window, &folder).output.picture.volume.is_none());
}

#[test]
fn scenes_and_links_are_opened_as_they_were_seen() {
    let more = "[output.picture]\ncolour = { field = 'region' }\nrange = [1, 9]\n\
                [output.picture.volume]\niso = [2, 4]\nopacity = 0.5\n\
                slice = { normal = [1, 0, 0], point = [0.1, 0, 0] }\n";
    let (mut window, folder) = open(more);
    let state = window.state();
    assert_eq!(state["colour"], "region");
    let volume = &state["volume"];
    assert_eq!((&volume["isos"], &volume["opacity"]), (&2.into(), &0.5.into()));
    assert!((number(&volume["slice"]) - 0.25).abs() < 1e-6);
    let scene = saved(&mut window, &folder);
    assert_eq!(scene.output.picture.range, Some([1.0, 9.0]));
    // A link cannot carry the mesh; a generated body can be sent.
    let mut bar = (pliant_scenes::find("hanging-bar").unwrap().build)();
    bar.output.picture.volume = scene.output.picture.volume;
    window.open(Source::Scene("bar".into(), Box::new(bar)));
    window.until("the bar is open", |s| s["title"] == "bar" && s["opening"].is_null());
    assert_eq!(window.state()["colour"], "stress", "what it has no field for");
    let link = window.studio.share().unwrap();
    let sent = pliant_session::link::decode(&link).unwrap().scene.output.picture;
    assert_eq!((sent.volume.unwrap().iso.len(), sent.colour.name()), (2, "stress"));
}

#[test]
fn points_are_dragged_added_and_removed() {
    let (mut window, _folder) = open("[output.picture.volume]\ntransfer = 'x-ray'\n");
    let points = |window: &Harness| number(&window.state()["volume"]["points"]) as usize;
    assert_eq!(points(&window), 3, "0, 0.05 and 1");
    // The last one, to half of the way and a quarter of the height.
    let field = window.state()["places"]["transfer"].clone();
    let [left, top, width, height] = [0, 1, 2, 3].map(|i| number(&field[i]) as f32);
    let at = |x: f32, y: f32| pos2(left + x * width, top + y * (height - 12.0));
    let from = window.place("transfer point 2");
    window.drag(from, at(0.5, 0.5), PointerButton::Primary, 5);
    window.button(at(0.5, 0.5), PointerButton::Primary, false);
    let point = window.state()["volume"]["point"].clone();
    assert!((number(&point["at"]) - 0.5).abs() < 0.02, "{point}");
    assert!((number(&point["density"]) - 2.5).abs() < 0.5, "a quarter of 10: {point}");
    // A click beside the line adds one, which is chosen.
    window.button(at(0.8, 0.2), PointerButton::Primary, true);
    window.button(at(0.8, 0.2), PointerButton::Primary, false);
    window.frame(vec![]);
    assert_eq!(points(&window), 4);
    let point = window.state()["volume"]["point"].clone();
    assert!((number(&point["at"]) - 0.8).abs() < 0.02, "{point}");
    window.click("add point");
    assert_eq!(points(&window), 5);
    window.click("remove point");
    let last = window.place("transfer point 3");
    window.button(last, PointerButton::Secondary, true);
    window.button(last, PointerButton::Secondary, false);
    window.frame(vec![]);
    assert_eq!(points(&window), 3);
    // No point passes its neighbours.
    let middle = window.place("transfer point 1");
    window.drag(middle, middle + vec2(400.0, 0.0), PointerButton::Primary, 4);
    window.button(middle + vec2(400.0, 0.0), PointerButton::Primary, false);
    let point = window.state()["volume"]["point"].clone();
    assert!((number(&point["at"]) - 0.5).abs() < 0.02, "{point}");
}

#[test]
fn a_point_is_given_a_colour() {
    let (mut window, _folder) = open("[output.picture.volume]\ntransfer = 'x-ray'\n");
    window.click("transfer point 1");
    let colour = |window: &Harness| window.state()["volume"]["point"]["colour"].clone();
    let before = colour(&window);
    window.click("point colour");
    window.frame(vec![]);
    // A click at the left end of a slider takes that part of the colour away.
    let slider = window.state()["places"]["point colour red"].clone();
    let [left, top, _, height] = [0, 1, 2, 3].map(|i| number(&slider[i]) as f32);
    let end = pos2(left + 2.0, top + 0.5 * height);
    window.button(end, PointerButton::Primary, true);
    window.button(end, PointerButton::Primary, false);
    window.frame(vec![]);
    let after = colour(&window);
    assert_eq!(after[0], 0, "{before} became {after}");
    assert_eq!([&after[1], &after[2]], [&before[1], &before[2]]);
    assert_ne!(before[0], 0, "there was something to take away");
}

#[test]
fn keys_reach_and_move_points() {
    let (mut window, _folder) = open("[output.picture.volume]\ntransfer = 'heat'\n");
    let target = window.place("transfer point 1");
    let mut is_there = false;
    for _ in 0..150 {
        window.press(Key::Tab, Modifiers::NONE);
        let focused = window.ctx.memory(|m| m.focused());
        let response = focused.and_then(|id| window.ctx.read_response(id));
        is_there = response
            .is_some_and(|r| r.rect.center().distance(target) < 2.0 && r.rect.width() < 40.0);
        if is_there {
            break;
        }
    }
    assert!(is_there, "Tab comes to every point");
    window.frame(vec![]);
    let before = window.state()["volume"]["point"].clone();
    window.press(Key::ArrowRight, Modifiers::NONE);
    window.press(Key::ArrowUp, Modifiers::NONE);
    window.frame(vec![]);
    let after = window.state()["volume"]["point"].clone();
    assert!((number(&after["at"]) - number(&before["at"]) - 0.02).abs() < 1e-3, "{after}");
    assert!(number(&after["density"]) > number(&before["density"]), "{after}");
    let count = number(&window.state()["volume"]["points"]);
    window.press(Key::Delete, Modifiers::NONE);
    window.frame(vec![]);
    assert_eq!(number(&window.state()["volume"]["points"]), count - 1.0);
}

#[test]
fn a_phone_has_it_too() {
    let (mut window, _folder) = open("");
    window.size = [390.0, 844.0];
    window.until("it is arranged", |s| s["layout"] == "upright");
    window.click("parameters");
    window.click("tab Volume");
    window.click("volume");
    window.frame(vec![]);
    assert_eq!(window.state()["colour"], "depth");
    window.click("transfer rainbow");
    assert!(!window.state()["volume"].is_null());
    assert!(window.state()["picture_trouble"].is_null());
}

#[test]
fn a_window_with_a_card_shows_it_too() {
    let Some(screen) = screen("volume_on_a_card") else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = scene_in(&folder, "");
    let mut window = Harness::with(source, folder.path(), Runs::WindowGpu, Some(screen));
    window.size = [1280.0, 1600.0];
    window.until_open();
    window.until("it is drawn from the device", |s| s["on_device"] == true);
    window.click("volume");
    let drawn = number(&window.state()["pictures_drawn"]);
    let state = window.until("it is drawn", |s| number(&s["pictures_drawn"]) > drawn + 2.0);
    assert!(state["picture_trouble"].is_null(), "{}", state["picture_trouble"]);
    assert_eq!(state["colour"], "depth");
    // Once the values have been counted, nothing comes to the host any more.
    let is_there = |s: &Value| s["on_device"] == true && !s["volume"].is_null();
    let state = window.until("it is drawn from the device again", is_there);
    let drawn = number(&state["pictures_drawn"]);
    let state = window.until("it goes on", |s| number(&s["pictures_drawn"]) > drawn + 2.0);
    assert!(state["picture_trouble"].is_null(), "{}", state["picture_trouble"]);
    window.click("volume of stress");
    window.until("stress is counted and shown", |s| s["colour"] == "stress" && is_there(s));
    window.click("volume");
    window.until("its surface is", |s| s["volume"].is_null() && s["on_device"] == true);
}
