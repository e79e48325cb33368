//! Simulations without a picture, for scripts in a page and for tests.

use std::fmt::Display;

use pliant_gpu::{AdapterChoice, Gpu};
use pliant_sim::{Backend, Scene, Simulator};
use serde_json::json;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_time::Instant;

/// Runs a scene, given as the text of a scene file, and gives as JSON what has become of it: `hash` of
/// the state (hexadecimal digits), `positions` in the user's order \[m\], `step`, `time` \[s\],
/// `energy` \[J\], `backend` in words, and the real time that the steps took, `seconds`.
#[wasm_bindgen]
pub async fn simulate(scene: String, steps: u32, webgpu: bool) -> Result<String, JsValue> {
    let scene = Scene::from_toml(&scene, "scene").map_err(told)?;
    let backend = match webgpu {
        true => Backend::Device(Gpu::open(&AdapterChoice::any()).await.map_err(told)?),
        false => Backend::Cpu { threads: 1 },
    };
    let mut sim = Simulator::new(scene, backend).map_err(told)?;
    let start = Instant::now();
    sim.advance_async(u64::from(steps)).await.map_err(told)?;
    let report = sim.report_async().await;
    let seconds = start.elapsed().as_secs_f64();
    sim.mirror_async().await;
    let outcome = json!({
        "hash": format!("{:016x}", sim.hash()),
        "positions": sim.positions(),
        "step": report.step,
        "time": report.time,
        "energy": report.energy.total(),
        "backend": sim.backend_name(),
        "seconds": seconds,
        "messages": sim.take_messages(),
    });
    Ok(outcome.to_string())
}

fn told(error: impl Display) -> JsValue {
    error.to_string().into()
}
