//! The web page in a real browser.

use std::path::{Path, PathBuf};

use super::Outcome;
use super::command::{Tool, built, fresh_folder, root};
use super::tools::{NODE, Need, Source, npm, provide};
use super::{cargo, demo, gpu};

/// A browser that emulates WebGPU without a graphics card.
const CHROMIUM: Need = Need {
    name: "Chromium",
    source: Source::Packages(&["chromium"], "https://www.chromium.org"),
    present: || chromium().is_some(),
};

/// Names that it goes by.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The page is built first: that it compiles for WebAssembly is worth knowing without a browser, too.
pub fn run() -> Outcome {
    let home = match build() {
        Ok(home) => home,
        Err(problem) => return Outcome::Failed(problem),
    };
    let tools = || -> Result<(PathBuf, PathBuf), String> {
        provide(&CHROMIUM)?;
        Ok((driver()?, chromium().ok_or("Chromium is gone again")?))
    };
    match tools() {
        Ok((driver, browser)) => match judge(&home, &driver, &browser) {
            Ok(seen) => Outcome::Passed(seen),
            Err(problem) => Outcome::Failed(problem),
        },
        Err(missing) => Outcome::Missing(missing),
    }
}

/// The browser's program: what `PLIANT_CHROMIUM` says, else the first that there is.
fn chromium() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("PLIANT_CHROMIUM") {
        return Some(program.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|program| program.is_file())
}

/// A folder from which Node finds what drives the browser, in the version of the lock file.
fn driver() -> Result<PathBuf, String> {
    provide(&NODE)?;
    let home = built().join("checks/web-driver");
    std::fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    let (mut same, lock) =
        (home.join("node_modules/playwright-core").exists(), "package-lock.json");
    for name in ["package.json", lock] {
        let (from, to) = (root().join("apps/web/tests").join(name), home.join(name));
        let wanted = std::fs::read(&from).map_err(|e| format!("{}: {e}", from.display()))?;
        same &= std::fs::read(&to).is_ok_and(|bytes| bytes == wanted);
        std::fs::write(&to, wanted).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    let install = || npm().args(["ci", "--no-audit", "--no-fund"]).folder(&home).run();
    if !same {
        install().or_else(|_| install()).map_err(|e| format!("{e}; it needs a network once"))?;
    }
    Ok(home)
}

/// Builds the page, and gives the folder to serve.
fn build() -> Result<PathBuf, String> {
    cargo::build()?;
    let home = fresh_folder("web")?;
    // A folder below the server's top one, as many hosts have it.
    let page = home.join("some/folder");
    Tool::new(builder()).args(["--out".as_ref(), page.as_os_str()]).run()?;
    Ok(home)
}

/// The program that builds and serves the page.
fn builder() -> PathBuf {
    built().join("xtask-web").with_extension(std::env::consts::EXE_EXTENSION)
}

/// Looks at the page.
fn judge(home: &Path, driver: &Path, browser: &Path) -> Result<String, String> {
    // What the browser computes is compared with it.
    gpu::device()?;
    let shots = fresh_folder("web-shots")?;
    let reference = built().join("examples/web_reference");
    let reference = reference.with_extension(std::env::consts::EXE_EXTENSION);
    let tests = root().join("apps/web/tests");
    let mut node =
        Tool::new("node").args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    for name in ["page", "studio", "cpu", "phone"] {
        node = node.args([tests.join(format!("{name}.test.mjs"))]);
    }
    for (variable, value) in [
        ("PLIANT_SERVER", builder()),
        ("PLIANT_SITE", home.to_owned()),
        ("PLIANT_SHOTS", shots.clone()),
        ("PLIANT_NODE", driver.to_owned()),
        ("PLIANT_CHROMIUM", browser.to_owned()),
        ("PLIANT_PROGRAM", demo::program()),
        ("PLIANT_REFERENCE", reference),
        ("PLIANT_DATA", data()),
    ] {
        node = node.env(variable, &value.to_string_lossy());
    }
    gpu::with_runtime_folder(node).run()?;
    Ok(format!("in {}; what it looked like is in {}", browser.display(), shots.display()))
}

/// The folder of meshes, where there is one.
fn data() -> PathBuf {
    let elsewhere = std::env::var_os("PLIANT_DATA").map(PathBuf::from);
    elsewhere.unwrap_or_else(|| root().join("../shared/data"))
}
