//! Every key of a scene file by the table it stands in, to tell where a misplaced one belongs.
//!
//! The reader itself knows its keys from the types of a scene. This list is for people who know a key and
//! not its place; a test compares it with what the reader says.

use super::{Live, spelling};

/// Tables and what they hold besides live parameters. The paths have no numbers: elements of an array are
/// all alike.
const TABLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "name",
            "world",
            "bodies",
            "colliders",
            "mannequins",
            "seams",
            "actions",
            "run",
            "output",
        ],
    ),
    (
        "world",
        &[
            "integrator",
            "implicit",
            "accumulation",
            "box",
            "contact",
            "wind",
            "shape_matching",
            "auto_substeps",
        ],
    ),
    ("world.implicit", &[]),
    ("world.box", &["center"]),
    ("world.contact", &["thickness", "self", "guarantee"]),
    ("world.wind", &["seed"]),
    ("world.shape_matching", &[]),
    (
        "bodies",
        &[
            "name",
            "mesh",
            "group",
            "shape",
            "cage",
            "skin",
            "scale",
            "rotate",
            "translate",
            "velocity",
            "spin",
            "material",
            "locks",
            "pins",
            "tears",
            "ignore_flags",
            "implicit",
            "contact",
            "strain_limit",
            "shape_matching",
            "copies",
        ],
    ),
    ("bodies.cage", &["cells"]),
    ("bodies.skin", &["mesh", "group", "shape"]),
    ("bodies.material", &["fabric", "mass", "stiffness", "volume", "damping"]),
    ("bodies.material.mass", &["vertex", "total", "density"]),
    ("bodies.material.stiffness", &["spring", "young", "cloth"]),
    (
        "bodies.material.stiffness.cloth",
        &["stretch", "shear", "bend", "bend_springs", "bending", "bending_form", "warp"],
    ),
    ("bodies.material.volume", &["modulus", "poisson", "thesis", "none", "auto"]),
    ("bodies.material.damping", &["time", "coefficient"]),
    ("bodies.contact", &["thickness", "friction", "self", "groups", "ignores"]),
    ("bodies.strain_limit", &["stretch", "by", "iterations"]),
    (
        "bodies.shape_matching",
        &["mode", "alpha", "beta", "damping", "clusters", "seed", "springs", "plasticity"],
    ),
    ("bodies.shape_matching.plasticity", &["yield", "creep", "max"]),
    ("bodies.copies", &["count", "spacing"]),
    (
        "colliders",
        &[
            "name",
            "mesh",
            "scale",
            "shape",
            "rotate",
            "translate",
            "friction",
            "restitution",
            "thickness",
            "motion",
        ],
    ),
    (
        "colliders.motion",
        &["velocity", "spin", "keyframes", "interval", "animation", "walk", "repeat"],
    ),
    ("colliders.motion.walk", &["part", "height", "pose", "start", "speed", "in_place", "rotate"]),
    (
        "mannequins",
        &[
            "name",
            "height",
            "pose",
            "motion",
            "start",
            "speed",
            "in_place",
            "rotate",
            "translate",
            "friction",
            "thickness",
        ],
    ),
    ("seams", &["name", "from", "to", "force", "time", "weld", "tolerance", "breaks", "within"]),
    ("seams.from", &["body", "region"]),
    ("seams.to", &["body", "region"]),
    ("actions", &["start", "end", "drag", "push", "carry", "set", "open", "close"]),
    ("run", &["duration", "steps"]),
    (
        "output",
        &[
            "folder",
            "every",
            "vtu",
            "glb",
            "obj",
            "ply",
            "csv",
            "contacts",
            "track",
            "png",
            "gif",
            "mp4",
            "sheet",
            "checkpoint_every",
            "picture",
        ],
    ),
    (
        "output.picture",
        &["size", "fps", "colour", "range", "contacts", "wind", "cages", "volume", "camera"],
    ),
    ("output.picture.camera", &["direction", "target", "distance", "up", "field_of_view"]),
    ("output.picture.volume", &["transfer", "opacity", "iso", "slice", "quality"]),
    ("output.picture.volume.slice", &["normal", "point", "clears"]),
];

