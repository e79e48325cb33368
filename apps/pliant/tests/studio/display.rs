//! A display without a screen, a hand for its mouse and keys, and a camera in front of it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::photo::Photo;

/// Width and height of the display and of the windows on it \[pixels\].
pub const SIZE: [usize; 2] = [1280, 800];

/// A display; gone when it is dropped.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Opens a display under a number that no other has.
    fn open() -> Self {
        let [width, height] = SIZE;
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"])
            .arg(format!("{width}x{height}x24"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        let out = server.stdout.take().unwrap();
        let read = BufReader::new(out).read_line(&mut number);
        let display = Self { server, name: format!(":{}", number.trim()) };
        assert!(read.is_ok() && display.name.len() > 1, "Xvfb tells no number");
        display
    }

    /// What programs call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Moves the mouse, presses keys and so on; returns what xdotool prints.
    #[track_caller]
    pub fn xdotool(&self, words: &[&str]) -> String {
        let mut command = Command::new("xdotool");
        let done = command.args(words).env("DISPLAY", &self.name).output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "xdotool {words:?}: {error}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// Photographs the whole display, without the mouse; the file stays.
    #[track_caller]
    pub fn photograph(&self, name: &str) -> Photo {
        let path = photo_path(name);
        let [width, height] = SIZE;
        let done = Command::new("ffmpeg")
            .args(["-v", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size"])
            .arg(format!("{width}x{height}"))
            .args(["-i", &self.name, "-frames:v", "1", "-pix_fmt", "rgb24", "-y"])
            .arg(&path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Photo::read(&path)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn photo_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("studio-{name}.png"))
}

/// A display, if all that these tests need is there; otherwise says what is missing.
///
/// # Panics
/// If something is missing although `PLIANT_WINDOW` is `required`.
pub fn display() -> Option<Display> {
    let required = std::env::var("PLIANT_WINDOW").is_ok_and(|v| v == "required");
    match missing() {
        None => Some(Display::open()),
        Some(what) if required => panic!("{what}, but PLIANT_WINDOW=required"),
        Some(what) => {
            println!("skipped: {what}");
            None
        }
    }
}

fn missing() -> Option<String> {
    let programs = [
        ("Xvfb", "-help", "xvfb"),
        ("xdotool", "version", "xdotool"),
        ("ffmpeg", "-version", "ffmpeg"),
        ("ffprobe", "-version", "ffmpeg"),
    ];
    for (program, question, package) in programs {
        let mut command = Command::new(program);
        if command.arg(question).stdin(Stdio::null()).output().is_err() {
            return Some(format!("there is no {program} (Debian's package {package})"));
        }
    }
    let devices = Command::new(env!("CARGO_BIN_EXE_pliant")).args(["gpus", "--json"]).output();
    let listing: Value = serde_json::from_slice(&devices.ok()?.stdout).unwrap_or_default();
    let suits = listing["devices"].as_array().is_some_and(|d| d.iter().any(|d| d["suits"] == true));
    (!suits).then(|| "there is no driver to draw with (Debian's mesa-vulkan-drivers)".into())
}
