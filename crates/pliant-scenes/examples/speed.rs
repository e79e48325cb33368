//! How fast each named scene runs on this machine's processor: seconds simulated per second.
//!
//! `cargo run --release -p pliant-scenes --example speed [NAME…]`

use std::time::Instant;

use pliant_session::Session;
use pliant_sim::{Backend, stability};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("scene         vertices    tets  timestep   limit   steps/s  seconds per second");
    for named in pliant_scenes::ALL {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == named.name) {
            continue;
        }
        let scene = (named.build)();
        let (timestep, plan) = (scene.world.timestep, scene.run.clone());
        let steps = plan.step_count(timestep).unwrap_or(1000);
        let mut session = Session::new(scene, Backend::cpu())?;
        let limit = stability::stable_timestep(session.simulator()).unwrap_or(f64::INFINITY);
        let start = Instant::now();
        session.advance(steps)?;
        let rate = steps as f64 / start.elapsed().as_secs_f64();
        let model = session.simulator().model();
        println!(
            "{:<12}{:>10}{:>8}{:>7.2} ms{:>5.2} ms{rate:>10.0}{:>12.2}",
            named.name,
            model.rest.len(),
            model.tets.len(),
            1e3 * timestep,
            1e3 * limit,
            rate * timestep,
        );
    }
    Ok(())
}
