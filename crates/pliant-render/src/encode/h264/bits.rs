//! Bits in the order a decoder reads them, and the packets they travel in.

/// Writes numbers of any number of bits, most significant bit first.
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// Appends the lowest `count` bits of `value`; `count` is at most 32.
    pub fn put(&mut self, value: u32, count: u32) {
        debug_assert!(count <= 32 && (count == 32 || value >> count == 0));
        self.pending = self.pending << count | u64::from(value);
        self.pending_bits += count;
        while self.pending_bits >= 8 {
            self.pending_bits -= 8;
            self.bytes.push((self.pending >> self.pending_bits) as u8);
        }
    }

    /// Appends one bit.
    pub fn flag(&mut self, value: bool) {
        self.put(u32::from(value), 1);
    }

    /// An unsigned number in the exponential Golomb code `ue(v)` (H.264, section 9.1).
    pub fn unsigned(&mut self, value: u32) {
        let length = unsigned_length(value);
        self.put(0, length / 2);
        self.put(value + 1, length / 2 + 1);
    }

    /// A signed number in the exponential Golomb code `se(v)` (H.264, section 9.1.1).
    pub fn signed(&mut self, value: i32) {
        self.unsigned(folded(value));
    }

    /// Ends the packet with the stop bit and the zeros that fill its last byte.
    pub fn finish(mut self) -> Vec<u8> {
        self.flag(true);
        let gap = (8 - self.pending_bits % 8) % 8;
        self.put(0, gap);
        self.bytes
    }
}

fn folded(value: i32) -> u32 {
    if value > 0 { 2 * value as u32 - 1 } else { 2 * value.unsigned_abs() }
}

fn unsigned_length(value: u32) -> u32 {
    2 * (32 - (value + 1).leading_zeros()) - 1
}

/// How many bits [`BitWriter::signed`] takes.
pub fn signed_length(value: i32) -> u32 {
    unsigned_length(folded(value))
}

/// A packet (NAL unit): its header byte, then the payload with a 3 put into every run of zeros that
/// could be taken for the start of another packet (H.264, section 7.4.1).
pub fn packet(header: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::with_capacity(payload.len() + payload.len() / 64 + 1);
    packet.push(header);
    let mut zeros = 0;
    for &byte in payload {
        if zeros == 2 && byte <= 3 {
            packet.push(3);
            zeros = 0;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        packet.push(byte);
    }
    packet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golomb_codes_are_those_of_the_standard() {
        let mut bits = BitWriter::default();
        // 1, 010, 011, 00100, then se(-1) = 011, then the stop bit.
        for value in [0, 1, 2, 3] {
            bits.unsigned(value);
        }
        bits.signed(-1);
        assert_eq!(bits.finish(), [0b1010_0110, 0b0100_0111]);
        assert_eq!([signed_length(0), signed_length(1), signed_length(-4)], [1, 3, 7]);
    }

    #[test]
    fn a_packet_never_holds_a_start_code() {
        assert_eq!(packet(0x65, &[0, 0, 0, 0, 1, 9]), [0x65, 0, 0, 3, 0, 0, 3, 1, 9]);
    }
}
