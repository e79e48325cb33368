//! Where the results of a run go: into a folder, or one of them into a file of its own name.

use std::path::{Path, PathBuf};

use pliant::scene::Output;
use pliant::session::export::file_name;

use crate::failure::Failure;

/// Where an output says whether a result is wanted.
type Wanted = fn(&mut Output) -> &mut bool;

/// The kinds of results that are one file, by how its name ends.
const FILES: [(&str, Wanted); 4] = [
    ("mp4", |o| &mut o.mp4),
    ("gif", |o| &mut o.gif),
    ("png", |o| &mut o.png),
    ("glb", |o| &mut o.glb),
];

/// A file that was named for the one result of a run.
#[derive(Debug, PartialEq)]
pub struct OneFile {
    /// Its folder.
    pub folder: PathBuf,
    /// Its name without the ending.
    pub name: String,
    ending: &'static str,
}

impl OneFile {
    /// The file that `out` names, if it ends as results do and is no folder.
    pub fn named(out: &Path) -> Result<Option<Self>, Failure> {
        let ending = out.extension().filter(|_| !out.is_dir());
        let ending = ending.map(|e| e.to_string_lossy().to_lowercase());
        let known = FILES.iter().find(|(end, _)| ending.as_deref() == Some(*end));
        let Some(&(ending, _)) = known else { return Ok(None) };
        let stem = out.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let plain = file_name(&stem);
        if stem != plain || out.extension().is_none_or(|e| e != ending) {
            let problem = format!("a result cannot be called {}", out.display());
            let help = format!(
                "letters, digits, “-” and “.” are taken, and an ending in small letters: {plain}.{ending}"
            );
            return Err(Failure::misuse(problem).help(help));
        }
        let folder = out.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        Ok(Some(Self { folder, name: plain, ending }))
    }

    /// Asks for what the file's name says; refuses if that is not all that is asked for.
    pub fn ask(&self, output: &mut Output, is_continued: bool) -> Result<(), Failure> {
        let mut rest = output.clone();
        for (_, wanted) in FILES.iter().filter(|(ending, _)| *ending == self.ending) {
            *wanted(output) = true;
            *wanted(&mut rest) = false;
        }
        let file = self.folder.join(format!("{}.{}", self.name, self.ending));
        if rest.has_results() {
            let problem = format!("{} is one file, and more is asked for", file.display());
            let help = format!(
                "give --out a folder for several results, or ask for --{} alone",
                self.ending
            );
            return Err(Failure::misuse(problem).help(help));
        }
        if is_continued {
            let problem = format!("{} would hold only a part of the run", file.display());
            let help =
                "give --out a folder: the films of a continued run are called after its first step";
            return Err(Failure::misuse(problem).help(help));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_ends_as_results_do_is_one_file() {
        let named =
            |out: &str| OneFile::named(Path::new(out)).map(|f| f.map(|f| (f.folder, f.name)));
        let file = |folder: &str, name: &str| Some((PathBuf::from(folder), name.to_owned()));
        assert_eq!(named("a.mp4").unwrap(), file(".", "a"));
        assert_eq!(named("some/where/a.b.gif").unwrap(), file("some/where", "a.b"));
        for folder in ["results", "results.v2", "some/.hidden", "", "."] {
            assert_eq!(named(folder).unwrap(), None, "{folder}");
        }
        for odd in ["my film.mp4", "a.MP4"] {
            assert!(named(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn it_asks_for_itself_alone() {
        let film = OneFile::named(Path::new("a.mp4")).unwrap().unwrap();
        let mut output = Output::default();
        film.ask(&mut output, false).unwrap();
        assert!(output.mp4 && !output.gif);
        film.ask(&mut output, false).unwrap();
        assert!(film.ask(&mut output, true).is_err(), "a part of a run");
        output.csv = true;
        assert!(film.ask(&mut output, false).is_err(), "a table besides");
    }
}
