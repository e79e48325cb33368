// Colliders and walls in implicit steps, as one vertex sees them. Twin of cpu/obstacles.rs. Who imports this binds what
// body_constants.wgsl, vectors.wgsl and colliders/formula.wgsl ask for, and as `colliders` a record of colliders.

#import pliant::step
#import pliant::body_constants
#import pliant::colliders
#import pliant::colliders::record
#import pliant::implicit::vectors
#import pliant::implicit::contact
#import pliant::implicit::planes

/// The part of what a vertex is inside an obstacle when a step begins that it makes up for in a step.
const RECOVERY: f32 = 0.5;
/// The number of the first wall among obstacles; colliders come before.
const FIRST_WALL: u32 = 64u;
/// In how many strides it is found out where a vertex meets a collider.
const MOST_STRIDES: u32 = 16u;

/// What a vertex may meet in a step.
struct Obstacles {
    /// The origin of its body: as good as single precision can be, and the rest [m].
    origin_high: vec3<f32>,
    origin_low: vec3<f32>,
    walls: Walls,
    /// How many obstacles there are.
    count: u32,
}

fn obstacles_of(slot: u32) -> Obstacles {
    let body = constants_of(slot);
    let origin = colliders.head.w + 2u * body_of(slot);
    let high = bitcast<vec4<f32>>(body_constants[origin]).xyz;
    let low = bitcast<vec4<f32>>(body_constants[origin + 1u]).xyz;
    return Obstacles(high, low, body.walls, colliders.head.x + select(0u, 6u, body.has_walls));
}

/// The number of the n-th obstacle.
fn obstacle_number(n: u32) -> u32 {
    return select(n, FIRST_WALL + n - colliders.head.x, n >= colliders.head.x);
}

/// From the origin of a collider to that of the body [m].
fn offset_of(obstacles: Obstacles, number: u32) -> vec3<f32> {
    let high = obstacles.origin_high - colliders.list[number].origin_high.xyz;
    return high + (obstacles.origin_low - colliders.list[number].origin_low.xyz);
}

/// How the surface of an obstacle moves in the step that begins it at `x` [m].
fn obstacle_way(obstacles: Obstacles, number: u32, x: vec3<f32>) -> vec3<f32> {
    if (number >= FIRST_WALL) {
        return vec3(0.0);
    }
    let p = colliders.list[number].turned_x;
    let q = colliders.list[number].turned_y;
    let r = colliders.list[number].turned_z;
    let began = x + offset_of(obstacles, number);
    return vec3(dot(p.xyz, began), dot(q.xyz, began), dot(r.xyz, began)) + vec3(p.w, q.w, r.w);
}

/// `x` in the coordinates of a collider.
fn in_collider(obstacles: Obstacles, number: u32, x: vec3<f32>) -> vec3<f32> {
    let y = x + offset_of(obstacles, number);
    return vec3(
        dot(colliders.list[number].axis_x.xyz, y), dot(colliders.list[number].axis_y.xyz, y),
        dot(colliders.list[number].axis_z.xyz, y),
    );
}

/// An obstacle at the end of the step as seen from `x`, as thick as it is.
fn obstacle_surface(obstacles: Obstacles, number: u32, x: vec3<f32>) -> Surface {
    if (number >= FIRST_WALL) {
        let wall = number - FIRST_WALL;
        let k = wall % 3u;
        let side = select(1.0, -1.0, wall >= 3u);
        let bound = select(obstacles.walls.low, obstacles.walls.high, wall >= 3u);
        let normal = select(vec3(0.0), vec3(side), vec3(0u, 1u, 2u) == vec3(k));
        return Surface(side * (x[k] - bound[k]), normal);
    }
    let collider = colliders.list[number];
    let found = surface(collider, in_collider(obstacles, number, x));
    let n = found.normal;
    let normal = collider.axis_x.xyz * n.x + collider.axis_y.xyz * n.y + collider.axis_z.xyz * n.z;
    return Surface(found.gap - collider.axis_z.w, normal);
}

/// A bound of the distance from a collider, which is seen at a `gap` from `x` [m].
fn obstacle_clearance(obstacles: Obstacles, number: u32, gap: f32, x: vec3<f32>) -> f32 {
    let collider = colliders.list[number];
    let thickness = collider.axis_z.w;
    return clearance(collider, gap + thickness, in_collider(obstacles, number, x)) - thickness;
}

/// How near to an obstacle a vertex touches it [m].
fn obstacle_skin(obstacles: Obstacles, number: u32, x: vec3<f32>) -> f32 {
    if (number >= FIRST_WALL) {
        return skin(x, vec3(0.0));
    }
    return skin(x, offset_of(obstacles, number));
}

/// A place and an obstacle as seen from there, if somebody comes to it.
struct Met {
    at: vec3<f32>,
    seen: Surface,
    is_there: bool,
}

