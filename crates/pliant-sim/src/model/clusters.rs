//! Which vertices of a body are matched with their shape together.

use std::collections::HashMap;

use pliant_mesh::Mesh;

use super::select::select;
use crate::scene::{Clusters, Region, ShapeMatching};

/// Vertices that an automatic cluster has, without its neighbours.
const USUAL: usize = 50;
/// Rounds in which clusters are moved to where their vertices are, at most; few are needed.
const ROUNDS: usize = 50;
/// Points of a cloud that count as neighbours of one.
const NEIGHBOURS: usize = 8;

/// The clusters of a mesh whose points are placed there, each sorted. All points that are `used` are in one; others in
/// none. The error says what is wrong.
pub(super) fn clusters(
    matching: &ShapeMatching,
    mesh: &Mesh,
    placed: &[[f64; 3]],
    used: &[bool],
) -> Result<Vec<Vec<u32>>, String> {
    let points: Vec<u32> = (0..placed.len() as u32).filter(|&v| used[v as usize]).collect();
    let count = match &matching.clusters {
        Clusters::Groups(names) => return groups(names, mesh, placed, used),
        Clusters::Elements => return elements(mesh),
        Clusters::Auto => points.len().div_ceil(USUAL).max(1),
        Clusters::Count(count) => *count as usize,
    };
    if count > points.len() {
        let problem = "shape_matching.clusters is";
        let there = points.len();
        return Err(format!("{problem} {count}, and there are only {there} vertices"));
    }
    let of = by_distance(&points, placed, count, matching.seed);
    let mut found = vec![Vec::new(); count];
    points.iter().zip(&of).for_each(|(&v, &cluster)| found[cluster].push(v));
    if count > 1 {
        add_neighbours(&mut found, &points, &of, mesh, placed);
    }
    found.retain(|cluster| !cluster.is_empty());
    Ok(found)
}

fn groups(
    names: &[String],
    mesh: &Mesh,
    placed: &[[f64; 3]],
    used: &[bool],
) -> Result<Vec<Vec<u32>>, String> {
    let mut is_in_one = vec![false; placed.len()];
    let mut found = Vec::new();
    for name in names {
        let chosen = select(&Region::Group(name.clone()), mesh, placed)
            .map_err(|problem| format!("shape_matching.clusters: {problem}"))?;
        let members = (0..placed.len() as u32).filter(|&v| chosen[v as usize] && used[v as usize]);
        found.push(members.collect::<Vec<_>>());
        is_in_one.iter_mut().zip(chosen).for_each(|(is_in, chosen)| *is_in |= chosen);
    }
    found.retain(|members| !members.is_empty());
    match (0..placed.len()).find(|&v| used[v] && !is_in_one[v]) {
        Some(v) => Err(format!(
            "shape_matching.clusters: point {v} is in none of the groups {names:?}, so that nothing would hold \
             it; name groups that have all points together"
        )),
        None => Ok(found),
    }
}

fn elements(mesh: &Mesh) -> Result<Vec<Vec<u32>>, String> {
    let mut found: Vec<Vec<u32>> = mesh.tets.iter().map(|tet| tet.to_vec()).collect();
    if found.is_empty() {
        found = mesh.triangles.iter().map(|triangle| triangle.to_vec()).collect();
    }
    if found.is_empty() {
        return Err(
            "shape_matching.clusters is \"elements\", and its mesh has none; give a number".into(),
        );
    }
    found.iter_mut().for_each(|cluster| cluster.sort_unstable());
    Ok(found)
}

