//! What the page calls.

use pliant_studio::Source;
use serde_json::Value;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::HtmlCanvasElement;

use crate::{tab, trouble};

/// Starts the studio on a canvas. Options are JSON: `webgpu`, whether to use WebGPU where there is some;
/// `demo`, the name of the scene to begin with.
#[wasm_bindgen]
pub async fn start(canvas: HtmlCanvasElement, options: String) -> Result<(), JsValue> {
    trouble::watch();
    let options: Value = serde_json::from_str(&options)
        .map_err(|e| JsValue::from(format!("the options are no JSON: {e}")))?;
    let source = demo(options["demo"].as_str().unwrap_or(FIRST))?;
    tab::start(canvas, source, options["webgpu"].as_bool().unwrap_or(true)).await
}

/// What is shown if nothing else is wanted.
const FIRST: &str = "jelly";

/// Opens a built-in scene.
#[wasm_bindgen]
pub fn open_demo(name: &str) -> Result<(), JsValue> {
    let source = demo(name)?;
    tab::with_studio(|studio, ctx| studio.open(source, ctx)).ok_or_else(not_started)
}

/// What goes on, as JSON.
#[wasm_bindgen]
pub fn telemetry() -> String {
    tab::with_studio(|studio, _| studio.telemetry().to_string()).unwrap_or_else(|| "null".into())
}

fn demo(name: &str) -> Result<Source, JsValue> {
    let found = pliant_scenes::ALL.iter().find(|demo| demo.name == name);
    found.map(Source::Demo).ok_or_else(|| {
        let names: Vec<&str> = pliant_scenes::ALL.iter().map(|demo| demo.name).collect();
        format!("there is no demo {name:?}; there are {}", names.join(", ")).into()
    })
}

fn not_started() -> JsValue {
    "the studio has not started yet".into()
}
