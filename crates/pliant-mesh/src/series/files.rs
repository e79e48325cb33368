//! Which files are the frames of a series.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::formats::{by_name, vtu::read_pvd};
use crate::{ReadError, Result, disk, source};

/// The most names of a folder that are looked at.
const MAX_NAMES: usize = 1 << 20;

/// A file of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// When it is shown \[s\].
    pub time: f64,
    /// Where it is.
    pub file: PathBuf,
}

/// The frames that `path` stands for, in the order of time: what a `.pvd` lists, the meshes of a folder,
/// or those that a pattern with a `*` in its name stands for, such as `frames/*.obj`.
///
/// A list has times; the files of folders and patterns follow each other by `interval` \[s\] in the order
/// of the numbers at the ends of their names, beginning at 0.
pub fn find(path: &Path, interval: f64) -> Result<Vec<Frame>> {
    if !(interval.is_finite() && interval > 0.0) {
        return Err(at(path, format!("the time from frame to frame is {interval} s"))
            .help("Give a time above 0, such as 0.04 for 25 frames a second"));
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let files = if name.contains('*') {
        matching(path, name)?
    } else if has_extension(path, "pvd") {
        return listed(path);
    } else if disk::is_file(path) {
        return Err(at(path, "is one file, not a series")
            .help("Give a .pvd, a folder of meshes, or a pattern such as frames/*.obj"));
    } else {
        let names = names_in(path)?;
        let lists: Vec<&String> =
            names.iter().filter(|name| has_extension(Path::new(name), "pvd")).collect();
        match &lists[..] {
            [list] => return listed(&path.join(list)),
            _ => only_series(path, names)?,
        }
    };
    let timed = |(i, file)| Frame { time: i as f64 * interval, file };
    Ok(in_order(files).into_iter().enumerate().map(timed).collect())
}

fn at(path: &Path, problem: impl Into<String>) -> ReadError {
    ReadError { path: Some(path.to_owned()), ..ReadError::file(problem) }
}

fn names_in(folder: &Path) -> Result<Vec<String>> {
    let names = disk::names(folder, MAX_NAMES);
    if names.is_empty() {
        return Err(at(folder, "there is no such file, and no folder with files in it")
            .help("Check the path"));
    }
    Ok(names)
}

fn matching(pattern: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let (start, end) = name.split_once('*').unwrap_or((name, ""));
    if end.contains('*') {
        return Err(
            at(pattern, "has more than one *").help("Give a pattern with one: frames/*.obj")
        );
    }
    let folder = pattern.parent().unwrap_or(Path::new(""));
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let fits = |name: &String| {
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    };
    let names = names_in(shown)?.into_iter().filter(fits);
    let files: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
    if files.is_empty() {
        return Err(at(pattern, "no file has such a name").help("Check folder and pattern"));
    }
    Ok(files)
}

/// The meshes of a folder, if they are one series.
fn only_series(folder: &Path, names: Vec<String>) -> Result<Vec<PathBuf>> {
    // Halves of TetGen's pairs are not counted twice.
    let is_mesh = |name: &String| by_name(name).is_some() && !has_extension(Path::new(name), "ele");
    let files: Vec<PathBuf> = names.into_iter().filter(is_mesh).map(|n| folder.join(n)).collect();
    let pattern = |file: &PathBuf| {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        format!("{}*.{extension}", stem_and_number(file).0)
    };
    let patterns: BTreeSet<String> = files.iter().map(pattern).collect();
    match patterns.len() {
        0 => Err(at(folder, "there is no mesh and no .pvd in this folder")
            .help("Give a folder of meshes that are numbered in the order of time")),
        1 => Ok(files),
        _ => {
            let few: Vec<String> = patterns.into_iter().take(5).collect();
            Err(at(folder, "holds several series")
                .help(format!("Give one of them with a pattern, such as {}", few.join(", "))))
        }
    }
}

fn listed(list: &Path) -> Result<Vec<Frame>> {
    let of_file = |e: ReadError| ReadError { path: Some(list.to_owned()), ..e };
    let entries = source::read_file(list).and_then(|bytes| read_pvd(&bytes)).map_err(of_file)?;
    if entries.is_empty() {
        return Err(at(list, "lists no frames")
            .help("The run that wrote it had not come to its first frame: run it again"));
    }
    let folder = list.parent().unwrap_or(Path::new(""));
    Ok(entries.into_iter().map(|(time, file)| Frame { time, file: folder.join(file) }).collect())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Files in the order of their names, and of the numbers at the ends of them.
pub fn in_order(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.sort_by_cached_key(|file| (stem_and_number(file), file.clone()));
    files
}

/// The name of a file without extension and without the number at its end, and that number; the largest
/// one if there is none.
pub fn stem_and_number(file: &Path) -> (String, u64) {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let digits = stem.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (name, number) = stem.split_at(stem.len() - digits);
    let name = name.trim_end_matches(['-', '_', '.']);
    (name.to_owned(), number.parse().unwrap_or(u64::MAX))
}
