//! A device for the tests that need a GPU; a software one will do.

use std::path::PathBuf;

use serde_json::Value;

use super::Outcome;
use super::command::{Tool, fresh_folder};
use super::demo;
use super::tools::{Need, Source, provide};

/// A driver that gives at least a software device.
const DRIVER: Need = Need {
    name: "a GPU driver that works",
    source: Source::Packages(
        &["mesa-vulkan-drivers", "libvulkan1"],
        "the pages of the graphics card's maker",
    ),
    present: || found().is_some(),
};

pub fn run() -> Outcome {
    match super::cargo::prepare() {
        Ok(()) => device().map_or_else(Outcome::Missing, Outcome::Passed),
        Err(problem) => Outcome::Failed(problem),
    }
}

/// The device that tests will use, by what the program built last sees. On Debian a driver is
/// installed when there is none; an error says how to get one.
pub fn device() -> Result<String, String> {
    provide(&DRIVER)?;
    found().ok_or_else(|| "the device is gone again".into())
}

/// The best device that suits, if there is one.
fn found() -> Option<String> {
    let listing = with_runtime_folder(Tool::new(demo::program()).args(["gpus", "--json"])).output();
    suiting(&listing.ok()?)
}

/// The first device that suits in what `pliant gpus --json` prints, which has the best first.
fn suiting(listing: &str) -> Option<String> {
    let document: Value = serde_json::from_str(listing).ok()?;
    let device = document["devices"].as_array()?.iter().find(|d| d["suits"] == true)?;
    let text = |key: &str| device[key].as_str().unwrap_or("?").to_owned();
    Some(format!("{} ({}, {})", text("name"), text("kind"), text("api")))
}

/// Gives a program a private folder of the kind that Mesa looks for, where the session has none.
pub fn with_runtime_folder(tool: Tool) -> Tool {
    const NAME: &str = "XDG_RUNTIME_DIR";
    if !cfg!(unix) || std::env::var_os(NAME).is_some_and(|value| !value.is_empty()) {
        return tool;
    }
    match runtime_folder() {
        Ok(folder) => tool.env(NAME, &folder.to_string_lossy()),
        Err(problem) => {
            println!("{problem}");
            tool
        }
    }
}

fn runtime_folder() -> Result<PathBuf, String> {
    let folder = fresh_folder("runtime")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700))
            .map_err(|e| format!("cannot make {} private: {e}", folder.display()))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_device_that_suits_will_do() {
        let device = |name: &str, suits: bool| {
            format!(
                r#"{{"name": "{name}", "kind": "software", "api": "Vulkan", "suits": {suits}}}"#
            )
        };
        let listing = |devices: &str| format!(r#"{{"gpu_support": true, "devices": [{devices}]}}"#);
        let two = listing(&format!("{}, {}", device("old", false), device("soft", true)));
        assert_eq!(suiting(&two).unwrap(), "soft (software, Vulkan)");
        assert_eq!(suiting(&listing(&device("old", false))), None);
        assert_eq!(suiting(&listing("")), None);
        assert_eq!(suiting("no JSON"), None);
    }

    #[cfg(unix)]
    #[test]
    fn the_runtime_folder_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(runtime_folder().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
