//! Which faces of each tetrahedron lie on the surface.

use crate::topology::TET_FACES;

/// A face in the bucket of its smallest corner.
#[derive(Clone, Copy)]
struct Face {
    middle: u32,
    largest: u32,
    /// `4 * tetrahedron + face`.
    place: u32,
}

/// For each tetrahedron four bits: bit `k` says that the face opposite corner `k` belongs to no
/// other tetrahedron.
///
/// Faces are sorted into one bucket per smallest corner and compared there, which is linear in
/// practice since few faces share a corner. Needs fewer than 2³⁰ tetrahedra.
pub fn surface_flags(tets: &[[u32; 4]]) -> Vec<u8> {
    let point_count = tets.iter().flatten().max().map_or(0, |&m| m as usize + 1);
    let faces = || {
        (0u32..).zip(tets.iter().flat_map(|t| TET_FACES.map(|f| f.map(|c| t[c])))).map(
            |(place, mut corners)| {
                corners.sort_unstable();
                (corners[0], Face { middle: corners[1], largest: corners[2], place })
            },
        )
    };

    // `ends[v]` is where the next face of bucket `v` goes, and its end once all are placed.
    let mut ends = vec![0u32; point_count + 1];
    for (smallest, _) in faces() {
        ends[smallest as usize + 1] += 1;
    }
    for v in 0..point_count {
        ends[v + 1] += ends[v];
    }
    let mut sorted = vec![Face { middle: 0, largest: 0, place: 0 }; 4 * tets.len()];
    for (smallest, face) in faces() {
        let end = &mut ends[smallest as usize];
        sorted[*end as usize] = face;
        *end += 1;
    }

    let mut flags = vec![0u8; tets.len()];
    let mut start = 0;
    for &end in &ends[..point_count] {
        let bucket = &mut sorted[start..end as usize];
        bucket.sort_unstable_by_key(|f| (f.middle, f.largest));
        for same in bucket.chunk_by(|a, b| (a.middle, a.largest) == (b.middle, b.largest)) {
            if let [single] = same {
                flags[single.place as usize / 4] |= 1 << (single.place % 4);
            }
        }
        start = end as usize;
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tetrahedra_share_one_face() {
        // The shared face 1-2-3 lies opposite corner 0 of the first and corner 3 of the second.
        assert_eq!(surface_flags(&[[0, 1, 2, 3], [1, 2, 3, 4]]), [0b1110, 0b0111]);
        assert_eq!(surface_flags(&[[7, 2, 9, 4]]), [15]);
        assert!(surface_flags(&[]).is_empty());
    }
}
