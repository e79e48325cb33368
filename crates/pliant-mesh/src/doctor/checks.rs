//! The checks of [`examine`](super::examine), in the order in which they are made.

use super::{Code, Finding, NAMED, Report, Severity, Subject};
use crate::geometry::{cross, dot, signed_volume, sub};
use crate::topology::{NONE, components, face_use, surface_edges, tet_face, weld};
use crate::{DataArray, Domain, Mesh};

impl Report {
    /// Adds a finding about the elements `all`, if there are any. `message` follows their count.
    fn add(
        &mut self,
        (severity, code, subject): (Severity, Code, Subject),
        all: &[u32],
        message: &str,
        remedy: &str,
    ) {
        if all.is_empty() {
            return;
        }
        let width = if matches!(subject, Subject::Edges | Subject::TrianglePairs) { 2 } else { 1 };
        let count = all.len() / width;
        self.findings.push(Finding {
            severity,
            code,
            count,
            subject,
            first: all.iter().copied().take(NAMED * width).collect(),
            message: format!("{} {message}", counted(count, subject)),
            remedy: remedy.into(),
        });
    }

    /// Adds a finding about the mesh as a whole.
    pub(super) fn add_whole(
        &mut self,
        severity: Severity,
        code: Code,
        count: usize,
        message: String,
        remedy: &str,
    ) {
        let (subject, first) = (Subject::Mesh, Vec::new());
        let remedy = remedy.into();
        self.findings.push(Finding { severity, code, count, subject, first, message, remedy });
    }
}

