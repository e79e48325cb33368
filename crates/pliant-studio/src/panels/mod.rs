//! Everything round the picture.

pub mod banner;
pub mod desktop;
#[cfg(not(target_arch = "wasm32"))]
pub mod files;
#[cfg(target_arch = "wasm32")]
#[path = "files_of_browser.rs"]
pub mod files;
pub mod help;
pub mod info;
pub mod menu;
pub mod messages;
pub mod notice;
pub mod parameters;
pub mod phone;
pub mod plots;
pub mod scene;
pub mod swatch;
pub mod timeline;
pub mod transfer;
pub mod transport;
pub mod view;
pub mod volume;

use eframe::egui::{CollapsingHeader, RichText, Ui};

use crate::app::{Action, Studio};
use crate::layout::Layout;

/// The parameters, by what they belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParameterGroup {
    /// What touches bodies.
    #[default]
    Hand,
    /// How they are seen.
    View,
    /// What is seen of their inside.
    Volume,
    /// What acts on all of them.
    World,
    /// What they are made of.
    Bodies,
}

impl ParameterGroup {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Hand, Self::View, Self::Volume, Self::World, Self::Bodies];

    /// Its title.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hand => "Hand",
            Self::View => "View",
            Self::Volume => "Volume",
            Self::World => "World",
            Self::Bodies => "Bodies",
        }
    }

    /// Shows it, and lets the simulation take over what is changed.
    pub fn show(self, ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
        let is_edited = match self {
            Self::Hand => {
                let scale = studio.opened.as_ref().map_or(1.0, |o| 2.0 * o.bounds.radius());
                parameters::show_hand(ui, &mut studio.hand, scale, &mut studio.places);
                false
            }
            Self::View => {
                view::show(ui, studio, actions);
                false
            }
            Self::Volume => {
                volume::show(ui, studio, actions);
                false
            }
            Self::World => parameters::show_world(ui, &mut studio.draft, &mut studio.places),
            Self::Bodies => scene::show(ui, studio),
        };
        if is_edited {
            studio.send_draft();
        }
    }
}

/// Controls side by side; below each other where there is little room.
pub fn row<R>(ui: &mut Ui, show: impl FnOnce(&mut Ui) -> R) -> R {
    match Layout::of(ui.ctx()).is_small() {
        true => ui.horizontal_wrapped(show).inner,
        false => ui.horizontal(show).inner,
    }
}

/// A part of a panel that can be folded away.
pub fn section<R>(
    ui: &mut Ui,
    title: &str,
    is_open: bool,
    show: impl FnOnce(&mut Ui) -> R,
) -> Option<R> {
    CollapsingHeader::new(RichText::new(title).strong())
        .default_open(is_open)
        .show(ui, show)
        .body_returned
}
