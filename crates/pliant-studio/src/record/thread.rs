//! Where there are threads: films are drawn and encoded in one of their own.

use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::JoinHandle;

use super::{Job, News, Reel};

/// Frames that may wait to be drawn.
const WAITING: usize = 2;

/// Draws and encodes a film.
pub struct Worker {
    /// None when there will be no more.
    frames: Option<SyncSender<Box<Job>>>,
    news: Receiver<News>,
    is_done: bool,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Begins to work.
    pub fn start(reel: Reel) -> Result<Self, String> {
        let (frames, jobs) = mpsc::sync_channel(WAITING);
        let (tell, news) = mpsc::channel();
        let work = move || tell.send(make(reel, &jobs)).unwrap_or_default();
        let thread = std::thread::Builder::new().name("film".into()).spawn(work);
        let thread = thread.map_err(|e| format!("no thread for it: {e}"))?;
        Ok(Self { frames: Some(frames), news, is_done: false, thread })
    }

    /// Takes a frame; returns whether it could, or was too busy.
    pub fn take(&mut self, job: Box<Job>) -> bool {
        self.frames.as_ref().is_some_and(|frames| frames.try_send(job).is_ok())
    }

    /// No more frames come.
    pub fn end(&mut self) {
        self.frames = None;
    }

    /// What became of the film, once.
    pub fn news(&mut self) -> Option<News> {
        let news = self.news.try_recv();
        self.is_done |= !matches!(news, Err(TryRecvError::Empty));
        news.ok()
    }

    /// Whether nothing more is to be expected.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Waits until the film is complete.
    pub fn wait(self) {
        drop(self.frames);
        // A panic there is told by the missing file; nothing can be done about it here.
        let _ = self.thread.join();
    }
}

/// Draws and encodes frames until there are no more.
fn make(mut reel: Reel, jobs: &Receiver<Box<Job>>) -> News {
    while let Ok(job) = jobs.recv() {
        if let Err(news) = reel.add(*job) {
            return news;
        }
    }
    reel.complete()
}
