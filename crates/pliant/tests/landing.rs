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
    let arg: Vec<f64> = std::env::var("EXPLORE").unwrap_or("1e6 0.6 60 1 0 0".into()).split(' ').map(|x| x.parse().unwrap()).collect();
    let [young, height, rate, newton, restitution, friction] = arg[..] else { panic!() };
    let bounds = Some(WorldBox { restitution, friction, ..WorldBox::default() });
    let implicit = Implicit { newton_iterations: newton as u32, ..Implicit::default() };
    let world = World { timestep: 1.0 / rate, integrator: Integrator::ImplicitEuler, implicit, bounds, friction: 0.0, ..World::default() };
    let mut sim = simulator(&dropped(ball(), young, height, world));
    let first = sim.report();
    println!("tets {} energy {}", sim.model().tets.len(), first.energy.total());
    for step in 0..(rate * 2.0) as u64 {
        let r = sim.step(1).unwrap();
        let s = r.solved.unwrap();
        if step < 60 || step % 30 == 0 {
            println!("{step}: energy {:.4} kin {:.4} el {:.4} height {:.4} inverted {} iterations {} last {} res {:.1e} worst {:.1e}", r.energy.total() / first.energy.total(), r.energy.kinetic, r.energy.elastic(), extent(&sim), r.inverted_count, s.iterations, s.last_iterations, s.residual, s.worst_residual);
        }
    }
    for m in sim.take_messages() { println!("{m}"); }
}
