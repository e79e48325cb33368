//! What a decoder is told before the first macroblock (H.264, sections 7.3.2, 7.3.3 and E.1).

use super::bits::{BitWriter, packet};

/// Frame size and rate limits of the standard's levels (table A-1): level, macroblocks per second,
/// macroblocks per picture. Smaller levels than 3.1 limit motion more and gain nothing today.
const LEVELS: [(u8, u64, u64); 10] = [
    (31, 108_000, 3_600),
    (32, 216_000, 5_120),
    (40, 245_760, 8_192),
    (42, 522_240, 8_704),
    (50, 589_824, 22_080),
    (51, 983_040, 36_864),
    (52, 2_073_600, 36_864),
    (60, 4_177_920, 139_264),
    (61, 8_355_840, 139_264),
    (62, 16_711_680, 139_264),
];

/// The smallest level for pictures of `columns` × `rows` macroblocks; none if they are too large for
/// the standard.
pub fn level(columns: u32, rows: u32, frames_per_second: f64) -> Option<u8> {
    let (columns, rows) = (u64::from(columns), u64::from(rows));
    let size = columns * rows;
    let fits = |most: u64| size <= most && columns.max(rows).pow(2) <= 8 * most;
    let rate = size as f64 * frames_per_second;
    let mut large_enough = LEVELS.iter().filter(|(_, _, most)| fits(*most));
    let quick_enough = large_enough.clone().find(|(_, fastest, _)| rate <= *fastest as f64);
    // Rates beyond every level play slower than wished, but they play.
    quick_enough.or_else(|| large_enough.next_back()).map(|(level, _, _)| *level)
}

/// What stays the same for a whole film.
pub struct Shape {
    /// Macroblocks per row.
    pub columns: u32,
    /// Rows of macroblocks.
    pub rows: u32,
    /// Visible width and height, even numbers \[pixels\].
    pub visible: [u32; 2],
    /// From [`level`].
    pub level: u8,
    /// Duration of a frame over that of a second, both in ticks.
    pub frame_ticks: u32,
    /// Ticks per second.
    pub ticks_per_second: u32,
}

impl Shape {
    /// The packet that describes the sequence. It says constrained baseline profile.
    pub fn sequence(&self) -> Vec<u8> {
        let mut bits = BitWriter::default();
        bits.put(66, 8);
        bits.put(0b1100_0000, 8);
        bits.put(self.level.into(), 8);
        bits.unsigned(0);
        // Frame numbers of four bits; pictures are shown in the order they are stored.
        bits.unsigned(0);
        bits.unsigned(2);
        // One reference picture, no gaps.
        bits.unsigned(1);
        bits.flag(false);
        bits.unsigned(self.columns - 1);
        bits.unsigned(self.rows - 1);
        // Whole frames; the next flag must then be set.
        bits.flag(true);
        bits.flag(true);
        self.crop(&mut bits);
        self.usability(&mut bits);
        packet(0x67, &bits.finish())
    }

    fn crop(&self, bits: &mut BitWriter) {
        let right = (self.columns * 16 - self.visible[0]) / 2;
        let bottom = (self.rows * 16 - self.visible[1]) / 2;
        bits.flag(right + bottom > 0);
        if right + bottom > 0 {
            for edge in [0, right, 0, bottom] {
                bits.unsigned(edge);
            }
        }
    }

    /// Colour space, timing and what a player need not buffer.
    fn usability(&self, bits: &mut BitWriter) {
        bits.flag(true);
        bits.put(0b00, 2);
        bits.flag(true);
        // No particular source, studio range; BT.709 primaries, transfer and matrix.
        bits.put(5, 3);
        bits.flag(false);
        bits.flag(true);
        bits.put(0x01_01_01, 24);
        bits.flag(false);
        // A tick is half a frame, as if there were fields.
        bits.flag(true);
        bits.put(self.frame_ticks, 32);
        bits.put(2 * self.ticks_per_second, 32);
        bits.flag(true);
        bits.put(0b000, 3);
        bits.flag(true);
        bits.flag(true);
        // No limit on bytes and bits, vectors below 2^11 quarters, no reordering, one picture kept.
        for value in [0, 0, 11, 11, 0, 1] {
            bits.unsigned(value);
        }
    }
}

/// The packet that describes the pictures.
pub fn picture() -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.unsigned(0);
    bits.unsigned(0);
    // Variable-length codes; no fields; one group of slices; one reference; no weights.
    bits.put(0b00, 2);
    for value in [0, 0, 0] {
        bits.unsigned(value);
    }
    bits.put(0b000, 3);
    for value in [0, 0, 0] {
        bits.signed(value);
    }
    // Slices say how seams are smoothed; intra blocks may use inter blocks; nothing is sent twice.
    bits.put(0b100, 3);
    packet(0x68, &bits.finish())
}

/// The header of a slice, which its macroblocks follow.
pub struct SliceHeader {
    /// The number of its first macroblock.
    pub first_block: u32,
    /// Pictures since the last that stands alone; zero for that one.
    pub since_key: u32,
    /// Counts the pictures that stand alone.
    pub key_number: u32,
    /// The quantisation parameter.
    pub qp: i32,
}

impl SliceHeader {
    /// The first byte of the packet.
    pub fn packet_header(&self) -> u8 {
        if self.since_key == 0 { 0x65 } else { 0x41 }
    }

    /// The bits.
    pub fn bits(&self) -> BitWriter {
        let key = self.since_key == 0;
        let mut bits = BitWriter::default();
        bits.unsigned(self.first_block);
        bits.unsigned(if key { 7 } else { 5 });
        bits.unsigned(0);
        bits.put(self.since_key % 16, 4);
        if key {
            bits.unsigned(self.key_number % 2);
            bits.put(0b00, 2);
        } else {
            // The usual number of references, in the usual order, forgotten in the usual way.
            bits.put(0b000, 3);
        }
        bits.signed(self.qp - 26);
        // Smooth seams, but not to other slices.
        bits.unsigned(2);
        bits.signed(0);
        bits.signed(0);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_well_known_formats() {
        assert_eq!(level(80, 45, 30.0), Some(31));
        assert_eq!(level(80, 45, 60.0), Some(32));
        assert_eq!(level(120, 68, 30.0), Some(40));
        assert_eq!(level(240, 135, 30.0), Some(51));
        assert_eq!(level(1024, 1024, 30.0), None);
    }
}
