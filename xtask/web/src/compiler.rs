//! Finding a compiler for WebAssembly.
//!
//! In this order: the toolchain at hand, if it has the target; the same after `rustup target add`;
//! parts of Debian, unpacked into the work folder. Nothing is fetched that is there already.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::program::{cargo, exists, output, run, rustc};
use crate::{debian, paths};

/// What is compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The crate of the page, and the file that comes of it.
const PACKAGE: &str = "pliant-web";
const FILE: &str = "pliant_web.wasm";

/// A way to compile for WebAssembly.
pub struct Compiler {
    /// What it is, in a few words.
    pub name: String,
    /// Its Cargo.
    pub cargo: OsString,
    /// What else Cargo is told.
    pub arguments: Vec<String>,
    /// Variables that it needs.
    pub variables: Vec<(&'static str, OsString)>,
}

impl std::fmt::Display for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// A compiler, fetched if need be; with `only_debian` it is Debian's.
pub fn find(only_debian: bool) -> Result<Compiler, String> {
    if !only_debian {
        if has_target() {
            return own();
        }
        if exists("rustup") && run(Command::new("rustup").args(["target", "add", TARGET])).is_ok() {
            return own();
        }
    }
    debian::compiler(&paths::work().join("rust")).map_err(|problem| {
        format!(
            "no compiler for {TARGET} could be found or fetched. With rustup: `rustup target add \
             {TARGET}`; with the Rust of a distribution, its package for that target (on Debian and \
             Ubuntu libstd-rust-dev-wasm32). Debian's own parts did not help either: {problem}"
        )
    })
}

/// Whether the toolchain at hand has the standard library for the target.
fn has_target() -> bool {
    let query = ["--print", "target-libdir", "--target", TARGET];
    let Ok(folder) = output(rustc().args(query)) else { return false };
    let files = std::fs::read_dir(folder.trim()).into_iter().flatten().flatten();
    files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn own() -> Result<Compiler, String> {
    let version = output(rustc().arg("--version"))?.trim().to_owned();
    let cargo = cargo().get_program().to_owned();
    Ok(Compiler { name: version, cargo, arguments: Vec::new(), variables: Vec::new() })
}

impl Compiler {
    /// Compiles the page's crate and gives the module.
    pub fn build(&self) -> Result<PathBuf, String> {
        let target = paths::work().join("build");
        let mut command = Command::new(&self.cargo);
        command.current_dir(paths::root()).args(["build", "--package", PACKAGE]);
        command.args(["--profile", "web", "--target", TARGET]).args(&self.arguments);
        command.env("CARGO_TARGET_DIR", &target).env("CARGO_ENCODED_RUSTFLAGS", flags());
        command
            .env_remove("RUSTFLAGS")
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        run(&mut command)?;
        Ok(target.join(TARGET).join("web").join(FILE))
    }
}

/// Flags of the compiler, as Cargo takes them: SIMD, and no folders of this machine in messages.
fn flags() -> OsString {
    let mut flags = OsString::from("-Ctarget-feature=+simd128");
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    for (folder, name) in [(Some(paths::root().to_owned()), "pliant"), (home, "cargo")] {
        if let Some(folder) = folder {
            flags.push("\x1f--remap-path-prefix=");
            flags.push(folder);
            flags.push(format!("={name}"));
        }
    }
    flags
}
