//! Whatever the bodies are, the partition keeps its promises.

use super::*;
use proptest::prelude::*;

/// Vertex count, tetrahedra and springs.
type Body = (u32, Vec<[u32; 4]>, Vec<[u32; 2]>);

/// Bodies of random elements on `vertices` vertices in a row.
fn random_bodies() -> impl Strategy<Value = Vec<Body>> {
    let body = (1u32..400).prop_flat_map(|n| {
        let tet = prop::array::uniform4(0..n);
        let spring = prop::array::uniform2(0..n);
        let count = prop_oneof![Just(0usize), Just(30), Just(3000)];
        (count.clone(), count).prop_flat_map(move |(t, s)| {
            (
                Just(n),
                prop::collection::vec(tet.clone(), t),
                prop::collection::vec(spring.clone(), s),
            )
        })
    });
    prop::collection::vec(body, 0..6)
}

type World = (Vec<BodyElements>, Vec<[f32; 3]>, Vec<[u32; 4]>, Vec<[u32; 2]>);

fn join(parts: &[Body]) -> World {
    let (mut bodies, mut rest, mut tets, mut springs) = World::default();
    for (n, body_tets, body_springs) in parts {
        let first = rest.len() as u32;
        let (tet, spring) = (tets.len() as u32, springs.len() as u32);
        rest.extend((0..*n).map(|i| [i as f32, (i * 7 % 13) as f32, (i * 5 % 11) as f32]));
        tets.extend(body_tets.iter().map(|t| t.map(|v| v + first)));
        springs.extend(body_springs.iter().map(|s| s.map(|v| v + first)));
        bodies.push(BodyElements {
            family: None,
            form: VolumeForm::Energy,
            vertices: first..rest.len() as u32,
            tets: tet..tets.len() as u32,
            springs: spring..springs.len() as u32,
        });
    }
    (bodies, rest, tets, springs)
}

fn assert_permutation(order: &[u32], count: usize) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..count as u32));
}

fn check(world: &World) -> Partition {
    let (bodies, rest, tets, springs) = world;
    let p = partition(bodies, rest, tets, springs);
    assert_permutation(&p.vertex_order, rest.len());
    assert_permutation(&p.tet_order, tets.len());
    assert_permutation(&p.spring_order, springs.len());
    // Blocks follow each other without gaps: every element is in exactly one.
    let (mut vertex, mut tet, mut spring) = (0, 0, 0);
    for block in &p.blocks {
        assert_eq!(
            (block.vertices.start, block.tets.start, block.springs.start),
            (vertex, tet, spring)
        );
        (vertex, tet, spring) = (block.vertices.end, block.tets.end, block.springs.end);
        assert!(vertex >= block.vertices.start);
    }
    assert_eq!(
        (vertex as usize, tet as usize, spring as usize),
        (rest.len(), tets.len(), springs.len())
    );
    // Bodies keep their vertex range, and blocks know their bodies.
    for (b, body) in bodies.iter().enumerate() {
        for v in indices(&body.vertices) {
            assert!(body.vertices.contains(&p.vertex_order[v]));
        }
        for block in &p.blocks {
            let common = block.vertices.start.max(body.vertices.start)
                < block.vertices.end.min(body.vertices.end);
            assert!(!common || block.bodies.contains(&(b as u32)));
        }
    }
    p
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_element_is_in_exactly_one_block(parts in random_bodies()) {
        check(&join(&parts));
    }
}

/// A row of tetrahedra, each sharing a face with the next, with the edges to the next
/// `neighbours` vertices (three are all edges).
fn strip(tets: u32, neighbours: u32) -> Body {
    let springs = (0..tets + 3).flat_map(|i| (1..=neighbours).map(move |d| [i, i + d]));
    let springs = springs.filter(|s| s[1] < tets + 3).collect();
    (tets + 3, (0..tets).map(|i| [i, i + 1, i + 2, i + 3]).collect(), springs)
}

#[test]
fn large_bodies_give_an_even_number_of_blocks() {
    for (tets, blocks) in [(1000, 1), (2100, 2), (16_000, 2), (17_000, 4), (100_000, 14)] {
        assert_eq!(check(&join(&[strip(tets, 1)])).blocks.len(), blocks, "{tets} tetrahedra");
    }
}

#[test]
fn springs_lie_in_a_block_that_has_their_tetrahedron() {
    let world = join(&[strip(30_000, 3)]);
    let p = check(&world);
    for block in &p.blocks {
        let tets: Vec<[u32; 4]> =
            indices(&block.tets).map(|t| world.2[p.tet_order[t] as usize]).collect();
        let low = tets.iter().flatten().min().unwrap();
        let high = tets.iter().flatten().max().unwrap();
        for s in indices(&block.springs) {
            let spring = world.3[p.spring_order[s] as usize];
            assert!(spring.iter().all(|v| (low..=high).contains(&v)));
        }
    }
}

#[test]
fn small_bodies_stay_whole_and_fill_blocks_evenly() {
    let world = join(&vec![strip(97, 1); 300]);
    let p = check(&world);
    assert_eq!(p.blocks.len(), 4);
    for block in &p.blocks {
        assert_eq!(block.bodies.len(), 75);
    }
}

#[test]
fn disconnected_vertices_respect_the_vertex_limit() {
    let p = check(&join(&[(200_000, vec![], vec![])]));
    assert!(p.blocks.iter().all(|b| b.vertices.len() <= BLOCK_VERTEX_LIMIT));
    // Tetrahedra that share nothing, and a hub with very many springs.
    let soup = (0..40_000).map(|t| [4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3]).collect();
    let hub = (1..120_000).map(|v| [0, v]).collect();
    let world = join(&[(160_000, soup, hub)]);
    let p = check(&world);
    assert!(
        largest_block(
            &Input { rest: &world.1, tets: &world.2, springs: &world.3 },
            &world.0[0],
            &p
        ) <= BLOCK_VERTEX_LIMIT
    );
}
