
// What holds a vertex where there are no colliders: walls. Who appends this binds what contact.wgsl asks for, and
// at_obstacles.wgsl takes its place where there are colliders.

#import pliant::implicit::contact
#import pliant::implicit::contact_store

/// The first guess of what holds a vertex that began the step at `x` with the velocity `before`, once the right-hand
/// side is known; `v` is the velocity to which Δv is added, `guess` the guess for that. Returns whether something does.
fn detect(slot: u32, x: vec3<f32>, before: vec3<f32>, v: vec3<f32>, guess: vec3<f32>, free: f32) -> bool {
    let body = constants_of(slot);
    let alone = Contact(vec3(free), guess, 0.0, vec2(0.0), 0u);
    var contact = alone;
    if (body.has_walls && free != 0.0) {
        let start = Start(body.walls, x, before, step.implicit.x);
        contact = first_contact(start, v, vectors[place(RIGHT, slot)].xyz, guess, inertia_of(slot));
    }
    store_contact(slot, alone, contact, v);
    return contact.bits != 0u;
}

/// Whether something else holds a vertex that began the step at `x` with the velocity `before` than did while the
/// system was solved; `impulse` is what it took to prescribe what it prescribed, `slack` how much of it means nothing,
/// and `revision` counts these questions.
fn revise_vertex(
    slot: u32, x: vec3<f32>, before: vec3<f32>, impulse: vec3<f32>, slack: f32, revision: u32,
) -> bool {
    let body = constants_of(slot);
    if (!body.has_walls) {
        return false;
    }
    let v = velocity[slot].xyz;
    let start = Start(body.walls, x, before, step.implicit.x);
    let held = load_contact(slot);
    let revised = revise(
        held, start, v, impulse, inertia_of(slot), slack, revision < MOST_RELEASES,
        revision < MOST_FRICTION_UPDATES,
    );
    store_contact(slot, held, revised.contact, v);
    return revised.has_changed;
}

/// Whether walls move a vertex, whose Δv is given, by however little.
fn is_moved(slot: u32, freedom: Free, delta: vec3<f32>) -> bool {
    return any(!freedom.components & (delta != vec3(0.0)));
}
