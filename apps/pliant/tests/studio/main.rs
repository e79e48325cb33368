//! The real window on a display of its own, without a screen: Xvfb shows it, xdotool is the user's hand,
//! ffmpeg takes photographs, and the program itself tells what goes on (`--json`).
//!
//! Where one of these programs, or a driver that draws, is missing the tests say that they are skipped;
//! with `PLIANT_WINDOW=required` they fail instead. Photographs stay in `target/tmp`.
#![cfg(all(target_os = "linux", feature = "studio"))]

mod display;
mod films;
mod photo;
mod response;
mod steering;
mod touching;
mod window;
