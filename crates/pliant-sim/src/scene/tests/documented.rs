//! The example scenes work, and `docs/scenes.md` has every key and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn examples_are_sound() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scene.validate().unwrap(), vec![], "{}", path.display());
        for body in &scene.bodies {
            if let Source::Shape(shape) = &body.source {
                shape.build().unwrap_or_else(|e| panic!("{e}"));
            }
        }
        count += 1;
    }
    assert!(count >= 4, "only {count} scenes");
}

#[test]
fn the_thesis_box_is_locked_at_both_ends() {
    let scene = Scene::load(root().join("scenes/thesis-box.toml")).unwrap();
    let body = &scene.bodies[0];
    let Source::Shape(shape) = &body.source else { panic!("not a shape") };
    let mesh = shape.build().unwrap();
    let locked = mesh.points.iter().map(|p| body.place(*p));
    let locked = locked.filter(|p| body.locks.iter().any(|r| r.contains(*p) == Some(true)));
    assert_eq!(locked.count(), 2 * 36, "two end faces of 6 × 6 vertices");
    assert_eq!(mesh.points.len(), 1224);
}

/// The first column of each table of the page, by the words in backquotes of its heading.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = std::fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    let mut sections = BTreeMap::new();
    let mut heading = String::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("##") {
            heading = title.trim_matches(['#', ' ', '`']).to_owned();
        } else if let Some(row) = line.strip_prefix("| `") {
            let key = row.split('`').next().unwrap().to_owned();
            let keys: &mut BTreeSet<String> = sections.entry(heading.clone()).or_default();
            assert!(keys.insert(key.clone()), "{key} is twice in {heading}");
        }
    }
    sections
}

/// The keys that the reader says it knows when it meets a wrong one.
fn known(text: &str) -> BTreeSet<String> {
    let problem = read(text).expect_err(text).problems.remove(0);
    let help = problem.help.unwrap_or_else(|| panic!("{}", problem.message));
    let list = help.split_once("known here: ").unwrap_or_else(|| panic!("{help}")).1.to_owned();
    list.split(", ").map(|k| k.trim_matches('`').to_owned()).collect()
}

#[test]
fn the_page_has_every_key() {
    let body = "[[bodies]]\nmesh = 'x'\n";
    let mut asked = BTreeMap::new();
    let mut ask = |section: &str, text: String| asked.insert(section.to_owned(), known(&text));
    ask("Top level", "wrong = 1".into());
    ask("world", "[world]\nwrong = 1".into());
    ask("world.implicit", "[world.implicit]\nwrong = 1".into());
    ask("world.box", "[world.box]\nwrong = 1".into());
    ask("world.contact", "[world.contact]\nwrong = 1".into());
    ask("world.wind", "[world.wind]\nwrong = 1".into());
    ask("world.shape_matching", "[world.shape_matching]\nwrong = 1".into());
    ask("bodies", format!("{body}wrong = 1"));
    for table in ["material", "contact", "cage", "skin", "strain_limit", "copies", "material.mass"]
        .into_iter()
        .chain(["material.stiffness", "material.stiffness.cloth", "material.volume"])
        .chain(["material.damping", "shape_matching", "shape_matching.plasticity"])
    {
        ask(&format!("bodies.{table}"), format!("{body}{table}.wrong = 1"));
    }
    ask("bodies.locks", format!("{body}locks = [{{ wrong = 1 }}]"));
    ask("bodies.pins", format!("{body}pins = [{{ wrong = 1 }}]"));
    ask("bodies.tears", format!("{body}tears = [{{ wrong = 1 }}]"));
    ask("bodies.material.fabric", format!("{body}material.fabric = 'wrong'"));
    ask("bodies.shape", "[[bodies]]\nshape = { kind = 'wrong' }".into());
    let plane = "[[colliders]]\nshape = { kind = 'plane' }\n";
    ask("colliders", format!("{plane}wrong = 1"));
    ask("colliders.shape", "[[colliders]]\nshape = { kind = 'wrong' }".into());
    ask("colliders.motion", format!("{plane}motion.wrong = 1"));
    ask("colliders.motion.keyframes", format!("{plane}motion.keyframes = [{{ wrong = 1 }}]"));
    ask("colliders.motion.walk", format!("{plane}motion.walk = {{ wrong = 1 }}"));
    ask("mannequins", "[[mannequins]]\nwrong = 1".into());
    let seam = "[[seams]]\nname = 'a'\n";
    ask("seams", format!("{seam}wrong = 1"));
    ask("seams.from", format!("{seam}from.wrong = 1"));
    ask("seams.to", format!("{seam}to.wrong = 1"));
    ask("actions", "[[actions]]\nwrong = 1".into());
    for kind in ["drag", "push", "carry", "set", "open", "close"] {
        ask(&format!("actions.{kind}"), format!("[[actions]]\n{kind}.wrong = 1"));
    }
    ask("run", "[run]\nwrong = 1".into());
    ask("output", "[output]\nwrong = 1".into());
    ask("output.track", "[[output.track]]\nwrong = 1".into());
    ask("output.picture", "[output.picture]\nwrong = 1".into());
    ask("output.picture.camera", "[output.picture.camera]\nwrong = 1".into());
    let volume = "[output.picture.volume]\n";
    ask("output.picture.volume", format!("{volume}wrong = 1"));
    ask("output.picture.volume.slice", format!("{volume}slice.wrong = 1"));
    ask("output.picture.volume.iso", format!("{volume}iso = [{{ wrong = 1 }}]"));
    ask("output.picture.volume.transfer", format!("{volume}transfer = [{{ wrong = 1 }}]"));
    assert_eq!(documented(), asked);
    // Where misplaced keys are said to belong.
    for (table, keys) in keys::tables() {
        let table = if table.is_empty() { "Top level" } else { table };
        let keys = keys.into_iter().map(str::to_owned).collect();
        assert_eq!(asked.remove(table), Some(keys), "{table}");
    }
    // Their keys mean nothing without what they are part of.
    let parts = asked.into_keys().filter(|table| !table.starts_with("actions."));
    let unlisted = [
        "bodies.locks",
        "bodies.material.fabric",
        "bodies.pins",
        "bodies.shape",
        "bodies.tears",
        "colliders.motion.keyframes",
        "colliders.shape",
        "output.picture.volume.iso",
        "output.picture.volume.transfer",
        "output.track",
    ];
    assert_eq!(parts.collect::<Vec<_>>(), unlisted);
}

