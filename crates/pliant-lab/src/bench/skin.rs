//! How long it takes to carry detailed skins along: positions and normals for a frame.

use std::time::{Duration, Instant};

use pliant_mesh::embed::Carrier;
use pliant_mesh::shapes::{self, Split};
use pliant_sim::stages::skin::Skin;
use pliant_sim::stages::skin::cpu::Carried;

/// Skins that are timed: names, and vertices along and round a tube.
pub const CASES: [(&str, [u32; 2]); 2] = [("skin100k", [500, 200]), ("skin1m", [2000, 500])];

/// One measured row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SkinRow {
    /// Name of the skin.
    pub case: String,
    /// Threads at work.
    pub threads: usize,
    /// Vertices of the skin.
    pub vertices: usize,
    /// Its triangles.
    pub triangles: usize,
    /// Tetrahedra that carry it.
    pub tets: usize,
    /// Time to embed it, once \[ms\].
    pub embed_ms: f64,
    /// Median time of a frame: positions and normals \[ms\].
    pub ms: f64,
    /// Least time of a frame \[ms\].
    pub ms_least: f64,
    /// Median time of positions alone \[ms\].
    pub positions_ms: f64,
    /// Of positions and normals, the same for any number of threads.
    pub hash: String,
}

/// Times frames of a skin for about so many seconds: a wavy tube in a bent and twisted bar.
pub fn run(name: &str, [along, round]: [u32; 2], threads: usize, seconds: f64) -> SkinRow {
    let body = shapes::bar([48, 8, 8], [3.0, 0.5, 0.5], Split::Five);
    let (points, triangles) = tube(along, round);
    let begin = Instant::now();
    let made = Skin::new(&points, &triangles, &body.points, Carrier::Tets(&body.tets), 0.1);
    let embed_ms = milliseconds(begin);
    let (skin, _) = made.expect("a bar has a volume");
    let now: Vec<[f32; 3]> = body.points.iter().map(|p| bent(*p).map(|c| c as f32)).collect();
    let mut out = Carried::default();
    // The first one finds room.
    skin.carry_into(&now, threads, &mut out);
    let (begin, mut times, mut alone) = (Instant::now(), Vec::new(), Vec::new());
    while times.len() < 5 || begin.elapsed() < Duration::from_secs_f64(seconds) {
        let start = Instant::now();
        skin.carry_into(&now, threads, &mut out);
        times.push(milliseconds(start));
        let start = Instant::now();
        std::hint::black_box(skin.positions(&now, threads));
        alone.push(milliseconds(start));
    }
    SkinRow {
        case: name.into(),
        threads,
        vertices: points.len(),
        triangles: triangles.len(),
        tets: body.tets.len(),
        embed_ms,
        ms: median(&mut times),
        ms_least: times.iter().copied().fold(f64::INFINITY, f64::min),
        positions_ms: median(&mut alone),
        hash: format!("{:016x}", hash(&out)),
    }
}

/// A tube along the bar with waves on it; its ends are open.
fn tube(along: u32, round: u32) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let point = |i: u32, j: u32| {
        let angle = std::f64::consts::TAU * f64::from(j) / f64::from(round);
        let x = 3.0 * f64::from(i) / f64::from(along - 1);
        let radius = 0.2 + 0.02 * (40.0 * x).sin() * (7.0 * angle).cos();
        [x, 0.25 + radius * angle.cos(), 0.25 + radius * angle.sin()]
    };
    let points = (0..along).flat_map(|i| (0..round).map(move |j| point(i, j))).collect();
    let number = |i: u32, j: u32| i * round + j % round;
    let squares = (0..along - 1).flat_map(|i| (0..round).map(move |j| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b] = [number(i, j), number(i + 1, j)];
        let [d, c] = [number(i, j + 1), number(i + 1, j + 1)];
        [[a, c, b], [a, d, c]]
    });
    (points, triangles.collect())
}

fn bent([x, y, z]: [f64; 3]) -> [f64; 3] {
    let (sin, cos) = (0.5 * x).sin_cos();
    let (y, z) = (y - 0.25, z - 0.25);
    [x, cos * y - sin * z + 0.1 * x * x, sin * y + cos * z]
}

/// Of all bits, by words (Fowler, Noll and Vo, FNV-1a).
fn hash(out: &Carried) -> u64 {
    let numbers = out.positions.iter().chain(&out.normals).flatten();
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, c| {
        (hash ^ u64::from(c.to_bits())).wrapping_mul(0x0100_0000_01b3)
    })
}

fn milliseconds(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
