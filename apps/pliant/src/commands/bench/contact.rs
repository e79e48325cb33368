//! `pliant bench --contact`: how long a frame takes in which soft bodies touch.

use std::process::ExitCode;

use pliant_lab::bench::contact::{self, ContactCase, ContactRow, Stepping};

use super::table;
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

const HEADER: &str = "\
case      threads bodies triangles steps iterations residual  ms/frame     late     most  without  µs/step/1000  candidates contacts searches crossings  hash";

/// Times the chosen scenes.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let backend = args.device.open()?;
    let cases = choose(args)?;
    let stepping = if args.implicit { Stepping::Implicit } else { Stepping::Explicit };
    let rows = cases.iter().map(|case| contact::run(case, stepping, &backend, args.seconds));
    table::print(rows, args, console)
}

fn choose(args: &BenchArgs) -> Result<Vec<ContactCase>, Failure> {
    let (standard, scaling) = (contact::standard(), contact::scaling());
    if args.cases.is_empty() {
        return Ok(if args.scaling { scaling } else { standard });
    }
    let all: Vec<ContactCase> = standard.into_iter().chain(scaling).collect();
    super::named(&args.cases, &all, "scene", |case| &case.name)
}

impl table::Row for ContactRow {
    const COLUMNS: &[&str] = &[
        "case",
        "stepping",
        "threads",
        "bodies",
        "triangles",
        "steps_per_frame",
        "iterations_per_frame",
        "worst_residual",
        "ms_per_frame",
        "ms_per_frame_late",
        "ms_per_frame_most",
        "ms_per_frame_without",
        "us_per_step_and_1000_triangles",
        "candidates",
        "contacts",
        "searches",
        "crossings",
        "hash",
    ];

    fn header(&self) -> String {
        HEADER.into()
    }

    fn line(&self) -> String {
        format!(
            "{:<9} {:>7} {:>6} {:>9} {:>5} {:>10.1} {:>8.1e} {:>9.2} {:>8.2} {:>8.2} {:>8.2} {:>13.2} {:>11} {:>8} {:>8} {:>9}  {}",
            self.case,
            self.threads,
            self.bodies,
            self.triangles,
            self.steps_per_frame,
            self.iterations_per_frame,
            self.worst_residual,
            self.ms_per_frame,
            self.ms_per_frame_late,
            self.ms_per_frame_most,
            self.ms_per_frame_without,
            self.us_per_step_and_1000_triangles,
            self.contact.candidates,
            self.contact.contacts,
            self.contact.searches,
            self.crossings,
            self.hash
        )
    }
}
