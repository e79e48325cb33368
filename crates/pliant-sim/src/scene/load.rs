//! Scenes from and to TOML.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use pliant_mesh::disk;
use serde::Serialize;

use super::document::{Document, MOST_BYTES, Sources};
use super::key_path::{self, Step};
use super::{
    Body, Collider, ColliderGround, ColliderMesh, ColliderMotion, ColliderShape, Overrides,
    Problem, Scene, SceneError, Skin, Source, World, hints, overrides,
};

impl Scene {
    /// Reads and checks a scene; `file_name` is what messages call the text.
    pub fn from_toml(text: &str, file_name: &str) -> Result<Self, SceneError> {
        Self::from_toml_with(text, file_name, &Overrides::default())
    }

    /// Reads and checks a scene some of whose values are replaced.
    pub fn from_toml_with(
        text: &str,
        file_name: &str,
        overrides: &Overrides,
    ) -> Result<Self, SceneError> {
        Self::read(text, file_name, overrides, |_| Vec::new())
    }

    /// Reads and checks a scene file; its paths of meshes and height maps become relative to the working
    /// folder and must exist.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        Self::load_with(path, &Overrides::default())
    }

    /// Reads and checks a scene file some of whose values are replaced.
    pub fn load_with(path: impl AsRef<Path>, overrides: &Overrides) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let file_name = path.display().to_string();
        let unreadable =
            |what: String| Problem { file: Some(file_name.clone()), ..Problem::new("", what) };
        let bytes = disk::read(path, MOST_BYTES as u64)
            .map_err(|e| unreadable(format!("the scene file cannot be read: {e}")))?;
        if bytes.len() > MOST_BYTES {
            return Err(too_long(&file_name).into());
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            unreadable(format!("the scene file cannot be read: it is no text (UTF-8): {e}"))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut scene =
            Self::read(&text, &file_name, overrides, |scene| missing_files(scene, folder))?;
        for body in &mut scene.bodies {
            for source in body.sources_mut() {
                if let Source::Mesh { path, .. } = source {
                    *path = folder.join(&*path);
                }
            }
        }
        for collider in &mut scene.colliders {
            match &mut collider.shape {
                ColliderShape::HeightMap(ColliderGround { file: Some(path), .. })
                | ColliderShape::Mesh(ColliderMesh { source: Source::Mesh { path, .. }, .. }) => {
                    *path = folder.join(&*path);
                }
                _ => {}
            }
        }
        Ok(scene)
    }

    /// The world of a scene that may have no bodies. Whether its numbers make sense is not asked.
    pub(crate) fn world_of(text: &str, file_name: &str) -> Result<World, SceneError> {
        let sources = Sources::new(text, file_name, &[]);
        Ok(Document::parse(&sources)?.scene()?.world)
    }

    fn read(
        text: &str,
        file_name: &str,
        overrides: &Overrides,
        more_checks: impl FnOnce(&Self) -> Vec<Problem>,
    ) -> Result<Self, SceneError> {
        if text.len() > MOST_BYTES {
            return Err(too_long(file_name).into());
        }
        let sources = Sources::new(text, file_name, overrides.texts());
        let mut document = Document::parse(&sources)?;
        overrides::apply(&mut document)?;
        let mut scene = document.scene()?;
        let mut error = scene.validate().err().unwrap_or(SceneError::new(Vec::new()));
        error.extend(more_checks(&scene));
        if !error.problems.is_empty() {
            let placed = error.problems.into_iter().map(|p| document.place(p)).collect();
            return Err(SceneError { problems: placed, ..error });
        }
        scene.name_bodies_and_colliders();
        scene.place_mannequins();
        Ok(scene)
    }

    /// The scene as TOML that [`Scene::from_toml`] reads back. Bodies whose mesh was made in code
    /// cannot be written.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        text_of(&table_of(self)?)
    }

    /// The same without the values that are as they would be by default.
    pub fn to_short_toml(&self) -> Result<String, SceneError> {
        let mut root = table_of(self)?;
        leave_out(&mut root, &table_of(&Self::default())?);
        // Its own shape is the one thing that a body cannot do without.
        let mut usual = table_of(&Body::default())?;
        usual.remove("shape");
        for body in
            elements_of(&mut root, "bodies").iter_mut().filter_map(toml::Value::as_table_mut)
        {
            leave_out(body, &usual);
        }
        let mut usual = table_of(&Collider::default())?;
        usual.remove("shape");
        let colliders = elements_of(&mut root, "colliders").iter_mut();
        for collider in colliders.filter_map(toml::Value::as_table_mut) {
            leave_out(collider, &usual);
        }
        text_of(&root)
    }

    /// The keys whose values differ between two scenes, such as `bodies[0].material.stiffness.young`.
    pub fn differing_keys(&self, other: &Self) -> Result<Vec<String>, SceneError> {
        let [a, b] = [table_of(self)?, table_of(other)?].map(toml::Value::Table);
        let mut keys = Vec::new();
        differences(&a, &b, "", &mut keys);
        Ok(keys)
    }

    /// Calls bodies without a name after their mesh or shape, and colliders after their mesh or kind, with a number
    /// where that is taken.
    fn name_bodies_and_colliders(&mut self) {
        let body = |body: &Body| match &body.source {
            Source::Mesh { path, .. } => {
                path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned())
            }
            Source::Shape(shape) => shape.kind().to_owned(),
            Source::Inline(_) => "mesh".to_owned(),
        };
        fill_in_names(&mut self.bodies, |body| &mut body.name, body);
        let kind = |collider: &Collider| match &collider.shape {
            ColliderShape::Mesh(mesh) => mesh.usual_name(),
            shape => shape.kind().to_owned(),
        };
        fill_in_names(&mut self.colliders, |collider| &mut collider.name, kind);
    }
}

