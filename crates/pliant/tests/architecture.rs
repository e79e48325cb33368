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
    let tops = ["crates/", "apps/", "docs/", "scenes/", "xtask/", ".ci/"];
    tops.iter().any(|top| word.starts_with(top)) && !word.contains(['*', ' ', '<'])
}

fn folders(of: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(of)).unwrap();
    let folders = entries.map(|e| e.unwrap().path()).filter(|path| path.is_dir());
    folders.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
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

#[test]
fn every_file_that_is_named_by_its_name_alone_exists() {
    let places = [
        "pliant-sim/src/stages/elastic/cpu",
        "pliant-sim/src/stages/elastic",
        "pliant-sim/src/stages/integrate",
        "pliant-sim/src/scene",
        "pliant-studio/src",
        "pliant-render/src",
        "pliant-render/src/cpu",
        "pliant-render/src/cpu/clouds",
        "pliant-render/src/encode",
        "pliant-render/src/encode/h264",
    ];
    let places = places.map(|place| root().join("crates").join(place));
    let bare = |w: &String| w.ends_with(".rs") && !w.contains('/');
    for file in quoted(&text("ARCHITECTURE.md")).into_iter().filter(bare) {
        assert!(places.iter().any(|p| p.join(&file).exists()), "there is no {file}");
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
    let manifest = text("Cargo.toml");
    let (_, rest) = manifest.split_once("[workspace.dependencies]").unwrap();
    let names = rest.lines().take_while(|line| !line.starts_with('['));
    let names = names.filter_map(|line| line.split_once(" =")).map(|(name, _)| name);
    let text = text("ARCHITECTURE.md");
    for name in names.filter(|name| !name.starts_with("pliant")) {
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
