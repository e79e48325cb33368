//! Bodies made from a formula instead of a file.

use std::f64::consts::PI;

use pliant_mesh::{Mesh, shapes};
use serde::{Deserialize, Serialize};

use super::{Problem, SceneError};

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
    /// A block with a head in it: the mesh has an array `density`, to be looked at.
    Phantom {
        /// Cells along x, y and z.
        cells: [u32; 3],
        /// Edge lengths \[m\].
        size: [f64; 3],
    },
    /// A ball round the origin.
    Ball {
        /// Radius \[m\].
        radius: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A cylinder along x with its flat end at the origin.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Length along x \[m\].
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
    /// A cylinder along x with half balls at its ends, centred on the origin.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Length of the straight part \[m\].
        length: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A pipe along x with its flat end at the origin; a ring when short.
    Tube {
        /// Radius of the hole \[m\].
        inner: f64,
        /// Outer radius \[m\].
        outer: f64,
        /// Length along x \[m\].
        length: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A soft five-pointed star in the xy plane, centred on the origin.
    Star {
        /// From the middle to the tips \[m\].
        radius: f64,
        /// Extent along z \[m\].
        thickness: f64,
        /// Size of the cells it is filled with \[m\].
        cell: f64,
    },
    /// A bunny-like figure that stands on the xy plane and looks along x.
    Bunny {
        /// From the feet to the tips of the ears \[m\].
        height: f64,
        /// Size of the cells it is filled with \[m\]; up to height/25 shows the ears well.
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
    /// A laid rope tied to a trefoil knot round the z axis: a closed surface without an inside, which a cage gives it.
    Knot {
        /// From the axis to the farthest of the rope's middle \[m\].
        radius: f64,
        /// Radius of the rope \[m\].
        tube: f64,
        /// Edge length of its triangles \[m\].
        cell: f64,
    },
    /// A flat rectangle of triangles in the xy plane from the origin to `size`.
    Cloth {
        /// Cells along x and y.
        cells: [u32; 2],
        /// Edge lengths \[m\].
        size: [f64; 2],
    },
    /// A round cape in the xy plane that is worn round the z axis and opens along x.
    Cape {
        /// Radius of the hole for the neck \[m\].
        neck: f64,
        /// From there to the hem \[m\].
        length: f64,
        /// Angle by which it is open \[°\].
        #[serde(default = "Shape::default_opening")]
        opening: f64,
        /// Width of the collar that goes all round \[m\].
        #[serde(default = "Shape::default_clasp")]
        clasp: f64,
        /// Edge length of its triangles \[m\].
        cell: f64,
    },
    /// A skirt without seams round the z axis, which hangs down from the xy plane.
    Skirt {
        /// Length round the waist \[m\].
        waist: f64,
        /// Length round the hem \[m\].
        hem: f64,
        /// From waist to hem \[m\].
        length: f64,
        /// How deep it is along x, as a part of its width along y.
        #[serde(default = "Shape::default_depth")]
        depth: f64,
        /// Edge length of its triangles \[m\].
        cell: f64,
    },
    /// A front and a back of a skirt, to be sewn; upright, with the waist in the xy plane.
    SkirtPanels {
        /// Length round the waist \[m\].
        waist: f64,
        /// Length round the hem \[m\].
        hem: f64,
        /// From waist to hem \[m\].
        length: f64,
        /// From the front to the back \[m\].
        gap: f64,
        /// Edge length of its triangles \[m\].
        cell: f64,
    },
    /// A front and a back of a T-shirt, to be sewn; upright, with the neck in the xy plane.
    Tshirt {
        /// Length round the chest \[m\].
        chest: f64,
        /// From neck to hem \[m\].
        length: f64,
        /// From the shoulders to the ends of the sleeves \[m\].
        sleeve: f64,
        /// From the front to the back \[m\].
        gap: f64,
        /// Edge length of its triangles \[m\].
        cell: f64,
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

impl From<Split> for shapes::Split {
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
            Self::Phantom { .. } => "phantom",
            Self::Ball { .. } => "ball",
            Self::Cylinder { .. } => "cylinder",
            Self::Torus { .. } => "torus",
            Self::Capsule { .. } => "capsule",
            Self::Tube { .. } => "tube",
            Self::Star { .. } => "star",
            Self::Bunny { .. } => "bunny",
            Self::Blob { .. } => "blob",
            Self::Knot { .. } => "knot",
            Self::Cloth { .. } => "cloth",
            Self::Cape { .. } => "cape",
            Self::Skirt { .. } => "skirt",
            Self::SkirtPanels { .. } => "skirt-panels",
            Self::Tshirt { .. } => "tshirt",
        }
    }

    /// Makes the mesh. Cells that are too large for the shape are refused, since nothing would be
    /// left of its thin parts.
    pub fn build(&self) -> Result<Mesh, SceneError> {
        let mesh = match *self {
            Self::Bar { cells, size, split } => shapes::try_bar(cells, size, split.into()),
            Self::IrregularBar { cells, size, seed } => shapes::irregular_bar(cells, size, seed),
            Self::Phantom { cells, size } => shapes::phantom(cells, size),
            Self::Ball { radius, cell } => shapes::ball(radius, cell),
            Self::Cylinder { radius, length, cell } => shapes::cylinder(radius, length, cell),
            Self::Torus { radius, tube, cell } => shapes::torus(radius, tube, cell),
            Self::Capsule { radius, length, cell } => shapes::capsule(radius, length, cell),
            Self::Tube { inner, outer, length, cell } => shapes::tube(inner, outer, length, cell),
            Self::Star { radius, thickness, cell } => shapes::star(radius, thickness, cell),
            Self::Bunny { height, cell } => shapes::bunny(height, cell).map(from_y_up),
            Self::Blob { radius, cell, seed } => blob(radius, cell, seed),
            Self::Knot { radius, tube, cell } => shapes::knot(radius, tube, cell),
            Self::Cloth { cells, size } => shapes::cloth(cells, size),
            Self::Cape { neck, length, opening, clasp, cell } => {
                shapes::cape(neck, length, opening, clasp, cell)
            }
            Self::Skirt { waist, hem, length, depth, cell } => {
                shapes::skirt([waist, hem], length, depth, cell)
            }
            Self::SkirtPanels { waist, hem, length, gap, cell } => {
                shapes::skirt_panels([waist, hem], length, gap, cell)
            }
            Self::Tshirt { chest, length, sleeve, gap, cell } => {
                shapes::tshirt(chest, length, sleeve, gap, cell)
            }
        };
        mesh.map_err(|e| Problem::new("shape", format!("{}: {e}", self.kind())).into())
    }

    /// Whether it is made of triangles alone.
    pub(crate) fn is_surface(&self) -> bool {
        use Shape::{Cape, Cloth, Knot, Skirt, SkirtPanels, Tshirt};
        matches!(
            self,
            Knot { .. }
                | Cloth { .. }
                | Cape { .. }
                | Skirt { .. }
                | SkirtPanels { .. }
                | Tshirt { .. }
        )
    }

    fn default_opening() -> f64 {
        90.0
    }

    fn default_clasp() -> f64 {
        0.06
    }

    fn default_depth() -> f64 {
        0.65
    }

    /// Whether [`Shape::element_estimate`] is exact, since the scene gives the cells.
    pub(crate) fn is_counted(&self) -> bool {
        use Shape::{Bar, Cloth, IrregularBar, Phantom};
        matches!(self, Bar { .. } | IrregularBar { .. } | Phantom { .. } | Cloth { .. })
    }

    /// About how many tetrahedra (or triangles) the shape has, to within a factor of three: enough
    /// to refuse what no machine could hold before anything is made.
    pub fn element_estimate(&self) -> f64 {
        /// Tetrahedra per cell of the filled round shapes, at most.
        const PER_CELL: f64 = 12.0;
        let filled = |volume: f64, cell: f64| PER_CELL * volume / cell.powi(3);
        let cube = |r: f64| r * r * r;
        // Triangles of equal edges.
        let covered = |area: f64, cell: f64| 4.0 * area / (3_f64.sqrt() * cell * cell);
        match *self {
            Self::Bar { cells, split: Split::Five, .. } | Self::Phantom { cells, .. } => {
                5.0 * cells.iter().map(|&n| f64::from(n)).product::<f64>()
            }
            Self::Bar { cells, .. } | Self::IrregularBar { cells, .. } => {
                6.0 * cells.iter().map(|&n| f64::from(n)).product::<f64>()
            }
            Self::Ball { radius, cell } => filled(4.0 / 3.0 * PI * cube(radius), cell),
            Self::Tube { inner, outer, length, cell } => {
                filled(PI * (outer * outer - inner * inner) * length, cell)
            }
            Self::Star { radius, thickness, cell } => {
                filled(PI * radius * radius * thickness, cell)
            }
            // It fills about an eighth of the cube of its height.
            Self::Bunny { height, cell } => filled(cube(height) / 4.0, cell),
            // Bumps reach somewhat beyond the mean radius.
            Self::Blob { radius, cell, .. } => filled(8.0 / 3.0 * PI * cube(radius), cell),
            Self::Cylinder { radius, length, cell } => filled(PI * radius * radius * length, cell),
            Self::Capsule { radius, length, cell } => {
                filled(PI * radius * radius * length + 4.0 / 3.0 * PI * cube(radius), cell)
            }
            Self::Torus { radius, tube, cell } => {
                filled(2.0 * PI * PI * radius * tube * tube, cell)
            }
            // Some ten radii of rope.
            Self::Knot { radius, tube, cell } => covered(2.0 * PI * tube * 10.5 * radius, cell),
            Self::Cloth { cells, .. } => 2.0 * f64::from(cells[0]) * f64::from(cells[1]),
            Self::Cape { neck, length, opening, cell, .. } => {
                let ring = PI * ((neck + length).powi(2) - neck * neck);
                covered(ring * (1.0 - opening / 360.0), cell)
            }
            Self::Skirt { waist, hem, length, cell, .. }
            | Self::SkirtPanels { waist, hem, length, cell, .. } => {
                covered(0.5 * (waist + hem) * length, cell)
            }
            Self::Tshirt { chest, length, sleeve, cell, .. } => {
                covered(chest * (length + 0.8 * sleeve), cell)
            }
        }
    }
}

/// Turns a mesh whose y points up so that its z does.
fn from_y_up(mut mesh: Mesh) -> Mesh {
    mesh.points.iter_mut().for_each(|p| *p = [p[0], -p[2], p[1]]);
    mesh
}

/// A ball whose radius varies with the direction by a few plane waves, up to a quarter in all.
fn blob(radius: f64, cell: f64, seed: u64) -> Result<Mesh, shapes::ShapeError> {
    const WAVES: usize = 6;
    const BUMPS: f64 = 0.25;
    let hash = |n: usize| xxhash_rust::xxh3::xxh3_64_with_seed(&[n as u8], seed);
    // Between -1 and 1, from the upper 53 bits.
    let random = |n: usize| (hash(n) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    let waves: [([f64; 3], f64); WAVES] = std::array::from_fn(|w| {
        let along = std::array::from_fn(|k| 3.0 * random(4 * w + k));
        (along, PI * random(4 * w + 3))
    });
    let distance = |p: [f64; 3]| {
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit = p.map(|x| if length > 0.0 { x / length } else { 0.0 });
        let bumps = waves.iter().map(|(along, phase)| {
            (along[0] * unit[0] + along[1] * unit[1] + along[2] * unit[2] + phase).sin()
        });
        length - radius * (1.0 + BUMPS / WAVES as f64 * bumps.sum::<f64>())
    };
    let reach = (1.0 + BUMPS) * radius;
    shapes::from_distance(distance, [[-reach; 3], [reach; 3]], cell)
}
