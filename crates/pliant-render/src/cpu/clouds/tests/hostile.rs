//! What rays must survive: walks through whatever connectivity, and chords of deformed bodies.

use super::*;
use crate::cpu;
use crate::volume::walk::{Ring, walk};

/// Numbers that look random, always the same ones.
struct Random(u64);

impl Random {
    /// From 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn below(&mut self, count: usize) -> u32 {
        (self.next() * count as f64) as u32
    }
}

/// The signed length in depth of all walks of a ray, and from where it crosses the surface, in double
/// precision. Both start from the same vertices in the picture.
fn lengths(mesh: &Mesh, points: &[Point], place: Place) -> (f64, f64, usize) {
    let (mut walked, mut crossed, mut dead) = (0.0, 0.0, 0);
    for face in &mesh.surface {
        if let Some(ring) = Ring::enter(points, place, face) {
            let mut steps = 0;
            let done = walk(mesh, points, place, ring, |_, [from, to], _| {
                walked += f64::from(to) - f64::from(from);
                steps += 1;
            });
            dead += usize::from(!done);
            assert!(steps <= mesh.tets.len(), "no tetrahedron is met twice");
        }
        let corners = face.corners.map(|v| points[v as usize].map(f64::from));
        let [a, b, c] = corners
            .map(|p| [p[0] - f64::from(place.x) * p[2], p[1] - f64::from(place.y) * p[2], p[2]]);
        let edge = |a: [f64; 3], b: [f64; 3]| a[0] * b[1] - b[0] * a[1];
        let parts = [edge(b, c), edge(c, a), edge(a, b)];
        if parts.iter().all(|p| *p >= 0.0) || parts.iter().all(|p| *p <= 0.0) {
            let total: f64 = parts.iter().sum();
            let depth = (a[2] * parts[0] + b[2] * parts[1] + c[2] * parts[2]) / total;
            // Positive where the ray enters.
            crossed -= total.signum() * depth;
        }
    }
    (walked, crossed, dead)
}

/// Compares walks with chords for many rays; says how many of them met something.
fn check_chords(name: &str, solid: &Solid, random: &mut Random) {
    let body = solid.body();
    let mesh = Mesh::new(&[&body]).unwrap();
    check_mesh(name, &mesh, solid, random);
}

fn check_mesh(name: &str, mesh: &Mesh, solid: &Solid, random: &mut Random) {
    let body = solid.body();
    let table = Table::new(&dense(&[(0.0, 1.0)]));
    let (mut met, mut dead, mut off) = (0, 0, 0);
    for _ in 0..4 {
        let direction = [0; 3].map(|_| random.between(-1.0, 1.0));
        let camera = looking(direction.map(|d| 3.0 * d + 0.1));
        let projection = camera.projection([0.0; 3], 512, 512).unwrap();
        let points = points(&[&body], &table, &projection, 3.0);
        for _ in 0..600 {
            let place = Place {
                x: random.between(-200.0, 200.0) as f32,
                y: random.between(-200.0, 200.0) as f32,
            };
            let (walked, crossed, ends) = lengths(mesh, &points, place);
            dead += ends;
            off += usize::from((walked - crossed).abs() > 1e-4);
            assert!(
                (walked - crossed).abs() < 2e-3 || ends > 0,
                "{name}: {walked} is not {crossed} at {place:?}"
            );
            met += usize::from(crossed > 0.1);
        }
    }
    assert!(met > 300, "{name}: {met} rays met the body");
    assert_eq!(dead, 0, "{name}: dead ends");
    // Faces seen nearly edge on leave single precision some play in depth.
    assert!(off <= 5, "{name}: {off} rays off by more than 1e-4");
}

fn centred_bar(cells: [u32; 3]) -> Solid {
    let mut solid = Solid::new(&shapes::bar(cells, [1.0; 3], Split::Six), |p| p[0]);
    solid.positions.iter_mut().flatten().for_each(|c| *c -= 0.5);
    solid
}

#[test]
fn walks_are_as_long_as_chords() {
    let mut random = Random(1);
    let bar = centred_bar([6, 6, 6]);
    check_chords("convex", &bar, &mut random);
    check_chords("bunny", &Solid::new(&shapes::bunny(1.0, 0.1).unwrap(), |_| 0.0), &mut random);
    let mut holed = bar.clone();
    holed.tets.retain(|t| {
        let middle = |k: usize| t.iter().map(|&v| bar.positions[v as usize][k]).sum::<f32>() / 4.0;
        !(middle(0).abs() < 0.2 && middle(1) > -0.1) && middle(2) < 0.4 - 0.3 * middle(0)
    });
    check_chords("not convex", &holed, &mut random);
    let mut twisted = bar.clone();
    for p in &mut twisted.positions {
        let (sin, cos) = (3.0 * p[2]).sin_cos();
        *p = [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1], p[2]];
    }
    check_chords("twisted", &twisted, &mut random);
}

