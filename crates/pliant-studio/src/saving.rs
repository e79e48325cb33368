//! Saving what there is: the scene, the picture, the surface, films.

use std::path::Path;

use pliant_session::player::Order;
use pliant_sim::Scene;

use crate::app::Studio;
use crate::log::Grade;
use crate::record;

impl Studio {
    /// What files of this simulation are called.
    pub(crate) fn name(&self) -> String {
        let name = self.draft.name.clone();
        let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let name: String = name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
        if name.is_empty() { "pliant".into() } else { name }
    }

    /// The scene with its present parameters, and how its inside is looked at.
    pub(crate) fn scene_as_seen(&self) -> Scene {
        let mut scene = self.draft.clone();
        let Some(opened) = &self.opened else { return scene };
        let picture = &mut scene.output.picture;
        picture.volume = self.look.inside.wanted(opened.bounds);
        if picture.volume.is_some() {
            picture.colour = self.look.colour.clone();
            let scale = opened.colouring(&picture.colour).scale();
            picture.range = scale.map(|s| s.range.map(f64::from));
        }
        scene
    }

    pub(crate) fn save_scene(&mut self) {
        let path = self.files.place_for(&self.name(), "toml");
        let text = self.scene_as_seen().to_toml().map_err(|e| e.to_string());
        let saved = text.and_then(|text| record::write(&path, text.as_bytes()));
        self.tell_saved("scene", &path, saved);
    }

    pub(crate) fn save_picture(&mut self) {
        let path = self.files.place_for(&self.name(), "png");
        let size = self.recorder.settings.size;
        let drawn = self.opened.as_ref().and_then(|opened| {
            let frame = opened.controls.frame()?;
            let mut painter = opened.painter.clone();
            painter.view.legend = true;
            Some(painter.paint(&frame, size).map_err(|e| e.to_string()))
        });
        let saved = match drawn {
            None => Err("there is nothing to see yet".into()),
            Some(image) => image.and_then(|image| record::write_picture(&path, &image)),
        };
        self.tell_saved("picture", &path, saved);
    }

    /// Saves the visible surface in the format of an extension.
    pub(crate) fn save_mesh(&mut self, extension: &str) {
        let path = self.files.place_for(&self.name(), extension);
        let mesh = self.opened.as_ref().and_then(|o| Some(o.painter.surface(&*o.frame_here()?)));
        let saved = match mesh {
            None => Err("there is nothing to save yet".into()),
            Some(mesh) => pliant_mesh::formats::save(&mesh, &path).map_err(|e| e.to_string()),
        };
        self.tell_saved("surface", &path, saved);
    }

    fn tell_saved(&mut self, what: &str, path: &Path, saved: Result<(), String>) {
        match saved {
            Ok(()) => {
                self.log.add(Grade::Note, format!("the {what} was saved as {}", path.display()))
            }
            Err(error) => {
                self.log.add(Grade::Error, format!("the {what} was not saved: {error}"));
                self.panes.messages = true;
            }
        }
    }

    pub(crate) fn record_or_stop(&mut self) {
        if self.recorder.is_recording() {
            self.recorder.stop();
            self.order(Order::HoldEvery(None));
            return self.send_fields();
        }
        let path = self.files.place_for(&self.name(), self.recorder.settings.format.extension());
        if let Some(opened) = &self.opened {
            let started = self.recorder.start(path, opened);
            if let Err(error) = started {
                self.log.add(Grade::Error, format!("no film: {error}"));
            }
        }
        self.send_fields();
    }

    pub(crate) fn advance_recording(&mut self) {
        if let Some(opened) = &self.opened {
            self.recorder.follow(opened);
        }
        for (grade, text) in self.recorder.take_news() {
            self.log.add(grade, text);
        }
    }
}
