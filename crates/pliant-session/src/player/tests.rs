//! Playing, stepping, going back, editing and touching, with a clock that the tests set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pliant_sim::scene::{
    Action, ActionKind, Body, Drag, DragMotion, LiveValue, Mass, Push, Region, Scene, Set, Shape,
    Source, Stiffness, Volume,
};
use pliant_sim::stages::touch::Touch;
use pliant_sim::{Backend, Simulator, at_once};

use super::history::MOST_SAMPLES;
use super::*;
use crate::{Command, Fields, Message};

mod carried;
mod edit;
#[cfg(feature = "gpu")]
mod gpu;

const DT: f64 = 0.004;
const CPU: Backend = Backend::Cpu { threads: 1 };

/// A free bar of 45 vertices, from x = 0 to 0.4 m, that falls.
fn bar() -> Scene {
    let mut body = Body { name: "bar".into(), ..Body::default() };
    body.source = Source::Shape(Shape::bar([4, 2, 2], [0.4, 0.2, 0.2]));
    body.material.stiffness = Stiffness::Spring(5.0);
    body.material.mass = Mass::Vertex(0.05);
    body.translate = [0.0, 0.0, 1.0];
    let mut scene = Scene { name: "bar".into(), bodies: vec![body], ..Scene::default() };
    scene.world.timestep = DT;
    scene
}

/// A player with a watch that the test sets.
struct Test {
    player: Player,
    controls: Controls,
    /// Real time \[µs\], and how much passes from look to look.
    time: Arc<AtomicU64>,
    per_look: Arc<AtomicU64>,
}

impl Test {
    fn new(scene: Scene) -> Self {
        Self::of(Session::new(scene, CPU).unwrap())
    }

    fn of(session: Session) -> Self {
        let (time, per_look) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (clock, per) = (time.clone(), per_look.clone());
        let look = move || {
            let gain = per.load(Ordering::Relaxed);
            1e-6 * (clock.fetch_add(gain, Ordering::Relaxed) + gain) as f64
        };
        let player = at_once(Player::with_clock(session, CPU, Box::new(look)));
        Self { controls: player.controls(), player, time, per_look }
    }

    fn pass(&self, seconds: f64) {
        self.time.fetch_add((1e6 * seconds) as u64, Ordering::Relaxed);
    }

    /// Ticks every 10 ms of the watch, with a budget that does not matter.
    fn play(&mut self, seconds: f64) {
        for _ in 0..(100.0 * seconds).round() as u64 {
            self.pass(0.01);
            self.player.tick(Duration::from_millis(5));
        }
    }

    fn obey(&mut self, orders: impl IntoIterator<Item = Order>) {
        orders.into_iter().for_each(|order| self.controls.send(order));
        self.player.tick(Duration::from_millis(5));
    }

    /// Takes steps at once.
    fn steps(&mut self, count: u64) {
        self.controls.send(Order::Step(count));
        let goal = self.step() + count;
        while self.step() < goal {
            self.player.tick(Duration::from_millis(5));
            assert!(self.controls.status().diverged.is_none());
        }
    }

    fn step(&self) -> u64 {
        self.player.session().simulator().step_count()
    }

    fn time(&self) -> f64 {
        self.player.session().simulator().time()
    }

    fn hash(&self) -> u64 {
        self.player.session().simulator().hash()
    }
}

fn set(key: &str, value: LiveValue) -> Order {
    Order::Session(Command::Set { key: key.into(), value })
}

fn ray(x: f64, y: f64) -> Ray {
    Ray { origin: [x, y, 9.0], direction: [0.0, 0.0, -2.0] }
}

fn grab(x: f64, y: f64, radius: f64) -> Order {
    let facing = [0.0, 0.0, -1.0];
    Order::Grab { hand: 7, ray: ray(x, y), slack: 0.0, facing, radius, speed: 10.0, stiffness: 3.0 }
}

#[test]
fn a_player_can_be_sent_to_a_thread() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync + Clone>() {}
    is_send::<Player>();
    is_shared::<Controls>();
}

