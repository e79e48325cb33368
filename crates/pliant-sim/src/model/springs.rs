//! Springs: one per edge, with the stiffness of all tetrahedra or triangles around it.
//!
//! A tetrahedron has six springs, and an edge shared by k tetrahedra carries k of them. Their force
//! is linear in the rest length, so together they are one spring of summed stiffness and
//! stiffness-weighted mean rest length: about five times less work for the same force.

use pliant_mesh::topology::TET_EDGES;

/// The edges of a set of elements, each once, and for every element the numbers of its edges.
pub struct Edges<const N: usize> {
    /// End points, the smaller first; sorted.
    pub edges: Vec<[u32; 2]>,
    /// For each element the index of its edges, in the order of the edge table.
    pub of_element: Vec<[u32; N]>,
}

const TRIANGLE_EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// Edges of tetrahedra over `vertex_count` vertices, in the order of [`TET_EDGES`].
pub fn tet_edges(tets: &[[u32; 4]], vertex_count: usize) -> Edges<6> {
    merge(tets, TET_EDGES, vertex_count)
}

/// Edges of triangles: 0–1, 1–2, 2–0.
pub fn triangle_edges(triangles: &[[u32; 3]], vertex_count: usize) -> Edges<3> {
    merge(triangles, TRIANGLE_EDGES, vertex_count)
}

/// Buckets the edges by their smaller vertex, then sorts each small bucket: linear in the mesh.
fn merge<const C: usize, const N: usize>(
    elements: &[[u32; C]],
    table: [[usize; 2]; N],
    vertex_count: usize,
) -> Edges<N> {
    let ends = |e: &[u32; C], [a, b]: [usize; 2]| (e[a].min(e[b]), e[a].max(e[b]));
    let mut start = vec![0u32; vertex_count + 1];
    for e in elements {
        for pair in table {
            start[ends(e, pair).0 as usize + 1] += 1;
        }
    }
    for i in 0..vertex_count {
        start[i + 1] += start[i];
    }
    // (larger vertex, slot of element and edge), bucket by bucket.
    let mut uses = vec![(0u32, 0u32); elements.len() * N];
    let mut fill = start.clone();
    for (i, e) in elements.iter().enumerate() {
        for (k, &pair) in table.iter().enumerate() {
            let (low, high) = ends(e, pair);
            let at = &mut fill[low as usize];
            uses[*at as usize] = (high, (i * N + k) as u32);
            *at += 1;
        }
    }
    drop(fill);
    let mut edges = Vec::with_capacity(elements.len() * N / 4);
    let mut of_element = vec![[0u32; N]; elements.len()];
    for low in 0..vertex_count {
        let bucket = &mut uses[start[low] as usize..start[low + 1] as usize];
        bucket.sort_unstable();
        for (i, &(high, slot)) in bucket.iter().enumerate() {
            if i == 0 || bucket[i - 1].0 != high {
                edges.push([low as u32, high]);
            }
            of_element[slot as usize / N][slot as usize % N] = (edges.len() - 1) as u32;
        }
    }
    Edges { edges, of_element }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tets_sharing_a_face_have_nine_edges() {
        let e = tet_edges(&[[0, 1, 2, 3], [4, 2, 1, 3]], 5);
        assert_eq!(e.edges.len(), 9);
        assert!(e.edges.is_sorted());
        for (tet, of) in [[0, 1, 2, 3], [4, 2, 1, 3]].iter().zip(&e.of_element) {
            for (k, [a, b]) in TET_EDGES.into_iter().enumerate() {
                let [low, high] = e.edges[of[k] as usize];
                assert_eq!((low, high), (tet[a].min(tet[b]), tet[a].max(tet[b])));
            }
        }
    }

    #[test]
    fn triangles_share_edges() {
        let e = triangle_edges(&[[0, 1, 2], [2, 1, 3]], 4);
        assert_eq!(e.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    }
}
