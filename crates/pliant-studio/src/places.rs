//! Where things are in the window, for programs that point at them: tests, tutorials.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Response};

/// Names of controls, and where they were drawn last.
#[derive(Debug, Default)]
pub struct Places(BTreeMap<String, [f32; 4]>);

impl Places {
    /// Forgets everything; controls are noted anew in each frame.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes where a control is, and hands it on.
    pub fn note(&mut self, name: &str, response: Response) -> Response {
        self.note_rect(name, response.rect);
        response
    }

    /// Notes where something is.
    pub fn note_rect(&mut self, name: &str, rect: Rect) {
        self.0.insert(name.into(), [rect.min.x, rect.min.y, rect.width(), rect.height()]);
    }

    /// Left, top, width and height of everything, in points.
    pub fn all(&self) -> &BTreeMap<String, [f32; 4]> {
        &self.0
    }
}
