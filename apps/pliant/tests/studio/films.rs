//! Another demo from the menu, a film of it, and a clean end.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::window::{Window, number};

/// Lines that Mesa's software driver writes to standard error on its own account.
const OF_MESA: [&str; 3] = ["lavapipe", "llvmpipe", "MESA"];

#[test]
fn demos_open_films_are_whole_and_the_end_is_clean() {
    let Some(mut window) = Window::open("jelly", &[]) else { return };
    window.click("menu demos");
    window.area("demo cloth");
    window.display.photograph("demos");
    window.click("demo cloth");
    window.until("the cloth is open", |s| s["scene"] == "cloth" && s["opening"].is_null());
    window.click("record");
    window.until("some frames are taken", |s| number(&s["film_frames"]) >= 4.0);
    window.display.photograph("recording");
    window.key("ctrl+r");
    window.until("the film is complete", |s| s["recording"] == false && s["film_busy"] == false);
    let frames = window.wait_for_frame()["film_frames"].clone();
    let film = probe(&window.saved("cloth.mp4"));
    assert_eq!((&film["width"], &film["height"]), (&Value::from(1280), &Value::from(720)));
    assert_eq!(film["nb_read_frames"].as_str(), Some(frames.to_string().as_str()), "{film}");
    assert_eq!(film["avg_frame_rate"], "30/1");
    let messages = window.state()["messages"].as_array().unwrap();
    assert!(messages.iter().all(|m| m["grade"] != "error"), "{messages:?}");
    window.click("menu file");
    window.click("entry Quit");
    let (status, errors) = window.end();
    assert!(status.success(), "{status}: {errors}");
    let ours = errors.lines().filter(|l| !OF_MESA.iter().any(|m| l.contains(m)));
    assert_eq!(ours.collect::<Vec<_>>(), [""; 0]);
}

/// What ffprobe finds in a film, all of whose frames it decodes.
#[track_caller]
fn probe(path: &Path) -> Value {
    let entries = "stream=width,height,avg_frame_rate,nb_read_frames";
    let done = Command::new("ffprobe")
        .args(["-v", "error", "-count_frames", "-select_streams", "v:0"])
        .args(["-show_entries", entries, "-of", "json"])
        .arg(path)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && errors.is_empty(), "{}: {errors}", path.display());
    let found: Value = serde_json::from_slice(&done.stdout).unwrap();
    found["streams"][0].clone()
}
