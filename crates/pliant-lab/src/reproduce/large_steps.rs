//! Explicit against implicit integration: Tejada & Ertl 2005, *Large steps in GPU-based deformable bodies
//! simulation*, table 1 and the remark on stability below it.

use pliant_mesh::shapes::{self, Split};
use pliant_sim::model::{Model, compile};
use pliant_sim::scene::{
    Body, Damping, Integrator, Mass, Material, Region, Source, Stiffness, Volume, World,
};
use pliant_sim::{Backend, Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};
use crate::timing::median_seconds;

pub const INTEGRATORS: Experiment = Experiment {
    name: "s4-integrators",
    about: "Steps per second of three explicit schemes and implicit Euler at the seven sizes of Tejada & Ertl 2005",
    method: "Bars of nearly the same numbers of tetrahedra, one end held, one spring of 3,000 N/m on \
             every edge and no volume force, as published; 15 g per vertex, which gives explicit \
             schemes about the published limit of 1 ms, and damping without which explicit Euler has \
             none. Explicit steps are 0.1 ms long, implicit ones 10 ms, solved to 10⁻⁴. Simulation \
             without drawing. The published figures are from a GeForce 7800, and from a CPU of 2005 where the row says so; its implicit solver on the CPU \
             gave up above 80 tetrahedra.",
    run: integrators,
};

pub const STABILITY: Experiment = Experiment {
    name: "s4-stability",
    about: "Largest timestep at stiffnesses of 3,000 and 30,000 N/m, explicit and implicit",
    method: "Tejada & Ertl's bar of 80 tetrahedra, springs only, 15 g per vertex, damped along the \
             springs by 1.5 N·s/m, without which explicit Euler has no limit at all. Stretched \
             by a tenth and let go. A timestep counts as stable when the energy never exceeds twice that \
             of the start within 2,000 steps. Explicit limits by bisection; the implicit one is doubled \
             from 1 ms on until it fails or reaches 1 s.",
    run: stability,
};

