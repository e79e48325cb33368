//! `pliant bench --project`: what some GPUs should reach.

use std::process::ExitCode;

use pliant_lab::bench::Case;
use pliant_lab::bench::project::{DISPATCH_SECONDS, Projection, project};

use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Prints the projection of the chosen cases, of the bars of 92,160 and 508,032 tetrahedra if none is.
pub fn print(args: &BenchArgs, cases: &[Case], console: &Console) -> Result<ExitCode, Failure> {
    let way = args.device.accumulation()?.unwrap_or_default();
    let chosen = !args.cases.is_empty() || args.mesh.is_some() || args.scaling;
    let wanted = |c: &&Case| chosen || matches!(c.name.as_str(), "bar90k" | "bar500k");
    let mut all = Vec::new();
    for case in cases.iter().filter(wanted) {
        let rows = project(case, way)?;
        console.say(table(&rows));
        all.extend(rows);
    }
    console.say(format!(
        "A projection, not a measurement: a step takes as long as its bytes need at the data sheet's\n\
         bandwidth, or its kernels at {:.0} µs each, whichever is longer. The lower rate is for no cache\n\
         at all, the upper one for a perfect cache; what a card reaches should lie between them.",
        1e6 * DISPATCH_SECONDS
    ));
    if console.json {
        console.document(&all);
    }
    Ok(ExitCode::SUCCESS)
}

/// A table that is also Markdown.
fn table(rows: &[Projection]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let per_tet = |bytes: u64| bytes as f64 / first.tets.max(1) as f64;
    let mut text = format!(
        "{}: {} tetrahedra, {}, {} kernels per step, {:.1} bytes per tetrahedron and step ({:.1} by \
         access)\n\n| card | GB/s | steps/s | million tetrahedra × steps / s |\n|---|---|---|---|\n",
        first.case,
        first.tets,
        first.accumulation,
        first.dispatches,
        per_tet(first.bytes_once),
        per_tet(first.bytes_by_access)
    );
    for r in rows {
        text += &format!(
            "| {} | {:.0} | {:.0} to {:.0} | {:.0} to {:.0} |\n",
            r.card.name,
            r.card.gb_per_s,
            r.steps_per_s_uncached,
            r.steps_per_s,
            r.mtets_per_s_uncached,
            r.mtets_per_s
        );
    }
    text
}
