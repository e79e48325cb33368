//! `pliant bench --implicit`: how long an implicit step and an iteration of its solver take.

use std::process::ExitCode;

use pliant_lab::bench::implicit::{self, ImplicitRow};
use pliant_lab::bench::{Case, Settings};

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
    let mut rows: Vec<ImplicitRow> = Vec::new();
    // The two forms of the volume force are one case here: there is none.
    for case in cases.iter().filter(|case| !case.energy_form) {
        let row = implicit::run(case, args.tolerance, &settings)?;
        if rows.is_empty() {
            console.say(HEADER);
        }
        console.say(line(&row));
        if row.unconverged + row.limited > 0 {
            console.note(format!(
                "{}: {} systems were not solved to {:e}",
                row.case,
                row.unconverged + row.limited,
                args.tolerance
            ));
        }
        rows.push(row);
    }
    if console.json {
        console.document(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

fn line(r: &ImplicitRow) -> String {
    format!(
        "{:<16} {:>7} {:>9} {:>9} {:>9.3} {:>11.1} {:>13.1} {:>13.2} {:>9.1e} {:>6.0}  {}",
        r.case,
        r.threads,
        r.tets,
        r.springs,
        r.ms_per_step,
        r.iterations,
        r.us_per_iteration,
        r.iteration_mb,
        r.worst_residual,
        r.bytes_per_tet,
        r.hash
    )
}
