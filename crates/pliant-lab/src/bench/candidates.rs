//! How long it takes to find what may touch on a cloth.

use std::time::{Duration, Instant};

use pliant_mesh::Mesh;
use pliant_sim::contact::{Finder, Surface};

use super::cloth::Cloth;

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct CandidatesRow {
    /// Name of the cloth.
    pub case: String,
    /// Threads at work.
    pub threads: usize,
    /// Triangles of the cloth.
    pub triangles: usize,
    /// Time to put primitives in order and lay trees over them, once for a cloth \[ms\].
    pub order_ms: f64,
    /// Median time to let the boxes of the trees follow the vertices \[ms\].
    pub refit_ms: f64,
    /// Median time to find all pairs \[ms\].
    pub find_ms: f64,
    /// Median time of both \[ms\].
    pub ms: f64,
    /// Least time of both \[ms\].
    pub ms_least: f64,
    /// Pairs of a vertex and a triangle.
    pub vertex_triangle: usize,
    /// Pairs of edges.
    pub edge_edge: usize,
    /// Million pairs per second, by the median.
    pub mpairs_per_s: f64,
}

/// Times searches for about so many seconds. Boxes grow by half an edge.
pub fn run(cloth: &Cloth, mesh: &Mesh, threads: usize, seconds: f64) -> CandidatesRow {
    let radius = 0.5 * cloth.edge();
    let begin = Instant::now();
    let surface = Surface::new(&cloth.rest(), &mesh.triangles);
    let mut finder = Finder::new(surface, threads);
    let order_ms = milliseconds(begin);
    finder.place(&mesh.points, [0.0; 3]);
    let mut search = || {
        let begin = Instant::now();
        finder.refit_placed(radius);
        let refit = milliseconds(begin);
        finder.find(usize::MAX).expect("there is no limit");
        (refit, milliseconds(begin))
    };
    // The first ones find out how much room lists need.
    search();
    search();
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || begin.elapsed() < Duration::from_secs_f64(seconds) {
        times.push(search());
    }
    let ms = median(times.iter().map(|(_, both)| *both));
    let [vertex_triangle, edge_edge] = finder.counts();
    CandidatesRow {
        case: cloth.name.into(),
        threads: finder.thread_count(),
        triangles: mesh.triangles.len(),
        order_ms,
        refit_ms: median(times.iter().map(|(refit, _)| *refit)),
        find_ms: median(times.iter().map(|(refit, both)| both - refit)),
        ms,
        ms_least: times.iter().map(|(_, both)| *both).fold(f64::INFINITY, f64::min),
        vertex_triangle,
        edge_edge,
        mpairs_per_s: 1e-3 * (vertex_triangle + edge_edge) as f64 / ms,
    }
}

fn milliseconds(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
