//! `pliant bench --implicit`: how long an implicit step and an iteration of its solver take.

use std::process::ExitCode;

use pliant_lab::bench::implicit::{self, ImplicitRow};
use pliant_lab::bench::{self, Case, Settings};

use super::table::{self, Row};
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

const HEADER: &str = "\
case             threads      tets   springs   ms/step  iterations  µs/iteration  MB/iteration  residual  B/tet  hash";

/// Times the chosen cases, one after the other.
pub fn run(
    args: &BenchArgs,
    cases: &[Case],
    settings: Settings,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let cases = without_forms(args, cases)?;
    let rows = cases.iter().map(|case| implicit::run(case, args.tolerance, &settings));
    table::print(rows, args, console)
}

/// The two forms of the volume force are one case here: there is none. Who asks for one by name is
/// told.
fn without_forms(args: &BenchArgs, cases: &[Case]) -> Result<Vec<Case>, Failure> {
    if let Some(case) = cases.iter().find(|c| c.energy_form && args.cases.contains(&c.name)) {
        let all = if args.scaling { bench::scaling() } else { bench::standard() };
        let names: Vec<String> =
            all.into_iter().filter(|c| !c.energy_form).map(|c| c.name).collect();
        return Err(Failure::misuse(format!(
            "{:?} is about a form of the volume force, and --implicit times springs only",
            case.name
        ))
        .help(format!("there are {}", names.join(", "))));
    }
    Ok(cases.iter().filter(|c| !c.energy_form).cloned().collect())
}

impl Row for ImplicitRow {
    const COLUMNS: &[&str] = &[
        "case",
        "backend",
        "threads",
        "tets",
        "springs",
        "vertices",
        "tolerance",
        "ms_per_step",
        "iterations",
        "us_per_iteration",
        "iteration_mb",
        "worst_residual",
        "bytes_per_tet",
        "hash_steps",
        "hash",
        "mean_dy",
    ];

    fn header(&self) -> String {
        HEADER.into()
    }

    fn line(&self) -> String {
        format!(
            "{:<16} {:>7} {:>9} {:>9} {:>9.3} {:>11.1} {:>13.1} {:>13.2} {:>9.1e} {:>6.0}  {}",
            self.case,
            self.threads,
            self.tets,
            self.springs,
            self.ms_per_step,
            self.iterations,
            self.us_per_iteration,
            self.iteration_mb,
            self.worst_residual,
            self.bytes_per_tet,
            self.hash
        )
    }

    fn doubt(&self) -> Option<String> {
        let left = self.unconverged + self.limited;
        let text =
            || format!("{}: {left} systems were not solved to {:e}", self.case, self.tolerance);
        (left > 0).then(text)
    }
}
