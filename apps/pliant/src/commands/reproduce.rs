//! `pliant reproduce`: published experiments, repeated.

use std::process::ExitCode;

use pliant::Backend;
use pliant_lab::reproduce::{self, EXPERIMENTS, Effort, Experiment, ReproduceError, Row};
use serde_json::json;

use crate::args::ReproduceArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Lists the experiments or repeats some of them.
pub fn run(args: ReproduceArgs, console: &Console) -> Result<ExitCode, Failure> {
    if args.names.is_empty() {
        list(console);
        return Ok(ExitCode::SUCCESS);
    }
    let effort = Effort {
        backend: match args.device.open()? {
            // There is no GPU in hardware, or none is wanted: what is timed has a fixed number.
            Backend::Auto | Backend::Cpu { threads: 0 } => {
                Backend::Cpu { threads: args.device.thread_count() }
            }
            backend => backend,
        },
        accumulation: args.device.accumulation()?.unwrap_or_default(),
        threads: args.device.thread_count(),
        seconds: args.seconds,
    };
    let chosen: Vec<&Experiment> =
        args.names.iter().map(|n| find(n)).collect::<Result<_, Failure>>()?;
    let mut all = Vec::new();
    for experiment in chosen {
        console.note(format!("{}: {}.", experiment.name, experiment.about));
        let rows = experiment.run(&effort)?;
        console.say(table(experiment, &rows));
        all.extend(rows);
    }
    if console.json {
        console.document(&all);
    }
    Ok(ExitCode::SUCCESS)
}

fn find(name: &str) -> Result<&'static Experiment, Failure> {
    reproduce::find(name).ok_or_else(|| {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        Failure::new(format!("there is no experiment called {name:?}"))
            .help(format!("there are {}", names.join(", ")))
    })
}

fn list(console: &Console) {
    if console.json {
        let entry = |e: &Experiment| json!({"name": e.name, "about": e.about, "method": e.method});
        console.document(&EXPERIMENTS.iter().map(entry).collect::<Vec<_>>());
    } else {
        let width = EXPERIMENTS.iter().map(|e| e.name.len()).max().unwrap_or(0);
        let line = |e: &Experiment| format!("{:<width$}  {}", e.name, e.about);
        console.say(EXPERIMENTS.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
}

fn table(experiment: &Experiment, rows: &[Row]) -> String {
    let width = rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max(4);
    let number = |x: Option<f64>| x.map_or("–".into(), short);
    let percent = |x: Option<f64>| match x {
        None => "–".into(),
        Some(p) if p.abs() < 0.01 => format!("{p:+.1e}"),
        Some(p) => format!("{p:+.2}"),
    };
    let head = format!(
        "{:<width$}  {:>12}  {:>12}  {:>12}  {:<13} {:>12}  note",
        "what", "published", "exact", "ours", "unit", "deviation %"
    );
    let line = |r: &Row| {
        let pad = " ".repeat(width - r.name.chars().count());
        format!(
            "{}{pad}  {:>12}  {:>12}  {:>12}  {:<13} {:>12}  {}",
            r.name,
            number(r.published),
            number(r.exact),
            short(r.ours),
            r.unit,
            percent(r.deviation_percent),
            r.note
        )
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    let mut backends: Vec<&str> = rows.iter().map(|r| r.backend.as_str()).collect();
    backends.sort_unstable();
    backends.dedup();
    let ran = format!("Ran on: {}.", backends.join("; "));
    format!("{head}\n{}\n\n{ran}\n{}\n", lines.join("\n"), experiment.method)
}

/// Four or five digits, whatever the size.
fn short(x: f64) -> String {
    match x.abs() {
        a if a >= 1e5 => format!("{x:.4e}"),
        a if a >= 100.0 => format!("{x:.1}"),
        a if a >= 0.01 || a == 0.0 => format!("{x:.4}"),
        _ => format!("{x:.3e}"),
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Build(error) => error.into(),
            error => Self::new(error.to_string()),
        }
    }
}
