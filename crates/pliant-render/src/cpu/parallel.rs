//! Work handed out piece by piece to threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// The most threads that are started, whatever is asked for.
const MAX_THREADS: usize = 256;

/// Calls `work` for every item, on up to `threads` threads. Which thread gets which item is left to
/// chance, so `work` must not depend on it.
pub(super) fn for_each<T: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    if cfg!(target_family = "wasm") || threads <= 1 {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let take = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some(item) = take() {
            work(item);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(MAX_THREADS) {
            // Where no thread is to be had, this one does the work alone.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}
