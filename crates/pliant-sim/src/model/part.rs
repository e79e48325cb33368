//! The part of a mesh that is a body: one of its groups.

use pliant_mesh::{DataArray, Domain, Group, Mesh};

use super::compile::pick;

/// The part of a mesh that belongs to a named group of tetrahedra or triangles, with all points.
pub(super) fn only_group(mesh: &Mesh, name: &str) -> Result<Mesh, String> {
    let mut part = Mesh { tets: Vec::new(), triangles: Vec::new(), ..mesh.clone() };
    part.tet_data.iter_mut().for_each(|array| array.values.clear());
    let mut found = false;
    for group in mesh.groups.iter().filter(|g| g.name == name) {
        match group.domain {
            Domain::Tets => {
                part.tets.extend(group.members.iter().map(|&m| mesh.tets[m as usize]));
                for (kept, all) in part.tet_data.iter_mut().zip(&mesh.tet_data) {
                    let given = group.members.iter().filter(|m| (**m as usize) < all.tuple_count());
                    kept.values.extend(given.flat_map(|&m| all.tuple(m as usize)));
                }
            }
            Domain::Triangles => {
                part.triangles.extend(group.members.iter().map(|&m| mesh.triangles[m as usize]));
            }
            Domain::Points => continue,
        }
        found = true;
    }
    if !found {
        let known: Vec<_> = mesh.groups.iter().map(|g| g.name.as_str()).collect();
        return Err(format!("the mesh has no group {name:?} of elements; it has {known:?}"));
    }
    Ok(drop_unused(part, point_groups(mesh)))
}

/// The groups of a mesh, each as the points of its members.
fn point_groups(mesh: &Mesh) -> Vec<Group> {
    let points_of = |group: &Group| {
        let mut points: Vec<u32> = Vec::new();
        for &m in &group.members {
            match group.domain {
                Domain::Points => points.push(m),
                Domain::Tets => points.extend(mesh.tets[m as usize]),
                Domain::Triangles => points.extend(mesh.triangles[m as usize]),
            }
        }
        points.sort_unstable();
        points.dedup();
        Group { name: group.name.clone(), domain: Domain::Points, members: points }
    };
    mesh.groups.iter().map(points_of).collect()
}

/// Removes points that no element uses, with their arrays.
fn drop_unused(mesh: Mesh, mesh_groups: Vec<Group>) -> Mesh {
    let mut keep = vec![false; mesh.points.len()];
    let corners = mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten());
    corners.for_each(|&v| keep[v as usize] = true);
    let kept: Vec<u32> = (0..keep.len() as u32).filter(|&i| keep[i as usize]).collect();
    let mut new = vec![u32::MAX; keep.len()];
    kept.iter().enumerate().for_each(|(i, &old)| new[old as usize] = i as u32);
    let mut part = Mesh {
        points: pick(&mesh.points, &kept),
        tets: mesh.tets.iter().map(|t| t.map(|v| new[v as usize])).collect(),
        triangles: mesh.triangles.iter().map(|t| t.map(|v| new[v as usize])).collect(),
        ..Mesh::default()
    };
    // Groups are kept as sets of points, which is what locks ask for.
    for group in &mesh_groups {
        let kept = group.members.iter().map(|&v| new[v as usize]).filter(|&v| v != u32::MAX);
        part.groups.push(Group { members: kept.collect(), ..group.clone() });
    }
    let is_whole = |a: &DataArray| a.tuple_count() == mesh.points.len();
    for mut array in mesh.point_data.into_iter().filter(is_whole) {
        let tuples = kept.iter().flat_map(|&i| array.tuple(i as usize).to_vec()).collect();
        array.values = tuples;
        part.point_data.push(array);
    }
    part.tet_data = mesh.tet_data;
    part
}
