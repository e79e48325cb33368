//! Every check of the project, with its set-up, in one command.
//!
//! A check that lacks a tool is *ignored*, which is printed and never counted as passed. With the
//! variable `CI` set to `true` a missing tool is a failure instead.

mod cargo;
pub mod command;
mod demo;
mod features;
mod gpu;
mod options;
mod readers;
mod tools;
mod tree;
mod web;
mod window;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use options::Options;

/// How a check ended.
pub enum Outcome {
    /// It was made, and all is well; says what was looked at.
    Passed(String),
    /// It was made, and something is wrong.
    Failed(String),
    /// It could not be made: why, and what would help.
    Missing(String),
}

/// One check.
pub struct Check {
    /// What `--only` calls it.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    run: fn() -> Outcome,
}

/// Every check, quick ones first.
pub const CHECKS: &[Check] = &[
    Check { name: "fmt", title: "formatting", run: cargo::fmt },
    Check { name: "tree", title: "dependencies", run: tree::run },
    Check { name: "clippy", title: "lints", run: cargo::clippy },
    Check { name: "features", title: "builds with fewer features", run: features::run },
    Check { name: "doc", title: "documentation without warnings", run: cargo::doc },
    Check { name: "gpu", title: "a device for the tests that need one", run: gpu::run },
    Check { name: "unit", title: "unit, behaviour and documentation tests", run: cargo::test },
    Check { name: "fuzz", title: "20,000 damaged mesh files", run: fuzz },
    Check { name: "demo", title: "the demo writes its results", run: demo::run },
    Check { name: "glb", title: "GLB files before Khronos' validator", run: readers::glb },
    Check { name: "vtu", title: "VTU series read by VTK", run: readers::vtu },
    Check { name: "web", title: "the web page in a browser", run: web::run },
];

/// Runs the task with its command-line options.
pub fn run(arguments: &[String]) -> ExitCode {
    let options = match Options::parse(arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{}", options::usage());
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::usage());
            return ExitCode::from(2);
        }
    };
    let required = is_ci();
    let chosen: Vec<&Check> = CHECKS.iter().filter(|check| options.wants(check.name)).collect();
    let start = Instant::now();
    let results: Vec<_> = chosen.iter().map(|check| timed(check, required)).collect();
    summarize(&chosen, &results, start.elapsed())
}

/// Whether everything that checks need is required to be there.
fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

fn timed(check: &Check, required: bool) -> (Outcome, Duration) {
    println!("\n=== {}: {}", check.name, check.title);
    let start = Instant::now();
    let outcome = match (check.run)() {
        Outcome::Missing(what) if required => Outcome::Failed(format!("{what} (required by CI)")),
        other => other,
    };
    (outcome, start.elapsed())
}

fn fuzz() -> Outcome {
    let program = std::env::current_exe().unwrap_or_else(|_| "xtask".into());
    command::Tool::new(program).args(["fuzz", "--cases", "20000"]).check("20,000 cases")
}

fn summarize(checks: &[&Check], results: &[(Outcome, Duration)], all: Duration) -> ExitCode {
    println!("\n=== summary");
    let [mut passed, mut failed, mut ignored] = [0; 3];
    for (check, (outcome, time)) in checks.iter().zip(results) {
        let (word, detail) = match outcome {
            Outcome::Passed(what) => {
                passed += 1;
                ("passed", what)
            }
            Outcome::Failed(why) => {
                failed += 1;
                ("FAILED", why)
            }
            Outcome::Missing(why) => {
                ignored += 1;
                ("ignored", why)
            }
        };
        println!("{:<10}{word:<9}{:>6.1} s  {detail}", check.name, time.as_secs_f64());
    }
    let seconds = all.as_secs_f64();
    println!("checks: {passed} passed, {failed} failed, {ignored} ignored in {seconds:.0} s");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
