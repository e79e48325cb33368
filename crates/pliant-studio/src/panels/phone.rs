//! One column, for phones: a bar of the most needed, the picture, and the rest in a drawer.

use eframe::egui::{self, Align, Button, Panel, RichText, ScrollArea, Ui, UiBuilder, vec2};
use pliant_session::player::Status;

use super::{ParameterGroup, info, menu, messages, plots, timeline, transport};
use crate::app::{Action, Studio};
use crate::layout::{FINGERTIP, Layout};

/// The most of a window's height that a drawer takes.
const DRAWER: f32 = 0.55;
/// The most of a window's width, and in points, beside the picture of a phone held sideways.
const SIDE: [f32; 2] = [0.5, 400.0];

/// What the drawer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// What a window's menus have.
    Menu,
    /// Parameters.
    ParameterGroup(ParameterGroup),
}

impl Page {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Menu => "Menu",
            Self::ParameterGroup(part) => part.name(),
        }
    }
}

/// Shows everything round the picture.
pub fn show(ui: &mut Ui, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    let layout = Layout::of(ui.ctx());
    let size = ui.max_rect().size();
    Panel::top("bar").show(ui, |ui| show_bar(ui, studio, status, actions, layout));
    if layout == Layout::Upright {
        Panel::top("readings").show(ui, |ui| show_readings(ui, studio, status));
    }
    if let Some(page) = studio.panes.drawer {
        let drawer = match layout {
            Layout::Sideways => {
                Panel::right("drawer").exact_size((SIDE[0] * size.x).min(SIDE[1]).floor())
            }
            _ => Panel::bottom("drawer below").exact_size((DRAWER * size.y).floor()),
        };
        let shown = drawer.resizable(false).show(ui, |ui| {
            show_drawer(ui, studio, page, status, actions);
        });
        studio.places.note_rect("drawer", shown.response.rect);
    }
    show_what_was_asked_for(ui, studio, status, actions, size.y);
}

fn show_what_was_asked_for(
    ui: &mut Ui,
    studio: &mut Studio,
    status: &Status,
    actions: &mut Vec<Action>,
    height: f32,
) {
    if studio.panes.timeline {
        let pane = Panel::bottom("clock");
        pane.show(ui, |ui| timeline::show(ui, status, &mut studio.places, actions));
    }
    if studio.panes.messages {
        let pane = Panel::bottom("messages").exact_size((0.2 * height).clamp(40.0, 120.0));
        pane.show(ui, |ui| messages::show(ui, &mut studio.log));
    }
    if studio.panes.plots {
        let pane = Panel::bottom("plots").exact_size((0.2 * height).clamp(70.0, 104.0));
        pane.show(ui, |ui| plots::show(ui, status));
    }
}

fn show_bar(
    ui: &mut Ui,
    studio: &mut Studio,
    status: &Status,
    actions: &mut Vec<Action>,
    layout: Layout,
) {
    ui.horizontal(|ui| {
        let page = studio.panes.drawer;
        let unread = studio.log.unread;
        let text = if unread > 0 { format!("Menu ({unread})") } else { "Menu".into() };
        let menu = Button::selectable(page == Some(Page::Menu), text);
        if studio.places.note("menu", ui.add(menu)).clicked() {
            studio.panes.drawer = (page != Some(Page::Menu)).then_some(Page::Menu);
        }
        let mut button = |text: &str, name: &str, action: Action| {
            let button = Button::new(text).min_size(vec2(62.0, FINGERTIP));
            if studio.places.note(name, ui.add(button)).clicked() {
                actions.push(action);
            }
        };
        let play = if status.is_playing { "Pause" } else { "Play" };
        button(play, "play", Action::PlayOrPause);
        button("Reset", "reset", Action::Reset);
        ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
            let is_open = matches!(page, Some(Page::ParameterGroup(_)));
            let parameters = Button::selectable(is_open, "Parameters");
            if studio.places.note("parameters", ui.add(parameters)).clicked() {
                actions.push(Action::Drawer);
            }
            if layout == Layout::Sideways {
                show_readings(ui, studio, status);
            }
        });
    });
}

/// What fingers do, or what is measured; beside the picture, so that it covers nothing.
fn show_readings(ui: &mut Ui, studio: &Studio, status: &Status) {
    let text = RichText::new(info::brief(studio, status)).small();
    ui.add(egui::Label::new(text).truncate());
}

fn show_drawer(
    ui: &mut Ui,
    studio: &mut Studio,
    page: Page,
    status: &Status,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        match page {
            Page::Menu => {
                ui.strong(page.name());
            }
            Page::ParameterGroup(_) => show_tabs(ui, studio, page),
        }
        ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
            if studio.places.note("close drawer", ui.button("Close")).clicked() {
                studio.panes.drawer = None;
            }
        });
    });
    ui.separator();
    let scroll = ScrollArea::vertical().id_salt(page.name()).auto_shrink(false);
    scroll.show(ui, |ui| match page {
        Page::Menu => show_menu(ui, studio, status, actions),
        Page::ParameterGroup(part) => part.show(ui, studio, actions),
    });
}

fn show_tabs(ui: &mut Ui, studio: &mut Studio, page: Page) {
    ui.spacing_mut().item_spacing.x = 2.0;
    ui.spacing_mut().button_padding.x = 5.0;
    for part in ParameterGroup::ALL {
        let tab = ui.selectable_label(page == Page::ParameterGroup(part), part.name());
        if studio.places.note(&format!("tab {}", part.name()), tab).clicked() {
            (studio.panes.drawer, studio.panes.part) = (Some(Page::ParameterGroup(part)), part);
        }
    }
}

/// All menus below each other. Entries close the drawer, as they close menus; sections that fold would
/// close instead.
fn show_menu(ui: &mut Ui, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    let closable = UiBuilder::new().closable();
    let is_done = ui.scope_builder(closable, |ui| {
        ui.with_layout(egui::Layout::top_down_justified(Align::LEFT), |ui| {
            ui.strong("Demos");
            menu::show_demos(ui, studio, actions);
            ui.separator();
            ui.strong("File");
            menu::show_file(ui, studio, actions);
            menu::show_record(ui, studio, actions);
            ui.separator();
            ui.strong("Simulation");
            menu::show_simulation(ui, status, actions);
            transport::show_speed(ui, status, actions);
            ui.weak(&status.backend);
            ui.separator();
            ui.strong("Window");
            menu::show_window(ui, studio);
            if studio.places.note("help", ui.button("Help")).clicked() {
                actions.push(Action::Help);
                ui.close();
            }
        });
        ui.should_close()
    });
    if is_done.inner {
        studio.panes.drawer = None;
    }
}
