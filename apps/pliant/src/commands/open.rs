//! The scene that a run begins with: a scene file, a link, or a mesh that comes alone.

use std::path::Path;

use pliant::mesh::formats::{by_name, detect};
use pliant::mesh::source::read_file;
use pliant::scene::{Overrides, RunPlan, Scene};
use pliant::scenes::{self, MeshProblem};
use pliant::session::link;

use super::link::link_in;
use crate::console::Console;
use crate::failure::Failure;

/// How long a mesh that comes alone falls and comes to rest \[s\].
const FALL: f64 = 2.0;

/// Reads a scene and puts the overrides into it. `as_skin` lets closed surfaces pass, which are hollow.
pub fn open(
    path: &Path,
    overrides: &Overrides,
    as_skin: bool,
    console: &Console,
) -> Result<Scene, Failure> {
    let kind = Kind::of(path)?;
    if as_skin && kind != Kind::Mesh {
        let problem = format!("{} is no mesh, so --skin means nothing to it", path.display());
        return Err(Failure::misuse(problem).help("leave --skin away"));
    }
    match kind {
        Kind::Link(link) => overridden(link::decode(link)?.scene, "link", overrides),
        Kind::Scene => Ok(Scene::load_with(path, overrides)?),
        Kind::Mesh => of_mesh(path, overrides, as_skin, console),
        Kind::Checkpoint => Err(Failure::misuse(format!("{} is a checkpoint", path.display()))
            .help(format!("continue it with: pliant run --resume {}", path.display()))),
    }
}

/// What a scene can be made from.
#[derive(Debug, PartialEq, Eq)]
enum Kind<'p> {
    Link(&'p str),
    Scene,
    Mesh,
    Checkpoint,
}

impl<'p> Kind<'p> {
    /// Found by content and, where that tells nothing, by name. What is nothing that is known is a scene,
    /// since reading it as one tells what is wrong.
    fn of(path: &'p Path) -> Result<Self, Failure> {
        if let Some(link) = link_in(path) {
            return Ok(Self::Link(link));
        }
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
            return Ok(Self::Scene);
        }
        let bytes = read_file(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_mesh = by_name(&name).is_some() || detect(&bytes, &name).is_ok();
        Ok(match bytes.starts_with(b"PLIANT") {
            true => Self::Checkpoint,
            false if is_mesh => Self::Mesh,
            false => Self::Scene,
        })
    }
}

/// The scene with overrides on top.
fn overridden(scene: Scene, name: &str, overrides: &Overrides) -> Result<Scene, Failure> {
    Ok(Scene::from_toml_with(&scene.to_toml()?, name, overrides)?)
}

/// A scene in which a mesh drops into a box, as `pliant view` shows it.
fn of_mesh(
    path: &Path,
    overrides: &Overrides,
    as_skin: bool,
    console: &Console,
) -> Result<Scene, Failure> {
    // What is to be said about the file is said when the scene is compiled.
    let mesh = pliant::mesh::load(path)?.mesh;
    let made = scenes::from_mesh(&mesh, path.to_owned(), as_skin);
    let (mut scene, notes) = made.map_err(|problem| unsuitable(path, &problem))?;
    scene.run = RunPlan { duration: Some(FALL), steps: None };
    let mut scene = overridden(scene, &path.display().to_string(), overrides)?;
    let chosen = if overrides.replaces("world.timestep") {
        None
    } else {
        Some(scenes::choose_steps_for_mesh(&mut scene)?)
    };
    for note in notes {
        console.note(note);
    }
    if let Some(chosen) = chosen {
        console.note(chosen.note + " and can be changed with --set");
        chosen.warning.into_iter().for_each(|text| console.warn(&text));
    }
    Ok(scene)
}

fn unsuitable(path: &Path, problem: &MeshProblem) -> Failure {
    let failure = Failure::new(format!("{}: {problem}", path.display())).file(path);
    match problem {
        MeshProblem::Hollow { .. } => failure.help("--skin simulates it as a hollow skin"),
        MeshProblem::Empty => {
            failure.help(format!("`pliant mesh info {}` says what is in it", path.display()))
        }
    }
}
