//! `pliant bench`: how long a step takes.

mod busy;
mod candidates;
mod cloth;
mod contact;
mod hashes;
mod implicit;
#[cfg(feature = "gpu")]
mod project;
mod shapes;
mod skin;
mod table;
mod volume;

use std::process::ExitCode;

use pliant::Backend;
use pliant::scene::Accumulation;
use pliant_lab::bench::{self, BenchError, Case, GpuFigures, Settings, StepRow};

use crate::args::BenchArgs;
use crate::console::Console;
use crate::device::{DeviceArgs, Ways};
use crate::failure::Failure;

/// Times the chosen cases, one after the other.
pub fn run(args: BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    if args.volume {
        return volume::run(&args, console);
    }
    if args.hashes {
        return hashes::run(&args, console);
    }
    if args.candidates {
        return candidates::run(&args, console);
    }
    if args.contact {
        return contact::run(&args, console);
    }
    if args.cloth {
        return cloth::run(&args, console);
    }
    if args.shapes {
        return shapes::run(&args, console);
    }
    if args.skin {
        return skin::run(&args, console);
    }
    let cases = choose(&args)?;
    if args.busy {
        return busy::run(&args, &cases, console);
    }
    if args.project {
        return project(&args, &cases, console);
    }
    let mut settings = Settings {
        backend: args.device.open()?,
        accumulation: Accumulation::Auto,
        seconds: args.seconds,
        steps: args.steps,
    };
    if args.implicit {
        settings.accumulation = args.device.accumulation()?.unwrap_or_default();
        return implicit::run(&args, &cases, settings, console);
    }
    let ways = ways(&args.device, &settings.backend);
    let rows = cases.iter().flat_map(|case| {
        let in_this_way = |&accumulation: &Accumulation| {
            bench::run(case, &Settings { accumulation, ..settings.clone() })
        };
        ways.iter().map(in_this_way)
    });
    table::print(rows, &args, console)
}

/// The ways to add up forces that are timed. On the CPU there is one.
fn ways(args: &DeviceArgs, backend: &Backend) -> Vec<Accumulation> {
    let on_cpu = matches!(backend, Backend::Cpu { .. } | Backend::Auto);
    match args.accumulation {
        Some(Ways::All) if !on_cpu => {
            Accumulation::ALL.into_iter().filter(|&way| way != Accumulation::Auto).collect()
        }
        Some(Ways::One(way)) => vec![way],
        _ => vec![Accumulation::Auto],
    }
}

#[cfg(feature = "gpu")]
fn project(args: &BenchArgs, cases: &[Case], console: &Console) -> Result<ExitCode, Failure> {
    project::print(args, cases, console)
}

#[cfg(not(feature = "gpu"))]
fn project(_: &BenchArgs, _: &[Case], _: &Console) -> Result<ExitCode, Failure> {
    Err(crate::device::no_gpu_support())
}

fn choose(args: &BenchArgs) -> Result<Vec<Case>, Failure> {
    if let Some(path) = &args.mesh {
        return Ok(bench::of_file(path, args.copies)?);
    }
    let all = if args.scaling { bench::scaling() } else { bench::standard() };
    if args.cases.is_empty() {
        return Ok(all);
    }
    named(&args.cases, &all, "case", |case| &case.name)
}

/// Those of `all` that have these names; `what` they are called if there is none.
fn named<C: Clone>(
    names: &[String],
    all: &[C],
    what: &str,
    name_of: impl Fn(&C) -> &str,
) -> Result<Vec<C>, Failure> {
    let find = |name: &String| {
        all.iter().find(|case| name_of(case) == name).cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(&name_of).collect();
            Failure::new(format!("there is no {what} called {name:?}"))
                .help(format!("there are {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

const CPU_HEADER: &str =
    "case             threads      tets   springs   ms/step   Mtets/s  B/tet  load ms  hash";
const GPU_HEADER: &str = "\
case             accumulation      tets   ms/step   Mtets/s  kernels  B moved/tet  by access  load ms  hash";

impl table::Row for StepRow {
    const COLUMNS: &[&str] = &[
        "case",
        "backend",
        "gpu.device",
        "gpu.accumulation",
        "threads",
        "tets",
        "springs",
        "ms_per_step",
        "mtets_per_s",
        "bytes_per_tet",
        "peak_bytes_per_tet",
        "load_ms",
        "hash_steps",
        "hash",
        "check_mean_dy",
    ];

    fn header(&self) -> String {
        match &self.gpu {
            None => CPU_HEADER.into(),
            Some(gpu) => {
                let kind =
                    if gpu.software { " (software: a GPU emulated by the processor)" } else { "" };
                format!(
                    "On {}{kind}. Times of stages are by the device's clock.\n{GPU_HEADER}",
                    gpu.device
                )
            }
        }
    }

    fn line(&self) -> String {
        match &self.gpu {
            None => cpu_line(self),
            Some(gpu) => gpu_line(self, gpu),
        }
    }
}

fn cpu_line(r: &StepRow) -> String {
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

fn gpu_line(r: &StepRow, gpu: &GpuFigures) -> String {
    let mut text = format!(
        "{:<16} {:<12} {:>9} {:>9.4} {:>9.1} {:>8} {:>12.1} {:>10.1} {:>8.0}  {}",
        r.case,
        gpu.accumulation,
        r.tets,
        r.ms_per_step,
        r.mtets_per_s,
        gpu.dispatches,
        gpu.bytes_per_tet_once,
        gpu.bytes_per_tet_by_access,
        r.load_ms,
        r.hash
    );
    for s in &gpu.stages {
        let time = s.ms.map_or("not timed: no clock".into(), |ms| format!("{ms:.4}"));
        text += &format!("\n  {:<14} {:<12} {:>9} {time:>9}", s.stage, "", "");
    }
    text
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Build(error) => error.into(),
            error => Self::new(error.to_string()),
        }
    }
}
