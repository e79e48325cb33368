//! Colliders, one vertex at a time.
//!
//! Shapes are in the collider's own coordinates; everything else has the axes of the world.

use crate::math::{Real, Vec3, vec3};

/// A vertex nearer to a surface than this share of its coordinates touches it: as near as single precision
/// can tell. Otherwise a vertex at rest would leave and meet the surface by turns, as rounding has it, and
/// slide a little each time.
pub const SKIN: f64 = 5e-7;

/// What a collider looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// z = 0, and the bodies above.
    Plane,
    /// Round the origin.
    Sphere,
    /// Along z.
    Capsule,
    /// Along the axes.
    Box,
    /// Along z.
    Cylinder,
    /// A height map.
    Ground,
}

/// A shape in its own coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Shape<R> {
    /// Which it is.
    pub kind: Kind,
    /// Half of the edges of a box \[m\]; of round shapes the radius, and half of the length as the third.
    pub size: Vec3<R>,
    /// −1 if the bodies are inside, else 1.
    pub side: R,
    /// Heights of the ground, if it is one.
    pub ground: Grid<R>,
}

/// Where the heights of a height map are, and how far apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid<R> {
    /// Place of its first height among those of all.
    pub first: u32,
    /// Heights along x.
    pub columns: u32,
    /// Heights along y.
    pub rows: u32,
    /// Size of a cell along x and y \[m\].
    pub cell: [R; 2],
    /// Cosine of its steepest slope: no point of the ground is nearer to another than this share of the
    /// height between them.
    pub steepest: R,
}

/// Where a point is as seen from a surface.
#[derive(Clone, Copy, Debug)]
pub struct Surface<R> {
    /// Distance from it; negative inside \[m\].
    pub gap: R,
    /// The unit vector away from it.
    pub normal: Vec3<R>,
}

/// A collider at the end of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Placed<R> {
    /// What it looks like.
    pub shape: Shape<R>,
    /// Its own axes.
    pub axes: [Vec3<R>; 3],
    /// How a point moved with it in the substep \[m\]: so much by turning, times the place where it began
    /// seen from the collider's origin …
    pub turned: [Vec3<R>; 3],
    /// … and so much by moving on.
    pub moved: Vec3<R>,
    /// Coulomb friction.
    pub friction: R,
    /// Part of the normal velocity that comes back.
    pub restitution: R,
    /// How far its surface stands out \[m\].
    pub thickness: R,
}

/// A vertex that may have to be stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved<R> {
    /// Position \[m\].
    pub x: Vec3<R>,
    /// What rounding took from it \[m\].
    pub compensation: Vec3<R>,
    /// Velocity \[m/s\].
    pub v: Vec3<R>,
}

/// The surface as seen from `p`.
#[inline]
pub fn surface<R: Real>(shape: &Shape<R>, heights: &[f32], p: Vec3<R>) -> Surface<R> {
    let found = match shape.kind {
        Kind::Plane => Surface { gap: p.z, normal: up() },
        Kind::Sphere => round_surface(p, shape.size.x, up()),
        Kind::Capsule => capsule_surface(p, shape.size),
        Kind::Box => box_surface(p, shape.size),
        Kind::Cylinder => cylinder_surface(p, shape.size),
        Kind::Ground => ground_surface(p, &shape.ground, heights),
    };
    Surface { gap: found.gap * shape.side, normal: found.normal * shape.side }
}

/// A bound of the distance from `p` to the surface, never more than it is: nothing within it touches.
pub fn clearance<R: Real>(shape: &Shape<R>, heights: &[f32], p: Vec3<R>) -> R {
    if shape.kind != Kind::Ground {
        return surface(shape, heights, p).gap;
    }
    let grid = &shape.ground;
    let zero = R::of(0.0);
    let beside = |at: R, count: u32, cell: R| {
        let size = cell * R::of(f64::from(count - 1));
        (zero - at).max(at - size).max(zero)
    };
    let x = beside(p.x, grid.columns, grid.cell[0]);
    let y = beside(p.y, grid.rows, grid.cell[1]);
    let [height, ..] = ground_at(p, grid, heights);
    ((p.z - height) * grid.steepest).max((x * x + y * y).sqrt())
}

/// Straight up.
fn up<R: Real>() -> Vec3<R> {
    vec3(R::of(0.0), R::of(0.0), R::of(1.0))
}

/// Round a point from which `p` is seen; exactly there the way out is `fallback`.
fn round_surface<R: Real>(p: Vec3<R>, radius: R, fallback: Vec3<R>) -> Surface<R> {
    let distance = p.length();
    let is_there = distance > R::of(1e-18);
    let normal = if is_there { p * (R::of(1.0) / distance) } else { fallback };
    Surface { gap: distance - radius, normal }
}

/// Round the line along z of half length `size.z`.
fn capsule_surface<R: Real>(p: Vec3<R>, size: Vec3<R>) -> Surface<R> {
    let along = p.z.max(-size.z).min(size.z);
    let sideways = vec3(R::of(1.0), R::of(0.0), R::of(0.0));
    round_surface(vec3(p.x, p.y, p.z - along), size.x, sideways)
}

