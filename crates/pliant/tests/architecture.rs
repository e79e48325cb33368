//! ARCHITECTURE.md and README.md name what is there, and all of it; what they show works.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// What stands between backticks, outside of code blocks.
fn quoted(text: &str) -> Vec<String> {
    let prose = text.split("```").step_by(2).collect::<String>();
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The targets of links that stay inside the repository.
fn links(text: &str) -> Vec<String> {
    let target = |rest: &str| rest.split([')', '#']).next().unwrap_or("").to_owned();
    let all = text.split("](").skip(1).map(target);
    all.filter(|link| !link.is_empty() && !link.contains("://")).collect()
}

fn is_path(word: &str) -> bool {
    let tops = ["crates/", "apps/", "docs/", "scenes/", "xtask/", "benchmarks/", ".ci/"];
    tops.iter().any(|top| word.starts_with(top)) && !word.contains(['*', ' ', '<'])
}

fn folders(of: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(of)).unwrap();
    let folders = entries.map(|e| e.unwrap().path()).filter(|path| path.is_dir());
    folders.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

/// A folder and all folders in it.
fn folders_below(folder: &Path, found: &mut Vec<PathBuf>) {
    found.push(folder.to_owned());
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries.filter(|path| path.is_dir()).for_each(|inner| folders_below(&inner, found));
}

/// First cells of the table whose head begins with `head`.
fn table(text: &str, head: &str) -> BTreeSet<String> {
    let rows = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let cells = rows.take_while(|line| line.starts_with('|')).filter_map(|l| l.split('`').nth(1));
    cells.map(str::to_owned).collect()
}

#[test]
fn every_path_that_is_named_exists() {
    let mut count = 0;
    for name in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        let text = text(name);
        let words = quoted(&text).into_iter().filter(|w| is_path(w)).chain(links(&text));
        for path in words {
            assert!(root().join(&path).exists(), "{name} names {path}, which does not exist");
            count += 1;
        }
    }
    assert!(count > 30, "only {count} paths found: does this test still read them?");
}

/// Names in ARCHITECTURE.md that are not ours, and are not used either.
const ELSEWHERE: &[&str] = &["rav1e"];

/// All files below a folder that hold code.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    folders_below(&root().join(folder), &mut folders);
    let inside = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let is_code = |path: &PathBuf| path.extension().is_some_and(|e| e == "rs" || e == "wgsl");
    folders.into_iter().flat_map(inside).filter(is_code).collect()
}

fn is_identifier(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What a line of Rust or WGSL defines: an item, a field or a variant.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with("//") {
        return None;
    }
    let name = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    for keyword in ["fn ", "struct ", "enum ", "trait ", "type ", "mod ", "const ", "static "] {
        let at = line.find(keyword).filter(|&at| at == 0 || line.as_bytes()[at - 1] == b' ');
        if let Some(at) = at {
            let rest = &line[at + keyword.len()..];
            return rest.get(..name(rest).unwrap_or(rest.len()));
        }
    }
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let (word, rest) = line.split_at(name(line).unwrap_or(line.len()));
    let is_field = rest.starts_with(": ");
    let is_variant = word.starts_with(|c: char| c.is_uppercase())
        && (rest.is_empty() || [",", "(", " {"].iter().any(|end| rest.starts_with(end)));
    (is_identifier(word) && (is_field || is_variant)).then_some(word)
}

/// Crates that the workspace depends on, its own included.
fn dependencies() -> Vec<String> {
    let manifest = text("Cargo.toml");
    let (_, rest) = manifest.split_once("[workspace.dependencies]").unwrap();
    let lines = rest.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split_once(" =")).map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_name_of_code_is_defined_somewhere() {
    let crates = dependencies().into_iter().chain(["xtask".into()]);
    let mut known: BTreeSet<String> = crates.map(|name| name.replace('-', "_")).collect();
    for file in ["crates", "apps", "xtask"].into_iter().flat_map(sources) {
        let code = std::fs::read_to_string(&file).unwrap();
        known.extend(code.lines().filter_map(defined).map(str::to_owned));
    }
    known.extend(["f32", "f64"].map(str::to_owned));
    let is_name = |word: &String| word.trim_end_matches("()").split("::").all(is_identifier);
    let named = quoted(&text("ARCHITECTURE.md")).into_iter().filter(is_name);
    let mut count = 0;
    for name in named.filter(|name| !ELSEWHERE.contains(&&name[..])) {
        for part in name.trim_end_matches("()").split("::") {
            assert!(known.contains(part), "ARCHITECTURE.md names `{name}`: there is no `{part}`");
        }
        count += 1;
    }
    assert!(count > 100, "only {count} names found: does this test still read them?");
}

#[test]
fn every_file_that_is_named_by_its_name_or_the_end_of_its_path_exists() {
    let all: Vec<PathBuf> = ["crates", "apps", "xtask"].into_iter().flat_map(sources).collect();
    let is_file = |w: &String| (w.ends_with(".rs") || w.ends_with(".wgsl")) && !is_path(w);
    for file in quoted(&text("ARCHITECTURE.md")).into_iter().filter(is_file) {
        assert!(all.iter().any(|path| path.ends_with(&file)), "there is no {file}");
    }
}

#[test]
fn every_crate_and_every_stage_is_named() {
    let text = text("ARCHITECTURE.md");
    let mut crates: BTreeSet<String> =
        folders("crates").into_iter().map(|name| format!("crates/{name}")).collect();
    crates.extend(folders("apps").into_iter().map(|name| format!("apps/{name}")));
    crates.insert("xtask".into());
    assert_eq!(table(&text, "| crate | what it is for"), crates);
    let stages = folders("crates/pliant-sim/src/stages");
    assert_eq!(table(&text, "| folder in"), stages);
}

#[test]
fn every_dependency_is_explained() {
    let text = text("ARCHITECTURE.md");
    for name in dependencies().iter().filter(|name| !name.starts_with("pliant")) {
        assert!(text.contains(&format!("`{name}`")), "ARCHITECTURE.md does not say why {name}");
    }
}

#[test]
fn scenes_that_are_shown_run() {
    let mut count = 0;
    for name in ["README.md", "docs/scenes.md"] {
        let text = text(name);
        for block in text.split("```toml").skip(1).filter_map(|rest| rest.split("```").next()) {
            // Other tables, and a scene with a mesh file of the reader's.
            if !block.contains("[[bodies]]") || block.contains("mesh = \"bunny.msh\"") {
                continue;
            }
            let scene = pliant::Scene::from_toml(block, name).unwrap_or_else(|e| panic!("{e}"));
            let steps = (scene.run.duration.unwrap_or(1.0) / scene.world.timestep) as u64;
            let mut simulator = pliant::Simulator::new(scene, pliant::Backend::auto()).unwrap();
            let report = simulator.step(steps).unwrap_or_else(|e| panic!("{name}: {e}"));
            println!("{name}: {report:?}");
            assert_eq!(report.inverted_count, 0, "{name}");
            count += 1;
        }
    }
    assert!(count > 0, "no scenes found: does this test still read them?");
}
