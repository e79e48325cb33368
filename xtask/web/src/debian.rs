//! Debian's Rust for browsers: `rustc-web` and its companions, which Debian keeps up to date in order
//! to build browsers with. They are unpacked into a folder of our own, which needs no root, and compile
//! the standard library along with the page, since they come without one for WebAssembly.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler::Compiler;
use crate::paths::{at, fresh};
use crate::program::{exists, output, run, rustc};

const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Written last, so that half a download is never taken for a whole one.
const COMPLETE: &str = "complete";

/// The compiler in `folder`, which is filled first if need be.
pub fn compiler(folder: &Path) -> Result<Compiler, String> {
    if !folder.join(COMPLETE).exists() {
        fetch(folder)?;
    }
    let programs = folder.join("usr/bin");
    let variables = vec![
        ("LD_LIBRARY_PATH", libraries(folder)?.into_os_string()),
        ("RUSTC", programs.join("rustc").into_os_string()),
        ("RUSTDOC", programs.join("rustdoc").into_os_string()),
        // Building the standard library is not stable yet.
        ("RUSTC_BOOTSTRAP", OsString::from("1")),
        ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker()?),
    ];
    Ok(Compiler {
        name: format!("Debian's Rust for browsers in {}", folder.display()),
        cargo: programs.join("cargo").into_os_string(),
        arguments: vec!["-Zbuild-std=std,panic_abort".into()],
        variables,
    })
}

fn fetch(folder: &Path) -> Result<(), String> {
    if !Path::new("/etc/debian_version").exists() || !exists("apt-get") || !exists("dpkg") {
        return Err("this is not Debian or one of its children".into());
    }
    let names = wanted().or_else(|_| {
        // The package lists of a new machine are empty or old.
        run(Command::new("apt-get").args(["update", "-q"]))?;
        wanted()
    })?;
    println!("Fetching {}", names.join(" "));
    let archives = folder.with_extension("archives");
    fresh(folder)?;
    fresh(&archives)?;
    run(Command::new("apt-get").arg("download").arg("-q").args(&names).current_dir(&archives))?;
    for entry in std::fs::read_dir(&archives).map_err(|e| at(&archives, &e))?.flatten() {
        run(Command::new("dpkg").arg("-x").arg(entry.path()).arg(folder))?;
    }
    std::fs::remove_dir_all(&archives).map_err(|e| at(&archives, &e))?;
    std::fs::write(folder.join(COMPLETE), names.join("\n")).map_err(|e| at(folder, &e))
}

/// The packages and all of their needs that are not installed.
fn wanted() -> Result<Vec<String>, String> {
    let plan = ["install", "--simulate", "--no-install-recommends"];
    let plan = output(Command::new("apt-get").args(plan).args(PACKAGES).env("LC_ALL", "C"))?;
    let mut names = planned(&plan);
    for package in PACKAGES {
        // One that is installed is wanted all the same: everything must lie in one folder.
        if !names.iter().any(|name| name == package) {
            names.push(package.into());
        }
    }
    Ok(names)
}

/// The names on lines such as `Inst cargo-web (1.96.0 Debian [amd64])`.
fn planned(plan: &str) -> Vec<String> {
    let lines = plan.lines().filter_map(|line| line.strip_prefix("Inst "));
    lines.filter_map(|rest| rest.split(' ').next()).map(str::to_owned).collect()
}

/// The folder of libraries, which is named after the machine.
fn libraries(folder: &Path) -> Result<PathBuf, String> {
    let parent = folder.join("usr/lib");
    let entries = std::fs::read_dir(&parent).map_err(|e| at(&parent, &e))?.flatten();
    let mut named = entries.filter(|e| e.file_name().to_string_lossy().ends_with("-linux-gnu"));
    named.next().map(|entry| entry.path()).ok_or_else(|| at(&parent, &"no folder of libraries"))
}

/// The linker of the toolchain at hand, else LLVM's.
fn linker() -> Result<OsString, String> {
    let answer = output(rustc().args(["--print", "sysroot"]))?;
    let version = output(rustc().arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let own = Path::new(answer.trim()).join("lib/rustlib").join(host).join("bin/rust-lld");
    if own.exists() {
        return Ok(own.into());
    }
    match exists("wasm-ld") {
        true => Ok("wasm-ld".into()),
        false => Err(format!("{} is not there, and wasm-ld neither: install lld", own.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_the_plan() {
        let plan = "Reading package lists...\nInst libllvm22 (1:22.1 Debian [amd64])\n\
                    Inst rustc-web (1.96 Debian [amd64])\nConf libllvm22 (1:22.1 Debian [amd64])\n";
        assert_eq!(planned(plan), ["libllvm22", "rustc-web"]);
        assert!(planned("E: Unable to locate package rustc-web\n").is_empty());
    }
}
