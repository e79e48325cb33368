// Colliders, one vertex at a time; twin of formula.rs. Who imports this binds, as `body_constants`, an array of
// vec4<u32> that holds the heights of all height maps, four in each.

#import pliant::integrate

/// A vertex nearer to a surface than this share of its coordinates touches it.
const SKIN: f32 = 5e-7;

// Kinds, as they are numbered in gpu.rs.
const PLANE: u32 = 0u;
const SPHERE: u32 = 1u;
const CAPSULE: u32 = 2u;
const BOX: u32 = 3u;
const CYLINDER: u32 = 4u;
const GROUND: u32 = 5u;

/// A collider at the end of a substep: twin of the record in gpu.rs.
struct Placed {
    /// Its own axes; the fourth numbers are friction, restitution and thickness [m].
    axis_x: vec4<f32>,
    axis_y: vec4<f32>,
    axis_z: vec4<f32>,
    /// How a point moved with it in the substep [m]: so much by turning, times the place where it began
    /// seen from the collider's origin; the fourth numbers are so much by moving on.
    turned_x: vec4<f32>,
    turned_y: vec4<f32>,
    turned_z: vec4<f32>,
    /// Its origin [m], and −1 if the bodies are inside, else 1.
    origin_high: vec4<f32>,
    /// What rounding took from the origin [m], and the cosine of the steepest slope of a height map.
    origin_low: vec4<f32>,
    /// Half of the edges of a box [m]; of round shapes the radius, and half of the length as the third.
    size: vec4<f32>,
    /// Place of its first height among the numbers of `body_constants`, heights along x and along y, kind.
    grid: vec4<u32>,
    /// Size of a cell of a height map along x and y [m].
    cell: vec4<f32>,
}

/// Where a point is as seen from a surface.
struct Surface {
    /// Distance from it; negative inside [m].
    gap: f32,
    /// The unit vector away from it.
    normal: vec3<f32>,
}

/// A vertex that was or was not stopped.
struct Stopped {
    motion: Motion,
    touches: bool,
}

/// The surface as seen from `p`.
fn surface(collider: Placed, p: vec3<f32>) -> Surface {
    var found: Surface;
    switch collider.grid.w {
        case SPHERE: { found = round_surface(p, collider.size.x, up()); }
        case CAPSULE: { found = capsule_surface(p, collider.size.xyz); }
        case BOX: { found = box_surface(p, collider.size.xyz); }
        case CYLINDER: { found = cylinder_surface(p, collider.size.xyz); }
        case GROUND: { found = ground_surface(p, collider); }
        default: { found = Surface(p.z, up()); }
    }
    let side = collider.origin_high.w;
    return Surface(found.gap * side, found.normal * side);
}

/// A bound of the distance from `p` to a surface that is seen at a `gap` from there, never more than it is: nothing
/// within it touches.
fn clearance(collider: Placed, gap: f32, p: vec3<f32>) -> f32 {
    if (collider.grid.w != GROUND) {
        return gap;
    }
    let size = collider.cell.xy * vec2<f32>(collider.grid.yz - vec2(1u));
    let beside = max(max(-p.xy, p.xy - size), vec2(0.0));
    let above = p.z - ground_at(p, collider).x;
    return max(above * collider.origin_low.w, length(beside));
}

/// Straight up.
fn up() -> vec3<f32> {
    return vec3(0.0, 0.0, 1.0);
}

/// Round a point from which `p` is seen; exactly there the way out is `fallback`.
fn round_surface(p: vec3<f32>, radius: f32, fallback: vec3<f32>) -> Surface {
    let distance = sqrt(dot(p, p));
    var normal = fallback;
    if (distance > 1e-18) {
        normal = p * (1.0 / distance);
    }
    return Surface(distance - radius, normal);
}

/// Round the line along z of half length `size.z`.
fn capsule_surface(p: vec3<f32>, size: vec3<f32>) -> Surface {
    let along = min(max(p.z, -size.z), size.z);
    return round_surface(vec3(p.xy, p.z - along), size.x, vec3(1.0, 0.0, 0.0));
}

/// A block of these half edges.
fn box_surface(p: vec3<f32>, half: vec3<f32>) -> Surface {
    let beyond = abs(p) - half;
    let signs = select(vec3(1.0), vec3(-1.0), p < vec3(0.0));
    let outside = max(beyond, vec3(0.0));
    let distance = sqrt(dot(outside, outside));
    if (distance > 1e-18) {
        return Surface(distance, outside * (1.0 / distance) * signs);
    }
    // Inside, out through the nearest face.
    if (beyond.x >= beyond.y && beyond.x >= beyond.z) {
        return Surface(beyond.x, vec3(signs.x, 0.0, 0.0));
    }
    if (beyond.y >= beyond.z) {
        return Surface(beyond.y, vec3(0.0, signs.y, 0.0));
    }
    return Surface(beyond.z, vec3(0.0, 0.0, signs.z));
}

