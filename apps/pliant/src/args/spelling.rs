//! Options that are written in two ways.

use std::ffi::OsString;

use clap::ValueEnum;

use super::Color;

/// The option for colours in the terminal.
pub const TERMINAL_COLOUR: &str = "--terminal-colour";
/// The option for what the colours of pictures show.
const COLOUR: &str = "--colour";
/// Both of them to those who spell it so, and to most other programs the first.
const COLOR: &str = "--color";

/// Writes `--color` and `--colour` as the option that is meant: `auto`, `always` and `never` are about the
/// terminal, all else is what pictures show.
pub fn unify(raw: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = raw.into_iter().collect();
    let options = words.iter().position(|w| w == "--").unwrap_or(words.len());
    for at in 1..options {
        let Some(word) = words[at].to_str() else { continue };
        let (name, joined) = word.split_once('=').map_or((word, None), |(n, v)| (n, Some(v)));
        if name != COLOR && name != COLOUR {
            continue;
        }
        let value = joined.or_else(|| words.get(at + 1)?.to_str());
        let meant = match value {
            Some(value) if Color::from_str(value, false).is_ok() => TERMINAL_COLOUR,
            _ => COLOUR,
        };
        words[at] = joined.map_or(meant.into(), |value| format!("{meant}={value}").into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_tells_which_option_is_meant() {
        let unified = |line: &str| {
            let words = unify(line.split(' ').map(OsString::from));
            words.iter().map(|w| w.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for spelling in ["--color", "--colour"] {
            assert_eq!(unified(&format!("p run {spelling} stress")), "p run --colour stress");
            assert_eq!(unified(&format!("p run {spelling}=field:a=b")), "p run --colour=field:a=b");
            assert_eq!(unified(&format!("p {spelling}=never")), "p --terminal-colour=never");
            assert_eq!(unified(&format!("p run {spelling}")), "p run --colour");
            let both = format!("p {spelling} always run {spelling} body -- {spelling} auto");
            let meant = format!("p --terminal-colour always run --colour body -- {spelling} auto");
            assert_eq!(unified(&both), meant);
        }
    }
}
