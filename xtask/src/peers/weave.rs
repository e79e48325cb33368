//! Woven cloth beside Taichi and numba: stretch, shear and bend by springs, explicit steps.

use std::path::Path;

use super::{Options, number, pliant, script, threads};
use crate::table::Table;

const CASES: [&str; 3] = ["cloth128", "cloth256", "cloth512"];

pub fn compare(options: &Options, python: &Path) -> Result<(), String> {
    let mut table = Table::new(&[
        ("case", "case"),
        ("springs", "springs"),
        ("numba_msprings_per_s", "numba"),
        ("taichi_msprings_per_s", "Taichi"),
        ("one_thread_msprings_per_s", "Pliant, one thread"),
        ("msprings_per_s", "Pliant"),
        ("ratio", "× fastest peer"),
    ]);
    for case in CASES {
        let theirs = ["numba", "taichi-gather"].map(|peer| {
            script(options, python, "cloth_taichi.py", &format!("[\"{peer}\", \"{case}\"]"))
        });
        let [numba, taichi] = theirs;
        let (numba, taichi) = (numba?, taichi?);
        let rows = [
            pliant(options, &["--cloth", case, "--threads", "1"])?,
            pliant(options, &["--cloth", case])?,
        ];
        let [one, all] = rows.each_ref().map(|rows| number(&rows[0], "msprings_per_s"));
        let [n, t] = [&numba, &taichi].map(|row| number(row, "Mps"));
        table.add([
            case.into(),
            rows[1][0]["springs"].to_string(),
            format!("{n:.0}"),
            format!("{t:.0}"),
            format!("{one:.0}"),
            format!("{all:.0}"),
            format!("{:.1}", all / n.max(t)),
        ]);
    }
    println!("\nMillion springs × steps per second, {} threads.\n", threads());
    table.save(options.csv.as_deref(), "cloth-peers.csv")
}
