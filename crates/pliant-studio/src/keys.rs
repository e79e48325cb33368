//! Every key, once: for the one who presses it and for the one who reads the list.
//!
//! The single letters are those of Echtler's program (2004): Space, s, d, g, h, m, i and c.

use eframe::egui::{Context, Event, Key, Modifiers};

use crate::app::Action;
use crate::panels::parameters::Parameter;
use crate::viewport::{Walk, picture_id};

/// A key and what it does.
pub struct Binding {
    /// The key.
    pub key: Key,
    /// With Ctrl (on Macs, Command).
    pub command: bool,
    /// With Shift; the others do not mind it.
    pub shift: bool,
    /// What it does.
    pub action: Action,
    /// What it does, in words.
    pub help: &'static str,
}

const fn key(key: Key, action: Action, help: &'static str) -> Binding {
    Binding { key, command: false, shift: false, action, help }
}

const fn command(key: Key, action: Action, help: &'static str) -> Binding {
    Binding { key, command: true, shift: false, action, help }
}

const fn walk(key: Key, step: Walk) -> Binding {
    Binding { key, command: false, shift: false, action: Action::Walk(step), help: "" }
}

const fn slide(key: Key, step: Walk) -> Binding {
    Binding { key, command: false, shift: true, action: Action::Walk(step), help: "" }
}

const fn less(key: Key, parameter: Parameter) -> Binding {
    Binding { key, command: false, shift: false, action: Action::Less(parameter), help: "" }
}

const fn more(key: Key, parameter: Parameter) -> Binding {
    Binding { key, command: false, shift: false, action: Action::More(parameter), help: "" }
}

/// All of them. Those without words belong to parameters, beside which they are shown, or to the camera:
/// see [`WALKS`].
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
    key(Key::P, Action::Drawer, "parameters, in small windows"),
    key(Key::F1, Action::Help, "this list"),
    command(Key::O, Action::ShowOpen, "open a scene, a checkpoint or a mesh"),
    command(Key::S, Action::SaveScene, "save the scene with its parameters"),
    command(Key::P, Action::SavePicture, "save the picture as PNG"),
    command(Key::R, Action::Record, "begin or end a film"),
    walk(Key::ArrowLeft, Walk::Left),
    walk(Key::ArrowRight, Walk::Right),
    walk(Key::ArrowUp, Walk::Up),
    walk(Key::ArrowDown, Walk::Down),
    slide(Key::ArrowLeft, Walk::SlideLeft),
    slide(Key::ArrowRight, Walk::SlideRight),
    slide(Key::ArrowUp, Walk::SlideUp),
    slide(Key::ArrowDown, Walk::SlideDown),
    walk(Key::Plus, Walk::Closer),
    walk(Key::Equals, Walk::Closer),
    walk(Key::Minus, Walk::Away),
    less(Key::Num1, Parameter::Stiffness),
    more(Key::Num2, Parameter::Stiffness),
    less(Key::Num3, Parameter::Timestep),
    more(Key::Num4, Parameter::Timestep),
    less(Key::Num5, Parameter::Gravity),
    more(Key::Num6, Parameter::Gravity),
    less(Key::Num7, Parameter::Damping),
    more(Key::Num8, Parameter::Damping),
    less(Key::Num9, Parameter::Plasticity),
    more(Key::Num0, Parameter::Plasticity),
    less(Key::OpenBracket, Parameter::Radius),
    more(Key::CloseBracket, Parameter::Radius),
    less(Key::Comma, Parameter::Strength),
    more(Key::Period, Parameter::Strength),
];

/// What the keys of the camera do, as they are read about.
pub const WALKS: [(&str, &str); 3] = [
    ("Arrow keys", "walk round the scene"),
    ("Shift and arrow keys", "move sideways"),
    ("+ −", "come closer, go away"),
];

/// What the keys of this frame ask for. Nothing while somebody writes into a field; and what a control
/// with the keyboard's attention understands itself is left to it.
pub fn pressed(ctx: &Context) -> Vec<Action> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let focused = ctx.memory(|m| m.focused());
    let is_taken = |key: Key| focused.is_some_and(|id| id != picture_id()) && works_controls(key);
    let asked = |event: &Event| match event {
        Event::Key { key, pressed: true, repeat, modifiers, .. } if !is_taken(*key) => {
            let binding = find(*key, *modifiers)?;
            // A held key changes parameters and steps on; it must not flicker switches.
            (!repeat || binding.repeats()).then(|| binding.action.clone())
        }
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(asked).collect())
}

/// Keys with which buttons are pressed, sliders are moved and controls are chosen.
fn works_controls(key: Key) -> bool {
    use Key::*;
    matches!(key, Space | Enter | ArrowLeft | ArrowRight | ArrowUp | ArrowDown)
}

fn find(key: Key, modifiers: Modifiers) -> Option<&'static Binding> {
    if modifiers.alt {
        return None;
    }
    let of_key = || ALL.iter().filter(|b| b.key == key && b.command == modifiers.command);
    let shifted = of_key().find(|b| b.shift && modifiers.shift);
    shifted.or_else(|| of_key().find(|b| !b.shift))
}

impl Binding {
    fn repeats(&self) -> bool {
        matches!(self.action, Action::Step | Action::Less(_) | Action::More(_) | Action::Walk(_))
    }

    /// As it is written on a keyboard.
    pub fn name(&self) -> String {
        let key = self.key.symbol_or_name();
        match (self.command, self.shift) {
            (true, _) => format!("Ctrl+{key}"),
            (false, true) => format!("Shift+{key}"),
            (false, false) => key.into(),
        }
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
                let same = (a.key, a.command, a.shift) == (b.key, b.command, b.shift);
                assert!(!same, "{}", a.name());
            }
            use Action::{Less, More, Walk};
            let is_elsewhere = matches!(a.action, Less(_) | More(_) | Walk(_));
            assert_eq!(a.help.is_empty(), is_elsewhere, "{}", a.name());
        }
        for parameter in Parameter::ALL {
            let keys = of_parameter(parameter).unwrap();
            assert_ne!(keys[0], keys[1]);
        }
    }

    #[test]
    fn shift_makes_a_difference_only_where_the_list_says_so() {
        let action = |key, modifiers| find(key, modifiers).map(|b| b.action.clone());
        assert_eq!(action(Key::ArrowLeft, Modifiers::NONE), Some(Action::Walk(Walk::Left)));
        assert_eq!(action(Key::ArrowLeft, Modifiers::SHIFT), Some(Action::Walk(Walk::SlideLeft)));
        // On many keyboards + needs Shift.
        assert_eq!(action(Key::Plus, Modifiers::SHIFT), Some(Action::Walk(Walk::Closer)));
        assert_eq!(action(Key::C, Modifiers::SHIFT), Some(Action::ForceColours));
        assert_eq!(action(Key::C, Modifiers::ALT), None);
    }

    #[test]
    fn the_keys_of_the_thesis_are_there() {
        use Key::*;
        for key in [Space, S, D, G, H, M, I, C] {
            assert!(find(key, Modifiers::NONE).is_some(), "{key:?}");
        }
    }
}
