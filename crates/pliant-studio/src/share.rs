//! Links that carry the present scene.

use eframe::egui::Context;
use pliant_session::link::{self, LinkError};

use crate::app::Studio;
use crate::open::{OpenError, Source};

impl Studio {
    /// The code of the present scene with its parameters, seen as it is seen now; see
    /// [`pliant_session::link`].
    pub fn share(&self) -> Result<String, LinkError> {
        link::encode(&self.scene_as_seen(), self.viewport.camera())
    }

    /// Opens the scene that a link carries, or tells what is wrong with it.
    pub fn open_link(&mut self, text: &str, ctx: &Context) {
        match link::decode(text) {
            Ok(shared) => {
                let name = shared.scene.name.clone();
                let title = if name.is_empty() { "a scene from a link".into() } else { name };
                let source = Source::Scene(title, Box::new(shared.scene));
                self.open_seen_from(source, shared.camera, ctx);
            }
            Err(error) => {
                let message = format!("the link cannot be opened: {error}");
                self.fail(OpenError { message, instead: None });
                ctx.request_repaint();
            }
        }
    }
}
