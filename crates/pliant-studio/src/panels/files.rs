//! Choosing a file to open, and names for those that are saved.

use std::path::{Path, PathBuf};

use eframe::egui::{Align2, Context, DroppedFileHandle, Key, ScrollArea, TextEdit, Ui, Window};

use crate::app::Action;
use crate::open::{can_be_opened, main_file};
use crate::places::Places;

/// Names of a folder that are listed; more are found by writing.
const MOST_LISTED: usize = 1000;

/// The window that asks for a file, and the folder that files are saved in.
pub struct Files {
    is_open: bool,
    folder: PathBuf,
    typed: String,
    entries: Vec<Listed>,
    problem: Option<String>,
    saved_in: PathBuf,
}

struct Listed {
    name: String,
    path: PathBuf,
    is_folder: bool,
}

impl Default for Files {
    fn default() -> Self {
        let here = std::env::current_dir().unwrap_or_else(|_| ".".into());
        Self {
            is_open: false,
            saved_in: here.join("pliant-out").join("studio"),
            folder: here,
            typed: String::new(),
            entries: Vec::new(),
            problem: None,
        }
    }
}

impl Files {
    /// Where files are saved.
    pub fn saved_in(&self) -> &Path {
        &self.saved_in
    }

    /// Saves into another folder from now on.
    pub fn save_into(&mut self, folder: PathBuf) {
        self.saved_in = folder;
    }

    /// A name that no file has yet.
    pub fn place_for(&self, name: &str, extension: &str) -> PathBuf {
        let numbered = |n: usize| match n {
            1 => self.saved_in.join(format!("{name}.{extension}")),
            n => self.saved_in.join(format!("{name}-{n}.{extension}")),
        };
        (1..).map(numbered).find(|p| !p.exists()).unwrap_or_else(|| numbered(1))
    }

    /// Opens the window.
    pub fn ask_to_open(&mut self, _: &Context) {
        self.is_open = true;
        self.go_to(self.folder.clone());
    }

    /// Takes files that were dropped together.
    pub fn take_dropped(&mut self, dropped: &[DroppedFileHandle], _: &Context) -> Option<Action> {
        let paths: Vec<PathBuf> = dropped.iter().map(|f| f.path().to_owned()).collect();
        main_file(&paths).map(Action::OpenFile)
    }

    fn go_to(&mut self, folder: PathBuf) {
        let listed = std::fs::read_dir(&folder).map(|entries| {
            let listed =
                |entry: std::fs::DirEntry| {
                    let (path, name) =
                        (entry.path(), entry.file_name().to_string_lossy().into_owned());
                    // What a link leads to counts.
                    let is_folder = path.is_dir();
                    (!name.starts_with('.') && (is_folder || can_be_opened(&path)))
                        .then_some(Listed { name, path, is_folder })
                };
            entries.filter_map(Result::ok).take(10 * MOST_LISTED).filter_map(listed).collect()
        });
        match listed {
            Ok(entries) => {
                let mut entries: Vec<Listed> = entries;
                entries.sort_by(|a, b| (!a.is_folder, &a.name).cmp(&(!b.is_folder, &b.name)));
                entries.truncate(MOST_LISTED);
                (self.entries, self.problem) = (entries, None);
                self.typed = folder.join("").display().to_string();
                self.folder = folder;
            }
            Err(error) => self.problem = Some(format!("{}: {error}", folder.display())),
        }
    }

    /// Shows the window, if it is open; returns what was chosen.
    pub fn show(&mut self, ctx: &Context, places: &mut Places) -> Option<Action> {
        if !self.is_open {
            return None;
        }
        let mut is_open = true;
        let window = Window::new("Open a scene, a checkpoint or a mesh").open(&mut is_open);
        let window = window.default_size([520.0, 380.0]).anchor(Align2::CENTER_CENTER, [0.0, 0.0]);
        let chosen = window.collapsible(false).show(ctx, |ui| self.show_inside(ui, places));
        let chosen = chosen.and_then(|r| r.inner).flatten();
        self.is_open = is_open && chosen.is_none() && !ctx.input(|i| i.key_pressed(Key::Escape));
        chosen.map(Action::OpenFile)
    }

    fn show_inside(&mut self, ui: &mut Ui, places: &mut Places) -> Option<PathBuf> {
        let field = TextEdit::singleline(&mut self.typed).desired_width(f32::INFINITY);
        let field = places.note("open path", ui.add(field));
        let mut chosen = None;
        if field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
            chosen = Some(PathBuf::from(self.typed.trim()));
        }
        if let Some(problem) = &self.problem {
            ui.colored_label(ui.visuals().error_fg_color, problem);
        }
        ui.horizontal(|ui| {
            if ui.button("folder above").clicked()
                && let Some(above) = self.folder.parent()
            {
                chosen = Some(above.to_owned());
            }
            ui.weak("or drop a file anywhere in the window");
        });
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for entry in &self.entries {
                let sign = if entry.is_folder { "/" } else { "" };
                if ui.selectable_label(false, format!("{}{sign}", entry.name)).clicked() {
                    chosen = Some(entry.path.clone());
                }
            }
            if self.entries.is_empty() {
                ui.weak("nothing here that can be opened");
            }
        });
        let chosen = chosen?;
        if chosen.is_dir() {
            self.go_to(chosen);
            return None;
        }
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_never_written_over_and_folders_are_listed_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::default();
        files.save_into(folder.path().to_owned());
        let first = files.place_for("a", "png");
        std::fs::write(&first, "x").unwrap();
        assert_eq!(files.place_for("a", "png"), folder.path().join("a-2.png"));
        std::fs::create_dir(folder.path().join("z")).unwrap();
        std::fs::write(folder.path().join("mesh.msh.gz"), "").unwrap();
        files.go_to(folder.path().to_owned());
        let names: Vec<&str> = files.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["z", "mesh.msh.gz"]);
        files.go_to(folder.path().join("nowhere"));
        assert!(files.problem.as_ref().is_some_and(|p| p.contains("nowhere")));
        assert_eq!(files.saved_in(), folder.path());
    }
}
