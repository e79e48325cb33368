//! A hundred bodies in two layers, no two alike.

use pliant_sim::Scene;
use pliant_sim::scene::{Body, Contact, Rotation, Shape, World};

use super::{body, gel, jolt, scene, seen, walls};

/// Bodies along x and y, and layers of them.
const COUNT: [u64; 3] = [10, 5, 2];
/// From one body to the next \[m\]: just so much that none overlaps another before it falls.
const SPACING: [f64; 3] = [0.27, 0.27, 0.4];

pub fn crowd() -> Scene {
    let [columns, rows, layers] = COUNT;
    let bodies = (0..columns * rows * layers).map(|i| {
        let (column, row, layer) = (i % columns, i / columns % rows, i / (columns * rows));
        // Numbers in a jumbled order, so that neighbours differ in everything.
        let part = |n: u64| ((i * 37 + n * 61) % 100) as f64 / 100.0;
        let size = 0.07 + 0.035 * part(1);
        let young = 6e3 * 6f64.powf(part(2));
        let middle = |cell: u64, k: usize| (cell as f64 - 0.5 * (COUNT[k] - 1) as f64) * SPACING[k];
        let tilt = |n: u64| 24.0 * (part(n) - 0.5);
        let rotate = Rotation::Euler([tilt(3), tilt(4), 360.0 * part(6)]);
        // The upper ones fall between the lower ones.
        let aside = 0.4 * layer as f64 * SPACING[0];
        let height = 0.15 + 0.1 * part(5) + SPACING[2] * layer as f64;
        let place = [middle(column, 0) + aside, middle(row, 1) + aside, height];
        let (shape, centre) = shape(i, size);
        let turned = rotate.matrix().map(|row| (0..3).map(|k| row[k] * centre[k]).sum::<f64>());
        Body {
            rotate,
            translate: std::array::from_fn(|k| place[k] - turned[k]),
            ..body(format!("body-{i}"), shape, gel(young, 1e-3))
        }
    });
    let side = |k: usize| COUNT[k] as f64 * SPACING[k] + 0.5;
    let world = World {
        timestep: 4e-4,
        damping: 2.5,
        bounds: walls([side(0), side(1), 2.5], 1.0),
        contact: Some(Contact::default()),
        ..World::default()
    };
    let actions = [1.2, 2.2].map(|start| jolt(start, 0.25, [0.0, 0.0, 13.5]));
    let scene = scene("crowd", world, bodies.collect(), 3.4);
    let scene = Scene { actions: actions.concat(), ..scene };
    seen(scene, [0.3, -1.0, 0.62], [0.05, 0.0, 0.05], 3.6)
}

/// One of many kinds of bodies of about `size` \[m\] from the middle to the rim, and where its middle
/// is.
fn shape(i: u64, size: f64) -> (Shape, [f64; 3]) {
    const HERE: [f64; 3] = [0.0; 3];
    let cell = 0.5 * size;
    // Colours go round by eight as well, but not in step.
    match (i + i / 8) % 8 {
        0 => (Shape::Ball { radius: size, cell }, HERE),
        1 => (Shape::bar([4; 3], [1.5 * size; 3]), [0.75 * size; 3]),
        2 => (Shape::Torus { radius: 0.8 * size, tube: 0.4 * size, cell: 0.7 * cell }, HERE),
        3 => (Shape::Blob { radius: 0.8 * size, cell: 0.9 * cell, seed: i }, HERE),
        4 => (Shape::Capsule { radius: 0.55 * size, length: size, cell }, HERE),
        5 => {
            let sides = [2.0 * size, size, size];
            let bar = Shape::IrregularBar { cells: [5, 3, 3], size: sides, seed: i };
            (bar, sides.map(|s| 0.5 * s))
        }
        6 => {
            let (radius, thickness) = (1.2 * size, 0.7 * size);
            (Shape::Star { radius, thickness, cell: 0.8 * cell }, HERE)
        }
        _ => {
            let length = 1.2 * size;
            (Shape::Cylinder { radius: 0.7 * size, length, cell }, [0.5 * length, 0.0, 0.0])
        }
    }
}
