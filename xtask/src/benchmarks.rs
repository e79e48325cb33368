//! The tables of a machine in `benchmarks`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::peers;
use crate::test::command::{Tool, root};

const USAGE: &str = "\
Usage: cargo xtask benchmarks MACHINE [--seconds S] [--anyway]

Measures everything on this machine and writes CSV tables into a folder of benchmarks that is named after
MACHINE, such as \"2 cores of an AMD EPYC (Zen 3, AVX2)\". Peers are timed if their scripts are at
../shared/peers (cargo xtask peers --help). S is the time for each row [default: 2]. On a machine that
does other things meanwhile the figures are worth nothing, so it is refused there without --anyway.";

/// A table, and the arguments of `pliant bench` that fill it.
const TABLES: [(&str, &[&str]); 5] = [
    ("explicit.csv", &["--backend", "cpu"]),
    ("explicit-scaling.csv", &["--backend", "cpu", "--scaling"]),
    ("implicit-scaling.csv", &["--backend", "cpu", "--implicit", "--scaling"]),
    ("volume.csv", &["--volume"]),
    ("busy.csv", &["--busy", "bar5k", "bar90k"]),
];

/// Part of the cores that may be at work for others.
const QUIET: f64 = 0.25;

#[derive(Debug, PartialEq)]
struct Options {
    machine: String,
    seconds: String,
    anyway: bool,
}

/// Runs the task.
pub fn run(arguments: &[String]) -> ExitCode {
    let options = match parse(arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match measure(&options) {
        Ok(folder) => {
            println!("The tables are in {}", folder.display());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// `None` when help is asked for.
fn parse(arguments: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options { machine: String::new(), seconds: "2".into(), anyway: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--anyway" => options.anyway = true,
            "--seconds" => {
                let seconds = rest.next().ok_or("--seconds needs a number")?;
                let is_time = seconds.parse().is_ok_and(|s: f64| s.is_finite() && s > 0.0);
                options.seconds =
                    is_time.then(|| seconds.clone()).ok_or(format!("{seconds} is no time"))?;
            }
            flag if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
            machine if options.machine.is_empty() => options.machine = machine.into(),
            _ => return Err("the machine's name is one argument: put it in quotes".into()),
        }
    }
    match folder_name(&options.machine).is_empty() {
        true => Err("the machine needs a name".into()),
        false => Ok(Some(options)),
    }
}

/// What a folder for the machine is called: its words in small letters.
fn folder_name(machine: &str) -> String {
    let lower = machine.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

fn measure(options: &Options) -> Result<PathBuf, String> {
    if !options.anyway {
        check_quiet()?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Tool::new(cargo).args(["build", "--release", "--package", "pliant-cli"]).run()?;
    let folder = root().join("benchmarks").join(folder_name(&options.machine));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    describe(&options.machine, &folder)?;
    let program = root().join("target/release/pliant");
    for (name, arguments) in TABLES {
        let tool = Tool::new(&program).args(["bench"]).args(arguments);
        tool.args(["--seconds", &options.seconds, "--csv"]).args([folder.join(name)]).run()?;
    }
    if peers::has_scripts() {
        peers::measure(&options.seconds, &folder)?;
    } else {
        println!("Peers are not timed: {} is missing", peers::SCRIPTS);
    }
    Ok(folder)
}

/// Refuses a machine whose cores are busy, where the system tells.
fn check_quiet() -> Result<(), String> {
    let Ok(text) = std::fs::read_to_string("/proc/loadavg") else { return Ok(()) };
    let load: f64 = text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if load <= QUIET * cores as f64 {
        return Ok(());
    }
    Err(format!(
        "{load} of {cores} cores were busy in the last minute; measure on a quiet machine, or add \
         --anyway"
    ))
}

/// Writes down which machine it was, and which state of the repository.
fn describe(machine: &str, folder: &Path) -> Result<(), String> {
    let commit = ["log", "-1", "--format=%h of %cd", "--date=short"];
    let commit = Tool::new("git").args(commit).output()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = format!(
        "# {machine}\n\nMeasured at commit {} with `cargo xtask benchmarks`, {cores} threads unless a \
         column says otherwise.\n",
        commit.trim()
    );
    let path = folder.join("README.md");
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(arguments: &[&str]) -> Result<Option<Options>, String> {
        parse(&arguments.iter().map(|&a| a.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn folders_are_named_after_machines() {
        let name = folder_name("2 cores of an AMD EPYC (Zen 3, AVX2)");
        assert_eq!(name, "2-cores-of-an-amd-epyc-zen-3-avx2");
    }

    #[test]
    fn the_machine_must_be_named_once() {
        let options = parse_words(&["--seconds", "0.5", "a laptop", "--anyway"]).unwrap().unwrap();
        let seconds = "0.5".into();
        assert_eq!(options, Options { machine: "a laptop".into(), seconds, anyway: true });
        let bad: [&[&str]; 6] = [
            &[],
            &["()"],
            &["a", "b"],
            &["a", "--seconds"],
            &["a", "--seconds", "0"],
            &["a", "--b"],
        ];
        for bad in bad {
            assert!(parse_words(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_folder_of_machines_is_named_after_its_title() {
        let home = root().join("benchmarks");
        let mut count = 0;
        for folder in std::fs::read_dir(home).unwrap().map(|e| e.unwrap().path()) {
            if folder.is_dir() {
                let text = std::fs::read_to_string(folder.join("README.md")).unwrap();
                let title = text.lines().next().unwrap().trim_start_matches("# ");
                assert_eq!(folder.file_name().unwrap().to_string_lossy(), folder_name(title));
                count += 1;
            }
        }
        assert!(count > 0, "no machines found");
    }
}
