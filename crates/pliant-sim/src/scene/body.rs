//! One soft body: where its mesh comes from, where it is and what it is made of.

use std::path::PathBuf;

use pliant_mesh::Mesh;
use serde::{Deserialize, Serialize};

use super::{
    BodyContact, Cage, Material, Pin, Region, Shape, ShapeMatching, Skin, StrainLimit, Tear,
};

/// A soft body, or a grid of equal ones.
///
/// The mesh is scaled, then rotated, then moved, all about the origin of its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// What messages and overrides call it. Bodies read from TOML without a name are called after
    /// their mesh or shape.
    pub name: String,
    /// Where the mesh comes from. In TOML one of the keys `mesh` (with `group`) and `shape`.
    pub source: Source,
    /// A coarse mesh to be made for it, which is simulated in place of its own.
    pub cage: Option<Cage>,
    /// A surface that it carries along, shown in place of its own; with a cage that of its mesh, unless there is another.
    pub skin: Option<Skin>,
    /// Enlargement.
    pub scale: Scale,
    /// Turn after scaling.
    pub rotate: Rotation,
    /// Shift after turning \[m\].
    pub translate: [f64; 3],
    /// Velocity at the start \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity at the start, about the centre of mass \[rad/s\].
    pub spin: [f64; 3],
    /// What it is made of.
    pub material: Material,
    /// Vertices that never move.
    pub locks: Vec<Region>,
    /// Vertices that are led along a path; those that are locked as well are led.
    pub pins: Vec<Pin>,
    /// Edges of a surface that tear where they are pulled too hard.
    pub tears: Vec<Tear>,
    /// Whether a point array `lock` in the mesh file is ignored; otherwise vertices with a nonzero
    /// value are locked.
    pub ignore_flags: bool,
    /// Whether it takes implicit steps, whatever the integrator of the world.
    pub implicit: bool,
    /// What is special about how it touches other soft bodies and itself, where [`World::contact`] lets them touch;
    /// nothing takes it out. In TOML `contact = false`.
    ///
    /// [`World::contact`]: super::World::contact
    pub contact: Option<BodyContact>,
    /// How far its edges may stretch; as far as its springs let them without it. Of woven cloth it is about the edges of its
    /// mesh that are no diagonals of squares.
    pub strain_limit: Option<StrainLimit>,
    /// How it is drawn back to its shape, instead of being held by springs.
    pub shape_matching: Option<ShapeMatching>,
    /// A grid of copies of this body; just the body itself without it.
    pub copies: Option<Copies>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            name: String::new(),
            source: Source::Shape(Shape::bar([1; 3], [1.0; 3])),
            cage: None,
            skin: None,
            scale: Scale::default(),
            rotate: Rotation::default(),
            translate: [0.0; 3],
            velocity: [0.0; 3],
            spin: [0.0; 3],
            material: Material::default(),
            locks: Vec::new(),
            pins: Vec::new(),
            tears: Vec::new(),
            ignore_flags: false,
            implicit: false,
            contact: Some(BodyContact::default()),
            strain_limit: None,
            shape_matching: None,
            copies: None,
        }
    }
}

impl Body {
    /// Where the mesh point `p` is in the scene \[m\]: scaled, rotated, moved. For the first copy;
    /// the others are shifted by [`Copies::offsets`].
    pub fn place(&self, p: [f64; 3]) -> [f64; 3] {
        let scale = self.scale.axes();
        let scaled: [f64; 3] = std::array::from_fn(|k| scale[k] * p[k]);
        let rotation = self.rotate.matrix();
        std::array::from_fn(|r| {
            let row = rotation[r];
            row[0] * scaled[0] + row[1] * scaled[1] + row[2] * scaled[2] + self.translate[r]
        })
    }

