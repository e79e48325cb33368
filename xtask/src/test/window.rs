//! What the tests of the real window need: a display without a screen, and someone to use it.

use super::command::Tool;
use super::tools::{Need, Source, provide};

/// Makes tests fail that find no display, instead of saying that they are skipped.
pub const REQUIRED: (&str, &str) = ("PLIANT_WINDOW", "required");

/// A display, a hand, a camera, and what a window loads by itself when it opens.
const DISPLAY: Need = Need {
    name: "something that a window needs to be tested",
    source: Source::Packages(
        &[
            "xvfb",
            "xdotool",
            "ffmpeg",
            "libxkbcommon-x11-0",
            "libx11-xcb1",
            "libxcursor1",
            "libxi6",
        ],
        "the packages of your system for Xvfb, xdotool and ffmpeg",
    ),
    present: || has_programs() && has_libraries(),
};

/// Makes sure that windows can be tested; an error says why not.
pub fn display() -> Result<(), String> {
    match cfg!(target_os = "linux") {
        true => provide(&DISPLAY),
        false => Err("windows are tested on Linux only".into()),
    }
}

/// Without a display some of them answer every question with an error, so they are only looked for.
fn has_programs() -> bool {
    let is_there = |program: &str| Tool::new("sh").args(["-c", "command -v $0", program]).works();
    ["Xvfb", "xdotool", "ffmpeg", "ffprobe"].into_iter().all(is_there)
}

/// Whether the libraries are there, where the system keeps a list of them.
fn has_libraries() -> bool {
    let wanted = ["libxkbcommon-x11.so", "libX11-xcb.so", "libXcursor.so", "libXi.so"];
    match Tool::new("/sbin/ldconfig").args(["-p"]).output() {
        Ok(list) => wanted.iter().all(|library| list.contains(library)),
        Err(_) => true,
    }
}