/// Gives a name to each of `things` that has none: what `base` calls it, with a number where that is taken.
fn fill_in_names<T>(
    things: &mut [T],
    name: impl Fn(&mut T) -> &mut String,
    base: impl Fn(&T) -> String,
) {
    let mut taken: HashSet<String> = things.iter_mut().map(|thing| name(thing).clone()).collect();
    let mut numbers = HashMap::new();
    for thing in things {
        if !name(thing).is_empty() {
            continue;
        }
        let base = base(thing);
        let number: &mut u64 = numbers.entry(base.clone()).or_default();
        let mut free = base.clone();
        while !taken.insert(free.clone()) {
            *number += 1;
            free = format!("{base}-{}", *number + 1);
        }
        *name(thing) = free;
    }
}

fn too_long(file_name: &str) -> Problem {
    Problem {
        file: Some(file_name.to_owned()),
        ..Problem::new("", format!("the scene file is longer than {} MiB", MOST_BYTES >> 20))
            .help("is it a mesh? A scene names its meshes: mesh = \"bunny.msh\"")
    }
}

/// What a scene, or a part of one, looks like in a file.
fn table_of(part: &impl Serialize) -> Result<toml::Table, SceneError> {
    let mut root = toml::Table::try_from(part).map_err(unwritable)?;
    for array in ["bodies", "colliders"] {
        for element in elements_of(&mut root, array) {
            ["shape", "mesh"].into_iter().for_each(|key| shape_by_kind(element, key));
            element.get_mut("skin").into_iter().for_each(|skin| shape_by_kind(skin, "shape"));
        }
    }
    Ok(root)
}

fn text_of(root: &toml::Table) -> Result<String, SceneError> {
    toml::to_string(root).map_err(unwritable)
}

fn unwritable(error: toml::ser::Error) -> SceneError {
    Problem::new("", error.to_string()).into()
}

