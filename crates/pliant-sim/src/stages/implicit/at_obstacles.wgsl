
// What holds a vertex where there are colliders: they and walls. Twin of cpu/obstacles.rs. Takes the place of
// at_walls.wgsl; who appends this binds what obstacles.wgsl asks for, and `vectors` to be written.

#import pliant::implicit
#import pliant::implicit::contact_store
#import pliant::implicit::obstacles

/// How often planes follow the surface of a round obstacle while a system is solved, and how far from it a vertex
/// may end before they do, over the length of its way.
const MOST_TURNS: u32 = 6u;
const OFF_SURFACE: f32 = 1e-3;
/// The cosine above which two normals of the same obstacle are those of the same place.
const SAME_SIDE: f32 = 0.8;

/// The first guess of what holds a vertex that began the step at `x` with the velocity `before`, once the right-hand
/// side is known; `v` is the velocity to which Δv is added, `guess` the guess for that. Returns whether something does.
fn detect(slot: u32, x: vec3<f32>, before: vec3<f32>, v: vec3<f32>, guess: vec3<f32>, is_free: f32) -> bool {
    vectors[place(DELTA, slot)] = vec4(guess, 0.0);
    vectors[place(MASK, slot)] = vec4(vec3(is_free), 0.0);
    vectors[place(MASK_REST, slot)] = vec4(0.0);
    vectors[place(CONTACT, slot)] = vec4(0.0);
    if (is_free == 0.0) {
        return false;
    }
    let obstacles = obstacles_of(slot);
    let right = vectors[place(RIGHT, slot)].xyz;
    let vertex = Vertex(x, compensation[slot].xyz, before, v, guess, right, step.implicit.x);
    var planes: Planes;
    var most = 0.0;
    for (var n = 0u; n < obstacles.count; n++) {
        let found = first_plane(vertex, obstacles, obstacle_number(n));
        if (found.is_there && add(&planes, found.plane)) {
            most += found.plane.friction * max(-dot(found.plane.normal, right), 0.0);
        }
    }
    if (planes.count == 0u) {
        return false;
    }
    let of_planes = basis(planes);
    let projection = free(planes, of_planes);
    let contact = first_friction(planes, projection, vertex, most, inertia_of(slot));
    enter(slot, planes, of_planes, projection, contact, vertex);
    return true;
}

fn has_friction(planes: Planes) -> bool {
    return most_friction(planes, vec3(1.0)) > 0.0;
}

/// How fast a vertex is along the surface at the velocity to which Δv is added, and when the step ends.
fn speeds_along(planes: Planes, projection: mat3x3<f32>, vertex: Vertex) -> vec2<f32> {
    let still = rest(planes, projection);
    let end = vertex.base + vertex.delta;
    return vec2(length(projection * vertex.base - still), length(projection * end - still));
}

fn first_friction(
    planes: Planes, projection: mat3x3<f32>, vertex: Vertex, most: f32, inertia: f32,
) -> Contact {
    let contact = Contact(vec3(0.0), vec3(0.0), 0.0, vec2(0.0), 1u);
    if (!has_friction(planes)) {
        return contact;
    }
    return begin_friction(contact, speeds_along(planes, projection, vertex), most, inertia);
}

/// Enters what holds a vertex into the system, in the place of what did before, and prescribes Δv.
fn enter(
    slot: u32, planes: Planes, of_planes: Basis, projection: mat3x3<f32>, c: Contact, vertex: Vertex,
) {
    let sticks = (c.bits & STICKS) != 0u;
    let freedom = projection * select(1.0, 0.0, sticks);
    let still = select(vec3(0.0), planes.list[0].surface, planes.count > 0u);
    let old = free_of(slot).projection;
    let old_resistance = vectors[place(CONTACT, slot)].w;
    if (old_resistance != 0.0 || c.resistance != 0.0) {
        let braked = (freedom * (vertex.base - still)) * c.resistance;
        let before = (old * (vertex.base - still_at(slot))) * old_resistance;
        vectors[place(RIGHT, slot)] -= vec4(braked - before, 0.0);
        let own = vectors[place(OWN, slot)];
        let below = vectors[place(OWN_BELOW, slot)];
        let change = freedom * c.resistance - old * old_resistance;
        let f = factors(matrix_of_factors(Factors(own.xyz, below.xyz)) + change, own.w);
        vectors[place(OWN, slot)] = vec4(f.inverse, own.w);
        vectors[place(OWN_BELOW, slot)] = vec4(f.below, below.w);
    }
    var delta = vertex.delta;
    if (planes.count > 0u) {
        let along = freedom * vertex.delta - (vertex.base - freedom * vertex.base);
        let stays = rest(planes, projection) - vertex.base;
        delta = prescribed(planes, of_planes) + select(along, stays, sticks);
    }
    var names = 0u;
    for (var i = 0u; i < planes.count; i++) {
        let plane = plane_of(planes, i);
        names |= (2u * plane.obstacle + 2u + select(0u, 1u, plane.bounces)) << (8u * i);
        vectors[place(PLANES + 2u * i, slot)] = vec4(plane.normal, plane.speed);
        vectors[place(PLANES + 2u * i + 1u, slot)] = vec4(plane.surface, plane.ends_at);
    }
    vectors[place(DELTA, slot)] = vec4(delta, 0.0);
    vectors[place(MASK, slot)] = vec4(freedom[0].x, freedom[1].y, freedom[2].z, 0.0);
    vectors[place(MASK_REST, slot)] = vec4(freedom[0].y, freedom[1].z, freedom[2].x, f32(names));
    vectors[place(CONTACT, slot)] = vec4(f32(c.bits), c.before, c.resistance);
}

