//! Fuzzing of the mesh readers on stable Rust: seeds of every format are damaged at random and read
//! again. A reader may refuse a file, but must not panic, hang, or take memory that the file's size
//! does not justify. What it accepts must be a mesh that the doctor and the writers can handle.
//!
//! Case `n` of seed `s` is the same on every machine and for any number of threads.

mod memory;
mod mutate;
mod options;
mod random;
mod seeds;
mod trial;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use options::Options;
use random::Random;
use seeds::Seed;
use trial::Failure;

/// A case that runs longer than this is reported \[s\].
const SLOW: Duration = Duration::from_secs(1);
/// A case that runs longer than this ends the run, since it may never come back \[s\].
const HANGS: Duration = Duration::from_secs(30);

/// The case that each worker is at, for when it hangs or takes too much memory.
static CURRENT: Mutex<Vec<Option<Case>>> = Mutex::new(Vec::new());

/// One damaged file.
#[derive(Clone)]
struct Case {
    number: u64,
    started: Instant,
    file: Seed,
}

/// What the workers share.
struct Progress {
    done: AtomicU64,
    accepted: AtomicU64,
    stop: AtomicBool,
    failures: Mutex<Vec<String>>,
}

/// Runs the task with its command-line options.
pub fn run(arguments: &[String]) -> ExitCode {
    let options = match Options::parse(arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{}", options::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    if let Some(path) = &options.replay {
        return replay(path);
    }
    let seeds: Vec<Seed> = seeds::all()
        .into_iter()
        .filter(|s| options.format.as_ref().is_none_or(|f| s.kind == *f))
        .collect();
    if seeds.is_empty() {
        eprintln!("no seeds for this format");
        return ExitCode::from(2);
    }
    println!(
        "{} seeds of {} formats, {} cases from seed {}",
        seeds.len(),
        kinds(&seeds).len(),
        options.cases,
        options.seed
    );
    campaign(&options, &seeds)
}

/// Reads one saved file again, with the panic shown.
fn replay(path: &Path) -> ExitCode {
    match Seed::from_file(path).map(|seed| trial::run(&seed)) {
        Some(Ok(accepted)) => {
            println!(
                "{}",
                if accepted { "accepted" } else { "refused with an error, as it should" }
            );
            ExitCode::SUCCESS
        }
        Some(Err(failure)) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("cannot read {}", path.display());
            ExitCode::from(2)
        }
    }
}

fn kinds(seeds: &[Seed]) -> Vec<&str> {
    let mut kinds: Vec<&str> = seeds.iter().map(|s| s.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn campaign(options: &Options, seeds: &[Seed]) -> ExitCode {
    // Panics are counted and their inputs saved; ten thousand backtraces would help nobody.
    std::panic::set_hook(Box::new(|_| {}));
    let progress = Progress {
        done: AtomicU64::new(0),
        accepted: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        failures: Mutex::new(Vec::new()),
    };
    *lock(&CURRENT) = vec![None; options.threads];
    let start = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads)
            .map(|w| {
                let progress = &progress;
                scope.spawn(move || work(w, options, seeds, progress))
            })
            .collect();
        let mut shown = Instant::now();
        while !workers.iter().all(|w| w.is_finished()) {
            std::thread::sleep(Duration::from_millis(50));
            end_if_hanging();
            if options.seconds.is_some_and(|limit| start.elapsed() > limit) {
                progress.stop.store(true, Ordering::Relaxed);
            }
            if shown.elapsed() > Duration::from_secs(5) {
                shown = Instant::now();
                show(&progress, start);
            }
        }
    });
    show(&progress, start);
    let failures = lock(&progress.failures);
    if failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("{} failures; the inputs are in {}", failures.len(), folder().display());
    failures.iter().for_each(|f| eprintln!("  {f}"));
    ExitCode::FAILURE
}

fn show(progress: &Progress, start: Instant) {
    let done = progress.done.load(Ordering::Relaxed);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{done} cases in {seconds:.0} s ({:.0} per second), {} accepted, {} failures",
        done as f64 / seconds.max(1e-3),
        progress.accepted.load(Ordering::Relaxed),
        lock(&progress.failures).len()
    );
}

fn work(worker: usize, options: &Options, seeds: &[Seed], progress: &Progress) {
    memory::name_this_thread(worker);
    let by_kind: Vec<Vec<&Seed>> = kinds(seeds)
        .into_iter()
        .map(|kind| seeds.iter().filter(|s| s.kind == kind).collect())
        .collect();
    let mut number = options.first + worker as u64;
    let end = options.first + options.cases;
    while number < end && !progress.stop.load(Ordering::Relaxed) {
        let mut random = Random::new(options.seed, number);
        let family: &Vec<&Seed> = random.pick(&by_kind);
        let seed: &Seed = random.pick::<&Seed>(family);
        let file = mutate::damaged(seed, family, seeds, &mut random);
        let case = Case { number, started: Instant::now(), file: file.clone() };
        lock(&CURRENT)[worker] = Some(case);
        let outcome = trial::run(&file);
        let took = lock(&CURRENT)[worker].take().map_or(Duration::ZERO, |c| c.started.elapsed());
        let outcome = match outcome {
            Ok(_) if took > SLOW => Err(Failure::Slow(took)),
            other => other,
        };
        match outcome {
            Ok(accepted) => {
                progress.accepted.fetch_add(u64::from(accepted), Ordering::Relaxed);
            }
            Err(failure) => fail(progress, number, &file, &failure),
        }
        progress.done.fetch_add(1, Ordering::Relaxed);
        number += options.threads as u64;
    }
}

fn fail(progress: &Progress, number: u64, file: &Seed, failure: &Failure) {
    let mut failures = lock(&progress.failures);
    if failures.len() >= 200 {
        progress.stop.store(true, Ordering::Relaxed);
        return;
    }
    let saved = save(number, file);
    failures.push(format!("case {number}, {}: {failure}", saved.display()));
}

/// Ends the run when a worker has been at one case for too long: threads cannot be stopped.
fn end_if_hanging() {
    let hanging = lock(&CURRENT).iter().flatten().find(|c| c.started.elapsed() > HANGS).cloned();
    if let Some(case) = hanging {
        let saved = save(case.number, &case.file);
        eprintln!("case {} hangs; its input is {}", case.number, saved.display());
        std::process::exit(1);
    }
}

/// Ends the run because `worker` asked for more memory than a machine has to give. Called from
/// within the allocator, which has stopped counting.
fn end_for_memory(worker: usize, bytes: usize) -> ! {
    if let Some(case) = lock(&CURRENT).get(worker).cloned().flatten() {
        let saved = save(case.number, &case.file);
        let number = case.number;
        eprintln!("case {number} asks for {bytes} bytes; its input is {}", saved.display());
    }
    std::process::exit(1);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../out/fuzz")
}

/// Saves a case with its companions and gives the path.
fn save(number: u64, file: &Seed) -> PathBuf {
    let folder = folder().join(format!("case-{number}"));
    let path = folder.join(if file.name.is_empty() { "unnamed" } else { &file.name });
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(&path, &file.bytes)?;
        for (name, bytes) in &file.companions.0 {
            std::fs::write(folder.join(name), bytes)?;
        }
        Ok(())
    };
    if let Err(e) = write() {
        eprintln!("cannot save {}: {e}", path.display());
    }
    path
}

/// Locks even if a panic happened elsewhere: what is inside is plain data.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
