//! The progress bar: how far, how fast, how long still.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pliant::session::Progress;

use crate::console::Console;

/// Says on standard error that something takes its time, if that is a terminal and it does.
pub struct Waiting(ProgressBar);

impl Waiting {
    /// Something that is called `name`.
    pub fn new(name: &str, console: &Console) -> Self {
        if !console.shows_progress() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner().with_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar on standard error, if that is a terminal; nothing otherwise.
pub struct Bar {
    bar: ProgressBar,
    console: Console,
}

impl Bar {
    /// A bar for a run that is called `name`.
    pub fn new(name: &str, console: &Console) -> Self {
        let bar = if console.shows_progress() {
            ProgressBar::no_length().with_message(name.to_owned())
        } else {
            ProgressBar::hidden()
        };
        let style = "{msg} {wide_bar} {pos}/{len} steps · {prefix}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, console: *console }
    }

    /// Shows how far a run is.
    pub fn show(&self, progress: &Progress) {
        match progress.end {
            Some(end) => self.bar.set_length(end),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(progress.step);
        let mut text = format!("t = {:.3} s · {:.0} steps/s", progress.time, progress.rate);
        if let Some(seconds) = progress.seconds_left.filter(|s| *s < 1e9) {
            text += &format!(" · {} left", clock(Duration::from_secs_f64(seconds.max(0.0))));
        }
        self.bar.set_prefix(text);
    }

    /// Warns without tearing the bar.
    pub fn warn(&self, text: &str) {
        self.bar.suspend(|| self.console.warn(text));
    }

    /// Tells something without tearing the bar.
    pub fn note(&self, text: &str) {
        self.bar.suspend(|| self.console.note(text));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        let texts = [0, 59, 61, 3599, 3600, 90_000].map(|s| clock(Duration::from_secs(s)));
        assert_eq!(texts, ["0 s", "59 s", "1:01 min", "59:59 min", "1:00 h", "25:00 h"]);
    }
}