/// Name, tetrahedra, steps per second on the published GPU by explicit Euler, Verlet, velocity Verlet
/// and implicit Euler, then by explicit Euler on its CPU; and the cells of a bar of about that size.
type Size = (&'static str, usize, [f64; 5], [u32; 3]);

const TABLE: [Size; 7] = [
    ("Bar", 80, [3880.0, 3408.0, 3454.0, 282.0, 5824.0], [4, 2, 2]),
    ("Dolphin", 13_766, [1039.0, 764.0, 764.0, 113.0, 102.0], [34, 9, 9]),
    ("Panda", 17_312, [945.0, 612.0, 614.0, 100.0, 80.0], [43, 9, 9]),
    ("Elephant", 24_106, [900.0, 539.0, 541.0, 48.0, 58.0], [48, 10, 10]),
    ("Knee - small", 35_118, [445.0, 302.0, 302.0, 56.0, 44.0], [58, 11, 11]),
    ("Knee", 112_299, [169.0, 119.0, 119.0, 22.0, 14.0], [88, 16, 16]),
    ("Foot", 156_612, [220.0, 149.0, 149.0, 12.0, 10.0], [108, 17, 17]),
];

const SCHEMES: [Integrator; 4] = [
    Integrator::ExplicitEuler,
    Integrator::Verlet,
    Integrator::VelocityVerlet,
    Integrator::ImplicitEuler,
];

/// What implicit Euler reached for the smallest size on the published CPU.
const IMPLICIT_ON_CPU: f64 = 67.0;
/// Mass of every vertex \[kg\].
const MASS: f64 = 0.015;

fn integrators(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    time_sizes(effort, &TABLE)
}

fn time_sizes(effort: &Effort, sizes: &[Size]) -> Result<Vec<Row>, ReproduceError> {
    let cpu = Backend::Cpu { threads: effort.threads };
    let mut backends = vec![cpu];
    if !matches!(effort.backend, Backend::Cpu { .. } | Backend::Auto) {
        backends.push(effort.backend.clone());
    }
    let mut rows = Vec::new();
    for &(name, tets, published, cells) in sizes {
        for backend in &backends {
            let on_cpu = matches!(backend, Backend::Cpu { .. });
            let effort = Effort { backend: backend.clone(), ..effort.clone() };
            for (k, integrator) in SCHEMES.into_iter().enumerate() {
                let timestep = if integrator == Integrator::ImplicitEuler { 0.01 } else { 1e-4 };
                let mut sim = bar(cells, 3e3, 0.6, timestep, integrator, backend)?;
                let seconds = median_seconds(effort.seconds, |n| sim.advance(n))?;
                if sim.device_failures() > 0 {
                    return Err(ReproduceError::Failed(sim.take_messages().join("; ")));
                }
                let mut note = format!("{tets} tetrahedra there, {} here", sim.model().tets.len());
                if let Some(solver) = sim.solver_report() {
                    note += &format!("; {:.0} iterations per step", solver.mean_iterations());
                    let unsolved = solver.unconverged + solver.limited;
                    if unsolved > 0 {
                        note += &format!(", {unsolved} of {} unsolved", solver.systems);
                    }
                }
                let there = match (on_cpu, integrator) {
                    (false, _) => Some(published[k]),
                    (true, Integrator::ExplicitEuler) => Some(published[4]),
                    (true, Integrator::ImplicitEuler) if tets == 80 => Some(IMPLICIT_ON_CPU),
                    (true, _) => None,
                };
                let row =
                    Row::new(format!("{name}: {integrator}"), there, 1.0 / seconds, "steps/s");
                rows.push(Row { backend: effort.backend_name(), ..row.note(note) });
            }
        }
    }
    Ok(rows)
}

fn stability(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for stiffness in [3e3, 3e4] {
        for integrator in SCHEMES {
            let (largest, note) = match integrator {
                Integrator::ImplicitEuler => largest_implicit(stiffness, effort)?,
                _ => (largest_explicit(integrator, stiffness, effort)?, String::new()),
            };
            let published = match (integrator, stiffness) {
                (Integrator::ImplicitEuler, _) => Some(10.0),
                (_, 3e3) => Some(1.0),
                _ => None,
            };
            let name = format!("κ = {stiffness} N/m: {integrator}");
            let mut row = Row::new(name, published, 1e3 * largest, "ms").note(note);
            // The paper says what it used, not where the limit is.
            row.deviation_percent = None;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn largest_explicit(
    integrator: Integrator,
    stiffness: f64,
    effort: &Effort,
) -> Result<f64, ReproduceError> {
    let (mut low, mut high) = (1e-5, 0.1);
    if !is_stable(integrator, stiffness, low, effort)? {
        return Err(ReproduceError::Failed(format!("{integrator}: unstable even at {low} s")));
    }
    for _ in 0..10 {
        let middle = f64::sqrt(low * high);
        *(if is_stable(integrator, stiffness, middle, effort)? { &mut low } else { &mut high }) =
            middle;
    }
    Ok(low)
}

fn largest_implicit(stiffness: f64, effort: &Effort) -> Result<(f64, String), ReproduceError> {
    let mut largest = 0.0;
    let mut timestep = 1e-3;
    while timestep <= 1.0 {
        if !is_stable(Integrator::ImplicitEuler, stiffness, timestep, effort)? {
            return Ok((largest, "the next one, twice as long, failed".into()));
        }
        largest = timestep;
        timestep *= 2.0;
    }
    Ok((largest, "no limit up to here".into()))
}

fn is_stable(
    integrator: Integrator,
    stiffness: f64,
    timestep: f64,
    effort: &Effort,
) -> Result<bool, ReproduceError> {
    let (_, _, _, cells) = TABLE[0];
    let mut sim = bar(cells, stiffness, 1.5, timestep, integrator, &effort.backend)?;
    let mut state = sim.state();
    for (x, rest) in state.position.iter_mut().zip(sim.positions()) {
        x[0] += 0.1 * rest[0] as f32;
    }
    sim.set_state(&state);
    let energy = |sim: &mut Simulator| {
        let e = sim.report().energy;
        e.kinetic + e.elastic()
    };
    let first = energy(&mut sim);
    for _ in 0..100 {
        // Not a number is not stable either.
        if sim.advance(20).is_err()
            || energy(&mut sim).partial_cmp(&(2.0 * first)).is_none_or(|o| o.is_gt())
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A bar held at one end, with the same spring on every edge.
fn bar(
    cells: [u32; 3],
    stiffness: f64,
    damping: f64,
    timestep: f64,
    integrator: Integrator,
    backend: &Backend,
) -> Result<Simulator, ReproduceError> {
    let mesh = shapes::bar(cells, cells.map(|n| 0.1 * f64::from(n)), Split::Five);
    let material = Material {
        mass: Mass::Vertex(MASS),
        stiffness: Stiffness::Spring(stiffness),
        volume: Volume::None,
        damping: Damping::Coefficient(damping),
    };
    let body = Body {
        name: "bar".into(),
        source: Source::Inline(mesh),
        material,
        locks: vec![Region::HalfSpace { point: [1e-6, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] }],
        ..Body::default()
    };
    let world = World { bounds: None, damping: 0.0, timestep, integrator, ..World::default() };
    let scene = Scene { name: "bar".into(), world, bodies: vec![body], ..Scene::default() };
    let mut model = compile(&scene)?;
    set_every_spring(&mut model, stiffness);
    Ok(Simulator::from_model(scene, model, backend)?)
}

/// Gives every edge the same spring, whatever tetrahedra share it.
pub(crate) fn set_every_spring(model: &mut Model, stiffness: f64) {
    let rest = &model.rest;
    for (spring, &[i, j]) in model.spring.iter_mut().zip(&model.springs) {
        let [a, b] = [i, j].map(|v| rest[v as usize].map(f64::from));
        let length = (0..3).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt();
        *spring = [stiffness as f32, (stiffness * length) as f32];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_about_the_sizes_of_the_document() {
        for (name, tets, _, cells) in TABLE {
            let ours = 5.0 * cells.into_iter().map(f64::from).product::<f64>();
            assert!((ours / tets as f64 - 1.0).abs() < 0.01, "{name}: {ours}, {tets}");
        }
    }

    #[test]
    fn every_scheme_is_timed_beside_what_was_published() {
        let rows = time_sizes(&Effort::on_cpu(1, 0.001), &TABLE[..1]).unwrap();
        assert_eq!(rows.len(), 4);
        let published: Vec<_> = rows.iter().map(|r| r.published).collect();
        assert_eq!(published, [Some(5824.0), None, None, Some(67.0)]);
        assert!(rows.iter().all(|r| r.ours > 0.0 && r.note.contains("80 here")), "{rows:?}");
        assert!(rows[3].note.contains("iterations per step"), "{}", rows[3].note);
    }

    #[test]
    fn implicit_steps_have_no_limit_where_explicit_ones_do() {
        let effort = Effort::on_cpu(1, 0.001);
        assert!(is_stable(Integrator::Verlet, 3e3, 2e-4, &effort).unwrap());
        assert!(!is_stable(Integrator::Verlet, 3e3, 0.01, &effort).unwrap());
        assert!(is_stable(Integrator::ImplicitEuler, 3e4, 0.01, &effort).unwrap());
    }
}
