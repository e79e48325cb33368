//! Pictures and films of a run.
//!
//! Films are written frame by frame. They are finished when the run ends, for whatever reason it does:
//! also when something else cannot be written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_render::Image;
use pliant_render::encode::{Film, write_png};
use pliant_sim::Simulator;
#[cfg(feature = "gpu")]
use pliant_sim::backend::gpu::shown::Quantity;
use pliant_sim::scene::Output;

use super::contact_sheet::ContactSheet;
use super::{ExportError, Names};
use crate::pictures::{PaintError, Painter};
use crate::{Fields, Frame};

/// Most frames per second of films in real time.
const MOST_FPS: f64 = 60.0;
/// Least frames per second of films in real time; slower ones run faster instead.
const LEAST_FPS: f64 = 1.0;

/// Draws frames into the files that were asked for.
pub struct Pictures {
    painter: Painter,
    size: [u32; 2],
    films: Vec<(PathBuf, Film)>,
    /// Of so many frames films show one.
    stride: u64,
    seen: u64,
    sheet: Option<(PathBuf, ContactSheet)>,
    last: Option<(PathBuf, Last)>,
    paths: Vec<PathBuf>,
    /// Whether the device has failed to draw.
    #[cfg(feature = "gpu")]
    is_device_given_up: bool,
}

/// What the picture of the last frame is made from.
enum Last {
    None,
    Drawn(Image),
    NotDrawn(Arc<Frame>),
}

impl Pictures {
    /// Begins the files; nothing when no pictures are wanted.
    pub fn open(
        output: &Output,
        names: &Names,
        sim: &Simulator,
    ) -> Result<Option<Self>, ExportError> {
        if !output.has_pictures() {
            return Ok(None);
        }
        let size = output.picture.size;
        let (fps, stride) = frame_rate(output, sim.world().timestep);
        let mut films = Vec::new();
        for (wanted, kind) in [(output.gif, "gif"), (output.mp4, "mp4")] {
            if wanted {
                let path = names.part(&format!(".{kind}"));
                films.push((path.clone(), Film::create(&path, size, fps)?));
            }
        }
        let sheet = output.sheet.then(|| (names.part("-sheet.png"), ContactSheet::new(size)));
        let last = output.png.then(|| (names.whole(".png"), Last::None));
        let paths = films.iter().map(|(path, _)| path);
        let paths = paths.chain(last.iter().map(|(path, _)| path));
        let paths = paths.chain(sheet.iter().map(|(path, _)| path)).cloned().collect();
        let painter = Painter::new(sim, &output.picture);
        Ok(Some(Self {
            painter,
            size,
            films,
            stride,
            seen: 0,
            sheet,
            last,
            paths,
            #[cfg(feature = "gpu")]
            is_device_given_up: false,
        }))
    }

    /// The fields that frames must have.
    pub fn fields(&self) -> Fields {
        self.painter.fields()
    }

    /// What a device must compute so that frames can be drawn there; nothing if they must come to the
    /// host.
    #[cfg(feature = "gpu")]
    pub fn quantity(&self) -> Option<Quantity> {
        self.painter.quantity().filter(|_| !self.is_device_given_up)
    }

    /// Lets frames come to the host from now on.
    #[cfg(feature = "gpu")]
    pub fn give_up_device(&mut self) {
        self.is_device_given_up = true;
    }

    /// Draws a frame, if anything is to show it.
    pub fn add(&mut self, frame: &Arc<Frame>) -> Result<(), ExportError> {
        let turn = self.seen % self.stride;
        let mut last = Last::NotDrawn(frame.clone());
        if turn == 0 && !self.films.is_empty() {
            let image = self.painter.paint(frame, self.size)?;
            for (_, film) in &mut self.films {
                film.add(&image)?;
            }
            last = Last::Drawn(image);
        }
        if let Some((_, sheet)) = &mut self.sheet {
            sheet.add(|size| self.painter.paint(frame, size))?;
        }
        if let Some((_, kept)) = &mut self.last {
            *kept = last;
        }
        self.seen += 1;
        Ok(())
    }

    /// Completes all files. What cannot be completed does not keep the others from it.
    pub fn finish(&mut self) -> Result<(), ExportError> {
        let films = self.finish_films();
        let picture = self.finish_last();
        let sheet = self.finish_sheet();
        films.and(picture).and(sheet)
    }

    fn finish_films(&mut self) -> Result<(), ExportError> {
        let mut outcome = Ok(());
        for (_, film) in self.films.drain(..) {
            // A continued run may end before its first frame; then there is no film.
            if film.frames() > 0 {
                outcome = outcome.and(film.finish().map_err(ExportError::from));
            }
        }
        outcome
    }

    fn finish_last(&mut self) -> Result<(), ExportError> {
        let image = match &self.last {
            None | Some((_, Last::None)) => return Ok(()),
            Some((path, Last::Drawn(image))) => return Ok(write_png(path, image)?),
            Some((_, Last::NotDrawn(frame))) => self.painter.paint(frame, self.size)?,
        };
        self.last.as_ref().map_or(Ok(()), |(path, _)| Ok(write_png(path, &image)?))
    }

    fn finish_sheet(&mut self) -> Result<(), ExportError> {
        match self.sheet.as_ref().and_then(|(path, sheet)| Some((path, sheet.picture()?))) {
            Some((path, image)) => Ok(write_png(path, &image)?),
            None => Ok(()),
        }
    }

    /// The files, whether they are there yet or not.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        // After an error elsewhere; there is nobody left to tell about another one.
        let _ = self.finish_films();
    }
}

/// Frames per second of films, and of how many frames they show one.
fn frame_rate(output: &Output, timestep: f64) -> (f64, u64) {
    if let Some(fps) = output.picture.fps {
        return (fps, 1);
    }
    let interval = output.every.step_count(timestep) as f64 * timestep;
    let rate = 1.0 / interval;
    // A little more than 60, as 1 / 0.0166 is, needs no frames left out.
    let stride = (rate / (1.05 * MOST_FPS)).ceil().max(1.0);
    ((rate / stride).max(LEAST_FPS), stride as u64)
}

impl From<PaintError> for ExportError {
    fn from(error: PaintError) -> Self {
        Self::Paint(error)
    }
}

#[cfg(test)]
mod tests {
    use pliant_sim::scene::Every;

    use super::*;

    #[test]
    fn films_show_real_time_as_far_as_films_can() {
        let rate = |every, fps| {
            let mut output = Output { every, ..Output::default() };
            output.picture.fps = fps;
            let (fps, stride) = frame_rate(&output, 0.001);
            ((fps * 1000.0).round() / 1000.0, stride)
        };
        assert_eq!(rate(Every::Seconds(0.04), None), (25.0, 1));
        assert_eq!(rate(Every::Steps(10), None), (50.0, 2));
        assert_eq!(rate(Every::Steps(1), None), (62.5, 16));
        assert_eq!(rate(Every::Seconds(30.0), None), (1.0, 1));
        assert_eq!(rate(Every::Steps(1), Some(24.0)), (24.0, 1));
        assert_eq!(rate(Every::Seconds(1e300), None), (1.0, 1));
    }
}