#[test]
fn it_starts_paused_with_a_frame() {
    let mut test = Test::new(bar());
    let (frame, status) = (test.controls.frame().unwrap(), test.controls.status());
    assert_eq!((frame.positions.len(), frame.report.step), (45, 0));
    assert_eq!((status.is_playing, status.moments.len(), status.history.len()), (false, 1, 1));
    assert!(status.backend.contains("CPU"));
    test.play(1.0);
    assert_eq!(test.step(), 0);
    assert!(Arc::ptr_eq(&frame, &test.controls.frame().unwrap()), "nothing new is shown");
}

#[test]
fn time_follows_the_watch_at_the_wanted_speed() {
    let mut test = Test::new(bar());
    test.obey([Order::Play]);
    test.play(2.0);
    assert!((test.time() - 2.0).abs() < 0.02, "{}", test.time());
    let status = test.controls.status();
    assert!(status.is_playing && (status.speed[1] - 1.0).abs() < 0.05, "{:?}", status.speed);
    assert!((status.steps_per_second - 250.0).abs() < 13.0, "{}", status.steps_per_second);
    test.obey([Order::Speed(0.25)]);
    test.play(2.0);
    assert!((test.time() - 2.5).abs() < 0.03, "{}", test.time());
    test.obey([Order::Speed(-1.0), Order::Speed(f64::NAN), Order::Pause]);
    assert_eq!(test.controls.messages().len(), 2);
    assert_eq!(test.controls.status().speed, [0.25, 0.0]);
}

#[test]
fn a_slow_machine_drops_what_it_cannot_do() {
    let mut test = Test::new(bar());
    // Every look at the watch, and so every step, takes 20 ms: at most a fifth of real time.
    test.per_look.store(20_000, Ordering::Relaxed);
    test.obey([Order::Play]);
    for _ in 0..100 {
        let before = test.step();
        test.player.tick(Duration::ZERO);
        assert!(test.step() <= before + 1, "a budget of nothing is one step");
    }
    let status = test.controls.status();
    assert!(status.speed[1] > 0.0 && status.speed[1] < 0.2, "{:?}", status.speed);
    assert!((status.seconds_per_step - 0.02).abs() < 1e-6, "{}", status.seconds_per_step);
    // Once it is fast again, nothing is made up for.
    test.per_look.store(0, Ordering::Relaxed);
    let time = test.time();
    test.play(1.0);
    let gain = test.time() - time;
    assert!((0.98..1.13).contains(&gain), "of seconds only the last tenth: {gain}");
}

#[test]
fn without_limit_the_budget_is_used() {
    let mut test = Test::new(bar());
    test.per_look.store(1000, Ordering::Relaxed);
    test.obey([Order::Play, Order::Speed(f64::INFINITY)]);
    let before = test.step();
    let sleep = test.player.tick(Duration::from_millis(20));
    // Twenty stretches of a millisecond, each of some steps.
    assert!(test.step() >= before + 20, "{before} {}", test.step());
    assert_eq!(sleep, Duration::ZERO);
}

#[test]
fn steps_are_counted_exactly() {
    let mut test = Test::new(bar());
    for count in [1, 2, 37] {
        let before = test.step();
        test.obey([Order::Step(count)]);
        test.play(0.2);
        assert_eq!(test.step(), before + count);
        let status = test.controls.status();
        assert_eq!((status.is_playing, status.report.step), (false, test.step()));
    }
    test.obey([Order::Step(3), Order::Step(4)]);
    test.play(0.2);
    assert_eq!(test.step(), 47);
    assert_eq!(test.controls.frame().unwrap().report.step, 47);
}

#[test]
fn frames_come_sixty_times_a_second_at_most() {
    let mut test = Test::new(bar());
    assert!(test.controls.status().history[0].max_force.is_nan(), "it has no forces yet");
    test.obey([Order::Play, Order::Show(Fields { motion: true, stress: true, contact: false })]);
    let mut shown = std::collections::HashSet::new();
    for _ in 0..1000 {
        test.pass(0.001);
        test.player.tick(Duration::from_millis(1));
        shown.insert(test.controls.frame().unwrap().report.step);
    }
    assert!((50..=62).contains(&shown.len()), "{}", shown.len());
    let frame = test.controls.frame().unwrap();
    assert_eq!((frame.forces.len(), frame.von_mises.len()), (45, 96));
    let status = test.controls.status();
    assert!((shown.len() - 1..=shown.len() + 1).contains(&status.history.len()));
    assert!(status.history.last().unwrap().max_force > 0.0);
    test.obey([Order::Pause]);
    let frame = test.controls.frame().unwrap();
    test.obey([Order::Show(Fields::default())]);
    test.play(0.05);
    assert_eq!(test.controls.frame().unwrap().forces.len(), 0, "a paused player shows it too");
    assert_eq!(test.controls.frame().unwrap().positions, frame.positions);
}

