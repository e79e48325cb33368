//! Where there are no threads, in a browser: frames are drawn and encoded as they come.

use super::{Job, News, Reel};

/// Draws and encodes a film.
pub struct Worker {
    /// None when it is complete or was given up.
    reel: Option<Reel>,
    news: Option<News>,
}

impl Worker {
    /// Begins to work.
    pub fn start(reel: Reel) -> Result<Self, String> {
        Ok(Self { reel: Some(reel), news: None })
    }

    /// Takes a frame; returns whether it could.
    pub fn take(&mut self, job: Box<Job>) -> bool {
        let Some(reel) = &mut self.reel else { return false };
        if let Err(news) = reel.add(*job) {
            (self.reel, self.news) = (None, Some(news));
        }
        true
    }

    /// No more frames come.
    pub fn end(&mut self) {
        if let Some(reel) = self.reel.take() {
            self.news = Some(reel.complete());
        }
    }

    /// What became of the film, once.
    pub fn news(&mut self) -> Option<News> {
        self.news.take()
    }

    /// Whether nothing more is to be expected.
    pub fn is_done(&self) -> bool {
        self.reel.is_none() && self.news.is_none()
    }

    /// Completes the film, if nobody did.
    pub fn wait(mut self) {
        self.end();
    }
}
