//! How fast are the elastic forces on this machine?
//!
//! ```text
//! cargo run --release -p pliant-sim --example elastic_bench [filter] [level]
//! ```
//!
//! Steps bars of 5k to 508k tetrahedra, the bunny (if the test data is there) and cloth with one
//! and two resident threads: element forces, barrier, collection of the forces and a Verlet step,
//! barrier. Prints the best of several runs in million elements × steps per second, and, for one
//! thread, the sum of the blocks' best times: whole steps, and element forces alone.

use pliant_sim::model::partition::{BodyElements, partition};
use pliant_sim::stages::elastic::cpu::{ElasticInput, Lane4, Layout, Level};
use pliant_sim::stages::elastic::{VolumeForm, formula};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Bodies in input order.
#[derive(Default)]
struct Bodies {
    rest: Vec<[f32; 3]>,
    tets: Vec<[u32; 4]>,
    springs: Vec<[u32; 2]>,
    bodies: Vec<BodyElements>,
}

impl Bodies {
    fn add(&mut self, rest: &[[f32; 3]], tets: &[[u32; 4]], extra: &[[u32; 2]]) {
        let first = self.rest.len() as u32;
        let (tet, spring) = (self.tets.len() as u32, self.springs.len() as u32);
        let mut edges = extra.to_vec();
        for t in tets {
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                edges.push([t[i].min(t[j]), t[i].max(t[j])]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        self.rest.extend_from_slice(rest);
        self.tets.extend(tets.iter().map(|t| t.map(|v| v + first)));
        self.springs.extend(edges.iter().map(|s| s.map(|v| v + first)));
        self.bodies.push(BodyElements {
            vertices: first..self.rest.len() as u32,
            tets: tet..self.tets.len() as u32,
            springs: spring..self.springs.len() as u32,
        });
    }
}

/// A bar of cubes of six tetrahedra (Kuhn).
fn bar([nx, ny, nz]: [u32; 3]) -> Bodies {
    let h = 1.0 / ny as f32;
    let mut rest = Vec::new();
    for i in 0..=nx {
        for j in 0..=ny {
            rest.extend((0..=nz).map(|k| [i, j, k].map(|c| c as f32 * h)));
        }
    }
    let mut tets = Vec::new();
    for cell in 0..nx * ny * nz {
        let (i, j, k) = (cell / (ny * nz), cell / nz % ny, cell % nz);
        let corner =
            |c: u32| ((i + (c & 1)) * (ny + 1) + j + (c >> 1 & 1)) * (nz + 1) + k + (c >> 2);
        for (a, b) in [(1, 3), (5, 1), (3, 2), (2, 6), (4, 5), (6, 4)] {
            tets.push([corner(0), corner(a), corner(b), corner(7)]);
        }
    }
    let mut bodies = Bodies::default();
    bodies.add(&rest, &tets, &[]);
    bodies
}

/// A square of n × n vertices with edges and one diagonal per cell.
fn cloth(n: u32) -> Bodies {
    let h = 1.0 / n as f32;
    let rest: Vec<[f32; 3]> =
        (0..n * n).map(|v| [(v / n) as f32 * h, (v % n) as f32 * h, 0.0]).collect();
    let mut springs = Vec::new();
    for v in 0..n * n {
        let (down, right) = (v / n + 1 < n, v % n + 1 < n);
        springs.extend(right.then_some([v, v + 1]));
        springs.extend(down.then_some([v, v + n]));
        springs.extend((down && right).then_some([v, v + n + 1]));
    }
    let mut bodies = Bodies::default();
    bodies.add(&rest, &[], &springs);
    bodies
}

/// Copies of the bunny of the test data.
fn bunnies(copies: usize) -> Option<Bodies> {
    let folder = std::env::var("PLIANT_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let numbers = |file: &str| -> Option<Vec<Vec<f64>>> {
        let text = std::fs::read_to_string(format!("{folder}/tet/{file}")).ok()?;
        let lines = text.lines().map(|l| l.split('#').next().unwrap_or("").trim());
        let parse = |l: &str| l.split_whitespace().flat_map(str::parse).collect();
        Some(lines.filter(|l| !l.is_empty()).skip(1).map(parse).collect())
    };
    let (nodes, tets) = (numbers("bunny.node")?, numbers("bunny.ele")?);
    let first = nodes[0][0] as u32;
    let rest: Vec<[f32; 3]> =
        nodes.iter().map(|n| std::array::from_fn(|axis| n[1 + axis] as f32)).collect();
    let tets: Vec<[u32; 4]> =
        tets.iter().map(|t| std::array::from_fn(|c| t[1 + c] as u32 - first)).collect();
    let mut bodies = Bodies::default();
    (0..copies).for_each(|_| bodies.add(&rest, &tets, &[]));
    Some(bodies)
}

/// A compiled case.
struct Case {
    layout: Layout,
    rest: Vec<[f32; 3]>,
    tets: usize,
    springs: usize,
    build_ms: [f64; 2],
}

impl Case {
    fn new(bodies: &Bodies, form: VolumeForm) -> Self {
        let start = Instant::now();
        let order = partition(&bodies.bodies, &bodies.rest, &bodies.tets, &bodies.springs);
        let partition_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut model_of = vec![0; bodies.rest.len()];
        for (model, &input) in order.vertex_order.iter().enumerate() {
            model_of[input as usize] = model as u32;
        }
        let renumber = |v: u32| model_of[v as usize];
        let rest: Vec<[f32; 3]> =
            order.vertex_order.iter().map(|&v| bodies.rest[v as usize]).collect();
        let tets: Vec<[u32; 4]> =
            order.tet_order.iter().map(|&t| bodies.tets[t as usize].map(renumber)).collect();
        let springs: Vec<[u32; 2]> =
            order.spring_order.iter().map(|&s| bodies.springs[s as usize].map(renumber)).collect();
        let at = |v: u32| pliant_sim::math::Vec3::from(rest[v as usize]);
        let volume: Vec<[f32; 2]> = tets
            .iter()
            .map(|t| {
                let rest_volume = formula::six_volumes(t.map(at)) / 6.0;
                match form {
                    VolumeForm::Energy => formula::energy_coefficients(1e3, rest_volume),
                    VolumeForm::Thesis => formula::thesis_coefficients(25.0, rest_volume),
                }
            })
            .collect();
        let spring: Vec<[f32; 2]> =
            springs.iter().map(|s| [20.0, 20.0 * (at(s[1]) - at(s[0])).length()]).collect();
        let body_vertices: Vec<Range<u32>> =
            bodies.bodies.iter().map(|b| b.vertices.clone()).collect();
        let start = Instant::now();
        let layout = Layout::build(&ElasticInput {
            rest: &rest,
            tets: &tets,
            volume: &volume,
            form,
            springs: &springs,
            spring: &spring,
            damping: None,
            blocks: &order.blocks,
            body_vertices: &body_vertices,
        });
        let build_ms = [partition_ms, start.elapsed().as_secs_f64() * 1e3];
        Self { layout, rest, tets: tets.len(), springs: springs.len(), build_ms }
    }
}

/// Positions, velocities and forces for the threads to share.
#[derive(Clone, Copy)]
struct Arrays {
    position: *mut Lane4,
    velocity: *mut Lane4,
    force: *mut Lane4,
}

// SAFETY: the threads keep to the rules of `Layout::element_forces`: each block has one thread, and
// barriers separate the phases.
unsafe impl Send for Arrays {}
// SAFETY: as above.
unsafe impl Sync for Arrays {}

/// Memory that starts at a multiple of 64 bytes.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([Lane4; 4]);

/// The three arrays in one piece of memory. Their starts differ modulo 4096 bytes: where equal
/// slots had equal low address bits, processors would take a load from one array to depend on a
/// store to another.
struct Storage {
    memory: Vec<Line>,
    /// First line of each array.
    start: [usize; 3],
}

impl Storage {
    fn of(case: &Case) -> Self {
        let lines = case.layout.slot_count / 4;
        let stagger: usize =
            std::env::var("BENCH_STAGGER").ok().and_then(|s| s.parse().ok()).unwrap_or(21);
        let stride = lines.next_multiple_of(64) + stagger;
        let start = [0, stride, 2 * stride];
        let mut storage = Self { memory: vec![Line([Lane4([0.0; 4]); 4]); 3 * stride], start };
        for (vertex, &slot) in case.layout.slot_of.iter().enumerate() {
            let [x, y, z] = case.rest[vertex];
            let line = &mut storage.memory[slot as usize / 4];
            line.0[slot as usize % 4] = Lane4([1.01 * x, y, z, 0.0]);
        }
        storage
    }

    fn arrays(&mut self) -> Arrays {
        let memory = self.memory.as_mut_ptr();
        let [position, velocity, force] =
            // SAFETY: within the allocation.
            self.start.map(|start| unsafe { memory.add(start) }.cast());
        Arrays { position, velocity, force }
    }
}

/// A barrier that spins, then lets others run.
struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
}

impl Barrier {
    fn wait(&self, round: &mut usize) {
        *round += 1;
        let goal = *round * self.threads;
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0;
        while self.arrived.load(Ordering::Acquire) < goal {
            spins += 1;
            if spins > 2_000 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// Seconds per step: the best of several rounds.
fn time(case: &Case, level: Level, threads: usize, seconds: f64) -> f64 {
    let layout = &case.layout;
    let mut storage = Storage::of(case);
    let arrays = storage.arrays();
    let barrier = Barrier { threads, arrived: AtomicUsize::new(0) };
    // Short rounds, so that some of them are not interrupted.
    let steps = (300_000 / (case.tets + case.springs)).clamp(2, 2000);
    let rounds = AtomicUsize::new(usize::MAX);
    let mut best = f64::INFINITY;
    std::thread::scope(|scope| {
        let (barrier, rounds) = (&barrier, &rounds);
        for thread in 1..threads {
            scope.spawn(move || {
                let mut at = 0;
                while {
                    barrier.wait(&mut at);
                    rounds.load(Ordering::Acquire) != 0
                } {
                    run_steps(layout, level, arrays, thread, threads, steps, barrier, &mut at);
                }
            });
        }
        let (mut at, start) = (0, Instant::now());
        while start.elapsed().as_secs_f64() < seconds {
            barrier.wait(&mut at);
            let round = Instant::now();
            run_steps(layout, level, arrays, 0, threads, steps, barrier, &mut at);
            best = best.min(round.elapsed().as_secs_f64() / steps as f64);
        }
        rounds.store(0, Ordering::Release);
        barrier.wait(&mut at);
    });
    let finite =
        storage.memory.iter().flat_map(|line| line.0).all(|p| p.0.iter().all(|c| c.is_finite()));
    assert!(finite, "the test problem diverged");
    best
}

/// Seconds of one thread for the element forces of all blocks, and for the rest of a step: each
/// block's best time, summed. Unlike whole steps this is hardly disturbed by other programs.
fn time_blocks(case: &Case, level: Level, seconds: f64) -> [f64; 2] {
    let layout = &case.layout;
    let mut storage = Storage::of(case);
    let arrays = storage.arrays();
    let mut best = vec![[f64::INFINITY; 2]; layout.blocks.len()];
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds {
        for (block, best) in best.iter_mut().enumerate() {
            let begin = Instant::now();
            forces(layout, level, arrays, block);
            best[0] = best[0].min(begin.elapsed().as_secs_f64());
        }
        for (block, best) in best.iter_mut().enumerate() {
            let begin = Instant::now();
            advance(layout, arrays, block);
            best[1] = best[1].min(begin.elapsed().as_secs_f64());
        }
    }
    [0, 1].map(|part| best.iter().map(|b| b[part]).sum())
}

#[allow(clippy::too_many_arguments)]
fn run_steps(
    layout: &Layout,
    level: Level,
    arrays: Arrays,
    thread: usize,
    threads: usize,
    steps: usize,
    barrier: &Barrier,
    at: &mut usize,
) {
    let count = layout.blocks.len();
    let blocks = thread * count / threads..(thread + 1) * count / threads;
    for _ in 0..steps {
        blocks.clone().for_each(|block| forces(layout, level, arrays, block));
        barrier.wait(at);
        blocks.clone().for_each(|block| advance(layout, arrays, block));
        barrier.wait(at);
    }
}

/// The first half of a block's step.
fn forces(layout: &Layout, level: Level, arrays: Arrays, block: usize) {
    let Arrays { position, velocity, force } = arrays;
    // SAFETY: see `Arrays`.
    unsafe { layout.element_forces(level, block, position, velocity, force) };
}

/// The second half of a block's step.
fn advance(layout: &Layout, arrays: Arrays, block: usize) {
    let Arrays { position, velocity, force } = arrays;
    let owned = &layout.blocks[block].owned;
    let (start, len) = (owned.start as usize, owned.len());
    // SAFETY: see `Arrays`; the slots are owned by this block.
    unsafe {
        layout.collect(block, force);
        integrate(
            std::slice::from_raw_parts_mut(position.add(start), len),
            std::slice::from_raw_parts_mut(velocity.add(start), len),
            std::slice::from_raw_parts(force.add(start), len),
        );
    }
}

fn integrate(position: &mut [Lane4], velocity: &mut [Lane4], force: &[Lane4]) {
    for ((x, v), f) in position.iter_mut().zip(velocity).zip(force) {
        for axis in 0..4 {
            v.0[axis] = 0.999 * v.0[axis] + 1e-6 * f.0[axis];
            x.0[axis] += v.0[axis];
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let filter = arguments.next().unwrap_or_default();
    let wanted = arguments.next();
    let levels = Level::available();
    let level = wanted
        .and_then(|name| levels.iter().copied().find(|l| l.name() == name))
        .unwrap_or_else(Level::detect);
    let seconds: f64 =
        std::env::var("BENCH_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    println!("level {}; million elements x steps per second", level.name());
    println!(
        "case           elements blocks  B/elem  cut ms  build ms  1 thread  2 threads  forces only"
    );
    type Make = Box<dyn Fn() -> Option<Bodies>>;
    let cases: Vec<(&str, Make)> = vec![
        ("bar5k", Box::new(|| Some(bar([24, 6, 6])))),
        ("bar20k", Box::new(|| Some(bar([40, 9, 9])))),
        ("bar92k", Box::new(|| Some(bar([60, 16, 16])))),
        ("bar508k", Box::new(|| Some(bar([108, 28, 28])))),
        ("bunny", Box::new(|| bunnies(1))),
        ("bunny8", Box::new(|| bunnies(8))),
        ("bunny45", Box::new(|| bunnies(45))),
        ("cloth128", Box::new(|| Some(cloth(128)))),
        ("cloth512", Box::new(|| Some(cloth(512)))),
    ];
    for (name, make) in cases {
        for form in [VolumeForm::Energy, VolumeForm::Thesis] {
            let label =
                format!("{name}{}", if form == VolumeForm::Thesis { "/thesis" } else { "" });
            if !label.contains(&filter) || (form == VolumeForm::Thesis && name.starts_with("cloth"))
            {
                continue;
            }
            let Some(bodies) = make() else {
                println!("{label:14} skipped: no test data, set PLIANT_DATA");
                continue;
            };
            let case = Case::new(&bodies, form);
            let elements = if case.tets > 0 { case.tets } else { case.springs };
            let rate = |threads| elements as f64 / time(&case, level, threads, seconds) * 1e-6;
            let (one, two) = (rate(1), rate(2));
            let parts = time_blocks(&case, level, seconds);
            let undisturbed = elements as f64 / (parts[0] + parts[1]) * 1e-6;
            let forces = elements as f64 / parts[0] * 1e-6;
            println!(
                "{label:14} {elements:8} {:6} {:7.1} {:7.1} {:9.1} {one:9.0} {two:10.0} {undisturbed:7.0} {forces:12.0}",
                case.layout.blocks.len(),
                case.layout.bytes() as f64 / elements as f64,
                case.build_ms[0],
                case.build_ms[1],
            );
        }
    }
}
