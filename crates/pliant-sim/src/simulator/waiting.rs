//! Waiting for a device, and what happens instead in browsers, where nothing may wait.
//!
//! Functions that read from a device are written once, as futures. Outside of browsers such a future
//! waits by itself, so that it is done when it is first looked at. In a browser it is done later, and
//! whoever wants to know awaits it.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::Simulator;

/// The outcome of a future that never has to be looked at twice.
///
/// # Panics
/// When it is not done: in a browser a device lets nobody wait for it.
pub fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!(
            "a browser lets nobody wait for a GPU: use the functions whose names end with _async"
        ),
    }
}

impl Simulator {
    /// Copies the present to the host, so that everything that reads it before the next change is
    /// answered from there, without waiting: positions, velocities, forces, stress, the state and its
    /// hash. Where the processor runs the model it is there anyway.
    pub async fn mirror_async(&mut self) {
        self.recover_if_lost();
        if let Err(trouble) = self.engine.mirror(&self.world).await {
            self.recover(&trouble);
            self.recover_if_lost();
        }
    }

    /// The same where reading would have to wait and nobody may: in browsers.
    pub async fn mirror_in_browser(&mut self) {
        if cfg!(target_arch = "wasm32") {
            self.mirror_async().await;
        }
    }
}
