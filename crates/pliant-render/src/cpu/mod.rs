//! Pictures without a graphics card.
//!
//! Everything becomes homogeneous triangles and discs in pixels (`primitives`), sorted into tiles
//! (`bins`). A tile finds for each of four samples per pixel what is nearest (`tile`); only then
//! is each visible piece lit, once per pixel (`shade`). Tiles do not depend on each other, so the
//! picture is the same for any number of threads.

mod bins;
mod parallel;
mod primitives;
mod shade;
mod shadow;
#[cfg(test)]
mod tests;
mod tile;

use crate::colour::Encoder;
use crate::error::{RenderError, check_size};
use crate::geometry::Geometry;
use crate::image::Image;
use crate::legend;
use crate::list::DrawList;
use crate::view::View;
use bins::Bins;
use primitives::Primitives;
use shade::Shader;
use tile::{TILE, Tile};

/// A picture and what was left out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The picture.
    pub image: Image,
    /// How many vertices were not drawn because their position is not finite.
    pub skipped: usize,
}

/// Draws `geometry` as `view` wants it. The picture does not depend on `threads`; in a browser there
/// is only one.
pub fn render(
    geometry: &Geometry,
    view: &View,
    width: u32,
    height: u32,
    threads: usize,
) -> Result<Picture, RenderError> {
    check_size(width, height)?;
    let projection = view.camera.projection(geometry.origin, width, height)?;
    let list = DrawList::new(geometry, view, &projection)?;
    let mut image = blank(width, height)?;

    let primitives = Primitives::new(&list, &projection);
    let bins = Bins::new(&primitives, width, height);
    let shader = Shader::new(&primitives, view, &projection, threads);
    let encoder = Encoder::new();
    let rows = image.pixels.chunks_mut(width as usize * TILE).enumerate();
    parallel::for_each(threads, rows, |(row, pixels)| {
        let mut tile = Tile::new();
        for column in 0..(width as usize).div_ceil(TILE) {
            tile.begin(column, row, &shader);
            for id in bins.of_tile(column, row) {
                tile.draw(&primitives, id, bins.bounds(id));
            }
            tile.resolve(&shader, &encoder, pixels, width as usize);
        }
    });

    for label in &list.labels {
        legend::write_label(&mut image, label);
    }
    if let Some(scale) = view.colouring.scale().filter(|_| view.legend) {
        legend::draw(&mut image, &scale);
    }
    Ok(Picture { image, skipped: list.skipped })
}

/// An empty picture, or an error where the machine has no room for it.
fn blank(width: u32, height: u32) -> Result<Image, RenderError> {
    let count = width as usize * height as usize;
    let mut pixels = Vec::new();
    pixels.try_reserve_exact(count).map_err(|_| RenderError::Memory { width, height })?;
    pixels.resize(count, [0; 4]);
    Ok(Image { width, height, pixels })
}