/// "1 tetrahedron", "7 points".
pub(super) fn counted(count: usize, subject: Subject) -> String {
    let [one, many] = match subject {
        Subject::Mesh => ["mesh", "meshes"],
        Subject::Points => ["point", "points"],
        Subject::Tets => ["tetrahedron", "tetrahedra"],
        Subject::Triangles => ["triangle", "triangles"],
        Subject::Edges => ["edge", "edges"],
        Subject::TrianglePairs => ["pair of triangles", "pairs of triangles"],
    };
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Numbers of the items that pass `test`.
pub(super) fn select<T>(items: &[T], test: impl Fn(&T) -> bool) -> Vec<u32> {
    (0..).zip(items).filter(|(_, item)| test(item)).map(|(i, _)| i).collect()
}

/// Whether the mesh holds together at all; checks arrays and groups. `false` when the other checks
/// cannot be made.
pub(super) fn content(mesh: &Mesh, report: &mut Report) -> bool {
    if let Err(problem) = mesh.check_indices() {
        let remedy = "The file is damaged: fetch or export it again";
        report.add_whole(Severity::Error, Code::BadIndex, 1, problem, remedy);
        return false;
    }
    if mesh.tets.is_empty() && mesh.triangles.is_empty() {
        let problem = "the mesh has neither tetrahedra nor triangles".into();
        report.add_whole(Severity::Error, Code::Empty, 1, problem, "Check how it was exported");
    }
    let domains = [
        (&mesh.point_data, mesh.points.len(), Domain::Points),
        (&mesh.tet_data, mesh.tets.len(), Domain::Tets),
        (&mesh.triangle_data, mesh.triangles.len(), Domain::Triangles),
    ];
    for (arrays, length, domain) in domains {
        arrays.iter().for_each(|array| array_content(array, length, report));
        for group in mesh.groups.iter().filter(|g| g.domain == domain) {
            let bad = group.members.iter().filter(|m| **m as usize >= length).count();
            if bad > 0 {
                let problem = format!("group {:?} has {bad} members that do not exist", group.name);
                let remedy = "The file is damaged: fetch or export it again";
                report.add_whole(Severity::Error, Code::GroupIndex, bad, problem, remedy);
            }
        }
    }
    true
}

fn array_content(array: &DataArray, length: usize, report: &mut Report) {
    if array.components == 0 || array.values.len() != array.components * length {
        let problem = format!(
            "array {:?} has {} values for {length} elements of {} components",
            array.name,
            array.values.len(),
            array.components
        );
        let remedy = "The file is damaged: fetch or export it again";
        report.add_whole(Severity::Error, Code::ArrayLength, 1, problem, remedy);
    }
    let bad = array.values.iter().filter(|v| !v.is_finite()).count();
    if bad > 0 {
        let problem = format!("array {:?} has {bad} values that are not finite", array.name);
        let remedy = "Do not use it for anything that is computed";
        report.add_whole(Severity::Warning, Code::ArrayNotFinite, bad, problem, remedy);
    }
}

/// Coordinates, unused points and points that coincide.
pub(super) fn points(mesh: &Mesh, report: &mut Report) {
    let finite = |p: &[f64; 3]| p.iter().all(|x| x.is_finite());
    let bad = select(&mesh.points, |p| !finite(p));
    report.add(
        (Severity::Error, Code::NotFinitePoints, Subject::Points),
        &bad,
        "with coordinates that are infinite or no numbers",
        "Correct the coordinates: nothing can be computed with them",
    );
    let mut good = mesh.points.iter().filter(|p| finite(p));
    report.bounds = good.next().map(|first| {
        good.fold([*first, *first], |[low, high], p| {
            [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
        })
    });

    let parts = components(mesh.points.len(), &mesh.tets, &mesh.triangles);
    report.components = parts.count;
    if parts.count > 1 {
        let problem = format!("the mesh has {} parts that share no vertex", parts.count);
        let remedy = "This is fine if they are separate bodies; otherwise join them";
        report.add_whole(Severity::Note, Code::Components, parts.count, problem, remedy);
    }
    let unused = select(&parts.of_point, |c| *c == NONE);
    report.unused_points = unused.len();
    report.add(
        (Severity::Note, Code::UnusedPoints, Subject::Points),
        &unused,
        "that belong to no element",
        "They have no mass and take no part; remove them to save memory",
    );
    let same: Vec<u32> =
        (0..).zip(weld(&mesh.points)).filter(|(i, first)| i != first).map(|(i, _)| i).collect();
    report.duplicate_points = same.len();
    // In surface files corners are often written once per triangle or texture seam.
    let severity = if mesh.tets.is_empty() { Severity::Note } else { Severity::Warning };
    report.add(
        (severity, Code::DuplicatePoints, Subject::Points),
        &same,
        "with the same coordinates as an earlier one",
        "Weld them if the body should hold together there; a cut or seam is meant otherwise",
    );
}

/// Elements that repeat a corner, repeat each other, are inverted or flat.
pub(super) fn elements(mesh: &Mesh, report: &mut Report) {
    let repeated = select(&mesh.tets, |t| repeats(*t));
    report.add(
        (Severity::Error, Code::RepeatedCornerTets, Subject::Tets),
        &repeated,
        "that name a corner twice",
        "Repairing drops them: they have no volume",
    );
    let repeated = select(&mesh.triangles, |t| repeats(*t));
    report.add(
        (Severity::Warning, Code::RepeatedCornerTriangles, Subject::Triangles),
        &repeated,
        "that name a corner twice",
        "Repairing drops them: they have no area",
    );
    report.add(
        (Severity::Error, Code::DuplicateTets, Subject::Tets),
        &duplicates(&mesh.tets),
        "with the same corners as an earlier one",
        "Repairing drops them: the body would be twice as heavy and stiff there",
    );
    report.add(
        (Severity::Warning, Code::DuplicateTriangles, Subject::Triangles),
        &duplicates(&mesh.triangles),
        "with the same corners as an earlier one",
        "Repairing drops them",
    );
    volumes(mesh, report);
}

fn volumes(mesh: &Mesh, report: &mut Report) {
    let (mut inverted, mut flat, mut huge) = (Vec::new(), Vec::new(), Vec::new());
    for (i, tet) in (0..).zip(&mesh.tets) {
        let p = tet.map(|v| mesh.points[v as usize]);
        let volume = signed_volume(p);
        if volume.is_finite() {
            report.volume += volume;
        } else if p.as_flattened().iter().all(|x| x.is_finite()) {
            huge.push(i);
        }
        if !repeats(*tet) && is_flat(p, volume) {
            flat.push(i);
        } else if volume < 0.0 {
            inverted.push(i);
        }
    }
    (report.inverted, report.flat) = (inverted.len(), flat.len());
    report.add(
        (Severity::Error, Code::HugeTets, Subject::Tets),
        &huge,
        "so large that the volume overflows",
        "Scale the mesh: coordinates are metres",
    );
    report.add(
        (Severity::Error, Code::InvertedTets, Subject::Tets),
        &inverted,
        "turned inside out",
        "Repairing swaps two of their corners",
    );
    report.add(
        (Severity::Error, Code::FlatTets, Subject::Tets),
        &flat,
        "without volume",
        "Mesh the body again or move their corners: dropping them would leave cracks",
    );
}

/// Whether a volume is zero but for rounding: below 10⁻¹² of the cube over the longest edge.
fn is_flat(p: [[f64; 3]; 4], volume: f64) -> bool {
    let mut longest = 0.0f64;
    for [a, b] in crate::topology::TET_EDGES {
        let d = sub(p[a], p[b]);
        longest = longest.max(dot(d, d));
    }
    volume.abs() <= 1e-12 * longest * longest.sqrt()
}

pub(super) fn repeats<const N: usize>(corners: [u32; N]) -> bool {
    (0..N).any(|a| (0..a).any(|b| corners[a] == corners[b]))
}

/// Elements whose set of corners an earlier one has; those that repeat a corner are passed over.
pub(super) fn duplicates<const N: usize>(elements: &[[u32; N]]) -> Vec<u32> {
    let mut keys: Vec<([u32; N], u32)> = elements
        .iter()
        .zip(0..)
        .filter(|(corners, _)| !repeats(**corners))
        .map(|(corners, i)| {
            let mut sorted = *corners;
            sorted.sort_unstable();
            (sorted, i)
        })
        .collect();
    keys.sort_unstable();
    let mut found: Vec<u32> =
        keys.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1].1).collect();
    found.sort_unstable();
    found
}