/// The cluster of each point, by k-means (Lloyd 1957), from centres that are far from each other (Arthur & Vassilvitskii
/// 2007, *k-means++*). The same for the same seed.
fn by_distance(points: &[u32], placed: &[[f64; 3]], count: usize, seed: u32) -> Vec<usize> {
    let at = |n: usize| placed[points[n] as usize];
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut chance = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut centres = vec![at((chance() * points.len() as f64) as usize)];
    let mut nearest: Vec<f64> = (0..points.len()).map(|n| square(at(n), centres[0])).collect();
    while centres.len() < count {
        let total: f64 = nearest.iter().sum();
        let mut left = chance() * total;
        let hit = nearest.iter().position(|square| {
            left -= square;
            left < 0.0
        });
        // Where points coincide there are fewer places than centres.
        let centre = at(hit.unwrap_or(centres.len() % points.len()));
        for (n, least) in nearest.iter_mut().enumerate() {
            *least = least.min(square(at(n), centre));
        }
        centres.push(centre);
    }
    let mut of = vec![0; points.len()];
    for _ in 0..ROUNDS {
        let mut is_settled = true;
        for (n, own) in of.iter_mut().enumerate() {
            let distance = |c: &usize| square(at(n), centres[*c]);
            let best = (0..count).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let best = best.unwrap_or(0);
            is_settled &= best == *own;
            *own = best;
        }
        let mut sums = vec![[0.0; 4]; count];
        for (n, &cluster) in of.iter().enumerate() {
            let [x, y, z] = at(n);
            sums[cluster].iter_mut().zip([x, y, z, 1.0]).for_each(|(sum, c)| *sum += c);
        }
        for (centre, [x, y, z, n]) in centres.iter_mut().zip(sums) {
            if n > 0.0 {
                *centre = [x / n, y / n, z / n];
            }
        }
        if is_settled {
            break;
        }
    }
    of
}

fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

/// Gives each cluster the neighbours of its vertices: those of the same elements, or those that are nearest where there
/// are none.
fn add_neighbours(
    clusters: &mut [Vec<u32>],
    points: &[u32],
    of: &[usize],
    mesh: &Mesh,
    placed: &[[f64; 3]],
) {
    let mut cluster_of = vec![usize::MAX; placed.len()];
    points.iter().zip(of).for_each(|(&v, &cluster)| cluster_of[v as usize] = cluster);
    let mut join = |corners: &[u32]| {
        for &v in corners {
            let cluster = cluster_of[v as usize];
            if cluster == usize::MAX {
                continue;
            }
            let others = corners.iter().filter(|&&u| cluster_of[u as usize] != cluster);
            clusters[cluster].extend(others.filter(|&&u| cluster_of[u as usize] != usize::MAX));
        }
    };
    mesh.tets.iter().for_each(|tet| join(tet));
    if mesh.tets.is_empty() {
        mesh.triangles.iter().for_each(|triangle| join(triangle));
    }
    if mesh.tets.is_empty() && mesh.triangles.is_empty() {
        for (n, near) in nearest(points, placed).iter().enumerate() {
            near.iter().for_each(|&other| join(&[points[n], other]));
        }
    }
    for cluster in clusters {
        cluster.sort_unstable();
        cluster.dedup();
    }
}

/// The nearest others of each point, by cells of a grid.
fn nearest(points: &[u32], placed: &[[f64; 3]]) -> Vec<Vec<u32>> {
    let at = |v: u32| placed[v as usize];
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &v in points {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(at(v)[k]), high[k].max(at(v)[k]));
        }
    }
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    // Some points in a cell, however flat the cloud is.
    let volume: f64 = (0..3).map(|k| (high[k] - low[k]).max(1e-3 * longest)).product();
    let cell = (4.0 * volume / points.len() as f64).cbrt().max(1e-300);
    let place = |p: [f64; 3]| -> [i64; 3] {
        std::array::from_fn(|k| ((p[k] - low[k]) / cell).floor() as i64)
    };
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    points.iter().for_each(|&v| cells.entry(place(at(v))).or_default().push(v));
    let widest = (longest / cell).ceil() as i64 + 1;
    let of = |v: u32| {
        let mut found: Vec<(f64, u32)> = Vec::new();
        let home = place(at(v));
        for ring in 0..=widest {
            for shift in shell(ring) {
                let there = std::array::from_fn(|k| home[k] + shift[k]);
                let others = cells.get(&there).into_iter().flatten().filter(|&&u| u != v);
                found.extend(others.map(|&u| (square(at(v), at(u)), u)));
            }
            found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let reached = (ring as f64 * cell).powi(2);
            if found.get(NEIGHBOURS - 1).is_some_and(|last| last.0 <= reached) {
                break;
            }
        }
        found.into_iter().take(NEIGHBOURS).map(|(_, u)| u).collect()
    };
    points.iter().map(|&v| of(v)).collect()
}

