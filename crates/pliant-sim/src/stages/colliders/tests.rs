//! Gaps and normals are what they say, and a vertex is stopped as Coulomb wants.

use super::formula::{Moved, Placed, Shape, clearance, collide_with, surface};
use super::*;
use crate::math::{Real, vec3};
use crate::scene::{ColliderGround, ColliderMotion, Rotation};

/// Numbers from −1 to 1 that look random.
struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }

    fn point(&mut self) -> Vec3<f64> {
        vec3(1.5 * self.next(), 1.5 * self.next(), 1.5 * self.next())
    }
}

fn hills() -> ColliderShape {
    let rows = (0..7).map(|j| (0..9).map(|i| f64::from((i * i * 3 + j * j * 5) % 7)).collect());
    ColliderShape::HeightMap(ColliderGround {
        file: None,
        heights: Some(rows.collect()),
        size: [1.2, 0.9],
        height: 0.05,
    })
}

/// Every shape, those that can be also hollow.
fn shapes() -> Vec<ColliderShape> {
    let mut shapes = vec![ColliderShape::Plane {}, hills()];
    for hollow in [false, true] {
        shapes.push(ColliderShape::Sphere { radius: 0.7, hollow });
        shapes.push(ColliderShape::Capsule { radius: 0.4, length: 0.9, hollow });
        shapes.push(ColliderShape::Box { size: [1.1, 0.7, 1.6], hollow });
        shapes.push(ColliderShape::Cylinder { radius: 0.6, length: 1.3, hollow });
    }
    shapes
}

fn compiled(shape: ColliderShape) -> Colliders {
    Colliders::new(&[Collider { shape, ..Collider::default() }]).unwrap()
}

fn in_single(shape: &Shape<f64>) -> Shape<f32> {
    Shape {
        kind: shape.kind,
        size: Vec3::of(shape.size.to_f64()),
        side: shape.side as f32,
        ground: Grid {
            first: shape.ground.first,
            columns: shape.ground.columns,
            rows: shape.ground.rows,
            cell: shape.ground.cell.map(|c| c as f32),
            steepest: shape.ground.steepest as f32,
        },
    }
}

/// Points anywhere, and those where formulas like to fail.
fn points(random: &mut Random) -> Vec<Vec3<f64>> {
    let mut points: Vec<_> = (0..400).map(|_| random.point()).collect();
    for x in [0.0, 0.35, 0.55, 0.6, 0.7] {
        for z in [0.0, 0.45, 0.65, 0.8] {
            points.extend([vec3(x, 0.0, z), vec3(-x, x, -z), vec3(0.0, -x, z), vec3(x, 0.35, z)]);
        }
    }
    points
}

#[test]
fn clearances_never_change_by_more_than_the_way() {
    let mut random = Random(1);
    for shape in shapes() {
        let colliders = compiled(shape.clone());
        let gap = |p| clearance(&colliders.shapes[0], &colliders.heights, p);
        for p in points(&mut random) {
            for scale in [1.0, 0.1, 1e-3] {
                let q = p + random.point() * scale;
                let change = (gap(p) - gap(q)).abs();
                assert!(change <= (p - q).length() * (1.0 + 1e-9) + 1e-15, "{shape:?} {p:?} {q:?}");
            }
        }
    }
}

/// A vertex that a clearance says is free touches nothing on its way there.
#[test]
fn clearances_leave_nothing_out() {
    let mut random = Random(2);
    for shape in shapes() {
        let colliders = compiled(shape.clone());
        let (shape_of, heights) = (&colliders.shapes[0], &colliders.heights[..]);
        for p in points(&mut random) {
            let free = clearance(shape_of, heights, p);
            for _ in 0..20 {
                let direction = random.point();
                let q = p + direction * (0.999 * free / direction.length());
                let touches = free > 1e-9 && surface(shape_of, heights, q).gap < 0.0;
                assert!(!touches, "{shape:?} {p:?} {q:?} {free}");
            }
        }
    }
}

#[test]
fn normals_are_unit_vectors_and_gradients() {
    let mut random = Random(3);
    for shape in shapes() {
        let colliders = compiled(shape.clone());
        let at = |p| surface(&colliders.shapes[0], &colliders.heights, p);
        let mut smooth = 0;
        for p in points(&mut random) {
            let here = at(p);
            assert!((here.normal.length() - 1.0).abs() < 1e-12, "{shape:?} {p:?}");
            let e = 1e-6;
            let axes = [vec3(e, 0.0, 0.0), vec3(0.0, e, 0.0), vec3(0.0, 0.0, e)];
            // Where normals jump there is no gradient.
            let jumps = axes.iter().any(|&d| {
                let [a, b] = [at(p - d), at(p + d)];
                (a.normal - b.normal).length() > 1e-3 || (a.gap - b.gap).abs() > 3.0 * e
            });
            if jumps || here.gap > 1e20 {
                continue;
            }
            smooth += 1;
            let gradient = axes.map(|d| (at(p + d).gap - at(p - d).gap) / (2.0 * e));
            let off = (Vec3::from(gradient) - here.normal).length();
            assert!(off < 1e-4, "{shape:?} {p:?}: {gradient:?}, {here:?}");
        }
        assert!(smooth > 50, "{shape:?}");
    }
}

