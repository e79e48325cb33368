//! `pliant bench --implicit`: how long an implicit step and an iteration of its solver take.

use std::process::ExitCode;

use pliant_lab::bench::implicit::{self, ImplicitRow};
use pliant_lab::bench::{self, Case, Settings};

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
    for case in &without_forms(args, cases)? {
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
