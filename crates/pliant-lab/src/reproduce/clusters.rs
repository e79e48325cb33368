//! Shape matching on graphics hardware: frames per second over objects, clusters and particles, and what α and β do.
//! The publication shows pictures of such scenes and prints no table.

use pliant_mesh::shapes;
use pliant_sim::scene::{
    Body, Clusters, Copies, Mass, Material, Region, ShapeMatching, ShapeMode, Source, World,
};
use pliant_sim::{Scene, Simulator};

use super::{Effort, Experiment, ReproduceError, Row};
use crate::timing::median_seconds;

pub const EXPERIMENT: Experiment = Experiment {
    name: "s2-clusters",
    about: "Shape matching: steps per second over objects, clusters and particles, and what α and β do",
    method: "Blocks fall apart from each other in steps of 1/60 s, in linear mode; nothing is drawn. The \
             publication prints no figures, so that there are only ours. The rows of α and β are how far the \
             free end of a block sinks under its weight that is held at the other, in parts of its length.",
    run,
};

/// Objects, clusters of each, and cells of a block along its axes.
const CROWDS: [(u32, u32, [u32; 3]); 8] = [
    (1, 1, [4, 4, 3]),
    (10, 1, [4, 4, 3]),
    (100, 1, [4, 4, 3]),
    (100, 8, [4, 4, 3]),
    (1000, 1, [4, 4, 3]),
    (1000, 8, [4, 4, 3]),
    (100, 8, [9, 9, 9]),
    (10, 64, [19, 19, 19]),
];
const ALPHAS: [f64; 4] = [0.2, 0.5, 0.8, 1.0];
const BETAS: [f64; 4] = [0.0, 0.3, 0.6, 0.9];
const STEP: f64 = 1.0 / 60.0;

fn run(effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
    repeat(effort, &CROWDS)
}

fn repeat(effort: &Effort, crowds: &[(u32, u32, [u32; 3])]) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for &(objects, clusters, cells) in crowds {
        let mut body = block(cells, clusters, ShapeMatching::default());
        body.copies = Some(Copies { count: [objects, 1, 1], spacing: [3.0, 0.0, 0.0] });
        let mut sim = simulator(body, STEP, effort)?;
        let particles = sim.model().vertex_count() / objects as usize;
        let seconds = median_seconds(effort.seconds, |n| sim.advance(n))?;
        let name = format!("{objects} objects of {particles} particles, {clusters} clusters each");
        rows.push(Row::new(name, None, 1.0 / seconds, "steps/s"));
    }
    for alpha in ALPHAS {
        let sunk = sag([alpha, 0.2], effort)?;
        rows.push(Row::new(format!("α = {alpha}, β = 0.2: sinks by"), None, sunk, "lengths"));
    }
    for beta in BETAS {
        let sunk = sag([0.8, beta], effort)?;
        rows.push(Row::new(format!("α = 0.8, β = {beta}: sinks by"), None, sunk, "lengths"));
    }
    Ok(rows)
}

/// How far the free end of a block sinks under its weight whose other end is held, over its length.
fn sag([alpha, beta]: [f64; 2], effort: &Effort) -> Result<f64, ReproduceError> {
    let settings = ShapeMatching {
        alpha: Some(alpha),
        beta: Some(beta),
        damping: Some(10.0),
        ..ShapeMatching::default()
    };
    let mut body = block([8, 4, 4], 4, settings);
    body.locks = vec![Region::HalfSpace { point: [1e-3, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] }];
    let mut sim = simulator(body, 0.25 * STEP, effort)?;
    let lowest =
        |sim: &Simulator| sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    let start = lowest(&sim);
    sim.advance(1200)?;
    Ok((start - lowest(&sim)) / 2.0)
}

fn simulator(body: Body, timestep: f64, effort: &Effort) -> Result<Simulator, ReproduceError> {
    let world = World { timestep, damping: 0.0, bounds: None, ..World::default() };
    let scene = Scene { name: "clusters".into(), world, bodies: vec![body], ..Scene::default() };
    Ok(Simulator::new(scene, effort.backend.clone())?)
}

/// A block one metre high and deep.
fn block(cells: [u32; 3], clusters: u32, settings: ShapeMatching) -> Body {
    let cell = 1.0 / f64::from(cells[1]);
    let mesh = shapes::bar(cells, cells.map(|n| f64::from(n) * cell), shapes::Split::Six);
    let matching =
        ShapeMatching { mode: ShapeMode::Linear, clusters: Clusters::Count(clusters), ..settings };
    Body {
        name: "block".into(),
        source: Source::Inline(mesh),
        material: Material { mass: Mass::Vertex(0.01), ..Material::default() },
        shape_matching: Some(matching),
        ..Body::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softer_blocks_sink_more() {
        let rows = repeat(&Effort::on_cpu(1, 0.01), &[(3, 2, [2; 3])]).unwrap();
        assert_eq!(rows.len(), 1 + ALPHAS.len() + BETAS.len());
        assert!(rows[0].ours > 0.0 && rows[0].name.contains("3 objects of 27 particles"));
        let (alphas, betas) = rows[1..].split_at(ALPHAS.len());
        assert!(alphas.is_sorted_by(|a, b| a.ours > b.ours && b.ours >= 0.0), "{alphas:?}");
        assert!(betas.is_sorted_by(|a, b| a.ours < b.ours && a.ours >= 0.0), "{betas:?}");
    }
}