/// Drags, pushes and settings that overlap the moments to go back to.
fn scripted() -> Scene {
    let drag = |start: f64, end, motion| {
        let center = [0.4, 0.0, 1.0];
        let drag = Drag { center, radius: 0.2, motion, stiffness: 2.0 };
        Action { start, end, kind: ActionKind::Drag(drag) }
    };
    let push =
        Push { origin: [0.2, 0.1, 0.0], direction: [0.0, 0.0, 2.0], radius: 9.0, force: 0.01 };
    let set = |start: f64, key: &str, value| Action {
        start,
        end: None,
        kind: ActionKind::Set(Set { key: key.into(), value }),
    };
    let mut scene = bar();
    scene.world.gravity = [0.0; 3];
    scene.actions = vec![
        drag(0.0, Some(2.25), DragMotion::Velocity([0.0, 0.01, 0.01])),
        Action { start: 0.9, end: Some(1.75), kind: ActionKind::Push(push) },
        set(1.25, "world.gravity", LiveValue::Vector([0.0, 0.0, -1.0])),
        set(2.25, "world.timestep", LiveValue::Number(0.002)),
    ];
    scene
}

#[test]
fn going_back_restores_every_bit_and_the_script() {
    let mut test = Test::new(scripted());
    let end = 1000;
    let mut hashes = vec![0; end + 1];
    hashes[0] = test.hash();
    for step in 1..=end {
        test.steps(1);
        test.pass(0.01);
        hashes[step] = test.hash();
    }
    let moments = test.controls.status().moments;
    assert!(moments.len() >= 4 && moments[0].step == 0, "{moments:?}");
    for moment in moments.iter() {
        test.obey([Order::Rewind(moment.step + 1)]);
        assert_eq!(test.step(), moment.step);
        assert_eq!(test.hash(), hashes[moment.step as usize], "step {}", moment.step);
        assert_eq!(*test.controls.status().moments, *moments, "later ones are kept");
        assert!(test.controls.status().history.last().unwrap().time <= moment.time);
        assert_eq!(test.controls.frame().unwrap().report.step, moment.step);
    }
    for moment in [moments[1], moments[0]] {
        test.obey([Order::Rewind(moment.step)]);
        test.steps(end as u64 - moment.step);
        assert_eq!(test.hash(), hashes[end], "from step {}", moment.step);
        assert!(test.controls.status().moments.iter().all(|m| m.step <= moment.step));
    }
    assert_eq!(test.controls.messages(), []);
}

#[test]
fn what_the_user_sets_stays_and_what_the_script_sets_does_not() {
    let mut test = Test::new(scripted());
    test.steps(700);
    assert_eq!(test.controls.status().world.gravity[2], -1.0);
    assert_eq!(test.controls.status().world.timestep, 0.002);
    test.obey([set("world.damping", LiveValue::Number(2.0)), Order::Reset]);
    let world = test.controls.status().world;
    assert_eq!((world.gravity, world.timestep, world.damping), ([0.0; 3], DT, 2.0));
    assert_eq!((test.step(), test.player.session().simulator().touches().len()), (0, 0));
    // After the script has set it, the user has the last word, there and wherever he goes.
    test.pass(2.0);
    test.steps(360);
    test.pass(2.0);
    test.steps(1);
    assert_eq!(test.controls.status().moments.last().unwrap().step, 361);
    test.obey([set("world.gravity", LiveValue::Vector([0.0, 0.0, -3.0]))]);
    test.obey([Order::Rewind(361)]);
    assert_eq!((test.step(), test.controls.status().world.gravity[2]), (361, -3.0));
    test.obey([Order::Rewind(0)]);
    assert_eq!(test.controls.status().world.gravity[2], -3.0);
    test.steps(340);
    assert_eq!(test.controls.status().world.gravity[2], -1.0, "the script sets it again");
}

