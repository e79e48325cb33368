//! Bodies that fall and land in large steps.

mod support;

use pliant::mesh::{Mesh, shapes};
use pliant::scene::{Body, Implicit, Integrator, World, WorldBox};
use pliant::{Scene, Simulator};
use support::*;

fn ball() -> Mesh {
    shapes::ball(0.1, 0.03).unwrap()
}

fn dropped(mesh: Mesh, young: f64, height: f64, world: World) -> Scene {
    let body = Body { translate: [0.0, 0.0, height], ..body(mesh, rubber(1000.0, young)) };
    Scene { bodies: vec![body], world, ..Default::default() }
}

fn extent(sim: &Simulator) -> f64 {
    let z: Vec<f64> = sim.positions().iter().map(|p| p[2]).collect();
    z.iter().copied().fold(f64::MIN, f64::max) - z.iter().copied().fold(f64::MAX, f64::min)
}

#[test]
fn explore() {
    let arg: Vec<f64> = std::env::var("EXPLORE")
        .unwrap_or("1e6 0.6 60 1 0 0".into())
        .split(' ')
        .map(|x| x.parse().unwrap())
        .collect();
    let [young, height, rate, newton, restitution, friction] = arg[..] else { panic!() };
    let bounds = Some(WorldBox { restitution, friction, ..WorldBox::default() });
    let implicit = Implicit { newton_iterations: newton as u32, ..Implicit::default() };
    let world = World {
        timestep: 1.0 / rate,
        integrator: Integrator::ImplicitEuler,
        implicit,
        bounds,
        friction: 0.0,
        ..World::default()
    };
    let mut sim = simulator(&dropped(ball(), young, height, world));
    let first = sim.report();
    println!("tets {} energy {}", sim.model().tets.len(), first.energy.total());
    for step in 0..(rate * 2.0) as u64 {
        let r = sim.step(1).unwrap();
        let s = r.solved.unwrap();
        if step < 60 || step % 30 == 0 {
            println!(
                "{step}: energy {:.4} kin {:.4} el {:.4} height {:.4} inverted {} iterations {} last {} res {:.1e} worst {:.1e}",
                r.energy.total() / first.energy.total(),
                r.energy.kinetic,
                r.energy.elastic(),
                extent(&sim),
                r.inverted_count,
                s.iterations,
                s.last_iterations,
                s.residual,
                s.worst_residual
            );
        }
    }
    for m in sim.take_messages() {
        println!("{m}");
    }
}

#[test]
fn slope() {
    let arg = std::env::var("SLOPE").unwrap_or("verlet 1e6 1000 1 0.5 1".into());
    let f: Vec<&str> = arg.split(' ').collect();
    let integrator: Integrator = f[0].parse().unwrap();
    let n: Vec<f64> = f[1..].iter().map(|x| x.parse().unwrap()).collect();
    let [young, rate, newton, slope, friction] = n[..] else { panic!() };
    let bounds = Some(WorldBox { friction, size: [1000.0; 3], ..WorldBox::default() });
    let implicit = Implicit { newton_iterations: newton as u32, ..Implicit::default() };
    let angle = slope.atan();
    let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
    let world = World {
        timestep: 1.0 / rate,
        integrator,
        implicit,
        bounds,
        gravity,
        friction: 0.0,
        ..World::default()
    };
    let mesh = shapes::bar([4, 4, 4], [0.2, 0.2, 0.2], shapes::Split::default());
    let mut sim = simulator(&dropped(mesh, young, 0.0, world));
    let mut last = sim.report();
    let time: f64 = std::env::var("TIME").unwrap_or("5".into()).parse().unwrap();
    for k in 0..10 {
        let r = sim.step((time * rate / 10.0) as u64).unwrap();
        let v = (r.center_of_mass[0] - last.center_of_mass[0]) / (r.time - last.time);
        println!(
            "{k}: t {:.2} com {:.9} {:.6} mean v {:.3e} v {:.4e} a {:.4} energy {:.4e} contacts {}",
            r.time,
            r.center_of_mass[0],
            r.center_of_mass[2],
            v,
            r.momentum[0] / 8.0,
            r.momentum[0] / 8.0 / r.time,
            r.energy.kinetic,
            r.wall_contact_count
        );
        last = r;
    }
    println!("expected a {:.4}", 9.81 * (angle.sin() - friction * angle.cos()));
    for m in sim.take_messages() {
        println!("{m}");
    }
}
