//! Command-line options.

use std::path::PathBuf;

/// Help.
pub const USAGE: &str = "\
Usage: cargo xtask web [options]

Builds Pliant's web page into target/web/site, which any static server can serve.

Options:
  --serve [PORT]   then serve it on 127.0.0.1; without PORT at 8080 or the next free one
  --out FOLDER     build it elsewhere
  --no-build       take what was built before
  --debian         compile with Debian's compiler even where Rust's own can
  --pictures       draw the pictures of the demos in apps/web/static/demos anew, nothing else";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether to serve the page, and where.
    pub serve: Option<Port>,
    /// Where to put it, if not in the usual place.
    pub out: Option<PathBuf>,
    /// Whether to build it.
    pub build: bool,
    /// Whether Debian's compiler must be taken.
    pub debian: bool,
    /// Whether to draw the demos instead.
    pub pictures: bool,
}

/// Where to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Wherever nobody else does.
    Free,
    /// Here or not at all; 0 takes any.
    Number(u16),
}

impl Options {
    /// `None` when help is asked for.
    pub fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options =
            Self { serve: None, out: None, build: true, debian: false, pictures: false };
        let mut rest = arguments.iter().peekable();
        while let Some(flag) = rest.next() {
            match flag.as_str() {
                "--help" | "-h" => return Ok(None),
                "--serve" => {
                    let number = rest.next_if(|next| !next.starts_with('-'));
                    options.serve = Some(number.map_or(Ok(Port::Free), |text| port(text))?);
                }
                "--out" => options.out = Some(rest.next().ok_or("--out needs a folder")?.into()),
                "--no-build" => options.build = false,
                "--debian" => options.debian = true,
                "--pictures" => options.pictures = true,
                _ => return Err(format!("unknown option {flag:?}")),
            }
        }
        match options.build || options.serve.is_some() {
            true => Ok(Some(options)),
            false => Err("--no-build leaves nothing to do without --serve".into()),
        }
    }
}

fn port(text: &str) -> Result<Port, String> {
    match text.parse() {
        Ok(number) => Ok(Port::Number(number)),
        Err(_) => Err(format!("{text:?} is no port: it is a number from 0 to 65535")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(&arguments.iter().map(|&a| a.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_port_may_be_left_out() {
        let serve = |arguments| parse(arguments).unwrap().unwrap().serve;
        assert_eq!(serve(&["--serve"]), Some(Port::Free));
        assert_eq!(serve(&["--serve", "--out", "x"]), Some(Port::Free));
        assert_eq!(serve(&["--serve", "81", "--no-build"]), Some(Port::Number(81)));
        assert_eq!(serve(&[]), None);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in [&["--out"][..], &["--serve", "99999"], &["--no-build"], &["build"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
