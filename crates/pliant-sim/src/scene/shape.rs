//! Bodies made from a formula instead of a file.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// A generated body. In TOML, `shape = { kind = "bar", cells = [8, 2, 2], size = [4, 1, 1] }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// A block of equal cells from the origin to `size`.
    Bar {
        /// Cells along x, y and z.
        cells: [u32; 3],
        /// Edge lengths \[m\].
        size: [f64; 3],
        /// How each cell is cut.
        #[serde(default)]
        split: Split,
    },
    /// A block whose inner points are jittered, to see how a method copes with uneven meshes.
    IrregularBar {
        /// Cells along x, y and z.
        cells: [u32; 3],
        /// Edge lengths \[m\].
        size: [f64; 3],
        /// Which irregular bar: the same seed gives the same mesh.
        #[serde(default)]
        seed: u64,
    },
    /// A ball round the origin.
    Ball {
        /// Radius \[m\].
        radius: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A cylinder along z, centred on the origin.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Length along z \[m\].
        length: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A ring round the z axis, centred on the origin.
    Torus {
        /// From the axis to the middle of the tube \[m\].
        radius: f64,
        /// Radius of the tube \[m\].
        tube: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A cylinder along z with half balls at its ends, centred on the origin.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Length of the straight part \[m\].
        length: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A bumpy ball round the origin, organ-like.
    Blob {
        /// Mean radius \[m\].
        radius: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
        /// Which blob: the same seed gives the same mesh.
        #[serde(default)]
        seed: u64,
    },
    /// A flat rectangle of triangles in the xy plane from the origin to `size`.
    Cloth {
        /// Cells along x and y.
        cells: [u32; 2],
        /// Edge lengths \[m\].
        size: [f64; 2],
    },
}

/// How a cube cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Five tetrahedra, mirrored from cell to cell.
    Five,
    /// Six tetrahedra round the main diagonal (Kuhn).
    #[default]
    Six,
}

impl From<Split> for pliant_mesh::shapes::Split {
    fn from(split: Split) -> Self {
        match split {
            Split::Five => Self::Five,
            Split::Six => Self::Six,
        }
    }
}

impl Shape {
    /// A bar of six tetrahedra per cell; `size` in \[m\].
    pub fn bar(cells: [u32; 3], size: [f64; 3]) -> Self {
        Self::Bar { cells, size, split: Split::Six }
    }

    /// The name of the kind, as in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bar { .. } => "bar",
            Self::IrregularBar { .. } => "irregular-bar",
            Self::Ball { .. } => "ball",
            Self::Cylinder { .. } => "cylinder",
            Self::Torus { .. } => "torus",
            Self::Capsule { .. } => "capsule",
            Self::Blob { .. } => "blob",
            Self::Cloth { .. } => "cloth",
        }
    }

    /// About how many tetrahedra (or triangles) the shape has; a little more than its generator
    /// makes.
    pub fn element_estimate(&self) -> f64 {
        /// Tetrahedra per cell of the filled round shapes, at most.
        const PER_CELL: f64 = 12.0;
        let filled = |volume: f64, cell: f64| PER_CELL * volume / cell.powi(3);
        let cube = |r: f64| r * r * r;
        match *self {
            Self::Bar { cells, .. } | Self::IrregularBar { cells, .. } => {
                6.0 * cells.iter().map(|&n| f64::from(n)).product::<f64>()
            }
            Self::Ball { radius, cell } => filled(4.0 / 3.0 * PI * cube(radius), cell),
            // Bumps reach somewhat beyond the mean radius.
            Self::Blob { radius, cell, .. } => filled(8.0 / 3.0 * PI * cube(radius), cell),
            Self::Cylinder { radius, length, cell } => filled(PI * radius * radius * length, cell),
            Self::Capsule { radius, length, cell } => {
                filled(PI * radius * radius * length + 4.0 / 3.0 * PI * cube(radius), cell)
            }
            Self::Torus { radius, tube, cell } => {
                filled(2.0 * PI * PI * radius * tube * tube, cell)
            }
            Self::Cloth { cells, .. } => 2.0 * f64::from(cells[0]) * f64::from(cells[1]),
        }
    }
}
