//! The program with its window, what it tells about itself, and the user in front of it.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::display::{Display, display};
use crate::photo::{Area, Photo};

/// The longest that anything may take: drawing in software on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// One window at a time; two would only make each other slow.
static TURN: Mutex<()> = Mutex::new(());

/// The program in its window; both are gone when it is dropped.
pub struct Window {
    program: Child,
    lines: Receiver<String>,
    errors: Option<std::thread::JoinHandle<String>>,
    state: Value,
    pub display: Display,
    folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Window {
    /// Opens a scene, or a demo by its name, and waits until it is shown. Nothing where windows cannot
    /// be tested.
    pub fn open(scene: &str, options: &[&str]) -> Option<Self> {
        // A test that failed leaves nothing behind that others could stumble over.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let display = display()?;
        let folder = tempfile::tempdir().unwrap();
        let input = match scene.contains('\n') {
            true => {
                std::fs::write(folder.path().join("scene.toml"), scene).unwrap();
                "scene.toml"
            }
            false => scene,
        };
        let runtime = folder.path().join("runtime");
        std::fs::create_dir(&runtime).unwrap();
        std::fs::set_permissions(&runtime, PermissionsExt::from_mode(0o700)).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(["view", input, "--json", "--out", "saved"])
            .args(options)
            .current_dir(folder.path())
            .env("DISPLAY", display.name())
            .env("XDG_RUNTIME_DIR", runtime)
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = mpsc::channel();
        let out = BufReader::new(program.stdout.take().unwrap());
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|l| send.send(l))
        });
        let mut err = program.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = err.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut window = Self {
            program,
            lines,
            errors: Some(errors),
            state: Value::Null,
            display,
            folder,
            _turn: turn,
        };
        window.until("a scene is shown", |s| {
            s["opening"].is_null() && s["pictures"].as_u64() > Some(2)
        });
        window.take_focus();
        Some(window)
    }

    /// Lets keys go to the window, as a window manager would, of which there is none.
    fn take_focus(&self) {
        let found = self.display.xdotool(&["search", "--onlyvisible", "--class", "pliant"]);
        let id = found.lines().next().unwrap_or_else(|| panic!("no window is visible"));
        self.display.xdotool(&["windowfocus", "--sync", id]);
    }

    /// What the program told last.
    pub fn state(&self) -> &Value {
        &self.state
    }

    /// A file that the program saved.
    pub fn saved(&self, name: &str) -> PathBuf {
        self.folder.path().join("saved").join(name)
    }

    /// Waits for the next that the program tells.
    #[track_caller]
    pub fn next(&mut self) -> &Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => self.state = serde_json::from_str(&line).unwrap(),
            Err(RecvTimeoutError::Timeout) => panic!("nothing was told for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                let (status, errors) = self.end();
                panic!("the program is gone, {status}: {errors}")
            }
        }
        &self.state
    }

    /// Waits until `done` holds of what the program tells.
    #[track_caller]
    pub fn until(&mut self, what: &str, done: impl Fn(&Value) -> bool) -> &Value {
        let start = Instant::now();
        while !done(self.next()) {
            let waited = start.elapsed();
            assert!(waited < PATIENCE, "waited in vain until {what}: {:#}", self.state);
        }
        &self.state
    }

    /// Waits until what was done before has been seen: of two frames the second began after it.
    #[track_caller]
    pub fn wait_for_frame(&mut self) -> &Value {
        // Lines that lie here unread are old.
        while let Ok(line) = self.lines.try_recv() {
            self.state = serde_json::from_str(&line).unwrap();
        }
        self.next();
        self.next()
    }

    /// Where a control is: left, top, width and height. Waits until it is shown and stays there.
    #[track_caller]
    pub fn area(&mut self, name: &str) -> Area {
        let start = Instant::now();
        let mut before = Value::Null;
        self.wait_for_frame();
        loop {
            let place = &self.state["places"][name];
            if place.is_array() && *place == before {
                return [0, 1, 2, 3].map(|i| place[i].as_f64().unwrap() as usize);
            }
            before = place.clone();
            assert!(start.elapsed() < PATIENCE, "{name} is not shown: {}", self.state["places"]);
            self.next();
        }
    }

    /// The middle of a control.
    #[track_caller]
    pub fn place(&mut self, name: &str) -> [usize; 2] {
        let [left, top, width, height] = self.area(name);
        [left + width / 2, top + height / 2]
    }

    pub fn move_to(&self, [x, y]: [usize; 2]) {
        self.display.xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
    }

    /// Presses a button of the mouse (1 left, 2 middle, 3 right) and keeps it down.
    #[track_caller]
    pub fn press_at(&mut self, at: [usize; 2], button: &str) {
        self.move_to(at);
        self.wait_for_frame();
        self.display.xdotool(&["mousedown", button]);
        self.wait_for_frame();
    }

    pub fn let_go(&self, button: &str) {
        self.display.xdotool(&["mouseup", button]);
    }

    #[track_caller]
    pub fn click(&mut self, name: &str) {
        let at = self.place(name);
        self.move_to(at);
        self.wait_for_frame();
        // At once: a button that is down for long, as frames of a slow machine last, makes no click.
        self.display.xdotool(&["click", "1"]);
    }

    /// Presses a key and lets it go; `ctrl+r` is one, too.
    pub fn key(&self, name: &str) {
        self.display.xdotool(&["key", name]);
    }

    /// Takes photographs until `done` holds of one.
    #[track_caller]
    pub fn photograph_until(&mut self, name: &str, done: impl Fn(&Photo) -> bool) -> Photo {
        let start = Instant::now();
        loop {
            self.wait_for_frame();
            let photo = self.display.photograph(name);
            if done(&photo) {
                return photo;
            }
            assert!(start.elapsed() < PATIENCE, "{name} does not show what it should");
        }
    }

    /// Waits for the end of the program: how it ended, and what it complained about.
    #[track_caller]
    pub fn end(&mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the program does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        let errors = self.errors.take().map(|thread| thread.join().unwrap());
        (status, errors.unwrap_or_default())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The number that a value is.
#[track_caller]
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}