/// Keys whose value is an array of tables.
const ARRAYS: [&str; 5] = ["bodies", "colliders", "mannequins", "seams", "actions"];

/// Places named at most when a key has several.
const MOST_PLACES: usize = 3;

/// The whole paths of the keys that are called `key`, such as `world.gravity` for `gravity`. In an array
/// they lead to its first element: `bodies[0].material.mass.density`.
pub fn paths_of(key: &str) -> Vec<String> {
    paths_from(key, "")
}

/// The same as seen from the table at `here`: an element that this path goes through is kept.
pub(super) fn paths_from(key: &str, here: &str) -> Vec<String> {
    let path = |(table, keys): (&str, Vec<&str>)| {
        let key = spelling::usual(key, table);
        keys.contains(&key).then(|| join(table, key))
    };
    let paths = tables().filter_map(path);
    let mut paths: Vec<String> = paths.filter(|path| !ARRAYS.contains(&path.as_str())).collect();
    // What lies below is meant rather than what lies elsewhere.
    let below = format!("{}.", without_numbers(here));
    if paths.iter().any(|path| path.starts_with(&below)) {
        paths.retain(|path| path.starts_with(&below));
    }
    paths.truncate(MOST_PLACES);
    paths.iter().map(|path| numbered(path, here)).collect()
}

/// The keys of the table at `path`; none if it is no table that is listed.
pub(super) fn keys_in(path: &str) -> Vec<&'static str> {
    let path = without_numbers(path);
    tables().find(|(table, _)| *table == path).map_or(Vec::new(), |(_, keys)| keys)
}

/// Every table and what it holds.
pub(super) fn tables() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    TABLES.iter().map(|&(table, keys)| {
        let live = Live::ALL.iter().map(Live::table_and_name);
        let live = live.filter(|(place, _)| *place == table).map(|(_, key)| key);
        (table, live.chain(keys.iter().copied()).collect())
    })
}

/// The path of a key in the table at another.
pub(super) fn join(table: &str, key: &str) -> String {
    if table.is_empty() { key.into() } else { format!("{table}.{key}") }
}

/// `bodies[1].material` as `bodies.material`.
pub(super) fn without_numbers(path: &str) -> String {
    path.split('.').map(|step| step.split('[').next().unwrap_or(step)).collect::<Vec<_>>().join(".")
}

/// A path with the numbers of `here` as far as both go the same way, and 0 where another is needed.
fn numbered(path: &str, here: &str) -> String {
    let mut there = here.split('.');
    let mut whole = String::new();
    for step in path.split('.') {
        let same = there.next().filter(|h| h.split('[').next() == Some(step));
        if same.is_none() {
            there = "".split('.');
        }
        let first = || if ARRAYS.contains(&step) { format!("{step}[0]") } else { step.into() };
        whole = join(&whole, &same.map_or_else(first, str::to_owned));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_wherever_they_belong() {
        assert_eq!(paths_of("gravity"), ["world.gravity"]);
        assert_eq!(paths_of("young"), ["bodies[0].material.stiffness.young"]);
        assert_eq!(paths_of("restitution"), ["world.box.restitution", "colliders[0].restitution"]);
        assert_eq!(
            paths_of("friction"),
            ["world.damping", "world.box.friction", "world.contact.friction"],
            "by its old name"
        );
        let damped =
            ["world.damping", "world.shape_matching.damping", "bodies[0].material.damping"];
        assert_eq!(paths_of("damping"), damped);
        assert_eq!(paths_of("hardness"), ["bodies[0].material.stiffness.spring"]);
        assert_eq!(paths_of("gravitation"), [""; 0]);
        assert_eq!(
            paths_from("density", "bodies[2].material"),
            ["bodies[2].material.mass.density"]
        );
        assert_eq!(paths_from("gravity", "bodies[2].material"), ["world.gravity"]);
        assert_eq!(keys_in("bodies[7].copies"), ["count", "spacing"]);
    }
}
