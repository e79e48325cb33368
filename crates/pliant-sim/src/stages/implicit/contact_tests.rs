//! Contact of single vertices: what walls hold and release, and friction.

use super::contact::{Contact, SLIDES, STICKS, Start};
use crate::math::vec3;
use crate::stages::walls::Walls;

/// Mass of the vertex \[kg\].
const MASS: f32 = 2.0;
/// Timestep \[s\].
const H: f32 = 0.1;
/// The impulse that means nothing \[kg·m/s\].
const SLACK: f32 = 1e-6;
/// Walls may let go, and friction may change.
const FREE: [bool; 2] = [true; 2];

/// A floor at z = 0, and walls far away.
fn walls(restitution: f32, friction: f32) -> Walls<f32> {
    let (low, high) = (vec3(-10.0, -10.0, 0.0), vec3(10.0, 10.0, 20.0));
    Walls { low, high, restitution, friction }
}

fn at(walls: &Walls<f32>, x: [f32; 3], v: [f32; 3]) -> Start<'_> {
    Start { walls, x, v, h: H }
}

/// The first guess for a vertex that nothing but `b` acts on.
fn first(start: &Start<'_>, b: [f32; 3]) -> Contact {
    Contact::first_contact(start, start.v, b, [0.0; 3], MASS)
}

/// Solves for a vertex alone, whose matrix is its mass and friction's resistance; then asks again what
/// holds it, until nothing changes. Returns the velocity at which the step ends.
fn end_newton(contact: &mut Contact, start: &Start<'_>, b: [f32; 3]) -> [f32; 3] {
    for _ in 0..30 {
        let own = |k: usize| contact.resistance * contact.mask[k];
        let right: [f32; 3] = std::array::from_fn(|k| b[k] - own(k) * start.v[k]);
        let delta: [f32; 3] = std::array::from_fn(|k| match contact.mask[k] > 0.0 {
            true => right[k] / (MASS + own(k)),
            false => contact.delta[k],
        });
        let impulse = std::array::from_fn(|k| (MASS + own(k)) * delta[k] - right[k]);
        contact.delta = delta;
        if !contact.revise(start, start.v, impulse, MASS, SLACK, FREE) {
            break;
        }
    }
    std::array::from_fn(|k| start.v[k] + contact.delta[k])
}

fn near(a: [f32; 3], b: [f32; 3]) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < 1e-4)
}

#[test]
fn far_from_walls_nothing_is_held() {
    let walls = walls(0.5, 0.5);
    let start = at(&walls, [1.0, 2.0, 5.0], [3.0, -1.0, -4.0]);
    let mut contact = first(&start, [0.0, 0.0, -2.0]);
    assert_eq!((contact.mask, contact.bits), ([1.0; 3], 0));
    assert!(near(end_newton(&mut contact, &start, [0.0, 0.0, -2.0]), [3.0, -1.0, -5.0]));
    assert_eq!(contact.bits, 0);
}

#[test]
fn what_is_pressed_is_held_and_what_is_lifted_is_let_go() {
    let walls = walls(0.0, 0.0);
    let start = at(&walls, [1.0, 2.0, 0.0], [0.3, 0.0, 0.0]);
    let mut pressed = first(&start, [0.0, 0.0, -2.0]);
    assert_eq!((pressed.mask, pressed.bits), ([1.0, 1.0, 0.0], 1 << 2));
    assert_eq!(end_newton(&mut pressed, &start, [0.0, 0.0, -2.0]), [0.3, 0.0, 0.0]);
    assert_eq!(pressed.rests(&start, 2, 0.0), Some(0.0));
    // The same vertex is pulled up: the wall would have to hold it back, and lets go.
    assert!(near(end_newton(&mut pressed, &start, [0.0, 0.0, 2.0]), [0.3, 0.0, 1.0]));
    assert_eq!((pressed.mask, pressed.bits), ([1.0; 3], 0));
    // Unless it may not yet.
    let mut held = first(&start, [0.0, 0.0, -2.0]);
    let pull = [0.0, 0.0, -2.0];
    assert!(!held.revise(&start, start.v, pull, MASS, SLACK, [false, true]));
    assert_eq!(held.bits, 1 << 2);
}

