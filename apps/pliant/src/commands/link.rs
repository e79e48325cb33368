//! `pliant link`: scenes as links, and back.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pliant::scene::Scene;
use pliant::scenes;
use pliant::session::link;
use serde_json::json;

use crate::args::LinkArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Prints a link, or the scene in one.
pub fn run(args: LinkArgs, console: &Console) -> Result<ExitCode, Failure> {
    match (&args.decode, &args.input) {
        (Some(link), _) => unpack(link, args.out.as_deref(), console)?,
        (None, Some(input)) => print(input, args.site.as_deref(), console)?,
        (None, None) => return Err(Failure::misuse("there is neither a scene nor a link")),
    }
    Ok(ExitCode::SUCCESS)
}

/// The link that somebody gave in place of a file.
pub fn link_in(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| link::is_link(text) && !path.exists())
}

fn print(input: &Path, site: Option<&str>, console: &Console) -> Result<(), Failure> {
    let code = link::encode(&scene_of(input)?, None)?;
    let link = link::address(site.unwrap_or_default(), &code);
    if console.json {
        console.document(&json!({"link": link, "characters": link.len()}));
    } else {
        console.say(&link);
    }
    if site.is_none() {
        console
            .note("this goes behind the address of the web page; --site URL gives the whole link");
    }
    Ok(())
}

fn scene_of(input: &Path) -> Result<Scene, Failure> {
    match input.to_str().and_then(scenes::find) {
        Some(demo) if !input.exists() => Ok((demo.build)()),
        _ => {
            let mut scene = Scene::load(input)?;
            if scene.name.trim().is_empty() {
                let stem = input.file_stem().unwrap_or_default();
                scene.name = stem.to_string_lossy().into_owned();
            }
            Ok(scene)
        }
    }
}

fn unpack(link: &str, out: Option<&Path>, console: &Console) -> Result<(), Failure> {
    let text = link::decode(link)?.scene.to_short_toml()?;
    match out {
        Some(path) => {
            write_new(path, &text)?;
            console.note(format!("{} holds the scene", path.display()));
            if console.json {
                console.document(&json!({"file": path.display().to_string()}));
            }
        }
        None if console.json => console.document(&json!({ "scene": text })),
        None => console.raw(&text),
    }
    Ok(())
}

/// Writes a file that must not be there yet: what comes by link replaces nothing.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        Failure::new(format!("{} cannot be written: {error}", path.display()))
            .help("choose another name: --out FILE.toml")
            .file(path)
    })
}
