//! Mending what can be mended without changing the shape.

use serde::Serialize;

use super::checks::{counted, duplicates, repeats, select};
use super::{Code, NAMED, Subject};
use crate::geometry::signed_volume;
use crate::{DataArray, Domain, Group, Mesh};

/// Something that [`repair`] did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fix {
    /// The defect that is gone.
    pub code: Code,
    /// How many elements were changed or dropped.
    pub count: usize,
    /// The first [`NAMED`] of them, numbered as they were before this fix.
    pub first: Vec<u32>,
    /// What was done, as a sentence without its full stop.
    pub message: String,
}

/// Drops elements that name a corner twice or repeat an earlier element, with their array values and
/// group memberships, and turns inverted tetrahedra round. Points stay as they are, and so do flat
/// tetrahedra, since the body would fall apart where they were. A mesh with bad indices is left
/// alone.
pub fn repair(mesh: &mut Mesh) -> Vec<Fix> {
    let mut fixes = Vec::new();
    if mesh.check_indices().is_err() {
        return fixes;
    }
    let bad = select(&mesh.tets, |t| repeats(*t));
    drop_tets(mesh, &bad, Code::RepeatedCornerTets, "that named a corner twice", &mut fixes);
    let bad = duplicates(&mesh.tets);
    drop_tets(mesh, &bad, Code::DuplicateTets, "that repeated an earlier one", &mut fixes);
    let bad = select(&mesh.triangles, |t| repeats(*t));
    drop_triangles(
        mesh,
        &bad,
        Code::RepeatedCornerTriangles,
        "that named a corner twice",
        &mut fixes,
    );
    let bad = duplicates(&mesh.triangles);
    drop_triangles(
        mesh,
        &bad,
        Code::DuplicateTriangles,
        "that repeated an earlier one",
        &mut fixes,
    );
    turn_round(mesh, &mut fixes);
    fixes
}

fn note(fixes: &mut Vec<Fix>, code: Code, bad: &[u32], message: String) {
    let first = bad.iter().copied().take(NAMED).collect();
    fixes.push(Fix { code, count: bad.len(), first, message });
}

fn turn_round(mesh: &mut Mesh, fixes: &mut Vec<Fix>) {
    let inverted: Vec<u32> = (0..mesh.tets.len())
        .filter(|i| signed_volume(mesh.tet_points(*i)) < 0.0)
        .map(|i| i as u32)
        .collect();
    if inverted.is_empty() {
        return;
    }
    for &i in &inverted {
        mesh.tets[i as usize].swap(2, 3);
    }
    // Bit k of this array speaks of the face opposite corner k, so bits move with the corners.
    let flags = mesh.tet_data.iter_mut().find(|a| a.name == "surface_flags" && a.components == 1);
    if let Some(flags) = flags {
        for &i in &inverted {
            if let Some(value) = flags.values.get_mut(i as usize)
                && (0.0..16.0).contains(value)
            {
                let bits = *value as u8;
                *value = f64::from(bits & 3 | (bits & 4) << 1 | (bits & 8) >> 1);
            }
        }
    }
    let what = counted(inverted.len(), Subject::Tets);
    note(fixes, Code::InvertedTets, &inverted, format!("turned {what} round"));
}

fn drop_tets(mesh: &mut Mesh, bad: &[u32], code: Code, which: &str, fixes: &mut Vec<Fix>) {
    if !bad.is_empty() {
        without(&mut mesh.tets, bad);
        follow(&mut mesh.tet_data, &mut mesh.groups, Domain::Tets, bad);
        let what = counted(bad.len(), Subject::Tets);
        note(fixes, code, bad, format!("dropped {what} {which}"));
    }
}

fn drop_triangles(mesh: &mut Mesh, bad: &[u32], code: Code, which: &str, fixes: &mut Vec<Fix>) {
    if !bad.is_empty() {
        without(&mut mesh.triangles, bad);
        follow(&mut mesh.triangle_data, &mut mesh.groups, Domain::Triangles, bad);
        let what = counted(bad.len(), Subject::Triangles);
        note(fixes, code, bad, format!("dropped {what} {which}"));
    }
}

/// Removes the items with the sorted numbers `bad`.
fn without<T>(items: &mut Vec<T>, bad: &[u32]) {
    let mut i = 0;
    items.retain(|_| {
        i += 1;
        bad.binary_search(&(i - 1)).is_err()
    });
}

/// Removes the array tuples and group members of dropped elements, and renumbers the other members.
fn follow(arrays: &mut [DataArray], groups: &mut [Group], domain: Domain, bad: &[u32]) {
    for array in arrays {
        let width = array.components.max(1);
        let mut i = 0;
        array.values.retain(|_| {
            i += 1;
            bad.binary_search(&(((i - 1) / width) as u32)).is_err()
        });
    }
    for group in groups.iter_mut().filter(|g| g.domain == domain) {
        group.members = group
            .members
            .iter()
            .filter_map(|m| match bad.binary_search(m) {
                Ok(_) => None,
                Err(before) => Some(m - before as u32),
            })
            .collect();
    }
}