/// Where someone who goes straight from `start` to `end` meets an obstacle as it is at the end of the step, if they do:
/// by strides that are no longer than the distance.
fn meets(obstacles: Obstacles, number: u32, start: vec3<f32>, end: vec3<f32>) -> Met {
    let way = end - start;
    let all = length(way);
    let is_wall = number >= FIRST_WALL;
    let near = select(obstacle_skin(obstacles, number, start), 0.0, is_wall);
    var gone = 0.0;
    var met: Met;
    // Of walls, and of what goes along a surface for long, it counts where it ends.
    for (var n = select(0u, MOST_STRIDES, is_wall); n <= MOST_STRIDES; n++) {
        met.at = start + way * select(0.0, gone / all, all > 0.0);
        if (n == MOST_STRIDES) {
            met.at = end;
        }
        met.seen = obstacle_surface(obstacles, number, met.at);
        var room = met.seen.gap;
        if (n < MOST_STRIDES) {
            room = obstacle_clearance(obstacles, number, room, met.at);
        }
        met.is_there = select(room <= near, room < near, is_wall);
        gone += room;
        if (met.is_there || gone > all) {
            break;
        }
    }
    return met;
}

/// Whether one plane is all of its surface.
fn is_flat(number: u32) -> bool {
    if (number >= FIRST_WALL) {
        return true;
    }
    return colliders.list[number].grid.w == PLANE;
}

/// Friction and restitution.
fn law(obstacles: Obstacles, number: u32) -> vec2<f32> {
    if (number >= FIRST_WALL) {
        return vec2(obstacles.walls.friction, obstacles.walls.restitution);
    }
    return vec2(colliders.list[number].axis_x.w, colliders.list[number].axis_y.w);
}

/// A vertex in a step.
struct Vertex {
    /// Where the step begins [m], and what rounding took from it.
    x: vec3<f32>,
    lost: vec3<f32>,
    /// The velocity at which it begins [m/s].
    before: vec3<f32>,
    /// The velocity to which Δv is added, and Δv [m/s].
    base: vec3<f32>,
    delta: vec3<f32>,
    right: vec3<f32>,
    h: f32,
}

/// Where a vertex would be if it moved with an obstacle, and how far from it [m].
struct Carried {
    x: vec3<f32>,
    gap: f32,
}

/// A plane, if there is one.
struct FoundPlane {
    plane: Plane,
    is_there: bool,
}

/// The plane that an obstacle is for the vertex, as it is seen from `at`.
fn plane_at(
    vertex: Vertex, obstacles: Obstacles, number: u32, at: vec3<f32>, here: Surface, carried: Carried,
) -> Plane {
    let moves = (carried.x - vertex.x) * (1.0 / vertex.h);
    let of_obstacle = law(obstacles, number);
    let ends_at = min(carried.gap, 0.0) * (1.0 - RECOVERY);
    let room = here.gap + dot(here.normal, (carried.x - at) + vertex.lost) - ends_at;
    let is_there = abs(room) <= obstacle_skin(obstacles, number, vertex.x);
    let stop = select(-room / vertex.h, 0.0, is_there);
    let bounce = -of_obstacle.y * dot(here.normal, vertex.before - moves);
    let bounces = bounce > 0.0 && bounce > stop;
    let speed = dot(here.normal, moves) + select(stop, bounce, bounces);
    return Plane(here.normal, speed, moves, of_obstacle.x, number, bounces, ends_at);
}

/// The plane of an obstacle that presses the vertex already, or that it meets on the way on which its velocity leads it.
fn first_plane(vertex: Vertex, obstacles: Obstacles, number: u32) -> FoundPlane {
    let x = vertex.x + obstacle_way(obstacles, number, vertex.x);
    var here = obstacle_surface(obstacles, number, x);
    let carried = Carried(x, here.gap + dot(here.normal, vertex.lost));
    let touches = carried.gap <= obstacle_skin(obstacles, number, vertex.x);
    var at = x;
    if (!touches) {
        let met = meets(obstacles, number, x, x + (vertex.base * vertex.h - (x - vertex.x)));
        if (!met.is_there) {
            return no_plane();
        }
        at = met.at;
        here = met.seen;
    }
    let plane = plane_at(vertex, obstacles, number, at, here, carried);
    let speed = dot(plane.normal, vertex.before - plane.surface);
    let is_pressed = dot(plane.normal, vertex.right) < 0.0 && speed <= 0.0;
    let goes_in = dot(plane.normal, vertex.base) < plane.speed;
    return FoundPlane(plane, !touches || is_pressed || goes_in);
}

fn no_plane() -> FoundPlane {
    var none: FoundPlane;
    return none;
}

/// One of several planes.
fn plane_of(planes: Planes, number: u32) -> Plane {
    switch number {
        case 0u: { return planes.list[0]; }
        case 1u: { return planes.list[1]; }
        default: { return planes.list[2]; }
    }
}

/// The planes that hold the vertex in a slot. The fourth number of `MASK_REST` has eight bits for each: twice the number
/// of the obstacle plus 2, and 1 more if the vertex bounces off it.
fn load_planes(slot: u32, obstacles: Obstacles) -> Planes {
    var planes: Planes;
    let names = u32(vectors[place(MASK_REST, slot)].w);
    for (var i = 0u; i < 3u; i++) {
        let name = (names >> (8u * i)) & 255u;
        if (name == 0u) {
            break;
        }
        let normal = vectors[place(PLANES + 2u * i, slot)];
        let moves = vectors[place(PLANES + 2u * i + 1u, slot)];
        let number = (name >> 1u) - 1u;
        let plane = Plane(
            normal.xyz, normal.w, moves.xyz, law(obstacles, number).x, number, (name & 1u) == 1u, moves.w,
        );
        planes = with_plane(planes, i, plane);
        planes.count = i + 1u;
    }
    return planes;
}
