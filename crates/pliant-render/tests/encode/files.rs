//! PNG, and what files and errors promise.

use std::fs;
use std::path::Path;

use pliant_render::Image;
use pliant_render::encode::{EncodeError, Film, LARGEST_SIDE, write_png};

use crate::scene::picture;

fn read_png(path: &Path) -> (png::ColorType, Vec<u8>, Vec<(String, String)>) {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(info.buffer_size());
    let texts = reader.info().uncompressed_latin1_text.iter();
    let texts = texts.map(|t| (t.keyword.clone(), t.text.clone())).collect();
    (info.color_type, bytes, texts)
}

#[test]
fn png_keeps_every_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/folder/picture.png");
    let mut image = picture(131, 57, 0.4);
    write_png(&path, &image).unwrap();
    let (colour, bytes, texts) = read_png(&path);
    assert_eq!(colour, png::ColorType::Rgb);
    let expected: Vec<u8> = image.pixels.iter().flat_map(|p| p[..3].to_vec()).collect();
    assert_eq!(bytes, expected);
    assert_eq!(texts, [("Software".to_owned(), "Pliant".to_owned())]);

    image.pixels[77][3] = 40;
    write_png(&path, &image).unwrap();
    let (colour, bytes, _) = read_png(&path);
    assert_eq!(colour, png::ColorType::Rgba);
    assert_eq!(bytes, image.pixels.as_flattened());
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_file_appears_when_complete_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["film.mp4", "film.gif"] {
        let path = folder.path().join(name);
        fs::write(&path, "old").unwrap();
        let image = Image::filled(32, 32, [9, 9, 9, 255]);
        let mut film = Film::create(&path, [32, 32], 10.0).unwrap();
        film.add(&image).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(film);
        assert_eq!(names(folder.path()), [name]);
        assert_eq!(fs::read(&path).unwrap(), b"old");

        let film = Film::create(&path, [32, 32], 10.0).unwrap();
        assert!(matches!(film.finish(), Err(EncodeError::NoFrames { .. })));
        assert_eq!(names(folder.path()), [name]);

        let mut film = Film::create(&path, [32, 32], 10.0).unwrap();
        film.add(&image).unwrap();
        film.finish().unwrap();
        assert_eq!(names(folder.path()), [name]);
        assert!(fs::read(&path).unwrap().len() > 100);
        fs::remove_file(&path).unwrap();
    }
}

/// Every message names the file.
fn refusal<T>(result: Result<T, EncodeError>, path: &Path) -> String {
    let message = result.err().expect("should be refused").to_string();
    assert!(message.contains(&path.display().to_string()), "{message}");
    message
}

#[test]
fn refusals_name_file_problem_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let create = |size, rate| refusal(Film::create(&path, size, rate), &path);
    assert!(create([0, 10], 30.0).contains("at least one pixel"));
    assert!(create([LARGEST_SIDE + 1, 10], 30.0).contains("16384"));
    assert!(create([16384, 16384], 30.0).contains("8192 × 4320"));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(create([16, 16], rate).contains("0.1 to 1000"));
    }
    let odd = folder.path().join("film.avi");
    assert!(refusal(Film::create(&odd, [16, 16], 30.0), &odd).contains(".mp4 or .gif"));
    let taken = folder.path().join("taken.gif");
    fs::create_dir(&taken).unwrap();
    assert!(refusal(Film::create(&taken, [16, 16], 30.0), &taken).contains("folder"));

    let mut film = Film::create(&path, [16, 16], 30.0).unwrap();
    film.add(&Image::filled(16, 16, [0; 4])).unwrap();
    let larger = Image::filled(20, 16, [0; 4]);
    let message = refusal(film.add(&larger), &path);
    assert!(message.contains("frame 1") && message.contains("[20, 16]"), "{message}");
    let mut torn = Image::filled(16, 16, [0; 4]);
    torn.pixels.pop();
    assert!(refusal(film.add(&torn), &path).contains("255"));
    // Refused frames leave the film as it was.
    film.add(&Image::filled(16, 16, [0; 4])).unwrap();
    film.finish().unwrap();

    let png = folder.path().join("picture.png");
    assert!(refusal(write_png(&png, &torn), &png).contains("255"));
    refusal(write_png(&png, &Image::filled(0, 0, [0; 4])), &png);
}
