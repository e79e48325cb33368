//! Soft bodies that touch each other and themselves.

mod bits;
mod bodies;
mod bouncing;
mod carried;
#[cfg(feature = "gpu")]
mod device;
mod guarantee;
mod guarded_meshes;
mod implicit;
mod meshes;
mod physics;
#[path = "../support/mod.rs"]
mod support;

use pliant::Scene;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Body, Contact, Damping, Region, World};
use support::*;

/// A rubber block of a number of cells along each edge, with damped springs that end its vibrations.
fn block(name: &str, cells: u32, size: f64) -> Body {
    let mesh = shapes::bar([cells; 3], [size; 3], Split::default());
    let mut block = body(mesh, rubber(1000.0, 1e5));
    block.material.damping = Damping::Time(1e-3);
    block.name = name.into();
    block
}

/// A plate that never moves, with its upper side at z = 0.
fn table(size: f64) -> Body {
    let mesh = shapes::bar([8, 8, 1], [size, size, 0.1], Split::default());
    let mut table = body(mesh, rubber(1000.0, 1e5));
    table.name = "table".into();
    table.translate = [-0.5 * size, -0.5 * size, -0.1];
    table.locks = vec![Region::HalfSpace { point: [0.0, 0.0, 1.0], normal: [0.0, 0.0, -1.0] }];
    table
}

fn scene(bodies: Vec<Body>, world: World) -> Scene {
    Scene { name: "test".into(), world, bodies, ..Scene::default() }
}

/// A world in which bodies touch.
fn touching(friction: f64) -> World {
    let contact = Some(Contact { friction, ..Contact::default() });
    World { timestep: 1e-3, contact, bounds: None, ..World::default() }
}