#[test]
fn single_precision_sees_the_same() {
    let mut random = Random(4);
    for shape in shapes() {
        let colliders = compiled(shape.clone());
        let single = in_single(&colliders.shapes[0]);
        for _ in 0..400 {
            let p = random.point();
            let wide = surface(&colliders.shapes[0], &colliders.heights, p);
            let near = surface(&single, &colliders.heights, Vec3::of(p.to_f64()));
            let is_on_edge = (near.normal.x.to_f64() - wide.normal.x).abs() > 1e-3
                || (near.normal.y.to_f64() - wide.normal.y).abs() > 1e-3;
            if wide.gap > 1e20 {
                continue;
            }
            let off = (near.gap.to_f64() - wide.gap).abs();
            assert!(off < 2e-6 || is_on_edge, "{shape:?} {p:?}: {near:?}, {wide:?}");
        }
    }
}

/// A collider in double precision, at a time.
fn placed(collider: Collider, time: f64, h: f64) -> (Placed<f64>, [f64; 3]) {
    let colliders = Colliders::new(&[collider]).unwrap();
    let Pose { placed, origin } = colliders.at(0, time, h, [[0.0; 3]; 2]);
    let wide = |v: Vec3<f32>| Vec3::of(v.to_f64());
    let placed = Placed {
        shape: colliders.shapes[0],
        axes: placed.axes.map(wide),
        turned: placed.turned.map(wide),
        moved: wide(placed.moved),
        friction: placed.friction.to_f64(),
        restitution: placed.restitution.to_f64(),
        thickness: placed.thickness.to_f64(),
    };
    (placed, origin)
}

/// Steps a vertex against a collider, from `x` with velocity `v`.
fn step(collider: &Collider, time: f64, h: f64, x: [f64; 3], v: [f64; 3]) -> (Moved<f64>, bool) {
    let (placed, origin) = placed(collider.clone(), time, h);
    let (x, v) = (Vec3::from(x), Vec3::from(v));
    let start = Moved { x, compensation: Vec3::zero(), v };
    let mut m = Moved { x: x + v * h, ..start };
    let touches = collide_with(&placed, &[], -Vec3::from(origin), &start, &mut m, 1.0 / h);
    (m, touches)
}

fn close(a: Vec3<f64>, b: [f64; 3], tolerance: f64) {
    assert!((a - Vec3::from(b)).length() < tolerance, "{a:?} is not {b:?}");
}

#[test]
fn a_plane_bounces_and_brakes_as_the_walls_do() {
    let plane = Collider { friction: 0.25, restitution: 0.5, ..Collider::default() };
    let (m, touches) = step(&plane, 0.0, 0.1, [0.0, 0.0, 0.1], [3.0, 4.0, -2.0]);
    assert!(touches);
    // Normal change 3 m/s, so friction takes 0.75 of the 5 m/s along the floor, and as much of the way.
    close(m.x, [0.3 * 0.85, 0.4 * 0.85, 0.0], 1e-7);
    close(m.v, [3.0 * 0.85, 4.0 * 0.85, 1.0], 1e-6);
    let (m, touches) = step(&plane, 0.0, 0.1, [0.0, 0.0, 1.0], [3.0, 4.0, -2.0]);
    assert!(!touches);
    assert_eq!(m.v, vec3(3.0, 4.0, -2.0));
}

#[test]
fn what_sticks_moves_as_the_surface_does() {
    let turning = ColliderMotion::Steady { velocity: [0.5, 0.0, 0.2], spin: [0.0, 0.0, 20.0] };
    let table = Collider {
        rotate: Rotation::Euler([0.0, 0.0, 30.0]),
        translate: [1.0, 2.0, 0.5],
        friction: 1e3,
        motion: Some(turning),
        ..Collider::default()
    };
    let (h, point) = (0.01, [0.3, 0.1, 0.0]);
    let [before, after] = [0.99, 1.0].map(|time| table.pose(time).place(point));
    let (m, touches) = step(&table, 1.0, h, before, [0.0, 0.0, -1.0]);
    assert!(touches);
    close(m.x, after, 1e-6);
    close(m.v, std::array::from_fn(|k| (after[k] - before[k]) / h), 1e-4);
}

#[test]
fn a_plate_takes_along_what_it_meets() {
    let motion = Some(ColliderMotion::Steady { velocity: [0.0, 0.0, 3.0], spin: [0.0; 3] });
    let plate = Collider { motion, friction: 0.0, ..Collider::default() };
    let (m, touches) = step(&plate, 1.0, 0.01, [0.0, 0.0, 2.99], [0.5, 0.0, 0.0]);
    assert!(touches);
    close(m.x, [0.005, 0.0, 3.0], 1e-6);
    close(m.v, [0.5, 0.0, 3.0], 1e-4);
}

#[test]
fn no_number_is_no_contact() {
    for bad in [f64::NAN, f64::INFINITY] {
        let (_, touches) = step(&Collider::default(), 0.0, 0.1, [bad; 3], [bad; 3]);
        assert!(!touches || bad.is_infinite());
    }
}

#[test]
fn impulses_are_added_up_by_what_gave_them() {
    let mut contact = Contact::default();
    note(&mut contact, 2.0, vec3(0.0, 0.0, 1.0));
    note(&mut contact, WALLS, vec3(5.0, 0.0, 0.0));
    note(&mut contact, 2.0, vec3(0.0, 0.0, 1.0));
    assert_eq!(contact, [[0.0, 0.0, 2.0, 2.0], [5.0, 0.0, 0.0, WALLS]]);
    let sum = ContactForces::sum(&[contact, Contact::default()], 2, 0.5);
    assert_eq!(sum.on_colliders, [[0.0; 3], [0.0, 0.0, -4.0]]);
    assert_eq!(sum.touching, 1);
}
