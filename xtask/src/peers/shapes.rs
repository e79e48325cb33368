//! Shape matching beside PositionBasedDynamics: bars of which each tetrahedron is a cluster.

use std::path::Path;

use super::{Options, number, pliant, script, threads};
use crate::table::Table;

/// Our bars and theirs, of the same cells.
const CASES: [[&str; 2]; 2] = [["tets90k", "bar90k"], ["tets500k", "bar500k"]];

pub fn compare(options: &Options, python: &Path) -> Result<(), String> {
    let mut table = Table::new(&[
        ("case", "case"),
        ("clusters", "clusters"),
        ("pypbd_one_thread_mclusters_per_s", "pypbd, one thread"),
        ("pypbd_mclusters_per_s", "pypbd"),
        ("mclusters_per_s", "Pliant"),
        ("ratio", "× pypbd"),
    ]);
    for [ours, theirs] in CASES {
        let peer = |threads: usize| {
            let case = format!("[\"pypbd-shape-matching\", \"{theirs}\", {threads}]");
            script(options, python, "peer_pypbd.py", &case)
        };
        let (one, all) = (peer(1)?, peer(threads())?);
        let rows = pliant(options, &["--shapes", ours])?;
        let row = rows.first().ok_or("pliant bench printed no row")?;
        let [one, all] = [&one, &all].map(|row| number(row, "Mps"));
        let mine = number(row, "mclusters_per_s");
        table.add([
            ours.into(),
            row["clusters"].to_string(),
            format!("{one:.1}"),
            format!("{all:.1}"),
            format!("{mine:.1}"),
            format!("{:.1}", mine / one.max(all)),
        ]);
    }
    println!(
        "\nMillion clusters per second, {} threads; each iteration of pypbd counts.\n",
        threads()
    );
    table.save(options.csv.as_deref(), "shapes-peers.csv")
}
