//! Resident worker threads that do the blocks of passes together.
//!
//! A step of a small body takes about ten microseconds, less than waking a thread does. So workers stay
//! at hand: those who wait spin for a moment, then sleep, so that an idle simulation uses no processor
//! time, and one that waits for a thread without a core leaves its own to it.
//!
//! Passes do not wait for workers but for blocks. Each worker claims blocks ([`claims`]) for as
//! long as there are any; who finishes the last one opens the next pass. A worker that the machine has
//! put aside in between misses passes, and nobody waits for it: when it is back it looks where the others
//! are. The thread that calls is one of the workers and decides what is done; many passes in a row
//! ([`Team::roll`]) need it no more than any other.

mod claims;
mod governor;

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use web_time::Instant;

use claims::{End, Shares, Taken, Turn};
use governor::Governor;

/// How long workers spin for the others' last blocks before they sleep, and for the next series.
const PASS_SPIN: Duration = Duration::from_micros(100);
const SERIES_SPIN: Duration = Duration::from_micros(500);
/// Who has waited that long for a block waited for a thread without a core.
const LATE: Duration = Duration::from_micros(500);
/// How often a worker that is done with its share looks whether the pass is over before it takes from
/// others, who may just be about to take the last of theirs.
const PATIENCE: u32 = 64;
/// Looks between two looks at the clock.
const LOOKS: u32 = 64;

/// How many workers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Always so many.
    Exactly(usize),
    /// So many, and fewer while others need the processor.
    AtMost(usize),
}

impl Threads {
    /// The same, with no more than so many.
    #[must_use]
    pub fn limited(self, most: usize) -> Self {
        match self {
            Self::Exactly(count) => Self::Exactly(count.min(most)),
            Self::AtMost(count) => Self::AtMost(count.min(most)),
        }
    }
}

/// The worker threads. Worker 0 is the thread that leads.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    wanted: Threads,
}

/// What a panic says.
type Panic = Box<dyn Any + Send>;

/// Passes that follow each other, all over the same blocks.
#[derive(Clone, Copy)]
struct Series<'a> {
    /// Number of the first pass, see [`Turn`].
    first: u32,
    /// How many.
    passes: u32,
    /// Does a block in a pass.
    act: &'a (dyn Fn(u64, usize) + Sync),
    /// Whether it goes on after a pass; asked by one worker when all blocks are done.
    goes_on: &'a (dyn Fn(u64) -> bool + Sync),
}

impl Series<'_> {
    /// Which of its passes it is.
    fn pass(&self, turn: Turn) -> u64 {
        u64::from(turn.pass.wrapping_sub(self.first))
    }
}

/// The present series, on a cache line of its own: nobody looks at it while it is written.
#[repr(align(128))]
struct Present {
    /// How many blocks. Who comes late may find those of the next series, see `Shared::shares`.
    blocks: AtomicUsize,
    /// The rest, only for those who have a claim that is not done, or end a pass.
    series: UnsafeCell<Series<'static>>,
}

struct Shared {
    /// Where the workers are, packed. Everything below that is written between two passes is made known
    /// by a store here.
    turn: Alone<AtomicU64>,
    /// What was taken of each worker's share.
    taken: Box<[Taken]>,
    /// Claims of the open pass that are done.
    done: Alone<AtomicUsize>,
    present: Present,
    panicked: AtomicBool,
    stop: AtomicBool,
    /// How long workers have slept for others' blocks since the governor asked \[ns\].
    late: AtomicU64,
    /// Used by who ends a pass, or leads while none is open.
    governor: UnsafeCell<Option<Governor>>,
    /// Whether every worker can have a core.
    has_cores: bool,
    /// Workers asleep at `wake`.
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
    /// Where workers sleep that do not take part.
    bench: Condvar,
    #[cfg(test)]
    unrest: AtomicU64,
}

/// Something on a cache line, and its neighbour, of its own.
#[repr(align(128))]
struct Alone<T>(T);

// SAFETY: `governor` is used by one thread at a time: between two passes by the worker that ends one, and
// while no pass is open by the one that leads. Each sees what the one before did, since it saw the turn.
// The series is written while no pass is open, so that nobody reads it.
unsafe impl Sync for Shared {}

