//! The fast driver against the plain formula, on all levels of this machine.

use super::*;
use crate::math::Vec3;
use crate::model::partition::{BodyElements, Partition, partition};
use crate::stages::cpu::slots::Slots;
use crate::stages::elastic::{Elements, VolumeForm, forces_reference, formula};
use std::ops::Range;

/// Half a unit in the last place of 1.
const EPSILON: f64 = 1.0 / (1 << 24) as f64;
/// Forces may differ from the `f64` reference by this many rounding errors, relative to the sum of
/// the magnitudes of everything that was added up, see [`World::magnitudes`].
const TOLERANCE: f64 = 16.0 * EPSILON;

/// A small generator of numbers in 0 … 1: tests need variety, not quality.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn around(&mut self, middle: f32, range: f32) -> f32 {
        middle + (2.0 * self.next() - 1.0) * range
    }
}

/// Bodies in input order.
#[derive(Clone, Default)]
struct Bodies {
    rest: Vec<[f32; 3]>,
    tets: Vec<[u32; 4]>,
    springs: Vec<[u32; 2]>,
    bodies: Vec<BodyElements>,
}

impl Bodies {
    /// Adds a body; its springs are the edges of its tetrahedra and `springs`.
    fn add(mut self, rest: &[[f32; 3]], tets: &[[u32; 4]], springs: &[[u32; 2]]) -> Self {
        let first = self.rest.len() as u32;
        let (tet, spring) = (self.tets.len() as u32, self.springs.len() as u32);
        let mut edges: Vec<[u32; 2]> = springs.to_vec();
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
            family: None,
            form: VolumeForm::Energy,
            vertices: first..self.rest.len() as u32,
            tets: tet..self.tets.len() as u32,
            springs: spring..self.springs.len() as u32,
        });
        self
    }

    /// A bar of cubes of six tetrahedra, vertices moved by up to `jitter` of a cell.
    fn bar(self, [nx, ny, nz]: [u32; 3], jitter: f32) -> Self {
        let mut noise = Noise(7);
        let mut rest = Vec::new();
        for i in 0..=nx {
            for j in 0..=ny {
                for k in 0..=nz {
                    rest.push([i, j, k].map(|c| 0.1 * noise.around(c as f32, jitter)));
                }
            }
        }
        let vertex = |i, j, k| (i * (ny + 1) + j) * (nz + 1) + k;
        let mut tets = Vec::new();
        for i in 0..nx {
            for j in 0..ny {
                for k in 0..nz {
                    let corner = |c: u32| vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                    // Odd permutations are left as they are: fans must cope with both senses.
                    for (a, b) in [(1, 3), (1, 5), (2, 3), (2, 6), (4, 5), (4, 6)] {
                        tets.push([corner(0), corner(a), corner(b), corner(7)]);
                    }
                }
            }
        }
        self.add(&rest, &tets, &[])
    }

    /// A square of n × n vertices with edges and diagonals.
    fn cloth(self, n: u32) -> Self {
        let rest: Vec<[f32; 3]> =
            (0..n * n).map(|v| [0.1 * (v / n) as f32, 0.1 * (v % n) as f32, 0.0]).collect();
        let mut springs = Vec::new();
        for v in 0..n * n {
            let (down, right) = (v / n + 1 < n, v % n + 1 < n);
            springs.extend(right.then_some([v, v + 1]));
            springs.extend(down.then_some([v, v + n]));
            springs.extend((down && right).then_some([v, v + n + 1]));
        }
        self.add(&rest, &[], &springs)
    }

    fn tetrahedron(self, at: f32) -> Self {
        let rest = [[at, 0.0, 0.0], [at + 0.1, 0.0, 0.0], [at, 0.1, 0.0], [at, 0.0, 0.1]];
        self.add(&rest, &[[0, 1, 2, 3]], &[])
    }

    fn particles(self, count: u32) -> Self {
        let rest: Vec<[f32; 3]> = (0..count).map(|i| [0.01 * i as f32, 1.0, 0.0]).collect();
        self.add(&rest, &[], &[])
    }

    /// The bunny of the shared test data, or nothing.
    fn bunny(self) -> Option<Self> {
        let folder = std::env::var("PLIANT_DATA").unwrap_or_else(|_| {
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into()
        });
        let numbers = |file: &str| -> Option<Vec<Vec<f64>>> {
            let text = std::fs::read_to_string(format!("{folder}/tet/{file}")).ok()?;
            let lines = text.lines().map(|l| l.split('#').next().unwrap_or("").trim());
            let parse = |l: &str| l.split_whitespace().map(|n| n.parse().unwrap()).collect();
            Some(lines.filter(|l| !l.is_empty()).skip(1).map(parse).collect())
        };
        let (Some(nodes), Some(tets)) = (numbers("bunny.node"), numbers("bunny.ele")) else {
            println!("skipped: no bunny in {folder}; set PLIANT_DATA to the folder of test data");
            return None;
        };
        let first = nodes[0][0] as u32;
        let rest: Vec<[f32; 3]> =
            nodes.iter().map(|n| std::array::from_fn(|axis| n[1 + axis] as f32)).collect();
        let tets: Vec<[u32; 4]> =
            tets.iter().map(|t| std::array::from_fn(|c| t[1 + c] as u32 - first)).collect();
        Some(self.add(&rest, &tets, &[]))
    }
}

