//! What Cargo itself can check.

use super::Outcome;
use super::command::Tool;

/// Cargo with the given arguments.
fn cargo<const N: usize>(arguments: [&str; N]) -> Tool {
    Tool::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).args(arguments)
}

/// Why a check of an optional part of the toolchain is not made.
fn without(component: &str) -> Outcome {
    Outcome::Missing(format!("{component} is missing: rustup component add {component}"))
}

pub fn fmt() -> Outcome {
    if !cargo(["fmt", "--version"]).works() {
        return without("rustfmt");
    }
    cargo(["fmt", "--all", "--check"]).check("cargo fmt --check")
}

pub fn clippy() -> Outcome {
    if !cargo(["clippy", "--version"]).works() {
        return without("clippy");
    }
    cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).check("cargo clippy")
}

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