#[test]
fn memory_is_bounded() {
    let mut test = Test::new(bar());
    let each = {
        let moment = at_once(test.player.session.rewind_point()).unwrap();
        moment.bytes()
    };
    test.player.set_memory_budget(10 * each);
    for _ in 0..40 {
        test.pass(1.0);
        test.steps(125);
        let moments = test.controls.status().moments;
        let steps: Vec<u64> = moments.iter().map(|m| m.step).collect();
        assert!(steps.len() <= 10 && steps[0] == 0, "{steps:?}");
        assert_eq!(*steps.last().unwrap(), test.step());
        assert!(steps.is_sorted());
    }
    assert!(test.controls.status().moments.len() > 4);
    test.player.set_memory_budget(0);
    test.play(0.05);
    assert_eq!(test.controls.status().moments.len(), 2);
}

#[test]
fn samples_are_thinned_and_keep_the_whole_span() {
    let mut history = History::default();
    let count = 20 * MOST_SAMPLES;
    for i in 0..count {
        history.add(Sample { time: i as f64, ..Sample::default() });
        history.add(Sample { time: i as f64, kinetic: 1.0, ..Sample::default() });
    }
    let samples = history.samples();
    assert!((MOST_SAMPLES / 2..=MOST_SAMPLES).contains(&samples.len()), "{}", samples.len());
    assert_eq!((samples[0].time, samples.last().unwrap().time), (0.0, (count - 1) as f64));
    assert!(samples.is_sorted_by(|a, b| a.time < b.time));
    assert!(samples.iter().all(|s| s.kinetic == 1.0));
    let gaps: Vec<f64> = samples.windows(2).map(|w| w[1].time - w[0].time).collect();
    assert!(gaps.iter().all(|gap| *gap <= 110.0), "all of it is still there");
    assert!(gaps[gaps.len() - 900..].iter().all(|gap| *gap == 1.0), "the latest in full");
    history.forget_after(100.0);
    assert!(history.samples().last().unwrap().time <= 100.0);
}

#[test]
fn a_finger_holds_what_is_beside_it() {
    let mut scene = bar();
    scene.world.gravity = [0.0; 3];
    let mut test = Test::new(scene);
    // A tenth of a metre beside the face x = 0.4, whose upper edge is 7.8 m below the eye.
    let Order::Grab { hand, ray, facing, radius, speed, stiffness, .. } = grab(0.5, 0.1, 0.05)
    else {
        panic!()
    };
    let with = |slack| Order::Grab { hand, ray, slack, facing, radius, speed, stiffness };
    test.obey([with(0.09 / 7.8)]);
    assert_eq!(test.controls.status().held, [(7, None)]);
    test.obey([with(0.11 / 7.8)]);
    let status = test.controls.status();
    let [(7, Some(hit))] = status.held[..] else { panic!("{:?}", status.held) };
    assert!((hit[0] - 0.4).abs() < 1e-6 && (hit[1] - 0.1).abs() < 1e-6, "{hit:?}");
}

