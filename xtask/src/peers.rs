//! Pliant beside the alternatives, timed in one run: the figures of the README.
//!
//! Machines are noisy, so only ratios of measurements that were made next to each other count.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

const USAGE: &str = "\
Usage: cargo xtask peers [--scripts FOLDER] [--mesh FILE] [--seconds S]

Times the explicit step of Taichi and numba and then Pliant's, case by case, and prints a table with
the ratios. FOLDER holds the peers' scripts [default: ../shared/peers]; FILE is an irregular mesh
[default: ../shared/data/tet/bunny.node]. Python packages go into target/peers.";

/// The case, and the copies of the mesh for an irregular one.
const CASES: [(&str, Option<u32>); 7] = [
    ("bar5k", None),
    ("bar20k", None),
    ("bar90k", None),
    ("bar500k", None),
    ("bunny", Some(1)),
    ("bunny", Some(8)),
    ("bunny", Some(44)),
];

struct Options {
    scripts: PathBuf,
    mesh: PathBuf,
    seconds: f64,
}

/// Runs the comparison.
pub fn run(arguments: &[String]) -> ExitCode {
    match parse(arguments).and_then(|o| o.map_or(Ok(()), |o| compare(&o))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options {
        scripts: "../shared/peers".into(),
        mesh: "../shared/data/tet/bunny.node".into(),
        seconds: 2.0,
    };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if matches!(option.as_str(), "--help" | "-h") {
            println!("{USAGE}");
            return Ok(None);
        }
        let value = rest.next().ok_or_else(|| format!("{option} needs a value\n\n{USAGE}"))?;
        match option.as_str() {
            "--scripts" => options.scripts = value.into(),
            "--mesh" => options.mesh = value.into(),
            "--seconds" => {
                let seconds = value.parse().ok().filter(|s: &f64| *s > 0.0);
                options.seconds = seconds.ok_or_else(|| format!("{value} is no time"))?;
            }
            other => return Err(format!("unknown option {other}\n\n{USAGE}")),
        }
    }
    Ok(Some(options))
}

fn compare(options: &Options) -> Result<(), String> {
    for needed in [options.scripts.join("harness.py"), options.mesh.clone()] {
        if !needed.exists() {
            return Err(format!("{} is missing\n\n{USAGE}", needed.display()));
        }
    }
    let python = python()?;
    shell(Command::new("cargo").args(["build", "--release", "--package", "pliant-cli"]))?;
    println!(
        "| case | tets | numba | Taichi | Pliant, thesis form | × fastest peer | Pliant, energy form | mean dy: peer / Pliant |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (case, copies) in CASES {
        let numba = peer(options, &python, "numba", case, copies)?;
        let taichi = peer(options, &python, "taichi-gather", case, copies)?;
        let ours = pliant(options, case, copies)?;
        let speed = |row: &Value, key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let (n, t) = (speed(&numba, "Mps"), speed(&taichi, "Mps"));
        let mine = speed(&ours[0], "mtets_per_s");
        let energy =
            ours.get(1).map_or("–".into(), |r| format!("{:.0}", speed(r, "mtets_per_s")));
        let check = match ours[0]["check_mean_dy"].as_f64() {
            Some(dy) => format!("{:.6} / {dy:.6}", speed(&taichi, "check_mean_dy")),
            None => "–".into(),
        };
        let name = copies.map_or(case.to_owned(), |n| format!("{case} × {n}"));
        let (tets, ratio) = (&ours[0]["tets"], mine / n.max(t));
        println!(
            "| {name} | {tets} | {n:.0} | {t:.0} | {mine:.0} | {ratio:.1} | {energy} | {check} |"
        );
    }
    println!("\nMillion tetrahedra × steps per second, {} threads.", threads());
    Ok(())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A Python with the peers' packages, installed on first use.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new("target/peers");
    let python = folder.join("bin/python");
    if !python.exists() {
        shell(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    let packages = ["-m", "pip", "install", "--quiet", "numpy", "numba", "taichi"];
    shell(Command::new(&python).args(packages))?;
    Ok(python)
}

fn peer(
    options: &Options,
    python: &Path,
    name: &str,
    case: &str,
    copies: Option<u32>,
) -> Result<Value, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/peers.py");
    let mut command = Command::new(python);
    command.arg(script).arg(&options.scripts).args([name, case]);
    command.env("BENCH_SECONDS", options.seconds.to_string());
    if let Some(copies) = copies {
        command.arg(&options.mesh).arg(copies.to_string());
    }
    let text = output(&mut command)?;
    let line = text.lines().find_map(|l| l.strip_prefix("RESULT "));
    let line = line.ok_or_else(|| format!("{name} printed no result for {case}:\n{text}"))?;
    serde_json::from_str(line).map_err(|e| format!("{name}: {e}"))
}

fn pliant(options: &Options, case: &str, copies: Option<u32>) -> Result<Vec<Value>, String> {
    let mut command = Command::new("target/release/pliant");
    command.args(["bench", "--json", "--seconds", &options.seconds.to_string()]);
    match copies {
        Some(copies) => {
            command.arg("--mesh").arg(&options.mesh).args(["--copies", &copies.to_string()])
        }
        None => command.args([case, &format!("{case}-energy")]),
    };
    serde_json::from_str(&output(&mut command)?).map_err(|e| format!("pliant bench: {e}"))
}

fn shell(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}

fn output(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&out.stderr)))
}
