//! Films of what is seen, in simulated time.
//!
//! The clock is held at every frame of the film until its picture is on the way, so that no frame is
//! missing however slow the machine is. Drawing and encoding are done by a [`Worker`], which is a thread of
//! its own where there are threads; the window goes on meanwhile.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_render::Image;
use pliant_render::encode::{Film, write_png};
use pliant_session::Frame;
use pliant_session::pictures::Painter;
use pliant_session::player::Order;

use crate::engine::Opened;
use crate::log::Grade;

#[cfg(target_arch = "wasm32")]
#[path = "record/at_once.rs"]
mod worker;
#[cfg(not(target_arch = "wasm32"))]
#[path = "record/thread.rs"]
mod worker;

use worker::Worker;

/// What kind of file a film is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Plays everywhere.
    #[cfg(not(target_arch = "wasm32"))]
    Mp4,
    /// For documents and web pages that take no films.
    Gif,
}

impl Format {
    /// Those that can be made here: a browser's tab has no time for more than the simple one.
    #[cfg(not(target_arch = "wasm32"))]
    pub const ALL: &[Self] = &[Self::Mp4, Self::Gif];
    /// Those that can be made here: a browser's tab has no time for more than the simple one.
    #[cfg(target_arch = "wasm32")]
    pub const ALL: &[Self] = &[Self::Gif];

    /// How the file's name ends.
    pub fn extension(self) -> &'static str {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Self::Mp4 => "mp4",
            Self::Gif => "gif",
        }
    }
}

/// How films look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The kind of file.
    pub format: Format,
    /// Width and height \[pixels\].
    pub size: [u32; 2],
    /// Frames per simulated second.
    pub fps: u32,
}

impl Settings {
    /// In a few words.
    pub fn summary(&self) -> String {
        let [width, height] = self.size;
        format!("{} {width} × {height}, {}/s", self.format.extension(), self.fps)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { format: Format::ALL[0], size: [1280, 720], fps: 30 }
    }
}

/// Makes films.
#[derive(Default)]
pub struct Recorder {
    /// How the next film looks.
    pub settings: Settings,
    running: Option<FilmInProgress>,
    /// Frames of the film before.
    last_count: u64,
    /// Films that are being completed.
    ending: Vec<Worker>,
    news: Vec<(Grade, String)>,
}

struct FilmInProgress {
    worker: Worker,
    size: [u32; 2],
    /// The last frame that went into the film.
    last: Option<(u64, u64)>,
    count: u64,
}

/// A frame and how it is to be drawn.
struct Job {
    painter: Painter,
    frame: Arc<Frame>,
    size: [u32; 2],
}

type News = (Grade, String);

impl Recorder {
    /// Whether a film is being made.
    pub fn is_recording(&self) -> bool {
        self.running.is_some()
    }

    /// Frames of the film so far, or of the one that was made last.
    pub fn frames(&self) -> u64 {
        self.running.as_ref().map_or(self.last_count, |r| r.count)
    }

    /// Begins a film.
    pub fn start(&mut self, path: PathBuf, opened: &Opened) -> Result<(), String> {
        let Settings { size, fps, .. } = self.settings;
        let film = Film::create(&path, size, f64::from(fps)).map_err(|e| e.to_string())?;
        let worker = Worker::start(Reel { film, path })?;
        self.running = Some(FilmInProgress { worker, size, last: None, count: 0 });
        opened.order(Order::HoldEvery(Some(1.0 / f64::from(fps))));
        self.news.push((Grade::Note, format!("recording {}", self.settings.summary())));
        Ok(())
    }

    /// Takes the frame at which the clock is held, if there is one.
    pub fn follow(&mut self, opened: &Opened) {
        let Some(running) = &mut self.running else { return };
        if let Some(news) = running.worker.news() {
            // It ended by itself: the film could not be written.
            self.news.push(news);
            self.running = None;
            opened.order(Order::HoldEvery(None));
            return;
        }
        let status = opened.controls.status();
        let Some(frame) = opened.controls.frame().filter(|_| status.is_held) else { return };
        // A browser's tab cannot wait for the picture of a device.
        if cfg!(target_arch = "wasm32") && frame.positions.is_empty() {
            return;
        }
        let stamp = (frame.report.step, frame.report.time.to_bits());
        if running.last == Some(stamp) || frame.report.step != status.report.step {
            return;
        }
        let mut painter = opened.painter.clone();
        painter.view.legend = true;
        // If it is busy: the clock is held, so the frame is still there in the next round.
        if running.worker.take(Box::new(Job { painter, frame, size: running.size })) {
            running.last = Some(stamp);
            running.count += 1;
            opened.order(Order::FrameTaken);
        }
    }

    /// Ends the film, which its worker completes. Whoever calls it lets the clock go.
    pub fn stop(&mut self) {
        if let Some(FilmInProgress { mut worker, count, .. }) = self.running.take() {
            worker.end();
            self.last_count = count;
            self.ending.push(worker);
        }
    }

    /// What became of films since the last call.
    pub fn take_news(&mut self) -> Vec<News> {
        let news = &mut self.news;
        self.ending.retain_mut(|worker| {
            news.extend(worker.news());
            !worker.is_done()
        });
        std::mem::take(news)
    }

    /// Films that are still being completed.
    pub fn is_busy(&self) -> bool {
        !self.ending.is_empty()
    }

    /// Ends the film and waits until all are complete.
    pub fn finish(&mut self) {
        self.stop();
        for worker in self.ending.drain(..) {
            worker.wait();
        }
    }
}

/// A film in the making.
struct Reel {
    film: Film,
    path: PathBuf,
}

impl Reel {
    /// Draws a frame and adds it; gives why the film had to be given up, if so.
    fn add(&mut self, job: Job) -> Result<(), News> {
        let Job { painter, frame, size } = job;
        let image = painter.paint(&frame, size).map_err(|e| e.to_string());
        image.and_then(|image| self.film.add(&image).map_err(|e| e.to_string())).map_err(|error| {
            (Grade::Error, format!("the film {} was given up: {error}", self.path.display()))
        })
    }

    /// Completes the film.
    fn complete(self) -> News {
        let Self { film, path } = self;
        let (shown, frames) = (path.display(), film.frames());
        match film.finish() {
            Ok(()) => (Grade::Note, format!("the film {shown} is complete: {frames} frames")),
            Err(error) => (Grade::Warning, format!("there is no film {shown}: {error}")),
        }
    }
}

/// Writes a file under a temporary name and renames it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    pliant_mesh::write_atomically(path, |out| out.write_all(bytes)).map_err(|e| e.to_string())
}

/// Writes a picture.
pub fn write_picture(path: &Path, image: &Image) -> Result<(), String> {
    write_png(path, image).map_err(|e| e.to_string())
}
