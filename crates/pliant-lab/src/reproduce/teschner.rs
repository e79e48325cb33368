//! Which integrator carries furthest: the table of Teschner 2004 that Echtler quotes in section 2.4.

use pliant_mesh::shapes::{self, Split};
use pliant_sim::scene::{
    Body, Damping, Integrator, Mass, Material, Region, Source, Stiffness, Volume, World,
};
use pliant_sim::stability::stable_timestep;
use pliant_sim::{Backend, Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};
use crate::timing::median_seconds;

pub const EXPERIMENT: Experiment = Experiment {
    name: "teschner",
    about: "Largest stable timestep, cost per step and their ratio for every integrator",
    method: "A hanging block of 3,000 tetrahedra with damped springs (Teschner's scene is not \
             printed; undamped, Euler, Heun and RK2 have no stable step at all and the Verlet forms \
             share one). A timestep is stable if a disturbed block's energy never exceeds twice the \
             first one within 1,000 periods of the stiffest mode; found by bisection. The ratio is \
             simulated time per computing time.",
    run,
};

/// Largest timestep \[ms\], computing time \[ms\], ratio of the published table.
fn published(integrator: Integrator) -> Option<[f64; 3]> {
    Some(match integrator {
        Integrator::Verlet => [3.1, 7.3, 0.427],
        Integrator::LeapFrog => [3.1, 7.3, 0.426],
        Integrator::Rk2 => [4.9, 14.3, 0.342],
        Integrator::VelocityVerlet => [2.5, 7.3, 0.341],
        Integrator::Beeman => [2.5, 7.4, 0.337],
        Integrator::Heun => [4.2, 18.4, 0.229],
        Integrator::ExplicitEuler => [1.5, 7.3, 0.205],
        Integrator::Rk4 => [6.3, 33.0, 0.191],
        Integrator::SymplecticEuler | Integrator::ImplicitEuler => return None,
    })
}

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for integrator in Integrator::EXPLICIT {
        let scene = scene(integrator);
        let step = largest_stable(&scene, &effort.backend)?;
        let mut sim = disturbed(&scene, 0.5 * step, &effort.backend)?;
        let cost = median_seconds(effort.seconds, |n| sim.advance(n))?;
        let figures = published(integrator);
        let of = |k: usize| figures.map(|f| f[k]);
        let name = integrator.name();
        rows.push(Row::new(format!("{name}: largest timestep"), of(0), 1e3 * step, "ms"));
        rows.push(Row::new(format!("{name}: cost per step"), of(1), 1e3 * cost, "ms"));
        rows.push(Row::new(format!("{name}: ratio"), of(2), step / cost, ""));
    }
    Ok(rows)
}

fn scene(integrator: Integrator) -> Scene {
    let mesh = shapes::bar([10, 6, 10], [1.0, 0.6, 1.0], Split::Five);
    let material = Material {
        mass: Mass::Density(100.0),
        stiffness: Stiffness::Young(2e3),
        volume: Volume::Energy(2e3),
        damping: Damping::Time(1.2e-3),
    };
    let top = Region::HalfSpace { point: [0.0, 0.0, 1.0 - 1e-9], normal: [0.0, 0.0, 1.0] };
    let body = Body {
        name: "block".into(),
        source: Source::Inline(mesh),
        material,
        locks: vec![top],
        ..Body::default()
    };
    let world = World { integrator, gravity: [0.0; 3], bounds: None, ..World::default() };
    Scene { name: "teschner".into(), world, bodies: vec![body], ..Scene::default() }
}

/// A simulator with a small disturbance in every free vertex, so that the stiffest mode takes part.
fn disturbed(scene: &Scene, timestep: f64, backend: &Backend) -> Result<Simulator, ReproduceError> {
    let world = World { timestep, ..scene.world.clone() };
    let mut sim = Simulator::new(Scene { world, ..scene.clone() }, backend.clone())?;
    let mut state = sim.state();
    let mut seed = 7u32;
    let model = sim.model();
    for (m, &user) in model.vertex_order.iter().enumerate() {
        for c in &mut state.position[user as usize] {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if model.inv_mass[m] > 0.0 {
                *c += 1e-4 * (seed as f32 / u32::MAX as f32 - 0.5);
            }
        }
    }
    sim.set_state(&state);
    Ok(sim)
}

/// Bisection between a timestep that is stable and one that is not.
fn largest_stable(scene: &Scene, backend: &Backend) -> Result<f64, ReproduceError> {
    let calm = Simulator::new(scene.clone(), backend.clone())?;
    let guess = stable_timestep(&calm).ok_or_else(|| {
        ReproduceError::Failed(format!("{}: no stable step", scene.world.integrator))
    })?;
    let period = {
        let modes = pliant_sim::stability::stiffest_modes(calm.model(), &calm.model().rest);
        std::f64::consts::TAU / modes.iter().map(|m| m.omega).fold(1e-9, f64::max)
    };
    let (mut low, mut high) = (0.5 * guess, 2.0 * guess);
    let mut found = false;
    for _ in 0..9 {
        let middle = (low * high).sqrt();
        if is_stable(scene, middle, 1000.0 * period, backend)? {
            low = middle;
            found = true;
        } else {
            high = middle;
        }
    }
    if !found && !is_stable(scene, low, 1000.0 * period, backend)? {
        let problem = format!("{}: unstable even at {low:.2e} s", scene.world.integrator);
        return Err(ReproduceError::Failed(problem));
    }
    Ok(low)
}

fn is_stable(
    scene: &Scene,
    timestep: f64,
    duration: f64,
    backend: &Backend,
) -> Result<bool, ReproduceError> {
    let mut sim = disturbed(scene, timestep, backend)?;
    let energy = |sim: &mut Simulator| {
        let e = sim.report().energy;
        e.kinetic + e.elastic()
    };
    let first = energy(&mut sim);
    let steps = (duration / timestep).ceil() as u64;
    let stride = (steps / 20).max(1);
    for _ in 0..20 {
        if sim.advance(stride).is_err() || energy(&mut sim) > 2.0 * first {
            return Ok(false);
        }
    }
    Ok(true)
}
