//! An H.264 encoder: constrained baseline profile, which everything plays.
//!
//! Numbers of sections and tables in this module and below are those of ITU-T H.264 (08/2021).
//! Pictures that stand alone come every two seconds; the others predict each block of 16 × 16 pixels
//! from the picture before, moved by quarters of a pixel, or from its own surroundings. Every picture
//! is cut into the same slices whatever the machine, so that the same pictures give the same bytes.

mod bits;
mod cavlc;
mod deblock;
mod headers;
mod intra;
mod motion;
mod planes;
mod residual;
mod slice;
mod tables;
#[cfg(test)]
mod tests;
mod transform;

use crate::Image;
use bits::packet;
use headers::{Shape, SliceHeader};
use planes::{Planes, Reference};
use slice::{Macroblock, Picture, Slice};

pub use headers::level;

/// The finest quantisation used: differences are hardly visible.
const FINEST: i32 = 20;
/// The coarsest.
const COARSEST: i32 = 51;
/// The most that a film may cost \[bits per pixel and second\]: ten seconds of 1280 × 720 stay below
/// ten megabytes, at any frame rate.
const BUDGET: f64 = 7.5;
/// Smaller pictures get the budget of this many pixels.
const SMALL: f64 = 320.0 * 180.0;
/// Rows of macroblocks that a slice has at least.
const SLICE_ROWS: usize = 10;

/// Turns pictures of one size into packets.
pub struct Encoder {
    shape: Shape,
    source: Planes,
    decoded: Planes,
    before: Option<[Reference; 3]>,
    frames_per_key: u32,
    since_key: u32,
    key_number: u32,
    rate: Rate,
}

/// An encoded picture.
pub struct Encoded {
    /// Packets, each after its length in four bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be shown without those before.
    pub key: bool,
}

impl Encoder {
    /// For pictures of an even width and height that [`level`] accepts; smaller ones are continued to
    /// that size.
    pub fn new(visible: [u32; 2], level: u8, frame_ticks: u32, ticks_per_second: u32) -> Self {
        let [columns, rows] = visible.map(|n| n.div_ceil(16));
        let planes = Planes::new(columns as usize, rows as usize);
        let frames_per_second = f64::from(ticks_per_second) / f64::from(frame_ticks);
        Self {
            source: planes.clone(),
            decoded: planes,
            before: None,
            frames_per_key: (2.0 * frames_per_second).round().clamp(1.0, 600.0) as u32,
            since_key: 0,
            key_number: 0,
            rate: Rate::new(visible, frames_per_second),
            shape: Shape { columns, rows, visible, level, frame_ticks, ticks_per_second },
        }
    }

    /// The packets that describe sequence and pictures.
    pub fn parameters(&self) -> [Vec<u8>; 2] {
        [self.shape.sequence(), headers::picture()]
    }

    /// Encodes the next picture.
    pub fn encode(&mut self, image: &Image) -> Encoded {
        let encoded = self.encode_with(image, self.rate.qp(), self.rate.largest());
        self.rate.spend(encoded.bytes.len());
        encoded
    }

    /// Begins with the quantisation `qp` and makes it coarser as long as the picture has more than
    /// `largest` bytes.
    fn encode_with(&mut self, image: &Image, mut qp: i32, largest: f64) -> Encoded {
        self.source.fill(image);
        let key = self.since_key == 0;
        if key {
            self.before = None;
        }
        let mut bytes = self.slices(qp);
        while qp < COARSEST && bytes.len() as f64 > largest {
            qp = (qp + 5).min(COARSEST);
            bytes = self.slices(qp);
        }
        self.before = Some(self.decoded.0.each_ref().map(Reference::new));
        self.since_key = (self.since_key + 1) % self.frames_per_key;
        self.key_number += u32::from(key);
        Encoded { bytes, key }
    }

    /// The packets of the picture in `source`, each after its length.
    fn slices(&mut self, qp: i32) -> Vec<u8> {
        let packets = self.slice_packets(qp);
        let mut bytes = Vec::with_capacity(packets.iter().map(|p| p.len() + 4).sum());
        for packet in packets {
            bytes.extend((packet.len() as u32).to_be_bytes());
            bytes.extend(packet);
        }
        bytes
    }

    fn slice_packets(&mut self, qp: i32) -> Vec<Vec<u8>> {
        let columns = self.shape.columns as usize;
        let rows = self.shape.rows as usize;
        let picture = Picture { source: &self.source, before: self.before.as_ref(), columns, qp };
        let rows_per_slice = rows.div_ceil((rows / SLICE_ROWS).clamp(1, 8));
        let [y, cb, cr] = &mut self.decoded.0;
        let bands = y
            .samples
            .chunks_mut(rows_per_slice * columns * 256)
            .zip(cb.samples.chunks_mut(rows_per_slice * columns * 64))
            .zip(cr.samples.chunks_mut(rows_per_slice * columns * 64));
        let jobs = bands.enumerate().map(|(i, ((y, cb), cr))| {
            let first_row = i * rows_per_slice;
            let header = SliceHeader {
                first_block: (first_row * columns) as u32,
                since_key: self.since_key,
                key_number: self.key_number,
                qp,
            };
            let picture = &picture;
            move || one_slice(picture, &header, first_row, [y, cb, cr])
        });
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if threads == 1 {
            return jobs.map(|mut job| job()).collect();
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = jobs.map(|job| scope.spawn(job)).collect();
            running
                .into_iter()
                .map(|job| job.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
                .collect()
        })
    }
}

fn one_slice(
    picture: &Picture<'_>,
    header: &SliceHeader,
    first_row: usize,
    mut planes: [&mut [u8]; 3],
) -> Vec<u8> {
    let borrowed = planes.each_mut().map(|plane| &mut **plane);
    let (payload, blocks): (Vec<u8>, Vec<Macroblock>) =
        Slice::new(picture, first_row, borrowed, header.bits()).run();
    deblock::smooth(&mut planes, &blocks, picture.columns, picture.qp);
    packet(header.packet_header(), &payload)
}

/// Keeps a film within its budget: what was spent too much makes the next pictures coarser.
struct Rate {
    /// Budget \[bits/s\].
    per_second: f64,
    /// Budget \[bits\].
    per_frame: f64,
    /// Bits spent beyond the budget.
    debt: f64,
}

impl Rate {
    fn new(visible: [u32; 2], frames_per_second: f64) -> Self {
        let pixels = f64::from(visible[0]) * f64::from(visible[1]);
        let per_second = BUDGET * pixels.max(SMALL);
        // Few frames are not worth more than a fifth of a second each.
        Self { per_second, per_frame: per_second / frames_per_second.max(5.0), debt: 0.0 }
    }

    /// A second's budget of debt goes from the finest to the coarsest quantisation; it cannot grow
    /// much further.
    fn qp(&self) -> i32 {
        let range = f64::from(COARSEST - FINEST);
        let qp = f64::from(FINEST) + range * self.debt / self.per_second;
        qp.round().clamp(FINEST.into(), COARSEST.into()) as i32
    }

    /// The largest picture: half a second's budget \[bytes\].
    fn largest(&self) -> f64 {
        self.per_second / 16.0
    }

    /// Two quiet seconds may be saved up for later.
    fn spend(&mut self, bytes: usize) {
        let balance = self.debt + 8.0 * bytes as f64 - self.per_frame;
        self.debt = balance.max(-2.0 * self.per_second);
    }
}
