//! Tests of scene files: what reads back, what is refused and in which words.

mod documented;
mod forms;
mod hostile;
mod mistakes;
mod overrides;
mod renamed;
mod skins;

use super::*;

/// A body that is fine, to which tests add what they are about.
const BAR: &str = "\
[[bodies]]
name = 'bar'
shape = { kind = 'bar', cells = [2, 1, 1], size = [2, 1, 1] }
";

fn read(text: &str) -> Result<Scene, SceneError> {
    Scene::from_toml(text, "scene.toml")
}

fn read_with(text: &str, sets: &[&str]) -> Result<Scene, SceneError> {
    Scene::from_toml_with(text, "scene.toml", &Overrides::parse(sets)?)
}
