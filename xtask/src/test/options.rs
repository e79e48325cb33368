//! Command-line options of the tests.

use super::CHECKS;

/// What to check.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    only: Vec<String>,
}

/// Help, with every check.
pub fn usage() -> String {
    let lines: Vec<String> =
        CHECKS.iter().map(|c| format!("  {:<10}{}", c.name, c.title)).collect();
    format!(
        "Usage: cargo xtask test [--only CHECK[,CHECK…]]\n\nChecks:\n{}\n\n\
         On Debian, as root or with a sudo that asks for no password, programs that checks need are \
         installed\nwith apt-get, a GPU driver in software and a display without a screen included. \
         Elsewhere a check\nwhose program is missing is ignored and says how to get it; with CI=true it \
         fails.",
        lines.join("\n")
    )
}

impl Options {
    /// `None` when help is asked for.
    pub fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut only = Vec::new();
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            match flag.as_str() {
                "--help" | "-h" => return Ok(None),
                "--only" => {
                    let names = rest.next().ok_or("--only needs the name of a check")?;
                    only.extend(names.split(',').map(str::to_owned));
                }
                _ => return Err(format!("unknown option {flag:?}")),
            }
        }
        match only.iter().find(|name| CHECKS.iter().all(|check| check.name != **name)) {
            Some(unknown) => Err(format!("there is no check {unknown:?}")),
            None => Ok(Some(Self { only })),
        }
    }

    /// Whether a check is to be made.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(&arguments.iter().map(|&a| a.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_options_every_check_is_made() {
        let options = parse(&[]).unwrap().unwrap();
        assert!(CHECKS.iter().all(|check| options.wants(check.name)));
    }

    #[test]
    fn only_takes_several_names() {
        let options = parse(&["--only", "fmt,doc", "--only", "glb"]).unwrap().unwrap();
        let wanted: Vec<&str> =
            CHECKS.iter().map(|check| check.name).filter(|name| options.wants(name)).collect();
        assert_eq!(wanted, ["fmt", "doc", "glb"]);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for bad in [&["--only", "everything"][..], &["--only"], &["fmt"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
