//! Resident worker threads that meet at spin barriers.
//!
//! A step of a small body takes about ten microseconds, less than waking a thread does. So one job
//! covers many steps: every worker runs the same loop over its own blocks and meets the others at a
//! [`Barrier`] between phases. Workers wait for the next job by spinning for a moment, then sleep,
//! so that an idle simulation uses no processor time.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// Checks of a flag before a waiting thread gives its core away, where every thread has one.
const SPINS: u32 = 2000;

/// A job: called once on every worker with the worker's number.
type Job = dyn Fn(usize) + Sync;

/// The worker threads. Worker 0 is the thread that calls [`Pool::run`].
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    /// Number of the current job; bumped to start one.
    epoch: AtomicUsize,
    /// The current job; valid from the bump of `epoch` until `running` is 0 again.
    job: UnsafeCell<Option<*const Job>>,
    /// Spawned workers that have not finished the current job.
    running: AtomicUsize,
    stop: AtomicBool,
    panicked: AtomicBool,
    spins: u32,
    sleepers: Mutex<()>,
    wake: Condvar,
}

// SAFETY: `job` is written only by the thread in `Pool::run` (which has the pool exclusively) while
// no worker is running, and read by workers only after they saw the new `epoch`.
unsafe impl Sync for Shared {}
// SAFETY: the job pointer refers to a `Sync` closure and is used only while `run` keeps it alive.
unsafe impl Send for Shared {}

impl Pool {
    /// A pool of `count` workers, at least one; threads beyond the first are spawned now.
    pub fn new(count: usize) -> Self {
        let count = if cfg!(target_family = "wasm") { 1 } else { count.max(1) };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            epoch: AtomicUsize::new(0),
            job: UnsafeCell::new(None),
            running: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            // More threads than cores: whoever spins keeps the awaited one from running.
            spins: if count <= cores { SPINS } else { 1 },
            sleepers: Mutex::new(()),
            wake: Condvar::new(),
        });
        // A machine that refuses threads still simulates, with those it gave.
        let threads = (1..count)
            .map_while(|worker| {
                let shared = Arc::clone(&shared);
                let name = format!("pliant-{worker}");
                std::thread::Builder::new().name(name).spawn(move || shared.serve(worker)).ok()
            })
            .collect();
        Self { shared, threads }
    }

    /// How many workers there are.
    pub fn count(&self) -> usize {
        self.threads.len() + 1
    }

    /// A barrier at which all workers meet.
    pub fn barrier(&self) -> Barrier {
        Barrier {
            count: self.count(),
            spins: self.shared.spins,
            arrived: AtomicUsize::new(0),
            generation: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Runs `job` on every worker and returns when all are done. A panic in one of them is passed
    /// on; a job that uses a barrier gives it to [`Barrier::guard`] so that the others do not wait
    /// for ever.
    pub fn run(&mut self, job: &(dyn Fn(usize) + Sync)) {
        if self.threads.is_empty() {
            return job(0);
        }
        let shared = &self.shared;
        // SAFETY: only the lifetime changes; `run` returns after every worker has let go of it.
        let erased: *const Job = unsafe { std::mem::transmute(std::ptr::from_ref(job)) };
        // SAFETY: no worker runs now, so nobody reads the cell until `epoch` changes.
        unsafe { *shared.job.get() = Some(erased) };
        shared.running.store(self.threads.len(), Ordering::Relaxed);
        shared.panicked.store(false, Ordering::Relaxed);
        {
            // Under the lock, so that no worker falls asleep between its last look and the bump.
            let _awake = shared.sleepers.lock().unwrap_or_else(|e| e.into_inner());
            shared.epoch.fetch_add(1, Ordering::Release);
            shared.wake.notify_all();
        }
        let mine = catch_unwind(AssertUnwindSafe(|| job(0)));
        let mut waited = 0;
        while shared.running.load(Ordering::Acquire) != 0 {
            relax(&mut waited, shared.spins);
        }
        if let Err(panic) = mine {
            resume_unwind(panic);
        }
        assert!(!shared.panicked.load(Ordering::Relaxed), "a worker thread panicked");
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        {
            let _awake = self.shared.sleepers.lock().unwrap_or_else(|e| e.into_inner());
            self.shared.stop.store(true, Ordering::Relaxed);
            self.shared.epoch.fetch_add(1, Ordering::Release);
            self.shared.wake.notify_all();
        }
        for thread in self.threads.drain(..) {
            // A worker that panicked outside a job has nothing left to clean up.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn serve(&self, worker: usize) {
        let mut seen = 0;
        loop {
            self.wait_for_job(seen);
            seen = self.epoch.load(Ordering::Acquire);
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            // SAFETY: `run` wrote the cell before the bump of `epoch` that we acquired, and waits
            // for `running` before it returns or writes again.
            let job = unsafe { &*(*self.job.get()).expect("a bump of the epoch comes with a job") };
            if catch_unwind(AssertUnwindSafe(|| job(worker))).is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            self.running.fetch_sub(1, Ordering::Release);
        }
    }

    fn wait_for_job(&self, seen: usize) {
        for _ in 0..self.spins * 10 {
            if self.epoch.load(Ordering::Relaxed) != seen {
                return;
            }
            std::hint::spin_loop();
        }
        let mut guard = self.sleepers.lock().unwrap_or_else(|e| e.into_inner());
        while self.epoch.load(Ordering::Relaxed) == seen {
            guard = self.wake.wait(guard).unwrap_or_else(|e| e.into_inner());
        }
    }
}

fn relax(waited: &mut u32, spins: u32) {
    *waited += 1;
    if *waited < spins {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

/// A place where all workers of a job wait for each other.
pub struct Barrier {
    count: usize,
    spins: u32,
    arrived: AtomicUsize,
    generation: AtomicUsize,
    broken: AtomicBool,
}

impl Barrier {
    /// Waits until every worker is here.
    pub fn wait(&self) {
        if self.count == 1 {
            return;
        }
        let generation = self.generation.load(Ordering::Relaxed);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.count {
            self.arrived.store(0, Ordering::Relaxed);
            self.generation.store(generation.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut waited = 0;
        while self.generation.load(Ordering::Acquire) == generation {
            assert!(!self.broken.load(Ordering::Relaxed), "another worker panicked");
            relax(&mut waited, self.spins);
        }
    }

    /// Breaks the barrier if the worker unwinds, so that the others stop waiting.
    pub fn guard(&self) -> impl Drop + '_ {
        struct Guard<'a>(&'a Barrier);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.broken.store(true, Ordering::Relaxed);
                }
            }
        }
        Guard(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_runs_and_barriers_order_the_phases() {
        for count in [1, 2, 3, 8] {
            let mut pool = Pool::new(count);
            let barrier = pool.barrier();
            let slots: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            for round in 0..50 {
                pool.run(&|w| {
                    let _guard = barrier.guard();
                    for k in 0..20 {
                        slots[w].store(round * 100 + k, Ordering::Relaxed);
                        barrier.wait();
                        for s in &slots {
                            assert_eq!(s.load(Ordering::Relaxed), round * 100 + k);
                        }
                        barrier.wait();
                    }
                });
            }
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_hangs_nobody() {
        let mut pool = Pool::new(3);
        let barrier = pool.barrier();
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.run(&|w| {
                let _guard = barrier.guard();
                assert!(w != 1, "on purpose");
                barrier.wait();
            });
        }));
        assert!(result.is_err());
        let ran = AtomicUsize::new(0);
        pool.run(&|_| {
            ran.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(ran.into_inner(), 3);
    }
}
