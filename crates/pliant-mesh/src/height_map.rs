//! Height maps: ground as a grid of heights, from pictures or numbers.

mod picture;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;

use crate::shapes::MAX_ELEMENTS;
use crate::source::read_file;
use crate::{Mesh, ReadError, Result};

/// Heights over a rectangle that reaches from the origin to its size in x and y.
///
/// Rows run along y and columns along x: the first height is at the origin, and the last one in the
/// opposite corner. A height is a point of the ground, so `n` columns have `n − 1` cells between them.
///
/// ```
/// use pliant_mesh::height_map::{Between, HeightMap};
///
/// // A ramp that rises by 1 m over 2 m.
/// let ramp = HeightMap::new(2, vec![0.0, 1.0, 0.0, 1.0], [2.0, 3.0])?;
/// let ground = ramp.at(1.0, 0.5, Between::Triangles).unwrap();
/// assert_eq!(ground.height, 0.5);
/// assert_eq!(ramp.to_mesh().triangles.len(), 2);
/// # Ok::<(), pliant_mesh::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMap {
    columns: usize,
    rows: usize,
    /// Row by row \[m\].
    heights: Vec<f64>,
    /// Along x and y \[m\].
    size: [f64; 2],
    warnings: Vec<String>,
}

/// What the ground is between the points of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// The triangles of [`HeightMap::to_mesh`], two flat ones for each cell.
    #[default]
    Triangles,
    /// Bilinear in each cell: smooth inside, with kinks where cells meet.
    Bilinear,
}

/// The ground at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its height \[m\].
    pub height: f64,
    /// The unit vector that stands on it, pointing up.
    pub normal: [f64; 3],
}

impl HeightMap {
    /// Heights row by row, `columns` in each \[m\], over a rectangle of `size` along x and y \[m\].
    pub fn new(columns: usize, heights: Vec<f64>, size: [f64; 2]) -> Result<Self> {
        for (axis, length) in ["x", "y"].iter().zip(size) {
            if !(length.is_finite() && length > 0.0) {
                return Err(ReadError::file(format!("the size along {axis} is {length} m"))
                    .help("Give a size above 0"));
            }
        }
        let count = heights.len();
        let rows = count.checked_div(columns).unwrap_or(0);
        check_counts(columns as u64, rows as u64)?;
        if rows * columns != count {
            return Err(ReadError::file(format!(
                "{count} heights are no whole number of rows of {columns}"
            )));
        }
        if let Some(i) = heights.iter().position(|h| !h.is_finite()) {
            let (row, column) = (i / columns, i % columns);
            return Err(ReadError::file(format!(
                "the height in row {row}, column {column} is not finite"
            ))
            .help("Fill gaps with a height before"));
        }
        Ok(Self { columns, rows, heights, size, warnings: Vec::new() })
    }

    /// Reads a file: a PNG, whose black is at height 0 and white at `height` \[m\], or else text, with the
    /// numbers of a row in a line, which `height` multiplies \[m\]. Both are seen from above, with the
    /// first row furthest along y.
    pub fn load(path: impl AsRef<Path>, size: [f64; 2], height: f64) -> Result<Self> {
        let path = path.as_ref();
        let bytes = read_file(path)?;
        let map = match is_png(&bytes) {
            true => Self::from_png(&bytes, size, height),
            false => Self::from_text(&bytes, size, height),
        };
        map.map_err(|e| ReadError { path: Some(path.to_owned()), ..e })
    }

    /// Reads a PNG of any kind: grey values are heights, from 0 for black to `height` \[m\] for white. Of
    /// colours it takes the luminance, and says so.
    pub fn from_png(bytes: &[u8], size: [f64; 2], height: f64) -> Result<Self> {
        check_height(height)?;
        let picture::Picture { columns, values, warnings } = picture::read(bytes)?;
        Ok(Self { warnings, ..Self::from_above(columns, values, size, height)? })
    }

    /// Reads text: the numbers of each row in a line, apart by spaces, tabs, commas or semicolons; they
    /// are multiplied by `height` \[m\]. Empty lines and those that begin with `#` are passed over.
    pub fn from_text(bytes: &[u8], size: [f64; 2], height: f64) -> Result<Self> {
        check_height(height)?;
        let (columns, values) = text::read(bytes)?;
        Self::from_above(columns, values, size, height)
    }

