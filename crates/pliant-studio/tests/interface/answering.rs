//! The window answers at once, however long a step takes.

use std::time::{Duration, Instant};

use eframe::egui::{Event, PointerButton, vec2};
use pliant_sim::scene::{Body, Material, Scene, Shape, Source as MeshSource, Stiffness, World};
use pliant_studio::{Runs, Source};

use crate::device::screen;
use crate::harness::Harness;

/// A bar of which one step takes seconds: many tetrahedra, and each step in many parts.
fn heavy() -> Scene {
    let body = Body {
        name: "bar".into(),
        source: MeshSource::Shape(Shape::bar([60, 30, 30], [2.0, 1.0, 1.0])),
        translate: [0.0, 0.0, 0.5],
        material: Material { stiffness: Stiffness::Young(1e4), ..Material::default() },
        ..Body::default()
    };
    let world = World { timestep: 0.01, substeps: 1000, ..World::default() };
    Scene { name: "heavy".into(), bodies: vec![body], world, ..Scene::default() }
}

#[test]
fn looking_round_does_not_wait_for_steps() {
    let folder = tempfile::tempdir().unwrap();
    let runs = Runs::On(pliant_sim::Backend::Cpu { threads: 1 });
    let source = Source::Scene("heavy".into(), Box::new(heavy()));
    let mut window = Harness::with(source, folder.path(), runs, screen("looking_round"));
    window.until_open();
    window.until("it plays", |s| s["playing"] == true);
    window.frame(vec![]);
    let at = window.place("viewport") + vec2(-250.0, -150.0);
    window.frame(vec![Event::PointerMoved(at)]);
    window.button(at, PointerButton::Secondary, true);
    // Egui wants to see that the button is held before it calls this a drag.
    window.frame(vec![Event::PointerMoved(at + vec2(12.0, 0.0))]);
    let mut times: Vec<Duration> = Vec::new();
    let mut within_a_step = 0;
    for i in 1..=30 {
        let before = window.state();
        let start = Instant::now();
        window.frame(vec![Event::PointerMoved(at + vec2(12.0 + 4.0 * i as f32, 0.0))]);
        times.push(start.elapsed());
        let after = window.state();
        // The very picture that saw the event shows it.
        assert_ne!(after["camera"]["eye"], before["camera"]["eye"], "picture {i}");
        within_a_step += usize::from(after["step"] == before["step"]);
    }
    times.sort();
    let step = window.until("a step was measured", |s| s["step"].as_u64() > Some(0));
    println!(
        "from event to picture {:?} in the middle, {:?} at most, while a step takes {:.2} s",
        times[times.len() / 2],
        times[times.len() - 1],
        step["seconds_per_step"].as_f64().unwrap()
    );
    assert!(within_a_step > 20, "steps are too short for this to show anything");
}
