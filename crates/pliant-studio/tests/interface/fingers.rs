//! Fingers, with the events that eframe sends for them in a browser: every one that comes down presses
//! the button again, every one that goes releases it, and the pointer is where the first one is.

use std::collections::BTreeMap;

use eframe::egui::{
    Event, Modifiers, PointerButton, Pos2, TouchDeviceId, TouchId, TouchPhase, Vec2,
};

use crate::harness::Harness;

#[derive(Default)]
pub struct Fingers {
    down: BTreeMap<u64, Pos2>,
    first: Option<u64>,
}

impl Fingers {
    /// A finger comes down.
    pub fn put(&mut self, window: &mut Harness, finger: u64, at: Pos2) {
        self.down.insert(finger, at);
        let press = self.button(true);
        window.frame(vec![press, touch(finger, TouchPhase::Start, at)]);
    }

    /// Fingers move, all together.
    pub fn slide(&mut self, window: &mut Harness, to: &[(u64, Pos2)]) {
        self.down.extend(to.iter().copied());
        let mut events = vec![Event::PointerMoved(self.pointer())];
        events.extend(to.iter().map(|&(finger, at)| touch(finger, TouchPhase::Move, at)));
        window.frame(events);
    }

    /// All fingers that are down move by the same, in `steps` frames.
    pub fn shift(&mut self, window: &mut Harness, by: Vec2, steps: usize) {
        for _ in 0..steps {
            let to: Vec<_> =
                self.down.iter().map(|(&f, &at)| (f, at + by / steps as f32)).collect();
            self.slide(window, &to);
            std::thread::sleep(std::time::Duration::from_millis(4));
        }
    }

    /// A finger goes.
    pub fn lift(&mut self, window: &mut Harness, finger: u64) {
        let release = self.button(false);
        let at = self.down.remove(&finger).unwrap();
        window.frame(vec![release, Event::PointerGone, touch(finger, TouchPhase::End, at)]);
    }

    /// The browser takes all fingers away, without a release.
    pub fn take_away(&mut self, window: &mut Harness) {
        let gone = std::mem::take(&mut self.down);
        window.frame(gone.iter().map(|(&f, &at)| touch(f, TouchPhase::Cancel, at)).collect());
    }

    /// A short touch of a control.
    pub fn tap(&mut self, window: &mut Harness, at: Pos2) {
        self.put(window, 90, at);
        window.frame(vec![]);
        self.lift(window, 90);
        window.frame(vec![]);
    }

    fn pointer(&mut self) -> Pos2 {
        if self.first.is_none_or(|first| !self.down.contains_key(&first)) {
            self.first = self.down.keys().next().copied();
        }
        self.down[&self.first.unwrap()]
    }

    fn button(&mut self, pressed: bool) -> Event {
        let (pos, button) = (self.pointer(), PointerButton::Primary);
        Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE }
    }
}

fn touch(finger: u64, phase: TouchPhase, pos: Pos2) -> Event {
    let (device_id, id) = (TouchDeviceId(0), TouchId(finger));
    Event::Touch { device_id, id, phase, pos, force: Some(1.0) }
}