impl Pool {
    /// A pool of workers, at least one; threads beyond the first are spawned now.
    pub fn new(wanted: Threads) -> Self {
        let (Threads::Exactly(count) | Threads::AtMost(count)) = wanted;
        let count = if cfg!(target_family = "wasm") { 1 } else { count.clamp(1, 4096) };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let turn = Turn { pass: 0, workers: count as u16, is_open: false };
        let shared = Arc::new(Shared {
            turn: Alone(AtomicU64::new(turn.pack())),
            taken: (0..count).map(|_| Taken::default()).collect(),
            done: Alone(AtomicUsize::new(0)),
            present: Present {
                blocks: AtomicUsize::new(0),
                series: UnsafeCell::new(Series {
                    first: 0,
                    passes: 0,
                    act: &|_, _| {},
                    goes_on: &|_| false,
                }),
            },
            panicked: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            late: AtomicU64::new(0),
            governor: UnsafeCell::new(None),
            has_cores: count <= cores,
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            bench: Condvar::new(),
            #[cfg(test)]
            unrest: AtomicU64::new(0),
        });
        // A machine that refuses threads still simulates, with those it gave.
        let threads: Vec<_> = (1..count)
            .map_while(|worker| {
                let shared = Arc::clone(&shared);
                let name = format!("pliant-{worker}");
                std::thread::Builder::new().name(name).spawn(move || shared.serve(worker)).ok()
            })
            .collect();
        let given = threads.len() + 1;
        if given < count {
            shared.pass_on(turn, Turn { pass: 1, workers: given as u16, ..turn });
        }
        if let (Threads::AtMost(_), 2..) = (wanted, given) {
            // SAFETY: no pass is open, and nobody else leads.
            unsafe { *shared.governor.get() = Some(Governor::new(given)) };
        }
        Self { shared, threads, wanted }
    }

    /// How many workers there are at most.
    pub fn count(&self) -> usize {
        self.threads.len() + 1
    }

    /// What was asked for.
    pub fn wanted(&self) -> Threads {
        self.wanted
    }

    /// How many workers take part at present.
    #[cfg(test)]
    pub fn active(&self) -> usize {
        usize::from(Turn::unpack(self.shared.turn.0.load(Ordering::Relaxed)).workers)
    }

    /// Lets workers sleep at random points.
    #[cfg(test)]
    pub fn disturb(&self, seed: u64) {
        self.shared.unrest.store(seed | 1, Ordering::Relaxed);
    }

    /// Begins a job that this thread leads.
    pub fn lead(&mut self) -> Team<'_> {
        let shared = (!self.threads.is_empty()).then_some(&*self.shared);
        // SAFETY: this thread leads, and no series is open.
        if let Some(governor) = shared.and_then(|shared| unsafe { shared.governor() }) {
            governor.resume(Instant::now());
        }
        Team { shared, only_one_leads: PhantomData }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let shared = &self.shared;
        shared.stop.store(true, Ordering::Relaxed);
        let turn = Turn::unpack(shared.turn.0.load(Ordering::Relaxed));
        // All come and see that there is nothing more to do.
        let all = Turn { pass: turn.pass.wrapping_add(1), workers: u16::MAX, is_open: false };
        shared.pass_on(turn, all);
        for thread in self.threads.drain(..) {
            // A worker that panicked outside a job has nothing left to clean up.
            let _ = thread.join();
        }
    }
}

/// All workers, for the one who leads them through a job.
pub struct Team<'a> {
    /// `None` where this thread is alone.
    shared: Option<&'a Shared>,
    only_one_leads: PhantomData<Cell<()>>,
}

impl Team<'_> {
    /// One pass over so many blocks: calls `act` once with each, on any worker, and returns when all
    /// are done. A panic in one of them is passed on.
    pub fn each(&self, blocks: usize, act: &(dyn Fn(usize) + Sync)) {
        self.roll(1, blocks, &|_, block| act(block), &|_| true);
    }

    /// Many passes over the same blocks: calls `act` with the number of each pass and each block.
    /// Between two passes everything waits for everything. It ends after so many passes, or after one
    /// for which `goes_on` says no: any one worker asks when all blocks of a pass are done.
    pub fn roll(
        &self,
        passes: u64,
        blocks: usize,
        act: &(dyn Fn(u64, usize) + Sync),
        goes_on: &(dyn Fn(u64) -> bool + Sync),
    ) {
        match self.shared {
            Some(shared) if passes > 0 && blocks > 0 => {
                let passes = u32::try_from(passes).expect("no job is that long");
                shared.lead(blocks, Series { first: 0, passes, act, goes_on });
            }
            _ => {
                let run = |pass: &u64| (0..blocks).for_each(|block| act(*pass, block));
                let is_last = |pass: u64| pass + 1 == passes || !goes_on(pass);
                let _ = (0..passes).inspect(run).find(|&pass| is_last(pass));
            }
        }
    }
}

