//! The search for what may touch, beside IPC Toolkit's tree and Embree's, on the same cloths.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Options, number, output, pliant, result, shell, threads};

/// Our name of a cloth, and what the peers call its fold and its side.
const CLOTHS: [(&str, &str, u32); 4] = [
    ("drape50k", "drape", 159),
    ("crumple50k", "crumple", 159),
    ("drape200k", "drape", 317),
    ("crumple200k", "crumple", 317),
];

/// How often each takes its turn.
const ROUNDS: usize = 3;

/// Prints the table. Machines are noisy, so everybody takes turns, and the least time of each counts.
pub(super) fn compare(options: &Options, python: &Path) -> Result<(), String> {
    let folder = std::path::absolute("target/peers/cloths").map_err(|e| e.to_string())?;
    println!(
        "| cloth | triangles | IPC Toolkit, ms | pairs | Embree, ms | pairs | Pliant, ms | pairs | × fastest peer |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (cloth, fold, side) in CLOTHS {
        let ours = || -> Result<Value, String> {
            let folder = folder.display().to_string();
            let threads = threads().to_string();
            let arguments = ["--candidates", cloth, "--cloths", &folder, "--threads", &threads];
            pliant(options, &arguments)?.pop().ok_or("pliant bench printed no row".into())
        };
        // The first run makes the cloth, and the peers are given the same one.
        ours()?;
        hand_over(python, &folder, cloth, fold, side)?;
        let lbvh = json!(["ipctk", fold, side, "LBVH", threads()]).to_string();
        let collide = json!(["embree", fold, side, threads()]).to_string();
        let (mut toolkit, mut embree, mut mine) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            toolkit.push(peer(options, python, &folder, &lbvh)?);
            mine.push(ours()?);
            embree.push(peer(options, python, &folder, &collide)?);
        }
        // Its count is a race with several threads.
        let one = json!(["embree", fold, side, 1]).to_string();
        let counted = peer(options, python, &folder, &one)?;
        let [toolkit_ms, embree_ms] = [&toolkit, &embree].map(|rows| least(rows, "ms_min"));
        let ms = least(&mine, "ms_least");
        let pairs = |row: &Value, names: [&str; 2]| number(row, names[0]) + number(row, names[1]);
        println!(
            "| {cloth} | {} | {toolkit_ms:.1} | {} | {embree_ms:.1} | {} | {ms:.2} | {} | {:.1} |",
            mine[0]["triangles"],
            pairs(&toolkit[0], ["fv", "ee"]),
            pairs(&counted, ["fv", "ee"]),
            pairs(&mine[0], ["vertex_triangle", "edge_edge"]),
            toolkit_ms.min(embree_ms) / ms,
        );
    }
    println!("\nLeast time of {ROUNDS} turns each, {} threads.\n", threads());
    Ok(())
}

fn least(rows: &[Value], key: &str) -> f64 {
    rows.iter().map(|row| number(row, key)).fold(f64::INFINITY, f64::min)
}

/// Leaves a cloth of ours where the peers' script looks for its own.
fn hand_over(
    python: &Path,
    folder: &Path,
    cloth: &str,
    fold: &str,
    side: u32,
) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/peers/cloth.py");
    let from: PathBuf = folder.join(format!("{cloth}.obj"));
    let to = folder.join(format!("own_{fold}_{side}.npz"));
    shell(Command::new(python).arg(script).arg(from).arg(to))
}

fn peer(options: &Options, python: &Path, folder: &Path, case: &str) -> Result<Value, String> {
    let mut command = Command::new(python);
    command.current_dir(&options.scripts).args(["broadphase.py", "--case", case]);
    command.env("BENCH_SECONDS", options.seconds.to_string()).env("BENCH_DUMP", folder);
    result(&output(&mut command)?, "broadphase.py", case)
}