/// Faces, and the edges and area of the surface.
pub(super) fn surface(mesh: &Mesh, report: &mut Report) {
    let solid = !mesh.tets.is_empty();
    let mut faces = Vec::new();
    let representative;
    if solid {
        representative = None;
        let usage = face_use(&mesh.tets);
        (report.faces, report.boundary_faces) = (usage.faces, usage.boundary);
        let tets: Vec<u32> = usage.crowded.iter().map(|tets| tets[tets.len() - 1]).collect();
        report.add(
            (Severity::Error, Code::CrowdedFaces, Subject::Tets),
            &tets,
            "with a face that two others share already",
            "Tetrahedra overlap: mesh the body again",
        );
        for (tet, flags) in mesh.tets.iter().zip(usage.flags) {
            faces.extend((0..4).filter(|k| flags >> k & 1 == 1).map(|k| tet_face(*tet, k)));
        }
    } else {
        let welded = weld(&mesh.points);
        // Triangles that collapse when coinciding points are joined have no part in the surface.
        let whole = |t: &&[u32; 3]| !repeats(t.map(|v| welded[v as usize]));
        faces.extend(mesh.triangles.iter().filter(whole));
        representative = Some(welded);
        report.volume = enclosed(mesh, &faces);
        flat_triangles(mesh, report);
    }
    surface_measures(mesh, &faces, representative.as_deref(), report);
}

/// Volume that finite triangles enclose, measured from one of their corners to keep digits.
fn enclosed(mesh: &Mesh, faces: &[[u32; 3]]) -> f64 {
    let Some(origin) = faces.first().map(|f| mesh.points[f[0] as usize]) else { return 0.0 };
    let cone = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.points[v as usize]);
        signed_volume([origin, a, b, c])
    };
    faces.iter().map(cone).filter(|v| v.is_finite()).sum()
}

/// Area of a triangle \[m²\] and the square of its longer side at the first corner.
fn area_and_span(mesh: &Mesh, triangle: [u32; 3]) -> (f64, f64) {
    let [a, b, c] = triangle.map(|v| mesh.points[v as usize]);
    let (u, v) = (sub(b, a), sub(c, a));
    let normal = cross(u, v);
    (0.5 * dot(normal, normal).sqrt(), dot(u, u).max(dot(v, v)))
}

fn flat_triangles(mesh: &Mesh, report: &mut Report) {
    let flat = select(&mesh.triangles, |t| {
        let (area, span) = area_and_span(mesh, *t);
        !repeats(*t) && area <= 1e-12 * span
    });
    report.add(
        (Severity::Warning, Code::FlatTriangles, Subject::Triangles),
        &flat,
        "without area",
        "Remove them or move their corners",
    );
}

/// Triangles of the surface that cross others. The first few are named, so that they can be looked up.
pub(super) fn crossings(pairs: &[[u32; 2]], report: &mut Report) {
    const TOLD: usize = 3;
    let first: Vec<String> = pairs.iter().take(TOLD).map(|[a, b]| format!("{a} and {b}")).collect();
    let more = if pairs.len() > TOLD { ", …" } else { "" };
    report.add(
        (Severity::Warning, Code::CrossingTriangles, Subject::TrianglePairs),
        pairs.as_flattened(),
        &format!("of the surface that cross or touch ({}{more})", first.join(", ")),
        "Move them apart in a mesh editor: contact cannot keep apart what begins crossed",
    );
}

fn surface_measures(
    mesh: &Mesh,
    faces: &[[u32; 3]],
    representative: Option<&[u32]>,
    report: &mut Report,
) {
    let solid = !mesh.tets.is_empty();
    let mut on_surface = vec![false; mesh.points.len()];
    for face in faces {
        let (area, _) = area_and_span(mesh, *face);
        if area.is_finite() {
            report.area += area;
        }
        for v in face {
            on_surface[representative.map_or(*v, |r| r[*v as usize]) as usize] = true;
        }
    }
    let edges = surface_edges(faces, representative);
    report.boundary_vertices = on_surface.iter().filter(|on| **on).count();
    (report.open_edges, report.non_manifold_edges) = (edges.open.len(), edges.non_manifold.len());
    report.euler = report.boundary_vertices as i64 - edges.count as i64 + faces.len() as i64;
    let edge_finding = |severity, code| (severity, code, Subject::Edges);
    if !solid {
        report.add(
            edge_finding(Severity::Warning, Code::FlippedEdges),
            edges.flipped.as_flattened(),
            "between triangles that face opposite ways",
            "Make the orientation consistent, in a mesh editor for example",
        );
        if report.open_edges + report.non_manifold_edges == 0 && report.volume < 0.0 {
            let problem = "the closed surface faces inward".into();
            report.add_whole(Severity::Warning, Code::InsideOut, 1, problem, "Flip its triangles");
        }
    }
    report.add(
        edge_finding(Severity::Note, Code::OpenEdges),
        edges.open.as_flattened(),
        "of the surface belong to one triangle only",
        "This is fine for cloth; a solid needs a closed surface",
    );
    report.add(
        edge_finding(Severity::Warning, Code::NonManifoldEdges),
        edges.non_manifold.as_flattened(),
        "of the surface belong to more than two triangles",
        "The body touches itself along them; split the points there if it should not",
    );
}
