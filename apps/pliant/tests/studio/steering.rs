//! Parameters and the clock, by keys, sliders and buttons.

use crate::photo::Photo;
use crate::touching::BLOCKS;
use crate::window::{Window, number};

#[test]
fn parameters_follow_keys_and_sliders() {
    let Some(mut window) = Window::open(BLOCKS, &[]) else { return };
    let gravity = number(&window.state()["world"]["gravity"][2]);
    window.key("6");
    let stronger = |s: &serde_json::Value| number(&s["world"]["gravity"][2]) - gravity;
    window.until("gravity is stronger", |s| (stronger(s) + 0.981).abs() < 1e-9);
    let [left, top, _, height] = window.area("damping");
    // The bar of the slider is to the left of its number and 130 points long.
    let middle = top + height / 2;
    window.press_at([left + 30, middle], "1");
    let low = number(&window.wait_for_frame()["world"]["damping"]);
    window.move_to([left + 110, middle]);
    window.until("damping is stronger", |s| number(&s["world"]["damping"]) > 4.0 * low.max(0.1));
    window.let_go("1");
    let strong = number(&window.wait_for_frame()["world"]["damping"]);
    assert!(strong <= 50.0, "the slider's end is at 50, not {strong}");
    let step = number(&window.state()["step"]);
    window.until("it runs on", |s| number(&s["step"]) > step);
    assert_eq!(number(&window.state()["world"]["damping"]), strong, "the mouse was let go");
}

#[test]
fn the_clock_follows_keys_and_buttons() {
    let Some(mut window) = Window::open("jelly", &[]) else { return };
    window.until("it runs", |s| number(&s["step"]) > 10.0);
    window.key("space");
    window.until("it stands", |s| s["playing"] == false);
    let step = number(&window.wait_for_frame()["step"]);
    window.key("s");
    window.until("a step is done", |s| number(&s["step"]) > step);
    assert_eq!(number(&window.wait_for_frame()["step"]), step + 1.0, "one step, not more");
    window.key("r");
    window.until("it is at the start", |s| number(&s["step"]) == 0.0 && number(&s["time"]) == 0.0);
    window.click("play");
    window.until("it runs again", |s| s["playing"] == true && number(&s["step"]) > 5.0);
    window.key("c");
    window.until("colours are by force", |s| s["colour"] == "force");
    let view = window.area("viewport");
    // From grey to red: the bodies' own colours are gone.
    let own = |p: &Photo| p.hues(view)[1..5].iter().sum::<f64>();
    let forces = window.photograph_until("forces", |p| own(p) < 0.002);
    window.key("F1");
    window.until("the keys are listed", |s| s["help"] == true);
    let listed = window.photograph_until("help", |p| p.difference(&forces, view) > 0.05);
    println!("{:.0} % of the picture is covered", 100.0 * listed.difference(&forces, view));
}
