//! The README's first command, cut short: does the program write what it promises?

use std::path::{Path, PathBuf};

use super::Outcome;
use super::command::{Tool, built, fresh_folder};

/// The program `pliant` as the tests built it.
pub fn pliant() -> Result<PathBuf, String> {
    super::cargo::build()?;
    Ok(program())
}

/// Where it is, once it is built.
pub fn program() -> PathBuf {
    built().join("pliant").with_extension(std::env::consts::EXE_EXTENSION)
}

pub fn run() -> Outcome {
    match demo() {
        Ok(seen) => Outcome::Passed(seen),
        Err(problem) => Outcome::Failed(problem),
    }
}

fn demo() -> Result<String, String> {
    let folder = fresh_folder("demo")?;
    let out = folder.to_string_lossy();
    Tool::new(pliant()?).args(["demo", "--quiet", "--steps", "50", "--out", &out]).run()?;
    // Each with the bytes that it must begin with.
    let wanted = [("glb", "glTF"), ("pvd", "<?xml"), ("csv", "step,time"), ("vtu", "<?xml")];
    for (extension, opening) in wanted {
        let home = if extension == "vtu" { folder.join("vtu") } else { folder.clone() };
        let file = first_with(&home, extension)?;
        let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        if !bytes.starts_with(opening.as_bytes()) {
            return Err(format!("{} does not begin with {opening:?}", file.display()));
        }
        println!("{}: {} bytes", file.display(), bytes.len());
    }
    Ok("animation, ParaView series and table are there".into())
}

fn first_with(folder: &Path, extension: &str) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.into_iter().min().ok_or_else(|| format!("no .{extension} in {}", folder.display()))
}
