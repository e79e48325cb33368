//! Every key, once: for the one who presses it and for the one who reads the list.
//!
//! The single letters are those of Echtler's program (2004): Space, s, d, g, h, m, i and c.

use eframe::egui::{Context, Event, Key, Modifiers};

use crate::app::Action;
use crate::panels::parameters::Parameter;

/// A key and what it does.
pub struct Binding {
    /// The key.
    pub key: Key,
    /// With Ctrl (on Macs, Command).
    pub command: bool,
    /// What it does.
    pub action: Action,
    /// What it does, in words.
    pub help: &'static str,
}

const fn key(key: Key, action: Action, help: &'static str) -> Binding {
    Binding { key, command: false, action, help }
}

const fn command(key: Key, action: Action, help: &'static str) -> Binding {
    Binding { key, command: true, action, help }
}

const fn less(key: Key, parameter: Parameter) -> Binding {
    Binding { key, command: false, action: Action::Less(parameter), help: "" }
}

const fn more(key: Key, parameter: Parameter) -> Binding {
    Binding { key, command: false, action: Action::More(parameter), help: "" }
}

/// All of them. Those without words belong to parameters, beside which they are shown.
pub const ALL: &[Binding] = &[
    key(Key::Space, Action::PlayOrPause, "start or stop the clock"),
    key(Key::S, Action::Step, "a single step"),
    key(Key::R, Action::Reset, "back to the start"),
    key(Key::M, Action::OtherTool, "left button drags or pushes"),
    key(Key::C, Action::ForceColours, "colours by force"),
    key(Key::D, Action::World, "floor and walls"),
    key(Key::G, Action::Grid, "grid and axes"),
    key(Key::H, Action::Shadow, "shadows"),
    key(Key::I, Action::Info, "parameters and readings over the picture"),
    key(Key::W, Action::Wireframe, "edges of triangles"),
    key(Key::V, Action::Vertices, "vertices"),
    key(Key::X, Action::Cut, "cut bodies open"),
    key(Key::F, Action::FrameScene, "see everything"),
    key(Key::F1, Action::Help, "this list"),
    command(Key::O, Action::ShowOpen, "open a scene, a checkpoint or a mesh"),
    command(Key::S, Action::SaveScene, "save the scene with its parameters"),
    command(Key::P, Action::SavePicture, "save the picture as PNG"),
    command(Key::R, Action::Record, "begin or end a film"),
    less(Key::Num1, Parameter::Hardness),
    more(Key::Num2, Parameter::Hardness),
    less(Key::Num3, Parameter::Timestep),
    more(Key::Num4, Parameter::Timestep),
    less(Key::Num5, Parameter::Gravity),
    more(Key::Num6, Parameter::Gravity),
    less(Key::Num7, Parameter::Friction),
    more(Key::Num8, Parameter::Friction),
    less(Key::Num9, Parameter::Plasticity),
    more(Key::Num0, Parameter::Plasticity),
    less(Key::OpenBracket, Parameter::Radius),
    more(Key::CloseBracket, Parameter::Radius),
    less(Key::Minus, Parameter::Strength),
    more(Key::Equals, Parameter::Strength),
];

/// What the keys of this frame ask for. Nothing while somebody writes into a field.
pub fn pressed(ctx: &Context) -> Vec<Action> {
    if ctx.egui_wants_keyboard_input() {
        return Vec::new();
    }
    let asked = |event: &Event| match event {
        Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            let binding = find(*key, *modifiers)?;
            // A held key changes parameters and steps on; it must not flicker switches.
            (!repeat || binding.repeats()).then(|| binding.action.clone())
        }
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(asked).collect())
}

fn find(key: Key, modifiers: Modifiers) -> Option<&'static Binding> {
    if modifiers.alt {
        return None;
    }
    ALL.iter().find(|b| b.key == key && b.command == modifiers.command)
}

impl Binding {
    fn repeats(&self) -> bool {
        matches!(self.action, Action::Step | Action::Less(_) | Action::More(_))
    }

    /// As it is written on a keyboard.
    pub fn name(&self) -> String {
        let key = self.key.symbol_or_name();
        if self.command { format!("Ctrl+{key}") } else { key.into() }
    }
}

/// The keys that make a parameter smaller and larger.
pub fn of_parameter(parameter: Parameter) -> Option<[String; 2]> {
    let name = |wanted: Action| ALL.iter().find(|b| b.action == wanted).map(Binding::name);
    Some([name(Action::Less(parameter))?, name(Action::More(parameter))?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_and_every_key_can_be_read_about() {
        for (i, a) in ALL.iter().enumerate() {
            for b in &ALL[..i] {
                assert!(a.key != b.key || a.command != b.command, "{}", a.name());
            }
            let is_parameter = matches!(a.action, Action::Less(_) | Action::More(_));
            assert_eq!(a.help.is_empty(), is_parameter, "{}", a.name());
        }
        for parameter in Parameter::ALL {
            let keys = of_parameter(parameter).unwrap();
            assert_ne!(keys[0], keys[1]);
        }
    }

    #[test]
    fn the_keys_of_the_thesis_are_there() {
        use Key::*;
        for key in [Space, S, D, G, H, M, I, C] {
            assert!(find(key, Modifiers::NONE).is_some(), "{key:?}");
        }
    }
}
