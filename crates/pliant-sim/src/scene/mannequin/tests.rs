//! Proportions of the figure, and that it walks as it should.

use super::proportions::{ANKLE, FOREARM, Form, HIP, SHANK, THIGH, UPPER_ARM};
use super::*;
use crate::scene::ColliderShape;

const HEIGHT: f64 = 1.75;
const SPEED: f64 = 1.2;
const POSES: [MannequinPose; 4] =
    [MannequinPose::Relaxed, MannequinPose::A, MannequinPose::T, MannequinPose::ArmInFront];

fn walking(pose: MannequinPose) -> Mannequin {
    Mannequin { pose, motion: MannequinMotion::Walk, speed: SPEED, ..Mannequin::default() }
}

/// The two ends of a part that is a capsule, before it is rounded \[m\].
fn ends(figure: &Figure, part: MannequinPart, height: f64) -> [[f64; 3]; 2] {
    let (ColliderShape::Capsule { length, .. }, _) = part.shape(height) else {
        panic!("{part:?} is no capsule")
    };
    let pose = figure.pose_of(part);
    let ends = [0.5, -0.5].map(|end| pose.place([0.0, 0.0, end * length]));
    // As its form has them: the first end is at the top of what hangs.
    if part.name().ends_with("foot") { [ends[0], ends[1]] } else { ends }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Seconds of a stride.
fn period(height: f64, speed: f64) -> f64 {
    2.0 * (0.39 * (height / 1.75).powf(1.5) / speed).sqrt()
}

#[test]
fn proportions_are_those_of_people() {
    use MannequinPart::{
        Head, LeftFoot, LeftForearm, LeftHand, LeftShank, LeftThigh, LeftUpperArm,
    };
    let figure = Figure::standing(HEIGHT, MannequinPose::T);
    let near = |what: &str, value: f64, fraction: f64| {
        assert!((value / HEIGHT - fraction).abs() < 3e-3, "{what}: {}", value / HEIGHT);
    };
    let radius = |part: MannequinPart| match part.form() {
        Form::Capsule { radius, .. } => radius * HEIGHT,
        Form::Block { .. } => panic!("{part:?} is no capsule"),
    };
    let top = ends(&figure, Head, HEIGHT).map(|end| end[2]).into_iter().fold(0.0, f64::max);
    near("height", top + radius(Head), 1.0);
    near("hip", ends(&figure, LeftThigh, HEIGHT)[0][2], HIP);
    near("knee", ends(&figure, LeftShank, HEIGHT)[0][2], 0.285);
    near("ankle", ends(&figure, LeftShank, HEIGHT)[1][2], ANKLE);
    let length = |part| {
        let [a, b] = ends(&figure, part, HEIGHT);
        distance(a, b)
    };
    near("thigh", length(LeftThigh), THIGH);
    near("shank", length(LeftShank), SHANK);
    near("upper arm", length(LeftUpperArm), UPPER_ARM);
    near("forearm", length(LeftForearm), FOREARM);
    near("foot", length(LeftFoot) + 2.0 * radius(LeftFoot), 0.152);
    // The sole is on the ground, and arms are level in the shape of a T.
    let sole = ends(&figure, LeftFoot, HEIGHT).map(|end| end[2] - radius(LeftFoot));
    assert!(sole.iter().all(|z| z.abs() < 1e-9), "{sole:?}");
    let [shoulder, _] = ends(&figure, LeftUpperArm, HEIGHT);
    let [_, tip] = ends(&figure, LeftHand, HEIGHT);
    assert!((shoulder[2] - tip[2]).abs() < 1e-9 && tip[1] > 0.43 * HEIGHT, "{tip:?}");
}

#[test]
fn its_parts_are_colliders_with_names_that_stand_or_walk() {
    for motion in [MannequinMotion::Stand, MannequinMotion::Walk] {
        let turned = Mannequin {
            name: "ann".into(),
            motion,
            rotate: Rotation::Euler([0.0, 0.0, 90.0]),
            translate: [1.0, 2.0, 0.5],
            friction: 0.25,
            start: 1.0,
            ..Mannequin::default()
        };
        let parts = turned.colliders();
        assert_eq!(parts.len(), MannequinPart::ALL.len());
        assert_eq!(parts[0].name, "ann-head");
        assert!(parts.iter().all(|part| part.friction == 0.25));
        // It looks along y; what was left of it is now at smaller x.
        let head = parts[0].pose(0.0).translation;
        assert!((head[0] - 1.0).abs() < 1e-9 && head[1] > 2.0 && head[2] > 2.0, "{head:?}");
        let left = parts.iter().find(|part| part.name == "ann-left-hand").unwrap();
        assert!(left.pose(0.0).translation[0] < 0.8, "{left:?}");
        let way = distance(parts[0].pose(3.0).translation, head);
        assert_eq!(parts[0].pose(1.0), parts[0].pose(0.0), "not before its start");
        match motion {
            MannequinMotion::Stand => assert_eq!(way, 0.0),
            MannequinMotion::Walk => {
                let moved = parts[0].pose(3.0).translation[1] - head[1];
                assert!((way - moved).abs() < 0.02 && way > 1.8, "{way}");
            }
        }
    }
}

/// Positions and velocities change little from moment to moment: nothing jumps, nor is anything kicked.
#[test]
fn nothing_jumps_while_it_walks() {
    const MOMENT: f64 = 2e-4;
    for pose in [MannequinPose::Relaxed, MannequinPose::ArmInFront] {
        for part in (Mannequin { start: 0.3, ..walking(pose) }).colliders() {
            let places = |i: u32| {
                let pose = part.pose(f64::from(i) * MOMENT);
                [[0.0; 3], [0.1, 0.1, 0.1]].map(|own| pose.place(own))
            };
            let mut last = [places(0), places(1)];
            for i in 2..15_000 {
                let now = places(i);
                for k in 0..2 {
                    let way = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
                        std::array::from_fn(|k| (b[k] - a[k]) / MOMENT)
                    };
                    let [before, after] = [way(last[0][k], last[1][k]), way(last[1][k], now[k])];
                    let kick = distance(before, after);
                    let speed = distance(after, [0.0; 3]);
                    // Accelerations of a foot that swings; a kick would not depend on the moment.
                    assert!(kick < 400.0 * MOMENT, "{} at {i}: {kick} m/s", part.name);
                    assert!(speed < 7.0, "{} at {i}: {speed} m/s", part.name);
                }
                last = [last[1], now];
            }
        }
    }
}

