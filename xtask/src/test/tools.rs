//! Programs that some checks need, and how to get them.

use std::path::Path;

use super::command::Tool;

/// A program that a check needs.
pub struct Need {
    /// What it is called.
    pub name: &'static str,
    /// Its packages in Debian.
    pub debian: &'static [&'static str],
    /// How to get it elsewhere.
    pub elsewhere: &'static str,
    /// Whether it is there.
    pub present: fn() -> bool,
}

/// Node and its package manager.
pub const NODE: Need = Need {
    name: "Node.js with npm",
    debian: &["nodejs", "npm"],
    elsewhere: "https://nodejs.org",
    present: || Tool::new("node").args(["--version"]).works() && npm().args(["--version"]).works(),
};

/// Python that can make virtual environments.
pub const PYTHON: Need = Need {
    name: "Python 3 with venv",
    debian: &["python3", "python3-venv"],
    elsewhere: "https://www.python.org",
    present: || Tool::new("python3").args(["-c", "import ensurepip, venv"]).works(),
};

/// Node's package manager, which is a script on Windows.
pub fn npm() -> Tool {
    Tool::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Makes sure that a program is there, on Debian as root by installing it. An error says how to get
/// it.
pub fn provide(need: &Need) -> Result<(), String> {
    if (need.present)() {
        return Ok(());
    }
    if can_install() {
        println!("{} is missing; installing {}", need.name, need.debian.join(" "));
        install(need.debian);
        if (need.present)() {
            return Ok(());
        }
    }
    Err(format!(
        "{} is missing: apt install {} on Debian, else see {}",
        need.name,
        need.debian.join(" "),
        need.elsewhere
    ))
}

/// Whether this is Debian, or one of its children, and we are root.
fn can_install() -> bool {
    Path::new("/etc/debian_version").exists()
        && Tool::new("sh").args(["-c", "test \"$(id -u)\" = 0"]).works()
}

/// Installs packages as far as possible; whether it helped is for the caller to see.
fn install(packages: &[&str]) {
    let apt = || Tool::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive");
    let wanted = || apt().args(["install", "-y", "-q", "--no-install-recommends"]).args(packages);
    // The package lists of a new machine are empty or old.
    let outcome = apt().args(["update", "-q"]).run().and_then(|()| wanted().run());
    if let Err(problem) = outcome {
        println!("{problem}");
    }
}
