//! What is wrong with a mesh, and what to do about it.
//!
//! [`examine`] measures a mesh and lists its defects; [`repair`] mends those that can be mended
//! without changing the shape.
//!
//! ```
//! use pliant_mesh::{doctor, shapes};
//!
//! let mut bar = shapes::bar([2, 1, 1], [2.0, 1.0, 1.0], shapes::Split::Six);
//! bar.tets[3].swap(0, 1);
//! let report = doctor::examine(&bar);
//! assert_eq!(report.inverted, 1);
//! assert_eq!(doctor::repair(&mut bar).len(), 1);
//! assert!(doctor::examine(&bar).findings.is_empty());
//! ```

mod checks;
mod quality;
mod repair;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;

pub use quality::{Quality, dihedral_cosines};
pub use repair::{Fix, repair};

use crate::Mesh;

/// How many elements a finding names.
pub const NAMED: usize = 20;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// A simulation runs, but perhaps not as meant.
    Warning,
    /// A simulation cannot run on this.
    Error,
}

/// What a finding is about; in JSON as `inverted-tets`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// No tetrahedra and no triangles.
    Empty,
    /// An element refers to a point that does not exist.
    BadIndex,
    /// An array has another length than what it belongs to.
    ArrayLength,
    /// An array holds values that are not finite.
    ArrayNotFinite,
    /// A group has members that do not exist.
    GroupIndex,
    /// A coordinate is infinite or no number.
    NotFinitePoints,
    /// Coordinates so far apart that volumes overflow.
    HugeTets,
    /// Tetrahedra that name a corner twice.
    RepeatedCornerTets,
    /// Triangles that name a corner twice.
    RepeatedCornerTriangles,
    /// Tetrahedra of negative volume.
    InvertedTets,
    /// Tetrahedra without volume.
    FlatTets,
    /// Triangles without area, in a surface mesh.
    FlatTriangles,
    /// Tetrahedra with the same corners.
    DuplicateTets,
    /// Triangles with the same corners.
    DuplicateTriangles,
    /// Points that belong to no element.
    UnusedPoints,
    /// Points with the same coordinates.
    DuplicatePoints,
    /// Faces of more than two tetrahedra.
    CrowdedFaces,
    /// Surface edges of one triangle only.
    OpenEdges,
    /// Surface edges of more than two triangles.
    NonManifoldEdges,
    /// Neighbouring triangles that face opposite ways.
    FlippedEdges,
    /// Triangles of the surface that cross.
    CrossingTriangles,
    /// A closed surface mesh that faces inward.
    InsideOut,
    /// Badly shaped tetrahedra.
    PoorQuality,
    /// More than one connected part.
    Components,
}

/// What the numbers in [`Finding::first`] index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// The mesh as a whole; nothing is named.
    Mesh,
    /// Points.
    Points,
    /// Tetrahedra.
    Tets,
    /// Triangles.
    Triangles,
    /// Edges, each as its two points, one after the other.
    Edges,
    /// Pairs of triangles of the surface, each as its two triangles, one after the other.
    #[serde(rename = "triangle-pairs")]
    TrianglePairs,
}

/// One thing that is wrong or worth knowing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of thing.
    pub code: Code,
    /// How many times.
    pub count: usize,
    /// What `first` indexes.
    pub subject: Subject,
    /// The first [`NAMED`] of them (0-based), or the worst where that makes sense.
    pub first: Vec<u32>,
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
    /// What to do, as a sentence without its full stop.
    pub remedy: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.message, self.remedy)
    }
}

/// Measures of a mesh and everything that was found. Serialises to one flat JSON object.
///
/// "Surface" means the boundary of the tetrahedra, or the triangles of a mesh without tetrahedra,
/// after joining points that coincide.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Points.
    pub vertices: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Triangles that the mesh lists.
    pub triangles: usize,
    /// Faces of exactly one tetrahedron.
    pub boundary_faces: usize,
    /// Points on the surface.
    pub boundary_vertices: usize,
    /// Different faces of the tetrahedra.
    pub faces: usize,
    /// Sum of signed volumes \[m³\], or what the triangles of a surface mesh enclose.
    pub volume: f64,
    /// Area of the surface \[m²\].
    pub area: f64,
    /// Smallest and largest coordinates \[m\]; absent without points.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Parts that share no vertex (before joining points that coincide).
    pub components: usize,
    /// Tetrahedra of negative volume.
    pub inverted: usize,
    /// Tetrahedra without volume.
    pub flat: usize,
    /// Points that belong to no element.
    pub unused_points: usize,
    /// Points that coincide with an earlier one.
    pub duplicate_points: usize,
    /// Surface edges of one triangle only.
    pub open_edges: usize,
    /// Surface edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Vertices − edges + faces of the surface: 2 for a ball, 0 for a torus.
    pub euler: i64,
    /// Shape of the tetrahedra; absent without any.
    pub quality: Option<Quality>,
    /// What is wrong or worth knowing, worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The worst severity found, `None` for a flawless mesh.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }

    /// The finding with this code.
    pub fn finding(&self, code: Code) -> Option<&Finding> {
        self.findings.iter().find(|f| f.code == code)
    }

    /// Adds what a search for triangles that cross has found; it needs a tree, which is not the
    /// doctor's.
    pub fn add_crossings(&mut self, pairs: &[[u32; 2]]) {
        checks::crossings(pairs, self);
        self.sort();
    }

    /// Worst first; stable, so that findings of one severity keep the order of the checks.
    fn sort(&mut self) {
        self.findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    }

    /// Errors and warnings as sentences.
    pub fn warnings(&self) -> Vec<String> {
        let serious = self.findings.iter().filter(|f| f.severity >= Severity::Warning);
        serious.map(|f| f.to_string()).collect()
    }
}

/// Examines a mesh: counts, measures and defects, in time linear in its size for all practical
/// meshes.
pub fn examine(mesh: &Mesh) -> Report {
    let mut report = Report {
        vertices: mesh.points.len(),
        tets: mesh.tets.len(),
        triangles: mesh.triangles.len(),
        ..Report::default()
    };
    if checks::content(mesh, &mut report) {
        checks::points(mesh, &mut report);
        checks::elements(mesh, &mut report);
        checks::surface(mesh, &mut report);
        quality::examine(mesh, &mut report);
    }
    report.sort();
    report
}
