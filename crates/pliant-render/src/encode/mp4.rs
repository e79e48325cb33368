//! The container of a film: ISO base media file format (ISO/IEC 14496-12 and -15).
//!
//! Pictures are written as they come, and the index that finds them at the end.

use std::io::{self, Seek, SeekFrom, Write};

use super::h264::{Encoded, Encoder};
use crate::Image;

/// Ticks in a frame: rates are kept to a thousandth of a frame per second.
pub const FRAME_TICKS: u32 = 1000;

/// A film in the making.
pub struct Mp4 {
    encoder: Encoder,
    size: [u32; 2],
    ticks_per_second: u32,
    sizes: Vec<u32>,
    /// Numbers of the pictures that stand alone, from 1.
    keys: Vec<u32>,
    written: u64,
}

/// Where the first picture's bytes begin: after `ftyp` and the header of `mdat`.
const FIRST: u64 = 32 + 16;

impl Mp4 {
    /// Writes what comes before the first picture.
    pub fn create(
        out: &mut impl Write,
        size: [u32; 2],
        level: u8,
        ticks_per_second: u32,
    ) -> io::Result<Self> {
        out.write_all(&container(b"ftyp", &[b"isom", &[0, 0, 2, 0], b"isomiso2avc1mp41"]))?;
        // One of 64 bits, its length filled in at the end.
        out.write_all(&[0, 0, 0, 1])?;
        out.write_all(b"mdat")?;
        out.write_all(&[0; 8])?;
        let encoder = Encoder::new(size, level, FRAME_TICKS, ticks_per_second);
        Ok(Self { encoder, size, ticks_per_second, sizes: vec![], keys: vec![], written: 0 })
    }

    /// Appends a picture.
    pub fn add(&mut self, out: &mut impl Write, image: &Image) -> io::Result<()> {
        let Encoded { bytes, key } = self.encoder.encode(image);
        out.write_all(&bytes)?;
        self.written += bytes.len() as u64;
        self.sizes.push(bytes.len() as u32);
        if key {
            self.keys.push(self.sizes.len() as u32);
        }
        Ok(())
    }

    /// Writes the index.
    pub fn finish(&self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        out.write_all(&self.index())?;
        out.seek(SeekFrom::Start(FIRST - 8))?;
        out.write_all(&(self.written + 16).to_be_bytes())?;
        out.seek(SeekFrom::End(0))?;
        Ok(())
    }

    fn index(&self) -> Vec<u8> {
        let frames = self.sizes.len() as u32;
        let ticks = u64::from(frames) * u64::from(FRAME_TICKS);
        let zeros = [0; 80];
        // Version 1: creation and change unknown, then the scale and duration in ticks.
        let times =
            [&zeros[..16], &self.ticks_per_second.to_be_bytes(), &ticks.to_be_bytes()].concat();
        let head = container(
            b"mvhd",
            &[
                &VERSION_1,
                &times,
                // Normal speed and loudness.
                &[0, 1, 0, 0, 1, 0],
                &zeros[..10],
                &UNMOVED,
                &zeros[..24],
                &2u32.to_be_bytes(),
            ],
        );
        let track_head = container(
            b"tkhd",
            &[
                // Enabled, part of the film.
                &[1, 0, 0, 3],
                &zeros[..16],
                &1u32.to_be_bytes(),
                &zeros[..4],
                &ticks.to_be_bytes(),
                &zeros[..16],
                &UNMOVED,
                &(self.size[0] << 16).to_be_bytes(),
                &(self.size[1] << 16).to_be_bytes(),
            ],
        );
        // No language.
        let media_head = container(b"mdhd", &[&VERSION_1, &times, &[0x55, 0xc4, 0, 0]]);
        let handler =
            container(b"hdlr", &[&VERSION_0, &zeros[..4], b"vide", &zeros[..12], b"Pliant\0"]);
        let here = container(b"url ", &[&[0, 0, 0, 1]]);
        let references = container(b"dref", &[&VERSION_0, &1u32.to_be_bytes(), &here]);
        let information = container(
            b"minf",
            &[
                &container(b"vmhd", &[&[0, 0, 0, 1], &zeros[..8]]),
                &container(b"dinf", &[&references]),
                &self.samples(frames),
            ],
        );
        let media = container(b"mdia", &[&media_head, &handler, &information]);
        container(b"moov", &[&head, &container(b"trak", &[&track_head, &media])])
    }

    /// Where each picture is, how long it lasts, and how it is coded.
    fn samples(&self, frames: u32) -> Vec<u8> {
        let one = 1u32.to_be_bytes();
        let list =
            |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_be_bytes()).collect() };
        let keys = (self.keys.len() as u32).to_be_bytes();
        container(
            b"stbl",
            &[
                &container(b"stsd", &[&VERSION_0, &one, &self.coding()]),
                &container(b"stts", &[&VERSION_0, &one, &list(&[frames, FRAME_TICKS])]),
                &container(b"stss", &[&VERSION_0, &keys, &list(&self.keys)]),
                // All pictures lie in one chunk.
                &container(b"stsc", &[&VERSION_0, &one, &list(&[1, frames, 1])]),
                &container(b"stsz", &[&VERSION_0, &list(&[0, frames]), &list(&self.sizes)]),
                &container(b"co64", &[&VERSION_0, &one, &FIRST.to_be_bytes()]),
            ],
        )
    }

    fn coding(&self) -> Vec<u8> {
        let [sequence, picture] = self.encoder.parameters();
        let length = |packet: &[u8]| (packet.len() as u16).to_be_bytes();
        let configuration = container(
            b"avcC",
            &[
                // Version, then profile, compatibility and level; lengths of four bytes.
                &[1, sequence[1], sequence[2], sequence[3], 0xff, 0xe1],
                &length(&sequence),
                &sequence,
                &[1],
                &length(&picture),
                &picture,
            ],
        );
        let colour = container(b"colr", &[b"nclx", &[0, 1, 0, 1, 0, 1, 0]]);
        let mut name = [0; 32];
        name[..7].copy_from_slice(b"\x06Pliant");
        container(
            b"avc1",
            &[
                &[0, 0, 0, 0, 0, 0, 0, 1],
                &[0; 16],
                &(self.size[0] as u16).to_be_bytes(),
                &(self.size[1] as u16).to_be_bytes(),
                // 72 points per inch, one picture per sample, 24 bits, no palette.
                &[0, 0x48, 0, 0, 0, 0x48, 0, 0, 0, 0, 0, 0, 0, 1],
                &name,
                &[0, 24, 0xff, 0xff],
                &configuration,
                &colour,
            ],
        )
    }
}

const VERSION_0: [u8; 4] = [0; 4];
const VERSION_1: [u8; 4] = [1, 0, 0, 0];

/// The matrix that leaves pictures where they are.
const UNMOVED: [u8; 36] = {
    let mut matrix = [0; 36];
    matrix[1] = 1;
    matrix[17] = 1;
    matrix[32] = 0x40;
    matrix
};

/// A box of the format: length, name, contents.
fn container(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let contents: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(contents + 8);
    bytes.extend((contents as u32 + 8).to_be_bytes());
    bytes.extend(name);
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}