/// Whether something else holds a vertex that began the step at `x` with the velocity `before` than did while the
/// system was solved; `impulse` is what it took to prescribe what it prescribed, `slack` how much of it means nothing,
/// and `revision` counts these questions.
fn revise_vertex(
    slot: u32, x: vec3<f32>, before: vec3<f32>, impulse: vec3<f32>, slack: f32, revision: u32,
) -> bool {
    let obstacles = obstacles_of(slot);
    let vertex = Vertex(
        x, compensation[slot].xyz, before, velocity[slot].xyz, vectors[place(DELTA, slot)].xyz,
        vectors[place(RIGHT, slot)].xyz, step.implicit.x,
    );
    var planes = load_planes(slot, obstacles);
    let count = planes.count;
    let held_by = basis(planes);
    let of_planes = pushes(planes, held_by, impulse);
    let pull = length(free(planes, held_by) * impulse);
    let most = most_friction(planes, max(of_planes, vec3(0.0)));
    if (revision < MOST_RELEASES) {
        retain(&planes, of_planes >= vec3(-slack));
    }
    var has_changed = planes.count != count;
    for (var n = 0u; n < obstacles.count; n++) {
        let follows = follow(&planes, vertex, obstacles, obstacle_number(n), revision);
        has_changed = has_changed || follows;
    }
    if (count == 0u && planes.count == 0u) {
        return false;
    }
    let axes = basis(planes);
    let projection = free(planes, axes);
    let inertia = inertia_of(slot);
    var contact = load_contact(slot);
    if (planes.count == 0u) {
        contact = Contact(vec3(0.0), vec3(0.0), 0.0, vec2(0.0), 0u);
    } else if (count == 0u) {
        contact = first_friction(planes, projection, vertex, 0.0, inertia);
    } else if (has_friction(planes)) {
        let speed = speeds_along(planes, projection, vertex).y;
        let may_change = revision < MOST_FRICTION_UPDATES;
        let friction = update_friction(contact, speed, pull, inertia, most, slack, may_change);
        contact = friction.contact;
        has_changed = has_changed || friction.has_changed;
    }
    enter(slot, planes, axes, projection, contact, vertex);
    return has_changed;
}

/// Which plane of those that there are is that of an obstacle which faces the vertex like this; their number if none is.
fn place_of(planes: Planes, number: u32, facing: vec3<f32>) -> u32 {
    for (var i = 0u; i < planes.count; i++) {
        let plane = plane_of(planes, i);
        if (plane.obstacle == number && dot(plane.normal, facing) > SAME_SIDE) {
            return i;
        }
    }
    return planes.count;
}

/// Puts the plane of an obstacle where the vertex ends, or adds it if the vertex would end inside; returns whether that
/// is another one than before.
fn follow(
    planes: ptr<function, Planes>, vertex: Vertex, obstacles: Obstacles, number: u32, revision: u32,
) -> bool {
    let near = obstacle_skin(obstacles, number, vertex.x);
    let x = vertex.x + obstacle_way(obstacles, number, vertex.x);
    let way = (vertex.base + vertex.delta) * vertex.h - (x - vertex.x);
    var at = x + way;
    var here = obstacle_surface(obstacles, number, at);
    let gap = here.gap + dot(here.normal, vertex.lost);
    let same = place_of(*planes, number, here.normal);
    let is_held = same < (*planes).count;
    // Most are outside, and need not know where they would have been carried.
    let stays = select(gap >= -near, is_flat(number) || revision >= MOST_TURNS, is_held);
    if (stays) {
        return false;
    }
    let begins = obstacle_surface(obstacles, number, x);
    let carried = Carried(x, begins.gap + dot(begins.normal, vertex.lost));
    if (!is_held) {
        if (gap >= min(carried.gap, 0.0) * (1.0 - RECOVERY) - near) {
            return false;
        }
        if (carried.gap > 0.0) {
            let met = meets(obstacles, number, x, at);
            if (met.is_there) {
                at = met.at;
                here = met.seen;
            }
        }
    }
    let plane = plane_at(vertex, obstacles, number, at, here, carried);
    if (!is_held) {
        return add(planes, plane);
    }
    let off = abs(dot(plane.normal, vertex.base + vertex.delta) - plane.speed) * vertex.h;
    return off > near + OFF_SURFACE * length(way) && replace(planes, same, plane);
}

/// Whether obstacles move a vertex, whose Δv is given, by what can be seen.
fn is_moved(slot: u32, freedom: Free, delta: vec3<f32>) -> bool {
    let x = vectors[place(START_POSITION, slot)].xyz;
    return length(delta - free_part(freedom, delta)) * step.implicit.x > skin(x, vec3(0.0));
}
