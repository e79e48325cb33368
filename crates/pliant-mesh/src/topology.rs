//! Faces, edges, surface and components of a mesh.
//!
//! Everything here sorts packed keys in buckets by their smallest vertex, which is linear in the
//! number of elements for any mesh that is not hostile and never worse than sorting. Results do not
//! depend on hashing or threads: the same mesh gives the same order everywhere.

mod surface;
#[cfg(test)]
mod tests;

pub use surface::{SurfaceEdges, surface_edges, weld};

/// The faces of a tetrahedron: face `k` lies opposite corner `k` and is seen counter-clockwise from
/// outside when the volume is positive.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The edges of a tetrahedron.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Stands in [`tet_neighbours`] and [`Components::of_point`] where there is nothing.
pub const NONE: u32 = u32::MAX;

/// The most tetrahedra that fit the packed face keys.
const MAX_TETS: usize = 1 << 30;

/// Corners of face `k` of `tet`, outward when the volume is positive.
pub fn tet_face(tet: [u32; 4], k: usize) -> [u32; 3] {
    TET_FACES[k].map(|c| tet[c])
}

/// Faces used by exactly one tetrahedron, outward, in the order of tetrahedra and their faces.
pub fn boundary_faces(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let flags = boundary_flags(tets);
    let count = flags.iter().map(|f| f.count_ones() as usize).sum();
    let mut faces = Vec::with_capacity(count);
    for (tet, flags) in tets.iter().zip(flags) {
        faces.extend((0..4).filter(|k| flags >> k & 1 == 1).map(|k| tet_face(*tet, k)));
    }
    faces
}

/// For each tetrahedron, bit `k` says that the face opposite corner `k` is on the boundary.
pub fn boundary_flags(tets: &[[u32; 4]]) -> Vec<u8> {
    let mut flags = vec![0; tets.len()];
    for_each_face(tets, |uses| {
        if let [one] = uses {
            let (tet, face) = split(*one);
            flags[tet] |= 1 << face;
        }
    });
    flags
}

/// For each tetrahedron, the one behind each face; [`NONE`] at the boundary and at faces that more
/// than two tetrahedra share.
pub fn tet_neighbours(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut neighbours = vec![[NONE; 4]; tets.len()];
    for_each_face(tets, |uses| {
        if let [a, b] = uses {
            let ((tet_a, face_a), (tet_b, face_b)) = (split(*a), split(*b));
            neighbours[tet_a][face_a] = tet_b as u32;
            neighbours[tet_b][face_b] = tet_a as u32;
        }
    });
    neighbours
}

/// How often faces are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceUse {
    /// Different faces of all tetrahedra.
    pub faces: usize,
    /// Faces of one tetrahedron only.
    pub boundary: usize,
    /// Faces of more than two tetrahedra, each as the tetrahedra that use it.
    pub crowded: Vec<Vec<u32>>,
    /// For each tetrahedron, bit `k` says that the face opposite corner `k` is on the boundary.
    pub flags: Vec<u8>,
}

/// Counts the faces and finds those that more than two tetrahedra claim.
pub fn face_use(tets: &[[u32; 4]]) -> FaceUse {
    let mut result = FaceUse { flags: vec![0; tets.len()], ..FaceUse::default() };
    for_each_face(tets, |uses| {
        result.faces += 1;
        match uses {
            [one] => {
                let (tet, face) = split(*one);
                result.flags[tet] |= 1 << face;
                result.boundary += 1;
            }
            [_, _] => {}
            many => result.crowded.push(many.iter().map(|u| split(*u).0 as u32).collect()),
        }
    });
    result
}

/// Calls `visit` with the uses of each different face, ordered by the face's sorted corners; uses
/// of one face come in the order of the tetrahedra.
fn for_each_face(tets: &[[u32; 4]], mut visit: impl FnMut(&[u128])) {
    assert!(tets.len() <= MAX_TETS, "more than {MAX_TETS} tetrahedra");
    let keys = bucket_sorted(tets.len(), 4, |i, k| {
        let [a, b, c] = sorted3(tet_face(tets[i], k));
        let id = (i as u128) << 2 | k as u128;
        (u128::from(a) << 96) | (u128::from(b) << 64) | (u128::from(c) << 32) | id
    });
    for uses in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        visit(uses);
    }
}

/// Tetrahedron and face number of a packed face use.
fn split(key: u128) -> (usize, usize) {
    let id = key as u32 as usize;
    (id >> 2, id & 3)
}