impl Drop for Team<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread leads, and no series is open.
        if let Some(governor) = self.shared.and_then(|shared| unsafe { shared.governor() }) {
            governor.pause(Instant::now());
        }
    }
}

impl Shared {
    /// Opens a series and takes part in it until it is over.
    fn lead(&self, blocks: usize, series: Series<'_>) {
        let before = Turn::unpack(self.turn.0.load(Ordering::Acquire));
        let series = Series { first: before.pass, ..series };
        // SAFETY: only the lifetime changes; this returns when the series is over.
        let series: Series<'static> = unsafe { std::mem::transmute(series) };
        // Who sees anything of what follows also sees that the series before is over.
        fence(Ordering::Release);
        self.present.blocks.store(blocks, Ordering::Relaxed);
        // SAFETY: no pass is open, so nobody has a claim.
        unsafe { *self.present.series.get() = series };
        self.pass_on(before, Turn { is_open: true, ..before });
        let mut worker = Worker { number: 0, helped: false };
        let mut panic = None;
        loop {
            let turn = Turn::unpack(self.turn.0.load(Ordering::Acquire));
            if !turn.is_open {
                break;
            }
            panic = panic.or(self.work(&mut worker, turn));
            self.wait_for_others(turn);
        }
        if let Some(panic) = panic {
            self.panicked.store(false, Ordering::Relaxed);
            resume_unwind(panic);
        }
        assert!(!self.panicked.swap(false, Ordering::Relaxed), "a worker thread panicked");
    }

    /// What a spawned worker does all its life.
    fn serve(&self, number: usize) {
        let mut worker = Worker { number, helped: false };
        loop {
            let turn = Turn::unpack(self.turn.0.load(Ordering::Acquire));
            if self.stop.load(Ordering::Relaxed) {
                return;
            } else if number >= usize::from(turn.workers) {
                self.sit_out(number);
            } else if turn.is_open {
                // What it says was told by the hook, and who leads will know that there was one.
                let _ = self.work(&mut worker, turn);
                self.wait_for_others(turn);
            } else {
                self.wait(turn, SERIES_SPIN);
            }
        }
    }

    /// Does blocks of a pass until there are none left, first the worker's own. Returns what a panic in one
    /// of them said.
    fn work(&self, worker: &mut Worker, turn: Turn) -> Option<Panic> {
        let shares = self.shares(turn)?;
        let from = |owner: usize, end: End| {
            #[cfg(test)]
            self.rest_at_random();
            self.taken[owner].take(&self.turn.0, turn, &shares, owner, end)
        };
        let (_, panic) = self.run(turn, &shares, || from(worker.number, End::Front));
        for _ in 0..if worker.helped { 1 } else { PATIENCE } {
            // Nobody is kept from a claim by a look at it that finds nothing.
            if !self.is_at(turn) {
                worker.helped = false;
                return panic;
            }
            std::hint::spin_loop();
        }
        let workers = usize::from(turn.workers);
        let mut others = (1..workers).map(|k| (worker.number + k) % workers).peekable();
        let (helped, late_panic) = self.run(turn, &shares, || {
            while let Some(&owner) = others.peek() {
                match from(owner, End::Back) {
                    None => others.next(),
                    found => return found,
                };
            }
            None
        });
        // Who had to help does not hesitate in the next pass.
        worker.helped = helped;
        panic.or(late_panic)
    }

    /// Does what is claimed until there is no more, and ends the pass if this was the last. Says whether
    /// there was anything, and what a panic said.
    fn run(
        &self,
        turn: Turn,
        shares: &Shares,
        mut claim: impl FnMut() -> Option<Range<usize>>,
    ) -> (bool, Option<Panic>) {
        let done = Cell::new(0);
        let panic = catch_unwind(AssertUnwindSafe(|| {
            while let Some(blocks) = claim() {
                // Even if a block panics: others must not wait for ever.
                done.set(done.get() + 1);
                if !self.panicked.load(Ordering::Relaxed) {
                    // SAFETY: the series is not over until all that was claimed is done.
                    let series = unsafe { &*self.present.series.get() };
                    let pass = series.pass(turn);
                    blocks.for_each(|block| (series.act)(pass, block));
                }
            }
        }))
        .err();
        if panic.is_some() {
            self.panicked.store(true, Ordering::Relaxed);
        }
        let done = done.get();
        // Release what was done, acquire what others did.
        if done > 0 && self.done.0.fetch_add(done, Ordering::AcqRel) + done == shares.count() {
            self.end_pass(turn);
        }
        (done > 0, panic)
    }

