//! What single bodies do otherwise than the world says.

use crate::support::*;
use crate::{block, scene, table, touching};
use pliant::scene::{Body, BodyContact, World};
use pliant::{Scene, Simulator};

/// A block above a table, each with contact of its own.
fn above(table_contact: Option<BodyContact>, block_contact: Option<BodyContact>) -> Scene {
    let table = Body { contact: table_contact, ..table(0.4) };
    let mut upper = Body { contact: block_contact, ..block("upper", 2, 0.1) };
    upper.translate = [-0.05, -0.05, 0.02];
    let world = World { damping: 5.0, timestep: 5e-4, ..touching(0.5) };
    scene(vec![table, upper], world)
}

/// The lowest point of the upper body after a while \[m\].
fn lowest(scene: &Scene, seconds: f64) -> f64 {
    let mut sim = simulator(scene);
    sim.advance((seconds / scene.world.timestep) as u64).unwrap();
    lowest_of(&sim)
}

fn lowest_of(sim: &Simulator) -> f64 {
    let (x, all) = (sim.positions(), sim.model().bodies[1].vertices.clone());
    all.map(|v| x[v as usize][2]).fold(f64::INFINITY, f64::min)
}

fn named(groups: &[&str], ignores: &[&str]) -> Option<BodyContact> {
    let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Some(BodyContact { groups: list(groups), ignores: list(ignores), ..BodyContact::default() })
}

#[test]
fn bodies_pass_through_what_they_ignore_and_what_has_no_contact() {
    let usual = Some(BodyContact::default());
    for (table, block, falls) in [
        (usual.clone(), usual.clone(), false),
        (None, usual.clone(), true),
        (usual.clone(), None, true),
        (named(&["furniture"], &[]), named(&[], &["furniture"]), true),
        (named(&[], &["upper"]), usual.clone(), true),
        // Others may be ignored.
        (named(&["furniture"], &[]), named(&["toy"], &["toy"]), false),
    ] {
        let scene = above(table.clone(), block.clone());
        let low = lowest(&scene, 0.4);
        assert_eq!(low < -0.2, falls, "{low} m with {table:?} and {block:?}");
    }
}

#[test]
fn a_pair_is_as_thick_as_the_mean_of_both() {
    let thick = |thickness| Some(BodyContact { thickness: Some(thickness), ..Default::default() });
    let low = lowest(&above(thick(0.03), thick(0.01)), 1.5);
    assert!((low - 0.02).abs() < 1e-3, "{low}");
}

/// How far a block slides on a table whose slope, given by gravity, is tan α = 0.5 \[m\].
fn slides(table: Option<f64>, block: Option<f64>) -> f64 {
    let own = |friction| Some(BodyContact { friction, ..BodyContact::default() });
    let mut scene = above(own(table), own(block));
    scene.world.gravity = [4.0, 0.0, -8.0];
    let mut sim = simulator(&scene);
    sim.advance(400).unwrap();
    let start = sim.report().center_of_mass[0];
    sim.advance(500).unwrap();
    sim.report().center_of_mass[0] - start
}

#[test]
fn friction_of_a_pair_is_the_geometric_mean() {
    // √(0.2 · 2) = 0.63 holds, as 0.63 of all does, √(0.2 · 0.8) = 0.4 does not.
    let held = slides(Some(0.2), Some(2.0));
    assert!(held.abs() < 2e-3, "{held} m");
    let sliding = slides(Some(0.2), Some(0.8));
    assert!(sliding > 0.01, "{sliding} m");
    // One that is slippery slides on everything, and what says nothing does as the world says.
    assert!(slides(Some(0.0), Some(100.0)) > 0.02);
    assert!(slides(None, Some(0.1)) > 0.01);
}

#[test]
fn friction_of_the_world_changes_while_bodies_touch() {
    let mut scene = above(named(&[], &[]), named(&[], &[]));
    scene.world.gravity = [2.0, 0.0, -9.0];
    let mut sim = simulator(&scene);
    sim.advance(800).unwrap();
    let start = sim.report().center_of_mass[0];
    sim.advance(200).unwrap();
    assert!((sim.report().center_of_mass[0] - start).abs() < 1e-3);
    let mut world = sim.world().clone();
    world.contact.as_mut().unwrap().friction = 0.0;
    sim.set_world(world).unwrap();
    sim.advance(400).unwrap();
    assert!(sim.report().center_of_mass[0] - start > 0.01);
    assert!(lowest_of(&sim) > 0.0);
}

#[test]
fn sums_of_pairs_are_what_bodies_feel() {
    let mut sim = simulator(&above(named(&[], &[]), named(&[], &[])));
    sim.advance(3000).unwrap();
    let pairs = sim.contact_pairs();
    let pair = pairs.iter().find(|pair| pair.bodies == [0, 1]).unwrap();
    let weight = 9.81 * 1000.0 * 0.1_f64.powi(3);
    assert!((-pair.force[2] / weight - 1.0).abs() < 0.01, "{pair:?} of {weight} N");
    assert!(pair.contacts >= 4, "{pair:?}");
}
