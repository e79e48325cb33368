//! What the page calls.

use std::path::PathBuf;

use js_sys::Uint8Array;
use pliant_session::link;
use pliant_studio::{Notice, Source, Studio};
use serde_json::{Value, json};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::{HtmlCanvasElement, window};

use crate::device::Known;
use crate::{tab, trouble};

/// What is shown if nothing else is wanted.
const FIRST: &str = "jelly";

/// Starts the studio on a canvas. Options are JSON: `webgpu`, what is known of the browser's device (`name`,
/// `software`), or null for the CPU; `notice`, what is said at first about how things run here (`text`,
/// and perhaps `link`, the text of a link and its address); `demo`, the name of the scene to begin with;
/// `link`, a link that carries one.
#[wasm_bindgen]
pub async fn start(canvas: HtmlCanvasElement, options: String) -> Result<(), JsValue> {
    trouble::watch();
    let options: Value = serde_json::from_str(&options)
        .map_err(|e| JsValue::from(format!("the options are no JSON: {e}")))?;
    let first = demo(options["demo"].as_str().unwrap_or(FIRST))?;
    tab::start(canvas, first, wish(&options)).await?;
    match options["link"].as_str() {
        // A link that is broken is told in the studio, over what else there is.
        Some(link) => open_link(link),
        None => Ok(()),
    }
}

/// What the page says of the device, and what it lets the studio say.
fn wish(options: &Value) -> tab::Wish {
    let text = |of: &Value| of.as_str().map(str::to_owned);
    let device = options["webgpu"].as_object().map(|known| Known {
        name: known.get("name").and_then(text).unwrap_or_default(),
        is_software: known.get("software").and_then(Value::as_bool).unwrap_or(false),
    });
    let notice = &options["notice"];
    let link = text(&notice["link"][0]).zip(text(&notice["link"][1]));
    let link = link.map(|(says, address)| [says, address]);
    tab::Wish { device, notice: text(&notice["text"]).map(|text| Notice { text, link }) }
}

/// Opens a built-in scene.
#[wasm_bindgen]
pub fn open_demo(name: &str) -> Result<(), JsValue> {
    let source = demo(name)?;
    tab::with_studio(|studio, ctx| studio.open(source, ctx)).ok_or_else(not_started)
}

/// Opens the scene that a link carries; what is wrong with it is told in the studio.
#[wasm_bindgen]
pub fn open_link(link: &str) -> Result<(), JsValue> {
    tab::with_studio(|studio, ctx| studio.open_link(link, ctx)).ok_or_else(not_started)
}

/// Opens files that belong together: a scene and its meshes, or the halves of a mesh.
#[wasm_bindgen]
pub fn open_files(names: Vec<String>, contents: Vec<Uint8Array>) -> Result<(), JsValue> {
    let contents = contents.iter().map(Uint8Array::to_vec);
    let files = names.into_iter().map(PathBuf::from).zip(contents).collect();
    tab::with_studio(|studio, ctx| studio.open_files(files, ctx)).ok_or_else(not_started)
}

/// Stops the clock, if it runs, while the page shows something else.
#[wasm_bindgen]
pub fn pause() {
    tab::with_studio(|studio, ctx| studio.pause(ctx));
}

/// What goes on, as JSON.
#[wasm_bindgen]
pub fn telemetry() -> String {
    let told = tab::with_studio(|studio, _| {
        let mut told = studio.telemetry();
        let is_webgpu = studio.gpu().is_some();
        told["webgpu"] = json!(is_webgpu);
        told["renderer"] = json!(if is_webgpu { "webgpu" } else { "webgl" });
        told
    });
    told.unwrap_or(Value::Null).to_string()
}

/// What is seen, in words.
#[wasm_bindgen]
pub fn describe() -> String {
    let text = tab::with_studio(|studio, _| studio.describe());
    text.unwrap_or_else(|| "The studio is starting.".into())
}

/// The link to the present scene with its parameters, seen as it is seen now.
#[wasm_bindgen]
pub fn share() -> Result<String, JsValue> {
    let code = tab::with_studio(|studio, _| studio.share()).ok_or_else(not_started)?;
    let code = code.map_err(|e| JsValue::from(e.to_string()))?;
    let page = window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    Ok(link::address(&page, &code))
}

/// Loses the device of WebGPU, as drivers do now and then; for tests. Returns whether there was one.
#[wasm_bindgen]
pub fn lose_device() -> bool {
    let lose = |studio: &mut Studio| studio.gpu().map(|gpu| gpu.device().destroy()).is_some();
    tab::with_studio(|studio, _| lose(studio)).unwrap_or(false)
}

/// The most memory of WebGPU's that simulations may take from now on \[bytes\]; 0 leaves it to the browser.
/// Scenes that do not fit run on the CPU.
#[wasm_bindgen]
pub fn limit_memory(bytes: f64) {
    let budget = (bytes > 0.0).then_some(bytes as u64);
    let limit = |studio: &mut Studio| studio.gpu().map(|gpu| gpu.set_memory_budget(budget));
    tab::with_studio(|studio, _| limit(studio));
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
