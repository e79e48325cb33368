//! Where text goes: results to standard output, everything else to standard error.
//!
//! With `--json` standard output gets exactly one document. A reader that closes the pipe early,
//! such as `head`, is no error.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use crate::args::spelling::TERMINAL_COLOUR;
use crate::args::{Args, Color};
use crate::failure::Failure;

/// The terminal or pipe that the user sees.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// Whether results are JSON.
    pub json: bool,
    /// Whether only what matters is said.
    pub quiet: bool,
    color: Color,
}

impl Console {
    /// Reads the global options before the command line as a whole is known to be sound, so that
    /// mistakes in it are reported as asked for.
    pub fn from_raw(raw: &[OsString]) -> Self {
        let words: Vec<&str> = raw.iter().skip(1).filter_map(|w| w.to_str()).collect();
        let words = words.split(|w| *w == "--").next().unwrap_or_default();
        let has = |name: &str| words.contains(&name);
        let after = words.iter().position(|w| *w == TERMINAL_COLOUR);
        let after = after.and_then(|i| words.get(i + 1)).copied();
        let joined = words.iter().find_map(|w| w.strip_prefix(TERMINAL_COLOUR)?.strip_prefix('='));
        let color = joined.or(after);
        Self {
            json: has("--json"),
            quiet: has("--quiet") || has("-q"),
            color: match color {
                Some("always") => Color::Always,
                Some("never") => Color::Never,
                _ => Color::Auto,
            },
        }
    }

    /// What a sound command line asks for.
    pub fn of(args: &Args) -> Self {
        Self { json: args.json, quiet: args.quiet, color: args.terminal_colour }
    }

    /// The same choice in the words of the argument parser.
    pub fn clap_color(&self) -> clap::ColorChoice {
        match self.color {
            Color::Auto => clap::ColorChoice::Auto,
            Color::Always => clap::ColorChoice::Always,
            Color::Never => clap::ColorChoice::Never,
        }
    }

    /// Whether standard error gets colours.
    pub fn stderr_color(&self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }

    /// Whether a progress bar makes sense.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints results for people; nothing when results are JSON.
    pub fn say(&self, text: impl AsRef<str>) {
        if !self.json {
            to_stdout(text.as_ref());
        }
    }

    /// Prints the one JSON document.
    pub fn document(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => to_stdout(&text),
            Err(error) => to_stdout(&json!({"error": {"message": error.to_string()}}).to_string()),
        }
    }

    /// Prints text that was asked for as such: help, completion scripts.
    pub fn raw(&self, text: &str) {
        write_or_leave(&mut io::stdout().lock(), text);
    }

    /// Prints help or the version.
    pub fn print_help(&self, help: &clap::Error) {
        if self.json {
            self.document(&json!({ "help": help.render().to_string() }));
        } else if self.color == Color::Always
            || self.color == Color::Auto && io::stdout().is_terminal()
        {
            self.raw(&help.render().ansi().to_string());
        } else {
            self.raw(&help.render().to_string());
        }
    }

    /// Tells something on the side that is good to know.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            to_stderr(text.as_ref());
        }
    }

    /// Tells something that may be a mistake.
    pub fn warn(&self, text: impl AsRef<str>) {
        let label = if self.stderr_color() { "\x1b[1;33mwarning\x1b[0m" } else { "warning" };
        to_stderr(&format!("{label}: {}", text.as_ref()));
    }

    /// Tells what went wrong, as JSON too when asked for, and gives the exit code.
    pub fn fail(&self, failure: &Failure) -> ExitCode {
        if self.json {
            self.document(&json!({ "error": failure.to_json() }));
        }
        self.complain(failure);
        ExitCode::from(failure.code)
    }

    /// Tells people what went wrong.
    pub fn complain(&self, failure: &Failure) {
        to_stderr(failure.render(self.stderr_color()).trim_end());
    }
}

fn to_stdout(text: &str) {
    write_or_leave(&mut io::stdout().lock(), &format!("{text}\n"));
}

/// Writes; a closed pipe ends the program quietly, as it does for other tools.
fn write_or_leave(out: &mut dyn Write, text: &str) {
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        to_stderr(&format!("error: standard output cannot be written: {error}"));
        std::process::exit(1);
    }
}

fn to_stderr(text: &str) {
    // There is nowhere left to complain when standard error itself is gone.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
