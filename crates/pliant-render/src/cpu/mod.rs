//! Pictures without a graphics card.
//!
//! Everything becomes homogeneous triangles and discs in pixels (`primitives`), sorted into tiles
//! (`bins`). A tile finds for each of four samples per pixel what is nearest (`tile`); only then
//! is each visible piece lit, once per pixel (`shade`). Tiles do not depend on each other, so the
//! picture is the same for any number of threads. Bodies that are looked into are drawn by rays, before
//! what is nearest otherwise (`clouds`).

mod bins;
mod clouds;
mod parallel;
mod primitives;
mod shade;
mod shadow;
#[cfg(test)]
mod tests;
mod tile;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::camera::Projection;
use crate::colour::Encoder;
use crate::error::{RenderError, check_size};
use crate::geometry::Geometry;
use crate::image::Image;
use crate::legend;
use crate::list::DrawList;
use crate::view::View;
use crate::volume;
use crate::volume::mesh::Mesh;
use crate::volume::table::Table;
use bins::Bins;
#[cfg(all(test, feature = "gpu"))]
pub(crate) use clouds::ALIKE;
use clouds::{Clouds, Film};
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
    /// How many rays lost their way inside a body, between elements too thin for the digits of
    /// numbers, and show only what is before.
    pub lost: usize,
}

/// Draws `geometry` as `view` wants it. The picture does not depend on `threads`; in a browser there
/// is only one. For more than one picture of the inside of bodies, keep a [`Renderer`].
pub fn render(
    geometry: &Geometry,
    view: &View,
    width: u32,
    height: u32,
    threads: usize,
) -> Result<Picture, RenderError> {
    Renderer::new().render(geometry, view, width, height, threads)
}

/// Draws pictures one after the other. What looking into bodies needs is kept from picture to picture,
/// however they deform: which tetrahedra are neighbours, and the integrals of the transfer function.
#[derive(Default)]
pub struct Renderer {
    mesh: Option<Mesh>,
    table: Option<(volume::Look, Table)>,
}

impl Renderer {
    /// With nothing kept yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws what [`render`] draws.
    pub fn render(
        &mut self,
        geometry: &Geometry,
        view: &View,
        width: u32,
        height: u32,
        threads: usize,
    ) -> Result<Picture, RenderError> {
        check_size(width, height)?;
        let projection = view.camera.projection(geometry.origin, width, height)?;
        let list = DrawList::without_clouds(geometry, view, &projection)?;
        let mut image = blank(width, height)?;

        let clouds = self.clouds(geometry, view, &projection)?;
        let primitives = Primitives::new(&list, &projection);
        let bins = Bins::new(primitives.all_bounds(width, height), width, height);
        let shader = Shader::new(&primitives, view, &projection, threads);
        let encoder = Encoder::new();
        let lost = AtomicUsize::new(0);
        let rows = image.pixels.chunks_mut(width as usize * TILE).enumerate();
        parallel::for_each(threads, rows, |(row, pixels)| {
            let mut tile = Tile::new();
            let mut film = clouds.as_ref().map(|_| Film::new());
            for column in 0..(width as usize).div_ceil(TILE) {
                tile.begin(column, row, &shader);
                for id in bins.of_tile(column, row) {
                    tile.draw(&primitives, id, bins.bounds(id));
                }
                if let (Some(clouds), Some(film)) = (&clouds, &mut film) {
                    tile.look_inside(clouds, film);
                }
                tile.resolve(&shader, &encoder, film.as_ref(), pixels, width as usize);
            }
            lost.fetch_add(film.map_or(0, |f| f.lost), Ordering::Relaxed);
        });

        for label in &list.labels {
            legend::write_label(&mut image, label);
        }
        legend::draw_for(&mut image, view);
        Ok(Picture { image, skipped: list.skipped, lost: lost.into_inner() })
    }

    /// What rays need, if anything is looked into.
    fn clouds<'a>(
        &'a mut self,
        geometry: &Geometry,
        view: &'a View,
        projection: &Projection,
    ) -> Result<Option<Clouds<'a>>, RenderError> {
        let bodies = clouds::bodies(geometry);
        let Some(look) = view.volume.as_ref().filter(|_| !bodies.is_empty()) else {
            return Ok(None);
        };
        if !self.mesh.as_ref().is_some_and(|mesh| mesh.is_of(&bodies)) {
            self.mesh = None;
        }
        if !self.table.as_ref().is_some_and(|(of, _)| of == look) {
            self.table = None;
        }
        let mesh = match &mut self.mesh {
            Some(mesh) => mesh,
            empty => empty.insert(Mesh::new(&bodies)?),
        };
        let (_, table) = self.table.get_or_insert_with(|| (look.clone(), Table::new(look)));
        Ok(Some(Clouds::new(mesh, table, look, geometry, view, projection)))
    }
}

/// An empty picture, or an error where the machine has no room for it.
fn blank(width: u32, height: u32) -> Result<Image, RenderError> {
    let count = width as usize * height as usize;
    let mut pixels = Vec::new();
    pixels.try_reserve_exact(count).map_err(|_| RenderError::Memory { width, height })?;
    pixels.resize(count, [0; 4]);
    Ok(Image { width, height, pixels })
}
