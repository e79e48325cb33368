//! `pliant bench`: how long a step takes.

use std::process::ExitCode;

use pliant_lab::bench::{self, BenchError, Case, Row, Settings};

use crate::args::BenchArgs;
use crate::commands::simulate::thread_count;
use crate::console::Console;
use crate::failure::Failure;

/// Times the chosen cases, one after the other.
pub fn run(args: BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let cases = choose(&args)?;
    let settings =
        Settings { threads: thread_count(args.threads), seconds: args.seconds, steps: args.steps };
    let mut rows = Vec::new();
    console.say(HEADER);
    for case in &cases {
        let row = bench::run(case, settings)?;
        console.say(line(&row));
        rows.push(row);
    }
    if console.json {
        console.document(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

fn choose(args: &BenchArgs) -> Result<Vec<Case>, Failure> {
    if let Some(path) = &args.mesh {
        return Ok(bench::of_file(path, args.copies)?);
    }
    let all = if args.scaling { bench::scaling() } else { bench::standard() };
    if args.cases.is_empty() {
        return Ok(all);
    }
    let names = all.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
    let pick = |name: &String| {
        all.iter().find(|c| c.name == *name).cloned().ok_or_else(|| {
            Failure::new(format!("there is no case called {name:?}"))
                .help(format!("there are {names}"))
        })
    };
    args.cases.iter().map(pick).collect()
}

const HEADER: &str =
    "case             threads      tets   springs   ms/step   Mtets/s  B/tet  load ms  hash";

fn line(r: &Row) -> String {
    format!(
        "{:<16} {:>7} {:>9} {:>9} {:>9.4} {:>9.1} {:>6.0} {:>8.0}  {}",
        r.case,
        r.threads,
        r.tets,
        r.springs,
        r.ms_per_step,
        r.mtets_per_s,
        r.bytes_per_tet,
        r.load_ms,
        r.hash
    )
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Build(error) => error.into(),
            error => Self::new(error.to_string()),
        }
    }
}
