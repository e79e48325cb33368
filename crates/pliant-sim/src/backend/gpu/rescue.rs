//! What is left when a device is lost: the last state that was copied to the host.

use crate::state::State;

/// The last known state.
#[derive(Default)]
pub struct Rescue {
    state: State,
}

impl Rescue {
    /// Replaces what is known.
    pub fn keep(&mut self, state: State) {
        self.state = state;
    }

    /// What is known, in model order.
    pub fn state(&self) -> &State {
        &self.state
    }
}
