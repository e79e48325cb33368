//! `pliant bench --shapes`: how long a step of shape matching takes.

use std::process::ExitCode;

use pliant::scene::Accumulation;
use pliant_lab::bench::Settings;
use pliant_lab::bench::matching::{self, ShapesCase, ShapesRow};

use super::table;
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

const HEADER: &str =
    "case        threads  bodies  vertices  clusters   ms/step  Mclusters/s  load ms  hash";

/// Times the chosen bodies.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let settings = Settings {
        backend: args.device.open()?,
        accumulation: args.device.accumulation()?.unwrap_or(Accumulation::Auto),
        seconds: args.seconds,
        steps: args.steps,
    };
    let cases = choose(args)?;
    let rows = cases.iter().map(|case| matching::run(case, &settings));
    table::print(rows, args, console)
}

fn choose(args: &BenchArgs) -> Result<Vec<ShapesCase>, Failure> {
    let all = matching::standard();
    if args.cases.is_empty() {
        return Ok(all);
    }
    super::named(&args.cases, &all, "case", |case| &case.name)
}

impl table::Row for ShapesRow {
    const COLUMNS: &[&str] = &[
        "case",
        "backend",
        "threads",
        "bodies",
        "vertices",
        "clusters",
        "members",
        "ms_per_step",
        "mclusters_per_s",
        "load_ms",
        "hash_steps",
        "hash",
    ];

    fn header(&self) -> String {
        HEADER.into()
    }

    fn line(&self) -> String {
        format!(
            "{:<11} {:>7} {:>7} {:>9} {:>9} {:>9.3} {:>12.1} {:>8.0}  {}",
            self.case,
            self.threads,
            self.bodies,
            self.vertices,
            self.clusters,
            self.ms_per_step,
            self.mclusters_per_s,
            self.load_ms,
            self.hash
        )
    }
}
