//! Gathering at points against scattering from edges: Georgii & Westermann, *Interactive simulation
//! of deformable bodies on GPUs*, the timings of both approaches.

use pliant_gpu::{AdapterChoice, Gpu};
use pliant_mesh::{Mesh, shapes};
use pliant_sim::scene::{
    Accumulation, Body, Mass, Material, Region, Source, Stiffness, Volume, World,
};
use pliant_sim::{Backend, BuildError, Scene, Simulator};

use super::irregular;
use super::{Effort, Experiment, ReproduceError, Row};
use crate::timing::median_seconds;

pub const EXPERIMENT: Experiment = Experiment {
    name: "s3-gather",
    about: "Point-centric against edge-centric forces of spring meshes, regular and irregular, on a GPU",
    method: "A patch of triangles held at its four corners, springs only, no drawing. PCA is gather; \
             ECA is edge-gather and edge-scatter, the two ways a GPU of today has for it. The \
             published figures are from an ATI X800. The irregular patch has 3 to 12 neighbours per \
             point; the published ratio is that of PCA. All ways must agree with each other and with \
             the CPU within 0.01 mm after 50 steps. A software device is no GPU: there the processor \
             plays one, and its times say nothing about real cards.",
    run,
};

/// Points along a side, and the published milliseconds of PCA and ECA.
const REGULAR: [(u32, [f64; 2]); 3] =
    [(128, [0.74, 0.72]), (256, [3.08, 3.02]), (512, [13.0, 12.6])];
/// Points along a side of the irregular patch, which is compared with the regular one of that size.
const IRREGULAR: u32 = 256;
/// How many times slower PCA is on valences from 3 to 12.
const PUBLISHED_RATIO: f64 = 1.6;

/// Distance of neighbouring points \[m\].
const SPACING: f64 = 0.01;
/// Steps after which positions are compared.
const COMPARED_STEPS: u64 = 50;
/// How far apart they may be then \[m\].
const TOLERANCE: f64 = 1e-5;

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    repeat(effort, &REGULAR, IRREGULAR)
}

fn repeat(
    effort: &Effort,
    regular: &[(u32, [f64; 2])],
    irregular: u32,
) -> Result<Vec<Row>, ReproduceError> {
    let gpu = device(&effort.backend)?;
    let mut rows = Vec::new();
    let mut reference = None;
    for &(points, [pca, eca]) in regular {
        let size = SPACING * f64::from(points - 1);
        let mesh = shapes::cloth([points - 1; 2], [size; 2])
            .map_err(|e| ReproduceError::Failed(e.to_string()))?;
        let name = format!("{points}² regular");
        let times = compare(&name, mesh, &gpu, effort, [Some(pca), Some(eca)], &mut rows)?;
        if points == irregular {
            reference = Some(times);
        }
    }
    let mesh = irregular::patch(irregular, SPACING, 1)?;
    let name = format!("{irregular}² irregular");
    let times = compare(&name, mesh, &gpu, effort, [None, None], &mut rows)?;
    let published = [Some(PUBLISHED_RATIO), None, None];
    for (k, strategy) in Accumulation::STRATEGIES.into_iter().enumerate() {
        let Some(regular) = reference else { break };
        let name = format!("{irregular}² irregular / regular, {}", label(strategy));
        let row = Row::new(name, published[k], times[k] / regular[k], "times as long");
        rows.push(Row { backend: gpu_name(&gpu), ..row });
    }
    Ok(rows)
}

/// The device to run on: what was asked for, else the best there is, software included.
fn device(backend: &Backend) -> Result<Gpu, ReproduceError> {
    let open = |choice: &AdapterChoice| Ok(Gpu::open_blocking(choice).map_err(BuildError::from)?);
    match backend {
        Backend::Device(gpu) => Ok(gpu.clone()),
        Backend::Gpu { adapter } => open(adapter),
        Backend::Split { device: gpu, .. } => device(gpu),
        Backend::Auto => open(&AdapterChoice::any()),
        Backend::Cpu { .. } => Err(ReproduceError::Failed(
            "s3-gather compares ways to add up forces on a GPU; leave out --backend cpu and \
             --threads, and it takes whatever device there is"
                .into(),
        )),
    }
}

fn gpu_name(gpu: &Gpu) -> String {
    let adapter = gpu.adapter();
    let kind = if adapter.is_software() { " (software, no GPU)" } else { "" };
    format!("{}{kind}", adapter.name)
}

fn label(strategy: Accumulation) -> String {
    let way = if strategy == Accumulation::Gather { "PCA" } else { "ECA" };
    format!("{strategy} ({way})")
}