/// A model with a state.
struct World {
    partition: Partition,
    body_vertices: Vec<Range<u32>>,
    rest: Vec<[f32; 3]>,
    tets: Vec<[u32; 4]>,
    volume: Vec<[f32; 2]>,
    forms: Vec<VolumeForm>,
    springs: Vec<[u32; 2]>,
    spring: Vec<[f32; 2]>,
    damping: Option<Vec<f32>>,
    x: Vec<[f32; 3]>,
    v: Vec<[f32; 3]>,
}

impl World {
    /// Random stiffness everywhere, every vertex displaced and moving.
    fn new(bodies: &Bodies, form: VolumeForm, damped: bool) -> Self {
        let partition = partition(&bodies.bodies, &bodies.rest, &bodies.tets, &bodies.springs);
        let mut model_of = vec![0; bodies.rest.len()];
        for (model, &input) in partition.vertex_order.iter().enumerate() {
            model_of[input as usize] = model as u32;
        }
        let rest: Vec<[f32; 3]> =
            partition.vertex_order.iter().map(|&v| bodies.rest[v as usize]).collect();
        let renumber = |v: u32| model_of[v as usize];
        let tets: Vec<[u32; 4]> =
            partition.tet_order.iter().map(|&t| bodies.tets[t as usize].map(renumber)).collect();
        let springs: Vec<[u32; 2]> = partition
            .spring_order
            .iter()
            .map(|&s| bodies.springs[s as usize].map(renumber))
            .collect();

        let mut noise = Noise(42);
        let at = |v: u32| Vec3::<f64>::of(rest[v as usize].map(f64::from));
        let volume = tets.iter().map(|t| {
            let rest_volume = (formula::six_volumes(t.map(at)) / 6.0) as f32;
            let stiffness = noise.around(2000.0, 1000.0);
            // In single precision and rounded as when the bits below were recorded.
            match form {
                VolumeForm::Energy => {
                    let a = stiffness / (36.0 * rest_volume.abs());
                    [a, a * 6.0 * rest_volume]
                }
                VolumeForm::Thesis => [stiffness / 6.0, stiffness * rest_volume],
            }
        });
        let volume = volume.collect();
        let length = |s: &[u32; 2]| (at(s[1]) - at(s[0])).length() as f32;
        let spring = springs.iter().map(|s| {
            let k = noise.around(300.0, 200.0);
            [k, k * length(s) * noise.around(1.0, 0.1)]
        });
        let spring = spring.collect();
        let damping =
            damped.then(|| springs.iter().map(|_| noise.around(0.5, 0.4)).collect::<Vec<f32>>());
        let size = springs.iter().map(length).fold(0.0, f32::max);
        let x = rest.iter().map(|r| r.map(|c| noise.around(c, 0.05 * size))).collect();
        let v = rest.iter().map(|_| [0; 3].map(|_: i32| noise.around(0.0, 1.0))).collect();
        let body_vertices = bodies.bodies.iter().map(|b| b.vertices.clone()).collect();
        let forms = vec![form; tets.len()];
        Self { partition, body_vertices, rest, tets, volume, forms, springs, spring, damping, x, v }
    }