#[test]
fn strides_are_alike_and_as_fast_as_asked() {
    let period = period(HEIGHT, SPEED);
    for part in walking(MannequinPose::Relaxed).colliders() {
        for i in 0..40 {
            let time = 2.0 * period + 0.031 * f64::from(i);
            let [a, b] = [time, time + period].map(|t| part.pose(t));
            let way = b.translation[0] - a.translation[0];
            assert!((way - SPEED * period).abs() < 1e-9, "{}", part.name);
            assert!((b.translation[1] - a.translation[1]).abs() < 1e-9, "{}", part.name);
            assert!((b.translation[2] - a.translation[2]).abs() < 1e-9, "{}", part.name);
            let turned = (0..3).map(|r| distance(a.rotation[r], b.rotation[r])).sum::<f64>();
            assert!(turned < 1e-9, "{}", part.name);
        }
    }
}

#[test]
fn feet_stand_where_they_stand_and_legs_reach_them() {
    use MannequinPart::{LeftFoot, LeftShank, LeftThigh, RightFoot, RightShank, RightThigh};
    for height in [0.3, 1.2, HEIGHT, 2.1] {
        for share in [0.05, 0.3, 0.6, 1.0] {
            let speed = share * Mannequin::most_speed(height);
            let period = period(height, speed);
            let figure = |t: f64| Figure::walking(height, MannequinPose::Relaxed, speed, t);
            let mut standing_still = 0.0;
            for i in 0..600 {
                let time = period * 4.0 * f64::from(i) / 600.0;
                let now = figure(time);
                let mut standing = 0;
                for [foot, shank, thigh] in
                    [[LeftFoot, LeftShank, LeftThigh], [RightFoot, RightShank, RightThigh]]
                {
                    let [heel, ball] = ends(&now, foot, height);
                    let sole = ball[2].min(heel[2]) - 0.022 * height;
                    assert!(sole > -1e-9, "{sole} below the ground at {time}");
                    let later = ends(&figure(time + 1e-5 * period), foot, height)[1];
                    let speed_of_ball = distance(ball, later) / (1e-5 * period);
                    // On the ground it does not slide.
                    if sole < 1e-12 * height {
                        standing += usize::from(speed_of_ball < 1e-6 * speed);
                    }
                    let [hip, knee] = ends(&now, thigh, height);
                    let [top, ankle] = ends(&now, shank, height);
                    assert!(distance(knee, top) < 1e-9, "the knee at {time}");
                    // Behind and above the ball.
                    let foot_length = distance(ankle, ball) / height;
                    assert!((foot_length - 0.0916).abs() < 1e-3, "{foot_length} at {time}");
                    let leg = distance(hip, ankle) / height / (THIGH + SHANK);
                    assert!(leg < 0.9999, "a leg is stretched out at {time}: {leg} of its length");
                }
                assert!(standing >= 1, "both feet are in the air at {time}");
                standing_still += standing as f64;
            }
            assert!((1.1..1.4).contains(&(standing_still / 600.0)), "{standing_still}");
        }
    }
}

