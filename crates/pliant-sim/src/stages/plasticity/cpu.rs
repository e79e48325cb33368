//! Plasticity on the CPU: every tetrahedron is tested after each step; the few springs that changed
//! are merged anew.

use std::cell::UnsafeCell;

use super::{RestShape, volume_coefficients, yield_springs};
use crate::backend::cpu::Work;
use crate::model::Model;
use crate::model::springs::{Edges, tet_edges};
use crate::stages::elastic::cpu::Layout;

/// What yielding keeps: rest shapes, and how tetrahedra and merged springs belong together.
pub struct Yielding {
    /// Rest shape of every tetrahedron, in model order.
    pub rest: Vec<RestShape<f32>>,
    /// Springs of every tetrahedron.
    springs_of: Vec<[u32; 6]>,
    /// Tetrahedra round every spring, as a list per spring.
    around_start: Vec<u32>,
    around: Vec<u32>,
    /// Tetrahedra that yielded in this step, per block.
    yielded: Vec<Vec<u32>>,
    blocks: Vec<std::ops::Range<u32>>,
}

impl Yielding {
    /// Brings the layout's coefficients in line at once: from now on they are a function of the
    /// rest shapes alone, so that going back to a snapshot or a checkpoint gives the same bits.
    pub fn new(model: &Model, layout: &mut Layout) -> Self {
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
        let (around_start, around) = incidence(&springs_of, model.springs.len());
        let rest = first_rest(model);
        // Room for everything, so that a step never allocates.
        let blocks: Vec<_> = model.blocks.iter().map(|b| b.tets.clone()).collect();
        let yielded = blocks.iter().map(|r| Vec::with_capacity(r.len())).collect();
        let yielding = Self { rest, springs_of, around_start, around, yielded, blocks };
        (0..model.tets.len()).for_each(|t| yielding.settle_volume(model, layout, t));
        // Springs of surfaces have no tetrahedron round them and never yield.
        (0..model.springs.len())
            .filter(|&s| yielding.around_start[s] < yielding.around_start[s + 1])
            .for_each(|s| yielding.settle_spring(model, layout, s));
        yielding
    }

    pub fn bytes(&self) -> usize {
        let Self { rest, springs_of, around_start, around, yielded, blocks: _ } = self;
        size_of_val(&rest[..])
            + size_of_val(&springs_of[..])
            + size_of_val(&around_start[..])
            + size_of_val(&around[..])
            + yielded.iter().map(|y| 4 * y.capacity()).sum::<usize>()
    }

    /// Takes over rest shapes and brings the layout's coefficients in line.
    pub fn load(&mut self, model: &Model, layout: &mut Layout, rest: &[RestShape<f32>]) {
        let changed: Vec<u32> =
            (0..rest.len() as u32).filter(|&t| rest[t as usize] != self.rest[t as usize]).collect();
        self.rest.copy_from_slice(rest);
        for &t in &changed {
            self.settle_tet(model, layout, t);
        }
    }

    /// Makes ready for a job.
    pub fn run<'a>(&'a mut self, model: &'a Model, plasticity: f64) -> Running<'a> {
        Running { yielding: UnsafeCell::new(self), model, plasticity: plasticity as f32 }
    }

    fn settle_tet(&self, model: &Model, layout: &mut Layout, tet: u32) {
        self.settle_volume(model, layout, tet as usize);
        for &spring in &self.springs_of[tet as usize] {
            self.settle_spring(model, layout, spring as usize);
        }
    }

    fn settle_volume(&self, model: &Model, layout: &mut Layout, tet: usize) {
        let rest6 = self.rest[tet].volume6;
        layout.set_volume(tet, volume_coefficients(model.volume[tet], rest6));
    }

    fn settle_spring(&self, model: &Model, layout: &mut Layout, spring: usize) {
        let range = self.around_start[spring] as usize..self.around_start[spring + 1] as usize;
        let mut k_rest = 0.0;
        for &tet in &self.around[range] {
            let t = tet as usize;
            let k = self.springs_of[t].iter().position(|&s| s as usize == spring);
            let k = k.expect("a tetrahedron round a spring has it among its own");
            k_rest += model.hardness_share(t)[k] * f64::from(self.rest[t].lengths[k]);
        }
        layout.set_spring(spring, [model.spring[spring][0], k_rest as f32]);
    }
}

/// What the tetrahedra return to before anything has yielded.
pub fn first_rest(model: &Model) -> Vec<RestShape<f32>> {
    (0..model.tets.len())
        .map(|t| {
            let c = model.rest_corners(t);
            RestShape {
                lengths: model.rest_lengths(t).map(|l| l as f32),
                volume6: (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]) as f32,
            }
        })
        .collect()
}

/// Tetrahedra round every spring, in ascending order.
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

/// Yielding during a job: blocks test their own tetrahedra, then one worker settles.
pub struct Running<'a> {
    yielding: UnsafeCell<&'a mut Yielding>,
    model: &'a Model,
    plasticity: f32,
}

// SAFETY: `test` touches only its block's tetrahedra and list; `settle` runs while all other workers
// wait at a barrier.
unsafe impl Sync for Running<'_> {}

impl Running<'_> {
    fn parts(&self) -> *mut Yielding {
        // SAFETY: only the pointer is taken; the parts behind it are kept apart by block.
        unsafe { std::ptr::from_mut::<Yielding>(*self.yielding.get()) }
    }

    /// Tests the tetrahedra of a block at the positions the step ended with.
    pub fn test(&self, work: &Work, block: usize) {
        let y = self.parts();
        let layout = work.layout();
        // SAFETY: range and list of this block are used by this call alone.
        unsafe {
            let rest: *mut RestShape<f32> = (*y).rest.as_mut_ptr();
            let list: &mut Vec<u32> = &mut *(*y).yielded.as_mut_ptr().add(block);
            list.clear();
            let range = (&(*y).blocks)[block].clone();
            for t in range {
                let corners =
                    self.model.tets[t as usize].map(|v| work.position(layout.slot_of[v as usize]));
                if yield_springs(corners, self.plasticity, &mut *rest.add(t as usize)) {
                    list.push(t);
                }
            }
        }
    }

    /// Merges what yielded, block after block. Only one worker may call this, all others waiting.
    pub fn settle(&self, work: &Work) {
        // SAFETY: all other workers wait at a barrier, so this is the only access.
        let (yielding, layout) = unsafe { (&*self.parts(), &mut *work.layout) };
        for list in &yielding.yielded {
            for &t in list {
                yielding.settle_tet(self.model, layout, t);
            }
        }
    }
}
