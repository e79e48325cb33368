//! A folder to work in, the program, and what it said.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A soft bar that falls for a while, with a drag in the middle of it.
pub const SCENE: &str = r#"name = "bar"

[world]
timestep = 0.001
box = { size = [4, 4, 4] }

[[bodies]]
name = "bar"
shape = { kind = "bar", cells = [6, 2, 2], size = [0.6, 0.2, 0.2] }
translate = [0, 0, 0.5]
material = { mass = { density = 1000 }, stiffness = { young = 10e3 } }

[[actions]]
start = 0.02
end = 0.08
drag = { center = [0.6, 0, 0.5], radius = 0.1, velocity = [0.5, 0, 1], stiffness = 50 }

[run]
steps = 100
"#;

/// A folder that is gone after the test.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder that holds the scene `bar.toml`.
    pub fn with_scene() -> Self {
        let place = Self::new();
        place.write("bar.toml", SCENE);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program in this folder, not started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(args).current_dir(self.folder.path()).env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the program to its end.
    pub fn pliant(&self, args: &[&str]) -> Said {
        Said::new(args, self.command(args).output().unwrap())
    }

    /// Asserts that `pliant render` with each of these gives a picture, and none of them twice.
    #[track_caller]
    pub fn renders_differently(&self, ways: &[&[&str]]) {
        let mut pictures = Vec::new();
        for way in ways {
            let start = ["render", "--size", "120x90", "--out", "p.png", "--json"];
            let said = self.pliant(&[&start[..], way].concat()).exits(0);
            assert_eq!(said.json()["outputs"][0], "p.png");
            assert_eq!(png_size(&self.path("p.png")), [120, 90]);
            let picture = std::fs::read(self.path("p.png")).unwrap();
            assert!(!pictures.contains(&picture), "{way:?} changes nothing");
            pictures.push(picture);
        }
    }
}

/// What the program said, and its exit code.
pub struct Said {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
    what: String,
}

impl Said {
    pub fn new(args: &[&str], output: Output) -> Self {
        Self {
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
            what: format!("pliant {}", args.join(" ")),
        }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Asserts that standard error has each of the texts.
    #[track_caller]
    pub fn complains(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.err.contains(text), "no {text:?} on standard error of {self}");
        }
        self
    }

    /// Asserts that standard output has each of the texts.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.out.contains(text), "no {text:?} on standard output of {self}");
        }
        self
    }

    /// Standard output, which must be one JSON document and nothing else.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e} in {self}"))
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { out, err, code, what } = self;
        write!(f, "{what}\nexit code {code:?}\n--- stdout\n{out}\n--- stderr\n{err}")
    }
}

/// The state hash that a run's JSON document gives.
#[track_caller]
pub fn hash(said: &Said) -> String {
    said.json()["hash"].as_str().unwrap_or_else(|| panic!("no hash in {said}")).to_owned()
}

/// Width and height of a PNG file, which must be readable to its end.
#[track_caller]
pub fn png_size(path: &Path) -> [u32; 2] {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let decoder = png::Decoder::new(std::io::BufReader::new(file));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    reader.finish().unwrap();
    [info.width, info.height]
}

/// Width, height and number of frames of a GIF file, which must be readable to its end.
#[track_caller]
pub fn gif_size(path: &Path) -> ([u16; 2], usize) {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut decoder = gif::DecodeOptions::new().read_info(file).unwrap();
    let size = [decoder.width(), decoder.height()];
    let mut count = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        count += 1;
    }
    (size, count)
}

/// The mesh in a file, which must be readable.
#[track_caller]
pub fn mesh(path: &Path) -> pliant::mesh::Mesh {
    pliant::mesh::load(path).unwrap_or_else(|e| panic!("{e}")).mesh
}
