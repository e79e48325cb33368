//! Pliant beside the alternatives, timed in one run: the figures of the README.
//!
//! Machines are noisy, so only ratios of measurements that were made next to each other count.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

const USAGE: &str = "\
Usage: cargo xtask peers [--only explicit|implicit|volume] [--scripts FOLDER] [--mesh FILE] [--seconds S]

Times what one would use instead and then Pliant, case by case, and prints tables with the ratios: the
explicit step of Taichi and numba, the implicit step of scipy, and the volume mappers of VTK. FOLDER
holds the peers' scripts [default: ../shared/peers]; FILE is an irregular mesh [default:
../shared/data/tet/bunny.node]. Python packages go into target/peers.";

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
const SUBJECTS: [&str; 3] = ["explicit", "implicit", "volume"];

struct Options {
    only: Option<String>,
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
        only: None,
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
            "--only" if SUBJECTS.contains(&value.as_str()) => options.only = Some(value.clone()),
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
    for (subject, compare) in SUBJECTS.into_iter().zip([explicit, implicit, volume]) {
        if options.only.as_ref().is_none_or(|only| only == subject) {
            compare(options, &python)?;
        }
    }
    Ok(())
}

/// One implicit step of 1/60 s, springs only, solved to 10⁻⁴.
fn implicit(options: &Options, python: &Path) -> Result<(), String> {
    println!(
        "| case | tets | scipy, ms/step | iterations | Pliant, ms/step | iterations | µs/iteration | residual | × scipy |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (case, _) in CASES.iter().filter(|(_, copies)| copies.is_none()) {
        let fastest = |a: Value, b: Value| if number(&a, "ms") < number(&b, "ms") { a } else { b };
        let [bsr, csr] = ["scipy-bsr", "scipy-csr"].map(|kind| {
            script(options, python, "implicit_scipy.py", &format!("[\"{kind}\", \"{case}\"]"))
        });
        let theirs = fastest(bsr?, csr?);
        let ours = pliant(options, &["--implicit", case])?;
        let ours = ours.first().ok_or("pliant bench printed no row")?;
        println!(
            "| {case} | {} | {:.1} | {:.0} | {:.2} | {:.0} | {:.0} | {:.1e} | {:.1} |",
            ours["tets"],
            number(&theirs, "ms"),
            number(&theirs, "cg_iters_mean"),
            number(ours, "ms_per_step"),
            number(ours, "iterations"),
            number(ours, "us_per_iteration"),
            number(ours, "worst_residual"),
            number(&theirs, "ms") / number(ours, "ms_per_step"),
        );
    }
    println!("\nTolerance 10⁻⁴; {} threads, scipy one.\n", threads());
    Ok(())
}

/// One picture of 512 × 512 pixels of a twisted cube.
fn volume(options: &Options, python: &Path) -> Result<(), String> {
    let mappers = ["vtkProjectedTetrahedraMapper", "vtkUnstructuredGridVolumeRayCastMapper"];
    println!(
        "| case | tets | VTK, projected, ms | VTK, ray cast, ms | covered | Pliant, ms | covered | × projected | × ray cast |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let rows = pliant(options, &["--volume"])?;
    for ours in &rows {
        let case = ours["case"].as_str().unwrap_or_default();
        let [projected, cast] = mappers.map(|mapper| {
            script(options, python, "volume_vtk.py", &format!("[\"{mapper}\", \"{case}\"]"))
        });
        let (projected, cast) = (projected?, cast?);
        let mine = number(ours, "ms_per_frame");
        println!(
            "| {case} | {} | {:.0} | {:.0} | {:.3} | {mine:.1} | {:.3} | {:.1} | {:.1} |",
            ours["tets"],
            number(&projected, "ms"),
            number(&cast, "ms"),
            number(&cast, "covered"),
            number(ours, "covered"),
            number(&projected, "ms") / mine,
            number(&cast, "ms") / mine,
        );
    }
    println!("\n512 × 512 pixels, {} threads each.\n", threads());
    Ok(())
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
    println!(
        "| case | tets | numba | Taichi | Pliant, thesis form | × fastest peer | Pliant, energy form | mean dy: peer / Pliant |"
    );
    println!("|---|---|---|---|---|---|---|---|");
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
        let energy =
            ours.get(1).map_or("–".into(), |r| format!("{:.0}", number(r, "mtets_per_s")));
        let check = match ours[0]["check_mean_dy"].as_f64() {
            Some(dy) => format!("{:.6} / {dy:.6}", number(&taichi, "check_mean_dy")),
            None => "–".into(),
        };
        let name = copies.map_or(case.to_owned(), |n| format!("{case} × {n}"));
        let (tets, ratio) = (&ours[0]["tets"], mine / n.max(t));
        println!(
            "| {name} | {tets} | {n:.0} | {t:.0} | {mine:.0} | {ratio:.1} | {energy} | {check} |"
        );
    }
    println!("\nMillion tetrahedra × steps per second, {} threads.\n", threads());
    Ok(())
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
    let packages = ["-m", "pip", "install", "--quiet", "numpy", "numba", "taichi", "scipy", "vtk"];
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
