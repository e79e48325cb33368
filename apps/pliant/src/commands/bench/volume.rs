//! `pliant bench --volume`: how long a look into a body takes.

use std::process::ExitCode;

use pliant_lab::bench::volume::{self, CUBES, VolumeRow};

use super::table::{self, Row};
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

const HEADER: &str = "case        threads      tets   ms/picture      best     first   covered";

/// Times pictures of all cubes.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let threads = args.device.thread_count();
    let rows = CUBES
        .into_iter()
        .map(|(name, cells)| Ok::<_, Failure>(volume::run(name, cells, threads, args.seconds).0));
    table::print(rows, args, console)
}

impl Row for VolumeRow {
    const COLUMNS: &[&str] =
        &["case", "threads", "tets", "ms_per_frame", "ms_least", "ms_first", "covered", "lost"];

    fn header(&self) -> String {
        HEADER.into()
    }

    fn line(&self) -> String {
        format!(
            "{:<11} {:>7} {:>9} {:>12.1} {:>9.1} {:>9.0} {:>8.1} %",
            self.case,
            self.threads,
            self.tets,
            self.ms_per_frame,
            self.ms_least,
            self.ms_first,
            100.0 * self.covered
        )
    }
}