#[test]
fn a_grab_holds_what_is_under_the_cursor() {
    let mut scene = bar();
    scene.world.gravity = [0.0; 3];
    let mut test = Test::new(scene);
    test.obey([grab(2.0, 2.0, 0.1)]);
    assert_eq!(test.controls.status().held, [(7, None)], "beside it there is nothing");
    // From above onto the corner at (0.4, 0.2, 1.2).
    test.obey([grab(0.39, 0.19, 0.05)]);
    let status = test.controls.status();
    let [(7, Some(hit))] = status.held[..] else { panic!("{:?}", status.held) };
    assert!((hit[2] - 1.2).abs() < 1e-6, "the top is hit, not the bottom: {hit:?}");
    let held = |test: &Test| match &test.player.session().simulator().touches()[0] {
        Touch::Drag(drag) => drag.clone(),
        Touch::Push(_) | Touch::Carry(_) => panic!(),
    };
    let drag = held(&test);
    let at = test.player.session().simulator().positions()[drag.vertices[0] as usize];
    assert_eq!(drag.vertices.len(), 1);
    assert!((0..3).all(|k| (at[k] - [0.4, 0.2, 1.2][k]).abs() < 1e-6), "{at:?}");
    // Between vertices, with a ball that is too small, the nearest corner of the face.
    test.obey([grab(0.22, 0.11, 0.001)]);
    let drag = held(&test);
    let at = test.player.session().simulator().positions()[drag.vertices[0] as usize];
    assert!((at[0] - 0.2).abs() < 1e-6 && (at[1] - 0.1).abs() < 1e-6, "{at:?}");
    assert_eq!(test.player.session().simulator().touches().len(), 1, "the hand let go before");
    test.obey([Order::Lead { hand: 7, ray: ray(0.22, 1.11) }]);
    let to = held(&test).cursor;
    assert!((to[1] - 1.11).abs() < 1e-9 && (to[2] - 1.2).abs() < 1e-6, "{to:?}");
    test.steps(1);
    let samples = test.controls.status().history;
    // The hand has moved 0.04 m, and the vertex not yet or hardly.
    let force = samples.last().unwrap().touch_force;
    assert!((force / (3.0 * 0.04) - 1.0).abs() < 0.1, "{force}");
    test.obey([Order::Session(Command::Release { hand: 7 })]);
    assert_eq!(test.controls.status().held, []);
    assert_eq!(test.player.session().simulator().touches().len(), 0);
    test.obey([grab(0.2, 0.1, f64::NAN)]);
    assert_eq!(test.controls.status().held, [(7, None)]);
    assert!(matches!(&test.controls.messages()[..], [Message::Warning(_)]));
}

#[test]
fn hands_let_go_when_time_is_set() {
    let mut test = Test::new(bar());
    test.obey([grab(0.2, 0.1, 0.2)]);
    test.pass(2.0);
    test.steps(130);
    assert_eq!(test.controls.status().moments.len(), 2);
    test.obey([Order::Rewind(125)]);
    let is_free = |test: &Test| {
        let touches = test.player.session().simulator().touches().len();
        touches == 0 && test.controls.status().held.is_empty()
    };
    assert!(is_free(&test));
    test.obey([grab(0.2, 0.1, 0.2), Order::Reset]);
    assert!(is_free(&test));
}

#[test]
fn the_clock_is_held_at_every_multiple() {
    let mut test = Test::new(bar());
    test.steps(3);
    test.obey([Order::HoldEvery(Some(1.0 / 60.0)), Order::Play, Order::Speed(f64::INFINITY)]);
    let mut held = Vec::new();
    for _ in 0..6 {
        test.play(0.1);
        let status = test.controls.status();
        assert!(status.is_held && status.is_playing);
        assert_eq!(status.report.step, test.step());
        assert_eq!(test.controls.frame().unwrap().report.step, test.step());
        held.push(test.step() - 3);
        test.controls.send(Order::FrameTaken);
    }
    assert_eq!(held, [0, 5, 9, 13, 17, 21]);
    test.play(0.1);
    test.obey([Order::Pause]);
    assert!(!test.controls.status().is_held);
    test.obey([Order::Play]);
    test.play(0.1);
    assert!(test.controls.status().is_held);
    let step = test.step();
    test.per_look.store(1000, Ordering::Relaxed);
    test.obey([Order::HoldEvery(None), Order::HoldEvery(Some(0.0))]);
    test.play(0.02);
    assert!(test.step() > step && !test.controls.status().is_held);
    assert_eq!(test.controls.messages().len(), 1, "no time between frames makes no sense");
}

#[test]
fn after_divergence_a_stable_timestep_goes_on() {
    let mut scene = bar();
    scene.world.gravity = [0.0; 3];
    scene.world.timestep = 0.02;
    scene.bodies[0].material.stiffness = Stiffness::Spring(100.0);
    scene.bodies[0].material.volume = Volume::None;
    scene.bodies[0].spin = [0.0, 0.0, 1.0];
    let mut test = Test::new(scene);
    test.obey([Order::Play]);
    test.play(2.0);
    let status = test.controls.status();
    let diverged = status.diverged.clone().expect("it is far too stiff");
    assert!(!status.is_playing);
    assert!(test.controls.messages().contains(&Message::Diverged(diverged.clone())));
    let step = test.step();
    assert_eq!(step, diverged.good_step);
    test.obey([Order::Play]);
    test.play(0.5);
    assert!(test.controls.status().diverged.is_some(), "trying again is allowed and fails");
    let stable = diverged.suggested_timestep.unwrap();
    test.obey([set("world.timestep", LiveValue::Number(stable))]);
    assert_eq!(test.controls.status().diverged, None, "the cause may be gone");
    // The last good state is already far too violent; the start is not.
    test.obey([Order::Rewind(0), Order::Play]);
    test.play(1.0);
    let status = test.controls.status();
    assert_eq!((status.diverged, status.world.timestep), (None, stable));
    assert!(status.is_playing && test.time() > 0.9, "{}", test.time());
}

