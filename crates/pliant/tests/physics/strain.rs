//! Statements about limits of strain.

use crate::support::*;
use pliant::Simulator;
use pliant::mesh::shapes;
use pliant::scene::{
    Body, Cloth, Damping, LimitBy, Mass, Material, Region, Rotation, Scene, Stiffness, StrainLimit,
    World,
};

const LIMIT: f64 = 0.1;

/// A sheet of 1 m², so soft that it is rubber without a limit.
fn soft_sheet(cells: u32, limit: Option<LimitBy>) -> Body {
    let cloth = Cloth { stretch: [20.0; 2], shear: 5.0, ..Cloth::default() };
    let material = Material {
        mass: Mass::Density(0.2),
        stiffness: Stiffness::Cloth(cloth),
        damping: Damping::Time(3e-4),
        ..Material::default()
    };
    let mut sheet = body(shapes::cloth([cells; 2], [1.0; 2]).unwrap(), material);
    sheet.rotate = Rotation::Euler([90.0, 0.0, 0.0]);
    sheet.strain_limit =
        limit.map(|by| StrainLimit { stretch: LIMIT, by, ..StrainLimit::default() });
    sheet
}

/// How the hung sheet is turned at the start \[°\].
const TILT: f64 = 75.0;

/// Where its upper corners are \[m\].
fn corners() -> [[f64; 3]; 2] {
    let (s, c) = TILT.to_radians().sin_cos();
    [[0.0, c, s], [1.0, c, s]]
}

/// The same, hung by two corners.
fn hung_sheet(cells: u32, limit: Option<LimitBy>, timestep: f64) -> Scene {
    let mut sheet = soft_sheet(cells, limit);
    // Turned a little, so that it swings as well. (Upright it keeps its limit, too.)
    sheet.rotate = Rotation::Euler([TILT, 0.0, 0.0]);
    sheet.locks = corners().map(|center| Region::Sphere { center, radius: 1e-3 }).to_vec();
    let world = World { gravity: [0.0, 0.0, -9.81], timestep, damping: 0.1, ..space() };
    Scene { world, ..scene(sheet, space()) }
}

/// The largest stretch of the threads of a sheet, from where its vertices are.
fn largest_stretch(sim: &Simulator, cells: usize) -> f64 {
    let (x, row) = (sim.positions(), cells + 1);
    let stretch = |a: usize, b: usize| distance(x[a], x[b]) * cells as f64 - 1.0;
    let along = (0..row * row).filter(|v| v % row < cells).map(|v| stretch(v, v + 1));
    let across = (0..row * cells).map(|v| stretch(v, v + row));
    along.chain(across).fold(0.0, f64::max)
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    length(std::array::from_fn(|k| a[k] - b[k]))
}

fn hangs_within_its_limit(on: &On, by: LimitBy) {
    let (cells, steps) = (50, 6_500);
    let mut sim = on.simulator(&hung_sheet(cells, Some(by), 2e-4));
    let start = sim.positions();
    let is_corner = |v: &usize| corners().iter().any(|&c| distance(start[*v], c) < 1e-3);
    let locked: Vec<usize> = (0..start.len()).filter(is_corner).collect();
    assert_eq!(locked.len(), 2);
    let mut energy = sim.report().energy.total();
    let mut worst = 0.0_f64;
    for _ in 0..13 {
        let report = sim.step(steps / 13).unwrap();
        let strain = report.strain.unwrap();
        let seen = largest_stretch(&sim, cells as usize);
        assert!((strain.largest - seen).abs() < 1e-5, "{} is told, {seen} is seen", strain.largest);
        worst = worst.max(strain.largest);
        println!("{:.2} s: {:.4}, {:.5} J", report.time, strain.largest, report.energy.total());
        let total = report.energy.total();
        assert!(total < energy + 2e-4, "{by:?}: {energy} to {total} J at {} s", report.time);
        energy = total;
        let now = sim.positions();
        assert!(locked.iter().all(|&v| now[v] == start[v]), "a locked vertex has moved");
    }
    let end = largest_stretch(&sim, cells as usize);
    println!("{by:?}: stretched by {worst:.4} at most, by {end:.4} in the end, {energy:.4} J");
    assert!(worst <= LIMIT + 0.01, "{by:?}: {worst}");
    assert!(worst > 0.9 * LIMIT, "{by:?}: {worst}: nothing pulls at it");
}

/// The scene of the documents: 50 × 50 squares hung by two corners.
pub fn a_hung_sheet_is_limited_by_velocities(on: &On) {
    hangs_within_its_limit(on, LimitBy::Velocity);
}

pub fn a_hung_sheet_is_limited_by_positions(on: &On) {
    hangs_within_its_limit(on, LimitBy::Position);
}

/// So that the two before say something.
pub fn a_hung_sheet_without_a_limit_is_rubber(on: &On) {
    let mut sim = on.simulator(&hung_sheet(50, None, 5e-4));
    let report = sim.step(2000).unwrap();
    let stretch = largest_stretch(&sim, 50);
    println!("stretched by {stretch:.3}");
    assert!(stretch > 0.5, "{stretch}");
    assert_eq!(report.strain, None);
}

/// What is thrown with a spin is pulled apart by it; limits hold it, and give and take no momentum.
pub fn a_limited_sheet_that_flies_keeps_its_momenta(on: &On) {
    for by in [LimitBy::Velocity, LimitBy::Position] {
        let mut sheet = soft_sheet(20, Some(by));
        (sheet.velocity, sheet.spin) = ([2.0, 1.0, -0.5], [3.0, 14.0, 2.0]);
        let world = World { timestep: 2e-4, ..space() };
        let mut sim = on.simulator(&Scene { world, ..scene(sheet, space()) });
        let first = sim.report();
        let mut beyond = 0.0_f64;
        for _ in 0..5 {
            let report = sim.step(if on.is_cpu() { 500 } else { 100 }).unwrap();
            beyond = beyond.max(report.strain.unwrap().beyond);
            let change = |a: [f64; 3], b: [f64; 3]| distance(a, b) / length(a);
            let linear = change(first.momentum, report.momentum);
            // About its own middle: about the origin there is what flies on besides.
            let spin = |r: &pliant::StepReport| {
                let [c, p] = [r.center_of_mass, r.momentum];
                let of_middle = [
                    c[1] * p[2] - c[2] * p[1],
                    c[2] * p[0] - c[0] * p[2],
                    c[0] * p[1] - c[1] * p[0],
                ];
                std::array::from_fn(|k| r.angular_momentum[k] - of_middle[k])
            };
            let angular = change(spin(&first), spin(&report));
            println!("{by:?}: {linear:.1e} and {angular:.1e}");
            assert!(linear < 1e-5, "{by:?}: {linear}");
            // What is moved at once has another arm for what it had of momentum before.
            let most = if by == LimitBy::Velocity { 1e-5 } else { 0.02 };
            assert!(angular < most, "{by:?}: {angular}");
        }
        let last = sim.report();
        println!("{by:?}: beyond by {beyond:.4}, now {:?}", last.strain);
        assert!(beyond < 0.01 && last.strain.unwrap().largest > 0.05, "{by:?}: {beyond}");
        assert!(last.energy.total() < first.energy.total() * (1.0 + 1e-5), "{by:?}");
    }
}