/// Cells of which one coordinate is `ring` away, and none further.
fn shell(ring: i64) -> impl Iterator<Item = [i64; 3]> {
    let side = move || -ring..=ring;
    side()
        .flat_map(move |x| side().flat_map(move |y| side().map(move |z| [x, y, z])))
        .filter(move |cell| cell.iter().any(|c| c.abs() == ring))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;

    fn bar() -> Mesh {
        Shape::bar([12, 4, 4], [3.0, 1.0, 1.0]).build().unwrap()
    }

    fn of(matching: &ShapeMatching, mesh: &Mesh) -> Result<Vec<Vec<u32>>, String> {
        clusters(matching, mesh, &mesh.points, &vec![true; mesh.points.len()])
    }

    #[test]
    fn every_vertex_is_in_a_cluster_and_neighbours_overlap() {
        let mesh = bar();
        for count in [1, 2, 6, 40] {
            let matching = ShapeMatching { clusters: Clusters::Count(count), ..Default::default() };
            let found = of(&matching, &mesh).unwrap();
            assert_eq!(found.len(), count as usize);
            let mut times = vec![0; mesh.points.len()];
            found.iter().flatten().for_each(|&v| times[v as usize] += 1);
            assert!(times.iter().all(|&n| n > 0), "{times:?}");
            assert!(found.iter().all(|c| c.is_sorted_by(|a, b| a < b)));
            // Whatever elements join is joined by a cluster.
            for tet in &mesh.tets {
                for (&a, &b) in tet.iter().zip(&tet[1..]) {
                    assert!(found.iter().any(|c| c.contains(&a) && c.contains(&b)));
                }
            }
            assert_eq!(of(&matching, &mesh).unwrap(), found, "the same each time");
            let other = ShapeMatching { seed: 5, ..matching };
            // Few clusters are found wherever the search begins.
            assert!(count < 6 || of(&other, &mesh).unwrap() != found);
        }
        let auto = of(&ShapeMatching::default(), &mesh).unwrap();
        assert_eq!(auto.len(), mesh.points.len().div_ceil(50));
    }

    #[test]
    fn neighbours_in_a_cloud_are_the_nearest() {
        let mesh = bar();
        let cloud = Mesh { points: mesh.points.clone(), ..Mesh::default() };
        let points: Vec<u32> = (0..cloud.points.len() as u32).collect();
        for (v, near) in nearest(&points, &cloud.points).iter().enumerate() {
            let distance = |u: u32| square(cloud.points[v], cloud.points[u as usize]);
            let furthest = near.iter().map(|&u| distance(u)).fold(0.0, f64::max);
            let nearer = points.iter().filter(|&&u| u as usize != v && distance(u) < furthest);
            assert!(near.len() == NEIGHBOURS && nearer.count() < NEIGHBOURS);
        }
        let matching = ShapeMatching { clusters: Clusters::Count(5), ..Default::default() };
        let found = of(&matching, &cloud).unwrap();
        let total: usize = found.iter().map(Vec::len).sum();
        assert!(found.len() == 5 && total > cloud.points.len(), "{total}");
    }

    #[test]
    fn what_cannot_be_clustered_is_named() {
        let with = |clusters| ShapeMatching { clusters, ..Default::default() };
        let mesh = bar();
        let error = of(&with(Clusters::Count(100_000)), &mesh).unwrap_err();
        assert!(error.contains("there are only 325 vertices"), "{error}");
        let error = of(&with(Clusters::Groups(vec!["wheel".into()])), &mesh).unwrap_err();
        assert!(error.contains("no group \"wheel\""), "{error}");
        let cloud = Mesh { points: mesh.points, ..Mesh::default() };
        let error = of(&with(Clusters::Elements), &cloud).unwrap_err();
        assert!(error.contains("its mesh has none"), "{error}");
    }
}
