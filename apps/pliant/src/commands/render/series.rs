//! Which files are the frames of a series.

use std::path::{Path, PathBuf};

use pliant::mesh::formats::vtu::read_pvd;
use pliant::mesh::series::{in_order, stem_and_number};
use pliant::mesh::{ReadError, source};

use crate::failure::Failure;

/// Frames in the order of time.
#[derive(Debug)]
pub struct Series {
    /// What films are called after.
    pub name: String,
    /// The files, at least one.
    pub frames: Vec<PathBuf>,
    /// From frame to frame, where a list says it \[s\].
    pub interval: Option<f64>,
}

/// The series that `path` stands for: a `.pvd`, or a folder with a `.pvd` or with `.vtu` files.
/// Nothing if it is another file.
pub fn find(path: &Path) -> Result<Option<Series>, Failure> {
    if path.is_dir() {
        return in_folder(path).map(Some);
    }
    if has_extension(path, "pvd") { listed(path).map(Some) } else { Ok(None) }
}

/// The series that a frame is one of: files of the same name but for the number at its end.
pub fn around(frame: &Path) -> Result<Series, Failure> {
    let folder = frame.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (name, _) = stem_and_number(frame);
    let mut frames = with_extension(folder, "vtu")?;
    frames.retain(|path| stem_and_number(path).0 == name);
    if frames.is_empty() {
        // Not there: let reading it say so.
        frames.push(frame.to_owned());
    }
    Ok(Series { name, frames: in_order(frames), interval: None })
}

fn in_folder(folder: &Path) -> Result<Series, Failure> {
    let lists = with_extension(folder, "pvd")?;
    match &lists[..] {
        [list] => return listed(list),
        [] => {}
        several => {
            let names: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
            return Err(Failure::misuse(format!("{} holds several series", folder.display()))
                .help(format!("give one of them: {}", names.join(", ")))
                .file(folder));
        }
    }
    let frames = in_order(with_extension(folder, "vtu")?);
    let Some(first) = frames.first() else {
        return Err(Failure::new(format!("there is no .pvd and no .vtu in {}", folder.display()))
            .help("give a folder of results that `pliant run --vtu` wrote")
            .file(folder));
    };
    Ok(Series { name: stem_and_number(first).0, frames, interval: None })
}

fn listed(list: &Path) -> Result<Series, Failure> {
    let of_file = |e: ReadError| ReadError { path: Some(list.to_owned()), ..e };
    let entries = source::read_file(list).and_then(|bytes| read_pvd(&bytes)).map_err(of_file)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return Err(Failure::new(format!("{} lists no frames", list.display()))
            .help("the run that wrote it had not come to its first frame: run it again")
            .file(list));
    };
    let interval = (last.0 - first.0) / (entries.len() - 1).max(1) as f64;
    Ok(Series {
        name: stem(list),
        frames: entries.iter().map(|(_, file)| folder.join(file)).collect(),
        interval: Some(interval).filter(|i| *i > 0.0),
    })
}

/// The files of a folder that end in `.extension`.
fn with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| {
        Failure::new(format!("{} cannot be read: {e}", folder.display())).file(folder)
    })?;
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| has_extension(path, extension)).collect())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
