//! Pictures and films of runs, read back.

use std::fs::File;
use std::path::Path;

use pliant_sim::scene::{Picture, PictureColour};

use super::*;

/// Sizes and times of the frames of a GIF \[1/100 s\].
fn gif(path: impl AsRef<Path>) -> ([u32; 2], Vec<u16>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
    let size = [decoder.width().into(), decoder.height().into()];
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    (size, delays)
}

fn png(path: impl AsRef<Path>) -> ([u32; 2], Vec<u8>) {
    let file = std::io::BufReader::new(File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    ([info.width, info.height], bytes)
}

fn with_pictures(folder: &Path, steps: u64) -> RunOptions {
    let picture = Picture { size: [97, 65], ..Picture::default() };
    let output = Output {
        every: Every::Steps(20),
        png: true,
        gif: true,
        mp4: true,
        sheet: true,
        picture,
        ..Output::default()
    };
    RunOptions { output, ..options(folder, steps) }
}

#[test]
fn a_run_becomes_pictures_and_films() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let outcome = run(&mut session(busy()), &with_pictures(folder.path(), 210), &mut |_| {});
    let names = ["bar---one.gif", "bar---one.mp4", "bar---one.png", "bar---one-sheet.png"];
    assert_eq!(outcome.unwrap().outputs, names.map(at));
    let (size, delays) = gif(at(names[0]));
    assert_eq!(size, [97, 65]);
    // Frames every 20 ms from 0 to 200 ms, and the last at 210 ms.
    assert_eq!(delays, [2; 12]);
    let film = std::fs::read(at(names[1])).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
    let (size, last) = png(at(names[2]));
    assert_eq!(size, [97, 65]);
    assert!(last.iter().any(|b| *b != last[0]), "an empty picture");
    assert_eq!(png(at(names[3])).0, [4 * 101 - 4, 3 * 69 - 4]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "nothing else is left");
}

#[test]
fn the_last_picture_is_the_same_with_and_without_films() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |films: bool, colour| {
        let mut options = with_pictures(folder.path(), 50);
        (options.output.gif, options.output.mp4, options.output.sheet) = (films, false, false);
        options.output.picture.colour = colour;
        run(&mut session(busy()), &options, &mut |_| {}).unwrap();
        png(folder.path().join("bar---one.png"))
    };
    for colour in [PictureColour::Body, PictureColour::Stress, PictureColour::Force] {
        assert!(picture(true, colour.clone()) == picture(false, colour.clone()), "{colour}");
    }
    assert!(picture(false, PictureColour::Stress) != picture(false, PictureColour::Speed));
}

#[test]
fn a_stopped_run_leaves_a_film_and_the_next_part_writes_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = session(busy());
    let stop = first.remote();
    let outcome = run(&mut first, &with_pictures(folder.path(), 1_000_000), &mut |event| {
        if let Event::Progress(progress) = event
            && progress.step >= 100
        {
            stop.send(Command::Stop);
        }
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.ending, Ending::Stopped);
    let frames = gif(folder.path().join("bar---one.gif")).1.len() as u64;
    assert_eq!(frames, outcome.report.step / 20 + 1);

    let bytes = std::fs::read(outcome.checkpoint.unwrap()).unwrap();
    let saved = checkpoint::decode(&bytes).unwrap();
    let step = saved.state.step;
    let mut second = Session::resume(&saved, Backend::Cpu { threads: 1 }).unwrap();
    let again = RunOptions { is_continued: true, ..with_pictures(folder.path(), step + 60) };
    run(&mut second, &again, &mut |_| {}).unwrap();
    let part = folder.path().join(format!("bar---one-from-{step:08}.gif"));
    // Steps are half as long by then: of 100 frames per second every second one is shown.
    assert_eq!(gif(part).1.len(), 2);
    assert_eq!(gif(folder.path().join("bar---one.gif")).1.len() as u64, frames, "it stays");
}

#[test]
fn an_error_elsewhere_leaves_the_film() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = with_pictures(folder.path(), 1_000);
    options.output.csv = true;
    let table = folder.path().join("bar---one.csv");
    let error = run(&mut session(busy()), &options, &mut |event| {
        if let Event::Progress(progress) = event
            && progress.step >= 60
            && table.is_file()
        {
            // A folder where the table was: it cannot be written any more.
            std::fs::remove_file(&table).unwrap();
            std::fs::create_dir(&table).unwrap();
        }
    });
    assert!(error.unwrap_err().to_string().contains("bar---one.csv"));
    assert!(gif(folder.path().join("bar---one.gif")).1.len() >= 3);
}

#[test]
fn films_that_cannot_be_begun_are_an_error_with_their_path() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bar---one.gif")).unwrap();
    let error = run(&mut session(bar()), &with_pictures(folder.path(), 5), &mut |_| {});
    assert!(error.unwrap_err().to_string().contains("bar---one.gif"));
}
