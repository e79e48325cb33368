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

#[cfg(feature = "gpu")]
mod on_a_device {
    use std::time::Instant;

    use super::*;

    /// A bar of enough vertices for their positions to be noticed among what is copied.
    fn fine_bar() -> Scene {
        let mut scene = bar();
        scene.bodies[0].source = Source::Shape(Shape::bar([24, 10, 10], [0.4, 0.2, 0.2]));
        scene.world.gravity = [0.0, 0.0, -1.0];
        scene
    }

    fn film(folder: &Path, colour: PictureColour) -> RunOptions {
        let mut options = with_pictures(folder, 60);
        options.output.every = Every::Steps(1);
        options.output.csv = true;
        (options.output.mp4, options.output.sheet) = (false, false);
        options.output.picture.fps = Some(25.0);
        options.output.picture.colour = colour;
        options
    }

    #[test]
    fn films_are_drawn_there_and_copy_no_positions() {
        let Some(gpu) = pliant_gpu::testing::gpu("films_are_drawn_there") else { return };
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::new(fine_bar(), Backend::Device(gpu.clone())).unwrap();
        let vertices = session.simulator().model().vertex_count() as f64;
        let start = Instant::now();
        let before = [gpu.bytes_read(), gpu.picture_bytes_read()];
        let options = film(folder.path(), PictureColour::Stress);
        run(&mut session, &options, &mut |event| {
            if let Event::Message(Message::Warning(text)) = event {
                panic!("{text}");
            }
        })
        .unwrap();
        let copied = (gpu.bytes_read() - before[0]) as f64;
        let pictures = (gpu.picture_bytes_read() - before[1]) as f64;
        let frames = gif(folder.path().join("bar---one.gif")).1.len() as f64;
        assert!(frames > 20.0, "{frames} frames");
        assert!(pictures >= frames * 4.0 * 97.0 * 65.0, "the device draws: {pictures} bytes");
        // The state is copied for its hash at the end, and by rescues every two seconds: position, its low
        // part and velocity, 16 bytes each, with some room between bodies.
        let states = (start.elapsed().as_secs_f64() / 2.0).ceil() + 3.0;
        let per_frame = (copied - states * 1.1 * 48.0 * vertices) / frames;
        println!("{copied} bytes copied besides pictures; {per_frame} per frame without states");
        assert!(per_frame < 16.0 * vertices / 8.0, "{per_frame} bytes for {vertices} vertices");
    }

    #[test]
    fn its_pictures_look_as_those_of_the_cpu() {
        let Some(gpu) = pliant_gpu::testing::gpu("its_pictures_look") else { return };
        let picture = |backend, colour| {
            let folder = tempfile::tempdir().unwrap();
            let mut session = Session::new(fine_bar(), backend).unwrap();
            run(&mut session, &film(folder.path(), colour), &mut |_| {}).unwrap();
            png(folder.path().join("bar---one.png")).1
        };
        let colours = PictureColour::ALL.into_iter();
        for colour in colours {
            let device = picture(Backend::Device(gpu.clone()), colour.clone());
            let host = picture(Backend::Cpu { threads: 1 }, colour.clone());
            let apart = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b));
            let mean = device.iter().zip(&host).map(apart).sum::<f64>() / host.len() as f64;
            println!("{colour}: {mean:.3} levels apart on average");
            // Edges and the soft rims of shadows differ by some levels, in a few pixels.
            assert!(mean < 0.5, "{colour}: {mean} levels of 255");
        }
    }
}
