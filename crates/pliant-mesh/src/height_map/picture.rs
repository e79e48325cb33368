//! Heights as grey values of a PNG.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};

use super::check_counts;
use crate::{ReadError, Result};

/// What deflate packs into a byte at most (Deutsch, "DEFLATE Compressed Data Format Specification": 258
/// bytes in two bits).
const MAX_UNPACKED: u64 = 1032;

/// Grey values from 0 to 1, the uppermost row first.
pub(super) struct Picture {
    pub(super) columns: usize,
    pub(super) values: Vec<f64>,
    pub(super) warnings: Vec<String>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Picture> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: 64 << 20 });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Palettes become colours, and grey values of fewer bits become bytes.
    decoder.set_transformations(Transformations::EXPAND);
    let header = decoder.read_header_info().map_err(damaged)?;
    let (columns, rows) = (header.width, header.height);
    check_counts(u64::from(columns), u64::from(rows))?;
    let packed = header.raw_row_length() as u64 * u64::from(rows);
    if packed > MAX_UNPACKED * bytes.len() as u64 {
        return Err(ReadError::file(format!(
            "promises {columns} × {rows} pixels, more than its {} bytes can hold",
            bytes.len()
        ))
        .help("It is damaged or was cut off: fetch or export it again"));
    }
    let mut reader = decoder.read_info().map_err(damaged)?;
    let too_large = || ReadError::file("does not fit into memory").help("Scale it down");
    let size = reader.output_buffer_size().ok_or_else(too_large)?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples).map_err(damaged)?;
    let mut warnings = Vec::new();
    if reader.info().animation_control().is_some() {
        warnings.push("the picture is animated: its first frame is taken".into());
    }
    let values = match frame.bit_depth {
        BitDepth::Sixteen => {
            let pairs = samples.as_chunks::<2>().0.iter();
            greys(
                pairs.map(|&pair| f64::from(u16::from_be_bytes(pair)) / 65535.0),
                frame.color_type,
            )
        }
        _ => greys(samples.iter().map(|&byte| f64::from(byte) / 255.0), frame.color_type),
    };
    warn(frame.color_type, frame.bit_depth, &mut warnings);
    Ok(Picture { columns: columns as usize, values, warnings })
}

/// The grey value of every pixel; transparency says nothing about height.
fn greys(samples: impl Iterator<Item = f64>, color: ColorType) -> Vec<f64> {
    let channels = color.samples();
    let is_color = is_color(color);
    let mut pixel = [0.0; 4];
    let gather = |(i, sample): (usize, f64)| {
        pixel[i % channels] = sample;
        (i % channels == channels - 1).then(|| match is_color {
            true => luminance(pixel),
            false => pixel[0],
        })
    };
    samples.enumerate().filter_map(gather).collect()
}

/// Recommendation ITU-R BT.709, item 3.2, of the values as they are: heights are not light.
fn luminance([r, g, b, _]: [f64; 4]) -> f64 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn is_color(color: ColorType) -> bool {
    !matches!(color, ColorType::Grayscale | ColorType::GrayscaleAlpha)
}

fn warn(color: ColorType, depth: BitDepth, warnings: &mut Vec<String>) {
    if is_color(color) {
        warnings.push("the picture has colours: heights are their luminance".into());
    }
    if matches!(color, ColorType::GrayscaleAlpha | ColorType::Rgba) {
        warnings.push("the transparency of the picture was left out".into());
    }
    if depth != BitDepth::Sixteen {
        let smooth = "export it with 16 bits for smooth slopes";
        warnings.push(format!(
            "the picture has 256 shades at most, so heights come in steps: {smooth}"
        ));
    }
}

fn damaged(e: DecodingError) -> ReadError {
    match e {
        DecodingError::LimitsExceeded => {
            ReadError::file("the picture takes too much memory").help("Scale it down")
        }
        e => ReadError::file(format!("the picture cannot be read: {e}"))
            .help("It is damaged or was cut off: fetch or export it again"),
    }
}
