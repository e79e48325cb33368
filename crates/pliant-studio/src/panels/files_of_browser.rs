//! Files in a browser: chosen in its own dialog or dropped on the page, read into memory, and handed out
//! as downloads.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use eframe::egui::{Context, DroppedFileHandle};
use js_sys::Uint8Array;
use pliant_mesh::memory_fs;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlInputElement};

use crate::app::Action;
use crate::open::main_file;
use crate::places::Places;

/// Asks for files, and takes those that come.
#[derive(Default)]
pub struct Files {
    /// What was read meanwhile: the file to open, or why not.
    arrived: Rc<RefCell<Vec<Result<PathBuf, String>>>>,
}

impl Files {
    /// Where files are saved.
    pub fn saved_in(&self) -> &Path {
        Path::new("the browser's downloads")
    }

    /// In a browser the user decides where files are saved.
    pub fn save_into(&mut self, _: PathBuf) {}

    /// The name of a file; browsers take care that none is written over.
    pub fn place_for(&self, name: &str, extension: &str) -> PathBuf {
        format!("{name}.{extension}").into()
    }

    /// Opens the browser's dialog.
    pub fn ask_to_open(&mut self, ctx: &Context) {
        let Some(input) = dialog() else {
            self.arrived.borrow_mut().push(Err("this browser shows no dialog for files".into()));
            return;
        };
        let (arrived, ctx, chosen) = (self.arrived.clone(), ctx.clone(), input.clone());
        let read = Closure::once_into_js(move || {
            let Some(list) = chosen.files() else { return };
            let files: Vec<File> = (0..list.length()).filter_map(|i| list.get(i)).collect();
            spawn_local(take(files, arrived, ctx));
        });
        input.set_onchange(Some(read.unchecked_ref()));
        input.click();
    }

    /// Takes files that were dropped on the page.
    pub fn take_dropped(&mut self, dropped: &[DroppedFileHandle], ctx: &Context) -> Option<Action> {
        let files: Vec<File> = dropped.iter().filter_map(|f| f.web_file().cloned()).collect();
        if !files.is_empty() {
            spawn_local(take(files, self.arrived.clone(), ctx.clone()));
        }
        None
    }

    /// Returns what has come.
    pub fn show(&mut self, _: &Context, _: &mut Places) -> Option<Action> {
        match self.arrived.borrow_mut().pop()? {
            Ok(path) => Some(Action::OpenFile(path)),
            Err(problem) => Some(Action::Fail(problem)),
        }
    }
}

fn dialog() -> Option<HtmlInputElement> {
    let document = web_sys::window()?.document()?;
    let input: HtmlInputElement = document.create_element("input").ok()?.dyn_into().ok()?;
    input.set_type("file");
    input.set_multiple(true);
    Some(input)
}

/// Reads files that were chosen together and says which of them to open.
async fn take(files: Vec<File>, to: Rc<RefCell<Vec<Result<PathBuf, String>>>>, ctx: Context) {
    let outcome = read_all(files).await;
    to.borrow_mut().extend(outcome.transpose());
    ctx.request_repaint();
}

async fn read_all(files: Vec<File>) -> Result<Option<PathBuf>, String> {
    let mut all = Vec::new();
    for file in files {
        let name = file.name();
        // Larger ones need not even be read.
        if file.size() > memory_fs::MOST_BYTES as f64 {
            return Err(format!("{name}: larger than {} MiB", memory_fs::MOST_BYTES >> 20));
        }
        let bytes = file.array_buffer().await;
        let bytes = bytes.map_err(|e| format!("{name}: the browser cannot read it: {e:?}"))?;
        all.push((PathBuf::from(name), Uint8Array::new(&bytes).to_vec()));
    }
    shelve(all)
}

/// Puts files that belong together where they are found by name; returns the one to open.
pub fn shelve(files: Vec<(PathBuf, Vec<u8>)>) -> Result<Option<PathBuf>, String> {
    let names: Vec<PathBuf> = files.iter().map(|(name, _)| name.clone()).collect();
    for (name, bytes) in files {
        memory_fs::put(&name, bytes).map_err(|e| format!("{}: {e}", name.display()))?;
    }
    Ok(main_file(&names))
}
