//! Command-line options of the fuzzer.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub const USAGE: &str = "\
Usage: cargo xtask fuzz [options]

  --cases N       how many damaged files to read (100000)
  --first N       number of the first case (0)
  --seed S        which sequence of cases (1)
  --seconds T     stop after this time
  --threads N     1 or 2 (2)
  --format EXT    only seeds with this extension
  --replay FILE   read one saved file again and show what happens";

/// What to run.
pub struct Options {
    pub cases: u64,
    pub first: u64,
    pub seed: u64,
    pub seconds: Option<Duration>,
    pub threads: usize,
    pub format: Option<String>,
    pub replay: Option<PathBuf>,
}

impl Options {
    /// `None` when help is asked for.
    pub fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self {
            cases: 100_000,
            first: 0,
            seed: 1,
            seconds: None,
            threads: 2,
            format: None,
            replay: None,
        };
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            if flag == "--help" || flag == "-h" {
                return Ok(None);
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--cases" => options.cases = number(flag, value)?,
                "--first" => options.first = number(flag, value)?,
                "--seed" => options.seed = number(flag, value)?,
                "--seconds" => options.seconds = Some(Duration::from_secs(number(flag, value)?)),
                "--threads" => options.threads = number::<usize>(flag, value)?.clamp(1, 2),
                "--format" => options.format = Some(value.trim_start_matches('.').into()),
                "--replay" => options.replay = Some(value.into()),
                _ => return Err(format!("unknown option {flag:?}")),
            }
        }
        Ok(Some(options))
    }
}

fn number<T: FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{flag} needs a number, not {value:?}"))
}
