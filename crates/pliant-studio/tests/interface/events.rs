//! Ten thousand random events: whatever is pressed, dragged, dropped and resized, nothing panics and
//! nothing hangs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use pliant_studio::Source;

use crate::harness::{Harness, SURFACE};

const EVENTS: usize = 10_000;
/// No frame may take longer: the interface must answer whatever goes on. Far above what is usual, for
/// busy machines.
const LONGEST: Duration = Duration::from_secs(5);

/// Random numbers of which the same seed gives the same, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn part(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn modifiers(&mut self) -> Modifiers {
        match self.below(8) {
            0 => Modifiers::COMMAND | Modifiers::CTRL,
            1 => Modifiers::SHIFT,
            2 => Modifiers::ALT,
            _ => Modifiers::NONE,
        }
    }
}

/// Files to drop, good ones and bad ones.
fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    let tets = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n\
                0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
    let scene = "name = \"two\"\n[[bodies]]\nshape = { bar = { cells = [2,1,1], size = [0.2,0.1,0.1] } }\n\
                 translate = [0, 0, 0.5]\n";
    let nan = "OFF\n3 1 0\nnan 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let all: [(&str, &[u8]); 8] = [
        ("surface.off", SURFACE.as_bytes()),
        ("tet.vtk", tets.as_bytes()),
        ("scene.toml", scene.as_bytes()),
        ("nan.off", nan.as_bytes()),
        ("empty.obj", b""),
        ("broken.toml", b"[world\n"),
        ("cut.pliant", b"PLIANT\0\0\0\0\x01"),
        ("noise.vtu", b"<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"99999999999\""),
    ];
    let mut paths: Vec<PathBuf> = all
        .iter()
        .map(|(name, bytes)| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    paths.push(folder.join("not-there.msh"));
    paths.push(folder.to_owned());
    paths
}

fn anywhere(dice: &mut Dice, window: &Harness) -> Pos2 {
    // Now and then beyond the edge, as when the mouse leaves with a button down.
    let [width, height] = window.size;
    pos2((1.2 * dice.part() - 0.1) * width, (1.2 * dice.part() - 0.1) * height)
}

/// The middle of one of the controls that are shown.
fn some_control(dice: &mut Dice, window: &Harness) -> Pos2 {
    let state = window.state();
    let names: Vec<String> = state["places"].as_object().unwrap().keys().cloned().collect();
    if names.is_empty() {
        return anywhere(dice, window);
    }
    let name = &names[dice.below(names.len())];
    match name.as_str() {
        // The program would end here, which is no failure but the end of the test.
        "entry Quit" => pos2(1.0, 1.0),
        _ => window.place(name),
    }
}

#[test]
fn nothing_panics_and_nothing_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let seed = std::env::var("PLIANT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    println!("PLIANT_SEED={seed} repeats this");
    let mut dice = Dice(seed);
    let mut window =
        Harness::new(Source::Demo(&pliant_scenes::ALL[0]), &folder.path().join("saved"));
    window.until_open();
    let mut at = pos2(640.0, 400.0);
    for count in 0..EVENTS {
        let event = match dice.below(100) {
            0..30 => {
                at = if dice.below(3) == 0 {
                    some_control(&mut dice, &window)
                } else {
                    anywhere(&mut dice, &window)
                };
                Event::PointerMoved(at)
            }
            30..65 => {
                let button = [
                    PointerButton::Primary,
                    PointerButton::Primary,
                    PointerButton::Secondary,
                    PointerButton::Middle,
                ][dice.below(4)];
                let (pressed, modifiers) = (dice.below(2) == 0, dice.modifiers());
                Event::PointerButton { pos: at, button, pressed, modifiers }
            }
            65..90 => {
                let key = Key::ALL[dice.below(Key::ALL.len())];
                let (pressed, modifiers) = (dice.below(4) > 0, dice.modifiers());
                Event::Key {
                    key,
                    physical_key: None,
                    pressed,
                    repeat: dice.below(5) == 0,
                    modifiers,
                }
            }
            90..93 => Event::Text(["a", "1e999", "-", "ß", "nan", "0"][dice.below(6)].into()),
            93..95 => {
                window.size = [120.0 + 2000.0 * dice.part(), 80.0 + 1400.0 * dice.part()];
                Event::PointerGone
            }
            95..98 => {
                window.wheel(at, 20.0 * (dice.part() - 0.5));
                continue;
            }
            98 => Event::Paste("12, 5".into()),
            _ => {
                let file = files[dice.below(files.len())].clone();
                window.drop_file(&file);
                continue;
            }
        };
        window.frame(vec![event]);
        assert!(window.slowest < LONGEST, "a frame took {:?} at event {count}", window.slowest);
        if count % 500 == 0 {
            // Now and then the simulation gets time, too.
            std::thread::sleep(Duration::from_millis(30));
        }
    }
    // It still does what it is told.
    window.size = [1280.0, 800.0];
    for button in [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle] {
        window.button(at, button, false);
    }
    window.press(Key::Escape, Modifiers::NONE);
    window.until("everything is opened that was asked for", |s| s["opening"].is_null());
    window.open(Source::Demo(pliant_scenes::find("jelly").unwrap()));
    window.until("the demo is open", |s| s["opening"].is_null() && s["scene"] == "jelly");
    let start = Instant::now();
    window.until("it runs", |s| s["step"].as_u64().unwrap() > 3);
    println!(
        "{} frames, the slowest {:?}, alive after {:?}",
        window.frames,
        window.slowest,
        start.elapsed()
    );
}
