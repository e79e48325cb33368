//! What Cargo itself can check.

use super::Outcome;
use super::command::Tool;
use super::tools::{self, Need, Source};

/// Cargo with the given arguments.
fn cargo<const N: usize>(arguments: [&str; N]) -> Tool {
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

pub fn test() -> Outcome {
    cargo(SUITE).args(["--no-fail-fast"]).check("cargo test --workspace")
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