    /// How a pass is shared out; `None` if it is over.
    fn shares(&self, turn: Turn) -> Option<Shares> {
        let blocks = self.present.blocks.load(Ordering::Relaxed);
        // Whoever read what belongs to another series sees now that this one is over.
        fence(Ordering::Acquire);
        self.is_at(turn).then(|| Shares::new(blocks, usize::from(turn.workers)))
    }

    fn is_at(&self, turn: Turn) -> bool {
        self.turn.0.load(Ordering::Relaxed) == turn.pack()
    }

    /// All blocks of a pass are done: opens the next one, or closes the series.
    fn end_pass(&self, turn: Turn) {
        self.done.0.store(0, Ordering::Relaxed);
        // SAFETY: who leads waits for the turn that is stored below.
        let series = unsafe { &*self.present.series.get() };
        let pass = series.pass(turn);
        let is_last = pass + 1 == u64::from(series.passes) || self.panicked.load(Ordering::Relaxed);
        let asked = catch_unwind(AssertUnwindSafe(|| !is_last && (series.goes_on)(pass)));
        if asked.is_err() {
            self.panicked.store(true, Ordering::Relaxed);
        }
        // SAFETY: nobody else ends this pass, and no other one is open.
        let governor = unsafe { &mut *self.governor.get() };
        let workers = match governor {
            Some(governor) => governor.pass(turn.workers, &self.late),
            None => turn.workers,
        };
        let is_open = asked.unwrap_or(false);
        self.pass_on(turn, Turn { pass: turn.pass.wrapping_add(1), workers, is_open });
    }

    /// Lets everybody know where the workers are now.
    fn pass_on(&self, before: Turn, turn: Turn) {
        // In one order with the counting of sleepers: either this thread sees that somebody sleeps, or
        // that one sees the turn before it falls asleep.
        self.turn.0.store(turn.pack(), Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.lock());
            self.wake.notify_all();
        }
        if turn.workers > before.workers {
            drop(self.lock());
            self.bench.notify_all();
        }
    }

    /// Waits for the end of a pass in which there is nothing left to claim.
    fn wait_for_others(&self, turn: Turn) {
        if let Some(slept) = self.wait(turn, PASS_SPIN).filter(|&slept| slept > LATE) {
            self.late.fetch_add(slept.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// Waits until the workers are somewhere else; tells how long this thread has slept, if it has.
    fn wait(&self, turn: Turn, spin: Duration) -> Option<Duration> {
        // Where there are more threads than cores, who spins keeps the awaited one from running.
        let (pause, looks): (fn(), u32) = match self.has_cores {
            true => (std::hint::spin_loop, LOOKS),
            false => (std::thread::yield_now, 1),
        };
        let mut begin = None;
        for look in 1_u32.. {
            if !self.is_at(turn) {
                return None;
            }
            pause();
            if look % looks == 0 && begin.get_or_insert_with(Instant::now).elapsed() > spin {
                break;
            }
        }
        let begin = Instant::now();
        let mut guard = self.lock();
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while self.turn.0.load(Ordering::SeqCst) == turn.pack() {
            guard = self.wake.wait(guard).unwrap_or_else(|e| e.into_inner());
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        Some(begin.elapsed())
    }

    /// Sleeps until this worker is wanted again.
    fn sit_out(&self, number: usize) {
        let mut guard = self.lock();
        while usize::from(Turn::unpack(self.turn.0.load(Ordering::Relaxed)).workers) <= number {
            guard = self.bench.wait(guard).unwrap_or_else(|e| e.into_inner());
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// # Safety
    /// Only the thread that leads calls this, while no series is open.
    #[allow(clippy::mut_from_ref, reason = "one thread at a time has it, see the type")]
    unsafe fn governor(&self) -> Option<&mut Governor> {
        // SAFETY: promised by the caller.
        unsafe { (*self.governor.get()).as_mut() }
    }

    /// Sleeps or gives its core away now and then.
    #[cfg(test)]
    fn rest_at_random(&self) {
        let seed = self.unrest.load(Ordering::Relaxed);
        if seed == 0 {
            return;
        }
        // Who draws which number is a matter of chance, too.
        let x =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.unrest.store(x | 1, Ordering::Relaxed);
        match x >> 56 {
            0..8 => std::thread::sleep(Duration::from_micros(x >> 32 & 0x3ff)),
            8..64 => std::thread::yield_now(),
            _ => {}
        }
    }
}

/// What a worker remembers from pass to pass.
struct Worker {
    number: usize,
    /// Whether it has done blocks of others in the last one.
    helped: bool,
}

#[cfg(test)]
mod tests;