#[test]
fn what_goes_through_is_stopped_at_the_wall() {
    let walls = walls(0.0, 0.0);
    // It would come to z = −0.1 by its own motion: it goes as far as the wall, and ends at rest there.
    let start = at(&walls, [0.0, 0.0, 0.2], [1.0, 0.0, -3.0]);
    let mut contact = first(&start, [0.0; 3]);
    assert_eq!(contact.bits, 1 << 2);
    assert!(near(end_newton(&mut contact, &start, [0.0; 3]), [1.0, 0.0, -2.0]));
    assert_eq!(contact.rests(&start, 2, -2.0), Some(0.0));
    // Forces that drive it through are seen after the solve. It may go as far as the wall.
    let start = at(&walls, [0.0, 0.0, 0.2], [1.0, 0.0, 0.0]);
    let push = [0.0, 0.0, -6.0];
    let mut contact = first(&start, push);
    assert_eq!(contact.bits, 0);
    assert!(near(end_newton(&mut contact, &start, push), [1.0, 0.0, -2.0]));
    assert_eq!(contact.bits, 1 << 2);
    // The upper wall is one like the others.
    let start = at(&walls, [9.9, 0.0, 5.0], [2.0, 0.0, 0.0]);
    let mut contact = first(&start, [0.0; 3]);
    assert_eq!(contact.bits, 9);
    assert!(near(end_newton(&mut contact, &start, [0.0; 3]), [1.0, 0.0, 0.0]));
    assert_eq!(contact.rests(&start, 0, 1.0), Some(10.0));
}

