//! Ways of damaging a file.

use pliant_mesh::formats::READABLE;

use super::random::Random;
use super::seeds::Seed;

/// Numbers that readers trip over.
const HOSTILE: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "255",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999",
    "1e308",
    "-1e308",
    "1e999",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "-0",
    "0.5",
    "1e9",
    "007",
    "0x10",
    "1_0",
    "+",
    "-",
    ".",
    "e5",
    "1,5",
    "/",
    "1//",
    "-1/-1/-1",
];

/// A copy of `seed` with one to four kinds of damage. `family` are the seeds of the same format.
pub fn damaged(seed: &Seed, family: &[&Seed], all: &[Seed], random: &mut Random) -> Seed {
    let mut file = seed.clone();
    if random.below(20) == 0 {
        file.name = odd_name(&file.name, random);
    }
    let rounds = 1 + random.below(4);
    for _ in 0..rounds {
        let companion = random.below(file.companions.0.len() + 1);
        let other = if random.below(4) == 0 { random.pick(all) } else { *random.pick(family) };
        // Companions are damaged as often as the file itself.
        let bytes = match file.companions.0.values_mut().nth(companion) {
            Some(bytes) => bytes,
            None => &mut file.bytes,
        };
        damage(bytes, &other.bytes, random);
        // Doubling again and again makes files that only test patience.
        bytes.truncate(1 << 18);
    }
    file
}

fn odd_name(name: &str, random: &mut Random) -> String {
    let known = READABLE.iter().map(|(extension, _)| *extension);
    let extensions: Vec<&str> = known.chain(["gz", ""]).collect();
    let stem = name.split('.').next().unwrap_or_default();
    match random.below(3) {
        0 => String::new(),
        1 => stem.into(),
        _ => format!("{stem}.{}", random.pick(&extensions)),
    }
}

fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let length = bytes.len();
    match random.below(16) {
        0 => bytes.truncate(random.below(length + 1)),
        1 | 2 => flip_bits(bytes, random),
        3 => {
            if length > 0 {
                let at = random.below(length);
                bytes[at] =
                    *random.pick(b"\0\x01\x7f\x80\xff\n\r\t #$*<>\"'{}[],;/-+.0123456789eEvf");
            }
        }
        4 => {
            bytes.drain(random.range(length));
        }
        5 => {
            let copy = bytes[random.range(length)].to_vec();
            insert(bytes, random.below(length + 1), &copy);
        }
        6 | 7 => change_lines(bytes, random),
        8..=10 => replace_number(bytes, random),
        11 => {
            let copy = other[random.range(other.len())].to_vec();
            insert(bytes, random.below(length + 1), &copy);
        }
        12 => {
            // The beginning of this file and the end of another.
            bytes.truncate(random.below(length + 1));
            bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
        }
        13 => overwrite_binary(bytes, random),
        14 => swap_tokens(bytes, random),
        _ => {
            let noise: Vec<u8> = (0..random.below(64)).map(|_| random.next() as u8).collect();
            if random.below(50) == 0 {
                *bytes = noise;
            } else {
                insert(bytes, random.below(length + 1), &noise);
            }
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    bytes.splice(at..at, what.iter().copied());
}

fn flip_bits(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
    }
}

/// Deletes, doubles, moves or empties a line.
fn change_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> =
        bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let at = random.below(lines.len());
    match random.below(5) {
        0 => {
            lines.remove(at);
        }
        1 => {
            let copy = lines[at].clone();
            let times = if random.below(8) == 0 { 200 } else { 1 };
            for _ in 0..times {
                lines.insert(at, copy.clone());
            }
        }
        2 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        3 => lines[at] = b"\n".to_vec(),
        _ => {
            lines.truncate(at);
        }
    }
    *bytes = lines.concat();
}

/// Ranges of tokens between blanks and punctuation.
fn tokens(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let ends = |b: u8| b.is_ascii_whitespace() || b"\"<>=,;:[]{}()".contains(&b);
    let mut found = Vec::new();
    let mut start = None;
    for (i, b) in bytes.iter().enumerate() {
        match (ends(*b), start) {
            (false, None) => start = Some(i),
            (true, Some(s)) => {
                found.push(s..i);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|s| s..bytes.len()));
    found
}

fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let numeric = |b: u8| b.is_ascii_digit() || b == b'-' || b == b'.';
    let mut numbers = tokens(bytes);
    numbers.retain(|r| numeric(bytes[r.start]));
    if !numbers.is_empty() {
        // Counts stand at the beginning more often than elsewhere.
        let among = if random.below(2) == 0 { numbers.len().min(12) } else { numbers.len() };
        let range = numbers[random.below(among)].clone();
        bytes.splice(range, random.pick(HOSTILE).bytes());
    }
}

fn swap_tokens(bytes: &mut Vec<u8>, random: &mut Random) {
    let tokens = tokens(bytes);
    if !tokens.is_empty() {
        let copy = bytes[random.pick(&tokens).clone()].to_vec();
        bytes.splice(random.pick(&tokens).clone(), copy);
    }
}

/// Writes a hostile binary number over some bytes, in either byte order.
fn overwrite_binary(bytes: &mut [u8], random: &mut Random) {
    let integers =
        [0, 1, u64::MAX, i64::MAX as u64, 1 << 31, 1 << 32, 0xffff_ffff, 0x7fff_ffff, 1 << 24];
    let floats = [f64::NAN, f64::INFINITY, 1e308, -1e308, 5e-324];
    let raw = match random.below(5) {
        0 => random.pick(&floats).to_le_bytes().to_vec(),
        1 => (*random.pick(&floats) as f32).to_le_bytes().to_vec(),
        2 => random.pick(&integers).to_be_bytes().to_vec(),
        3 => (*random.pick(&integers) as u32).to_le_bytes().to_vec(),
        _ => random.pick(&integers).to_le_bytes().to_vec(),
    };
    if bytes.len() >= raw.len() {
        let at = random.below(bytes.len() - raw.len() + 1);
        bytes[at..at + raw.len()].copy_from_slice(&raw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_case_is_damaged_in_the_same_way() {
        let seeds = [Seed::new("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")];
        let family = [&seeds[0]];
        let case = |n| damaged(&seeds[0], &family, &seeds, &mut Random::new(1, n)).bytes;
        let all: Vec<Vec<u8>> = (0..500).map(case).collect();
        assert_eq!(all, (0..500).map(case).collect::<Vec<_>>());
        let changed = all.iter().filter(|b| **b != seeds[0].bytes).count();
        assert!(changed > 450, "only {changed} of 500 were changed");
    }

    #[test]
    fn empty_files_can_be_damaged_too() {
        let seeds = [Seed::new("a.obj", "")];
        for n in 0..500 {
            damaged(&seeds[0], &[&seeds[0]], &seeds, &mut Random::new(2, n));
        }
    }
}
