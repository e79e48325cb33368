//! Which modules may use which: backends run stages, stages know no backend, backends do not know each other, and where
//! vertices live is known without the elastic stage.
//!
//! Read from the source, since a path that leads the wrong way compiles as well as any other. Tests may
//! look at everything.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders below `src`, and the module that nothing in them may name.
const FORBIDDEN: [(&str, &str); 8] = [
    ("backend/cpu", "backend::gpu"),
    ("backend/gpu", "backend::cpu"),
    ("stages", "backend"),
    ("stages", "simulator"),
    ("step", "backend"),
    // Where vertices live is no business of the elastic stage, nor of those who only need to know that.
    ("stages/cpu", "stages::elastic"),
    ("stages/touch", "stages::elastic::cpu"),
    ("stages/integrate", "stages::elastic::cpu"),
];

/// Modules with children of their own, so that a relative path is not mistaken for another.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy();
        if name.ends_with("tests") || name == "testing" {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// What a file says apart from comments and its tests, every relative path made absolute.
fn code(path: &Path, below: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let module = path.strip_prefix(below).unwrap().with_extension("");
    let mut module: Vec<String> =
        module.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    lines.map(|line| absolute(line, &module) + "\n").collect()
}

/// A line whose paths up the tree begin with `crate`.
fn absolute(line: &str, module: &[String]) -> String {
    let ups = line.matches("super::").count();
    let Some(parent) = ups.checked_sub(1).and(module.len().checked_sub(ups)) else {
        return line.into();
    };
    let begin = ["crate".to_string()].iter().chain(&module[..parent]).cloned().collect::<Vec<_>>();
    line.replace(&"super::".repeat(ups), &(begin.join("::") + "::"))
}

/// Whether some code names a module: `crate::a::b`, or `b` in the braces of a `crate::a::{…}`.
fn names(code: &str, module: &str) -> bool {
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let path = format!("crate::{module}");
    if code.match_indices(&path).any(|(at, _)| is_whole(&code[at + path.len()..])) {
        return true;
    }
    let (parent, child) = module.rsplit_once("::").unwrap_or(("", module));
    let parent = if parent.is_empty() { String::new() } else { format!("{parent}::") };
    let braces = format!("crate::{parent}{{");
    code.match_indices(&braces).any(|(at, _)| {
        let inside = code[at + braces.len()..].split(';').next().unwrap();
        let mut words = inside.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| word == child)
    })
}

#[test]
fn backends_know_stages_and_nobody_knows_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (folder, module) in FORBIDDEN {
        let mut files = Vec::new();
        sources(&src.join(folder), &mut files);
        assert!(!files.is_empty(), "nothing in {folder}");
        for file in files {
            if names(&code(&file, &src), module) {
                wrong.push(format!("{} names {module}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_the_wrong_way_are_found_however_they_are_written() {
    let gpu = ["backend", "gpu", "run"].map(String::from);
    for line in [
        "use crate::backend::cpu::Cpu;",
        "let x = crate::backend::cpu::new();",
        "use crate::backend::{cpu, RestorePoint};",
        "use crate::backend::{RestorePoint, cpu::Cpu};",
        "use super::super::cpu::Cpu;",
    ] {
        assert!(names(&absolute(line, &gpu), "backend::cpu"), "{line}");
    }
    for line in [
        "use crate::backend::RestorePoint;",
        "use crate::stages::cpu::Work;",
        "use crate::backend::cpu_count;",
        "use super::cpu;",
    ] {
        assert!(!names(&absolute(line, &gpu), "backend::cpu"), "{line}");
    }
    let above = ["backend", "gpu"].map(String::from);
    assert!(names(&absolute("use super::cpu::Cpu;", &above), "backend::cpu"));
    assert!(names("use crate::{simulator, Model};", "simulator"));
}
