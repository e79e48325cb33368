//! How woven cloth resists.

use serde::{Deserialize, Serialize};

use super::forms;

/// A surface that resists as woven cloth does: along its two threads, against shear between them, and against
/// folds. All of it but bending is springs, as in Vassilev, Spanlang & Chrysanthou 2001 (*Fast cloth animation on walking
/// avatars*): along the edges, along both diagonals of squares, and past a vertex or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cloth {
    /// Force over width that a strip along the warp, and one along the weft, takes for each part of its length that
    /// it gets longer \[N/m\].
    #[serde(deserialize_with = "forms::one_or_two")]
    pub stretch: [f64; 2],
    /// Force over width for each radian by which warp and weft turn towards each other \[N/m\].
    pub shear: f64,
    /// Stiffness of each spring against folds \[N/m\].
    pub bend: f64,
    /// Which vertices the springs against folds join.
    pub bend_springs: BendSprings,
    /// How hard it is to bend, its flexural rigidity \[N·m\]: a strip that is bent to a curvature κ resists with this
    /// moment over width for each 1/m.
    pub bending: f64,
    /// How its triangles resist that.
    pub bending_form: BendingForm,
    /// The direction of the warp, in the coordinates of the mesh; of other parts of a curved surface, what of it lies
    /// in them.
    pub warp: [f64; 3],
}

impl Default for Cloth {
    fn default() -> Self {
        Self {
            stretch: [100.0; 2],
            shear: 10.0,
            bend: 0.0,
            bend_springs: BendSprings::default(),
            bending: 0.0,
            bending_form: BendingForm::default(),
            warp: [1.0, 0.0, 0.0],
        }
    }
}

/// Which vertices springs against folds join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BendSprings {
    /// The two that lie opposite each other across an edge: any mesh has them.
    #[default]
    Opposite,
    /// A vertex and the next but one on a straight line of edges, such as the rows and columns of a sheet.
    Second,
}

/// How triangles of cloth resist being bent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BendingForm {
    /// Quadratic where the cloth is flat at rest, else dihedral.
    #[default]
    Auto,
    /// By the angles between them, whatever they are at rest.
    Dihedral,
    /// By the jumps of slope between them, for cloth that is flat at rest.
    Quadratic,
}
