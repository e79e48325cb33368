//! Panels round the picture, where there is room for them.

use eframe::egui::{Panel, ScrollArea, Ui};
use pliant_session::player::Status;

use super::{ParameterGroup, menu, messages, plots, section, timeline, transport};
use crate::app::{Action, Studio};

/// Shows everything round the picture.
pub fn show(ui: &mut Ui, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    Panel::top("menu").show(ui, |ui| menu::show(ui, studio, status, actions));
    Panel::bottom("clock").show(ui, |ui| {
        transport::show(ui, studio, status, actions);
        timeline::show(ui, status, &mut studio.places, actions);
    });
    if studio.panes.messages {
        let pane = Panel::bottom("messages").resizable(true).default_size(120.0);
        pane.show(ui, |ui| messages::show(ui, &mut studio.log));
    }
    if studio.panes.plots {
        let pane = Panel::bottom("plots").resizable(true).default_size(104.0);
        pane.show(ui, |ui| plots::show(ui, status));
    }
    let side = Panel::right("parameters").resizable(true).default_size(330.0).min_size(200.0);
    side.show(ui, |ui| {
        ScrollArea::vertical().show(ui, |ui| {
            for part in [
                ParameterGroup::Hand,
                ParameterGroup::View,
                ParameterGroup::Volume,
                ParameterGroup::World,
            ] {
                section(ui, part.name(), true, |ui| part.show(ui, studio, actions));
            }
            ParameterGroup::Bodies.show(ui, studio, actions);
        });
    });
}
