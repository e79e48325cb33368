//! The JavaScript between the page and the module.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::{paths, shaders};

/// Makes a folder with the module as browsers take it and the script that loads it.
pub fn make(module: &Path) -> Result<PathBuf, String> {
    let folder = paths::work().join("bindings");
    paths::fresh(&folder)?;
    let made = Bindgen::new().input_path(module).web(true).and_then(|bindgen| {
        bindgen
            .typescript(false)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&folder)
    });
    match made {
        Ok(()) => shaders::strip(&folder.join("pliant_web_bg.wasm")).map(|()| folder),
        Err(problem) => Err(format!(
            "{problem:#}\nwasm-bindgen and wasm-bindgen-cli-support must have the same version in \
             Cargo.toml and Cargo.lock: see what `cargo tree --target all -i wasm-bindgen-shared` \
             says, which must be one version."
        )),
    }
}
