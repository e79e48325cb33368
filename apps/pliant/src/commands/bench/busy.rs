//! `pliant bench --busy`: what other programs cost, and whether the default number of threads copes.

use std::process::ExitCode;

use pliant_lab::bench::Case;
use pliant_lab::bench::busy::{self, BusyRow};

use super::table::{self, Row};
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

/// The case that is timed if none is named.
const CASE: &str = "bar90k";

/// Times the chosen cases beside no, some and many busy threads.
pub fn run(args: &BenchArgs, cases: &[Case], console: &Console) -> Result<ExitCode, Failure> {
    let is_chosen =
        |case: &&Case| !args.cases.is_empty() || args.mesh.is_some() || case.name == CASE;
    let rows = cases.iter().filter(is_chosen).flat_map(|case| {
        busy::loads(busy::cores()).into_iter().map(|load| busy::run(case, load, args.seconds))
    });
    table::print(rows, args, console)
}

impl Row for BusyRow {
    const COLUMNS: &[&str] = &[
        "case",
        "tets",
        "cores",
        "busy_threads",
        "default_mtets_per_s",
        "best_threads",
        "best_mtets_per_s",
        "of_best",
    ];

    fn header(&self) -> String {
        let counts: String = self.fixed.iter().map(|f| format!(" {:>9}", f.threads)).collect();
        format!(
            "Mtets/s on {} cores with the default and with fixed numbers of threads.\n\
             case             busy threads   default{counts}  default/best",
            self.cores
        )
    }

    fn line(&self) -> String {
        let speeds: String =
            self.fixed.iter().map(|f| format!(" {:>9.1}", f.mtets_per_s)).collect();
        format!(
            "{:<16} {:>12} {:>9.1}{speeds}  {:>12.2}",
            self.case, self.busy_threads, self.default_mtets_per_s, self.of_best
        )
    }
}
