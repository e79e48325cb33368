//! A window that is not there.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{
    self, Event, Key, MissingGlyphPolicy, Modifiers, MouseWheelUnit, PointerButton, Pos2, RawInput,
    Rect, pos2, vec2,
};
use pliant_studio::{Runs, Screen, Source, Studio};
use serde_json::Value;

/// The longest that anything may take in these tests.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A closed surface, a tetrahedron, in the format OFF.
pub const SURFACE: &str =
    "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 1 2 3\n3 0 3 2\n3 0 1 3\n3 0 2 1\n";

/// A number of the telemetry.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub struct Harness {
    pub ctx: egui::Context,
    pub studio: Studio,
    pub size: [f32; 2],
    pub frames: u64,
    /// The longest that a frame took.
    pub slowest: Duration,
    /// The latest picture that came from the host, if one did.
    pub picture: Option<Arc<egui::ColorImage>>,
    time: f64,
    modifiers: Modifiers,
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

impl Harness {
    /// A studio on the CPU, with files saved into `folder`.
    pub fn new(source: Source, folder: &Path) -> Self {
        Self::with(source, folder, Runs::On(pliant_sim::Backend::Cpu { threads: 1 }), None)
    }

    /// A studio that draws into `screen`.
    pub fn with(source: Source, folder: &Path, runs: Runs, screen: Option<Screen>) -> Self {
        let ctx = egui::Context::default();
        // Everything the studio says can be read.
        ctx.set_missing_glyph_policy(MissingGlyphPolicy::Panic);
        let mut studio = Studio::new(source, runs, screen, &ctx);
        studio.save_into(folder.to_owned());
        Self {
            ctx,
            studio,
            size: [1280.0, 800.0],
            frames: 0,
            slowest: Duration::ZERO,
            picture: None,
            time: 0.0,
            modifiers: Modifiers::NONE,
        }
    }

    /// Shows one frame with these events.
    pub fn frame(&mut self, events: Vec<Event>) {
        self.show(events, Vec::new());
    }

    /// Drops a file on the window.
    pub fn drop_file(&mut self, path: &Path) {
        self.show(Vec::new(), vec![Arc::new(Dropped(path.to_owned()))]);
    }

    fn show(&mut self, events: Vec<Event>, dropped_files: Vec<egui::DroppedFileHandle>) {
        self.time += 1.0 / 60.0;
        for event in &events {
            if let Event::Key { modifiers, .. } | Event::PointerButton { modifiers, .. } = event {
                self.modifiers = *modifiers;
            }
        }
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                pos2(0.0, 0.0),
                vec2(self.size[0], self.size[1]),
            )),
            time: Some(self.time),
            events,
            dropped_files,
            focused: true,
            ..RawInput::default()
        };
        let start = Instant::now();
        let mut output = self.ctx.run_ui(input, |ui| self.studio.show(ui));
        // A window would load these textures and draw these shapes. The first texture has the letters.
        let not_letters = |id: &egui::TextureId| *id != egui::TextureId::default();
        for (_, deltas) in output.textures_delta.set.iter().filter(|(id, _)| not_letters(id)) {
            if let Some(egui::ImageData::Color(image)) = deltas.last().map(|d| &d.image) {
                self.picture = Some(image.clone());
            }
        }
        output.textures_delta.clear();
        let _ = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        self.slowest = self.slowest.max(start.elapsed());
        self.frames += 1;
    }

    pub fn open(&mut self, source: Source) {
        self.studio.open(source, &self.ctx);
    }

    pub fn state(&self) -> Value {
        self.studio.telemetry()
    }

    /// Shows frames until `done` says so.
    pub fn until(&mut self, what: &str, done: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            self.frame(Vec::new());
            let state = self.state();
            if done(&state) {
                return state;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain until {what}: {state:#}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Until the first scene is there.
    pub fn until_open(&mut self) -> Value {
        self.until("something is open", |s| {
            s["opening"].is_null() && !s["title"].is_null() && s["backend"] != ""
        })
    }

    pub fn press(&mut self, key: Key, modifiers: Modifiers) {
        for pressed in [true, false] {
            let event = Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
            self.frame(vec![event]);
        }
    }

    /// The middle of a control.
    pub fn place(&self, name: &str) -> Pos2 {
        let state = self.state();
        let place = &state["places"][name];
        let at =
            |i: usize| place[i].as_f64().unwrap_or_else(|| panic!("{name} is not shown")) as f32;
        pos2(at(0) + at(2) / 2.0, at(1) + at(3) / 2.0)
    }

    /// Where a point of the scene is seen.
    pub fn pixel_of(&self, point: [f64; 3]) -> Pos2 {
        let state = self.state();
        let vector = |name: &str| [0, 1, 2].map(|k| state["camera"][name][k].as_f64().unwrap());
        let camera = pliant_render::Camera {
            eye: vector("eye"),
            target: vector("target"),
            up: [0.0, 0.0, 1.0],
            field_of_view: state["camera"]["field_of_view"].as_f64().unwrap(),
        };
        let [x, y, width, height] =
            [0, 1, 2, 3].map(|i| state["places"]["viewport"][i].as_f64().unwrap());
        let projection = camera.projection([0.0; 3], width as u32, height as u32).unwrap();
        let [right, down, _] = projection.pixel(point.map(|c| c as f32)).unwrap();
        pos2(x as f32 + right, y as f32 + down)
    }

    pub fn button(&mut self, at: Pos2, button: PointerButton, pressed: bool) {
        let modifiers = Modifiers::NONE;
        self.frame(vec![
            Event::PointerMoved(at),
            Event::PointerButton { pos: at, button, pressed, modifiers },
        ]);
    }

    pub fn click(&mut self, name: &str) {
        let at = self.place(name);
        self.frame(vec![Event::PointerMoved(at)]);
        self.button(at, PointerButton::Primary, true);
        self.button(at, PointerButton::Primary, false);
        self.frame(Vec::new());
    }

    /// Presses a button at one place and moves to another.
    pub fn drag(&mut self, from: Pos2, to: Pos2, button: PointerButton, steps: usize) {
        self.frame(vec![Event::PointerMoved(from)]);
        self.button(from, button, true);
        for i in 1..=steps {
            let part = i as f32 / steps as f32;
            self.frame(vec![Event::PointerMoved(from + (to - from) * part)]);
            std::thread::sleep(Duration::from_millis(4));
        }
    }

    pub fn wheel(&mut self, at: Pos2, lines: f32) {
        self.frame(vec![
            Event::PointerMoved(at),
            Event::MouseWheel {
                unit: MouseWheelUnit::Line,
                delta: vec2(0.0, lines),
                phase: egui::TouchPhase::Move,
                source: egui::MouseWheelSource::Unknown,
                modifiers: Modifiers::NONE,
            },
        ]);
    }
}
