//! `pliant bench --cloth`: how long a step of woven cloth takes.

use std::process::ExitCode;

use pliant::scene::Accumulation;
use pliant_lab::bench::Settings;
use pliant_lab::bench::weave::{self, WeaveCase, WeaveRow};

use super::table;
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

const HEADER: &str = "case      threads  vertices   springs   ms/step  Msprings/s  load ms  hash";

/// Times the chosen sheets.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let settings = Settings {
        backend: args.device.open()?,
        accumulation: args.device.accumulation()?.unwrap_or(Accumulation::Auto),
        seconds: args.seconds,
        steps: args.steps,
    };
    let cases = choose(args)?;
    let rows = cases.iter().map(|case| weave::run(case, &settings));
    table::print(rows, args, console)
}

fn choose(args: &BenchArgs) -> Result<Vec<WeaveCase>, Failure> {
    let all = weave::standard();
    if args.cases.is_empty() {
        return Ok(all);
    }
    super::named(&args.cases, &all, "sheet", |case| &case.name)
}

impl table::Row for WeaveRow {
    const COLUMNS: &[&str] = &[
        "case",
        "backend",
        "threads",
        "vertices",
        "springs",
        "ms_per_step",
        "msprings_per_s",
        "load_ms",
        "hash_steps",
        "hash",
    ];

    fn header(&self) -> String {
        HEADER.into()
    }

    fn line(&self) -> String {
        format!(
            "{:<9} {:>7} {:>9} {:>9} {:>9.3} {:>11.1} {:>8.0}  {}",
            self.case,
            self.threads,
            self.vertices,
            self.springs,
            self.ms_per_step,
            self.msprings_per_s,
            self.load_ms,
            self.hash
        )
    }
}