    fn input(&self) -> ElasticInput<'_> {
        ElasticInput {
            rest: &self.rest,
            tets: &self.tets,
            volume: &self.volume,
            forms: &self.forms,
            springs: &self.springs,
            spring: &self.spring,
            damping: self.damping.as_deref(),
            hinges: &[],
            hinge: &[],
            blocks: &self.partition.blocks,
        }
    }

    /// Where everything is.
    fn laid_out(&self) -> (Slots, Layout) {
        let input = self.input();
        let blocks = &self.partition.blocks;
        let slots = Slots::build(blocks, &self.body_vertices, |block| input.used(block));
        let layout = Layout::build(&input, &slots);
        (slots, layout)
    }

    /// Forces by the plain loop in double precision.
    fn reference(&self) -> Vec<Vec3<f64>> {
        let wide = |a: &[[f32; 3]]| -> Vec<Vec3<f64>> {
            a.iter().map(|p| Vec3::of(p.map(f64::from))).collect()
        };
        let mut out = vec![Vec3::zero(); self.x.len()];
        forces_reference(&self.input().elements(), &wide(&self.x), &wide(&self.v), &mut out);
        out
    }

    /// For each vertex the sum of the magnitudes of all terms in its force, before any of them
    /// cancel: what rounding errors are measured against.
    fn magnitudes(&self) -> Vec<f64> {
        let at = |v: u32| Vec3::<f64>::of(self.x[v as usize].map(f64::from));
        let speed = |v: u32| Vec3::<f64>::of(self.v[v as usize].map(f64::from)).length();
        let mut out = vec![1e-30; self.x.len()];
        for (n, &[i, j]) in self.springs.iter().enumerate() {
            let [k, k_rest] = self.spring[n].map(f64::from);
            let damping = self.damping.as_ref().map_or(0.0, |d| f64::from(d[n]));
            let size = k * (at(j) - at(i)).length() + k_rest + damping * (speed(i) + speed(j));
            out[i as usize] += size;
            out[j as usize] += size;
        }
        for ((corners, &[a, b]), form) in self.tets.iter().zip(&self.volume).zip(&self.forms) {
            let x = corners.map(at);
            let longest = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
            let longest = longest.map(|(i, j)| (x[i] - x[j]).length()).fold(0.0, f64::max);
            let s = f64::from(a).abs() * longest.powi(3) + f64::from(b).abs();
            for (corner, g) in corners.iter().zip(formula::six_volumes_gradient(x)) {
                out[*corner as usize] += match form {
                    VolumeForm::Energy => s * longest.powi(2),
                    // A thin face has an uncertain normal.
                    VolumeForm::Thesis => s * longest.powi(2) / g.length(),
                };
            }
        }
        out
    }

    /// Forces by the layout, with blocks processed in the given order.
    fn forces(
        &self,
        (slots, layout): &(Slots, Layout),
        level: Level,
        order: &[usize],
    ) -> Vec<[f32; 3]> {
        // Whatever is not set must not matter, as long as owned positions are.
        let mut position = vec![Lane4([f32::NAN; 4]); slots.count];
        let mut velocity = position.clone();
        let mut force = position.clone();
        for (vertex, &slot) in slots.slot_of.iter().enumerate() {
            let [x, y, z] = self.x[vertex];
            position[slot as usize] = Lane4([x, y, z, f32::NAN]);
            let [x, y, z] = self.v[vertex];
            velocity[slot as usize] = Lane4([x, y, z, f32::NAN]);
        }
        let (x, v, f) = (position.as_mut_ptr(), velocity.as_mut_ptr(), force.as_mut_ptr());
        for &block in order {
            // SAFETY: the arrays have the layout's length and this is the only thread.
            unsafe { layout.element_forces(slots, level, block, x, v, f) };
        }
        for &block in order.iter().rev() {
            // SAFETY: as above.
            unsafe { slots.collect(block, f) };
        }
        let xyz = |slot: &u32| force[*slot as usize].0;
        slots.slot_of.iter().map(xyz).map(|[x, y, z, _]| [x, y, z]).collect()
    }

    /// All levels agree with the reference, and those with FMA agree with each other exactly.
    fn check(&self) {
        let laid_out = self.laid_out();
        check_structure(self, &laid_out.0);
        let order: Vec<usize> = (0..self.partition.blocks.len()).collect();
        let (reference, magnitudes) = (self.reference(), self.magnitudes());
        let mut fused: Option<Vec<[f32; 3]>> = None;
        for level in Level::available() {
            let forces = self.forces(&laid_out, level, &order);
            for (vertex, force) in forces.iter().enumerate() {
                let error = (Vec3::of(force.map(f64::from)) - reference[vertex]).length();
                assert!(
                    error <= TOLERANCE * magnitudes[vertex],
                    "{}: vertex {vertex}: {force:?} instead of {:?}, off by {} ε",
                    level.name(),
                    reference[vertex],
                    error / magnitudes[vertex] / EPSILON,
                );
            }
            let reversed: Vec<usize> = order.iter().rev().copied().collect();
            assert_eq!(forces, self.forces(&laid_out, level, &reversed), "order of blocks");
            if level != Level::PORTABLE {
                let same = fused.get_or_insert_with(|| forces.clone());
                assert_eq!(*same, forces, "{} differs in bits", level.name());
            }
        }
    }
}

