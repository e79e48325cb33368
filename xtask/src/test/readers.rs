//! Files that Pliant wrote, read by programs that know nothing of it.

use std::path::{Path, PathBuf};

use super::Outcome;
use super::command::{Tool, built, fresh_folder, root};
use super::demo::pliant;
use super::tools::{NODE, PYTHON, npm, provide};

/// The versions that the checks were written for.
const VALIDATOR: &str = "gltf-validator@2.0.0-dev.3.10";
const VTK: &str = "vtk==9.7.1";

/// A scene whose results are known beforehand.
const SCENE: &str = "scenes/hanging-bar.toml";
/// A scene in which a skin is written in place of the body that carries it.
const SKIN: &str = "scenes/knot.toml";

pub fn glb() -> Outcome {
    let home = match validator() {
        Ok(home) => home,
        Err(missing) => return Outcome::Missing(missing),
    };
    let judged = || -> Result<(), String> {
        let folder = fresh_folder("glb")?;
        simulate(SCENE, &folder, "--glb")?;
        simulate(SKIN, &folder, "--glb")?;
        Tool::new(built().join("examples/glb_samples")).args([&folder]).run()?;
        let script = root().join("crates/pliant-mesh/tests/validate-glb.cjs");
        Tool::new("node").args([&script, &folder]).folder(&home).run()
    };
    outcome(judged(), VALIDATOR)
}

pub fn vtu() -> Outcome {
    let python = match vtk() {
        Ok(python) => python,
        Err(missing) => return Outcome::Missing(missing),
    };
    let judged = || -> Result<(), String> {
        let folder = fresh_folder("vtu")?;
        simulate(SCENE, &folder, "--vtu")?;
        let script = root().join("crates/pliant-session/tests/read-vtu.py");
        Tool::new(&python).args([&script, &folder]).run()
    };
    outcome(judged(), VTK)
}

fn outcome(judged: Result<(), String>, by: &str) -> Outcome {
    match judged {
        Ok(()) => Outcome::Passed(format!("read by {by}")),
        Err(problem) => Outcome::Failed(problem),
    }
}

/// Runs a scene into `folder`.
fn simulate(scene: &str, folder: &Path, output: &str) -> Result<(), String> {
    let out = folder.to_string_lossy();
    let arguments = ["run", scene, "--quiet", "--duration", "0.5", output, "--out", &out];
    Tool::new(pliant()?).args(arguments).run()
}

/// A folder from which Node finds the validator.
fn validator() -> Result<PathBuf, String> {
    provide(&NODE)?;
    let home = built().join("checks/node");
    if home.join("node_modules/gltf-validator").exists() {
        return Ok(home);
    }
    std::fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    let install = || npm().args(["install", "--no-audit", "--no-fund", VALIDATOR]).folder(&home);
    twice(|| install().run()).map_err(offline)?;
    Ok(home)
}

/// A Python that has VTK.
fn vtk() -> Result<PathBuf, String> {
    provide(&PYTHON)?;
    let home = built().join("checks/python");
    let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if Tool::new(&python).args(["-c", "import vtkmodules.vtkIOXML"]).works() {
        return Ok(python);
    }
    let home = home.to_string_lossy();
    Tool::new("python3").args(["-m", "venv", "--clear", &home]).run()?;
    // Its readers need none of the packages that its charts do.
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--prefer-binary", VTK];
    twice(|| Tool::new(&python).args(install).run()).map_err(offline)?;
    Ok(python)
}

/// Downloads fail now and then; a second try is cheap.
fn twice(action: impl Fn() -> Result<(), String>) -> Result<(), String> {
    action().or_else(|_| action())
}

fn offline(problem: String) -> String {
    format!("{problem}; it needs a network once")
}
