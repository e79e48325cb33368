//! Which vertices of a mesh a region names.

use pliant_mesh::{Domain, Mesh};

use crate::scene::Region;

/// Marks the points of `mesh` that are in `region`; `placed` are the same points in the world. The error
/// says what the region names that is not there.
pub(super) fn select(
    region: &Region,
    mesh: &Mesh,
    placed: &[[f64; 3]],
) -> Result<Vec<bool>, String> {
    let mut chosen = vec![false; placed.len()];
    match region {
        Region::Group(name) => {
            let mut any = false;
            for group in mesh.groups.iter().filter(|g| g.name == *name) {
                any = true;
                for &m in &group.members {
                    let corners: &[u32] = match group.domain {
                        Domain::Points => &[m],
                        Domain::Tets => &mesh.tets[m as usize],
                        Domain::Triangles => &mesh.triangles[m as usize],
                    };
                    corners.iter().for_each(|&v| chosen[v as usize] = true);
                }
            }
            if !any {
                let known: Vec<_> = mesh.groups.iter().map(|g| g.name.as_str()).collect();
                return Err(format!("the mesh has no group {name:?}; it has {known:?}"));
            }
        }
        Region::Flag(name) => {
            let array = mesh.point_array(name).ok_or_else(|| {
                let known: Vec<_> = mesh.point_data.iter().map(|a| a.name.as_str()).collect();
                format!("the mesh has no point array {name:?}; it has {known:?}")
            })?;
            for i in 0..array.tuple_count().min(chosen.len()) {
                chosen[i] = array.tuple(i)[0] != 0.0;
            }
        }
        Region::Points(list) => {
            for &v in list {
                let count = chosen.len();
                *chosen.get_mut(v as usize).ok_or_else(|| {
                    format!("there is no point {v}: the mesh has {count} points")
                })? = true;
            }
        }
        geometric => {
            for (chosen, &p) in chosen.iter_mut().zip(placed) {
                *chosen = geometric.contains(p) == Some(true);
            }
        }
    }
    Ok(chosen)
}