/// A block of these half edges.
fn box_surface<R: Real>(p: Vec3<R>, half: Vec3<R>) -> Surface<R> {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let beyond = vec3(p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z);
    let sign = p.map(|c| if c < zero { -one } else { one });
    let outside = beyond.map(|c| c.max(zero));
    let distance = outside.length();
    if distance > R::of(1e-18) {
        let n = outside * (one / distance);
        return Surface { gap: distance, normal: vec3(n.x * sign.x, n.y * sign.y, n.z * sign.z) };
    }
    // Inside, out through the nearest face.
    if beyond.x >= beyond.y && beyond.x >= beyond.z {
        return Surface { gap: beyond.x, normal: vec3(sign.x, zero, zero) };
    }
    if beyond.y >= beyond.z {
        return Surface { gap: beyond.y, normal: vec3(zero, sign.y, zero) };
    }
    Surface { gap: beyond.z, normal: vec3(zero, zero, sign.z) }
}

/// A cylinder along z with the radius `size.x` and half the length `size.z`.
fn cylinder_surface<R: Real>(p: Vec3<R>, size: Vec3<R>) -> Surface<R> {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let around = (p.x * p.x + p.y * p.y).sqrt();
    let is_off_axis = around > R::of(1e-18);
    let out = if is_off_axis { [p.x / around, p.y / around] } else { [one, zero] };
    // In the plane of the axis and the point it is a box.
    let flat = box_surface(vec3(around, zero, p.z), vec3(size.x, one, size.z));
    let n = flat.normal;
    Surface { gap: flat.gap, normal: vec3(out[0] * n.x, out[1] * n.x, n.z) }
}

/// The triangle of a height map above or below `p`. There is no ground beside the map.
fn ground_surface<R: Real>(p: Vec3<R>, grid: &Grid<R>, heights: &[f32]) -> Surface<R> {
    let zero = R::of(0.0);
    let inside =
        |at: R, count: u32, cell: R| at >= zero && at <= cell * R::of(f64::from(count - 1));
    let is_above = inside(p.x, grid.columns, grid.cell[0]) && inside(p.y, grid.rows, grid.cell[1]);
    if !is_above {
        return Surface { gap: R::of(1e30), normal: up() };
    }
    let [height, along_x, along_y] = ground_at(p, grid, heights);
    let n = vec3(-along_x, -along_y, R::of(1.0));
    let normal = n * (R::of(1.0) / n.length());
    Surface { gap: (p.z - height) * normal.z, normal }
}

/// Height of the ground at the place of the map that is nearest to `p` \[m\], and its slopes along x and y.
fn ground_at<R: Real>(p: Vec3<R>, grid: &Grid<R>, heights: &[f32]) -> [R; 3] {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    // Which cell along an axis, and how far into it from 0 to 1.
    let locate = |at: R, cell: R, count: u32| {
        let place = (at / cell).max(zero).min(R::of(f64::from(count - 1)));
        let whole = (place.to_f64() as u32).min(count - 2);
        (whole, (place - R::of(f64::from(whole))).max(zero).min(one))
    };
    let (i, s) = locate(p.x, grid.cell[0], grid.columns);
    let (j, t) = locate(p.y, grid.cell[1], grid.rows);
    let corner = |di: u32, dj: u32| {
        let at = grid.first + (j + dj) * grid.columns + i + di;
        R::of(f64::from(heights.get(at as usize).copied().unwrap_or(0.0)))
    };
    let (a, c) = (corner(0, 0), corner(1, 1));
    // Of the two triangles the one on our side of the diagonal from a to c.
    let is_lower = s >= t;
    let b = if is_lower { corner(1, 0) } else { corner(0, 1) };
    let [x, y] = if is_lower { [b - a, c - b] } else { [c - b, b - a] };
    [a + s * x + t * y, x / grid.cell[0], y / grid.cell[1]]
}

/// How near to a surface a vertex touches it \[m\].
pub fn skin<R: Real>(x: Vec3<R>, offset: Vec3<R>) -> R {
    let size = |v: Vec3<R>| v.x.abs() + v.y.abs() + v.z.abs();
    R::of(SKIN) * (size(x) + size(offset))
}

/// Stops a vertex at a collider and returns whether it touches. It came from `start` in this substep, in
/// which 1/h is `per_h` \[1/s\]; `offset` leads from the collider's origin to that of the vertex's body \[m\].
#[inline]
pub fn collide_with<R: Real>(
    collider: &Placed<R>,
    heights: &[f32],
    offset: Vec3<R>,
    start: &Moved<R>,
    m: &mut Moved<R>,
    per_h: R,
) -> bool {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let y = m.x + offset;
    let [a, b, c] = collider.axes;
    let found = surface(&collider.shape, heights, vec3(a.dot(y), b.dot(y), c.dot(y)));
    let n = a * found.normal.x + b * found.normal.y + c * found.normal.z;
    // What rounding took from the position is as good as the rest of it.
    let depth = collider.thickness - (found.gap + n.dot(m.compensation));
    let touches = depth > -skin(m.x, offset);
    if !touches {
        return false;
    }
    let [p, q, r] = collider.turned;
    let began = start.x + offset;
    let way = vec3(p.dot(began), q.dot(began), r.dot(began)) + collider.moved;
    let relative = m.v - way * per_h;
    let inward = -relative.dot(n);
    let mut correction = n * depth.max(zero);
    if inward > zero {
        let given = (one + collider.restitution) * inward;
        m.v += n * given;
        if collider.friction > zero {
            let along = relative + n * inward;
            let speed = along.length();
            let loss = collider.friction * given;
            let lost = if speed > loss { loss / speed } else { one };
            m.v -= along * lost;
            // The same share of the way, so that what is stopped has moved as the surface did.
            let gone = (m.x - start.x) + (m.compensation - start.compensation) - way;
            correction -= (gone - n * gone.dot(n)) * lost;
        }
    }
    let d = correction + m.compensation;
    let x = m.x + d;
    m.compensation = d - (x - m.x);
    m.x = x;
    true
}
