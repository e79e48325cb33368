//! What goes on, for machines: one line of JSON several times a second.

use pliant_sim::scene::{Live, LiveValue, World};
use serde_json::{Value, json};

use crate::app::Studio;
use crate::log::Grade;
use crate::tools::Tool;

impl Studio {
    /// The state of interface and simulation. Places are in points from the window's upper left corner.
    pub fn telemetry(&self) -> Value {
        let status = self.status();
        let report = &status.report;
        let messages: Vec<Value> = self
            .log
            .entries()
            .rev()
            .take(20)
            .map(|e| json!({ "grade": grade(e.grade), "text": e.text }))
            .collect();
        let camera = self.viewport.camera();
        let mut telemetry = json!({
            "scene": self.draft.name,
            "title": self.opened.as_ref().map(|o| o.source.title()),
            "opening": self.opening.as_ref().map(|o| o.source.title()),
            "playing": status.is_playing,
            "step": report.step,
            "time": report.time,
            "speed": status.speed[1],
            "seconds_per_step": status.seconds_per_step,
            "steps_per_second": status.steps_per_second,
            "backend": status.backend,
            "center_of_mass": report.center_of_mass,
            "energy": report.energy.total(),
            "world": live_parameters(&status.world),
            "stiffness": self.draft.bodies.first().map(|b| format!("{:?}", b.material.stiffness)),
            "touches": self.touch_count(),
            "hand_force": status.history.last().map(|s| s.touch_force),
            "selected": self.selected_name(),
            "activity": self.viewport.activity(),
            "tool": if self.hand.tool == Tool::Drag { "drag" } else { "push" },
            "radius": self.hand.radius,
            "colour": self.look.colour.name(),
            "volume": self.look.inside.is_on.then(|| json!({
                "points": self.look.inside.points(&self.look.colour).len(),
                "point": self.look.inside.points(&self.look.colour).get(self.look.inside.chosen)
                    .map(|p| json!({ "at": p.at, "density": p.density, "colour": p.colour.0 })),
                "opacity": self.look.inside.wish.opacity,
                "isos": self.look.inside.wish.iso.len(),
                "slice": self.look.inside.slice.map(|s| s.at),
                "quality": self.look.inside.wish.quality.name(),
            })),
            "camera": camera.map(|c| json!({
                "eye": c.eye,
                "target": c.target,
                "field_of_view": c.field_of_view,
            })),
            "pictures": self.viewport.shown,
            "pictures_drawn": self.viewport.drawn,
            "on_device": self.is_on_device(),
            "bytes_copied_to_host": self.screen.as_ref().and_then(|s| Some(s.gpu()?.bytes_read())),
            "picture_trouble": self.viewport.trouble,
            "recording": self.recorder.is_recording(),
            "film_frames": self.recorder.frames(),
            "film_busy": self.recorder.is_busy(),
            "diverged": status.diverged.as_ref().map(|d| d.to_string()),
            "failure": self.failure.as_ref().map(|f| f.message.clone()),
            "moments": status.moments.len(),
            "help": self.panes.help,
            "layout": self.layout.name(),
            "drawer": self.panes.drawer.map(|page| page.name()),
            "messages": messages,
            "places": self.places.all(),
            "visible": self.places.visible(),
            "readings": self.places.readings(),
        });
        // The macro can take no more of them.
        telemetry["displaced"] = json!(self.displaced());
        telemetry
    }

    /// The body that was clicked last.
    pub(crate) fn selected_name(&self) -> Option<&str> {
        let bodies = &self.opened.as_ref()?.bodies;
        Some(&bodies.get(self.selected?)?.name)
    }

    /// Whether bodies are drawn from where a device computes them.
    fn is_on_device(&self) -> bool {
        let frame = self.opened.as_ref().and_then(|o| o.controls.frame());
        frame.is_some_and(|f| f.shown.is_some())
    }

    /// How far hands have carried colliders.
    fn displaced(&self) -> Vec<[f64; 3]> {
        let frame = self.opened.as_ref().and_then(|o| o.controls.frame());
        frame.map_or(Vec::new(), |f| f.displaced.clone())
    }

    fn touch_count(&self) -> usize {
        let frame = self.opened.as_ref().and_then(|o| o.controls.frame());
        frame.map_or(0, |f| f.touches.len())
    }
}

/// The live parameters by their keys in `world`.
fn live_parameters(world: &World) -> Value {
    let shown = |live: &Live| {
        let value = match live.get(world)? {
            LiveValue::Number(number) => json!(number),
            LiveValue::Vector(vector) => json!(vector),
        };
        Some((live.key.trim_start_matches("world.").to_owned(), value))
    };
    Value::Object(Live::ALL.iter().filter_map(shown).collect())
}

fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Note => "note",
        Grade::Warning => "warning",
        Grade::Error => "error",
    }
}
