//! `pliant bench --hashes`: the states that built-in scenes and benchmarks must reach.

use std::process::ExitCode;

use pliant_lab::bench::hashes::{self, HashRow};

use super::table::{self, Row};
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Hashes every state.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let threads = args.device.thread_count();
    let rows = hashes::subjects().into_iter().map(|subject| subject.hash(threads));
    table::print(rows, args, console)
}

impl Row for HashRow {
    const COLUMNS: &[&str] = &["subject", "steps", "hash"];

    fn header(&self) -> String {
        "subject                  steps  hash".into()
    }

    fn line(&self) -> String {
        format!("{:<24} {:>5}  {}", self.subject, self.steps, self.hash)
    }
}