/// Times every strategy and the CPU on one mesh, and compares where they go. Returns the seconds per
/// step of the strategies.
fn compare(
    name: &str,
    mesh: Mesh,
    gpu: &Gpu,
    effort: &Effort,
    [pca, eca]: [Option<f64>; 2],
    rows: &mut Vec<Row>,
) -> Result<[f64; 3], ReproduceError> {
    let mut scene = scene(mesh);
    let cpu = Backend::Cpu { threads: effort.threads };
    let (reference, cpu_seconds) = measure(&scene, cpu, effort)?;
    let mut seconds = [0.0; 3];
    let mut apart: f64 = 0.0;
    for (k, strategy) in Accumulation::STRATEGIES.into_iter().enumerate() {
        scene.world.accumulation = strategy;
        let (positions, time) = measure(&scene, Backend::Device(gpu.clone()), effort)?;
        apart = apart.max(farthest(&reference, &positions));
        seconds[k] = time;
        let published = if strategy == Accumulation::Gather { pca } else { eca };
        let row = Row::new(format!("{name}, {}", label(strategy)), published, 1e3 * time, "ms");
        rows.push(Row { backend: gpu_name(gpu), ..row });
    }
    let many = if effort.threads == 1 { "thread" } else { "threads" };
    let row = Row::new(format!("{name}, CPU"), None, 1e3 * cpu_seconds, "ms");
    rows.push(Row { backend: format!("CPU, {} {many}", effort.threads), ..row });
    if apart.is_nan() || apart > TOLERANCE {
        let problem = format!("{name}: {apart:.2e} m apart, more than {TOLERANCE:.0e} m");
        return Err(ReproduceError::Failed(problem));
    }
    let note = format!("after {COMPARED_STEPS} steps; at most {TOLERANCE:.0e} m is right");
    let row = Row::new(format!("{name}, farthest from the CPU"), None, apart, "m").note(note);
    rows.push(Row { backend: gpu_name(gpu), ..row });
    Ok(seconds)
}

/// Positions after some steps, and then the seconds of one.
fn measure(
    scene: &Scene,
    backend: Backend,
    effort: &Effort,
) -> Result<(Vec<[f64; 3]>, f64), ReproduceError> {
    let mut sim = Simulator::new(scene.clone(), backend)?;
    sim.advance(COMPARED_STEPS)?;
    let positions = sim.positions();
    let seconds = median_seconds(effort.seconds, |n| sim.advance(n))?;
    if sim.device_failures() > 0 {
        return Err(ReproduceError::Failed(sim.take_messages().join("; ")));
    }
    Ok((positions, seconds))
}

fn farthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let distance =
        |(p, q): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    // A NaN must not be lost, as it would be in `max`.
    a.iter().zip(b).map(distance).fold(0.0, |most, d| if d <= most { most } else { d })
}

/// A patch held at its corners.
fn scene(mesh: Mesh) -> Scene {
    let last = mesh.points.len() as u32 - 1;
    let side = mesh.points.len().isqrt() as u32;
    let material = Material {
        mass: Mass::Vertex(0.001),
        stiffness: Stiffness::Spring(10.0),
        volume: Volume::None,
        ..Material::default()
    };
    let body = Body {
        name: "patch".into(),
        source: Source::Inline(mesh),
        material,
        locks: vec![Region::Points(vec![0, side - 1, last + 1 - side, last])],
        ..Body::default()
    };
    let world = World { bounds: None, timestep: 1e-3, ..World::default() };
    Scene { name: "patch".into(), world, bodies: vec![body], ..Scene::default() }
}

#[cfg(test)]
mod tests {
    use pliant_gpu::testing;

    use super::*;

    #[test]
    fn a_short_version_agrees_and_has_all_rows() {
        let Some(gpu) = testing::gpu("s3-gather") else { return };
        let effort = Effort { backend: Backend::Device(gpu), ..Effort::on_cpu(1, 0.0) };
        let rows = repeat(&effort, &[(32, [0.1, 0.1])], 32).unwrap();
        let names: Vec<&str> = rows.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names.len(), 5 + 5 + 3, "{names:?}");
        assert_eq!(rows[10].published, Some(1.6));
        assert!(rows.iter().all(|r| r.ours.is_finite() && !r.backend.is_empty()), "{rows:?}");
        for row in rows.iter().filter(|r| r.name.contains("farthest")) {
            assert!(row.ours < TOLERANCE, "{row:?}");
        }
    }

    #[test]
    fn the_cpu_alone_is_refused_with_advice() {
        let error = run(&Effort::on_cpu(1, 0.0)).unwrap_err().to_string();
        assert!(error.contains("--backend cpu"), "{error}");
    }
}