#[test]
fn walks_through_inverted_and_flat_tetrahedra_are_as_long_as_chords() {
    let mut random = Random(2);
    let rest = centred_bar([6, 6, 6]);
    let mesh = Mesh::new(&[&rest.body()]).unwrap();
    let mut shaken = rest.clone();
    for p in shaken.positions.iter_mut().flatten() {
        *p += random.between(-0.12, 0.12) as f32;
    }
    let volume = |solid: &Solid, tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| Vec3::from(solid.positions[v as usize]));
        (b - a).cross(c - a).dot(d - a)
    };
    let signs = |solid: &Solid| solid.tets.iter().filter(|t| volume(solid, t) < 0.0).count();
    assert!(signs(&shaken).abs_diff(signs(&rest)) > 100, "many are inverted");
    check_mesh("shaken", &mesh, &shaken, &mut random);
    // A whole layer pressed flat.
    let mut flat = rest.clone();
    for p in &mut flat.positions {
        p[2] = if p[2].abs() < 0.2 { 0.0 } else { p[2] };
    }
    check_mesh("flat", &mesh, &flat, &mut random);
    // Turned inside out in part.
    let mut folded = rest.clone();
    folded.positions.iter_mut().for_each(|p| p[0] = (p[0] + 0.25).abs() - 0.5 * p[1]);
    check_mesh("folded", &mesh, &folded, &mut random);
}

#[test]
fn rays_through_vertices_and_edges_meet_no_dead_ends() {
    // Looked at along an axis, through places where vertices line up exactly.
    let bar = centred_bar([4, 4, 4]);
    let mesh = Mesh::new(&[&bar.body()]).unwrap();
    let points: Vec<Point> = bar
        .positions
        .iter()
        .map(|p| {
            let w = 4.0 + p[1];
            [256.0 * p[0] * w, -256.0 * p[2] * w, w, 0.0]
        })
        .collect();
    for i in -64i32..=64 {
        for j in -64i32..=64 {
            let place = Place { x: 2.0 * i as f32, y: 2.0 * j as f32 };
            let (walked, _, dead) = lengths(&mesh, &points, place);
            let inside = i.abs() < 64 && j.abs() < 64;
            assert_eq!(dead, 0, "{place:?}");
            assert!(!inside || (walked - 1.0).abs() < 1e-5, "{walked} at {place:?}");
        }
    }
}

#[test]
fn tetrahedra_in_any_order_of_corners_are_seen() {
    let mut bar = centred_bar([3, 3, 3]);
    let mut random = Random(5);
    for tet in &mut bar.tets {
        for k in 0..4 {
            tet.swap(k, random.below(4) as usize);
        }
    }
    let geometry = Geometry { bodies: vec![bar.body()], ..Geometry::default() };
    let view = view(looking([1.0, -3.0, 0.8]), dense(&[(0.0, 1.5)]));
    let mixed = exposed(&geometry, &view, [64, 48]);
    let sorted = centred_bar([3, 3, 3]);
    let geometry = Geometry { bodies: vec![sorted.body()], ..Geometry::default() };
    for (a, b) in mixed.into_iter().zip(exposed(&geometry, &view, [64, 48])) {
        assert!((a[0] - b[0]).abs() < 1e-5, "{a:?} {b:?}");
    }
}

#[test]
fn nothing_hangs_on_garbage() {
    let mut random = Random(7);
    for round in 0..30usize {
        let count = 12 + 4 * round;
        let mut solid = Solid::default();
        for _ in 0..count {
            solid.positions.push([0; 3].map(|_| random.between(-1.0, 1.0) as f32));
            solid.values.push(random.between(-1.0, 2.0) as f32);
        }
        for _ in 0..10 * count {
            solid.tets.push([0; 4].map(|_| random.below(count)));
        }
        for bad in [f32::NAN, f32::INFINITY, f32::MAX, -1e30, 1e-40] {
            let v = random.below(count) as usize;
            solid.positions[v][round % 3] = bad;
            let v = random.below(count) as usize;
            solid.values[v] = bad;
        }
        let geometry = Geometry { bodies: vec![solid.body()], ..Geometry::default() };
        let mut look = Look::new(crate::volume::Preset::Tissue.transfer());
        look.isos = vec![Iso { value: 0.4, colour: None, opacity: 0.5 }];
        look.slice =
            Some(Slice { point: [0.0; 3], normal: [1.0, 1.0, 0.0], clears: round % 2 == 0 });
        let eye = if round % 3 == 0 { [0.1, 0.0, 0.0] } else { [0.5, -3.0, 1.0] };
        let view = view(Camera { target: [0.0, 0.2, 0.1], ..looking(eye) }, look);
        let picture = cpu::render(&geometry, &view, 60, 40, 2).unwrap();
        assert!(picture.image.pixels.iter().all(|p| p[3] == 255));
    }
}

#[test]
fn bodies_with_vertices_that_are_not_there_are_seen_elsewhere() {
    let mut bar = centred_bar([6, 6, 6]);
    let corner = bar.positions.iter().position(|p| *p == [0.5; 3]).unwrap();
    let whole = bar.clone();
    bar.positions[corner] = [f32::NAN; 3];
    let view = view(looking([1.0, -3.0, 0.8]), dense(&[(0.0, 1.5)]));
    let light = |solid: &Solid| {
        let geometry = Geometry { bodies: vec![solid.body()], ..Geometry::default() };
        exposed(&geometry, &view, [64, 48])
    };
    let differ =
        light(&bar).into_iter().zip(light(&whole)).filter(|(a, b)| (a[0] - b[0]).abs() > 1e-3);
    let differ = differ.count();
    assert!(differ > 0 && differ < 150, "{differ}: only rays through the corner");
    assert_eq!(
        cpu::render(
            &Geometry { bodies: vec![bar.body()], ..Geometry::default() },
            &view,
            64,
            48,
            1
        )
        .unwrap()
        .skipped,
        1
    );
}
