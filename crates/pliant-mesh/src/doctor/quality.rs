//! The shape of tetrahedra.

use serde::Serialize;

use super::checks::{counted, repeats};
use super::{Code, Finding, NAMED, Report, Severity, Subject};
use crate::Mesh;
use crate::geometry::{cross, dot, sub};
use crate::topology::{TET_EDGES, TET_FACES};

/// Dihedral angles \[°\] outside of which a tetrahedron counts as badly shaped.
const FAIR_ANGLES: [f64; 2] = [5.0, 170.0];

/// Range of shapes over all tetrahedra with volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Smallest angle between two faces \[°\]; 70.5 in a regular tetrahedron.
    pub min_dihedral: f64,
    /// Largest angle between two faces \[°\].
    pub max_dihedral: f64,
    /// Largest ratio of the longest to the shortest edge of a tetrahedron.
    pub max_edge_ratio: f64,
    /// The tetrahedra with the smallest angles, worst first, at most [`NAMED`].
    pub worst: Vec<u32>,
}

/// Cosines of the six angles between the faces of a tetrahedron, in the order of [`TET_EDGES`] taken
/// as pairs of faces. Not finite where a face has no area.
pub fn dihedral_cosines(p: [[f64; 3]; 4]) -> [f64; 6] {
    let normals = TET_FACES.map(|face| {
        let [a, b, c] = face.map(|k| p[k]);
        let n = cross(sub(b, a), sub(c, a));
        let length = dot(n, n).sqrt();
        n.map(|x| x / length)
    });
    TET_EDGES.map(|[a, b]| -dot(normals[a], normals[b]))
}

fn edge_ratio(p: [[f64; 3]; 4]) -> f64 {
    let (mut short, mut long) = (f64::INFINITY, 0.0f64);
    for [a, b] in TET_EDGES {
        let d = sub(p[a], p[b]);
        (short, long) = (short.min(dot(d, d)), long.max(dot(d, d)));
    }
    (long / short).sqrt()
}

/// Measures all tetrahedra and reports the bad ones.
pub(super) fn examine(mesh: &Mesh, report: &mut Report) {
    let degrees = |cosine: f64| cosine.clamp(-1.0, 1.0).acos().to_degrees();
    let fair = FAIR_ANGLES.map(|angle| angle.to_radians().cos());
    let (mut largest, mut smallest, mut ratio) = (-1.0f64, 1.0f64, 1.0f64);
    let mut poor = 0;
    // The largest cosine belongs to the smallest angle.
    let mut worst: Vec<(f64, u32)> = Vec::new();
    let mut measured = false;
    for (i, tet) in (0..).zip(&mesh.tets) {
        let p = tet.map(|v| mesh.points[v as usize]);
        let cosines = dihedral_cosines(p);
        if repeats(*tet) || cosines.iter().any(|c| !c.is_finite()) {
            continue;
        }
        measured = true;
        let high = cosines.iter().fold(-1.0, |a: f64, b| a.max(*b));
        let low = cosines.iter().fold(1.0, |a: f64, b| a.min(*b));
        (largest, smallest) = (largest.max(high), smallest.min(low));
        ratio = ratio.max(edge_ratio(p));
        poor += usize::from(high > fair[0] || low < fair[1]);
        if worst.len() < NAMED || high > worst[worst.len() - 1].0 {
            let at = worst.partition_point(|w| w.0 >= high);
            worst.insert(at, (high, i));
            worst.truncate(NAMED);
        }
    }
    if !measured {
        return;
    }
    let worst: Vec<u32> = worst.into_iter().map(|(_, i)| i).collect();
    let quality = Quality {
        min_dihedral: degrees(largest),
        max_dihedral: degrees(smallest),
        max_edge_ratio: ratio,
        worst,
    };
    if poor > 0 {
        report.findings.push(Finding {
            severity: Severity::Warning,
            code: Code::PoorQuality,
            count: poor,
            subject: Subject::Tets,
            first: quality.worst.iter().copied().take(poor).collect(),
            message: format!(
                "{} badly shaped: angles between faces from {:.2}° to {:.2}°, outside {}° to {}°",
                counted(poor, Subject::Tets),
                quality.min_dihedral,
                quality.max_dihedral,
                FAIR_ANGLES[0],
                FAIR_ANGLES[1]
            ),
            remedy: "They slow the solver down and look stiff; mesh the body again if it matters"
                .into(),
        });
    }
    report.quality = Some(quality);
}
