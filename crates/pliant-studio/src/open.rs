//! From a demo, a file or a dropped mesh to a scene that runs.

use std::path::{Path, PathBuf};

use pliant_mesh::formats::READABLE;
use pliant_mesh::source::read_file;
use pliant_scenes::{MeshProblem, Named, choose_steps_for_mesh, from_mesh};
use pliant_session::{Message, Session};
use pliant_sim::{Backend, BuildError, Scene, checkpoint};

/// Something to open.
#[derive(Clone, Debug)]
pub enum Source {
    /// A built-in scene.
    Demo(&'static Named),
    /// A scene, a checkpoint or a mesh; which of them is found out.
    File(PathBuf),
    /// A closed surface without inside, as a hollow skin.
    Skin(PathBuf),
    /// A scene made elsewhere, with a title.
    Scene(String, Box<Scene>),
}

impl Source {
    /// What to call it.
    pub fn title(&self) -> String {
        match self {
            Self::Demo(demo) => demo.title.into(),
            Self::File(path) | Self::Skin(path) => path
                .file_name()
                .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into()),
            Self::Scene(title, _) => title.clone(),
        }
    }
}

/// Why something cannot be opened, and what can be done instead.
#[derive(Clone, Debug)]
pub struct OpenError {
    /// What is wrong, with the file's name.
    pub message: String,
    /// What may be tried instead.
    pub instead: Option<Source>,
}

impl OpenError {
    fn new(source: &Source, message: impl std::fmt::Display) -> Self {
        Self { message: format!("{}: {message}", source.title()), instead: None }
    }
}

/// Opens a source. Notes say what was decided on the way. Takes as long as reading and compiling take, so
/// it is not for the thread of a window.
pub fn open(source: &Source, backend: Backend) -> Result<(Session, Vec<String>), OpenError> {
    let fail = |message: String| OpenError::new(source, message);
    let start = |scene: Scene, mut notes: Vec<String>| {
        let session = begin(scene, backend.clone(), &mut notes);
        Ok((session.map_err(|e| fail(e.to_string()))?, notes))
    };
    match source {
        Source::Demo(demo) => start((demo.build)(), Vec::new()),
        Source::Scene(_, scene) => {
            scene.validate().map_err(|e| fail(e.to_string()))?;
            start((**scene).clone(), Vec::new())
        }
        Source::File(path) if has_extension(path, "toml") => {
            // The error shows the line and names the file itself.
            let scene = Scene::load(path)
                .map_err(|e| OpenError { message: e.to_string(), instead: None })?;
            start(scene, Vec::new())
        }
        Source::File(path) => {
            let bytes = read_file(path).map_err(|e| fail(e.to_string()))?;
            match bytes.starts_with(b"PLIANT") {
                true => resume(source, &bytes, backend),
                false => open_mesh(source, path, false, backend),
            }
        }
        Source::Skin(path) => open_mesh(source, path, true, backend),
    }
}

fn resume(
    source: &Source,
    bytes: &[u8],
    backend: Backend,
) -> Result<(Session, Vec<String>), OpenError> {
    let saved = checkpoint::decode(bytes).map_err(|e| OpenError::new(source, e))?;
    let session = Session::resume(&saved, backend).map_err(|e| OpenError::new(source, e))?;
    Ok((session, Vec::new()))
}

fn open_mesh(
    source: &Source,
    path: &Path,
    as_skin: bool,
    backend: Backend,
) -> Result<(Session, Vec<String>), OpenError> {
    let loaded = pliant_mesh::load(path).map_err(|e| OpenError::new(source, e))?;
    let made = from_mesh(&loaded.mesh, path.to_owned(), as_skin);
    let (mut scene, mut notes) = made.map_err(|problem| OpenError {
        instead: matches!(problem, MeshProblem::Hollow { .. })
            .then(|| Source::Skin(path.to_owned())),
        ..OpenError::new(source, problem)
    })?;
    notes.splice(0..0, loaded.warnings);
    let fail = |e: BuildError| OpenError::new(source, e);
    let chosen = choose_steps_for_mesh(&mut scene).map_err(fail)?;
    notes.push(chosen.note + " and can be changed at the right");
    let session = begin(scene, backend, &mut notes).map_err(fail)?;
    if let Some(text) = chosen.warning {
        session.remote().tell(Message::Warning(text));
    }
    Ok((session, notes))
}

/// A session; on the processor if a scene is too large for the window's device.
fn begin(scene: Scene, backend: Backend, notes: &mut Vec<String>) -> Result<Session, BuildError> {
    let spare = matches!(backend, Backend::Device(_)).then(|| scene.clone());
    match (Session::new(scene, backend), spare) {
        (Err(BuildError::Gpu(error)), Some(scene)) => {
            notes.push(format!("{error}. It runs on the CPU instead"));
            Session::new(scene, Backend::cpu())
        }
        (outcome, _) => outcome,
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Extensions of what can be opened: scenes, checkpoints and meshes. Of several files that come together,
/// the one whose extension is first is opened, and it finds the others.
fn opened() -> impl Iterator<Item = &'static str> {
    ["toml", "pliant"].into_iter().chain(READABLE.iter().map(|(extension, _)| *extension))
}

/// The place of a name's extension in the list; meshes may be packed.
fn rank(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let inner = name.strip_suffix(".gz");
    let (_, extension) = inner.unwrap_or(&name).rsplit_once('.')?;
    let is_mesh = READABLE.iter().any(|(known, _)| *known == extension);
    let place = opened().position(|known| known == extension)?;
    (inner.is_none() || is_mesh).then_some(place)
}

/// Whether a name looks like something that can be opened, packed or not.
#[cfg(not(target_arch = "wasm32"))]
pub fn can_be_opened(path: &Path) -> bool {
    rank(path).is_some()
}

/// The one of several files to open: a scene before its meshes, one half of a mesh for both. If none
/// looks like anything, the first, since its content may.
pub fn main_file(paths: &[PathBuf]) -> Option<PathBuf> {
    paths.iter().min_by_key(|path| rank(path).unwrap_or(usize::MAX)).cloned()
}

#[cfg(test)]
mod tests;
