//! GIF films, decoded again frame by frame.

use std::path::Path;

use pliant_render::Image;
use pliant_render::encode::Film;

use crate::ffmpeg;
use crate::scene::{opaque, picture, psnr};

struct Shown {
    /// The screen after each frame.
    screens: Vec<Vec<[u8; 3]>>,
    /// How long each stays \[1/100 s\].
    delays: Vec<u16>,
    /// Pixels stored for each.
    stored: Vec<usize>,
}

fn decode(path: &Path) -> Shown {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
    let width = usize::from(decoder.width());
    let mut screen = vec![[0; 3]; width * usize::from(decoder.height())];
    let mut shown = Shown { screens: vec![], delays: vec![], stored: vec![] };
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.dispose, gif::DisposalMethod::Keep);
        for (i, &[r, g, b, opacity]) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
            let (w, x, y) = (usize::from(frame.width), frame.left, frame.top);
            if opacity == 255 {
                let at = (usize::from(y) + i / w) * width + usize::from(x) + i % w;
                screen[at] = [r, g, b];
            }
        }
        shown.delays.push(frame.delay);
        shown.stored.push(usize::from(frame.width) * usize::from(frame.height));
        shown.screens.push(screen.clone());
    }
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    shown
}

#[test]
fn a_film_survives_with_few_colours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.GIF");
    let mut film = Film::create(&path, [480, 270], 15.0).unwrap();
    let images: Vec<Image> = (0..30).map(|n| picture(480, 270, n as f32 / 15.0)).collect();
    for image in &images {
        film.add(image).unwrap();
    }
    film.finish().unwrap();
    let shown = decode(&path);
    assert_eq!(shown.screens.len(), 30);
    // 6 and 7 hundredths in turns keep the time.
    assert_eq!(shown.delays.iter().map(|&d| u32::from(d)).sum::<u32>(), 200);
    assert!(shown.delays.iter().all(|d| (6..=7).contains(d)));
    let worst = shown
        .screens
        .iter()
        .zip(&images)
        .map(|(screen, image)| psnr(screen, &opaque(image)))
        .fold(f64::INFINITY, f64::min);
    println!("{} bytes, {worst:.2} dB", std::fs::metadata(&path).unwrap().len());
    assert!(worst > 33.0, "{worst}");
}

#[test]
fn another_player_sees_the_same_film() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let size = [200, 120];
    let mut film = Film::create(&path, size, 20.0).unwrap();
    for n in 0..12 {
        film.add(&picture(size[0], size[1], n as f32 / 10.0)).unwrap();
    }
    film.finish().unwrap();
    // Every frame once, whatever its length.
    let Some(seen) = ffmpeg::decoded(&path, &["-fps_mode", "passthrough"], size) else { return };
    assert_eq!(seen, decode(&path).screens);
}

#[test]
fn only_what_changes_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let mut film = Film::create(&path, [64, 48], 10.0).unwrap();
    let ground = Image::filled(64, 48, [240, 240, 250, 255]);
    for n in 0..6 {
        let mut image = ground.clone();
        // A square that rests for two frames at a time.
        for i in 0..16 {
            image.pixels[(10 + i / 4) * 64 + 20 + i % 4 + n / 2 * 4] = [200, 0, 0, 255];
        }
        film.add(&image).unwrap();
    }
    assert_eq!(film.frames(), 6);
    film.finish().unwrap();
    let shown = decode(&path);
    assert_eq!(shown.delays, [20, 20, 20]);
    assert_eq!(shown.stored, [64 * 48, 32, 32]);
    // Few colours are exact, but for dots that cannot occur with so few.
    assert_eq!(shown.screens[2][10 * 64 + 28], [200, 0, 0]);
    assert_eq!(shown.screens[2][10 * 64 + 20], [240, 240, 250]);
}

#[test]
fn new_colours_get_a_palette() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let mut film = Film::create(&path, [40, 40], 10.0).unwrap();
    for colour in [[0, 0, 0, 255], [255, 0, 0, 255], [0, 250, 120, 255], [255, 255, 255, 128]] {
        film.add(&Image::filled(40, 40, colour)).unwrap();
    }
    film.finish().unwrap();
    let shown = decode(&path);
    let found: Vec<[u8; 3]> = shown.screens.iter().map(|screen| screen[777]).collect();
    assert_eq!(found, [[0, 0, 0], [255, 0, 0], [0, 250, 120], [128, 128, 128]]);
}

/// Above fifty frames per second some are left out, and time is kept.
#[test]
fn quick_films_keep_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let mut film = Film::create(&path, [8, 8], 120.0).unwrap();
    for n in 0..120u8 {
        film.add(&Image::filled(8, 8, [2 * n, 255 - 2 * n, 0, 255])).unwrap();
    }
    film.finish().unwrap();
    let shown = decode(&path);
    assert!(shown.delays.iter().all(|&d| d >= 2));
    let total: u32 = shown.delays.iter().map(|&d| u32::from(d)).sum();
    assert!((100..=101).contains(&total), "{total}");
}
