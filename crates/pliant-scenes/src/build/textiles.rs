//! Scenes of cloth that is led, and of what is made of it.

use pliant_sim::Scene;
use pliant_sim::scene::{
    Body, Mannequin, MannequinMotion, MannequinPose, Pin, Region, Rotation, Seam, SeamSide, Shape,
    Tear, Wind, World,
};

use super::contact::{keyframes, world};
use super::{GRAVITY, body, scene, seen, set, woven};

pub fn curtain() -> Scene {
    const SIZE: [f64; 2] = [1.2, 1.0];
    const TOP: f64 = 1.1;
    const HOOKS: u32 = 17;
    // Drawn aside, hooks are so far apart along the rail, and by turns so far before and behind it.
    const GATHERED: [f64; 2] = [0.018, 0.024];
    let hook = |i: u32| {
        let part = f64::from(i) / f64::from(HOOKS - 1);
        let (x, side) = ((part - 0.5) * SIZE[0], if i.is_multiple_of(2) { 1.0 } else { -1.0 });
        let goes = GATHERED[0] * f64::from(i) - part * SIZE[0];
        // In tenths of millimetres, which read well in a scene file and travel well in a link.
        let rounded = |length: f64| (length * 1e4).round() / 1e4;
        let at = |time: f64, x: f64, y: f64| (time, [rounded(x), y, 0.0]);
        let shifts = [
            at(0.5, 0.0, 0.0),
            at(0.7, 0.04 * goes, side * GATHERED[1]),
            at(2.3, goes, side * GATHERED[1]),
        ];
        Pin {
            region: Region::Sphere { center: [rounded(x), 0.0, TOP], radius: 0.005 },
            motion: keyframes(&shifts),
            about: None,
        }
    };
    let curtain = Body {
        translate: [-0.5 * SIZE[0], 0.0, TOP - SIZE[1]],
        rotate: Rotation::Euler([90.0, 0.0, 0.0]),
        pins: (0..HOOKS).map(hook).collect(),
        ..body(
            "curtain",
            Shape::Cloth { cells: [48, 40], size: SIZE },
            woven(0.25, [150.0; 2], [10.0, 2.0], 5e-4),
        )
    };
    let scene = scene("curtain", world(2.5e-4, 1.0, Some(0.3)), vec![curtain], 3.6);
    seen(scene, [0.25, -1.0, 0.2], [0.0, 0.0, 0.6], 2.4)
}

pub fn cape() -> Scene {
    const SPEED: f64 = 1.2;
    let mannequin = Mannequin {
        motion: MannequinMotion::Walk,
        start: 1.2,
        speed: SPEED,
        in_place: true,
        thickness: 0.006,
        ..Mannequin::default()
    };
    // Between the shoulders and the head, and open in front.
    let cape = Body {
        translate: [0.0, 0.0, 1.496],
        ..body(
            "cape",
            Shape::Cape { neck: 0.08, length: 0.75, opening: 90.0, clasp: 0.06, cell: 0.04 },
            woven(0.2, [80.0; 2], [30.0, 1.0], 5e-4),
        )
    };
    // Whoever walks on the spot meets the air that they would walk through.
    let wind = Some(Wind { velocity: [-SPEED, 0.0, 0.0], ..Wind::default() });
    let world = World { wind, ..world(2.5e-4, 0.2, Some(0.3)) };
    let scene = Scene { mannequins: vec![mannequin], ..scene("cape", world, vec![cape], 6.0) };
    seen(scene, [0.8, -1.0, 0.2], [0.0, 0.0, 0.9], 3.4)
}

pub fn skirt() -> Scene {
    const SEWN: f64 = 1.2;
    let mannequin = Mannequin {
        pose: MannequinPose::A,
        motion: MannequinMotion::Walk,
        start: 2.0 * SEWN,
        in_place: true,
        friction: 0.6,
        thickness: 0.006,
        ..Mannequin::default()
    };
    let panels = Shape::SkirtPanels { waist: 0.9, hem: 1.7, length: 0.5, gap: 0.42, cell: 0.035 };
    let skirt = Body {
        translate: [0.0, 0.0, 1.1],
        ..body("skirt", panels, woven(0.2, [150.0, 140.0], [56.0, 1.0], 5e-4))
    };
    let side = |panel: &str, side: &str| SeamSide {
        body: "skirt".into(),
        region: Region::Group(format!("{panel}-{side}")),
    };
    let seam = |name: &str| Seam {
        name: name.into(),
        from: side("front", name),
        to: side("back", name),
        force: 0.4,
        time: 0.15,
        weld: true,
        tolerance: None,
        breaks: None,
        within: None,
    };
    // Nothing falls before it is sewn.
    let world = World { gravity: [0.0; 3], ..world(2e-4, 2.0, Some(0.3)) };
    let scene = Scene {
        mannequins: vec![mannequin],
        seams: vec![seam("left"), seam("right")],
        actions: vec![set(SEWN, "world.gravity", GRAVITY)],
        ..scene("skirt", world, vec![skirt], 5.0)
    };
    seen(scene, [0.9, -1.0, 0.2], [0.0, 0.0, 0.9], 3.2)
}

pub fn tear() -> Scene {
    const SIZE: [f64; 2] = [0.9, 0.75];
    const FOOT: f64 = 0.5;
    let top = FOOT + SIZE[1];
    // The upper corners are drawn to the left and to the right; `side` is −1 and 1.
    let hand = |side: f64| {
        let [low, high] = if side < 0.0 { [-0.46, -0.24] } else { [0.24, 0.46] };
        Pin {
            region: Region::Box { min: [low, -1.0, top - 0.01], max: [high, 1.0, top + 0.01] },
            motion: keyframes(&[(0.3, [0.0; 3]), (2.5, [0.3 * side, 0.0, 0.0])]),
            about: None,
        }
    };
    let weak = Region::Box { min: [-0.2, -1.0, 0.0], max: [0.2, 1.0, 2.0] };
    let sheet = Body {
        translate: [-0.5 * SIZE[0], 0.0, FOOT],
        rotate: Rotation::Euler([90.0, 0.0, 0.0]),
        pins: vec![hand(-1.0), hand(1.0)],
        tears: vec![Tear { region: weak, strength: 18.0 }],
        ..body(
            "sheet",
            Shape::Cloth { cells: [36, 30], size: SIZE },
            woven(0.2, [150.0; 2], [10.0, 0.5], 5e-4),
        )
    };
    let scene = scene("tear", world(2.5e-4, 1.0, Some(0.3)), vec![sheet], 3.0);
    seen(scene, [0.3, -1.0, 0.15], [0.0, 0.0, 0.75], 2.4)
}