#[test]
fn a_checkpoint_is_saved_or_it_is_told_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.checkpoint");
    let mut test = Test::new(bar());
    test.steps(5);
    test.obey([Order::SaveCheckpoint(path.clone())]);
    let told = test.controls.messages();
    assert!(matches!(&told[..], [Message::Note(text)] if text.contains("saved.checkpoint")));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(pliant_sim::checkpoint::decode(&bytes).unwrap().state.hash(), test.hash());
    test.obey([Order::SaveCheckpoint(path.join("below-a-file"))]);
    assert!(matches!(&test.controls.messages()[..], [Message::Warning(_)]));
}

#[test]
fn stages_are_timed_once_a_second_while_it_plays() {
    let mut test = Test::new(bar());
    let stages = |test: &Test| test.controls.status().stages;
    test.steps(20);
    assert_eq!(stages(&test), [], "single steps are not timed");
    test.obey([Order::HoldEvery(Some(0.02)), Order::Play]);
    for _ in 0..100 {
        test.play(0.05);
        test.controls.send(Order::FrameTaken);
    }
    assert!(test.step() > 100);
    assert_eq!(stages(&test), [], "nor are those of a film");
    test.obey([Order::HoldEvery(None)]);
    let mut looks = Vec::new();
    for _ in 0..305 {
        test.play(0.01);
        let now = stages(&test);
        if looks.last() != Some(&now) {
            looks.push(now);
        }
    }
    looks.retain(|look| !look.is_empty());
    assert!((2..=4).contains(&looks.len()), "at 0, 1, 2 and 3 s: {looks:?}");
    for look in &looks {
        let names: Vec<&str> = look.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["elastic", "integrate"]);
        // Some clocks tick too slowly for a single stage of so small a body.
        let sum: f64 = look.iter().map(|(_, seconds)| seconds).sum();
        assert!(sum > 0.0 && sum < 1.0, "{look:?}");
    }
    test.obey([Order::Pause]);
    test.play(3.0);
    assert_eq!(stages(&test), *looks.last().unwrap(), "they stay while it stands still");
    let mut untimed = Simulator::new(bar(), CPU).unwrap();
    untimed.advance(test.step()).unwrap();
    assert_eq!(test.hash(), untimed.hash());
}

#[test]
fn a_thread_plays_by_the_real_clock() {
    let mut player = Player::new(Session::new(bar(), CPU).unwrap(), CPU);
    let controls = player.controls();
    let thread = std::thread::spawn(move || {
        let controls = player.controls();
        while !player.is_over() {
            let sleep = player.tick(Duration::from_millis(5));
            controls.wait_for_orders(sleep);
        }
        player.session().simulator().step_count()
    });
    controls.send(Order::Play);
    let begin = Instant::now();
    while controls.frame().is_none_or(|frame| frame.report.step < 10) {
        assert!(begin.elapsed() < Duration::from_secs(60), "no frame comes");
        std::thread::yield_now();
    }
    controls.quit();
    assert!(thread.join().unwrap() >= 10);
}

#[test]
fn remotes_and_quitting_are_heard() {
    let mut test = Test::new(bar());
    let remote = test.player.session().remote();
    remote.send(Command::Play);
    test.play(0.1);
    assert!(test.step() > 0 && test.controls.status().is_playing);
    remote.send(Command::Pause);
    test.play(0.1);
    let step = test.step();
    test.play(0.1);
    assert_eq!(test.step(), step);
    test.controls.quit();
    test.obey([Order::Play]);
    test.play(0.1);
    assert!(test.player.is_over() && test.step() == step);
}
