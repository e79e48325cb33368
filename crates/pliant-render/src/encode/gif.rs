//! Animated GIF: few colours, but it moves in every document.
//!
//! A frame stores only what changed since the one before: the smallest rectangle around it, the rest
//! of which is left transparent. All frames share the colours of the first as long as they do;
//! otherwise a frame brings its own. Colours in between are mixed in a fixed pattern of dots, which
//! unlike diffused errors lets what stands still stand still.

use std::borrow::Cow;
use std::io::{self, Write};

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::palette::{Colour, Palette, distance};
use crate::Image;

/// Changes of a colour that are not drawn again \[levels\].
const UNSEEN: u8 = 2;
/// The mean distance from which the colours of the first frame no longer do.
const TOO_FAR: f64 = 220.0;
/// Browsers slow frames down that are shorter \[1/100 s\].
const SHORTEST: u64 = 2;
/// The index that stands for what was there before.
const TRANSPARENT: u8 = 255;
/// The strength of the dots, from the darkest to the brightest \[levels\].
const DOTS: i32 = 6;
/// The order in which dots appear as a colour grows brighter (Bayer, "An optimum method for two-level
/// rendition of continuous-tone pictures").
const BAYER: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// A film in the making.
pub struct Gif<W: Write> {
    size: [usize; 2],
    rate: f64,
    added: u64,
    /// Nothing before the first frame.
    state: Option<State<W>>,
    /// Where to write once the first frame is there.
    out: Option<W>,
}

struct State<W: Write> {
    encoder: Encoder<W>,
    shared: Palette,
    /// The source's colour when each pixel was last drawn.
    source: Vec<Colour>,
    /// The colour it has on the screen.
    shown: Vec<Colour>,
    /// Not written before it is known how long it lasts, and when it began \[1/100 s\].
    pending: Frame<'static>,
    began: u64,
}

impl<W: Write> Gif<W> {
    /// Begins a film.
    pub fn new(out: W, [width, height]: [u32; 2], frames_per_second: f64) -> Self {
        let size = [width as usize, height as usize];
        Self { size, rate: frames_per_second, added: 0, state: None, out: Some(out) }
    }

    /// When frame `n` begins \[1/100 s\].
    fn time(&self, n: u64) -> u64 {
        (n as f64 * 100.0 / self.rate).round() as u64
    }

    /// Appends a picture; translucent pixels are seen over black.
    pub fn add(&mut self, image: &Image) -> io::Result<()> {
        let now = self.time(self.added);
        self.added += 1;
        let colours = image.pixels.iter().map(|&pixel| over_black(pixel));
        let Some(state) = &mut self.state else {
            return self.first(colours.collect());
        };
        if now - state.began < SHORTEST {
            return Ok(());
        }
        let changed: Vec<bool> = state
            .source
            .iter()
            .zip(colours.clone())
            .map(|(old, new)| (0..3).any(|k| old[k].abs_diff(new[k]) > UNSEEN))
            .collect();
        let Some(area) = bounds(&changed, self.size[0]) else { return Ok(()) };
        for ((old, new), _) in
            state.source.iter_mut().zip(colours).zip(&changed).filter(|(_, changed)| **changed)
        {
            *old = new;
        }
        let next = state.draw(&changed, area, self.size[0]);
        state.write_pending(now)?;
        state.pending = next;
        state.began = now;
        Ok(())
    }

    fn first(&mut self, colours: Vec<Colour>) -> io::Result<()> {
        let Some(out) = self.out.take() else { return Err(io::Error::other("closed")) };
        let shared = Palette::new(colours.iter().copied());
        let [width, height] = self.size.map(|n| n as u16);
        let mut encoder =
            Encoder::new(out, width, height, &padded(shared.colours.clone())).map_err(into_io)?;
        encoder.set_repeat(Repeat::Infinite).map_err(into_io)?;
        let changed = vec![true; colours.len()];
        let mut state = State {
            encoder,
            shared,
            shown: colours.clone(),
            source: colours,
            pending: Frame::default(),
            began: 0,
        };
        let area = [0, 0, self.size[0], self.size[1]];
        // Nothing is there yet, so nothing may be left out.
        state.shown.iter_mut().for_each(|c| *c = [0; 3]);
        state.pending = state.draw(&changed, area, self.size[0]);
        self.state = Some(state);
        Ok(())
    }