/// There is room for cloth between arms and trunk, in every pose, all the way.
#[test]
fn arms_keep_clear_of_the_trunk() {
    for pose in POSES {
        let parts = walking(pose).colliders();
        let part = |name: &str| parts.iter().find(|p| p.name.ends_with(name)).unwrap();
        for i in 0..200 {
            let time = 0.02 * f64::from(i);
            for side in ["left", "right"] {
                for name in ["forearm", "hand"] {
                    let arm = part(&format!("{side}-{name}"));
                    let ColliderShape::Capsule { radius, length, .. } = arm.shape else { panic!() };
                    for trunk in ["chest", "abdomen", "pelvis", "left-thigh", "right-thigh"] {
                        let (trunk, at) = (part(trunk), part(trunk).pose(time));
                        let half = match trunk.shape {
                            ColliderShape::Box { size, .. } => size.map(|edge| 0.5 * edge),
                            ColliderShape::Capsule { length, .. } => [0.0, 0.0, 0.5 * length],
                            _ => panic!(),
                        };
                        let round = match trunk.shape {
                            ColliderShape::Capsule { radius, .. } => radius,
                            _ => trunk.thickness,
                        };
                        for k in 0..=10 {
                            let along = length * (f64::from(k) / 10.0 - 0.5);
                            let p = arm.pose(time).place([0.0, 0.0, along]);
                            let own =
                                at.turned_back(std::array::from_fn(|k| p[k] - at.translation[k]));
                            let beyond = std::array::from_fn(|k| (own[k].abs() - half[k]).max(0.0));
                            let gap = distance(beyond, [0.0; 3]) - round - radius;
                            assert!(
                                gap > 0.012,
                                "{pose:?}: {} is {gap} m from {} at {time}",
                                arm.name,
                                trunk.name
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn motions_of_parts_are_written_and_read() {
    let text = "[[bodies]]\nshape = { kind = 'ball', radius = 0.1, cell = 0.05 }\n\
                [[mannequins]]\nmotion = 'walk'\npose = 'arm_in_front'\nstart = 0.5\nspeed = 0.75\n\
                height = 1.5\n";
    let scene = crate::Scene::from_toml(text, "scene.toml").unwrap();
    assert!(scene.mannequins.is_empty() && scene.colliders.len() == 19);
    let again = crate::Scene::from_toml(&scene.to_toml().unwrap(), "again").unwrap();
    assert_eq!(again, scene);
    let Some(ColliderMotion::Walk(walk)) = &again.colliders[3].motion else { panic!() };
    assert_eq!((walk.part, walk.start), (MannequinPart::LeftShoulder, 0.5));
    let four = text.to_owned() + &"[[mannequins]]\nname = 'a'\n".repeat(3);
    for (bad, said) in [
        (text.replace("1.5", "-1.5"), "`mannequins[0].height` must be greater than 0"),
        (text.replace("0.75", "3"), "`mannequins[0].speed` must be at most 1.92 m/s"),
        (text.replace("0.75", "nan"), "`mannequins[0].speed` must be"),
        (text.replace("arm_in_front", "b"), "unknown choice `b`"),
        (text.replace("motion = 'walk'", "name = ''"), "`mannequins[0].name` is empty"),
        (format!("{text}[[mannequins]]\n"), "both called \"mannequin-head\""),
        (four, "the scene has 76 colliders, more than 64"),
    ] {
        let told = crate::Scene::from_toml(&bad, "scene.toml").expect_err(&bad).to_string();
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn on_a_treadmill_it_stays_where_it_is_and_feet_go_back() {
    let mannequin = Mannequin { in_place: true, ..walking(MannequinPose::Relaxed) };
    let way = |part: MannequinPart, time: f64| mannequin.walk(part).unwrap().at(time).shift;
    let abroad = walking(MannequinPose::Relaxed);
    for i in 0..200 {
        let time = 0.05 * f64::from(i);
        let pelvis = way(MannequinPart::Pelvis, time);
        assert!(pelvis[0].abs() < 0.02, "{time} s: {pelvis:?}");
        // Nothing else is different.
        let there = abroad.walk(MannequinPart::LeftFoot).unwrap().at(time);
        let here = mannequin.walk(MannequinPart::LeftFoot).unwrap().at(time);
        assert_eq!(
            (here.turn, here.shift[1], here.shift[2]),
            (there.turn, there.shift[1], there.shift[2])
        );
    }
    // While a foot stands it goes back as fast as the figure walks.
    let period = period(HEIGHT, SPEED);
    let mid = 5.2 * period;
    let speed =
        (way(MannequinPart::LeftFoot, mid + 0.01)[0] - way(MannequinPart::LeftFoot, mid)[0]) / 0.01;
    assert!((speed + SPEED).abs() < 0.02, "{speed} m/s");
}