fn elements_of<'t>(root: &'t mut toml::Table, array: &str) -> &'t mut [toml::Value] {
    root.get_mut(array).and_then(toml::Value::as_array_mut).map_or(&mut [], |b| b)
}

/// Adds the paths below `path` at which two values differ.
fn differences(a: &toml::Value, b: &toml::Value, path: &str, keys: &mut Vec<String>) {
    use toml::Value::{Array, Table};
    match (a, b) {
        (Table(a), Table(b)) => {
            let all: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in all {
                let below = key_path::join(path, &Step::Key(key.clone()));
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => differences(a, b, &below, keys),
                    _ => keys.push(below),
                }
            }
        }
        (Array(a), Array(b)) if a.len() == b.len() && a.iter().all(toml::Value::is_table) => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &key_path::join(path, &Step::Index(i)), keys);
            }
        }
        _ if a == b => {}
        _ => keys.push(path.to_owned()),
    }
}

/// Takes what equals `usual` from a table and the tables in it.
fn leave_out(table: &mut toml::Table, usual: &toml::Table) {
    use toml::Value::Table;
    table.retain(|key, value| {
        let usual = usual.get(key);
        if let (Table(table), Some(Table(usual))) = (&mut *value, usual) {
            leave_out(table, usual);
            return !table.is_empty();
        }
        usual != Some(value)
    });
}

/// Rewrites `shape = { bar = { … } }` to `shape = { kind = "bar", … }`.
fn shape_by_kind(element: &mut toml::Value, key: &str) {
    let Some(toml::Value::Table(shape)) = element.get_mut(key) else { return };
    let Some((kind, toml::Value::Table(fields))) = std::mem::take(shape).into_iter().next() else {
        return;
    };
    *shape = fields;
    shape.insert("kind".into(), kind.into());
}

/// A problem for each file of a mesh or a height map that does not exist below `folder`.
fn missing_files(scene: &Scene, folder: &Path) -> Vec<Problem> {
    let meshes = scene.bodies.iter().enumerate().filter_map(|(i, body)| match &body.source {
        Source::Mesh { path, .. } => Some((format!("bodies[{i}].mesh"), "mesh file", path)),
        _ => None,
    });
    let skins = scene.bodies.iter().enumerate().filter_map(|(i, body)| match &body.skin {
        Some(Skin { source: Source::Mesh { path, .. } }) => {
            Some((format!("bodies[{i}].skin.mesh"), "mesh file", path))
        }
        _ => None,
    });
    let colliders = scene.colliders.iter().enumerate();
    let grounds = colliders.filter_map(|(i, collider)| match &collider.shape {
        ColliderShape::HeightMap(ground) => {
            Some((format!("colliders[{i}].shape.file"), "height map", ground.file.as_ref()?))
        }
        // What a series is made of is found when it is read.
        ColliderShape::Mesh(_)
            if matches!(collider.motion, Some(ColliderMotion::Series { .. })) =>
        {
            None
        }
        ColliderShape::Mesh(ColliderMesh { source: Source::Mesh { path, .. }, .. }) => {
            Some((format!("colliders[{i}].mesh"), "mesh file", path))
        }
        _ => None,
    });
    let mut problems = Vec::new();
    for (key, what, path) in meshes.chain(skins).chain(grounds) {
        let file = folder.join(path);
        if disk::is_file(&file) {
            continue;
        }
        let problem = Problem::new(key, format!("there is no {what} {}", file.display()));
        problems.push(problem.help(
            neighbour(&file).map_or("paths are relative to the scene file".into(), |n| {
                format!("did you mean `{n}`? Paths are relative to the scene file")
            }),
        ));
    }
    problems
}

/// A file in the same folder with a similar name.
fn neighbour(file: &Path) -> Option<String> {
    const MOST_NAMES: usize = 10_000;
    let wanted = file.file_name()?.to_str()?;
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names = disk::names(folder, MOST_NAMES);
    names.sort();
    hints::closest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}
