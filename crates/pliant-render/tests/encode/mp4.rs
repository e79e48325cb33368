//! MP4 films: our own boxes read again, and pictures decoded by ffmpeg where there is one.

use std::path::Path;

use pliant_render::encode::Film;

use crate::ffmpeg;
use crate::scene::{opaque, picture, psnr};

fn write(path: &Path, size: [u32; 2], rate: f64, frames: u32) {
    let mut film = Film::create(path, size, rate).unwrap();
    for n in 0..frames {
        film.add(&picture(size[0], size[1], n as f32 / rate as f32)).unwrap();
    }
    film.finish().unwrap();
}

/// The contents of the box at the end of a path of names.
fn find<'a>(mut bytes: &'a [u8], path: &[&[u8; 4]]) -> &'a [u8] {
    for name in path {
        loop {
            let short = number(bytes, 0) as usize;
            let (head, length) = if short == 1 {
                (16, (number(bytes, 8) as usize) << 32 | number(bytes, 12) as usize)
            } else {
                (8, short)
            };
            assert!(length >= head && length <= bytes.len(), "broken box before {name:?}");
            if &bytes[4..8] == *name {
                bytes = &bytes[head..length];
                break;
            }
            bytes = &bytes[length..];
        }
    }
    bytes
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn the_index_says_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    write(&path, [161, 90], 12.5, 30);
    let bytes = std::fs::read(&path).unwrap();
    let media: &[&[u8; 4]] = &[b"moov", b"trak", b"mdia"];

    // 30 frames of 1000 ticks, 12 500 ticks per second: 2.4 s.
    let head = find(&bytes, &[media, &[b"mdhd"]].concat());
    assert_eq!([number(head, 20), number(head, 24), number(head, 28)], [12_500, 0, 30_000]);
    let table = [media, &[b"minf", b"stbl"]].concat();
    let box_of = |name| find(&bytes, &[&table[..], &[name]].concat());
    let durations = box_of(b"stts");
    assert_eq!([4, 8, 12].map(|at| number(durations, at)), [1, 30, 1000]);
    // A picture that stands alone every two seconds: the 1st and the 26th.
    let keys = box_of(b"stss");
    assert_eq!([4, 8, 12].map(|at| number(keys, at)), [2, 1, 26]);
    // An odd width is made even.
    let track = find(&bytes, &[b"moov", b"trak", b"tkhd"]);
    assert_eq!([number(track, 88) >> 16, number(track, 92) >> 16], [162, 90]);

    // All pictures fill the data exactly, and their packets fill the pictures.
    let sizes = box_of(b"stsz");
    assert_eq!(number(sizes, 8), 30);
    let data = find(&bytes, &[b"mdat"]);
    let offset = number(box_of(b"co64"), 12) as usize;
    assert_eq!(&bytes[offset..offset + 64], &data[..64]);
    let mut at = 0;
    for n in 0..30 {
        let end = at + number(sizes, 12 + 4 * n) as usize;
        let key = n == 0 || n == 25;
        while at < end {
            assert_eq!(data[at + 4] & 31, if key { 5 } else { 1 });
            at += 4 + number(data, at) as usize;
        }
        assert_eq!(at, end);
    }
    assert_eq!(at, data.len());
}

#[test]
fn the_same_pictures_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.mp4", "b.mp4"].map(|name| folder.path().join(name));
    for path in &paths {
        write(path, [320, 352], 30.0, 5);
    }
    assert_eq!(std::fs::read(&paths[0]).unwrap(), std::fs::read(&paths[1]).unwrap());
}

/// How ffmpeg is to turn our colours back.
const BT709: [&str; 2] =
    ["-vf", "scale=in_color_matrix=bt709:flags=bicubic+accurate_rnd+full_chroma_int"];