    /// Writes the last frame and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        let end = self.time(self.added);
        let Some(mut state) = self.state.take() else {
            return Err(io::Error::other("a film needs a frame"));
        };
        state.write_pending(end)?;
        state.encoder.into_inner().map_err(into_io)
    }
}

impl<W: Write> State<W> {
    fn write_pending(&mut self, end: u64) -> io::Result<()> {
        self.pending.delay = (end - self.began).clamp(SHORTEST, u16::MAX.into()) as u16;
        self.encoder.write_frame(&self.pending).map_err(into_io)
    }

    /// The frame that draws the changed pixels of an area: left, top, right and bottom.
    fn draw(&mut self, changed: &[bool], area: [usize; 4], width: usize) -> Frame<'static> {
        let [left, top, right, bottom] = area;
        let whole = self.pending.buffer.is_empty();
        let pixels = || {
            (top..bottom)
                .flat_map(move |y| (left..right).map(move |x| y * width + x))
                .filter(|&i| changed[i])
        };
        let (mut error, mut count) = (0.0, 0.0);
        for i in pixels().step_by(7) {
            let nearest = self.shared.nearest(self.source[i]);
            let colour = self.shared.colours[usize::from(nearest)];
            error += f64::from(distance(colour, self.source[i]));
            count += 1.0;
        }
        let mut own = (error > TOO_FAR * count && !whole)
            .then(|| Palette::new(pixels().map(|i| self.source[i])));
        let palette = own.as_mut().unwrap_or(&mut self.shared);
        let mut indices = vec![TRANSPARENT; (right - left) * (bottom - top)];
        for i in pixels() {
            let (x, y) = (i % width, i / width);
            let index = palette.nearest(dotted(self.source[i], x, y));
            let colour = palette.colours[usize::from(index)];
            if whole || self.shown[i] != colour {
                indices[(y - top) * (right - left) + x - left] = index;
                self.shown[i] = colour;
            }
        }
        Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left) as u16,
            height: (bottom - top) as u16,
            transparent: (!whole).then_some(TRANSPARENT),
            dispose: DisposalMethod::Keep,
            palette: own.map(|p| padded(p.colours)),
            buffer: Cow::Owned(indices),
            ..Frame::default()
        }
    }
}

/// All 256 entries, so that the index for transparency exists.
fn padded(mut colours: Vec<Colour>) -> Vec<u8> {
    colours.resize(256, [0; 3]);
    colours.as_flattened().to_vec()
}

fn dotted(colour: Colour, x: usize, y: usize) -> Colour {
    let offset = (2 * BAYER[y % 4][x % 4] - 15) * DOTS / 32;
    colour.map(|c| (i32::from(c) + offset).clamp(0, 255) as u8)
}

fn over_black([r, g, b, opacity]: [u8; 4]) -> Colour {
    [r, g, b].map(|c| ((u32::from(c) * u32::from(opacity) + 127) / 255) as u8)
}

/// Left, top, right and bottom of what changed; right and bottom are the first without change.
fn bounds(changed: &[bool], width: usize) -> Option<[usize; 4]> {
    let mut area: Option<[usize; 4]> = None;
    for (y, row) in changed.chunks_exact(width).enumerate() {
        let Some(first) = row.iter().position(|&c| c) else { continue };
        let last = row.iter().rposition(|&c| c).unwrap_or(first);
        let [left, top, right, _] = area.unwrap_or([first, y, last + 1, y + 1]);
        area = Some([left.min(first), top, right.max(last + 1), y + 1]);
    }
    area
}

fn into_io(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}