fn check_structure(world: &World, slots: &Slots) {
    let mut seen = vec![false; world.x.len()];
    let mut end = 0;
    for (n, block) in slots.blocks.iter().enumerate() {
        assert_eq!((block.slots.start, block.owned.start), (end, end));
        assert!(block.owned.end <= block.slots.end);
        end = block.slots.end;
        assert!([block.slots.start, block.slots.end, block.owned.end].iter().all(|s| s % 4 == 0));
        for run in &block.runs {
            assert_eq!(run.slots.start % 4, 0);
            assert!(block.owned.start <= run.slots.start && run.slots.end <= block.owned.end);
            for (vertex, slot) in (run.first_vertex..).zip(run.slots.clone()) {
                assert!(!std::mem::replace(&mut seen[vertex as usize], true));
                assert_eq!(slots.slot_of[vertex as usize], slot);
                assert!(world.body_vertices[run.body as usize].contains(&vertex));
                assert!(world.partition.blocks[n].vertices.contains(&vertex));
            }
        }
    }
    assert_eq!(end as usize, slots.count);
    assert!(seen.iter().all(|&s| s));
}

const VARIANTS: [(VolumeForm, bool); 4] = [
    (VolumeForm::Energy, false),
    (VolumeForm::Energy, true),
    (VolumeForm::Thesis, false),
    (VolumeForm::Thesis, true),
];

fn check_all(bodies: &Bodies) {
    for (form, damped) in VARIANTS {
        World::new(bodies, form, damped).check();
    }
}

#[test]
fn single_tetrahedron() {
    check_all(&Bodies::default().tetrahedron(0.0));
}

