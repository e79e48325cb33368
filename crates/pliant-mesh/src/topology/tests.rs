use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::*;

/// Uses of every face by brute force: sorted corners to (tet, face).
fn face_map(tets: &[[u32; 4]]) -> BTreeMap<[u32; 3], Vec<(usize, usize)>> {
    let mut map = BTreeMap::<_, Vec<_>>::new();
    for (i, t) in tets.iter().enumerate() {
        for k in 0..4 {
            let mut f: Vec<u32> = (0..4).filter(|c| *c != k).map(|c| t[c]).collect();
            f.sort();
            map.entry([f[0], f[1], f[2]]).or_default().push((i, k));
        }
    }
    map
}

/// Random tetrahedra over few points, so that faces are shared by two and by more.
fn random_tets(count: usize, points: u32, seed: u64) -> Vec<[u32; 4]> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32 % points
    };
    let mut tets = Vec::new();
    while tets.len() < count {
        let t = [next(), next(), next(), next()];
        if BTreeSet::from(t).len() == 4 {
            tets.push(t);
        }
    }
    tets
}

#[test]
fn faces_agree_with_brute_force() {
    for (count, points) in [(1, 4), (40, 8), (300, 30), (300, 4_000_000_000)] {
        let tets = random_tets(count, points, u64::from(points));
        let map = face_map(&tets);
        let (mut flags, mut neighbours) = (vec![0u8; count], vec![[NONE; 4]; count]);
        for uses in map.values() {
            match uses[..] {
                [(t, k)] => flags[t] |= 1 << k,
                [(a, j), (b, k)] => {
                    neighbours[a][j] = b as u32;
                    neighbours[b][k] = a as u32;
                }
                _ => {}
            }
        }
        assert_eq!(boundary_flags(&tets), flags);
        assert_eq!(tet_neighbours(&tets), neighbours);
        let usage = face_use(&tets);
        assert_eq!(usage.faces, map.len());
        assert_eq!(usage.boundary, map.values().filter(|u| u.len() == 1).count());
        assert_eq!(usage.flags, flags);
        let crowded: Vec<Vec<u32>> = map
            .values()
            .filter(|u| u.len() > 2)
            .map(|u| u.iter().map(|(t, _)| *t as u32).collect())
            .collect();
        assert_eq!(usage.crowded, crowded);
    }
}

#[test]
fn boundary_faces_look_outward_in_element_order() {
    let tets = [[0, 1, 2, 3], [1, 2, 3, 4]];
    // The face 1-2-3 is shared; it is face 0 of the first and face 3 of the second.
    let expected = vec![[0, 3, 2], [0, 1, 3], [0, 2, 1], [2, 3, 4], [1, 4, 3], [1, 2, 4]];
    assert_eq!(boundary_faces(&tets), expected);
    assert!(boundary_faces(&[]).is_empty());
}

#[test]
fn edges_agree_with_brute_force() {
    let tets = random_tets(200, 40, 7);
    let triangles = [[0, 1, 2], [50, 3, 50], [60, 61, 2]];
    let mut expected = BTreeSet::new();
    let elements = tets.iter().map(|t| &t[..]).chain(triangles.iter().map(|t| &t[..]));
    for corners in elements {
        for a in corners {
            for b in corners {
                if a < b {
                    expected.insert([*a, *b]);
                }
            }
        }
    }
    assert_eq!(unique_edges(&tets, &triangles), expected.into_iter().collect::<Vec<_>>());
    assert!(unique_edges(&[], &[]).is_empty());
    assert_eq!(unique_edges(&[], &[[4_000_000_000, 1, 1]]), [[1, 4_000_000_000]]);
}

#[test]
fn components_are_numbered_by_first_point() {
    let found = components(12, &[[6, 7, 8, 9]], &[[3, 2, 1], [1, 10, 3]]);
    let n = NONE;
    assert_eq!(found.of_point, [n, 0, 0, 0, n, n, 1, 1, 1, 1, 0, n]);
    assert_eq!((found.count, found.sizes()), (2, vec![4, 4]));
}