    /// Where its meshes come from: its own, then that of its skin.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.source).chain(self.skin.as_ref().map(|skin| &skin.source))
    }

    /// The same, to be changed.
    pub fn sources_mut(&mut self) -> impl Iterator<Item = &mut Source> {
        let skin = self.skin.as_mut().map(|skin| &mut skin.source);
        std::iter::once(&mut self.source).chain(skin)
    }

    /// The shift of each copy \[m\]; a single zero without [`Body::copies`].
    pub fn offsets(&self) -> Vec<[f64; 3]> {
        self.copies.as_ref().map_or_else(|| vec![[0.0; 3]], |copies| copies.offsets().collect())
    }
}

/// Where the mesh of a body comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A mesh file.
    Mesh {
        /// The file; relative to the scene file until [`super::Scene::load`] resolves it.
        path: PathBuf,
        /// Take only the elements of this group.
        group: Option<String>,
    },
    /// A generated shape.
    Shape(Shape),
    /// A mesh made in code. It cannot be written to TOML.
    Inline(Mesh),
}

/// Enlargement of a mesh. In TOML a number or three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// The same along every axis.
    Uniform(f64),
    /// Along x, y and z.
    Axes([f64; 3]),
}

impl Default for Scale {
    fn default() -> Self {
        Self::Uniform(1.0)
    }
}

impl Scale {
    /// The factors along x, y and z.
    pub fn axes(self) -> [f64; 3] {
        match self {
            Self::Uniform(s) => [s; 3],
            Self::Axes(s) => s,
        }
    }
}

/// A turn about the origin of the mesh. In TOML three angles or `{ axis = …, degrees = … }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rotation {
    /// Angles about the fixed axes x, then y, then z \[°\].
    Euler([f64; 3]),
    /// An angle about one axis, by the right-hand rule.
    AxisAngle {
        /// The axis, of any length.
        axis: [f64; 3],
        /// The angle \[°\].
        degrees: f64,
    },
}

impl Default for Rotation {
    fn default() -> Self {
        Self::Euler([0.0; 3])
    }
}

impl Rotation {
    /// The rotation matrix, by rows. Quarter turns are exact.
    pub fn matrix(self) -> [[f64; 3]; 3] {
        match self {
            Self::Euler([x, y, z]) => {
                let about_x = axis_angle([1.0, 0.0, 0.0], x);
                let about_y = axis_angle([0.0, 1.0, 0.0], y);
                let about_z = axis_angle([0.0, 0.0, 1.0], z);
                multiply(about_z, multiply(about_y, about_x))
            }
            Self::AxisAngle { axis, degrees } => axis_angle(axis, degrees),
        }
    }
}

/// Rodrigues' formula, R = c I + s \[a\]ₓ + (1 − c) a aᵀ.
pub(super) fn axis_angle(axis: [f64; 3], degrees: f64) -> [[f64; 3]; 3] {
    let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    let [x, y, z] = axis.map(|a| if length > 0.0 { a / length } else { 0.0 });
    let (s, c) = sin_cos_degrees(degrees);
    let t = 1.0 - c;
    [
        [c + t * x * x, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, c + t * y * y, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, c + t * z * z],
    ]
}

/// Sine and cosine that are exact for multiples of 90°, so that turned bars stay axis-aligned.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turn = degrees.rem_euclid(360.0);
    match turn {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => turn.to_radians().sin_cos(),
    }
}

pub(super) fn multiply(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

/// A grid of copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Copies along x, y and z, the body itself included.
    pub count: [u32; 3],
    /// From one copy to the next along each axis \[m\].
    pub spacing: [f64; 3],
}

impl Copies {
    /// The shift of each copy \[m\], x fastest; the first is zero.
    pub fn offsets(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        let [nx, ny, nz] = self.count;
        (0..nz).flat_map(move |k| {
            (0..ny).flat_map(move |j| {
                (0..nx).map(move |i| {
                    let cell = [i, j, k];
                    std::array::from_fn(|a| f64::from(cell[a]) * self.spacing[a])
                })
            })
        })
    }
}
