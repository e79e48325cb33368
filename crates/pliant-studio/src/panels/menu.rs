//! The menus.

use eframe::egui::{self, MenuBar, Ui};
use pliant_session::player::Status;

use crate::app::{Action, Studio};
use crate::layout::Layout;
use crate::record::Format;

/// Shows the bar of menus.
pub fn show(ui: &mut Ui, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    MenuBar::new().ui(ui, |ui| {
        let file = ui.menu_button("File", |ui| show_file(ui, studio, actions));
        studio.places.note("menu file", file.response);
        let demos = ui.menu_button("Demos", |ui| show_demos(ui, studio, actions));
        studio.places.note("menu demos", demos.response);
        ui.menu_button("Simulation", |ui| show_simulation(ui, status, actions));
        ui.menu_button("Window", |ui| show_window(ui, studio));
        let help = ui.button("Help").on_hover_text("what the mouse and the keys do (F1)");
        if studio.places.note("help", help).clicked() {
            actions.push(Action::Help);
        }
        ui.separator();
        show_record(ui, studio, actions);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let unread = studio.log.unread;
            let text =
                if unread > 0 { format!("{unread} new messages") } else { "Messages".into() };
            let response = ui.selectable_label(studio.panes.messages, text);
            if studio.places.note("messages", response).clicked() {
                studio.panes.messages ^= true;
            }
            let plots = ui.selectable_label(studio.panes.plots, "Plots");
            if studio.places.note("plots", plots).clicked() {
                studio.panes.plots ^= true;
            }
            if let Some(opened) = &studio.opened {
                ui.strong(opened.source.title());
            }
        });
    });
}

/// An entry of a menu that asks for something.
fn entry(ui: &mut Ui, studio: &mut Studio, text: &str, action: Action, actions: &mut Vec<Action>) {
    let response = ui.button(text);
    if studio.places.note(&format!("entry {text}"), response).clicked() {
        actions.push(action);
        ui.close();
    }
}

pub(super) fn show_file(ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
    entry(ui, studio, "Open …", Action::ShowOpen, actions);
    #[cfg(target_arch = "wasm32")]
    entry(ui, studio, "Share by link", Action::ShowLink, actions);
    ui.separator();
    entry(ui, studio, "Save scene", Action::SaveScene, actions);
    entry(ui, studio, "Save checkpoint", Action::SaveCheckpoint, actions);
    entry(ui, studio, "Save picture (PNG)", Action::SavePicture, actions);
    entry(ui, studio, "Save surface (OBJ)", Action::SaveMesh, actions);
    entry(ui, studio, "Save as GLB", Action::SaveGlb, actions);
    ui.weak(format!("into {}", studio.files.saved_in().display()));
    // A tab is the browser's to close.
    if cfg!(not(target_arch = "wasm32")) {
        ui.separator();
        entry(ui, studio, "Quit", Action::Quit, actions);
    }
}

pub(super) fn show_demos(ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
    for (index, demo) in pliant_scenes::ALL.iter().enumerate() {
        let response = ui.button(demo.title).on_hover_text(demo.description);
        if studio.places.note(&format!("demo {}", demo.name), response).clicked() {
            actions.push(Action::OpenDemo(index));
            ui.close();
        }
    }
}

pub(super) fn show_simulation(ui: &mut Ui, status: &Status, actions: &mut Vec<Action>) {
    let play = if status.is_playing { "Pause" } else { "Play" };
    let all = [
        (play, Action::PlayOrPause),
        ("Step", Action::Step),
        ("Reset", Action::Reset),
        ("See everything", Action::FrameScene),
    ];
    for (text, action) in all {
        if ui.button(text).clicked() {
            actions.push(action);
            ui.close();
        }
    }
}

pub(super) fn show_window(ui: &mut Ui, studio: &mut Studio) {
    ui.checkbox(&mut studio.panes.info, "readings over the picture");
    ui.checkbox(&mut studio.panes.plots, "plots");
    ui.checkbox(&mut studio.panes.messages, "messages");
    if Layout::of(ui.ctx()).is_small() {
        let clock = ui.checkbox(&mut studio.panes.timeline, "timeline");
        studio.places.note("show timeline", clock);
    }
    let mut is_dark = ui.visuals().dark_mode;
    if ui.checkbox(&mut is_dark, "dark").changed() {
        ui.ctx().set_theme(if is_dark { egui::Theme::Dark } else { egui::Theme::Light });
    }
}

pub(super) fn show_record(ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
    let is_recording = studio.recorder.is_recording();
    let text = match is_recording {
        true => format!("Stop recording ({} frames)", studio.recorder.frames()),
        false => "Record".into(),
    };
    let response = ui.button(text).on_hover_text("a film in simulated time (Ctrl+R)");
    if studio.places.note("record", response).clicked() {
        actions.push(Action::Record);
    }
    if is_recording {
        return;
    }
    let settings = &mut studio.recorder.settings;
    egui::ComboBox::from_id_salt("film").selected_text(settings.summary()).show_ui(ui, |ui| {
        for format in Format::ALL {
            ui.selectable_value(&mut settings.format, *format, format.extension());
        }
        ui.separator();
        for size in [[640, 480], [1280, 720], [1920, 1080]] {
            let text = format!("{} × {}", size[0], size[1]);
            ui.selectable_value(&mut settings.size, size, text);
        }
        ui.separator();
        for fps in [24, 30, 60] {
            ui.selectable_value(&mut settings.fps, fps, format!("{fps} frames per second"));
        }
    });
}
