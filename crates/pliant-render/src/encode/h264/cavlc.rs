//! Coefficients as bits: context-adaptive variable-length coding (H.264, section 9.2).

use super::bits::BitWriter;
use super::tables::{CHROMA_COUNTS, CHROMA_ZEROS, COUNTS, Code, RUNS, ZEROS};

/// What decides the code of the number of coefficients.
#[derive(Clone, Copy)]
pub enum Context {
    /// The mean number of coefficients in the neighbouring blocks.
    Neighbours(usize),
    /// The four sums of a chroma block.
    ChromaSums,
}

/// Writes the levels of a block, in coding order.
pub fn write_block(bits: &mut BitWriter, levels: &[i16], context: Context) {
    // Position and level of the coefficients, the last first, as they are written.
    let mut found = [(0, 0); 16];
    let mut count = 0;
    for (k, &level) in levels.iter().enumerate().rev() {
        if level != 0 {
            found[count] = (k, i32::from(level));
            count += 1;
        }
    }
    let found = &found[..count];
    let ones = found.iter().take(3).take_while(|(_, level)| level.abs() == 1).count();
    write_count(bits, count, ones, context);
    if count == 0 {
        return;
    }
    for (_, level) in &found[..ones] {
        bits.flag(*level < 0);
    }
    write_levels(bits, &found[ones..], count, ones);

    let mut zeros = found[0].0 + 1 - count;
    if count < levels.len() {
        put(bits, zero_code(count, zeros, levels.len()));
    }
    for pair in found.windows(2) {
        if zeros == 0 {
            break;
        }
        let run = pair[0].0 - pair[1].0 - 1;
        put(bits, RUNS[zeros.min(7) - 1][run]);
        zeros -= run;
    }
}

fn put(bits: &mut BitWriter, (length, value): Code) {
    bits.put(value.into(), length.into());
}

fn write_count(bits: &mut BitWriter, count: usize, ones: usize, context: Context) {
    let code = match context {
        Context::ChromaSums => CHROMA_COUNTS[count][ones],
        Context::Neighbours(0 | 1) => COUNTS[0][count][ones],
        Context::Neighbours(2 | 3) => COUNTS[1][count][ones],
        Context::Neighbours(4..=7) => COUNTS[2][count][ones],
        Context::Neighbours(_) if count == 0 => (6, 3),
        Context::Neighbours(_) => (6, ((count - 1) << 2 | ones) as u8),
    };
    put(bits, code);
}

/// The table for blocks without their first coefficient is that of whole blocks.
fn zero_code(count: usize, zeros: usize, size: usize) -> Code {
    if size == 4 { CHROMA_ZEROS[count - 1][zeros] } else { ZEROS[count - 1][zeros] }
}

/// Levels after the trailing ones: a prefix of zeros and a suffix that grows with the levels
/// (H.264, section 9.2.2.1).
fn write_levels(bits: &mut BitWriter, found: &[(usize, i32)], count: usize, ones: usize) {
    let mut suffix = u32::from(count > 10 && ones < 3);
    for (i, &(_, level)) in found.iter().enumerate() {
        let mut code = 2 * level.unsigned_abs() - 2 + u32::from(level < 0);
        if i == 0 && ones < 3 {
            // It cannot be another one.
            code -= 2;
        }
        let (prefix, extra, extra_bits) = match suffix {
            0 if code < 14 => (code, 0, 0),
            0 if code < 30 => (14, code - 14, 4),
            0 => (15, code - 30, 12),
            _ if code < 15 << suffix => (code >> suffix, code & ((1 << suffix) - 1), suffix),
            _ => (15, code - (15 << suffix), 12),
        };
        bits.put(1, prefix + 1);
        bits.put(extra, extra_bits);
        suffix = suffix.max(1);
        if level.unsigned_abs() > 3 << (suffix - 1) && suffix < 6 {
            suffix += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example that textbooks use: Richardson, "H.264 and MPEG-4 Video Compression",
    /// section 6.4.12.2, example 1.
    #[test]
    fn a_textbook_block_gives_the_textbook_bits() {
        let mut bits = BitWriter::default();
        let levels = [0, 3, 0, 1, -1, -1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        write_block(&mut bits, &levels, Context::Neighbours(0));
        // 0000100 011 1 0010 111 10 1 101, then the stop bit.
        let text = "000010001110010111101101";
        let expected: Vec<u8> = (0..3)
            .map(|i| u8::from_str_radix(&text[8 * i..8 * i + 8], 2).unwrap())
            .chain([0x80])
            .collect();
        assert_eq!(bits.finish(), expected);
    }
}
