//! Where there are threads: every simulation has one, in which it may wait.

use std::time::Duration;

use pliant_session::player::{Controls, Player};

/// Runs `work` beside the window until it ends.
pub fn spawn<F: Future<Output = ()>>(
    work: impl FnOnce() -> F + Send + 'static,
) -> Result<(), String> {
    let thread = std::thread::Builder::new().name("simulation".into());
    let spawned = thread.spawn(move || pollster::block_on(work()));
    spawned.map(drop).map_err(|e| format!("no thread for it: {e}"))
}

/// Lets the window draw before something long begins; here it does so by itself.
pub async fn breathe() {}

/// Follows orders and takes the steps that are due.
pub async fn tick(player: &mut Player, budget: Duration) -> Duration {
    player.tick(budget)
}

/// Rests until there is an order, at most so long.
pub async fn rest(controls: &Controls, time: Duration) {
    if !time.is_zero() {
        controls.wait_for_orders(time);
    }
}
