//! Putting the page together.
//!
//! All files but `index.html` lie in one folder that is named after a hash of their content. So a
//! browser may keep them for ever, and never mixes files of two versions; they find each other by
//! relative paths, so the page works from any folder of a server.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

use crate::paths::{at, files, read, sources, write};
use crate::{compiler, demos, weigh};

/// By this we know a page of ours, which we may write over.
const MARK: &str = "<meta name=\"generator\" content=\"cargo xtask web\">";

/// The module, as wasm-bindgen calls it.
const MODULE: &str = "pliant_web_bg.wasm";

/// What it is called where it is packed: servers compress less well than we do, or not at all.
const PACKED: &str = "pliant_web_bg.wasm.gz";

/// What folders with the content are called before the hash.
const PREFIX: &str = "pliant-";

/// Writes the page into `folder`, with the module and its script from `bindings`.
pub fn assemble(bindings: &Path, folder: &Path) -> Result<(), String> {
    make_room(folder)?;
    let mut content = collect(bindings)?;
    let name = format!("{PREFIX}{:016x}", hash(&content));
    let module = content.iter_mut().find(|(path, _)| path == Path::new(MODULE));
    let (path, module) = module.ok_or_else(|| {
        format!(
            "{} has no {MODULE}: has the crate for {} another name?",
            bindings.display(),
            compiler::TARGET
        )
    })?;
    let weight = module.len();
    (*path, *module) = (PACKED.into(), weigh::pack(module));
    for (path, bytes) in &content {
        write(&folder.join(&name).join(path), bytes)?;
    }
    let page = read(&sources().join("index.html"))?;
    let page = fill(&String::from_utf8_lossy(&page), &name, weight)?;
    write(&folder.join("index.html"), page.as_bytes())
}

/// Removes an older page; what is not ours is left alone and refused.
fn make_room(folder: &Path) -> Result<(), String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    let entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let index = folder.join("index.html");
    let ours = std::fs::read_to_string(&index).is_ok_and(|text| text.contains(MARK));
    if !ours && !entries.is_empty() {
        let problem = "holds something else than a page of Pliant; choose an empty folder";
        return Err(at(folder, &problem));
    }
    let named = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    for entry in entries {
        if entry.is_dir() && named(&entry).is_some_and(|name| name.starts_with(PREFIX)) {
            std::fs::remove_dir_all(&entry).map_err(|e| at(&entry, &e))?;
        }
    }
    Ok(())
}

/// Everything but the start page, sorted by path.
fn collect(bindings: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
    let mut content = Vec::new();
    for folder in [&sources(), bindings] {
        for path in files(folder)? {
            if path != Path::new("index.html") {
                let bytes = read(&folder.join(&path))?;
                content.push((path, bytes));
            }
        }
    }
    content.sort();
    Ok(content)
}

fn hash(content: &[(PathBuf, Vec<u8>)]) -> u64 {
    let mut hasher = Xxh3Default::new();
    for (path, bytes) in content {
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.digest()
}

/// The start page with its places filled: where files are, how many bytes the module has, the demos.
fn fill(page: &str, folder: &str, weight: usize) -> Result<String, String> {
    let mut page = page.to_owned();
    let (weight, demos) = (weight.to_string(), demos::list(folder));
    for (place, text) in [
        ("{{generator}}", MARK),
        ("{{folder}}", folder),
        ("{{module-bytes}}", &weight),
        ("{{demos}}", &demos),
    ] {
        if !page.contains(place) {
            return Err(format!("index.html has no place for {place}"));
        }
        page = page.replace(place, text);
    }
    match page.contains("{{") {
        true => Err("index.html has a place that nothing fills".into()),
        false => Ok(page),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bindings as wasm-bindgen would leave them.
    fn bindings() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join(MODULE), b"\0asm").unwrap();
        write(&folder.path().join("pliant_web.js"), b"export default 1;").unwrap();
        folder
    }

    #[test]
    fn every_file_that_the_page_names_is_there_and_inside_its_folder() {
        let [bindings, out] = [bindings(), tempfile::tempdir().unwrap()];
        assemble(bindings.path(), out.path()).unwrap();
        let page = std::fs::read_to_string(out.path().join("index.html")).unwrap();
        let named = |key: &str| {
            let key = format!(" {key}=\"");
            let parts = page.split(&key).skip(1);
            parts.filter_map(|rest| rest.split('"').next()).collect::<Vec<_>>()
        };
        let mut count = 0;
        for link in ["src", "href", "data-module", "data-script"].map(named).concat() {
            if link.starts_with('#') || link.starts_with("https://") || link.starts_with("data:") {
                continue;
            }
            assert!(link.starts_with(PREFIX), "{link} does not lie in the hashed folder");
            assert!(out.path().join(link).is_file(), "{link} is not there");
            count += 1;
        }
        assert!(
            count >= 4 + demos::shown().count(),
            "only {count} links: does this still read them?"
        );
    }

    #[test]
    fn a_newer_page_replaces_an_older_one() {
        let [bindings, out] = [bindings(), tempfile::tempdir().unwrap()];
        assemble(bindings.path(), out.path()).unwrap();
        let before = files(out.path()).unwrap();
        assemble(bindings.path(), out.path()).unwrap();
        assert_eq!(files(out.path()).unwrap(), before, "the same content has the same names");
        write(&bindings.path().join(MODULE), b"\0asm2").unwrap();
        assemble(bindings.path(), out.path()).unwrap();
        let after = files(out.path()).unwrap();
        assert_eq!(after.len(), before.len());
        assert_ne!(after, before);
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let [bindings, out] = [bindings(), tempfile::tempdir().unwrap()];
        write(&out.path().join("letter.txt"), b"dear").unwrap();
        let problem = assemble(bindings.path(), out.path()).unwrap_err();
        assert!(problem.contains("empty folder"), "{problem}");
        assert_eq!(files(out.path()).unwrap(), [Path::new("letter.txt")]);
    }

    #[test]
    fn places_must_be_filled_and_filled_places_must_exist() {
        assert!(fill("{{generator}}{{folder}}{{module-bytes}}", "f", 1).is_err());
        assert!(fill("{{generator}}{{folder}}{{module-bytes}}{{demos}}{{x}}", "f", 1).is_err());
        assert!(fill("{{generator}}{{folder}}{{module-bytes}}{{demos}}", "f", 1).is_ok());
    }
}
