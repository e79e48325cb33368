//! Pliant beside the alternatives, timed in one run: the figures of the README.
//!
//! Machines are noisy, so only ratios of measurements that were made next to each other count.

mod broadphase;
mod contact;
mod shapes;
mod weave;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use crate::table::Table;
use crate::test::command::root;

const USAGE: &str = "\
Usage: cargo xtask peers [--only explicit|implicit|volume|broadphase|contact|cloth|shapes] [--scripts FOLDER] [--mesh FILE]
                         [--seconds S] [--csv FOLDER]

Times what one would use instead and then Pliant, case by case, and prints tables with the ratios: the
explicit step of Taichi and numba, the implicit step of scipy, the volume mappers of VTK, the search for
contacts of IPC Toolkit and Embree, frames in which soft bodies touch by newton, MuJoCo and pybullet,
woven cloth of Taichi and numba, and shape matching of pypbd.
FOLDER holds the peers' scripts [default: ../shared/peers]; FILE is an irregular mesh [default:
../shared/data/tet/bunny.node]. Python packages go into target/peers. With --csv the tables are kept, too.";

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

/// What is compared.
const SUBJECTS: [&str; 7] =
    ["explicit", "implicit", "volume", "broadphase", "contact", "cloth", "shapes"];

struct Options {
    only: Option<String>,
    scripts: PathBuf,
    mesh: PathBuf,
    seconds: f64,
    csv: Option<PathBuf>,
}

/// Where the peers' scripts are looked for.
pub const SCRIPTS: &str = "../shared/peers";

/// Whether they are there.
pub fn has_scripts() -> bool {
    root().join(SCRIPTS).join("harness.py").exists()
}

/// Compares everything, and keeps the tables in a folder.
pub fn measure(seconds: &str, folder: &Path) -> Result<(), String> {
    let folder = folder.display().to_string();
    let arguments = ["--seconds", seconds, "--csv", &folder].map(String::from);
    parse(&arguments)?.map_or(Ok(()), |options| compare(&options))
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
        only: None,
        scripts: SCRIPTS.into(),
        mesh: "../shared/data/tet/bunny.node".into(),
        seconds: 2.0,
        csv: None,
    };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if matches!(option.as_str(), "--help" | "-h") {
            println!("{USAGE}");
            return Ok(None);
        }
        let value = rest.next().ok_or_else(|| format!("{option} needs a value\n\n{USAGE}"))?;
        match option.as_str() {
            "--only" if SUBJECTS.contains(&value.as_str()) => options.only = Some(value.clone()),
            "--scripts" => options.scripts = value.into(),
            "--mesh" => options.mesh = value.into(),
            "--csv" => options.csv = Some(value.into()),
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
    let all = [
        explicit,
        implicit,
        volume,
        broadphase::compare,
        contact::compare,
        weave::compare,
        shapes::compare,
    ];
    for (subject, compare) in SUBJECTS.into_iter().zip(all) {
        if options.only.as_ref().is_none_or(|only| only == subject) {
            compare(options, &python)?;
        }
    }
    Ok(())
}

/// One implicit step of 1/60 s, springs only, solved to 10⁻⁴.
fn implicit(options: &Options, python: &Path) -> Result<(), String> {
    let mut table = Table::new(&[
        ("case", "case"),
        ("tets", "tets"),
        ("scipy_ms_per_step", "scipy, ms/step"),
        ("scipy_iterations", "iterations"),
        ("ms_per_step", "Pliant, ms/step"),
        ("iterations", "iterations"),
        ("us_per_iteration", "µs/iteration"),
        ("residual", "residual"),
        ("ratio", "× scipy"),
    ]);
    for (case, _) in CASES.iter().filter(|(_, copies)| copies.is_none()) {
        let fastest = |a: Value, b: Value| if number(&a, "ms") < number(&b, "ms") { a } else { b };
        let [bsr, csr] = ["scipy-bsr", "scipy-csr"].map(|kind| {
            script(options, python, "implicit_scipy.py", &format!("[\"{kind}\", \"{case}\"]"))
        });
        let theirs = fastest(bsr?, csr?);
        let ours = pliant(options, &["--implicit", case])?;
        let ours = ours.first().ok_or("pliant bench printed no row")?;
        table.add([
            (*case).into(),
            ours["tets"].to_string(),
            format!("{:.1}", number(&theirs, "ms")),
            format!("{:.0}", number(&theirs, "cg_iters_mean")),
            format!("{:.2}", number(ours, "ms_per_step")),
            format!("{:.0}", number(ours, "iterations")),
            format!("{:.0}", number(ours, "us_per_iteration")),
            format!("{:.1e}", number(ours, "worst_residual")),
            format!("{:.1}", number(&theirs, "ms") / number(ours, "ms_per_step")),
        ]);
    }
    println!("\nTolerance 10⁻⁴; {} threads, scipy one.\n", threads());
    table.save(options.csv.as_deref(), "implicit-peers.csv")
}