fn sorted3([a, b, c]: [u32; 3]) -> [u32; 3] {
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    let (b, c) = if b < c { (b, c) } else { (c, b) };
    if a < b { [a, b, c] } else { [b, a, c] }
}

/// Edges of all elements, each once as (smaller, larger) vertex, sorted. A corner that an element
/// repeats makes no edge.
pub fn unique_edges(tets: &[[u32; 4]], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let pack = |a: u32, b: u32| u64::from(a.min(b)) << 32 | u64::from(a.max(b));
    let mut keys = bucket_sorted(tets.len(), 6, |i, k| {
        let [a, b] = TET_EDGES[k];
        pack(tets[i][a], tets[i][b])
    });
    if !triangles.is_empty() {
        keys.dedup();
        keys.extend(triangles.iter().flat_map(|&[a, b, c]| [pack(a, b), pack(b, c), pack(c, a)]));
        keys = bucket_sorted(keys.len(), 1, |i, _| keys[i]);
    }
    keys.dedup();
    keys.iter().map(|&k| [(k >> 32) as u32, k as u32]).filter(|[a, b]| a != b).collect()
}

/// A packed key whose top 32 bits are its smallest vertex.
trait Key: Copy + Ord + Default {
    fn vertex(self) -> u32;
}

impl Key for u64 {
    fn vertex(self) -> u32 {
        (self >> 32) as u32
    }
}

impl Key for u128 {
    fn vertex(self) -> u32 {
        (self >> 96) as u32
    }
}

/// All `key(i, k)` for `i < items`, `k < per_item`, sorted: first scattered to buckets by vertex,
/// then sorted within each. Vertex numbers far above the item count share buckets, so that a stray
/// index costs no memory.
fn bucket_sorted<K: Key>(items: usize, per_item: usize, key: impl Fn(usize, usize) -> K) -> Vec<K> {
    let all = || (0..items).flat_map(|i| (0..per_item).map(move |k| (i, k)));
    let total = items * per_item;
    let largest = all().map(|(i, k)| key(i, k).vertex()).max().unwrap_or(0);
    let mut shift = 0;
    while (largest >> shift) as usize > total {
        shift += 1;
    }
    let bucket = |k: K| (k.vertex() >> shift) as usize;
    let mut ends = vec![0usize; (largest >> shift) as usize + 2];
    for (i, k) in all() {
        ends[bucket(key(i, k)) + 1] += 1;
    }
    for b in 1..ends.len() {
        ends[b] += ends[b - 1];
    }
    let mut keys = vec![K::default(); total];
    for (i, k) in all() {
        let key = key(i, k);
        let slot = &mut ends[bucket(key)];
        keys[*slot] = key;
        *slot += 1;
    }
    // Each `ends[b]` has moved from the start of bucket b to its end.
    let mut start = 0;
    for &end in &ends[..ends.len() - 1] {
        keys[start..end].sort_unstable();
        start = end;
    }
    keys
}

/// Which points hang together through elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// How many there are; points without an element belong to none.
    pub count: usize,
    /// The component of each point, numbered by first point; [`NONE`] for unused points.
    pub of_point: Vec<u32>,
}

impl Components {
    /// How many points each component has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count];
        for &c in self.of_point.iter().filter(|c| **c != NONE) {
            sizes[c as usize] += 1;
        }
        sizes
    }
}

/// Components of elements that share vertices.
pub fn components(point_count: usize, tets: &[[u32; 4]], triangles: &[[u32; 3]]) -> Components {
    let mut parent: Vec<u32> = (0..point_count as u32).collect();
    let mut used = vec![false; point_count];
    let mut join_all = |corners: &[u32]| {
        for &c in corners {
            used[c as usize] = true;
            join(&mut parent, corners[0], c);
        }
    };
    tets.iter().for_each(|t| join_all(t));
    triangles.iter().for_each(|t| join_all(t));
    let mut of_point = vec![NONE; point_count];
    let mut count = 0;
    // Roots are the smallest point of their component, so each is met before its other points.
    for p in 0..point_count {
        if used[p] {
            let root = find(&mut parent, p as u32);
            if root as usize == p {
                of_point[p] = count;
                count += 1;
            } else {
                of_point[p] = of_point[root as usize];
            }
        }
    }
    Components { count: count as usize, of_point }
}

fn find(parent: &mut [u32], mut p: u32) -> u32 {
    while parent[p as usize] != p {
        parent[p as usize] = parent[parent[p as usize] as usize];
        p = parent[p as usize];
    }
    p
}

fn join(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}
