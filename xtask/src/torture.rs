//! Random scenes that must not fail in silence.

use std::process::ExitCode;

use crate::test::command::Tool;

const USAGE: &str = "\
Usage: cargo xtask torture [options]

Runs random scenes (meshes, materials, steps, integrators, walls; then colliders and contact) and judges how
each ends: fine, with a warning, or apart with a timestep that then works. Prints counts by outcome, and every
scene that failed without a word.

Options:
  --scenes N  how many [1000]
  --seed N    the first one's seed [0]
  --contact   those with colliders and contact alone";

/// Runs the task with its options.
pub fn run(arguments: &[String]) -> ExitCode {
    let [mut scenes, mut seed] = ["1000", "0"].map(String::from);
    let mut only: &[&str] = &[];
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let place = match option.as_str() {
            "--scenes" => &mut scenes,
            "--seed" => &mut seed,
            "--contact" => {
                only = &["random_contact"];
                continue;
            }
            "--help" | "-h" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            unknown => return refuse(&format!("unknown option {unknown:?}")),
        };
        match rest.next().filter(|value| value.parse::<u64>().is_ok()) {
            Some(value) => place.clone_from(value),
            None => return refuse(&format!("{option} wants a whole number")),
        }
    }
    let tool = Tool::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["test", "--workspace", "--test", "torture", "--", "--nocapture"])
        .args(only)
        .env("PLIANT_SCENES", &scenes)
        .env("PLIANT_SEED", &seed);
    match tool.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("{problem}\n\n{USAGE}");
    ExitCode::from(2)
}
