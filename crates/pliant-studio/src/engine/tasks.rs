//! Where there are no threads, in a browser: simulations run between the events of the page.

use std::time::Duration;

use js_sys::{Function, Promise};
use pliant_session::player::{Controls, Player};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::MessageChannel;

/// The longest rest: nobody rings when there is an order.
const LONGEST_REST: Duration = Duration::from_millis(16);

/// Time in which a page that is seen has drawn itself.
const A_PICTURE: Duration = Duration::from_millis(40);

/// Runs `work` between the events of the page until it ends.
pub fn spawn<F: Future<Output = ()> + 'static>(
    work: impl FnOnce() -> F + 'static,
) -> Result<(), String> {
    spawn_local(async { work().await });
    Ok(())
}

/// Lets the page draw before something long begins.
pub async fn breathe() {
    sleep(A_PICTURE).await;
}

/// Follows orders and takes the steps that are due.
pub async fn tick(player: &mut Player, budget: Duration) -> Duration {
    player.tick_async(budget).await
}

/// Rests a little, in which the page does what else there is to do.
pub async fn rest(_: &Controls, time: Duration) {
    match time.is_zero() {
        true => step_aside().await,
        false => sleep(time.min(LONGEST_REST)).await,
    }
}

/// Lets events that wait be handled, and goes on at once. A timer would take 4 ms even if set to 0.
async fn step_aside() {
    let Ok(channel) = MessageChannel::new() else { return sleep(Duration::ZERO).await };
    wait(|resolve| {
        channel.port1().set_onmessage(Some(resolve));
        channel.port2().post_message(&JsValue::NULL)
    })
    .await;
    channel.port1().close();
}

/// Waits for a timer of the browser, a second at most.
pub async fn sleep(time: Duration) {
    let Some(window) = web_sys::window() else { return };
    let milliseconds = time.as_millis().min(1000) as i32;
    wait(|done| {
        let timer =
            window.set_timeout_with_callback_and_timeout_and_arguments_0(done, milliseconds);
        timer.map(drop)
    })
    .await;
}

/// Waits until what `arrange` was given is called; not at all if it fails.
async fn wait(mut arrange: impl FnMut(&Function) -> Result<(), JsValue>) {
    let promise = Promise::new(&mut |resolve, _| {
        if arrange(&resolve).is_err() {
            let _ = resolve.call0(&JsValue::NULL);
        }
    });
    // It is never rejected.
    let _ = JsFuture::from(promise).await;
}
