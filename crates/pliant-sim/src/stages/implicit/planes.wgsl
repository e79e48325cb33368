// A vertex that colliders and walls hold inside an implicit step; twin of planes.rs.

#import pliant::matrix

/// What stands in the way of a vertex, as far as it knows.
struct Plane {
    /// Unit vector away from the obstacle.
    normal: vec3<f32>,
    /// The speed along the normal at which the vertex ends the step [m/s].
    speed: f32,
    /// How fast the obstacle moves there [m/s].
    surface: vec3<f32>,
    /// Coulomb friction coefficient.
    friction: f32,
    /// The number of the obstacle.
    obstacle: u32,
    /// Whether the vertex bounces off it.
    bounces: bool,
    /// How far from it the vertex ends; negative where it began inside [m].
    ends_at: f32,
}

/// The planes that hold a vertex.
struct Planes {
    list: array<Plane, 3>,
    count: u32,
}

/// The sine of the angle at which a normal must stand to what is held already: what is nearly parallel has nothing to
/// say of its own, and could only be satisfied by large velocities.
const LEAST_SINE: f32 = 0.1;

/// The directions that planes hold, at right angles to each other, as columns, and the components of each normal in
/// them. Drivers put every call in its place: so nothing here is asked for twice, and nothing is found by a number that
/// they do not know, which would keep planes out of registers.
struct Basis {
    axes: mat3x3<f32>,
    along: mat3x3<f32>,
}

fn basis(planes: Planes) -> Basis {
    var found: Basis;
    if (planes.count > 0u) {
        let normal = planes.list[0].normal;
        found.along[0].x = length(normal);
        found.axes[0] = normal * (1.0 / found.along[0].x);
    }
    if (planes.count > 1u) {
        let normal = planes.list[1].normal;
        let known = dot(normal, found.axes[0]);
        let others = normal - found.axes[0] * known;
        found.along[1] = vec3(known, length(others), 0.0);
        found.axes[1] = others * (1.0 / found.along[1].y);
    }
    if (planes.count > 2u) {
        let normal = planes.list[2].normal;
        let known = vec2(dot(normal, found.axes[0]), dot(normal, found.axes[1]));
        let others = normal - found.axes[0] * known.x - found.axes[1] * known.y;
        found.along[2] = vec3(known, length(others));
        found.axes[2] = others * (1.0 / found.along[2].z);
    }
    return found;
}

/// How far each plane stands out of those before it, at least.
fn least_sine(planes: Planes) -> f32 {
    let found = basis(planes).along;
    let second = select(1.0, found[1].y, planes.count > 1u);
    return min(second, select(1.0, found[2].z, planes.count > 2u));
}

/// Lets one more plane hold the vertex; says no if that has nothing new to say.
fn add(planes: ptr<function, Planes>, plane: Plane) -> bool {
    if ((*planes).count == 3u) {
        return false;
    }
    var more = with_plane(*planes, (*planes).count, plane);
    more.count += 1u;
    if (least_sine(more) < LEAST_SINE) {
        return false;
    }
    *planes = more;
    return true;
}

/// A plane in the place of another one.
fn with_plane(planes: Planes, number: u32, plane: Plane) -> Planes {
    var more = planes;
    switch number {
        case 0u: { more.list[0] = plane; }
        case 1u: { more.list[1] = plane; }
        default: { more.list[2] = plane; }
    }
    return more;
}

/// Puts a plane in the place of another, unless it would be nearly parallel to a third; returns whether it did.
fn replace(planes: ptr<function, Planes>, number: u32, plane: Plane) -> bool {
    let other = with_plane(*planes, number, plane);
    let is_apart = least_sine(other) >= LEAST_SINE;
    if (is_apart) {
        *planes = other;
    }
    return is_apart;
}

