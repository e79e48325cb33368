//! `pliant bench --volume`: how long a look into a body takes.

use std::process::ExitCode;

use pliant_lab::bench::volume::{self, CUBES, VolumeRow};

use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

const HEADER: &str = "case        threads      tets   ms/picture      best     first   covered";

/// Times pictures of all cubes.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let threads = args.device.thread_count();
    console.say(HEADER);
    let mut rows: Vec<VolumeRow> = Vec::new();
    for (name, cells) in CUBES {
        let (row, _) = volume::run(name, cells, threads, args.seconds);
        console.say(line(&row));
        rows.push(row);
    }
    if console.json {
        console.document(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

fn line(r: &VolumeRow) -> String {
    format!(
        "{:<11} {:>7} {:>9} {:>12.1} {:>9.1} {:>9.0} {:>8.1} %",
        r.case,
        r.threads,
        r.tets,
        r.ms_per_frame,
        r.ms_least,
        r.ms_first,
        100.0 * r.covered
    )
}
