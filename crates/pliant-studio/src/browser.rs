//! What only a page asks of a studio.

use std::path::PathBuf;

use eframe::egui::Context;
use pliant_session::link;
use wasm_bindgen::JsValue;

use crate::app::{Action, Studio};
use crate::log::Grade;
use crate::open::{OpenError, Source};
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

    /// Puts a link to the present, seen as it is seen now, into the address line and the clipboard.
    pub(crate) fn show_link(&mut self, ctx: &Context) {
        let shown = self.share().map_err(|e| e.to_string()).and_then(|code| {
            let window = web_sys::window().ok_or("there is no page")?;
            let refused = |_| String::from("the browser does not let its address be changed");
            let page = window.location().href().map_err(refused)?;
            let link = link::address(&page, &code);
            // The page would open it anew if the address were set.
            let history = window.history().map_err(refused)?;
            history.replace_state_with_url(&JsValue::NULL, "", Some(&link)).map_err(refused)?;
            Ok(link)
        });
        match shown {
            Ok(link) => {
                let text = format!(
                    "the link to this scene is in the address line and, if the browser agrees, in the \
                     clipboard: {} characters",
                    link.len()
                );
                ctx.copy_text(link);
                self.log.add(Grade::Note, text.clone());
                self.set_notice(Some(text.into()));
            }
            Err(problem) => {
                let message = format!("there is no link: {problem}");
                self.fail(OpenError { message, instead: None });
            }
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