/// A cylinder along z with the radius `size.x` and half the length `size.z`.
fn cylinder_surface(p: vec3<f32>, size: vec3<f32>) -> Surface {
    let around = sqrt(p.x * p.x + p.y * p.y);
    var out = vec2(1.0, 0.0);
    if (around > 1e-18) {
        out = p.xy / around;
    }
    // In the plane of the axis and the point it is a box.
    let flat = box_surface(vec3(around, 0.0, p.z), vec3(size.x, 1.0, size.z));
    return Surface(flat.gap, vec3(out * flat.normal.x, flat.normal.z));
}

/// The triangle of a height map above or below `p`. There is no ground beside the map.
fn ground_surface(p: vec3<f32>, collider: Placed) -> Surface {
    let size = collider.cell.xy * vec2<f32>(collider.grid.yz - vec2(1u));
    if (!(all(p.xy >= vec2(0.0)) && all(p.xy <= size))) {
        return Surface(1e30, up());
    }
    let ground = ground_at(p, collider);
    let n = vec3(-ground.yz, 1.0);
    let normal = n * (1.0 / sqrt(dot(n, n)));
    return Surface((p.z - ground.x) * normal.z, normal);
}

/// Height of the ground at the place of the map that is nearest to `p` [m], and its slopes along x and y.
fn ground_at(p: vec3<f32>, collider: Placed) -> vec3<f32> {
    let counts = collider.grid.yz;
    let place = min(max(p.xy / collider.cell.xy, vec2(0.0)), vec2<f32>(counts - vec2(1u)));
    // Which cell, and how far into it from 0 to 1.
    let cell = min(vec2<u32>(place), counts - vec2(2u));
    let inside = clamp(place - vec2<f32>(cell), vec2(0.0), vec2(1.0));
    let first = collider.grid.x + cell.y * counts.x + cell.x;
    let a = height(first);
    let c = height(first + counts.x + 1u);
    // Of the two triangles the one on our side of the diagonal from a to c.
    let is_lower = inside.x >= inside.y;
    let b = height(select(first + counts.x, first + 1u, is_lower));
    let along = select(vec2(c - b, b - a), vec2(b - a, c - b), is_lower);
    return vec3(a + inside.x * along.x + inside.y * along.y, along / collider.cell.xy);
}

/// A height of a height map [m].
fn height(place: u32) -> f32 {
    return bitcast<f32>(body_constants[place / 4u][place % 4u]);
}

/// How near to a surface a vertex touches it [m].
fn skin(x: vec3<f32>, offset: vec3<f32>) -> f32 {
    return SKIN * (dot(abs(x), vec3(1.0)) + dot(abs(offset), vec3(1.0)));
}

/// Stops a vertex at a collider. It came from `start`, a position and what rounding took from it, in this
/// substep, in which 1/h is `per_h` [1/s]; `offset` leads from the collider's origin to that of the vertex's
/// body [m].
fn collide_with(
    collider: Placed,
    offset: vec3<f32>,
    start: array<vec3<f32>, 2>,
    motion: Motion,
    per_h: f32,
) -> Stopped {
    var m = motion;
    let y = m.x + offset;
    let a = collider.axis_x.xyz;
    let b = collider.axis_y.xyz;
    let c = collider.axis_z.xyz;
    let found = surface(collider, vec3(dot(a, y), dot(b, y), dot(c, y)));
    let n = a * found.normal.x + b * found.normal.y + c * found.normal.z;
    // What rounding took from the position is as good as the rest of it.
    let depth = collider.axis_z.w - (found.gap + dot(n, m.x_compensation));
    if (!(depth > -skin(m.x, offset))) {
        return Stopped(m, false);
    }
    let p = collider.turned_x;
    let q = collider.turned_y;
    let r = collider.turned_z;
    let began = start[0] + offset;
    let turned = vec3(dot(p.xyz, began), dot(q.xyz, began), dot(r.xyz, began));
    let way = turned + vec3(p.w, q.w, r.w);
    let relative = m.v - way * per_h;
    let inward = -dot(relative, n);
    var correction = n * max(depth, 0.0);
    if (inward > 0.0) {
        let friction = collider.axis_x.w;
        let given = (1.0 + collider.axis_y.w) * inward;
        m.v += n * given;
        if (friction > 0.0) {
            let along = relative + n * inward;
            let speed = sqrt(dot(along, along));
            let loss = friction * given;
            let lost = select(1.0, loss / speed, speed > loss);
            m.v -= along * lost;
            // The same share of the way, so that what is stopped has moved as the surface did.
            let gone = (m.x - start[0]) + (m.x_compensation - start[1]) - way;
            correction -= (gone - n * dot(gone, n)) * lost;
        }
    }
    return Stopped(add_compensated(m, correction), true);
}
