//! `pliant link`, and links in place of files.

use crate::support::{Place, hash};

/// The link that the program prints for the scene of `place`.
fn link(place: &Place) -> String {
    let said = place.pliant(&["link", "bar.toml", "--site", "https://example.org/p/"]).exits(0);
    assert_eq!(said.err, "");
    said.out.trim().to_owned()
}

#[test]
fn a_scene_goes_through_a_link_and_runs_alike() {
    let place = Place::with_scene();
    let link = link(&place);
    assert!(link.starts_with("https://example.org/p/#scene=A") && link.len() < 600, "{link}");
    let here = hash(&place.pliant(&["run", "bar.toml", "--json"]).exits(0));
    assert_eq!(hash(&place.pliant(&["run", &link, "--json"]).exits(0)), here);
    let (_, fragment) = link.split_once('#').unwrap();
    let fragment = format!("#{fragment}");
    let heavy = ["--set", "world.gravity=[0,0,-20]", "--json"];
    let heavy_here = place.pliant(&[&["run", "bar.toml"], &heavy[..]].concat()).exits(0);
    let heavy_link = place.pliant(&[&["run", &fragment], &heavy[..]].concat()).exits(0);
    assert_eq!(hash(&heavy_link), hash(&heavy_here));

    place.pliant(&["link", "--decode", &link, "--out", "again.toml"]).exits(0);
    assert_eq!(hash(&place.pliant(&["run", "again.toml", "--json"]).exits(0)), here);
    place.pliant(&["link", "--decode", &link]).exits(0).says(&["kind = \"bar\"", "steps = 100"]);
    let said = place.pliant(&["link", "--decode", &link, "--json"]).exits(0);
    assert!(said.json()["scene"].as_str().unwrap().contains("[[bodies]]"), "{said}");
    place
        .pliant(&["link", "--decode", &link, "--out", "bar.toml"])
        .exits(1)
        .complains(&["bar.toml cannot be written", "--out"]);
}

#[test]
fn demos_have_links() {
    let place = Place::new();
    let said = place.pliant(&["link", "jelly"]).exits(0).says(&["#scene=A"]);
    let said = said.complains(&["--site"]);
    place.pliant(&["link", "--decode", &said.out]).exits(0).says(&["name = \"jelly\""]);
    let said = place.pliant(&["link", "dent", "--json", "--site", "http://localhost/"]).exits(0);
    let link = said.json()["link"].as_str().unwrap().to_owned();
    assert_eq!(said.json()["characters"], link.len());
}

#[test]
fn links_that_cannot_be_made_or_opened_say_why() {
    let place = Place::with_scene();
    let link = link(&place);
    let cut = &link[..link.len() - 9];
    place.pliant(&["run", cut]).exits(1).complains(&["damaged or was cut off", "copy it again"]);
    place.pliant(&["link", "--decode", cut]).exits(1).complains(&["copy it again"]);
    place.pliant(&["run", "https://example.org/"]).exits(1).complains(&["carries no scene"]);
    place.write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    place.write("mesh.toml", "[[bodies]]\nmesh = 'part.obj'\n");
    place.pliant(&["link", "mesh.toml"]).exits(1).complains(&["part.obj", "as files"]);
    place.pliant(&["link", "nothing.toml"]).exits(1).complains(&["nothing.toml"]);
}
