//! Where things are.

use std::path::{Path, PathBuf};

/// The top folder of the workspace.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

/// The hand-written part of the page.
pub fn sources() -> PathBuf {
    root().join("apps/web/static")
}

/// Where everything is made: `web` in Cargo's target folder, which this program lies in.
pub fn work() -> PathBuf {
    let program = std::env::current_exe().ok();
    let target = program.as_deref().and_then(|program| program.ancestors().nth(2));
    target.map_or_else(|| root().join("target"), Into::into).join("web")
}

/// A new folder; what was there before is gone.
pub fn fresh(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|e| at(folder, &e))?;
    }
    std::fs::create_dir_all(folder).map_err(|e| at(folder, &e))
}

/// The bytes of a file.
pub fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|e| at(file, &e))
}

/// Writes a file, and its folder if need be.
pub fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(|e| at(folder, &e))?;
    }
    std::fs::write(file, bytes).map_err(|e| at(file, &e))
}

/// Every file below `folder`, sorted, as paths relative to it. Links are left out: they may lead
/// anywhere.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).map_err(|e| at(&next, &e))? {
            let entry = entry.map_err(|e| at(&next, &e))?;
            let kind = entry.file_type().map_err(|e| at(&entry.path(), &e))?;
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file()
                && let Ok(relative) = entry.path().strip_prefix(folder)
            {
                found.push(relative.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A problem with a file or folder.
pub fn at(path: &Path, problem: &dyn std::fmt::Display) -> String {
    format!("{}: {problem}", path.display())
}