#[test]
fn regular_bar() {
    check_all(&Bodies::default().bar([24, 6, 6], 0.0));
}

#[test]
fn irregular_bar_in_many_blocks() {
    check_all(&Bodies::default().bar([40, 12, 12], 0.3));
}

#[test]
fn bunny() {
    if let Some(bodies) = Bodies::default().bunny() {
        check_all(&bodies);
    }
}

#[test]
fn many_tiny_bodies() {
    let bodies = (0..700).fold(Bodies::default(), |b, i| match i % 3 {
        0 => b.tetrahedron(i as f32),
        1 => b.bar([1, 1, 2], 0.2),
        _ => b.particles(3),
    });
    check_all(&bodies);
}

#[test]
fn springs_only() {
    check_all(&Bodies::default().cloth(90));
}

#[test]
fn mixed_world() {
    let bodies = Bodies::default();
    check_all(&bodies.cloth(30).bar([10, 8, 8], 0.3).particles(50).tetrahedron(2.0).cloth(5));
}

#[test]
fn nothing_at_all() {
    check_all(&Bodies::default());
    check_all(&Bodies::default().particles(5));
}

/// Tetrahedra that share edges and faces without any order, repeated springs, far springs.
#[test]
fn tangled_elements() {
    let mut noise = Noise(3);
    let mut pick = |n: u32| ((noise.next() * n as f32) as u32).min(n - 1);
    let rest: Vec<[f32; 3]> =
        (0..300).map(|_| [0; 3].map(|_: i32| 0.01 * pick(100) as f32)).collect();
    let tets: Vec<[u32; 4]> = (0..2500)
        .map(|_| {
            let a = pick(280);
            [a, a + 1 + pick(5), a + 6 + pick(5), a + 11 + pick(5)]
        })
        .collect();
    let springs: Vec<[u32; 2]> = (0..500).map(|_| [pick(150), 150 + pick(150)]).collect();
    let mut bodies = Bodies::default().add(&rest, &tets, &springs);
    let twice = bodies.springs[17];
    bodies.springs.push(twice);
    bodies.bodies[0].springs.end += 1;
    // The thesis form needs faces with an area, which random corners do not always have.
    World::new(&bodies, VolumeForm::Energy, false).check();
    World::new(&bodies, VolumeForm::Energy, true).check();
}

#[test]
fn forces_of_the_energy_form_sum_to_zero() {
    let world = World::new(&Bodies::default().bar([20, 8, 8], 0.3), VolumeForm::Energy, true);
    let laid_out = world.laid_out();
    let order: Vec<usize> = (0..world.partition.blocks.len()).collect();
    let total: f64 = world.magnitudes().iter().sum();
    for level in Level::available() {
        let forces = world.forces(&laid_out, level, &order);
        for axis in 0..3 {
            let sum: f64 = forces.iter().map(|f| f64::from(f[axis])).sum();
            assert!(sum.abs() <= EPSILON * total, "{}: {sum} of {total}", level.name());
        }
    }
}

#[test]
fn changed_coefficients_take_effect() {
    for (form, damped) in VARIANTS {
        let bodies = Bodies::default().bar([14, 6, 6], 0.2).cloth(6);
        let mut world = World::new(&bodies, form, damped);
        let mut laid_out = world.laid_out();
        let mut noise = Noise(11);
        for n in (0..world.springs.len()).step_by(3) {
            world.spring[n] = world.spring[n].map(|c| c * noise.around(2.0, 1.0));
            laid_out.1.set_spring(n, world.spring[n]);
        }
        for n in (0..world.tets.len()).step_by(2) {
            world.volume[n] = world.volume[n].map(|c| c * noise.around(2.0, 1.0));
            laid_out.1.set_volume(n, world.volume[n]);
        }
        let order: Vec<usize> = (0..world.partition.blocks.len()).collect();
        let rebuilt = world.laid_out();
        for level in Level::available() {
            let changed = world.forces(&laid_out, level, &order);
            assert_eq!(changed, world.forces(&rebuilt, level, &order), "{}", level.name());
        }
    }
}