#[test]
fn a_corner_holds_two_components() {
    let walls = walls(0.0, 0.5);
    let start = at(&walls, [10.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    // Pressed into the corner with 2 and 1 kg·m/s, friction holds up to 1.5 kg·m/s along it.
    let mut sticks = first(&start, [2.0, 1.4, -1.0]);
    assert_eq!(sticks.bits & 0x3f, 9 | 1 << 2);
    assert_eq!(end_newton(&mut sticks, &start, [2.0, 1.4, -1.0]), [0.0; 3]);
    assert!(sticks.bits & STICKS != 0);
    let mut slides = first(&start, [2.0, 1.7, -1.0]);
    assert!(near(end_newton(&mut slides, &start, [2.0, 1.7, -1.0]), [0.0, 0.1, 0.0]));
    assert!(slides.bits & SLIDES != 0);
    // Lifted from the floor it stays at the wall.
    end_newton(&mut slides, &start, [2.0, 0.0, 1.0]);
    assert_eq!(slides.bits & 0x3f, 9);
}

#[test]
fn it_sticks_within_the_cone_and_slides_outside() {
    let walls = walls(0.0, 0.5);
    let start = at(&walls, [0.0; 3], [0.0; 3]);
    let mut within = first(&start, [0.59, 0.79, -2.0]);
    assert_eq!(end_newton(&mut within, &start, [0.59, 0.79, -2.0]), [0.0; 3]);
    assert!(within.bits & STICKS != 0 && within.mask == [0.0; 3]);
    // 1.5 kg·m/s along the floor, against which friction has 1.
    let mut outside = first(&start, [0.9, 1.2, -2.0]);
    let v = end_newton(&mut outside, &start, [0.9, 1.2, -2.0]);
    assert!(outside.bits & SLIDES != 0 && outside.mask == [1.0, 1.0, 0.0]);
    assert!(near(v, [0.15, 0.2, 0.0]), "{v:?}");
    assert!((outside.resistance * 0.25 - 1.0).abs() < 0.01, "{outside:?}");
}

#[test]
fn friction_is_that_of_the_pressure_and_turns_with_the_motion() {
    let walls = walls(0.0, 0.25);
    let start = at(&walls, [0.0; 3], [3.0, 0.0, 0.0]);
    let mut contact = first(&start, [0.0, 4.0, -4.0]);
    assert!(contact.bits & SLIDES != 0, "what moves along a wall slides");
    let v = end_newton(&mut contact, &start, [0.0, 4.0, -4.0]);
    // An impulse of 1 against the velocity at the end: v = v₀ + (b − v/|v|)/m.
    let speed = v[0].hypot(v[1]);
    let expected = [3.0 - 0.5 * v[0] / speed, 2.0 - 0.5 * v[1] / speed, 0.0];
    assert!((0..3).all(|k| (v[k] - expected[k]).abs() < 0.02), "{v:?} and {expected:?}");
    assert!((contact.resistance * speed - 1.0).abs() < 0.01, "{contact:?}");
}

#[test]
fn sliding_is_never_reversed() {
    let walls = walls(0.0, 0.5);
    // Friction could take 2.5 m/s away in this step, and it has 0.3.
    let start = at(&walls, [0.0; 3], [0.3, 0.0, 0.0]);
    let mut contact = first(&start, [0.0, 0.0, -10.0]);
    assert!(contact.bits & SLIDES != 0);
    assert_eq!(end_newton(&mut contact, &start, [0.0, 0.0, -10.0]), [0.0; 3]);
    assert!(contact.bits & STICKS != 0);
}

#[test]
fn friction_takes_energy_however_early_the_search_ends() {
    let walls = walls(0.0, 0.5);
    let start = at(&walls, [0.0; 3], [1.0, -0.5, 0.0]);
    let mut contact = first(&start, [-2.0, 3.0, -4.0]);
    for speed in [1e-6, 0.1, 3.0, 1e6, f32::NAN] {
        contact.delta = [speed - 1.0, 0.5, 0.0];
        contact.revise(&start, start.v, [0.0, 0.0, 4.0], MASS, SLACK, FREE);
        assert!(contact.resistance >= 0.0 && contact.resistance.is_finite(), "{contact:?}");
    }
}

#[test]
fn changes_between_sticking_and_sliding_come_to_an_end() {
    let walls = walls(0.0, 0.5);
    let start = at(&walls, [0.0; 3], [0.0; 3]);
    let mut contact = first(&start, [0.0, 0.0, -2.0]);
    let mut changes = 0;
    for turn in 0..100 {
        // Too much to stick; then it does not move, which is no sliding.
        let impulse = if turn % 2 == 0 { [-5.0, 0.0, 2.0] } else { [0.0, 0.0, 2.0] };
        contact.delta = [0.0; 3];
        let before = contact.bits & (STICKS | SLIDES);
        contact.revise(&start, start.v, impulse, MASS, SLACK, FREE);
        changes += u32::from(contact.bits & (STICKS | SLIDES) != before);
    }
    assert_eq!(changes, 3);
    assert!(contact.bits & SLIDES != 0, "what slides is never pushed");
}

/// A vertex that would go through the floor in this step: its velocity when it ends, and the wall on which
/// it rests then.
fn arrive(walls: &Walls<f32>) -> ([f32; 3], Option<f32>) {
    let start = at(walls, [0.0, 0.0, 0.1], [1.0, 0.0, -4.0]);
    let mut contact = first(&start, [0.0; 3]);
    let v = end_newton(&mut contact, &start, [0.0; 3]);
    (v, contact.rests(&start, 2, v[2]))
}

#[test]
fn restitution_gives_back_a_part_of_the_velocity() {
    let walls = walls(0.5, 0.0);
    let (v, rests_on) = arrive(&walls);
    assert!(near(v, [1.0, 0.0, 2.0]), "{v:?}");
    assert_eq!(rests_on, None, "it bounces");
    // What rests does not bounce, and what the body throws up faster is let go.
    let start = at(&walls, [0.0; 3], [0.0; 3]);
    let mut rests = first(&start, [0.0, 0.0, -2.0]);
    assert_eq!(end_newton(&mut rests, &start, [0.0, 0.0, -2.0]), [0.0; 3]);
    let start = at(&walls, [0.0; 3], [0.0, 0.0, -1.0]);
    let mut thrown = first(&start, [0.0, 0.0, 8.0]);
    assert!(near(end_newton(&mut thrown, &start, [0.0, 0.0, 8.0]), [0.0, 0.0, 3.0]));
}

#[test]
fn without_restitution_a_vertex_arrives_at_the_wall() {
    let (v, rests_on) = arrive(&walls(0.0, 0.0));
    assert!(near(v, [1.0, 0.0, -0.1 / H]), "{v:?}");
    assert_eq!(rests_on, Some(0.0), "it has no way left to go");
}

#[test]
fn without_friction_nothing_is_rubbed() {
    let walls = walls(0.0, 0.0);
    let start = at(&walls, [0.0; 3], [2.0, -1.0, -3.0]);
    let mut contact = first(&start, [0.0, 0.0, -5.0]);
    assert!(near(end_newton(&mut contact, &start, [0.0, 0.0, -5.0]), [2.0, -1.0, 0.0]));
    assert_eq!((contact.bits, contact.resistance), (1 << 2, 0.0));
}
