//! Compares what we believe a decoder shows with what one shows, sample by sample.

use std::process::Command;

use super::*;

/// Colours that slide by `speed`, a square that jumps, and a patch of noise: all kinds of blocks.
fn picture([width, height]: [u32; 2], speed: f32, n: u32) -> Image {
    let mut image = Image::filled(width, height, [0, 0, 0, 255]);
    let mut state = 7 + n;
    for y in 0..height {
        for x in 0..width {
            let moved = speed * n as f32;
            let slide = (x as f32 - 2.3 * moved) * 0.07 + (y as f32 + 1.4 * moved) * 0.05;
            let slide = slide + 2.0 * ((x as f32 - moved) * 0.02).sin();
            let mut pixel = [slide.sin(), (slide * 1.3).cos(), (slide * 0.4).sin()]
                .map(|s| (128.0 + 100.0 * s) as u8);
            if (x + 40 - n * 9 % 40) / 24 == 2 && y / 20 == 1 + n % 2 {
                pixel = [250, 20, 10];
            }
            if x + 40 > width && y + 30 > height && !n.is_multiple_of(3) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                pixel = [(state >> 24) as u8, (state >> 16) as u8, (state >> 8) as u8];
            }
            image.pixels[(y * width + x) as usize] = [pixel[0], pixel[1], pixel[2], 255];
        }
    }
    image
}

/// All planes of all frames as ffmpeg decodes them; nothing where there is no ffmpeg.
fn decoded(stream: &[u8], name: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, stream).unwrap();
    let output = Command::new("ffmpeg")
        .args(["-v", "warning", "-xerror", "-f", "h264", "-i"])
        .arg(&path)
        .args(["-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no ffmpeg on this machine to decode the film with");
        return None;
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{complaints}");
    Some(output.stdout)
}

/// Packets after start codes instead of lengths.
fn append(stream: &mut Vec<u8>, mut bytes: &[u8]) {
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let (packet, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
        stream.extend([0, 0, 0, 1]);
        stream.extend(packet);
        bytes = rest;
    }
}

#[test]
fn a_decoder_shows_exactly_what_we_predict_from() {
    // Whole macroblocks, so that planes are seen in full. Three slices, one, and a lone block; fast
    // motion leads beyond the edges.
    for (size, speed) in [([176, 480], 1.0), ([176, 480], 9.0), ([48, 64], 5.0), ([16, 16], 2.0)] {
        for qp in [16, 20, 27, 33, 40, 51] {
            check(size, speed, qp);
        }
    }
}

fn check(size: [u32; 2], speed: f32, qp: i32) {
    let mut encoder = Encoder::new(size, 31, 1, 6);
    let mut stream = Vec::new();
    for packet in encoder.parameters() {
        stream.extend([0, 0, 0, 1]);
        stream.extend(packet);
    }
    let mut expected: Vec<u8> = Vec::new();
    // Frames 0 and 12 stand alone.
    for n in 0..14 {
        let encoded = encoder.encode_with(&picture(size, speed, n), qp, f64::INFINITY);
        assert_eq!(encoded.key, n % 12 == 0);
        append(&mut stream, &encoded.bytes);
        expected.extend(encoder.decoded.0.iter().flat_map(|plane| &plane.samples));
    }
    let Some(found) = decoded(&stream, "film.264") else { return };
    assert_eq!(found.len(), expected.len());
    let frame = expected.len() / 14;
    if let Some(at) = (0..found.len()).find(|&i| found[i] != expected[i]) {
        let (n, sample) = (at / frame, at % frame);
        panic!("{size:?} at speed {speed}, qp {qp}: frame {n} differs at sample {sample}");
    }
}