/// One picture of 512 × 512 pixels of a twisted cube.
fn volume(options: &Options, python: &Path) -> Result<(), String> {
    let mappers = ["vtkProjectedTetrahedraMapper", "vtkUnstructuredGridVolumeRayCastMapper"];
    let mut table = Table::new(&[
        ("case", "case"),
        ("tets", "tets"),
        ("vtk_projected_ms", "VTK, projected, ms"),
        ("vtk_ray_cast_ms", "VTK, ray cast, ms"),
        ("vtk_covered", "covered"),
        ("ms_per_frame", "Pliant, ms"),
        ("covered", "covered"),
        ("projected_ratio", "× projected"),
        ("ray_cast_ratio", "× ray cast"),
    ]);
    let rows = pliant(options, &["--volume"])?;
    for ours in &rows {
        let case = ours["case"].as_str().unwrap_or_default();
        let [projected, cast] = mappers.map(|mapper| {
            script(options, python, "volume_vtk.py", &format!("[\"{mapper}\", \"{case}\"]"))
        });
        let (projected, cast) = (projected?, cast?);
        let mine = number(ours, "ms_per_frame");
        table.add([
            case.into(),
            ours["tets"].to_string(),
            format!("{:.0}", number(&projected, "ms")),
            format!("{:.0}", number(&cast, "ms")),
            format!("{:.3}", number(&cast, "covered")),
            format!("{mine:.1}"),
            format!("{:.3}", number(ours, "covered")),
            format!("{:.1}", number(&projected, "ms") / mine),
            format!("{:.1}", number(&cast, "ms") / mine),
        ]);
    }
    println!("\n512 × 512 pixels, {} threads each.\n", threads());
    table.save(options.csv.as_deref(), "volume-peers.csv")
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or(f64::NAN)
}

/// A peer's script on one of its cases.
fn script(options: &Options, python: &Path, name: &str, case: &str) -> Result<Value, String> {
    let mut command = Command::new(python);
    command.current_dir(&options.scripts).arg(name).args(["--case", case]);
    command.env("BENCH_SECONDS", options.seconds.to_string());
    result(&output(&mut command)?, name, case)
}

/// The explicit step: springs, volume force, Verlet.
fn explicit(options: &Options, python: &Path) -> Result<(), String> {
    let mut table = Table::new(&[
        ("case", "case"),
        ("tets", "tets"),
        ("numba_mtets_per_s", "numba"),
        ("taichi_mtets_per_s", "Taichi"),
        ("thesis_mtets_per_s", "Pliant, thesis form"),
        ("ratio", "× fastest peer"),
        ("energy_mtets_per_s", "Pliant, energy form"),
        ("taichi_mean_dy", "mean dy, Taichi"),
        ("mean_dy", "mean dy, Pliant"),
    ]);
    for (case, copies) in CASES {
        let numba = peer(options, python, "numba", case, copies)?;
        let taichi = peer(options, python, "taichi-gather", case, copies)?;
        let mesh = options.mesh.display().to_string();
        let ours = match copies {
            Some(copies) => pliant(options, &["--mesh", &mesh, "--copies", &copies.to_string()])?,
            None => pliant(options, &[case, &format!("{case}-energy")])?,
        };
        let (n, t) = (number(&numba, "Mps"), number(&taichi, "Mps"));
        let mine = number(&ours[0], "mtets_per_s");
        let energy = ours.get(1).map(|row| number(row, "mtets_per_s"));
        let dy = ours[0]["check_mean_dy"].as_f64();
        let taichi_dy = dy.map(|_| number(&taichi, "check_mean_dy"));
        let if_any = |value: Option<f64>, digits: usize| {
            value.map_or(String::new(), |value| format!("{value:.digits$}"))
        };
        table.add([
            copies.map_or(case.to_owned(), |n| format!("{case} × {n}")),
            ours[0]["tets"].to_string(),
            format!("{n:.0}"),
            format!("{t:.0}"),
            format!("{mine:.0}"),
            format!("{:.1}", mine / n.max(t)),
            if_any(energy, 0),
            if_any(taichi_dy, 6),
            if_any(dy, 6),
        ]);
    }
    println!("\nMillion tetrahedra × steps per second, {} threads.\n", threads());
    table.save(options.csv.as_deref(), "explicit-peers.csv")
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A Python with the peers' packages, installed on first use.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new("target/peers");
    // Scripts are run in their own folder. Links must stay: they make it an environment.
    let python = std::path::absolute(folder.join("bin/python")).map_err(|e| e.to_string())?;
    if !python.exists() {
        shell(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    let packages = ["numpy", "numba", "taichi", "scipy", "vtk", "ipctk", "embreex", "pypbd"];
    shell(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
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
    result(&output(&mut command)?, name, case)
}

/// What a script says it measured.
fn result(text: &str, name: &str, case: &str) -> Result<Value, String> {
    let line = text.lines().find_map(|l| l.strip_prefix("RESULT "));
    let line = line.ok_or_else(|| format!("{name} printed no result for {case}:\n{text}"))?;
    serde_json::from_str(line).map_err(|e| format!("{name}: {e}"))
}

/// The rows of `pliant bench`.
fn pliant(options: &Options, arguments: &[&str]) -> Result<Vec<Value>, String> {
    let mut command = Command::new("target/release/pliant");
    command.args(["bench", "--json", "--seconds", &options.seconds.to_string()]);
    command.args(arguments);
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