/// The same bits on every processor with fused multiply-add, checked against a recorded hash.
#[test]
fn forces_have_the_recorded_bits() {
    let hash = |level, (form, damped)| {
        let world = World::new(&Bodies::default().bar([12, 9, 9], 0.3).cloth(9), form, damped);
        let laid_out = world.laid_out();
        let order: Vec<usize> = (0..world.partition.blocks.len()).collect();
        let forces = world.forces(&laid_out, level, &order);
        let bytes: Vec<u8> = forces.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
        xxhash_rust::xxh3::xxh3_64(&bytes)
    };
    for level in Level::available().into_iter().filter(|&level| level != Level::PORTABLE) {
        let hashes = VARIANTS.map(|variant| hash(level, variant));
        assert_eq!(hashes, RECORDED, "{} gives {hashes:#x?}", level.name());
    }
}

/// For the [`VARIANTS`]; to be renewed when the layout or the order of operations changes.
const RECORDED: [u64; 4] =
    [0x1a60b84dece7a485, 0xce9c7599b2749b63, 0xe8943fbeb201b787, 0xdada0cd93956c84b];

/// Threads may take the blocks as they like.
#[test]
fn forces_do_not_depend_on_threads() {
    let world = World::new(&Bodies::default().bar([30, 16, 16], 0.2), VolumeForm::Energy, false);
    let laid_out = world.laid_out();
    let order: Vec<usize> = (0..world.partition.blocks.len()).collect();
    assert!(order.len() >= 4);
    let level = Level::detect();
    let alone = world.forces(&laid_out, level, &order);
    let (slots, layout) = &laid_out;

    struct Shared(*mut Lane4);
    // SAFETY: the threads below keep to the rules of `element_forces`.
    unsafe impl Sync for Shared {}
    let mut position = vec![Lane4::default(); slots.count];
    for (vertex, &slot) in slots.slot_of.iter().enumerate() {
        let [x, y, z] = world.x[vertex];
        position[slot as usize] = Lane4([x, y, z, 0.0]);
    }
    for threads in [2, 3] {
        let mut force = vec![Lane4::default(); slots.count];
        let (x, f) = (Shared(position.as_mut_ptr()), Shared(force.as_mut_ptr()));
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (x, f) = (&x, &f);
                scope.spawn(move || {
                    for block in (thread..layout.blocks.len()).step_by(threads) {
                        // SAFETY: each block has one thread; no velocities without damping.
                        unsafe { layout.element_forces(slots, level, block, x.0, x.0, f.0) };
                    }
                });
            }
        });
        for block in 0..slots.blocks.len() {
            // SAFETY: all threads have ended.
            unsafe { slots.collect(block, f.0) };
        }
        for (vertex, &slot) in slots.slot_of.iter().enumerate() {
            assert_eq!(force[slot as usize].0[..3], alone[vertex], "{threads} threads");
        }
    }
}

#[test]
fn layout_stays_small() {
    let world = World::new(&Bodies::default().bar([30, 16, 16], 0.2), VolumeForm::Energy, false);
    let (slots, layout) = world.laid_out();
    let per_tet = (slots.bytes() + layout.bytes()) as f64 / world.tets.len() as f64;
    assert!(per_tet < 60.0, "{per_tet} bytes per tetrahedron");
}

/// Elements types are used by the reference only; keep the view in step with the input.
#[test]
fn elements_view_is_the_input() {
    let world = World::new(&Bodies::default().tetrahedron(0.0), VolumeForm::Thesis, true);
    let Elements { tets, springs, forms, damping, .. } = world.input().elements();
    assert_eq!((tets.len(), springs.len(), forms), (1, 6, &[VolumeForm::Thesis][..]));
    assert_eq!(damping.map(<[f32]>::len), Some(6));
}
