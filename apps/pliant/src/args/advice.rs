//! What was probably meant by commands and options that do not exist.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};
use pliant::scene::paths_of;

use super::Args;

/// Adds to a mistake in the command line `raw` what may be written instead, if anything is known.
pub fn add_to(error: &mut clap::Error, raw: &[OsString]) {
    let mut tips: Vec<StyledStr> = Vec::new();
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    let command = Args::command();
    if let Some(word) = said(ContextKind::InvalidSubcommand) {
        tips.extend(subcommands(&command, &word).map(StyledStr::from));
    }
    if let Some(option) = said(ContextKind::InvalidArg) {
        tips.extend(instead_of(&option, used(&command, raw)).map(StyledStr::from));
    }
    if !tips.is_empty() {
        // The parser's own guesses go by letters alone, and its usage shows them.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Commands of that name one level below.
fn subcommands(command: &Command, name: &str) -> impl Iterator<Item = String> {
    let holds = move |group: &&Command| group.find_subcommand(name).is_some();
    let groups = command.get_subcommands().filter(holds).map(Command::get_name);
    groups.map(move |group| format!("write `pliant {group} {name}`"))
}

/// The command that was given.
fn used<'c>(command: &'c Command, raw: &[OsString]) -> Option<&'c Command> {
    raw.iter().skip(1).find_map(|word| command.find_subcommand(word))
}

/// What to write instead of an option that `command` does not have.
fn instead_of(option: &str, command: Option<&Command>) -> Option<String> {
    let has =
        |name: &str| command.is_some_and(|c| c.get_arguments().any(|a| a.get_long() == Some(name)));
    let name = option.trim_start_matches('-').split('=').next().unwrap_or_default();
    if name == "colour" {
        return Some(
            "what pictures show is for run, demo and render; in the terminal, colours come auto, always or \
             never"
                .into(),
        );
    }
    let paths = if has("set") { paths_of(&name.replace('-', "_")) } else { Vec::new() };
    let sets: Vec<String> = paths.iter().map(|path| format!("`--set {path}=…`")).collect();
    (!sets.is_empty()).then(|| format!("keys of the scene are replaced with {}", sets.join(" or ")))
}
