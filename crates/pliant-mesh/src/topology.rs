//! Faces, edges, surface and components of a mesh.

/// The faces of a tetrahedron: face `k` lies opposite corner `k` and is seen counter-clockwise from
/// outside when the volume is positive.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The edges of a tetrahedron.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
