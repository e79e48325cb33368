//! Where things are in the window, for programs that point at them: tests, tutorials.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Response};

/// Names of controls, and where they were drawn last.
#[derive(Debug, Default)]
pub struct Places {
    all: BTreeMap<String, [f32; 4]>,
    /// What can be seen of them: not what is scrolled away.
    visible: BTreeMap<String, [f32; 4]>,
}

impl Places {
    /// Forgets everything; controls are noted anew in each frame.
    pub fn clear(&mut self) {
        self.all.clear();
        self.visible.clear();
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

    /// Left, top, width and height of everything, in points.
    pub fn all(&self) -> &BTreeMap<String, [f32; 4]> {
        &self.all
    }

    /// The same of what can be seen of the controls.
    pub fn visible(&self) -> &BTreeMap<String, [f32; 4]> {
        &self.visible
    }
}

fn numbers(rect: Rect) -> [f32; 4] {
    [rect.min.x, rect.min.y, rect.width(), rect.height()]
}
