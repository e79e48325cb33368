//! Pictures of the demos, drawn by the program `pliant` and cut to the size of the start page's cards.

use std::path::Path;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use pliant_scenes::{Named, Shot};

use crate::demos::{SIZE, picture, shown};
use crate::paths::{at, work};
use crate::program::{cargo, run};

/// How good the pictures are, of 100: all of them together stay below 70 kB, since a first visit downloads them.
const QUALITY: u8 = 62;

/// Draws every demo anew.
pub fn draw_all() -> Result<(), String> {
    let folder = work().join("pictures");
    for (demo, shot) in shown() {
        draw(demo, shot, &folder)?;
    }
    Ok(())
}

fn draw(demo: &Named, shot: &Shot, folder: &Path) -> Result<(), String> {
    let name = demo.name;
    let steps = (shot.time / (demo.build)().world.timestep).round().to_string();
    // Large enough that what is left after the cut has the size we want.
    let [width, height] = SIZE.map(|side| (f64::from(side) / (1.0 - shot.cut)).ceil() as u32);
    let out = folder.join(name);
    let mut pliant = cargo();
    pliant.args(["run", "--quiet", "--package", "pliant-cli", "--", "demo", name, "--quiet"]);
    pliant.args([
        "--no-window",
        "--png",
        "--steps",
        &steps,
        "--size",
        &format!("{width}x{height}"),
    ]);
    run(pliant.arg("--out").arg(&out))?;
    let pixels = cut(&out.join(format!("{name}.png")), shot)?;
    let file = picture(name);
    let mut encoder = Encoder::new_file(&file, QUALITY).map_err(|e| at(&file, &e))?;
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.set_optimized_huffman_tables(true);
    let [width, height] = SIZE.map(|side| side as u16);
    encoder.encode(&pixels, width, height, ColorType::Rgb).map_err(|e| at(&file, &e))?;
    println!("{}: {} bytes", file.display(), file.metadata().map_or(0, |data| data.len()));
    Ok(())
}

/// The part of a picture that is kept, as bytes of red, green and blue.
fn cut(file: &Path, shot: &Shot) -> Result<Vec<u8>, String> {
    let source = std::fs::File::open(file).map_err(|e| at(file, &e))?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(source));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| at(file, &e))?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or_else(|| at(file, &"too large"))?];
    let info = reader.next_frame(&mut bytes).map_err(|e| at(file, &e))?;
    let samples = info.color_type.samples();
    let corner = [(info.width, SIZE[0], shot.middle[0]), (info.height, SIZE[1], shot.middle[1])]
        .map(|(all, kept, middle)| {
            let first = f64::from(all) * middle - f64::from(kept) / 2.0;
            first.clamp(0.0, f64::from(all.saturating_sub(kept))) as usize
        });
    let rows = bytes.chunks(info.line_size).skip(corner[1]).take(SIZE[1] as usize);
    let kept = rows.flat_map(|row| {
        let pixels = row.chunks(samples).skip(corner[0]).take(SIZE[0] as usize);
        pixels.flat_map(|pixel| pixel[..3].iter().copied())
    });
    Ok(kept.collect())
}
