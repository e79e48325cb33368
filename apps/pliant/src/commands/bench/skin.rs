//! `pliant bench --skin`: how long it takes to carry skins along.

use std::process::ExitCode;

use pliant_lab::bench::skin::{self, CASES, SkinRow};

use super::{named, table};
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Times each of the skins.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let cases = match args.cases.is_empty() {
        true => CASES.to_vec(),
        false => named(&args.cases, &CASES, "skin", |(name, _)| name)?,
    };
    let threads = args.device.thread_count();
    let row = |&(name, size): &(&str, [u32; 2])| {
        Ok::<SkinRow, Failure>(skin::run(name, size, threads, args.seconds))
    };
    table::print(cases.iter().map(row), args, console)
}

impl table::Row for SkinRow {
    const COLUMNS: &[&str] = &[
        "case",
        "threads",
        "vertices",
        "triangles",
        "tets",
        "embed_ms",
        "ms",
        "ms_least",
        "positions_ms",
        "hash",
    ];

    fn header(&self) -> String {
        "case       threads  vertices triangles    tets  embed ms  ms/frame      best  positions  hash".into()
    }

    fn line(&self) -> String {
        format!(
            "{:<10} {:>7} {:>9} {:>9} {:>7} {:>9.0} {:>9.2} {:>9.2} {:>10.2}  {}",
            self.case,
            self.threads,
            self.vertices,
            self.triangles,
            self.tets,
            self.embed_ms,
            self.ms,
            self.ms_least,
            self.positions_ms,
            self.hash
        )
    }
}
