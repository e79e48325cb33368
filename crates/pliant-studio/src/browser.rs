//! What only a page asks of a studio.

use std::path::PathBuf;

use eframe::egui::Context;

use crate::app::{Action, Studio};
use crate::open::Source;
use crate::panels::files::shelve;

impl Studio {
    /// Opens files that belong together and were read by the page.
    pub fn open_files(&mut self, files: Vec<(PathBuf, Vec<u8>)>, ctx: &Context) {
        match shelve(files) {
            Ok(Some(path)) => self.open(Source::File(path), ctx),
            Ok(None) => self.act(Action::Fail("no file was given".into()), ctx),
            Err(problem) => self.act(Action::Fail(problem), ctx),
        }
    }

    /// Stops the clock, if it runs: nobody looks.
    pub fn pause(&mut self, ctx: &Context) {
        if self.status().is_playing {
            self.act(Action::PlayOrPause, ctx);
        }
    }

    /// Tells that the device was lost, and that things go on.
    pub fn tell_device_lost(&mut self) {
        let text = "the graphics device was lost: the simulation goes on on the CPU until another \
                    scene is opened";
        self.set_notice(Some(text.into()));
    }
}
