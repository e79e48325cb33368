//! Colliders that are taken hold of.

use pliant_mesh::shapes;
use pliant_sim::scene::{Collider, ColliderMesh, ColliderShape, Rotation};

use super::*;

/// A ball beside the bar, at the height of the bar's middle, and ground under both.
fn beside(shape: ColliderShape) -> Scene {
    let ball =
        Collider { name: "ball".into(), shape, translate: [-0.2, 0.1, 1.1], ..Collider::default() };
    let ground = Collider { name: "ground".into(), ..Collider::default() };
    let mut scene = bar();
    scene.world.gravity = [0.0; 3];
    Scene { colliders: vec![ground, ball], ..scene }
}

fn shapes() -> [ColliderShape; 3] {
    let mesh = shapes::ball(0.15, 0.05).unwrap();
    [
        ColliderShape::Sphere { radius: 0.15, hollow: false },
        ColliderShape::Box { size: [0.2, 0.3, 0.3], hollow: false },
        ColliderShape::Mesh(ColliderMesh::of(Source::Inline(mesh))),
    ]
}

#[test]
fn a_collider_is_dragged_and_pushes_what_is_in_its_way() {
    for shape in shapes() {
        let mut test = Test::new(beside(shape.clone()));
        test.obey([grab(-0.2, 0.1, 0.05)]);
        let [(7, Some(hit))] = test.controls.status().held[..] else { panic!("{shape:?}") };
        assert!(hit[2] > 1.2 && hit[2] < 1.27, "{hit:?}");
        assert!(matches!(test.player.session().simulator().touches(), [Touch::Carry(_)]));
        test.obey([Order::Lead { hand: 7, ray: ray(0.1, 0.1) }]);
        let before = test.player.session().simulator().positions();
        test.steps(100);
        let sim = test.player.session().simulator();
        let displaced = sim.displacement(1);
        assert!((displaced[0] - 0.3).abs() < 1e-9 && displaced[2].abs() < 1e-9, "{displaced:?}");
        let moved = sim.positions()[0][0] - before[0][0];
        assert!(moved > 0.1, "{shape:?}: the bar went {moved} m");
        let frame = test.controls.frame().unwrap();
        assert_eq!(frame.displaced[1], displaced);
        // Where it was there is nothing any more; where it is now it can be taken again.
        test.obey([Order::Session(Command::Release { hand: 7 }), grab(-0.24, 0.1, 0.05)]);
        assert_eq!(test.controls.status().held, [(7, None)]);
        test.obey([grab(0.1, 0.1, 0.05)]);
        assert!(test.controls.status().held[0].1.is_some());
    }
}

#[test]
fn going_back_in_time_puts_colliders_back() {
    for shape in shapes() {
        let mut test = Test::new(beside(shape));
        test.obey([grab(-0.2, 0.1, 0.05), Order::Lead { hand: 7, ray: ray(0.0, 0.1) }]);
        test.pass(2.0);
        test.steps(130);
        let (there, hash) = (test.player.session().simulator().displacement(1), test.hash());
        assert!(there[0] > 0.1);
        test.obey([Order::Session(Command::Release { hand: 7 })]);
        let free = test.hash();
        assert_ne!(free, hash, "who holds is part of the state");
        test.obey([Order::Rewind(0)]);
        assert_eq!(test.player.session().simulator().displacement(1), [0.0; 3]);
        test.obey([Order::Rewind(130)]);
        assert!(test.step() > 0);
        let sim = test.player.session().simulator();
        assert_eq!(sim.displacement(1), there, "at step {}", test.step());
        test.obey([Order::Reset]);
        assert_eq!(test.player.session().simulator().displacement(1), [0.0; 3]);
    }
}

#[test]
fn what_is_nearest_is_taken() {
    // The ball is above the bar.
    let mut scene = beside(ColliderShape::Sphere { radius: 0.1, hollow: false });
    scene.colliders[1].translate = [0.2, 0.1, 1.5];
    let mut test = Test::new(scene.clone());
    let taken = |test: &mut Test, order: Order| {
        test.obey([order]);
        match test.player.session().simulator().touches() {
            [Touch::Carry(carry)] => format!("collider {}", carry.collider),
            [Touch::Drag(_)] => "bar".into(),
            _ => "nothing".into(),
        }
    };
    assert_eq!(taken(&mut test, grab(0.2, 0.1, 0.05)), "collider 1");
    assert_eq!(taken(&mut test, grab(0.35, 0.1, 0.05)), "bar");
    assert_eq!(taken(&mut test, grab(3.0, 3.0, 0.05)), "nothing", "ground stays");
    // One looks into what is hollow: the far side of a turned cylinder is behind the bar.
    scene.colliders[1].shape = ColliderShape::Cylinder { radius: 1.0, length: 3.0, hollow: true };
    scene.colliders[1].rotate = Rotation::Euler([90.0, 0.0, 0.0]);
    let mut test = Test::new(scene);
    assert_eq!(taken(&mut test, grab(0.35, 0.1, 0.05)), "bar");
    assert_eq!(taken(&mut test, grab(0.6, 0.1, 0.05)), "collider 1");
    let [(7, Some(hit))] = test.controls.status().held[..] else { panic!() };
    assert!((hit[2] - (1.5 - 0.84_f64.sqrt())).abs() < 1e-4, "{hit:?}");
}
