//! What other programs cost: steps beside threads that keep the cores busy.
//!
//! The default number of threads, which follows the load, is compared with every fixed number. All take
//! turns of a quarter of a second, so that whatever else the machine does meets them alike.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pliant_sim::{Backend, Diverged, Simulator};

use super::{BenchError, Case};

/// How long each number of threads runs before it is the next one's turn.
const TURN: Duration = Duration::from_millis(250);
/// Turns that are not counted when the load has changed.
const FIRST_TURNS: u32 = 4;
/// Cores up to which every number of threads is timed.
const FEW_CORES: usize = 8;

/// One measured row: a case beside a number of busy threads.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BusyRow {
    /// Name of the case.
    pub case: String,
    /// Tetrahedra.
    pub tets: usize,
    /// Cores of the machine.
    pub cores: usize,
    /// Threads that compete for them.
    pub busy_threads: usize,
    /// Tetrahedra times steps per second with the default number of threads, in millions.
    pub default_mtets_per_s: f64,
    /// The same with fixed numbers.
    pub fixed: Vec<FixedCount>,
    /// The fixed number that was fastest.
    pub best_threads: usize,
    /// Tetrahedra times steps per second with it, in millions.
    pub best_mtets_per_s: f64,
    /// Speed of the default number, divided by that of the best fixed one.
    pub of_best: f64,
}

/// The speed of a fixed number of threads.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct FixedCount {
    /// How many.
    pub threads: usize,
    /// Tetrahedra times steps per second, in millions.
    pub mtets_per_s: f64,
}

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The numbers of busy threads: none, one on half of the cores, one per core.
pub fn loads(cores: usize) -> Vec<usize> {
    let mut loads = vec![0, (cores / 2).max(1), cores];
    loads.dedup();
    loads
}

/// The fixed numbers of threads: all up to the number of cores, or powers of two where those are many.
pub fn counts(cores: usize) -> Vec<usize> {
    if cores <= FEW_CORES {
        return (1..=cores).collect();
    }
    let powers = (0..usize::BITS).map(|k| 1 << k).take_while(|&n| n < cores);
    let mut counts: Vec<usize> = powers.chain([cores / 2, cores]).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Times a case beside so many busy threads, for about so many seconds with each number of threads.
pub fn run(case: &Case, busy_threads: usize, seconds: f64) -> Result<BusyRow, BenchError> {
    let counts = counts(cores());
    let backends = [Backend::cpu()].into_iter();
    let backends = backends.chain(counts.iter().map(|&threads| Backend::Cpu { threads }));
    let mut runners = backends.map(|b| Runner::new(case, b)).collect::<Result<Vec<_>, _>>()?;
    let load = Load::new(busy_threads);
    let rounds = (seconds / TURN.as_secs_f64()).ceil().max(1.0) as u32;
    for round in 0..FIRST_TURNS + rounds {
        for runner in &mut runners {
            if round == FIRST_TURNS {
                (runner.steps, runner.time) = (0, Duration::ZERO);
            }
            runner.take_turn().map_err(|source| BenchError::Diverged {
                case: case.name.clone(),
                source: Box::new(source),
            })?;
        }
    }
    drop(load);
    let speed = |runner: &Runner| {
        let tets = runner.sim.model().tets.len() as f64;
        1e-6 * tets * runner.steps as f64 / runner.time.as_secs_f64()
    };
    let default_mtets_per_s = speed(&runners[0]);
    let fixed: Vec<FixedCount> = counts
        .iter()
        .zip(&runners[1..])
        .map(|(&threads, runner)| FixedCount { threads, mtets_per_s: speed(runner) })
        .collect();
    let mut best = fixed[0];
    for &count in &fixed {
        if count.mtets_per_s > best.mtets_per_s {
            best = count;
        }
    }
    Ok(BusyRow {
        case: case.name.clone(),
        tets: runners[0].sim.model().tets.len(),
        cores: cores(),
        busy_threads,
        default_mtets_per_s,
        of_best: default_mtets_per_s / best.mtets_per_s,
        best_threads: best.threads,
        best_mtets_per_s: best.mtets_per_s,
        fixed,
    })
}

/// A simulator, and what it has done in its turns.
struct Runner {
    sim: Simulator,
    steps: u64,
    time: Duration,
}

impl Runner {
    fn new(case: &Case, backend: Backend) -> Result<Self, BenchError> {
        let sim = Simulator::new(case.scene(), backend)?;
        Ok(Self { sim, steps: 0, time: Duration::ZERO })
    }

    fn take_turn(&mut self) -> Result<(), Diverged> {
        let begin = Instant::now();
        let mut count = 1;
        while begin.elapsed() < TURN {
            let lap = Instant::now();
            self.sim.advance(count)?;
            self.steps += count;
            // Pieces of some milliseconds.
            if lap.elapsed() < Duration::from_millis(5) {
                count *= 2;
            }
        }
        self.time += begin.elapsed();
        Ok(())
    }
}

/// Threads that do nothing of use, for as long as this lives.
struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    fn new(count: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let toil = |stop: &AtomicBool| {
            let mut x = 1_u64;
            while !stop.load(Ordering::Relaxed) {
                x = black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            }
        };
        let threads = (0..count)
            .map(|_| {
                let stop = Arc::clone(&stop);
                std::thread::spawn(move || toil(&stop))
            })
            .collect();
        Self { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It only counted.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::standard;

    #[test]
    fn loads_and_counts_suit_the_machine() {
        assert_eq!([loads(1), loads(2), loads(16)], [vec![0, 1], vec![0, 1, 2], vec![0, 8, 16]]);
        assert_eq!(counts(3), [1, 2, 3]);
        assert_eq!(counts(12), [1, 2, 4, 6, 8, 12]);
        assert_eq!(counts(16), [1, 2, 4, 8, 16]);
    }

    #[test]
    fn a_row_compares_the_default_with_the_best() {
        let row = run(&standard()[0], 1, 0.1).unwrap();
        assert_eq!((row.tets, row.busy_threads, row.fixed.len()), (5184, 1, counts(cores()).len()));
        let best = row.fixed.iter().map(|f| f.mtets_per_s).fold(0.0, f64::max);
        assert!(best > 0.0 && row.default_mtets_per_s > 0.0, "{row:?}");
        assert_eq!(row.best_mtets_per_s, best);
        assert_eq!(row.of_best, row.default_mtets_per_s / best);
        let named = row.fixed.iter().find(|f| f.threads == row.best_threads);
        assert_eq!(named.unwrap().mtets_per_s, best);
    }
}
