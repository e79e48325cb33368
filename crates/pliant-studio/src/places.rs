//! Where things are in the window, for programs that point at them: tests, tutorials.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Response};

/// Names of controls, and where they were drawn last.
#[derive(Debug, Default)]
pub struct Places {
    all: BTreeMap<String, [f32; 4]>,
    /// What can be seen of them: not what is scrolled away.
    visible: BTreeMap<String, [f32; 4]>,
    /// Texts that are only read: the keyboard does not come to them.
    readings: BTreeMap<String, [f32; 4]>,
}

impl Places {
    /// Forgets everything; controls are noted anew in each frame.
    pub fn clear(&mut self) {
        self.all.clear();
        self.visible.clear();
        self.readings.clear();
    }

    /// Notes where a control is, and hands it on.
    pub fn note(&mut self, name: &str, response: Response) -> Response {
        self.note_rect(name, response.rect);
        if response.interact_rect.is_positive() {
            self.visible.insert(name.into(), numbers(response.interact_rect));
        }
        response
    }

    /// Notes where something is.
    pub fn note_rect(&mut self, name: &str, rect: Rect) {
        self.all.insert(name.into(), numbers(rect));
    }

    /// Notes where a text is that can be read, but not operated.
    pub fn note_reading(&mut self, name: &str, response: &Response) {
        self.readings.insert(name.into(), numbers(response.rect));
    }

    /// Left, top, width and height of every control, in points.
    pub fn all(&self) -> &BTreeMap<String, [f32; 4]> {
        &self.all
    }

    /// The same of what can be seen of the controls.
    pub fn visible(&self) -> &BTreeMap<String, [f32; 4]> {
        &self.visible
    }

    /// Left, top, width and height of texts that are only read.
    pub fn readings(&self) -> &BTreeMap<String, [f32; 4]> {
        &self.readings
    }
}

fn numbers(rect: Rect) -> [f32; 4] {
    [rect.min.x, rect.min.y, rect.width(), rect.height()]
}
