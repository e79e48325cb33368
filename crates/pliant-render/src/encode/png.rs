//! Single pictures.

use std::io::Write;
use std::path::Path;

use super::error::{check_pixels, check_size};
use super::file::PendingFile;
use crate::Image;
use crate::encode::EncodeError;

/// Writes a picture as PNG, without loss. Opacity is stored where a pixel is translucent.
pub fn write_png(path: &Path, image: &Image) -> Result<(), EncodeError> {
    check_size(path, [image.width, image.height])?;
    check_pixels(path, image)?;
    let mut file = PendingFile::create(path).map_err(|e| EncodeError::io(path, e))?;
    encode(&mut file, image).map_err(|error| match error {
        png::EncodingError::IoError(source) => EncodeError::io(path, source),
        other => EncodeError::Format { path: path.to_owned(), problem: other.to_string() },
    })?;
    file.finish().map_err(|e| EncodeError::io(path, e))
}

fn encode(out: &mut impl Write, image: &Image) -> Result<(), png::EncodingError> {
    let opaque = image.pixels.iter().all(|pixel| pixel[3] == 255);
    let mut encoder = png::Encoder::new(out, image.width, image.height);
    encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.add_text_chunk("Software".into(), "Pliant".into())?;
    let mut writer = encoder.write_header()?;
    if opaque {
        let bytes: Vec<u8> = image.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        writer.write_image_data(&bytes)?;
    } else {
        writer.write_image_data(image.pixels.as_flattened())?;
    }
    writer.finish()
}
