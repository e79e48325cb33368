//! What the page must compute as well: demos on this machine's GPU, for the tests in a browser.
//!
//! `web_reference STEPS NAME…` prints a JSON document with the scene file of each demo, and where its
//! vertices are after so many steps.

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use pliant::gpu::{AdapterChoice, Gpu};
    use pliant::scenes;
    use pliant::{Backend, Simulator};
    use serde_json::{Map, Value, json};

    let mut arguments = std::env::args().skip(1);
    let steps: u64 = arguments.next().ok_or("how many steps?")?.parse()?;
    let gpu = Gpu::open_blocking(&AdapterChoice::any())?;
    let mut demos = Map::<String, Value>::new();
    for name in arguments {
        let demo = scenes::find(&name).ok_or_else(|| format!("no demo {name}"))?;
        let scene = (demo.build)();
        let toml = scene.to_toml()?;
        let mut simulator = Simulator::new(scene, Backend::Device(gpu.clone()))?;
        simulator.advance(steps)?;
        let report = simulator.report();
        let sizes = simulator.model().bodies.iter().map(|body| body.size);
        let outcome = json!({
            "scene": toml,
            "positions": simulator.positions(),
            "size": sizes.fold(f64::INFINITY, f64::min),
            "energy": report.energy.total(),
            "backend": simulator.backend_name(),
        });
        demos.insert(name, outcome);
    }
    println!("{}", Value::Object(demos));
    Ok(())
}
