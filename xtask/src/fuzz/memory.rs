//! An allocator that counts what each thread holds, so that a reader that trusts a count in a file
//! is caught.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// More than this in one case ends the run at once: the machine would go down with it.
const HARD_LIMIT: usize = 2 << 30;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static WORKER: Cell<Option<usize>> = const { Cell::new(None) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn took(bytes: usize) {
    let held = HELD.get().saturating_add(bytes);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
    if held > HARD_LIMIT
        && let Some(worker) = WORKER.take()
    {
        super::end_for_memory(worker, bytes);
    }
}

fn gave(bytes: usize) {
    HELD.set(HELD.get().saturating_sub(bytes));
}

// SAFETY: every request goes to the system's allocator unchanged; counting touches only
// thread-locals that need no initialisation or destruction.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        gave(layout.size());
        took(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Says which worker this thread is, for the report when it takes too much.
pub fn name_this_thread(worker: usize) {
    WORKER.set(Some(worker));
}

/// Runs `work` and gives the most bytes that it held at a time beyond those held before.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = work();
    (result, PEAK.get() - before)
}
