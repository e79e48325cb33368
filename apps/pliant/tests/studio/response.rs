//! However long a step takes, the window answers.

use std::time::{Duration, Instant};

use crate::window::{Window, number};

/// A block of 432,000 tetrahedra, whose steps are so many substeps that each takes seconds.
const HEAVY: &str = r#"name = "heavy"

[world]
timestep = 0.005
substeps = 200
box = false
gravity = [0, 0, 0]

[[bodies]]
shape = { kind = "bar", cells = [80, 30, 30], size = [0.8, 0.3, 0.3] }
material = { mass = { density = 1000 }, stiffness = { young = 10e3 } }
"#;

const ORBITS: usize = 5;
/// No answer may take longer. It is tenths of a second on an idle machine; this is for busy ones.
const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn the_camera_moves_in_the_middle_of_a_step() {
    let Some(mut window) = Window::open(HEAVY, &["--threads", "1"]) else { return };
    window.until("it runs", |s| s["playing"] == true);
    let [x, y] = window.place("viewport");
    window.press_at([x, y], "3");
    let mut answers = Vec::new();
    let mut within_a_step = 0;
    for i in 1..=ORBITS {
        let before = window.wait_for_frame().clone();
        let start = Instant::now();
        window.move_to([x + 40 * i, y]);
        let after = window.until("the camera moves", |s| s["camera"] != before["camera"]);
        answers.push(start.elapsed());
        assert_eq!(after["activity"], "orbiting");
        within_a_step += usize::from(after["step"] == before["step"]);
    }
    window.let_go("3");
    let steps = number(&window.state()["step"]);
    let rate = number(&window.state()["steps_per_second"]);
    println!("from mouse to camera {answers:.2?}, after {steps} steps at {rate:.3} per second");
    assert!(answers.iter().all(|a| *a < LONGEST), "{answers:?}");
    assert!(within_a_step > 0, "every answer came only after a step: {answers:?}");
    window.display.photograph("heavy");
    window.click("menu file");
    window.click("entry Quit");
    let (status, errors) = window.end();
    assert!(status.success(), "{status}: {errors}");
}