/// Decodes a film and gives the worst and the mean frame \[dB\].
fn quality(size: [u32; 2], rate: f64, frames: u32) -> Option<(f64, f64)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    write(&path, size, rate, frames);
    let found = ffmpeg::decoded(&path, &BT709, size)?;
    assert_eq!(found.len(), frames as usize);
    let each: Vec<f64> = (0u32..)
        .zip(&found)
        .map(|(n, frame)| psnr(frame, &opaque(&picture(size[0], size[1], n as f32 / rate as f32))))
        .collect();
    let worst = each.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = each.iter().sum::<f64>() / each.len() as f64;
    let bytes = std::fs::metadata(&path).unwrap().len();
    println!("{size:?}, {frames} frames: {bytes} bytes, {worst:.2} dB worst, {mean:.2} dB mean");
    Some((worst, mean))
}

/// Several slices, motion in all directions, a second picture that stands alone.
#[test]
fn another_decoder_sees_the_same_film() {
    let Some((worst, mean)) = quality([640, 360], 25.0, 60) else { return };
    assert!(worst > 42.0 && mean > 44.0, "{worst} {mean}");
}

/// Sizes that are no multiple of sixteen, and one smaller than a block.
#[test]
fn another_decoder_sees_odd_sizes() {
    for size in [[178, 94], [16, 16], [10, 34]] {
        let Some((worst, _)) = quality(size, 10.0, 8) else { return };
        assert!(worst > 36.0, "{size:?}: {worst}");
    }
}

/// Noise is the hardest to encode: all codes are used, and the budget must hold.
#[test]
fn noise_keeps_to_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("noise.mp4");
    let (size, frames) = ([320u32, 192u32], 90);
    let mut film = Film::create(&path, size, 30.0).unwrap();
    let mut state = 1u32;
    for _ in 0..frames {
        let mut image = pliant_render::Image::filled(size[0], size[1], [0, 0, 0, 255]);
        for pixel in &mut image.pixels {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            pixel[..3].copy_from_slice(&state.to_be_bytes()[..3]);
        }
        film.add(&image).unwrap();
    }
    film.finish().unwrap();
    // 7.5 bits per pixel and second for three seconds, and one more that may be borrowed.
    let budget = 7.5 / 8.0 * f64::from(size[0] * size[1]) * 4.0;
    let bytes = std::fs::metadata(&path).unwrap().len() as f64;
    println!("{bytes} of {budget} bytes");
    if let Some(found) = ffmpeg::decoded(&path, &BT709, size) {
        assert_eq!(found.len(), frames);
    }
    assert!(bytes < budget);
}

/// The promise of the documentation: ten seconds of 720p in ten megabytes. Prints the time it took.
#[test]
fn ten_seconds_of_720p() {
    let folder = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("PLIANT_FILM").map(std::path::PathBuf::from);
    let path = kept.unwrap_or_else(|| folder.path().join("film.mp4"));
    let size = [1280, 720];
    let mut film = Film::create(&path, size, 30.0).unwrap();
    let mut spent = std::time::Duration::ZERO;
    for n in 0..300u32 {
        let image = picture(size[0], size[1], n as f32 / 30.0);
        let start = std::time::Instant::now();
        film.add(&image).unwrap();
        spent += start.elapsed();
    }
    film.finish().unwrap();
    let bytes = std::fs::metadata(&path).unwrap().len();
    println!("{bytes} bytes, encoded in {spent:?}");
    assert!(bytes <= 10_000_000);
    let Some(found) = ffmpeg::decoded(&path, &BT709, size) else { return };
    assert_eq!(found.len(), 300);
    // Every seventh frame: some stand alone, most do not, and drawing all again would take long.
    let each: Vec<f64> = (0u32..)
        .zip(&found)
        .step_by(7)
        .map(|(n, frame)| psnr(frame, &opaque(&picture(1280, 720, n as f32 / 30.0))))
        .collect();
    let worst = each.iter().copied().fold(f64::INFINITY, f64::min);
    println!("{worst:.2} dB worst, {:.2} dB mean", each.iter().sum::<f64>() / each.len() as f64);
    assert!(worst > 42.0);
}