/// Keeps the planes for which `keeps` says so, by their places.
fn retain(planes: ptr<function, Planes>, keeps: vec3<bool>) {
    let old = *planes;
    let is_kept = keeps & (vec3(0u, 1u, 2u) < vec3(old.count));
    (*planes).count = 0u;
    if (is_kept.x) {
        (*planes).count = 1u;
    }
    if (is_kept.y) {
        *planes = with_plane(*planes, (*planes).count, old.list[1]);
        (*planes).count += 1u;
    }
    if (is_kept.z) {
        *planes = with_plane(*planes, (*planes).count, old.list[2]);
        (*planes).count += 1u;
    }
}

/// P: the projection on what is free of planes with this basis.
fn free(planes: Planes, of_planes: Basis) -> mat3x3<f32> {
    let axes = of_planes.axes;
    if (planes.count < 2u) {
        return scalar_matrix(1.0) - outer(axes[0], axes[0], 1.0);
    }
    let along = cross(axes[0], axes[1]);
    return outer(along, along, select(0.0, 1.0, planes.count == 2u));
}

/// The velocity at right angles to what is free at which the vertex has these speeds along the normals of the planes.
fn held_velocity(planes: Planes, of_planes: Basis, speeds: vec3<f32>) -> vec3<f32> {
    let along = of_planes.along;
    var found = vec3(0.0);
    if (planes.count > 0u) {
        found.x = speeds.x / along[0].x;
    }
    if (planes.count > 1u) {
        found.y = (speeds.y - along[1].x * found.x) / along[1].y;
    }
    if (planes.count > 2u) {
        found.z = (speeds.z - along[2].x * found.x - along[2].y * found.y) / along[2].z;
    }
    return of_planes.axes * found;
}

/// That which the planes prescribe when the step ends [m/s].
fn prescribed(planes: Planes, of_planes: Basis) -> vec3<f32> {
    let speeds = vec3(planes.list[0].speed, planes.list[1].speed, planes.list[2].speed);
    return held_velocity(planes, of_planes, speeds);
}

/// That with which the vertex goes on after the step: with the obstacles, unless it bounces off them [m/s].
fn kept(planes: Planes, of_planes: Basis) -> vec3<f32> {
    let p = planes.list;
    let speeds = vec3(p[0].speed, p[1].speed, p[2].speed);
    let moves = vec3(
        dot(p[0].normal, p[0].surface), dot(p[1].normal, p[1].surface), dot(p[2].normal, p[2].surface),
    );
    let bounces = vec3(p[0].bounces, p[1].bounces, p[2].bounces);
    return held_velocity(planes, of_planes, select(moves, speeds, bounces));
}

/// The velocity along the surface at which the vertex is at rest there: that of the obstacle that it met first, of which
/// this projection leaves what is free [m/s].
fn rest(planes: Planes, projection: mat3x3<f32>) -> vec3<f32> {
    return projection * planes.list[0].surface;
}

/// λ of each plane, from the impulse that it takes to prescribe what they do [kg·m/s].
fn pushes(planes: Planes, of_planes: Basis, impulse: vec3<f32>) -> vec3<f32> {
    let along = of_planes.along;
    let components = impulse * of_planes.axes;
    var found = vec3(0.0);
    if (planes.count > 2u) {
        found.z = components.z / along[2].z;
    }
    if (planes.count > 1u) {
        found.y = (components.y - along[2].y * found.z) / along[1].y;
    }
    if (planes.count > 0u) {
        found.x = (components.x - along[1].x * found.y - along[2].x * found.z) / along[0].x;
    }
    return found;
}

/// The largest impulse of friction where planes push with these [kg·m/s].
fn most_friction(planes: Planes, of_planes: vec3<f32>) -> f32 {
    let p = planes.list;
    let found = vec3(p[0].friction, p[1].friction, p[2].friction) * of_planes;
    return dot(select(vec3(0.0), found, vec3(0u, 1u, 2u) < vec3(planes.count)), vec3(1.0));
}
