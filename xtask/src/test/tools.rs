//! Programs that some checks need, and how to get them.

use std::path::Path;

use super::command::Tool;

/// A program that a check needs.
pub struct Need {
    /// What it is called.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// Whether it is there.
    pub present: fn() -> bool,
}

/// Where a program comes from.
pub enum Source {
    /// A component of the Rust toolchain.
    Rustup(&'static str),
    /// Packages of Debian, and the place for everyone else.
    Packages(&'static [&'static str], &'static str),
}

/// Node and its package manager.
pub const NODE: Need = Need {
    name: "Node.js with npm",
    source: Source::Packages(&["nodejs", "npm"], "https://nodejs.org"),
    present: || Tool::new("node").args(["--version"]).works() && npm().args(["--version"]).works(),
};

/// Python that can make virtual environments.
pub const PYTHON: Need = Need {
    name: "Python 3 with venv",
    source: Source::Packages(&["python3", "python3-venv"], "https://www.python.org"),
    present: || Tool::new("python3").args(["-c", "import ensurepip, venv"]).works(),
};

/// A player that knows nothing of Pliant, to read films frame by frame.
pub const FFMPEG: Need = Need {
    name: "ffmpeg",
    source: Source::Packages(&["ffmpeg"], "https://ffmpeg.org"),
    present: || Tool::new("ffmpeg").args(["-version"]).works(),
};

/// Node's package manager, which is a script on Windows.
pub fn npm() -> Tool {
    Tool::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Makes sure that a program is there, on Debian by installing it if we may. An error says how to get
/// it.
pub fn provide(need: &Need) -> Result<(), String> {
    if (need.present)() {
        return Ok(());
    }
    if can_install() {
        println!("{} is missing and will be installed", need.name);
        if let Err(problem) = install(&need.source) {
            println!("{problem}");
        }
        if (need.present)() {
            return Ok(());
        }
    }
    let advice = match need.source {
        Source::Rustup(component) => format!("rustup component add {component}"),
        Source::Packages(packages, elsewhere) => {
            format!("apt install {} on Debian, else see {elsewhere}", packages.join(" "))
        }
    };
    Err(format!("{} is missing: {advice}", need.name))
}

/// Whether this is Debian, or one of its children, and we may install packages.
fn can_install() -> bool {
    Path::new("/etc/debian_version").exists() && (is_root() || can_sudo())
}

fn is_root() -> bool {
    Tool::new("sh").args(["-c", "test \"$(id -u)\" = 0"]).works()
}

/// Whether sudo works without a password.
fn can_sudo() -> bool {
    Tool::new("sudo").args(["-n", "true"]).works()
}

fn install(source: &Source) -> Result<(), String> {
    match source {
        Source::Rustup(component) => {
            Tool::new("rustup").args(["component", "add", component]).run()
        }
        Source::Packages(packages, _) => {
            let wanted = ["install", "-y", "-q", "--no-install-recommends"];
            let install = || apt().args(wanted).args(*packages).run();
            // The package lists of a new machine are empty or old.
            install().or_else(|_| apt().args(["update", "-q"]).run().and_then(|()| install()))
        }
    }
}

/// The package manager, as root and without questions.
fn apt() -> Tool {
    // sudo drops variables, so they are set behind it.
    let quietly = ["DEBIAN_FRONTEND=noninteractive", "apt-get"];
    match is_root() {
        true => Tool::new("env").args(quietly),
        false => Tool::new("sudo").args(["-n", "env"]).args(quietly),
    }
}
