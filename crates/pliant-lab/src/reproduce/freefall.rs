//! Free fall: Echtler 2004, *Efficient Realization of Mass-Spring Systems on Graphics Hardware*,
//! section 6.2.1, both tables.

use pliant_mesh::shapes;
use pliant_sim::scene::{Body, Integrator, Source, World};
use pliant_sim::{Backend, Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};

pub const EXPERIMENT: Experiment = Experiment {
    name: "s1-freefall",
    about: "Time of a free fall against √(2h/g), where 24-bit floats went up to 48 % wrong",
    method: "A block of Echtler's material (2004) falls with Verlet, damping 0 and no floor; the crossing \
             is interpolated inside the step. Deviations are from the exact time. At 1 ms \
             Echtler's body hovers.",
    run,
};

/// Height \[m\], gravity \[m/s²\], timestep \[ms\], published fall time \[s\].
const TABLE: [(f64, f64, f64, Option<f64>); 21] = [
    (5.0, 9.81, 2.0, None),
    (5.0, 9.81, 3.0, Some(1.37)),
    (5.0, 9.81, 4.0, Some(1.16)),
    (10.0, 9.81, 2.0, Some(2.12)),
    (10.0, 9.81, 3.0, Some(1.59)),
    (10.0, 9.81, 4.0, Some(1.52)),
    (15.0, 9.81, 2.0, Some(1.90)),
    (15.0, 9.81, 3.0, Some(1.81)),
    (15.0, 9.81, 4.0, Some(1.78)),
    (20.0, 9.81, 2.0, Some(2.14)),
    (20.0, 9.81, 3.0, Some(2.04)),
    (20.0, 9.81, 4.0, Some(2.04)),
    (15.0, 5.0, 4.0, Some(2.54)),
    (15.0, 9.81, 4.0, Some(1.78)),
    (15.0, 10.0, 4.0, Some(1.76)),
    (15.0, 15.0, 4.0, Some(1.43)),
    (15.0, 20.0, 4.0, Some(1.23)),
    (5.0, 9.81, 1.0, None),
    (10.0, 9.81, 1.0, None),
    (15.0, 9.81, 1.0, None),
    (20.0, 9.81, 1.0, None),
];

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    TABLE
        .iter()
        .map(|&(height, gravity, milliseconds, published)| {
            let ours = fall_time(height, gravity, milliseconds * 1e-3, &effort.backend)?;
            let name = format!("{height} m, g = {gravity} m/s², {milliseconds} ms");
            let note = match (published, milliseconds) {
                (None, 1.0) => "hovers as published",
                (None, _) => "not published",
                _ => "",
            };
            let exact = (2.0 * height / gravity).sqrt();
            Ok(Row::new(name, published, ours, "s").exact(exact).note(note))
        })
        .collect()
}

/// Time until the lowest vertex has fallen by `height`.
fn fall_time(
    height: f64,
    gravity: f64,
    timestep: f64,
    backend: &Backend,
) -> Result<f64, ReproduceError> {
    let block = shapes::bar([2, 2, 2], [1.0; 3], shapes::Split::Five);
    let body = Body {
        name: "block".into(),
        source: Source::Inline(block),
        translate: [-0.5, -0.5, height],
        ..Body::default()
    };
    let world = World {
        gravity: [0.0, 0.0, -gravity],
        damping: 0.0,
        timestep,
        integrator: Integrator::Verlet,
        bounds: None,
        ..World::default()
    };
    let scene = Scene { name: "free fall".into(), world, bodies: vec![body], ..Scene::default() };
    let mut sim = Simulator::new(scene, backend.clone())?;
    let lowest =
        |sim: &Simulator| sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    let mut before = lowest(&sim);
    let most = (10.0 * (2.0 * height / gravity).sqrt() / timestep) as u64;
    for step in 0..most {
        sim.advance(1)?;
        let after = lowest(&sim);
        if after <= 0.0 {
            return Ok((step as f64 + before / (before - after)) * timestep);
        }
        before = after;
    }
    Err(ReproduceError::Failed(format!("the body never fell {height} m")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_within_a_thousandth() {
        for row in run(&Effort::on_cpu(1, 0.0)).unwrap() {
            let deviation = row.deviation_percent.unwrap();
            assert!(deviation.abs() < 0.1, "{}: {deviation} %", row.name);
        }
    }
}