    /// A map from values whose first row is furthest along y.
    fn from_above(columns: usize, values: Vec<f64>, size: [f64; 2], scale: f64) -> Result<Self> {
        let upwards = values.chunks(columns.max(1)).rev().flatten();
        Self::new(columns, upwards.map(|value| value * scale).collect(), size)
    }

    /// How many heights there are along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many heights there are along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The heights, row by row \[m\].
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Size along x and y \[m\].
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// What the reader had to say.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Size of a cell along x and y \[m\].
    pub fn cell(&self) -> [f64; 2] {
        [self.size[0] / (self.columns - 1) as f64, self.size[1] / (self.rows - 1) as f64]
    }

    /// The ground at (`x`, `y`) \[m\]; nothing beside the map.
    pub fn at(&self, x: f64, y: f64, between: Between) -> Option<Ground> {
        let inside = (0.0..=self.size[0]).contains(&x) && (0.0..=self.size[1]).contains(&y);
        if !inside {
            return None;
        }
        let cell = self.cell();
        // Which cell along an axis, and how far into it from 0 to 1.
        let locate = |at: f64, cell: f64, count: usize| {
            let whole = (at / cell).floor().min(count as f64 - 2.0);
            (whole as usize, (at / cell - whole).clamp(0.0, 1.0))
        };
        let (i, s) = locate(x, cell[0], self.columns);
        let (j, t) = locate(y, cell[1], self.rows);
        let corner = |di: usize, dj: usize| self.heights[(j + dj) * self.columns + i + di];
        let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        // Slopes along the cell's sides, as they are where we stand.
        let (height, along) = match between {
            // Of the two triangles the one on our side of the diagonal from a to c.
            Between::Triangles if s >= t => (a + s * (b - a) + t * (c - b), [b - a, c - b]),
            Between::Triangles => (a + s * (c - d) + t * (d - a), [c - d, d - a]),
            Between::Bilinear => {
                let (low, high) = (a + s * (b - a), d + s * (c - d));
                let along_x = (1.0 - t) * (b - a) + t * (c - d);
                (low + t * (high - low), [along_x, high - low])
            }
        };
        let [p, q] = [along[0] / cell[0], along[1] / cell[1]];
        let length = p.hypot(q).hypot(1.0);
        Some(Ground { height, normal: [-p / length, -q / length, 1.0 / length] })
    }

    /// The ground as triangles that face up: the point in column i and row j has the number
    /// j · columns + i, and every cell is cut along the diagonal away from the origin.
    pub fn to_mesh(&self) -> Mesh {
        let mut mesh = Mesh::default();
        let along = |size: f64, i: usize, count: usize| size * i as f64 / (count - 1) as f64;
        mesh.points.reserve_exact(self.heights.len());
        for (j, row) in self.heights.chunks(self.columns).enumerate() {
            let y = along(self.size[1], j, self.rows);
            let points = row.iter().enumerate();
            mesh.points.extend(points.map(|(i, h)| [along(self.size[0], i, self.columns), y, *h]));
        }
        mesh.triangles.reserve_exact(2 * (self.columns - 1) * (self.rows - 1));
        for j in 0..self.rows - 1 {
            for i in 0..self.columns - 1 {
                let number = |i: usize, j: usize| (j * self.columns + i) as u32;
                let [a, b] = [number(i, j), number(i + 1, j)];
                let [d, c] = [number(i, j + 1), number(i + 1, j + 1)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        mesh
    }
}

/// Whether a file is a picture that [`HeightMap::from_png`] may read.
pub fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
}

fn check_height(height: f64) -> Result<()> {
    match height.is_finite() && height != 0.0 {
        true => Ok(()),
        false => Err(ReadError::file(format!("the height is {height} m"))
            .help("Give the height of the highest point; below 0 the ground is turned over")),
    }
}

fn check_counts(columns: u64, rows: u64) -> Result<()> {
    if columns < 2 || rows < 2 {
        return Err(ReadError::file(format!("has {columns} × {rows} heights"))
            .help("Give at least two rows and two columns"));
    }
    // Two triangles for each cell.
    if columns.saturating_mul(rows) > MAX_ELEMENTS / 2 {
        return Err(ReadError::file(format!(
            "has {columns} × {rows} heights, and at most {} can be read",
            MAX_ELEMENTS / 2
        ))
        .help("Scale it down, or cut it into tiles"));
    }
    Ok(())
}
