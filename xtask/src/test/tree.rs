//! What Pliant depends on: no library in two versions, and none for GPUs without the feature `gpu`.

use std::collections::{BTreeMap, BTreeSet};

use super::Outcome;
use super::cargo::cargo;

/// Libraries that come in two versions, and why that cannot be helped.
const TWICE: &[(&str, &str)] = &[
    ("base64", "wasm-bindgen's tool, which builds the web page, is a version behind"),
    ("hashbrown", "gpu-allocator 0.28, which wgpu 30 uses, is a version behind wgpu itself"),
    ("linux-raw-sys", "as rustix"),
    ("miniz_oxide", "png 0.18 is a version behind flate2"),
    ("rustc-hash", "naga 30 is a version behind what winit's X11 code uses"),
    ("rustix", "calloop 0.13, which winit 0.30 uses, is a version behind the others"),
    ("syn", "macros at build time only: zerocopy's is a version behind the others"),
    ("thiserror", "as rustix"),
    ("thiserror-impl", "as rustix"),
];

pub fn run() -> Outcome {
    match feature_holds().and_then(|()| none_twice()) {
        Ok(excused) => Outcome::Passed(format!("no wgpu without `gpu`; twice: {excused}")),
        Err(problem) => Outcome::Failed(problem),
    }
}

/// Without its features the program must not need wgpu; with them it does, else this looks at nothing.
fn feature_holds() -> Result<(), String> {
    let tree = ["tree", "--package", "pliant-cli", "--edges", "normal", "--prefix", "none"];
    let with = names(&cargo(tree).output()?);
    let without = names(&cargo(tree).args(["--no-default-features"]).output()?);
    let gpu = |names: &BTreeSet<String>| {
        names.iter().find(|n| n.starts_with("wgpu") || *n == "pliant-gpu").cloned()
    };
    match (gpu(&with), gpu(&without)) {
        (_, Some(library)) => {
            Err(format!("pliant-cli needs {library} although its feature gpu is off"))
        }
        (None, None) => Err("pliant-cli does not need wgpu even with its feature gpu".into()),
        (Some(_), None) => Ok(()),
    }
}

/// Returns the libraries that are excused.
fn none_twice() -> Result<String, String> {
    let list = ["tree", "--workspace", "--duplicates", "--depth", "0", "--prefix", "none"];
    let found = versions(&cargo(list).args(["--edges", "normal,build"]).output()?);
    for (name, why) in TWICE {
        match found.contains_key(*name) {
            true => println!("{name} is there twice: {why}"),
            false => println!("{name} is there once; it can be taken off the list in tree.rs"),
        }
    }
    let excused = |name: &str| TWICE.iter().any(|(known, _)| *known == name);
    match found.iter().find(|(name, _)| !excused(name)) {
        Some((name, versions)) => Err(format!(
            "{name} comes in versions {}; `cargo tree -i {name}@VERSION` shows why",
            versions.iter().cloned().collect::<Vec<_>>().join(" and ")
        )),
        None => Ok(found.into_keys().collect::<Vec<_>>().join(", ")),
    }
}

/// The names in a tree that was printed without branches: "name v1.2.3 …" on each line.
fn names(tree: &str) -> BTreeSet<String> {
    versions(tree).into_keys().collect()
}

/// The versions of each name in such a tree.
fn versions(tree: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in tree.lines() {
        let mut words = line.split(' ');
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            let version = version.trim_start_matches('v').to_owned();
            found.entry(name.to_owned()).or_default().insert(version);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_read() {
        let tree = "syn v2.0.1\n\nsyn v3.0.9 (proc-macro)\npliant v0.1.0 (/there) (*)\n";
        let found = versions(tree);
        assert_eq!(found["syn"], BTreeSet::from(["2.0.1".into(), "3.0.9".into()]));
        assert_eq!(names(tree), BTreeSet::from(["pliant".into(), "syn".into()]));
    }
}
