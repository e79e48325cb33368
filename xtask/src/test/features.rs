//! The builds that are promised besides the usual one: with fewer features, and for other processors.
//!
//! They are checked, not built, which takes seconds. What WebAssembly adds is compiled with the web page.

use super::Outcome;
use super::cargo::cargo;
use super::command::Tool;

/// A build, and what Cargo is told for it.
struct Build {
    what: &'static str,
    arguments: &'static [&'static str],
}

const PROMISED: [Build; 2] = [
    Build {
        what: "program and crates without GPUs",
        arguments: &[
            "--no-default-features",
            "--package=pliant-cli",
            "--package=pliant",
            "--package=pliant-lab",
            "--package=pliant-mesh",
            "--package=pliant-render",
            "--package=pliant-scenes",
            "--package=pliant-session",
            "--package=pliant-sim",
        ],
    },
    Build {
        what: "program with GPUs and without the studio",
        arguments: &["--no-default-features", "--features=gpu", "--package=pliant-cli"],
    },
];

/// A target whose vector instructions no other build compiles.
const ARM: &str = "aarch64-unknown-linux-gnu";
const ON_ARM: [&str; 2] = ["--target=aarch64-unknown-linux-gnu", "--package=pliant-sim"];

pub fn run() -> Outcome {
    let mut seen = Vec::new();
    for build in PROMISED {
        if let Err(problem) = cargo(["check"]).args(build.arguments).run() {
            return Outcome::Failed(format!("{}: {problem}", build.what));
        }
        seen.push(build.what);
    }
    if has_arm() {
        if let Err(problem) = cargo(["check"]).args(ON_ARM).run() {
            return Outcome::Failed(format!("NEON: {problem}"));
        }
        seen.push("simulation on 64-bit ARM");
    } else {
        println!("NEON is not checked: rustup target add {ARM}");
    }
    Outcome::Passed(seen.join("; "))
}

/// Whether the toolchain has the standard library for it; nothing is linked, so that is enough.
fn has_arm() -> bool {
    let query = ["--print", "target-libdir", "--target", ARM];
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let Ok(folder) = Tool::new(rustc).args(query).output() else { return false };
    std::path::Path::new(folder.trim()).is_dir()
}
