//! With a GPU: pictures come from where the simulation computes, and nothing is copied for them.

use std::time::Instant;

use eframe::egui::{Key, Modifiers, PointerButton, vec2};
use eframe::egui_wgpu::{
    RenderState, RendererOptions, WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew,
};
use pliant_gpu::{AdapterSummary, Gpu, testing, wgpu};
use pliant_studio::{Runs, Screen, Source};

use crate::harness::{Harness, number};

/// What a window would have, without the window.
pub fn screen(test: &str) -> Option<Screen> {
    // Says that it is skipped, or fails where a GPU is required.
    testing::gpu(test)?;
    let setup = WgpuSetupCreateNew {
        device_descriptor: std::sync::Arc::new(|adapter| {
            Gpu::descriptor(&AdapterSummary::of(adapter))
        }),
        ..WgpuSetupCreateNew::without_display_handle()
    };
    let config = WgpuConfiguration {
        wgpu_setup: WgpuSetup::CreateNew(setup),
        ..WgpuConfiguration::default()
    };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let state = RenderState::create(&config, &instance, None, RendererOptions::default());
    Some(Screen::new(pollster::block_on(state).unwrap()).unwrap())
}

pub fn on_gpu(test: &str, demo: &str) -> Option<(Harness, tempfile::TempDir)> {
    let screen = screen(test)?;
    let folder = tempfile::tempdir().unwrap();
    let source = Source::Demo(pliant_scenes::find(demo).unwrap());
    let mut window = Harness::with(source, folder.path(), Runs::WindowGpu, Some(screen));
    window.until_open();
    Some((window, folder))
}

#[test]
fn frames_copy_no_positions_to_the_host() {
    let Some((mut window, _folder)) = on_gpu("frames_copy_no_positions", "jelly") else { return };
    let first = window.until("it is drawn from the device", |s| s["on_device"] == true);
    let (start, pictures) = (Instant::now(), number(&first["pictures"]));
    let many =
        window.until("many pictures are drawn", |s| number(&s["pictures"]) > pictures + 120.0);
    let copied = number(&many["bytes_copied_to_host"]) - number(&first["bytes_copied_to_host"]);
    assert!(number(&many["time"]) > number(&first["time"]), "the bodies move");
    // Moments to go back to and rescues are copies of the whole state, now and then and on purpose:
    // position, its low part and velocity, 16 bytes each, with some room between bodies.
    let vertices = vertices_of("jelly");
    let moments = number(&many["moments"]) - number(&first["moments"]) + 1.0;
    let rescues = (start.elapsed().as_secs_f64() / 2.0).ceil() + 1.0;
    let states = (moments + rescues) * 1.1 * 48.0 * vertices;
    let frames = number(&many["pictures"]) - pictures;
    println!("{frames} pictures, {copied} bytes copied, {states} of them for states at most");
    let per_frame = (copied - states).max(0.0) / frames;
    assert!(per_frame < 16.0 * vertices / 8.0, "{per_frame} bytes per picture");
}

fn vertices_of(demo: &str) -> f64 {
    let scene = (pliant_scenes::find(demo).unwrap().build)();
    let sim = pliant_sim::Simulator::new(scene, pliant_sim::Backend::Cpu { threads: 1 }).unwrap();
    sim.model().vertex_count() as f64
}

#[test]
fn every_view_works_on_the_device_and_hands_reach_it() {
    let Some((mut window, folder)) = on_gpu("every_view_on_the_device", "hanging-bar") else {
        return;
    };
    window.until("it is drawn from the device", |s| s["on_device"] == true);
    for key in [Key::C, Key::W, Key::V, Key::X, Key::H, Key::G, Key::D, Key::X] {
        window.press(key, Modifiers::NONE);
        let drawn = number(&window.state()["pictures"]);
        let state = window.until("it is drawn", |s| number(&s["pictures"]) > drawn + 1.0);
        assert!(state["picture_trouble"].is_null(), "{key:?}: {}", state["picture_trouble"]);
    }
    let middle = [0, 1, 2].map(|k| number(&window.state()["center_of_mass"][k]));
    let at = window.pixel_of(middle);
    window.drag(at, at + vec2(0.0, -60.0), PointerButton::Primary, 10);
    window.until("the hand holds it", |s| s["activity"] == "dragging");
    let pulled = window.until("its force is felt", |s| number(&s["hand_force"]) > 0.0);
    assert_eq!(pulled["on_device"], true);
    window.button(at, PointerButton::Primary, false);
    window.until("it is let go", |s| number(&s["hand_force"]) == 0.0);
    window.press(Key::P, Modifiers::COMMAND);
    let saved = folder.path().join("hanging-bar.png");
    let after = window.until("the picture is saved", |_| saved.exists());
    assert_eq!(after["on_device"], true, "it is drawn where the bodies are");
    // What needs the bodies on the host fetches them, once.
    window.click("menu file");
    window.click("entry Save surface (OBJ)");
    window.until("the surface is saved", |_| folder.path().join("hanging-bar.obj").exists());
    window.until("it is drawn from the device again", |s| s["on_device"] == true);
}

#[test]
fn a_click_picks_a_body_that_is_only_on_the_device() {
    let Some((mut window, _folder)) = on_gpu("a_click_picks_there", "hanging-bar") else { return };
    let before = window.until("it is drawn from the device", |s| s["on_device"] == true);
    assert!(before["selected"].is_null());
    // Until the picture has the room that panels leave it.
    window.frame(vec![]);
    let beside = window.place("viewport") + vec2(-250.0, -150.0);
    let middle = window.pixel_of([0, 1, 2].map(|k| number(&before["center_of_mass"][k])));
    for (at, selected) in [(beside, None), (middle, Some("bar"))] {
        window.button(at, PointerButton::Primary, true);
        window.button(at, PointerButton::Primary, false);
        match selected {
            Some(name) => drop(window.until("it is selected", |s| s["selected"] == name)),
            None => {
                let pictures = number(&window.state()["pictures"]);
                let later =
                    window.until("time passes", |s| number(&s["pictures"]) > pictures + 9.0);
                assert!(later["selected"].is_null(), "there is nothing");
            }
        }
    }
    assert_eq!(window.state()["on_device"], true);
}

#[test]
fn films_are_made_on_the_device() {
    let Some((mut window, folder)) = on_gpu("films_on_the_device", "hanging-bar") else { return };
    window.until("it is drawn from the device", |s| s["on_device"] == true);
    window.press(Key::R, Modifiers::COMMAND);
    let state = window.until("some frames are taken", |s| number(&s["film_frames"]) >= 3.0);
    assert_eq!(state["on_device"], true, "its bodies stay where they are");
    window.press(Key::R, Modifiers::COMMAND);
    window.until("it is complete", |s| s["recording"] == false && s["film_busy"] == false);
    let film = std::fs::read(folder.path().join("hanging-bar.mp4")).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
}
