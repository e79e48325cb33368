//! How tetrahedra and merged springs belong together.

use crate::model::Model;
use crate::model::springs::{Edges, tet_edges};

/// Springs of every tetrahedron, and tetrahedra round every spring.
pub(crate) struct Around {
    /// Springs of every tetrahedron, in the order of the edge table.
    pub springs_of: Vec<[u32; 6]>,
    /// Where the list of each spring begins, one more for the end.
    pub start: Vec<u32>,
    /// Tetrahedra round every spring, in ascending order; none round springs of surfaces.
    pub tets: Vec<u32>,
}

impl Around {
    pub fn new(model: &Model) -> Self {
        let Edges { edges, of_element } = tet_edges(&model.tets, model.vertex_count());
        // Edges come sorted by vertex, springs in model order: match them through the end points.
        let mut spring_of: Vec<u32> = (0..model.springs.len() as u32).collect();
        let ends = |s: u32| {
            let [a, b] = model.springs[s as usize];
            [a.min(b), a.max(b)]
        };
        spring_of.sort_unstable_by_key(|&s| ends(s));
        let mut next = spring_of.iter().copied().peekable();
        let matched: Vec<u32> = edges
            .iter()
            .map(|&e| {
                while next.peek().is_some_and(|&s| ends(s) < e) {
                    next.next();
                }
                next.next().expect("every edge of a tetrahedron has a spring")
            })
            .collect();
        let springs_of: Vec<[u32; 6]> =
            of_element.iter().map(|of| of.map(|e| matched[e as usize])).collect();
        let (start, tets) = incidence(&springs_of, model.springs.len());
        Self { springs_of, start, tets }
    }

    /// The tetrahedra round a spring, each with the number of the edge that the spring is there.
    pub fn round(&self, spring: usize) -> impl Iterator<Item = (usize, usize)> {
        let range = self.start[spring] as usize..self.start[spring + 1] as usize;
        self.tets[range].iter().map(move |&tet| {
            let k = self.springs_of[tet as usize].iter().position(|&s| s as usize == spring);
            (tet as usize, k.expect("a tetrahedron round a spring has it among its own"))
        })
    }

    pub fn bytes(&self) -> usize {
        let Self { springs_of, start, tets } = self;
        size_of_val(&springs_of[..]) + size_of_val(&start[..]) + size_of_val(&tets[..])
    }
}

fn incidence(springs_of: &[[u32; 6]], spring_count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; spring_count + 1];
    for &s in springs_of.iter().flatten() {
        start[s as usize + 1] += 1;
    }
    for i in 0..spring_count {
        start[i + 1] += start[i];
    }
    let mut fill = start.clone();
    let mut around = vec![0u32; springs_of.len() * 6];
    for (t, of) in springs_of.iter().enumerate() {
        for &s in of {
            around[fill[s as usize] as usize] = t as u32;
            fill[s as usize] += 1;
        }
    }
    (start, around)
}