#[test]
fn surface_edges_of_known_shapes() {
    let tet = boundary_faces(&[[0, 1, 2, 3]]);
    let edges = surface_edges(&tet, None);
    assert!(edges.is_closed_manifold() && edges.flipped.is_empty());
    assert_eq!(edges.count, 6);

    let mut turned = tet.clone();
    turned[0].swap(0, 1);
    assert_eq!(surface_edges(&turned, None).flipped, [[1, 2], [1, 3], [2, 3]]);

    assert_eq!(surface_edges(&tet[1..], None).open, [[1, 2], [1, 3], [2, 3]]);

    // Two tetrahedra that share only the edge 0-1.
    let pair = boundary_faces(&[[0, 1, 2, 3], [0, 1, 4, 5]]);
    assert_eq!(surface_edges(&pair, None).non_manifold, [[0, 1]]);
}

#[test]
fn welding_closes_a_triangle_soup() {
    let corner = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.0, 1.0]];
    let faces = boundary_faces(&[[0, 1, 2, 3]]);
    let points: Vec<[f64; 3]> = faces.iter().flatten().map(|v| corner[*v as usize]).collect();
    let soup: Vec<[u32; 3]> = (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    assert_eq!(surface_edges(&soup, None).open.len(), 12);
    let welded = weld(&points);
    assert_eq!(BTreeSet::from_iter(&welded).len(), 4);
    assert!(surface_edges(&soup, Some(&welded)).is_closed_manifold());

    let odd = [[f64::NAN, 0.0, 0.0], [f64::NAN, 0.0, 0.0], [0.0; 3], [-0.0, 0.0, 0.0]];
    assert_eq!(weld(&odd), [0, 1, 2, 2]);
}

/// Numbers of a TetGen file without its comments; a reader of its own, so that these tests do not
/// lean on the crate's readers.
fn numbers(path: PathBuf) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    let tokens = text.lines().flat_map(|l| l.split('#').next().unwrap().split_whitespace());
    tokens.map(|t| t.parse().unwrap()).collect()
}

#[test]
fn tetgen_files_have_the_known_topology() {
    let data = std::env::var_os("PLIANT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let Ok(facts) = std::fs::read_to_string(data.join("facts.json")) else {
        eprintln!("skipped: no facts.json in {} (set PLIANT_DATA)", data.display());
        return;
    };
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    let mut checked = 0;
    for fact in facts.as_array().unwrap() {
        let file = fact["file"].as_str().unwrap();
        if !file.ends_with(".ele") {
            continue;
        }
        let node = numbers(data.join(file).with_extension("node"));
        let first = node[4] as u32;
        let points = node[0] as usize;
        let ele = numbers(data.join(file));
        let width = 5 + ele[2] as usize;
        let tets: Vec<[u32; 4]> = ele[3..]
            .chunks_exact(width)
            .take(ele[0] as usize)
            .map(|row| std::array::from_fn(|c| row[1 + c] as u32 - first))
            .collect();
        let expect = |name: &str, found: usize| {
            assert_eq!(fact[name].as_u64(), Some(found as u64), "{name} of {file}");
        };
        let faces = boundary_faces(&tets);
        let vertices: BTreeSet<u32> = faces.iter().flatten().copied().collect();
        expect("tets", tets.len());
        expect("edges", unique_edges(&tets, &[]).len());
        expect("faces_all", face_use(&tets).faces);
        expect("nonman_faces", face_use(&tets).crowded.len());
        expect("bfaces", faces.len());
        expect("bverts", vertices.len());
        expect("comps", components(points, &tets, &[]).count);
        expect("nonman_bedges", surface_edges(&faces, None).non_manifold.len());
        assert!(surface_edges(&faces, None).open.is_empty());
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} TetGen files in facts.json");
}