/// The row of each live parameter is made of its entry in the table; its default is tested below.
#[test]
fn the_page_has_the_rows_of_live_parameters() {
    let page = std::fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    for Live { key, meaning, unit, limits, .. } in Live::ALL {
        let (table, name) = key.rsplit_once('.').unwrap();
        let section = page.split_once(&format!("# `{table}`\n")).unwrap().1;
        let section = section.split("\n#").next().unwrap();
        let unit = if unit.is_empty() { "–" } else { unit };
        let row = format!("| `{name}` | {meaning} | {unit} | {limits} | `");
        assert!(section.contains(&row), "`{table}` on the page lacks the row\n{row}…` |");
    }
    let keys: Vec<String> = Live::ALL.iter().map(|live| format!("`{}`", live.key)).collect();
    let row = format!("| `key` | one of {} |", keys.join(", "));
    assert!(page.contains(&row), "the page lacks the row\n{row}");
}

#[test]
fn the_page_has_every_key_of_every_shape() {
    let page = std::fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    for (array, kinds) in [("bodies", 17), ("colliders", 6)] {
        let section = page.split_once(&format!("### `{array}.shape`")).unwrap().1;
        let section = section.split("\n#").next().unwrap();
        let keys = |kind: &str| {
            let text = format!("[[{array}]]\nshape = {{ kind = '{kind}', wrong = 1 }}");
            // A shape without keys has none to suggest.
            if kind == "plane" { BTreeSet::new() } else { known(&text) }
        };
        let mut count = 0;
        for kind in known(&format!("[[{array}]]\nshape = {{ kind = 'wrong' }}")) {
            let row = section.lines().find(|l| l.starts_with(&format!("| `{kind}` |"))).unwrap();
            let cell = row.split('|').nth(2).unwrap();
            let words = cell.split('`').skip(1).step_by(2).filter(|w| !w.starts_with('"'));
            let words = words.map(str::to_owned).collect::<BTreeSet<_>>();
            assert_eq!(words, keys(&kind), "{kind}");
            count += 1;
        }
        assert_eq!(count, kinds);
    }
}

#[test]
fn the_page_has_the_choices_and_defaults() {
    let page = std::fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    for name in Integrator::ALL.map(Integrator::name) {
        assert!(page.contains(&format!("`{name}`")), "{name} is missing");
    }
    let volume = page.split_once("### `output.picture.volume`").unwrap().1;
    for name in TransferPreset::ALL.map(TransferPreset::name) {
        assert!(volume.contains(&format!("`{name}`")), "{name} is missing");
    }
    let text = format!("[output.picture.volume]\n{BAR}");
    assert_eq!(read(&text).unwrap().output.picture.volume, Some(PictureVolume::default()));
    // What the page gives as defaults, read as a scene, is what the code takes.
    let mut text = BAR.to_owned();
    for (section, header) in [
        ("## `world`", "[world]"),
        ("### `world.implicit`", "[world.implicit]"),
        ("### `world.box`", "[world.box]"),
        ("### `bodies.material`", "[bodies.material]"),
        ("## `colliders`", "[[colliders]]"),
        ("## `mannequins`", "[[mannequins]]"),
        ("## `output`", "[output]"),
        ("### `output.picture`", "[output.picture]"),
        ("### `output.picture.camera`", "[output.picture.camera]"),
    ] {
        let after = page.split_once(&format!("{section}\n")).unwrap().1;
        let table = after.split("\n#").next().unwrap();
        let table_text = table
            .lines()
            .filter(|l| l.starts_with("| `"))
            .filter_map(|row| {
                let cells = row.split('|').collect::<Vec<_>>();
                let default = cells[cells.len() - 2].trim();
                let value = default.strip_prefix('`')?.strip_suffix('`')?;
                Some(format!("{} = {value}\n", cells[1].trim().trim_matches('`')))
            })
            .collect::<String>();
        let least = if section.contains("picture") || section.contains("box") { 1 } else { 4 };
        assert!(table_text.lines().count() >= least, "{section}");
        let table_text = format!("{header}\n{table_text}");
        if header == "[[mannequins]]" {
            let read = read(&format!("{BAR}{table_text}")).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(read.colliders, Mannequin::default().colliders());
            continue;
        }
        if header == "[bodies.material]" {
            text += &table_text
        } else if header == "[[colliders]]" {
            text += &format!("{table_text}shape = {{ kind = 'plane' }}\n")
        } else {
            text = format!("{table_text}{text}")
        }
    }
    let scene = read(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.world, World::default());
    assert_eq!(scene.bodies[0].material, Material::default());
    assert_eq!(scene.colliders, [Collider { name: "plane".into(), ..Collider::default() }]);
    assert_eq!(scene.output, Output::default());
}
