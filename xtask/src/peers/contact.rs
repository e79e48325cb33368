//! Frames in which soft bodies touch, beside other engines on the same scenes.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Options, number, output, result, threads};
use crate::table::Table;

/// A scene of ours, the script and the size by which the peers know it, and which of them are timed.
type Scene = (&'static str, &'static str, u32, &'static [&'static str]);

/// Scenes that all can do in minutes.
const SCENES: [Scene; 2] = [
    (
        "cloth64",
        "contact_cloth.py",
        64,
        &["newton-style3d", "newton-xpbd", "newton-vbd", "mujoco-passive-240", "pybullet"],
    ),
    (
        "pile27",
        "contact_pile.py",
        27,
        &["newton-xpbd", "newton-vbd-5x5", "mujoco-passive-240", "pybullet"],
    ),
];

/// The simulated time of a run, which is fixed in the peers' scripts \[s\].
const SIMULATED: &str = "2";
/// How long a peer may take for it \[s\]: what it has done by then is what counts.
const LIMIT: &str = "100";

/// Prints the table: a frame is 1/60 s, and crossings are pairs of triangles that cross at the end.
pub(super) fn compare(options: &Options, python: &Path) -> Result<(), String> {
    let missing: Vec<&str> = ["newton", "mujoco", "pybullet"]
        .into_iter()
        .filter(|name| !install(python, name))
        .collect();
    let mut table = Table::new(&[
        ("case", "scene"),
        ("engine", "engine"),
        ("ms_per_frame", "ms/frame"),
        ("ms_per_frame_late", "at rest"),
        ("crossings", "crossings"),
        ("ratio", "Pliant is × faster"),
        ("note", "note"),
    ]);
    for (case, script, size, peers) in SCENES {
        let ours = ours(case)?;
        let mine = number(&ours, "ms_per_frame");
        let cells = |engine: &str, row: &Value, keys: [&str; 3], note: &str| {
            let [mean, late, crossings] = keys.map(|key| number(row, key));
            [
                case.into(),
                engine.into(),
                format!("{mean:.1}"),
                format!("{late:.1}"),
                format!("{crossings:.0}"),
                format!("{:.1}", mean / mine),
                note.into(),
            ]
        };
        table.add(cells("Pliant", &ours, ["ms_per_frame", "ms_per_frame_late", "crossings"], ""));
        for &peer in peers {
            if let Some(name) = missing.iter().find(|name| peer.starts_with(**name)) {
                let note = format!("{name} cannot be installed here");
                table.add([case, peer, "", "", "", "", &note].map(String::from));
                continue;
            }
            match theirs(options, python, script, peer, size) {
                Ok(row) => {
                    let note = match (row["finite"] == json!(false), row["cut"] == json!(true)) {
                        (true, _) => "exploded",
                        (_, true) => "not to the end",
                        _ => "",
                    };
                    table.add(cells(peer, &row, ["ms_mean", "ms_late", "pairs"], note));
                }
                Err(problem) => {
                    eprintln!("{problem}");
                    table.add([case, peer, "", "", "", "", "failed"].map(String::from));
                }
            }
        }
    }
    println!("\nFrames of 1/60 s over {SIMULATED} s, {} threads.\n", threads());
    table.save(options.csv.as_deref(), "contact-peers.csv")
}

/// Installs a package; says whether it is there then.
fn install(python: &Path, name: &str) -> bool {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", name]);
    // Another engine builds upon it.
    if name == "newton" {
        pip.arg("warp-lang");
    }
    output(&mut pip).is_ok()
}

fn ours(case: &str) -> Result<Value, String> {
    let mut command = Command::new("target/release/pliant");
    command.args(["bench", "--json", "--contact", case, "--seconds", SIMULATED]);
    command.args(["--threads", &threads().to_string()]);
    let rows: Vec<Value> = serde_json::from_str(&output(&mut command)?)
        .map_err(|error| format!("pliant bench: {error}"))?;
    rows.into_iter().next().ok_or("pliant bench printed no row".into())
}

fn theirs(
    options: &Options,
    python: &Path,
    script: &str,
    peer: &str,
    size: u32,
) -> Result<Value, String> {
    let case = json!([peer, size]).to_string();
    let mut command = Command::new(python);
    command.current_dir(&options.scripts).args([script, "--case", &case]);
    command.env("BENCH_LIMIT", LIMIT);
    result(&output(&mut command)?, script, &case)
}
