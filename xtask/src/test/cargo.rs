//! What Cargo itself can check.

use super::Outcome;
use super::command::Tool;
use super::gpu;
use super::tools::{self, Need, Source};
use super::window;

/// Cargo with the given arguments.
pub fn cargo<const N: usize>(arguments: [&str; N]) -> Tool {
    Tool::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).args(arguments)
}

pub fn fmt() -> Outcome {
    match tools::provide(&RUSTFMT) {
        Ok(()) => cargo(["fmt", "--all", "--check"]).check("cargo fmt --check"),
        Err(missing) => Outcome::Missing(missing),
    }
}

pub fn clippy() -> Outcome {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    match tools::provide(&CLIPPY) {
        Ok(()) => cargo(arguments).check("cargo clippy"),
        Err(missing) => Outcome::Missing(missing),
    }
}

const RUSTFMT: Need = Need {
    name: "rustfmt",
    source: Source::Rustup("rustfmt"),
    present: || cargo(["fmt", "--version"]).works(),
};

const CLIPPY: Need = Need {
    name: "clippy",
    source: Source::Rustup("clippy"),
    present: || cargo(["clippy", "--version"]).works(),
};

pub fn doc() -> Outcome {
    cargo(["doc", "--workspace", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .check("cargo doc --workspace")
}

/// Tests may go without a device or a display only where there is none and nobody insists.
pub fn test() -> Outcome {
    if let Err(problem) = prepare() {
        return Outcome::Failed(problem);
    }
    let suite = gpu::with_runtime_folder(cargo(SUITE).args(["--no-fail-fast"]));
    let mut suite = with_player(suite);
    let mut what = String::from("cargo test --workspace");
    for (name, found, variable) in [
        ("GPU", gpu::device(), GPU),
        ("window", window::display().map(|()| "Xvfb".into()), window::REQUIRED),
    ] {
        if found.is_ok() || super::is_ci() {
            suite = suite.env(variable.0, variable.1);
        }
        what += &match found {
            Ok(device) => format!(", {name} tests on {device}"),
            Err(missing) => {
                println!("{name} tests cannot be made. {missing}");
                format!("; {name} tests were IGNORED")
            }
        };
    }
    suite.check(&what)
}

/// Films must be read by ffmpeg where it is there, and in CI it must be.
fn with_player(suite: Tool) -> Tool {
    match tools::provide(&tools::FFMPEG) {
        Err(missing) if !super::is_ci() => {
            println!("Films are not read by another player. {missing}");
            suite
        }
        _ => suite.env("PLIANT_FFMPEG", "required"),
    }
}

/// Makes tests fail that find no device, instead of saying that they are ignored.
const GPU: (&str, &str) = ("PLIANT_GPU", "required");

/// Builds what the tests run, with its progress shown: the first time it takes a while.
pub fn prepare() -> Result<(), String> {
    cargo(SUITE).args(["--no-run"]).run()
}

/// Builds programs, examples and tests in the way the tests are run, so that nothing is built twice.
pub fn build() -> Result<(), String> {
    cargo(SUITE).args(["--no-run", "--quiet"]).run()
}

/// A running program cannot be replaced on Windows, so there this one is left out.
#[cfg(windows)]
const SUITE: [&str; 4] = ["test", "--workspace", "--exclude", "xtask"];
#[cfg(not(windows))]
const SUITE: [&str; 2] = ["test", "--workspace"];
